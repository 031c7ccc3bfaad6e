// install({ document }) with the document of happy-dom: elements are those of the package, and canvases and images
// those of Rasterloom.
import { encode } from 'fast-png';
import { Window } from 'happy-dom';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPackage } from '../images/open';

const PNG = encode({ width: 2, height: 1, channels: 4, data: Uint8Array.from([255, 0, 0, 255, 0, 255, 0, 255]) });
const url = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;
const TAKEN = [
  'document',
  'Event',
  'EventTarget',
  'HTMLElement',
  'MutationObserver',
  'localStorage',
  'addEventListener',
];
const descriptors = (): unknown => TAKEN.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
const before = descriptors();
let uninstall = (): void => undefined;
let window: Window;

beforeAll(async () => {
  window = new Window({ url: 'http://localhost/page.html', width: 640, height: 360 });
  window.document.write(
    `<!doctype html><body><div id="box"><canvas id="drawn" width="8" height="6"></canvas><img src="${url}"></div>`
  );
  uninstall = (await builtPackage()).install({ threads: 1, document: window.document as unknown as Document });
});
afterAll(async () => {
  uninstall();
  expect(descriptors()).toEqual(before);
  await window.happyDOM.close();
});

describe('a document of a package', () => {
  test('has its own elements, parser, storage and observers of changes', async () => {
    expect(document).toBe(window.document);
    const box = document.getElementById('box')!;
    expect([box instanceof HTMLElement, box.matches('body > div:first-child')]).toEqual([true, true]);
    box.insertAdjacentHTML('beforeend', '<p class="note">text</p>');
    expect(document.querySelector('.note')?.textContent).toBe('text');
    const parsed = new DOMParser().parseFromString('<svg width="3"></svg>', 'image/svg+xml');
    expect(parsed.documentElement.getAttribute('width')).toBe('3');
    const changes = await new Promise<MutationRecord[]>((done) => {
      new MutationObserver(done).observe(box, { attributes: true });
      box.setAttribute('title', 'changed');
    });
    expect(changes[0]!.attributeName).toBe('title');
    localStorage.setItem('key', 'value');
    expect(window.localStorage.getItem('key')).toBe('value');
    expect([location.href, innerWidth, innerHeight]).toEqual(['http://localhost/page.html', 640, 360]);
  });

  test('sends events through its tree, and to the window', () => {
    const seen: string[] = [];
    const listener = ({ type }: Event): void => void seen.push(type);
    document.body.addEventListener('pointerdown', listener);
    addEventListener('resize', listener);
    document.querySelector('canvas')!.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    dispatchEvent(new Event('resize'));
    removeEventListener('resize', listener);
    dispatchEvent(new Event('resize'));
    expect(seen).toEqual(['pointerdown', 'resize']);
  });

  test('has canvases of Rasterloom', async () => {
    const canvas = document.querySelector<HTMLCanvasElement>('#drawn')!;
    expect([canvas.width, canvas.height, canvas instanceof HTMLCanvasElement]).toEqual([8, 6, true]);
    canvas.width = 4;
    canvas.setAttribute('height', '3');
    expect([canvas.getAttribute('width'), canvas.height, canvas.clientWidth]).toEqual(['4', 3, 4]);
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter!.requestDevice();
    const context = canvas.getContext('webgpu') as unknown as GPUCanvasContext;
    context.configure({ device, format: 'rgba8unorm' });
    expect(context.canvas).toBe(canvas);
    const encoder = device.createCommandEncoder();
    const view = context.getCurrentTexture().createView();
    encoder
      .beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 1, 1] }] })
      .end();
    device.queue.submit([encoder.finish()]);
    const copy = document.createElement('canvas');
    const copying = copy.getContext('2d')!;
    copying.drawImage(canvas, 0, 0);
    expect([copying.canvas === copy, [...copying.getImageData(3, 2, 1, 1).data]]).toEqual([true, [0, 0, 255, 255]]);
    const blob = await new Promise<Blob | null>((done) => void canvas.toBlob(done));
    const bitmap = await createImageBitmap(blob!);
    expect([bitmap.width, bitmap.height, (await createImageBitmap(canvas)).width]).toEqual([4, 3, 4]);
    device.destroy();
  });

  test('has canvases as large as their style, their attributes or the window', () => {
    const canvas = document.createElement('canvas');
    expect([canvas.width, canvas.clientWidth, canvas.clientHeight]).toEqual([300, 640, 360]);
    canvas.style.width = '100px';
    expect(canvas.getBoundingClientRect().width).toBe(100);
    canvas.height = 50;
    expect([canvas.offsetWidth, canvas.offsetHeight]).toEqual([100, 50]);
    const offscreen = canvas.transferControlToOffscreen();
    offscreen.width = 20;
    expect(canvas.width).toBe(20);
  });

  test('has images that Rasterloom loads, also those that it contained before', async () => {
    const present = document.querySelector('img')!;
    await present.decode();
    expect([present.complete, present.naturalWidth, present.getAttribute('src')]).toEqual([true, 2, url]);
    const image = new Image();
    const events: string[] = [];
    image.onload = () => events.push('load');
    image.onerror = () => events.push('error');
    const done = (): Promise<unknown> =>
      new Promise((end) => {
        for (const type of ['load', 'error']) image.addEventListener(type, end, { once: true });
      });
    const loaded = done();
    image.src = url;
    await loaded;
    expect([image.width, image instanceof HTMLImageElement]).toEqual([2, true]);
    const failed = done();
    image.setAttribute('src', 'data:image/png;base64,AAAA');
    await failed;
    expect(events).toEqual(['load', 'error']);
    expect((await createImageBitmap(present)).height).toBe(1);
  });

  test('is refused if it has no window', async () => {
    uninstall();
    const { install } = await builtPackage();
    expect(() => install({ document: {} as Document })).toThrow(/install: document must be a document with a window/);
    uninstall = install({ threads: 1, document: window.document as unknown as Document });
  });
});
