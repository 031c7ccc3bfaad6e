// The element <rasterloom-view> in Debian's Chromium, as built. Skipped without Chromium. Pictures of the page are
// written to build/view/.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { chromium, type Browser, type BrowserContextOptions, type CDPSession, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIELD_OF_VIEW, OrbitCamera, START } from '../../src/view/orbit';
import { seriousViolations } from './axe';
import { address } from './kit';

const CHROMIUM = '/usr/bin/chromium';
const BUILD = new URL('../../build/', import.meta.url);
const SHOTS = fileURLToPath(new URL('view/', BUILD));
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const ISOLATION = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** A page, long enough to scroll. It records events, and the pictures that are put on canvases. */
const page = (body: string): string => `<!doctype html><html lang="en"><title>View</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><style>body { margin: 16px; height: 3000px; font-family: sans-serif }</style>
<script>
  window.events = [];
  for (const type of ['load', 'error', 'camerachange', 'progress'])
    document.addEventListener(type, ({ target, message, detail }) => {
      if (target.localName === 'rasterloom-view') events.push({ type, id: target.id, message, share: detail?.share });
    }, true);
  window.puts = [];
  const { putImageData } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.putImageData = function (image, ...rest) {
    puts.push(image.width + 'x' + image.height);
    putImageData.call(this, image, ...rest);
  };
</script>
<script type="module" src="/view.js"></script><h1>Models</h1>${body}</html>`;

const serve = (pages: ReadonlyMap<string, string>): Promise<Server> => {
  const server = createServer(({ url = '/' }, response) => {
    for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
    const html = pages.get(url);
    const file = new URL(`.${url}`, BUILD);
    if (html !== undefined) response.writeHead(200, { 'Content-Type': 'text/html' }).end(page(html));
    else if (url === '/broken.glb') response.writeHead(200).end('no model');
    else if (existsSync(file))
      response
        .writeHead(200, { 'Content-Type': TYPES[extname(url)] ?? 'application/octet-stream' })
        .end(readFileSync(file));
    else response.writeHead(404).end();
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(server));
  });
};

/** An event of the browser's trace; `tdur` is the processor time in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const VIEW = "document.querySelector('rasterloom-view')";
const view = (attributes: string): string => `<rasterloom-view id="v" alt="A knot" ${attributes}></rasterloom-view>`;

describe.skipIf(!existsSync(CHROMIUM))(`rasterloom-view in a page (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  let server: Server;
  let other: Server;
  const pages = new Map<string, string>();
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-quic'] });
    server = await serve(pages);
    other = await serve(new Map());
    mkdirSync(SHOTS, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    other?.close();
  });

  /** Opens a page with elements. Errors in its console fail the test, unless it expects them. */
  async function open(body: string, options: BrowserContextOptions = {}, expected = /^$/): Promise<Page> {
    const url = `/page${pages.size}`;
    pages.set(url, body);
    const tab = await browser.newPage({ viewport: { width: 768, height: 700 }, ...options });
    const failed = (text: string): void => {
      if (!expected.test(text)) throw new Error(`the page reported: ${text}`);
    };
    tab.on('pageerror', ({ message }) => failed(message));
    tab.on('console', (message) => {
      if (message.type() === 'error') failed(message.text());
    });
    await tab.goto(`${address(server)}${url.slice(1)}`);
    await tab.waitForFunction("customElements.get('rasterloom-view')");
    return tab;
  }
  async function openReady(attributes = '', options: BrowserContextOptions = {}): Promise<Page> {
    const tab = await open(view(`src="sample.glb" ${attributes}`), options);
    await tab.evaluate(`${VIEW}.ready`);
    return tab;
  }
  const orbit = (tab: Page): Promise<{ azimuth: number; elevation: number; distance: number }> =>
    tab.evaluate(`${VIEW}.orbit`);
  /** Waits until nothing has been drawn for a quarter of a second; returns the number of pictures so far. */
  const settled = (tab: Page): Promise<number> =>
    tab.evaluate(`(async () => {
      for (let before = -1; before !== puts.length;) {
        before = puts.length;
        await new Promise((done) => setTimeout(done, 250));
      }
      return puts.length;
    })()`);
  /** A checksum of what the canvas shows. */
  const shown = (tab: Page): Promise<number> =>
    tab.evaluate(`(() => {
      const canvas = ${VIEW}.shadowRoot.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 0);
    })()`);

  test('shows a model, and says so', async () => {
    const tab = await openReady();
    expect(await tab.evaluate(`${VIEW}.info.triangles`)).toBeGreaterThan(1000);
    const events = (await tab.evaluate('events')) as { type: string; share?: number }[];
    expect(events.at(-1)!.type).toBe('load');
    const shares = events.flatMap(({ share }) => share ?? []);
    expect(shares.length).toBeGreaterThan(3);
    expect([...shares].sort((a, b) => a - b)).toEqual(shares);
    expect(await tab.getByRole('application', { name: 'A knot' }).count()).toBe(1);
    expect(await tab.getByRole('progressbar').count()).toBe(0);
    await tab.close();
  });

  test('toBlob has the bits of rasterloom/gltf in Node', async () => {
    const tab = await openReady('background="#ffffff" style="width: 320px; height: 200px"');
    const bytes = (await tab.evaluate(
      `${VIEW}.toBlob().then((blob) => blob.arrayBuffer()).then((bytes) => [...new Uint8Array(bytes)])`
    )) as number[];
    await tab.close();
    const { loadGltf } = (await import(new URL('gltf.js', BUILD).href)) as typeof import('../../src/gltf');
    const model = await loadGltf(readFileSync(new URL('sample.glb', BUILD)));
    const camera = new OrbitCamera();
    camera.show(model.info.bounds, START);
    const { pixels } = await model.render({
      width: 320,
      height: 200,
      background: '#ffffff',
      camera: camera.lookAt(320 / 200),
      fieldOfView: FIELD_OF_VIEW,
    });
    expect(decode(new Uint8Array(bytes)).data).toEqual(pixels);
    model.dispose();
  });

  test('turns, moves and zooms by mouse; the wheel zooms with the focus, and scrolls without', async () => {
    const tab = await openReady();
    const before = await shown(tab);
    const scrolled = (): Promise<number> => tab.evaluate('scrollY');
    await tab.mouse.move(300, 300);
    await tab.mouse.wheel(0, 50);
    await expect.poll(scrolled).toBe(50);
    expect(await orbit(tab)).toEqual(START);
    await tab.evaluate('scrollTo(0, 0)');
    await tab.mouse.down();
    await tab.mouse.move(380, 280, { steps: 4 });
    await tab.mouse.up();
    const turned = await orbit(tab);
    expect([turned.azimuth < START.azimuth, turned.elevation < START.elevation]).toEqual([true, true]);
    await tab.mouse.wheel(0, -200);
    await expect.poll(async () => (await orbit(tab)).distance).toBeLessThan(1);
    expect(await scrolled()).toBe(0);
    await settled(tab);
    const zoomed = await shown(tab);
    expect(zoomed).not.toBe(before);
    await tab.mouse.down({ button: 'right' });
    await tab.mouse.move(300, 300, { steps: 3 });
    await tab.mouse.up({ button: 'right' });
    await settled(tab);
    expect(await orbit(tab)).toMatchObject({ azimuth: turned.azimuth });
    expect(await shown(tab)).not.toBe(zoomed);
    await tab.mouse.dblclick(300, 300);
    await settled(tab);
    expect([await orbit(tab), await shown(tab)]).toEqual([START, before]);
    expect(await tab.evaluate("events.some(({ type }) => type === 'camerachange')")).toBe(true);
    await tab.close();
  });

  test('orbiting blocks the page for less than 50 ms at a time', async () => {
    const tab = await openReady('renderer="rasterloom"');
    await settled(tab);
    await browser.startTracing(tab, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
    const pictures = await tab.evaluate(`(async () => {
      const before = puts.length;
      for (let frame = 0; frame < 40 || puts.length < before + 10; frame++) {
        ${VIEW}.orbit = { azimuth: 3 * frame };
        await new Promise((done) => requestAnimationFrame(done));
      }
      return puts.length - before;
    })()`);
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    await tab.close();
    expect(pictures).toBeGreaterThan(9);
    const threads = traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(({ pid, tid }) => pid + tid);
    const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && threads.includes(pid + tid));
    expect(tasks.length).toBeGreaterThan(40);
    // Processor time, because other processes of the machine take turns with the page. Pages cannot wait for workers.
    expect(Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000))).toBeLessThan(50);
  });

  test('turns, moves and zooms by keys, and lets other keys through', async () => {
    const tab = await openReady();
    const before = await shown(tab);
    await tab.keyboard.press('Tab');
    for (const key of ['ArrowRight', 'ArrowUp', '+']) await tab.keyboard.press(key);
    expect(await orbit(tab)).toEqual({ azimuth: 15, elevation: 3, distance: 1 / 1.2 });
    await settled(tab);
    const turned = await shown(tab);
    await tab.keyboard.press('Shift+ArrowLeft');
    await settled(tab);
    expect(await shown(tab)).not.toBe(turned);
    await tab.keyboard.press('Home');
    await settled(tab);
    expect([await orbit(tab), await shown(tab)]).toEqual([START, before]);
    await tab.keyboard.press('PageDown');
    await expect.poll(() => tab.evaluate('scrollY')).toBeGreaterThan(100);
    await tab.close();
  });

  test('one finger scrolls the page until a tap has given the focus; two fingers zoom', async () => {
    const tab = await openReady('', { hasTouch: true, viewport: { width: 390, height: 700 } });
    const touch: CDPSession = await tab.context().newCDPSession(tab);
    const drag = async (...fingers: (readonly [from: number, to: number])[]): Promise<void> => {
      const at = (step: number): { x: number; y: number; id: number }[] =>
        fingers.map(([from, to], id) => ({ x: 150 + 40 * id, y: from + ((to - from) * step) / 8, id }));
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
      for (let step = 1; step <= 8; step++)
        await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(step) });
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await drag([180, 100]);
    await expect.poll(() => tab.evaluate('scrollY')).toBeGreaterThan(30);
    expect(await orbit(tab)).toEqual(START);
    // Scrolling has come to rest.
    await settled(tab);
    await tab.evaluate('scrollTo(0, 0)');
    await tab.touchscreen.tap(150, 180);
    await expect.poll(() => tab.evaluate(`${VIEW}.matches(':focus-within')`)).toBe(true);
    await drag([180, 120]);
    const turned = await orbit(tab);
    expect(turned.elevation).toBeLessThan(START.elevation);
    expect(await tab.evaluate('scrollY')).toBe(0);
    await drag([160, 120], [200, 240]);
    expect((await orbit(tab)).distance).toBeLessThan(turned.distance);
    await tab.close();
  });

  test('draws only when something changes, and follows the size of its box', async () => {
    const tab = await openReady();
    const count = await settled(tab);
    await tab.waitForTimeout(600);
    expect(await tab.evaluate('puts.length')).toBe(count);
    await tab.evaluate(`${VIEW}.style.width = '300px'`);
    await settled(tab);
    expect(await tab.evaluate('puts.at(-1)')).toBe('300x169');
    await tab.close();
  });

  test('pictures are full size again after a movement', async () => {
    const tab = await openReady();
    await tab.keyboard.press('Tab');
    for (let i = 0; i < 10; i++) await tab.keyboard.press('ArrowRight');
    await settled(tab);
    expect(await tab.evaluate('puts.at(-1)')).toBe('736x414');
    await tab.close();
  });

  test('every attribute changes the picture', async () => {
    const tab = await openReady('style="width: 240px"');
    await settled(tab);
    for (const [name, value] of [
      ['exposure', '1'],
      ['background', '#334455'],
      ['environment', 'sunset'],
      ['samples', '1'],
      ['ground', ''],
      ['camera', '90 40 0.8'],
    ] as const) {
      const before = await shown(tab);
      await tab.evaluate(`${VIEW}.setAttribute('${name}', '${value}')`);
      await expect.poll(() => shown(tab), { message: name, timeout: 10_000 }).not.toBe(before);
      await settled(tab);
    }
    expect(await orbit(tab)).toEqual({ azimuth: 90, elevation: 40, distance: 0.8 });
    const count = await settled(tab);
    await tab.evaluate(`${VIEW}.setAttribute('auto-rotate', '90')`);
    await expect.poll(() => tab.evaluate('puts.length')).toBeGreaterThan(count + 5);
    expect((await orbit(tab)).azimuth).toBeGreaterThan(90);
    await tab.close();
  });

  test('a wrong attribute is reported, and drawn when it is mended', async () => {
    const tab = await openReady();
    await settled(tab);
    await tab.evaluate(`${VIEW}.setAttribute('exposure', 'bright')`);
    const message = /exposure must be a number from −?-?20 to 20/;
    await expect.poll(() => tab.evaluate('events.at(-1).message')).toMatch(message);
    expect(await tab.getByRole('alert').textContent()).toMatch(message);
    await tab.evaluate(`${VIEW}.setAttribute('exposure', '2')`);
    await expect.poll(() => tab.getByRole('alert').count()).toBe(0);
    await tab.close();
  });

  test('nothing turns by itself for people who prefer reduced motion', async () => {
    const tab = await openReady('auto-rotate', { reducedMotion: 'reduce' });
    const count = await settled(tab);
    await tab.waitForTimeout(500);
    expect([await tab.evaluate('puts.length'), await orbit(tab)]).toEqual([count, START]);
    await tab.close();
  });

  test('models that are missing, broken or of another origin are reported', async () => {
    const sources = ['none.glb', 'broken.glb', `${address(other)}sample.glb`];
    const tab = await open(
      sources.map((src, i) => `<rasterloom-view id="v${i}" src="${src}"></rasterloom-view>`).join(''),
      {},
      /404|CORS|Failed to load/
    );
    await expect.poll(() => tab.evaluate("events.filter(({ type }) => type === 'error').length")).toBe(3);
    const errors = (await tab.evaluate("events.filter(({ type }) => type === 'error')")) as {
      id: string;
      message: string;
    }[];
    const of = (id: string): string => errors.find((error) => error.id === id)!.message;
    expect(of('v0')).toMatch(/none\.glb" cannot be fetched: the server responded with 404/);
    expect(of('v1')).toMatch(/model|glTF|JSON/);
    expect(of('v2')).toMatch(/does not allow this page to read the file \(Access-Control-Allow-Origin\)/);
    expect(await tab.getByRole('alert').allTextContents()).toEqual([of('v0'), of('v1'), of('v2')]);
    expect(await tab.evaluate(`${VIEW}.ready.catch(({ message }) => message)`)).toBe(of('v0'));
    await tab.close();
  });

  test('a poster is shown until the first picture, and a file can be loaded', async () => {
    const poster = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
    const tab = await open(view(`poster="${poster}"`));
    const isVisible = (): Promise<boolean> => tab.locator('rasterloom-view img').isVisible();
    expect(await isVisible()).toBe(true);
    await tab.evaluate(`fetch('sample.glb').then((response) => response.blob()).then((file) => ${VIEW}.load(file))`);
    expect(await isVisible()).toBe(false);
    expect(await tab.evaluate(`${VIEW}.info.triangles`)).toBeGreaterThan(1000);
    await tab.close();
  });

  test('views share the workers of one device, and give way to others when they are removed', async () => {
    const tab = await open(view('src="sample.glb"') + view('src="sample.glb"'));
    await tab.evaluate("Promise.all([...document.querySelectorAll('rasterloom-view')].map(({ ready }) => ready))");
    const workers = tab.workers().length;
    expect(workers).toBeGreaterThan(0);
    for (let round = 0; round < 5; round++) {
      await tab.evaluate(`(async () => {
        ${VIEW}.remove();
        const added = document.createElement('rasterloom-view');
        added.src = 'sample.glb';
        document.body.append(added);
        await added.ready;
      })()`);
    }
    expect(tab.workers()).toHaveLength(workers);
    await tab.close();
  });

  test("draws with the browser's own WebGPU, unless that is a fallback or an attribute says otherwise", async () => {
    // Chromium's WebGPU on SwiftShader, which calls itself a fallback.
    const flags = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--use-vulkan=swiftshader'];
    const withGpu = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-quic', '--enable-features=Vulkan', ...flags],
    });
    try {
      for (const [isFallback, renderer, isNative] of [
        [false, 'auto', true],
        [false, 'rasterloom', false],
        [true, 'auto', false],
      ] as const) {
        const url = `/gpu${pages.size}`;
        pages.set(url, view(`src="sample.glb" renderer="${renderer}"`));
        const tab = await withGpu.newPage();
        await tab.addInitScript(
          `Object.defineProperty(GPUAdapterInfo.prototype, 'isFallbackAdapter', { get: () => ${isFallback} });`
        );
        const requested: string[] = [];
        tab.on('request', (request) => requested.push(new URL(request.url()).pathname));
        await tab.goto(`${address(server)}${url.slice(1)}`);
        await tab.waitForFunction("customElements.get('rasterloom-view')");
        await tab.evaluate(`${VIEW}.ready`);
        expect(requested.includes('/kernel.wasm'), `${renderer}, fallback: ${isFallback}`).toBe(!isNative);
        await tab.close();
      }
    } finally {
      await withGpu.close();
    }
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [768, 'light'],
    [1440, 'dark'],
  ] as const)('fills its box at a width of %i pixels, %s', async (width, colorScheme) => {
    const tab = await openReady('ground', { viewport: { width, height: 900 }, colorScheme });
    await settled(tab);
    await tab.screenshot({ path: `${SHOTS}${width}-${colorScheme}.png` });
    expect(await seriousViolations(tab)).toEqual([]);
    const box = (await tab.locator('rasterloom-view').boundingBox())!;
    expect([box.width, Math.round(box.height)]).toEqual([width - 32, Math.round(((width - 32) * 9) / 16)]);
    expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await tab.close();
  });
});
