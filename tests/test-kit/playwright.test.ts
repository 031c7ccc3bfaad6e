// Rasterloom in a page of Playwright: registered before the page's scripts, with virtual time, and read by its pixels.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderScene, type SceneContext } from '../../src/test-kit/testing';
import { decodePng, type Pixels } from '../../src/test-kit/pictures/png';
import { pictureOf } from '../../src/test-kit/playwright/picture';
import { advancePage, registerPage, type PageOptions } from '../../src/test-kit/playwright/register';

const CHROMIUM = '/usr/bin/chromium';
const BUILD = fileURLToPath(new URL('../../build', import.meta.url));

/** The body of a scene: it draws a triangle with colours by time and chance. */
const SCENE = `
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const context = canvas.getContext('webgpu');
  context.configure({ device, format: 'rgba8unorm' });
  const module = device.createShaderModule({ code: \`
    @group(0) @binding(0) var<uniform> tint: vec4f;
    @vertex fn v(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i) - 1, f32(i & 1) * 2 - 1, 0, 1);
    }
    @fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f {
      return vec4f(sqrt(p.xy / 40) * tint.xy, tint.z, 1);
    }
  \` });
  const pipeline = await device.createRenderPipelineAsync(
    { layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } });
  const buffer = device.createBuffer({ size: 16, usage: 64 | 8 });
  const group = device.createBindGroup(
    { layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] });
  requestAnimationFrame(function draw(time) {
    requestAnimationFrame(draw);
    device.queue.writeBuffer(buffer, 0, new Float32Array([time / 1000, Math.random(), 0.5, 1]));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: context.getCurrentTexture().createView(),
      loadOp: 'clear', clearValue: [0, 0, 0.2, 1], storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    globalThis.drawn = (globalThis.drawn ?? 0) + 1;
  });`;
const HTML = `<!doctype html><canvas width="40" height="24"></canvas><p style="width:9px;height:5px"></p><script>
  window.hadGpu = navigator.gpu?.constructor === window.GPU && GPUDevice !== undefined;
  (async (canvas) => { ${SCENE} })(document.querySelector('canvas'));
</script>`;

describe.skipIf(!existsSync(CHROMIUM))(`a page of Playwright (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  async function open(options: PageOptions): Promise<Page> {
    const page = await browser.newPage();
    await page.route('http://localhost/', (route) => route.fulfill({ contentType: 'text/html', body: HTML }));
    await registerPage(page, BUILD, options);
    await page.goto('http://localhost/');
    return page;
  }
  const canvasOf = async (page: Page): Promise<Pixels> =>
    decodePng((await pictureOf(page.locator('canvas'))) as Uint8Array);

  test('has the pixels of Node at a frame of virtual time', { timeout: 60_000 }, async () => {
    const page = await open({ time: { seed: 5 } });
    expect(await page.evaluate('window.hadGpu')).toBe(true);
    await advancePage(page, 20);
    expect(await page.evaluate('window.drawn')).toBe(20);
    const inPage = await canvasOf(page);
    const run = new Function('canvas', `return (async () => { ${SCENE} })();`) as (canvas: unknown) => Promise<void>;
    const inNode = await renderScene(({ canvas }: SceneContext) => run(canvas), {
      width: 40,
      height: 24,
      frame: 20,
      seed: 5,
    });
    expect(new Set(inPage.data).size).toBeGreaterThan(20);
    expect(inPage).toEqual({ ...inNode, data: new Uint8Array(inNode.data) });
    await page.close();
  });

  test('draws in real time without virtual time', { timeout: 60_000 }, async () => {
    const page = await open({});
    await page.waitForFunction('window.drawn > 2');
    expect((await canvasOf(page)).data.subarray(0, 4)).toEqual(Uint8Array.of(0, 0, 51, 255));
    const element = decodePng((await pictureOf(page.locator('p'))) as Uint8Array);
    expect([element.width, element.height]).toEqual([9, 5]);
    expect((await pictureOf(page)) as Uint8Array).toBeInstanceOf(Uint8Array);
    expect(await pictureOf('other values')).toBe('other values');
    await expect(advancePage(page, 1)).rejects.toThrow('the page has no virtual time; set it: test.use({ rasterloom');
    await page.close();
  });
});
