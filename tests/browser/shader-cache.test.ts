// The shader cache in a page's Cache API, in Debian's Chromium: the second load of a page compiles nothing and has the
// same bits. Skipped without Chromium; `.ci/run` installs it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../images/open';
import { render, scenes } from '../images/scenes';

const CHROMIUM = '/usr/bin/chromium';
const BUILD = new URL('../../build/', import.meta.url);
const FLAGS = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const SCENES = Object.keys(scenes).slice(0, 4);
const PAGE = `<!doctype html><title>Rasterloom</title><link rel="icon" href="data:,"><script type="module">
  import { create } from '/index.browser.js';
  import { scenes, render } from '/testing/scenes.js';
  const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  window.load = async () => {
    const gpu = create({ threads: 1, engine: 'jit', shaderCache: globalThis.caches });
    const adapter = await gpu.requestAdapter();
    const device = await adapter.requestDevice({ requiredFeatures: ['statistics', 'depth-clip-control'] });
    const hashes = [];
    for (const name of ${JSON.stringify(SCENES)})
      hashes.push(hex(await crypto.subtle.digest('SHA-256', await render(device, scenes[name], 1))));
    const { emitted, fromStore } = device.statistics().programs;
    return { hashes, emitted, fromStore };
  };
</script>`;

interface Loaded {
  readonly hashes: readonly string[];
  readonly emitted: number;
  readonly fromStore: number;
}

describe.skipIf(!existsSync(CHROMIUM))(`the shader cache of a page (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  let server: Server;
  let hashes: string[];

  beforeAll(async () => {
    server = createServer(({ url = '/' }, response) => {
      const file = new URL(`.${url}`, BUILD);
      response
        .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        .setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      if (url !== '/' && !existsSync(file)) response.writeHead(404).end();
      else
        response
          .writeHead(200, { 'Content-Type': TYPES[extname(url) || '.html'] ?? 'application/octet-stream' })
          .end(url === '/' ? PAGE : readFileSync(file));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    const device = await openBuilt();
    hashes = [];
    for (const name of SCENES)
      hashes.push(
        createHash('sha256')
          .update(await render(device, scenes[name]!, 1))
          .digest('hex')
      );
    device.destroy();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const load = async (context: BrowserContext): Promise<Loaded> => {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction('window.load', undefined, { timeout: 20_000 });
    const loaded = (await page.evaluate('window.load()')) as Loaded;
    // Until the records are written.
    await page.waitForFunction(
      `caches.open('rasterloom-shaders').then((cache) => cache.keys()).then(({ length }) => length > 0)`,
      undefined,
      { timeout: 20_000 }
    );
    await page.close({ runBeforeUnload: true });
    return loaded;
  };

  test('lets the second load compile nothing, and gives the same bits', async () => {
    const context = await browser.newContext();
    const cold = await load(context);
    expect(cold).toMatchObject({ hashes, fromStore: 0 });
    expect(cold.emitted).toBeGreaterThanOrEqual(SCENES.length);
    // The first page may have ended before it had written everything.
    await expect
      .poll(() => load(context), { timeout: 30_000 })
      .toEqual({ hashes, emitted: 0, fromStore: cold.emitted });
  }, 60_000);

  test('is not shared between origins', async () => {
    expect(await load(await browser.newContext())).toMatchObject({ hashes, fromStore: 0 });
  }, 60_000);
});
