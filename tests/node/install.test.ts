// The names that install() defines on the global object, and how applications for pages use them.
import { encode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPackage, openBuilt } from '../images/open';
import { runProgram } from '../threads/process.kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

type Page = typeof globalThis & { document: Document; window: unknown };
const page = globalThis as Page;
const NAMES = [
  'navigator',
  'self',
  'window',
  'document',
  'location',
  'innerWidth',
  'innerHeight',
  'devicePixelRatio',
  'addEventListener',
  'removeEventListener',
  'dispatchEvent',
  'requestAnimationFrame',
  'cancelAnimationFrame',
  'HTMLElement',
  'HTMLCanvasElement',
  'OffscreenCanvas',
  'HTMLImageElement',
  'Image',
  'ImageData',
  'ImageBitmap',
  'createImageBitmap',
  'XMLHttpRequest',
  'GPUDevice',
  'GPUBufferUsage',
  'GPUCanvasContext',
];
const descriptors = (): unknown => NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
/** Opaque red and green over a partly transparent blue. */
const PIXELS = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 64, 0, 0, 255, 0];
const PNG = encode({ width: 2, height: 2, channels: 4, data: Uint8Array.from(PIXELS) });
/** Opaque. */
const red = PIXELS.slice(0, 4);
const png = (): Blob => new Blob([PNG as BlobPart], { type: 'image/png' });

describe('install', () => {
  test('defines names, and restores the previous ones', async () => {
    const { install } = await builtPackage();
    const before = descriptors();
    const gpu = page.navigator?.gpu;
    Object.defineProperty(globalThis, 'ImageData', { value: 'mine', configurable: true, enumerable: true });
    const mine = Object.getOwnPropertyDescriptor(globalThis, 'ImageData');
    const uninstall = install({ threads: 1 });
    try {
      expect(NAMES.filter((name) => !(name in globalThis))).toEqual([]);
      expect([page.window === globalThis, page.self === globalThis, page.ImageData as unknown]).toEqual([
        true,
        true,
        expect.any(Function),
      ]);
      expect(page.navigator.gpu).not.toBe(gpu);
      expect(() => install()).toThrow(
        'install: Rasterloom is already installed; to uninstall it, call the function that the first install() returned'
      );
    } finally {
      uninstall();
    }
    expect(Object.getOwnPropertyDescriptor(globalThis, 'ImageData')).toEqual(mine);
    Reflect.deleteProperty(globalThis, 'ImageData');
    expect(descriptors()).toEqual(before);
    expect(page.navigator?.gpu).toBe(gpu);
    uninstall();
    install()();
    expect(descriptors()).toEqual(before);
  });

  test("its location is the process's working folder, from which applications make URLs", async () => {
    const uninstall = (await builtPackage()).install();
    try {
      const { href, origin } = page.location;
      expect(href).toBe(new URL(`${process.cwd()}/`, 'file://').href);
      // Like onnxruntime-web does with its own file.
      expect(new URL('file:///folder/module.mjs', origin).href).toBe('file:///folder/module.mjs');
    } finally {
      uninstall();
    }
  });

  test('limits the memory of loaded images, until it is undone', async () => {
    const { install } = await builtPackage();
    const load = async (src: string): Promise<string> => {
      const image = new Image();
      image.src = src;
      return image.decode().then(
        () => 'loaded',
        (error: unknown) => (error as Error).message
      );
    };
    const data = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;
    expect(() => install({ resources: { maxBytes: 0 } })).toThrow('install: resources.maxBytes must be a whole number');
    let uninstall = install({ threads: 1, resources: { network: false, maxBytes: 10 } });
    expect(await load('http://127.0.0.1:9/a.png')).toContain('network: false');
    expect(await load(data)).toContain('is larger than 10 bytes');
    uninstall();
    uninstall = install({ threads: 1 });
    expect(await load(data)).toBe('loaded');
    expect(await load('/etc/passwd')).toContain('is outside the folder');
    uninstall();
  });

  test('a loop of callbacks keeps no process alive, but pending frames do', async () => {
    const { said, code } = await runProgram(`
      const { install, createCanvas } =
        await import(${JSON.stringify(new URL('../../build/index.js', import.meta.url).href)});
      install();
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      const context = createCanvas(64, 64).getContext('webgpu');
      context.configure({ device, format: 'rgba8unorm' });
      let frames = 0;
      const frame = () => {
        const encoder = device.createCommandEncoder();
        encoder.beginRenderPass(
          { colorAttachments: [{ view: context.getCurrentTexture(), loadOp: 'clear', storeOp: 'store' }] }).end();
        device.queue.submit([encoder.finish()]);
        if (++frames === 1) device.queue.onSubmittedWorkDone().then(() => say('drawn'));
        requestAnimationFrame(frame);
      };
      setTimeout(() => requestAnimationFrame(frame));
      await pause(60);`);
    expect([code, said]).toEqual([0, ['drawn']]);
  });
});

const INDEX = JSON.stringify(new URL('../../build/index.js', import.meta.url).href);
/** A canvas, and a function that clears it. */
const CANVAS = `
  const { install, createCanvas } = await import(${INDEX});
  const uninstall = install({ threads: 1 });
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const context = createCanvas(256, 256).getContext('webgpu');
  context.configure({ device, format: 'rgba8unorm' });
  const clear = () => {
    const encoder = device.createCommandEncoder();
    encoder.beginRenderPass(
      { colorAttachments: [{ view: context.getCurrentTexture(), loadOp: 'clear', storeOp: 'store' }] }).end();
    device.queue.submit([encoder.finish()]);
  };`;

describe('an application that awaits callbacks', () => {
  // Like TensorFlow.js between batches of its training.
  test('continues, whether or not it draws', async () => {
    for (const draws of [false, true]) {
      const { said, code } = await runProgram(`${CANVAS}
        for (let i = 0; i < 5; i++) {
          if (${draws}) clear();
          await new Promise(requestAnimationFrame);
          if (${draws}) clear();
        }
        say('five');`);
      expect([code, said]).toEqual([0, ['five']]);
    }
  });

  test('continues after the second frame from now', async () => {
    const { said, code } = await runProgram(`${CANVAS}
      for (let i = 0; i < 3; i++) {
        await new Promise((done) => requestAnimationFrame(() => {
          clear();
          requestAnimationFrame(done);
        }));
        clear();
      }
      say('three');`);
    expect([code, said]).toEqual([0, ['three']]);
  });
});

test('clocks and timers that an application replaces later stop neither frames nor pipelines', async () => {
  const { said, code } = await runProgram(`${CANVAS}
    const { setTimeout, performance } = globalThis, time = performance.now();
    const frozen = {
      setTimeout: () => 0, setImmediate: () => 0, clearTimeout: () => {},
      performance: { ...performance, now: () => time }
    };
    const names = Object.keys(frozen), before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
    const { now } = performance;
    performance.now = () => time;
    const module = device.createShaderModule(
      { code: COVER + '@fragment fn fs() -> @location(0) vec4f { return vec4f(1); }' });
    const pipeline = () => device.createRenderPipelineAsync(
      { layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } });
    await pipeline();
    for (let i = 0; i < 3; i++) {
      clear();
      await new Promise(requestAnimationFrame);
    }
    for (const name of names) Object.defineProperty(globalThis, name,
      { value: frozen[name], configurable: true, writable: true });
    await pipeline();
    clear();
    await device.queue.onSubmittedWorkDone();
    names.forEach((name, i) => Object.defineProperty(globalThis, name, before[i]));
    performance.now = now;
    say('done');`);
  expect([code, said]).toEqual([0, ['done']]);
});

describe('an application for pages', () => {
  let uninstall = (): void => undefined;
  let device: GPUDevice;
  beforeAll(async () => {
    device = await openBuilt();
    uninstall = (await builtPackage()).install();
  });
  afterAll(() => {
    uninstall();
    device.destroy();
  });

  async function copied(source: unknown, more: object = {}): Promise<number[]> {
    const texture = device.createTexture({
      size: [2, 2],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    device.queue.copyExternalImageToTexture({ source: source as ImageBitmap, ...more }, { texture, ...more }, [2, 2]);
    const buffer = device.createBuffer({ size: 512, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [2, 2]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(buffer.getMappedRange());
    return [...bytes.slice(0, 8), ...bytes.slice(256, 264)];
  }

  test('creates canvases and elements through the document', () => {
    const canvas = page.document.createElement('canvas');
    expect([
      canvas instanceof HTMLCanvasElement,
      canvas instanceof OffscreenCanvas,
      canvas.width,
      canvas.height,
    ]).toEqual([true, true, 300, 150]);
    expect(new OffscreenCanvas(5, 6).height).toBe(6);
    expect(page.document.createElementNS('http://www.w3.org/1999/xhtml', 'img')).toBeInstanceOf(HTMLImageElement);
    expect([page.document.readyState, page.document.visibilityState]).toEqual(['complete', 'visible']);
    canvas.style.width = '10px';
    canvas.setAttribute('data-engine', 'one');
    expect([canvas.getAttribute('data-engine'), canvas.clientWidth]).toEqual(['one', 300]);
    let resized = 0;
    const listener = (): void => void resized++;
    addEventListener('resize', listener);
    dispatchEvent(new Event('resize'));
    removeEventListener('resize', listener);
    dispatchEvent(new Event('resize'));
    expect(resized).toBe(1);
  });

  test('calls listeners of the window like a page does', () => {
    const seen: unknown[] = [];
    function listener(this: unknown, event: Event): void {
      seen.push(this, event.target, event.currentTarget);
    }
    const object = { handleEvent: (event: Event): void => void seen.push(event.type) };
    const add: EventTarget['addEventListener'] = addEventListener;
    add('shown', listener);
    add('shown', listener);
    add('shown', object, { once: true });
    const event = new Event('shown', { cancelable: true });
    expect(dispatchEvent(event)).toBe(true);
    expect(seen.map((one) => (one === globalThis ? 'window' : one))).toEqual(['window', 'window', 'window', 'shown']);
    expect([event.target === globalThis, event.currentTarget]).toEqual([true, null]);
    removeEventListener('shown', listener);
    dispatchEvent(new Event('shown'));
    expect(seen).toHaveLength(4);
    expect(() => dispatchEvent({} as Event)).toThrow(TypeError);
    expect(() => add('shown', null)).not.toThrow();
  });

  test('decodes images, and copies them to textures', async () => {
    const bitmap = await createImageBitmap(png());
    expect([bitmap.width, bitmap.height]).toEqual([2, 2]);
    expect(await copied(bitmap)).toEqual(PIXELS);
    expect(await copied(bitmap, { flipY: true })).toEqual([...PIXELS.slice(8), ...PIXELS.slice(0, 8)]);
    const premultiplied = [...PIXELS.slice(0, 8), 0, 0, 64, 64, 0, 0, 0, 0];
    expect(await copied(bitmap, { premultipliedAlpha: true })).toEqual(premultiplied);
    const asked = await createImageBitmap(png(), { premultiplyAlpha: 'premultiply', imageOrientation: 'flipY' });
    expect(await copied(asked, { premultipliedAlpha: true, flipY: true })).toEqual(premultiplied);
    const part = await createImageBitmap(bitmap, 1, -1, 2, 2);
    expect(await copied(part)).toEqual([...new Array<number>(8).fill(0), 0, 255, 0, 255, 0, 0, 0, 0]);
    const data = new ImageData(new Uint8ClampedArray(PIXELS), 2, 2);
    expect(await copied(data)).toEqual(PIXELS);
    expect(await copied(await createImageBitmap(data))).toEqual(PIXELS);
    expect(await copied({ data: Uint8Array.from(PIXELS), width: 2, height: 2 })).toEqual(PIXELS);
    bitmap.close();
    expect([bitmap.width, bitmap.height]).toEqual([0, 0]);
    await expect(copied(bitmap)).rejects.toThrow(expect.objectContaining({ name: 'InvalidStateError' }) as Error);
    await expect(createImageBitmap(new Blob(['no image']))).rejects.toThrow(/is not a PNG, JPEG or WebP image/);
    const larger = await createImageBitmap(data, { resizeWidth: 4, resizeQuality: 'pixelated' });
    expect([larger.width, larger.height, await copied(larger)]).toEqual([4, 4, [...red, ...red, ...red, ...red]]);
  });

  test('copies canvases, including what was submitted for them', async () => {
    for (const own of [device, await openBuilt()]) {
      const canvas = new OffscreenCanvas(2, 2);
      const context = canvas.getContext('webgpu') as unknown as GPUCanvasContext;
      context.configure({
        device: own,
        format: 'rgba8unorm',
        usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
        alphaMode: 'premultiplied',
      });
      const write = (bytes: readonly number[]): void =>
        own.queue.writeTexture(
          { texture: context.getCurrentTexture() },
          Uint8Array.from(bytes),
          { bytesPerRow: 8 },
          [2, 2]
        );
      write([...PIXELS.slice(0, 8), 0, 0, 64, 64, 0, 0, 0, 0]);
      const first = copied(canvas);
      write(new Array<number>(16).fill(255));
      expect(await first).toEqual([...PIXELS.slice(0, 12), 0, 0, 0, 0]);
      expect(await copied(canvas)).toEqual(new Array<number>(16).fill(255));
      if (own !== device) own.destroy();
    }
  });

  test('loads images and files by their URLs', async () => {
    const url = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;
    const image = new Image();
    expect(image.complete).toBe(true);
    const loaded = new Promise((done) => {
      image.addEventListener('load', done);
    });
    image.src = url;
    expect(image.complete).toBe(false);
    device.pushErrorScope('validation');
    device.queue.copyExternalImageToTexture(
      { source: image },
      {
        texture: device.createTexture({
          size: [2, 2],
          format: 'rgba8unorm',
          usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
        }),
      },
      [0, 0]
    );
    expect((await device.popErrorScope())?.message).toMatch(/is not loaded yet; wait for its load event/);
    await loaded;
    expect([image.complete, image.naturalWidth, image.height]).toEqual([true, 2, 2]);
    expect(await copied(image)).toEqual(PIXELS);
    const broken = new Image();
    const failed = new Promise((done) => {
      broken.onerror = done;
    });
    broken.src = 'data:image/png;base64,AAAA';
    await failed;
    await expect(broken.decode()).rejects.toThrow(expect.objectContaining({ name: 'EncodingError' }) as Error);
    await expect(copied(broken)).rejects.toThrow(expect.objectContaining({ name: 'InvalidStateError' }) as Error);
    const request = new XMLHttpRequest();
    const done = new Promise((end) => {
      request.onloadend = end;
    });
    request.open('GET', new URL('../../package.json', import.meta.url).href);
    request.responseType = 'json';
    request.send();
    await done;
    expect([request.status, (request.response as { name: string }).name]).toEqual([200, 'rasterloom']);
  });
});
