// The members of `window` and `document` that install() provides beside canvases and images.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPackage } from '../images/open';
import { runProgram } from '../threads/process.kit';

const INDEX = JSON.stringify(new URL('../../build/index.js', import.meta.url).href);
let folder = '';
let uninstall = (): void => undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(process.cwd(), 'build', 'window-'));
  writeFileSync(join(folder, 'data.json'), '{"name":"data"}');
  uninstall = (await builtPackage()).install({ threads: 1, resources: { network: false } });
});
afterAll(() => {
  uninstall();
  rmSync(folder, { recursive: true });
});

describe('storage', () => {
  test('keeps texts by key, also as properties', () => {
    localStorage.setItem('size', 12 as unknown as string);
    localStorage.theme = 'dark';
    expect([localStorage.getItem('size'), localStorage.getItem('theme'), localStorage.length]).toEqual([
      '12',
      'dark',
      2,
    ]);
    expect([localStorage.getItem('none'), localStorage.none as unknown, sessionStorage.length]).toEqual([
      null,
      undefined,
      0,
    ]);
    expect([Object.keys(localStorage), 'size' in localStorage, localStorage.key(1)]).toEqual([
      ['size', 'theme'],
      true,
      'theme',
    ]);
    localStorage.removeItem('size');
    delete localStorage.theme;
    expect(localStorage).toHaveLength(0);
    localStorage.setItem('a', '');
    localStorage.clear();
    expect(localStorage.key(0)).toBeNull();
    expect(localStorage).toBeInstanceOf(Storage);
  });
});

test('a file keeps the items of localStorage for later processes', async () => {
  const file = JSON.stringify(join(folder, 'storage.json'));
  const run = (body: string): ReturnType<typeof runProgram> =>
    runProgram(`
      const { install } = await import(${INDEX});
      install({ threads: 0, storage: ${file} });
      ${body}
      say([localStorage.getItem('a'), localStorage.b ?? null, localStorage.length, sessionStorage.length]);`);
  const first = await run("localStorage.setItem('a', 1); localStorage.b = 'x'; sessionStorage.c = 'y';");
  const second = await run("localStorage.removeItem('a');");
  const third = await run('');
  expect([first, second, third].map(({ said }) => said[0])).toEqual([
    ['1', 'x', 2, 1],
    [null, 'x', 1, 0],
    [null, 'x', 1, 0],
  ]);
  writeFileSync(join(folder, 'storage.json'), '[1]');
  const { said } = await runProgram(`
    const { install } = await import(${INDEX});
    const attempt = (work) => { try { work(); return 'done'; } catch (error) { return error.message; } };
    const wrong = attempt(() => install({ storage: 7 }));
    install({ threads: 0, storage: ${file} });
    say([wrong, attempt(() => localStorage.length)]);`);
  expect(said[0]).toEqual([
    'install: storage must be a path or a file: URL',
    expect.stringMatching(
      /^localStorage: the file .*storage\.json of install\(\{ storage \}\) cannot be read: it is not/
    ),
  ]);
});

describe('fetch', () => {
  test('loads files by relative and file: URLs, also by a Request', async () => {
    const path = join(folder, 'data.json');
    const relative = path.slice(process.cwd().length + 1);
    for (const input of [relative, pathToFileURL(path), pathToFileURL(path).href, new Request(relative)]) {
      const response = await fetch(input);
      expect([response.ok, response.status, response.url, response.headers.get('content-type')]).toEqual([
        true,
        200,
        pathToFileURL(path).href,
        'application/json',
      ]);
      expect(response.headers.get('content-length')).toBe('15');
      expect(await response.json()).toEqual({ name: 'data' });
    }
    expect(new Request(relative)).toBeInstanceOf(Request);
    expect(await (await fetch(relative, { method: 'HEAD' })).text()).toBe('');
    const reader = (await fetch(relative)).body!.getReader();
    expect((await reader.read()).value).toHaveLength(15);
  });

  test('loads data: and blob: URLs like Node does', async () => {
    expect(await (await fetch('data:text/plain,hello')).text()).toBe('hello');
    const url = URL.createObjectURL(new Blob(['hello']));
    expect(await (await fetch(new Request(url))).text()).toBe('hello');
  });

  test('says why a file or an address is not loaded', async () => {
    await expect(fetch('build/none.json')).rejects.toThrow(/^fetch: .*no such file/);
    await expect(fetch('/etc/passwd')).rejects.toThrow(/is outside the folder .*install\(\{ resources: \{ folder/);
    await expect(fetch('http://127.0.0.1:9/a')).rejects.toThrow(/network: false/);
    await expect(fetch('package.json', { method: 'PUT' })).rejects.toThrow(
      /which the method PUT cannot change; use GET/
    );
    await expect(fetch('package.json', { signal: AbortSignal.abort() })).rejects.toThrow(
      expect.objectContaining({ name: 'AbortError' }) as Error
    );
  });
});

test('FileReader reads blobs and reports progress', async () => {
  const read = (start: (reader: FileReader) => void): Promise<unknown[]> =>
    new Promise((done) => {
      const reader = new FileReader();
      const events: unknown[] = [];
      for (const name of ['load', 'error', 'abort'] as const)
        reader.addEventListener(name, (event) => events.push(name, event.loaded));
      reader.onloadend = () => done([...events, reader.result]);
      start(reader);
    });
  const blob = new Blob(['héllo'], { type: 'text/plain' });
  expect(await read((reader) => reader.readAsText(blob))).toEqual(['load', 6, 'héllo']);
  expect(await read((reader) => reader.readAsDataURL(blob))).toEqual(['load', 6, 'data:text/plain;base64,aMOpbGxv']);
  const [, , bytes] = await read((reader) => reader.readAsArrayBuffer(blob));
  expect(new Uint8Array(bytes as ArrayBuffer)).toHaveLength(6);
  const aborted = read((reader) => {
    reader.readAsText(blob);
    expect(() => reader.readAsText(blob)).toThrow('FileReader.readAsText: another read is still running');
    reader.abort();
  });
  expect(await aborted).toEqual(['abort', 0, null]);
  expect(() => new FileReader().readAsText('text' as unknown as Blob)).toThrow(TypeError);
});

test('XMLHttpRequest reports progress', async () => {
  const request = new XMLHttpRequest();
  const seen: unknown[] = [];
  request.onprogress = ({ loaded, total, lengthComputable }) => seen.push(loaded, total, lengthComputable);
  request.open('GET', join(folder, 'data.json'));
  request.send();
  await new Promise((done) => {
    request.onload = done;
  });
  expect([request.responseText, seen]).toEqual(['{"name":"data"}', [15, 15, true]]);
});

describe('elements', () => {
  test('form a tree that the document searches', () => {
    const box = document.createElement('section');
    box.id = 'box';
    box.classList.add('wide', 'dark', 'wide');
    const canvas = document.createElement('canvas');
    canvas.dataset.frameCount = '3';
    box.append('text', canvas);
    expect([box.className, canvas.getAttribute('data-frame-count'), canvas.isConnected]).toEqual([
      'wide dark',
      '3',
      false,
    ]);
    document.body.appendChild(box);
    expect([document.getElementById('box') === box, canvas.isConnected, document.body.contains(canvas)]).toEqual([
      true,
      true,
      true,
    ]);
    for (const selector of ['canvas', '#box > canvas', 'body .wide.dark canvas', 'p, [data-frame-count="3"]'])
      expect(document.querySelector(selector)).toBe(canvas);
    for (const selector of ['video', 'body > canvas', '.wide.light', 'canvas:hover', '[data-frame-count="4"]'])
      expect(document.querySelector(selector)).toBeNull();
    expect([canvas.closest('.dark') === box, canvas.closest('p'), box.matches('section')]).toEqual([true, null, true]);
    expect([...document.getElementsByTagName('canvas')]).toEqual([canvas]);
    expect([...document.getElementsByClassName('wide dark')]).toEqual([box]);
    expect([box.tagName, box.textContent, [...box.children]]).toEqual(['SECTION', 'text', [canvas]]);
    expect([box.classList.toggle('dark'), box.classList.contains('dark'), box.classList.length]).toEqual([
      false,
      false,
      1,
    ]);
    document.head.insertBefore(canvas, null);
    expect([canvas.parentElement === document.head, box.contains(canvas)]).toEqual([true, false]);
    canvas.remove();
    box.remove();
    expect([document.getElementById('box'), document.body.childNodes.length]).toEqual([null, 0]);
  });

  test('have styles that are stored only', () => {
    const { style } = document.createElement('div');
    style.setProperty('background-color', 'red');
    expect([style.backgroundColor, style.getPropertyValue('background-color')]).toEqual(['red', 'red']);
    expect(style.removeProperty('background-color')).toBe('red');
    expect(style.backgroundColor).toBe('');
  });
});

describe('the window', () => {
  test('has the size of a common screen, and no media query matches', () => {
    const { clientWidth, clientHeight } = document.documentElement;
    expect([innerWidth, innerHeight, screen.width, clientWidth, clientHeight]).toEqual([1280, 720, 1280, 1280, 720]);
    expect([matchMedia('(min-width: 1px)').matches, isSecureContext]).toEqual([false, true]);
  });

  test('reports the sizes of observed canvases once', async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 64;
    const entries = await new Promise<ResizeObserverEntry[]>((done) => new ResizeObserver(done).observe(canvas));
    expect(entries.map(({ contentRect, contentBoxSize }) => [contentRect.width, contentBoxSize[0]!.blockSize])).toEqual(
      [[64, 150]]
    );
    const [seen] = await new Promise<IntersectionObserverEntry[]>((done) =>
      new IntersectionObserver(done).observe(canvas)
    );
    expect([seen!.isIntersecting, seen!.target]).toEqual([true, canvas]);
    const observer = new ResizeObserver(() => expect.unreachable());
    observer.observe(canvas);
    observer.disconnect();
    await new Promise((done) => void setTimeout(done, 5));
  });

  test('sends events of pointers and keys', () => {
    const canvas = document.createElement('canvas');
    const seen: unknown[] = [];
    canvas.addEventListener('pointerdown', (event) => seen.push(event.clientX, event.button, event.pointerType));
    canvas.addEventListener('keydown', ({ key, shiftKey }) => seen.push(key, shiftKey));
    canvas.dispatchEvent(new PointerEvent('pointerdown', { clientX: 7, pointerType: 'mouse' }));
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
    expect(seen).toEqual([7, 0, 'mouse', 'a', false]);
    expect(new WheelEvent('wheel', { deltaY: -4 })).toMatchObject({ deltaY: -4, deltaMode: 0, offsetX: 0 });
  });

  test('says what needs a document', () => {
    for (const Class of [MutationObserver, DOMParser] as unknown as (new () => object)[])
      expect(() => new Class()).toThrow(/install happy-dom, and pass its document: install\(\{ document/);
  });
});

test("platform: 'browser' hides Node from programs", async () => {
  const { said, code } = await runProgram(`
    const { install, createCanvas } = await import(${INDEX});
    const { process } = globalThis;
    let refusal;
    try { install({ platform: 'none' }) } catch ({ message }) { refusal = message }
    say(refusal);
    const uninstall = install({ threads: 1, platform: 'browser' });
    say([typeof globalThis.process, navigator.userAgent.includes('Node')]);
    const canvas = createCanvas(2, 2);
    canvas.getContext('2d').putImageData(new ImageData(2, 2), 0, 0);
    say((await canvas.toPNG()).length > 8);
    uninstall();
    say(globalThis.process === process);`);
  expect([code, said]).toEqual([
    0,
    ["install: platform must be 'node' or 'browser', not none", ['undefined', false], true, true],
  ]);
});
