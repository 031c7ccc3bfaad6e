// Depths merged by a threshold are stored as the few distinct values that they become, wherever they slope.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { openBuiltWith } from '../images/open';
import { GPUTextureUsage } from '../support/flags';

const SIZE = 128;
const FEATURES = ['statistics', 'multisample-32bit', 'extended-sample-counts'];
const CODE = `
  override x = 0f;
  override y = 0f;
  struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(linear, sample) depth: f32 }
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> Corner {
    let at = vec2f(f32(i & 1), f32(i >> 1)) * 4 - 1;
    let depth = 0.5 + x * at.x * ${SIZE / 2} + y * at.y * ${SIZE / 2};
    return Corner(vec4f(at, depth, 1), depth);
  }
  @fragment fn color(corner: Corner) -> @location(0) f32 { return corner.depth; }
  // A depth that a shader writes is not stored as a plane.
  @fragment fn depth(corner: Corner) -> @builtin(frag_depth) f32 { return corner.depth; }`;

describe.each([
  ['with SIMD', true],
  ['by the scalar kernel', false],
] as const)('%s', (_, simd) => {
  let device: StatisticsDevice;
  beforeAll(async () => {
    device = (await openBuiltWith(FEATURES, { threads: 0, simd })) as StatisticsDevice;
  });
  afterAll(() => device.destroy());

  /** Returns the bytes of a picture of a plane, and of all its samples. `x`, `y`: the slope per pixel. */
  async function held(
    format: 'depth32float' | 'r32float',
    samples: number,
    [x, y]: readonly number[],
    near: number
  ): Promise<number> {
    const isDepth = format === 'depth32float';
    const texture = device.createTexture({
      size: [SIZE, SIZE],
      format,
      sampleCount: samples,
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
      ...{ [isDepth ? 'depthMergeThreshold' : 'colorMergeThreshold']: near },
    });
    const module = device.createShaderModule({ code: CODE });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass(
      isDepth
        ? {
            colorAttachments: [],
            depthStencilAttachment: { view: texture, depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 1 },
          }
        : { colorAttachments: [{ view: texture, loadOp: 'clear', storeOp: 'store' }] }
    );
    pass.setPipeline(
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module, constants: { x: x!, y: y! } },
        multisample: { count: samples },
        ...(isDepth
          ? {
              depthStencil: { format, depthCompare: 'always', depthWriteEnabled: true },
              fragment: { module, entryPoint: 'depth', targets: [] },
            }
          : { fragment: { module, entryPoint: 'color', targets: [{ format }] } }),
      })
    );
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const [surface] = device.statistics().surfaces;
    texture.destroy();
    return surface!.bytesHeld / (SIZE * SIZE * samples * 4);
  }

  test('a slope with similar samples is stored as one depth per pixel', async () => {
    for (const samples of [4, 8]) {
      expect(await held('depth32float', samples, [0.001, 0.0007], 0)).toBe(1);
      expect(await held('depth32float', samples, [0.001, 0.0007], 0.01)).toBeLessThan(1.2 / samples);
    }
  });

  test('slopes take as many bytes as equal values in a color attachment', { timeout: 60_000 }, async () => {
    const slope = fc.integer({ min: -60, max: 60 }).map((n) => n / 20_000);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(2, 4, 8, 16),
        fc.tuple(slope, slope),
        fc.integer({ min: 1, max: 40 }).map((n) => n / 10_000),
        async (samples, slopes, near) => {
          const depth = await held('depth32float', samples, slopes, near);
          expect(depth).toBeLessThanOrEqual(1.02 * (await held('r32float', samples, slopes, near)));
        }
      ),
      { numRuns: simd ? 12 : 3, seed: 7 }
    );
  });
});
