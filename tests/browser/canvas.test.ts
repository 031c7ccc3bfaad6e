// Canvases in Debian's Chromium, where `import 'rasterloom/register'` replaces WebGPU. Pages are written like WebGPU
// samples (canvas/page.ts), and the test checks the screen. Skipped without Chromium.
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { decode } from 'fast-png';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
const BUILD = new URL('../../build/', import.meta.url);
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const FILES: Record<string, [string, string]> = {
  '/': [
    '.html',
    `<!doctype html><title>Canvases</title><body style="margin: 0"><script type="module">
    import '/register.browser.js';
    import '/testing/canvas-page.js';
  </script>`,
  ],
  // As in an insecure context, where WebGPU is not exposed at all.
  '/none': [
    '.html',
    `<!doctype html><title>Canvases</title><body style="margin: 0"><script type="module">
    delete Navigator.prototype.gpu;
    await import('/register.browser.js');
    await import('/testing/canvas-page.js');
  </script>`,
  ],
  // A browser that has an adapter.
  '/native': [
    '.html',
    `<!doctype html><title>Canvases</title><script type="module">
    const adapter = {}, gpu = { requestAdapter: () => new Promise((done) => setTimeout(done, 200, adapter)) };
    const { getContext } = HTMLCanvasElement.prototype;
    const frame = requestAnimationFrame, early = document.createElement('canvas');
    Object.defineProperty(Navigator.prototype, 'gpu', { configurable: true, get: () => gpu });
    await import('/register.browser.js');
    const kept = navigator.gpu, before = [kept === gpu, early.getContext('webgpu') instanceof GPUCanvasContext];
    const given = await navigator.gpu.requestAdapter();
    const context = early.getContext('webgpu');
    let refusal = '';
    try { context.configure({ device: {}, format: 'rgba8unorm' }); } catch (error) { refusal = error.message; }
    window.tests = [
      before, given === adapter, await kept.requestAdapter() === adapter, navigator.gpu === gpu,
        HTMLCanvasElement.prototype.getContext === getContext,
      requestAnimationFrame === frame,
        document.createElement('canvas').getContext('webgpu') instanceof GPUCanvasContext,
      context.canvas === early, /^Failed to execute 'configure'/.test(refusal),
    ];
  </script>`,
  ],
  '/worker.js': ['.js', "import '/register.browser.js'; import '/testing/canvas-worker.js';"],
};

function serve(isolated: boolean): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const file = new URL(`.${url}`, BUILD);
    if (isolated)
      response
        .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        .setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    const [type, body] = FILES[url] ?? [extname(url), existsSync(file) ? readFileSync(file) : null];
    if (body === null) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': TYPES[type] ?? 'application/octet-stream' }).end(body);
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(server));
  });
}

type Rgb = readonly [number, number, number];

describe.skipIf(!existsSync(CHROMIUM))(`canvases in a page (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  const servers: Server[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    servers.push(await serve(true), await serve(false));
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
  });

  async function open(isolated: boolean, path = '/'): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 400, height: 300 } });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${(servers[isolated ? 0 : 1]!.address() as AddressInfo).port}${path}`);
    await page.waitForFunction('window.tests', undefined, { timeout: 20_000 }).catch((error: unknown) => {
      throw new Error(`the page did not start: ${errors.join('; ') || String(error)}`);
    });
    return page;
  }
  /** Runs one of the page's tests, which must not leave any errors. */
  async function run<T>(page: Page, call: string): Promise<T> {
    await page.evaluate('tests.reset()');
    const result = await page.evaluate(`tests.${call}`);
    expect(await page.evaluate('tests.errors()')).toEqual([]);
    return result as T;
  }
  /** Takes a screenshot and returns its pixels. */
  async function screen(page: Page): Promise<(x: number, y: number) => Rgb> {
    const { width, channels, data } = decode(await page.screenshot());
    return (x, y) => [...data.slice((y * width + x) * channels, (y * width + x) * channels + 3)] as unknown as Rgb;
  }
  const BACKGROUND: Rgb = [26, 31, 51];
  const PAGE: Rgb = [255, 255, 255];
  /** Counts pixels of a part of the screen that are neither the clear color nor the page's. */
  function drawn(at: (x: number, y: number) => Rgb, width: number, height: number): number {
    let count = 0;
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const here = String(at(x, y));
        if (here !== String(BACKGROUND) && here !== String(PAGE)) count++;
      }
    return count;
  }

  for (const [name, isolated, path] of [
    ['an isolated page', true, '/'],
    ['another', false, '/'],
    ['a browser without WebGPU', false, '/none'],
  ] as const)
    describe(name, () => {
      let page: Page;
      beforeAll(async () => {
        page = await open(isolated, path);
      });
      afterAll(() => page?.close());

      test('a canvas has one context, of one kind', async () => {
        expect(await run(page, 'contexts()')).toEqual([true, true, null, true, true]);
      });

      test('textured cubes with four samples are on the screen', async () => {
        await run(page, 'cubes()');
        const at = await screen(page);
        expect([at(1, 1), at(199, 119), at(201, 1), at(1, 121)]).toEqual([BACKGROUND, BACKGROUND, PAGE, PAGE]);
        const share = drawn(at, 200, 120) / (200 * 120);
        expect(share).toBeGreaterThan(0.1);
        expect(share).toBeLessThan(0.4);
      });

      test('the canvas is resized', async () => {
        expect(await run(page, 'resize()')).toEqual([
          [60, 40],
          [300, 200],
          [120, 240],
        ]);
        const at = await screen(page);
        expect([at(119, 1), at(121, 1), at(1, 239), at(1, 241)]).toEqual([BACKGROUND, PAGE, BACKGROUND, PAGE]);
        expect(drawn(at, 120, 240)).toBeGreaterThan(500);
      });

      test('frames are on the screen while the page sets width and height to their current values', async () => {
        for (const way of ['width', 'both', 'setAttribute', 'configure', 'OffscreenCanvas']) {
          await run(page, `setSides('${way}')`);
          const shown: Rgb[] = [];
          for (let i = 0; i < 8; i++) {
            const at = await screen(page);
            shown.push(at(1, 1));
          }
          expect(shown, way).toEqual(new Array<Rgb>(8).fill(BACKGROUND));
        }
      });

      test('setting width or height clears the canvas, and creates a new texture', async () => {
        expect(await run(page, 'setSideLast()')).toBe(true);
        const at = await screen(page);
        expect([at(1, 1), at(100, 60), at(199, 119)]).toEqual([PAGE, PAGE, PAGE]);
      });

      test('several canvases, opaque and premultiplied over the page, in each format', async () => {
        await run(page, 'several()');
        const at = await screen(page);
        expect([10, 30, 50, 70, 90].map((y) => at(20, y))).toEqual(
          [
            [128, 64, 0],
            [128, 64, 128],
            [128, 0, 128],
            [255, 128, 0],
            [0, 0, 255],
          ].map((channels) => channels.map((channel) => expect.closeTo(channel, -0.5) as number))
        );
        expect(at(100, 10)).toEqual([0, 0, 255]);
        await page.evaluate("document.body.style.background = ''");
      });

      test('pixels are available to code that reads the canvas in the same call', async () => {
        expect(await run(page, 'readBack()')).toEqual([
          [128, 0, 255, 255],
          [255, 128, 0, 255],
          [255, 0, 128, 255],
          [0, 128, 255, 255],
          [0, 255, 0, 255],
          true,
        ]);
      });

      test('frames queued without waiting are bounded, and the last one is shown', async () => {
        for (const waits of [false, true]) {
          const { done, most } = await run<{ done: number; most: number }>(page, `flood(150, ${waits})`);
          expect(done).toBe(150);
          if (waits) expect(most).toBeLessThanOrEqual(65);
          expect((await screen(page))(50, 25)).toEqual([255, 0, 255]);
        }
      });
    });

  test('a browser with an adapter keeps its own WebGPU, also on canvases that had a context before', async () => {
    const page = await open(true, '/native');
    expect(await page.evaluate('window.tests')).toEqual([[false, false], ...new Array<boolean>(8).fill(true)]);
    await page.close();
  });

  describe('images in a page', () => {
    let page: Page;
    beforeAll(async () => {
      page = await open(true);
    });
    afterAll(() => page?.close());

    test('all kinds of images are copied to textures', async () => {
      const straight = [255, 0, 0, 255, 0, 255, 0, 255, 10, 20, 30, 0, 203, 102, 51, 10];
      // A canvas premultiplies alpha: this remains of the last two pixels.
      const left = [...straight.slice(0, 8), 0, 0, 0, 0, 204, 102, 51, 10];
      expect(await run(page, 'importImages()')).toEqual({
        ImageData: straight,
        flipped: [...straight.slice(8), ...straight.slice(0, 8)],
        premultiplied: [...straight.slice(0, 8), 0, 0, 0, 0, 8, 4, 2, 10],
        ImageBitmap: left,
        'ImageBitmap, alpha kept apart': straight,
        HTMLImageElement: left,
        HTMLCanvasElement: left,
        OffscreenCanvas: left,
        'a canvas of WebGPU': left,
        VideoFrame: straight.map((value, i) => (i % 4 === 3 ? 255 : value)),
        HTMLVideoElement: [192, 64, 32, 255].map((channel) => expect.closeTo(channel, -0.7) as number),
        'a closed ImageBitmap': 'InvalidStateError',
        'a broken image': 'InvalidStateError',
        'too large': 'OperationError',
      });
    });

    test('a loop of the page draws no more frames than are shown', async () => {
      const { drawn: frames, done, most } = await run<{ drawn: number; done: number; most: number }>(page, 'loop(500)');
      expect(frames).toBeGreaterThan(1);
      expect([frames - done <= 3, most <= 3]).toEqual([true, true]);
    });

    test('a worker draws on the OffscreenCanvas of an element', async () => {
      expect(await run(page, 'worker()')).toBe('drawn');
      const at = await screen(page);
      expect([at(1, 1), at(199, 119)]).toEqual([BACKGROUND, BACKGROUND]);
      expect(drawn(at, 200, 120)).toBeGreaterThan(2000);
    });
  });
});
