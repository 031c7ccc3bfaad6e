// Statistics of shading rates, for draw calls whose shaders run at 1×1 whatever is requested.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ShadingRateCommands,
  ShadingRatePassMembers,
  ShadingRateStatistics,
  StatisticsDevice,
} from '../../../src/index';
import { openBuiltWith } from '../../images/open';
import { GPUBufferUsage, GPUTextureUsage } from '../../support/flags';

const CODE = `
  @group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
  @group(0) @binding(1) var<storage, read> factor: f32;
  struct Deep { @location(0) c: vec4f, @builtin(frag_depth) z: f32 }
  struct Masked { @location(0) c: vec4f, @builtin(sample_mask) m: u32 }
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
  @fragment fn samples(@builtin(sample_index) i: u32) -> @location(0) vec4f { return vec4f(f32(i)); }
  @fragment fn depth() -> Deep { return Deep(vec4f(1), 0.5); }
  @fragment fn maskIn(@builtin(sample_mask) m: u32) -> @location(0) vec4f { return vec4f(f32(m)); }
  @fragment fn maskOut() -> Masked { return Masked(vec4f(1), 1); }
  @fragment fn plain() -> @location(0) vec4f { return vec4f(1); }
  @fragment fn writes() -> @location(0) vec4f { atomicAdd(&sum, 1); return vec4f(1); }
  @fragment fn reads() -> @location(0) vec4f { return vec4f(factor); }`;
/** Bindings of storage buffers. */
const BINDINGS: Readonly<Record<string, number>> = { writes: 0, reads: 1 };
const SIZE = 16;
const SLICES = { near: 0, far: 1, rates: ['2x2', '2x2', '2x2', '2x2'] } as const;

describe('shaders that fall back to 1×1', () => {
  let device: StatisticsDevice;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await openBuiltWith(['statistics', 'shading-rate'], { threads: 0 })) as StatisticsDevice;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  /** Returns what a draw call with a shader adds to the counters. */
  async function counted(
    entryPoint: string,
    alphaToCoverageEnabled = false,
    shadingRates?: ShadingRatePassMembers['shadingRates']
  ): Promise<{ readonly threads: number; readonly fallbacks: Partial<ShadingRateStatistics['fallbacks']> }> {
    const isDeep = entryPoint === 'depth';
    const binding = BINDINGS[entryPoint];
    const count = 4;
    const before = device.statistics().shadingRates;
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      multisample: { count, alphaToCoverageEnabled },
      fragment: { module, entryPoint, targets: [{ format: 'rgba8unorm' }] },
      ...(isDeep
        ? { depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' } as const }
        : {}),
    });
    const view = (format: GPUTextureFormat): GPUTextureView =>
      device
        .createTexture({ size: [SIZE, SIZE], format, sampleCount: count, usage: GPUTextureUsage.RENDER_ATTACHMENT })
        .createView();
    const encoder = device.createCommandEncoder();
    const descriptor: GPURenderPassDescriptor & ShadingRatePassMembers = {
      colorAttachments: [{ view: view('rgba8unorm'), loadOp: 'clear', storeOp: 'store' }],
      ...(isDeep
        ? ({
            depthStencilAttachment: {
              view: view('depth32float'),
              depthLoadOp: 'clear',
              depthStoreOp: 'discard',
              depthClearValue: 1,
            },
          } as const)
        : {}),
      ...(shadingRates ? { shadingRates } : {}),
    };
    const pass = encoder.beginRenderPass(descriptor) as GPURenderPassEncoder & ShadingRateCommands;
    pass.setPipeline(pipeline);
    if (binding !== undefined)
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding, resource: { buffer: device.createBuffer({ size: 4, usage: GPUBufferUsage.STORAGE }) } }],
        })
      );
    pass.draw(3);
    if (!shadingRates) pass.setShadingRate('2x2');
    pass.draw(3);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const { rates, fallbacks } = device.statistics().shadingRates;
    const causes = Object.entries(fallbacks).map(
      ([cause, draws]) => [cause, draws - before.fallbacks[cause as keyof typeof fallbacks]] as const
    );
    expect(rates['1x1'].pixels).toBe(rates['1x1'].threads);
    return {
      threads: rates['1x1'].threads - before.rates['1x1'].threads,
      fallbacks: Object.fromEntries(causes.filter(([, draws]) => draws > 0)),
    };
  }

  test.each<[string, string, boolean?]>([
    ['samples', 'sample-rate'],
    ['depth', 'frag-depth'],
    ['maskIn', 'sample-mask'],
    ['maskOut', 'sample-mask'],
    ['plain', 'alpha-to-coverage', true],
    ['writes', 'storage'],
  ])('%s, for %s, count the draw calls that request rates', async (entryPoint, cause, coverage) => {
    const draws = await counted(entryPoint, coverage);
    expect(draws.fallbacks).toEqual({ [cause]: 2 });
    expect(draws.threads).toBeGreaterThanOrEqual(SIZE * SIZE);
    expect((await counted(entryPoint, coverage, { depth: SLICES })).fallbacks).toEqual({ [cause]: 3 });
  });

  test('count nothing at other rates', () => {
    const { rates, lookUps } = device.statistics().shadingRates;
    expect(lookUps).toBe(0);
    for (const [rate, counts] of Object.entries(rates))
      if (rate !== '1x1') expect(counts, rate).toEqual({ threads: 0, warps: 0, pixels: 0 });
    expect(rates['1x1'].warps).toBe(device.statistics().counters['fragmentWarps']);
    expect(rates['1x1'].threads).toBe(device.statistics().counters['lanesShaded']);
  });

  test.each(['plain', 'reads'])('do not include %s', async (entryPoint) => {
    expect((await counted(entryPoint)).fallbacks).toEqual({});
  });
});
