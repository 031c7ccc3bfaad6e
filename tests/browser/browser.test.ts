// The same bits in Debian's Chromium as in Node. Every image scene is drawn by build/index.browser.js in pages and by
// build/index.js here; the SHA-256 of the pixels must be equal. A cross-origin-isolated page draws with two workers; in
// the other page, which cannot share memory, the page's thread draws in steps. Skipped without Chromium; `.ci/run`
// installs it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeviceStatistics, StatisticsDevice } from '../../src/index';
import { builtPackage, openBuilt, openBuiltWith } from '../images/open';
import { render, scenes } from '../images/scenes';

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

/** Requested in every page. */
const WORKERS = 2;
const PAGE = `<!doctype html><title>Rasterloom</title><script type="module">
  import { create, inspectShader } from '/index.browser.js';
  import { scenes, render } from '/testing/scenes.js';
  const adapter = await create({ threads: ${WORKERS} }).requestAdapter();
  const { maxStorageBuffersInVertexStage } = adapter.limits;
  const device = await adapter.requestDevice(
    { requiredFeatures: ['statistics', 'depth-clip-control'], requiredLimits: { maxStorageBuffersInVertexStage } });
  window.workers = () => device.statistics().workers;
  let lost = '';
  device.lost.then(({ message }) => { lost = message; });
  const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  // Errors as texts: they are compared with the hash, and shown.
  window.hash = (name, samples) => render(device, scenes[name],
    samples).then(async (pixels) => hex(await crypto.subtle.digest('SHA-256', pixels)),
    (error) => lost || String(error));
  window.inspect = async (code) => {
    const { messages, entryPoints } = await inspectShader(code);
    return { messages, programs: entryPoints.map(({ code: { ir, bytecode, counts } }) => ({ ir, bytecode, counts })) };
  };
  window.statistics = async (name, samples) => {
    const adapter = await create().requestAdapter(),
      timed = await adapter.requestDevice({ requiredFeatures: ['statistics-times'] });
    await render(timed, scenes[name], samples);
    return timed.statistics();
  };
</script>`;

/** Serves the built package. Isolated pages may share memory with workers, others may not. */
function serve(isolated: boolean): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const file = new URL(`.${url}`, BUILD);
    if (isolated)
      response
        .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        .setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    if (url !== '/' && !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, { 'Content-Type': TYPES[extname(url) || '.html'] ?? 'application/octet-stream' })
      .end(url === '/' ? PAGE : readFileSync(file));
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(server));
  });
}

const address = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

async function openPage(browser: Browser, server: Server): Promise<Page> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(address(server));
  await page.waitForFunction('window.hash', undefined, { timeout: 20_000 }).catch((error: unknown) => {
    throw new Error(`the page did not start: ${errors.join('; ') || String(error)}`);
  });
  return page;
}

describe.skipIf(!existsSync(CHROMIUM))(`in a page (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  let device: GPUDevice;
  const servers: Server[] = [];
  const pages: Page[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    for (const isolated of [false, true]) {
      const server = await serve(isolated);
      servers.push(server);
      pages.push(await openPage(browser, server));
    }
    await pages[1]!.waitForFunction(`window.workers() === ${WORKERS}`, undefined, { timeout: 20_000 });
    device = await openBuilt();
  });
  afterAll(async () => {
    device?.destroy();
    await browser?.close();
    for (const server of servers) server.close();
  });

  const hash = (page: Page | undefined, name: string, samples: number): Promise<unknown> | undefined =>
    page?.evaluate(`window.hash(${JSON.stringify(name)}, ${samples})`);

  for (const [name, scene] of Object.entries(scenes))
    for (const samples of scene.samples)
      test(`${name} at ${samples} has the same bits`, async () => {
        const here = createHash('sha256')
          .update(await render(device, scene, samples))
          .digest('hex');
        expect(await hash(pages[0], name, samples), 'in a page without isolation').toBe(here);
        expect(await hash(pages[1], name, samples), 'in an isolated page').toBe(here);
      });

  test('a browser that refuses shared memory draws the same with memory of its own', async () => {
    const page = await browser.newPage();
    await page.addInitScript(`{
      const { Memory } = WebAssembly;
      WebAssembly.Memory = class extends Memory {
        constructor(how) { if (how.shared) throw new TypeError('no shared memory'); super(how); }
      };
    }`);
    await page.goto(address(servers[0]!));
    await page.waitForFunction('window.hash', undefined, { timeout: 20_000 });
    const [name, samples] = ['depth-intersect', 4] as const;
    expect(await hash(page, name, samples)).toBe(await hash(pages[0], name, samples));
    await page.close();
  });

  test('pages report the counters of Node, and measure times', async () => {
    const timed = (await openBuiltWith(['statistics-times'])) as StatisticsDevice;
    await render(timed, scenes['depth-intersect']!, 4);
    const here = timed.statistics();
    for (const page of pages) {
      const there = (await page.evaluate('window.statistics("depth-intersect", 4)')) as DeviceStatistics;
      expect(there.counters).toEqual(here.counters);
      expect(Object.keys(there.times!)).toEqual(Object.keys(here.times!));
      for (const ms of Object.values(there.times!)) expect(ms).toBeGreaterThanOrEqual(0);
    }
    timed.destroy();
  });

  test('inspectShader reports the same in a page as in Node', async () => {
    const code = `@vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
      @fragment fn fs(@location(0) x: f32) -> @location(0) vec4f { return vec4f(sin(0.5) * pow(x, 2.5)); }`;
    const { entryPoints } = await (await builtPackage()).inspectShader(code);
    const programs = entryPoints.map((entry) => {
      const { ir, bytecode, counts } = entry.code!;
      // Everything but the time that it took.
      return { ir, bytecode, counts: { ...counts, milliseconds: expect.any(Object) as object } };
    });
    for (const page of pages) {
      expect(await page.evaluate(`window.inspect(${JSON.stringify(code)})`)).toEqual({ messages: [], programs });
      expect(await page.evaluate('window.inspect("fn")')).toMatchObject({
        messages: [{ type: 'error', lineNum: 1, linePos: 3 }],
        programs: [],
      });
    }
  });

  test('an isolated page has workers, another has none', async () => {
    expect(await Promise.all(pages.map((page) => page.evaluate('[crossOriginIsolated, window.workers()]')))).toEqual([
      [false, 0],
      [true, WORKERS],
    ]);
    const scripts = pages.map((page) => page.workers().map((worker) => new URL(worker.url()).pathname));
    expect(scripts[0]).toEqual([]);
    expect(scripts[1]!.length).toBeGreaterThanOrEqual(WORKERS);
    expect(new Set(scripts[1])).toEqual(new Set(['/worker.browser.js']));
  });
});
