// The same bits in Debian's Chromium as in Node. Every image scene is drawn by build/index.browser.js in pages and by
// build/index.js here; the SHA-256 of the pixels must be equal. A cross-origin-isolated page draws with two workers; in
// the other page, which cannot share memory, the page's thread draws in steps. Skipped without Chromium; `.ci/run`
// installs it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  DeviceStatistics,
  ModularPipelineCommands,
  ModularPipelineDevice,
  StatisticsDevice,
} from '../../src/index';
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

/** Draws two choices of one modular pipeline. Returns bytes of the picture. Also runs as text, in pages. */
async function drawChoices(device: GPUDevice & ModularPipelineDevice): Promise<number[]> {
  const code = `
    enable modular_pipelines;
    struct Body { @location(0) p: vec2f }
    struct Seen { @builtin(position) position: vec4f, @location(0) at: vec2f }
    @vertex fn load(@builtin(vertex_index) i: u32) -> Body { return Body(vec2f(f32(i / 2) - 0.5, f32(i % 2) - 0.5)); }
    @vertex fn twist(b: Body) -> Body { return Body(vec2f(b.p.y, -b.p.x * 0.7)); }
    @vertex fn look(b: Body) -> Seen { return Seen(vec4f(b.p, 0, 1), b.p + 0.5); }
    @fragment fn fill(@location(0) at: vec2f) -> @location(0) vec4f { return vec4f(at, 0.4, 1); }`;
  const module = device.createShaderModule({ code });
  const stage = (entryPoint: string, enabled = true) => ({ kind: 'vertex' as const, module, entryPoint, enabled });
  const pipeline = device.createModularPipeline({
    layout: 'auto',
    input: {},
    stages: [stage('load'), stage('twist', false), stage('look')],
    sinks: [{ raster: { fragment: { module, targets: [{ format: 'rgba8unorm' }] } } }],
  });
  // GPUTextureUsage and GPUBufferUsage are not global here.
  const texture = device.createTexture({ size: [64, 64], format: 'rgba8unorm', usage: 17 });
  const buffer = device.createBuffer({ size: 16384, usage: 9 });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  }) as GPURenderPassEncoder & ModularPipelineCommands;
  pass.setPipeline(pipeline as GPURenderPipeline & typeof pipeline);
  pass.draw(3);
  pass.setStageEnabled(1, true);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [64, 64]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(1);
  return Array.from(new Uint8Array(buffer.getMappedRange()));
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

  test('pages load modular pipelines with the first device that has them, and draw the same', async () => {
    const draw = drawChoices.toString();
    const there = `(async () => {
      const { create } = await import('/index.browser.js');
      const loaded = () => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/modular.js'));
      const before = loaded();
      const adapter = await create().requestAdapter();
      const device = await adapter.requestDevice({ requiredFeatures: ['modular-pipelines'] });
      return [before, loaded(), await (${draw})(device)];
    })()`;
    const modular = await openBuiltWith(['modular-pipelines']);
    const pixels = await drawChoices(modular as GPUDevice & ModularPipelineDevice);
    modular.destroy();
    expect(new Set(pixels).size).toBeGreaterThan(2);
    for (const page of pages) expect(await page.evaluate(there)).toEqual([false, true, pixels]);
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
