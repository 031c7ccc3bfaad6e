// Rate textures are read when the pass runs: copies and passes before it in the same submit are visible.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShadingRatePassMembers, StatisticsDevice } from '../../src/index';
import { countsOf, engines, open } from './kit';
import { CODES, RATES, sizeOf } from './rates';
import { GPUBufferUsage, GPUTextureUsage } from '../support/flags';

const SIZE = 48;
const BLOCK = 16;
const BLOCKS = SIZE / BLOCK;
const CODE = `
  override code: u32 = 0;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
  @fragment fn says() -> @location(0) u32 { return code; }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`;

describe.each(['compiled', 'interpreted', 'compiled, four workers, a small arena'])('rate textures: %s', (name) => {
  let device: StatisticsDevice;
  let module: GPUShaderModule;
  let used: GPURenderPipeline;
  beforeAll(async () => {
    device = await open(engines[name]!);
    module = device.createShaderModule({ code: CODE });
    used = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] },
    });
  });
  afterAll(() => device.destroy());

  /** Calls `write` before each pass; returns the invocations of all passes, by rate. */
  async function threads(write: (encoder: GPUCommandEncoder, rates: GPUTexture, i: number) => void): Promise<object> {
    device.pushErrorScope('validation');
    const rates = device.createTexture({
      size: [BLOCKS, BLOCKS],
      format: 'r8uint',
      usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const view = device.createTexture({
      size: [SIZE, SIZE],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const encoder = device.createCommandEncoder();
    const before = countsOf(device).threads;
    RATES.forEach((_, i) => {
      write(encoder, rates, i);
      const descriptor: GPURenderPassDescriptor & ShadingRatePassMembers = {
        colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
        shadingRates: { region: { view: rates, blockSize: BLOCK } },
      };
      const pass = encoder.beginRenderPass(descriptor);
      pass.setPipeline(used);
      pass.draw(3);
      pass.end();
    });
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    const after = countsOf(device).threads;
    return Object.fromEntries(RATES.map((rate) => [rate, after[rate] - before[rate]]));
  }
  const wanted = Object.fromEntries(
    RATES.map((rate) => {
      const [width, height] = sizeOf(rate);
      return [rate, (SIZE * SIZE) / width / height];
    })
  );

  test('copies between passes are visible', async () => {
    const bytes = new Uint8Array(RATES.length * 1024);
    RATES.forEach((rate, i) => bytes.fill(CODES[rate], i * 1024, i * 1024 + 1024));
    const codes = device.createBuffer({ size: bytes.length, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(codes, 0, bytes);
    expect(
      await threads((encoder, texture, i) =>
        encoder.copyBufferToTexture({ buffer: codes, offset: i * 1024, bytesPerRow: 256 }, { texture }, [
          BLOCKS,
          BLOCKS,
        ])
      )
    ).toEqual(wanted);
  });

  test('draw calls between passes are visible', async () => {
    const pipelines = RATES.map((rate) =>
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, entryPoint: 'says', targets: [{ format: 'r8uint' }], constants: { code: CODES[rate] } },
      })
    );
    const drawn = await threads((encoder, view, i) => {
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
      pass.setPipeline(pipelines[i]!);
      pass.draw(3);
      pass.end();
    });
    // Those passes have an invocation per block.
    expect(drawn).toEqual({ ...wanted, '1x1': wanted['1x1']! + RATES.length * BLOCKS * BLOCKS });
  });
});
