// The same bits in Debian's Chromium as in Node. Every image scene is drawn by build/index.browser.js in pages and by
// build/index.js here; the SHA-256 of the pixels must be equal. A cross-origin-isolated page draws with two workers; in
// the other page, which cannot share memory, the page's thread draws in steps. Skipped without Chromium; `.ci/run`
// installs it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeviceStatistics, StatisticsDevice } from '../../src/index';
import { builtPackage, openBuilt, openBuiltWith } from '../images/open';
import { render, scenes } from '../images/scenes';
import { address, serve, WORKERS } from './kit';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

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
