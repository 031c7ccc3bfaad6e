// Calls that read a canvas and cannot wait for pages. They report that instead of returning the previous frame.
import { afterEach, describe, expect, test } from 'vitest';
import type { Canvas } from '../../src/index';
import { builtPackage } from '../images/open';
import { open, streamed, turn, type Open, type Texels } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 256, height: 256, layers: 1, levels: 1 };
const SIZE = 64;
const PAGE = 64;
const CODE = `
  @group(0) @binding(0) var map: texture_2d<f32>;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
  }
  @fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f { return textureLoad(map, vec2u(at.xy), 0); }`;

describe.each([0, 2])('with %i workers', (threads) => {
  let opened: Open | null = null;
  afterEach(() => {
    opened?.device.destroy();
    opened = null;
  });
  let letGo: () => void = () => undefined;

  /** A canvas with one finished gray frame, while the pass of the next frame waits for a page. */
  async function start(): Promise<{ canvas: Canvas; device: Open['device']; errors: string[] }> {
    const { createCanvas } = await builtPackage();
    opened = await open({ threads });
    const { device, errors } = opened;
    const canvas = createCanvas(SIZE, SIZE);
    const context = canvas.getContext('webgpu');
    context.configure({ device, format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT });
    const module = device.createShaderModule({ code: CODE });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    const pass = (grey: number, before: Promise<void>): void => {
      const map = streamed(device, TEXELS, {
        pageSize: PAGE,
        loadPage: () => before.then(() => new Uint8Array(PAGE * PAGE * 4).fill(grey)),
      });
      const encoder = device.createCommandEncoder();
      const begun = encoder.beginRenderPass({
        colorAttachments: [{ view: context.getCurrentTexture(), loadOp: 'clear', storeOp: 'store' }],
      });
      begun.setPipeline(pipeline);
      begun.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: map.createView() }],
        })
      );
      begun.draw(3);
      begun.end();
      device.queue.submit([encoder.finish()]);
    };
    pass(50, Promise.resolve());
    await device.queue.onSubmittedWorkDone();
    expect(await grey(canvas)).toBe(50);
    pass(
      200,
      new Promise((resolve) => {
        letGo = resolve;
      })
    );
    return { canvas, device, errors };
  }
  const grey = async (canvas: Canvas): Promise<number> => (await canvas.getPixels()).data[0]!;
  const message = (call: string): string =>
    `${call}: the work submitted for the canvas cannot finish inside this call, `
    + 'for example because a pass waits for pages of a streamed texture: '
    + 'await device.queue.onSubmittedWorkDone() first';
  const said = (act: () => unknown): string => {
    try {
      act();
      return '';
    } catch (error) {
      return `${(error as DOMException).name}: ${(error as DOMException).message}`;
    }
  };

  test('toDataURL and transferToImageBitmap throw while a frame waits for pages', async () => {
    const { canvas, device, errors } = await start();
    const before = canvas.toDataURL;
    expect(said(() => canvas.toDataURL())).toBe(`InvalidStateError: ${message('toDataURL')}`);
    expect(said(() => canvas.transferToImageBitmap())).toBe(`InvalidStateError: ${message('transferToImageBitmap')}`);
    expect(canvas.toDataURL).toBe(before);
    letGo();
    await device.queue.onSubmittedWorkDone();
    // The failed call has not ended the frame.
    expect(await grey(canvas)).toBe(200);
    expect(canvas.toDataURL()).toMatch(/^data:image\/png;base64,/);
    const bitmap = canvas.transferToImageBitmap();
    expect([bitmap.width, bitmap.height]).toEqual([SIZE, SIZE]);
    expect(errors).toEqual([]);
  }, 30_000);

  test('copyExternalImageToTexture fails to another device, and runs in queue order on its own device', async () => {
    const { canvas, device, errors } = await start();
    const other = await open({ threads: 0 });
    const textureOf = (of: GPUDevice): GPUTexture =>
      of.createTexture({
        size: [SIZE, SIZE],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
      });
    const copy = (to: GPUDevice, texture: GPUTexture): void =>
      to.queue.copyExternalImageToTexture({ source: canvas as unknown as OffscreenCanvas }, { texture }, [SIZE, SIZE]);
    const foreign = textureOf(other.device);
    const own = textureOf(device);
    expect(said(() => copy(other.device, foreign))).toBe(`InvalidStateError: ${message('copyExternalImageToTexture')}`);
    copy(device, own);
    letGo();
    await device.queue.onSubmittedWorkDone();
    copy(other.device, foreign);
    for (const [of, texture] of [
      [device, own],
      [other.device, foreign],
    ] as const) {
      const buffer = of.createBuffer({ size: 256 * SIZE, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
      const encoder = of.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [SIZE, SIZE]);
      of.queue.submit([encoder.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      expect(new Uint8Array(buffer.getMappedRange())[0]).toBe(200);
    }
    expect([...errors, ...other.errors]).toEqual([]);
    other.device.destroy();
  }, 30_000);

  test('a canvas without submitted work can be read', async () => {
    const { device } = await start();
    const { createCanvas } = await builtPackage();
    const still = createCanvas(8, 8);
    still.getContext('webgpu').configure({ device, format: 'rgba8unorm' });
    expect(still.toDataURL()).toMatch(/^data:image\/png;base64,/);
    letGo();
    await turn();
  }, 30_000);
});
