// How often stages run, for which sample sets, and what is sent to the targets: exact counts for scenes with known
// coverage.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShadingRate, StatisticsDevice } from '../../src/index';
import { open } from './kit';

const ATTACHMENT = 16;
const SIZE = 16;
const PIXELS = SIZE * SIZE;
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'four workers': { threads: 4 },
} as const;

/** A triangle over everything to the left of x = right, in pixels. */
const VERTEX = `enable fragment_stages;
  override right: f32 = 64;
  struct V { @builtin(position) p: vec4f, @location(0) @interpolate(linear, sample) s: f32 }
  override slope: f32 = 1;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let x = right / ${SIZE / 2} - 1;
    let corner = array(vec2f(x, 40), vec2f(-60, 0), vec2f(x, -40));
    return V(vec4f(corner[i], 0.5 + slope * corner[i].y * 0.001, 1), slope * corner[i].x);
  }
  @fragment fn fill() -> @location(0) vec4f { return vec4f(1); }
  @fragment fn pixel(v: V) -> @link(0) vec4f { return floor(v.p * 0.25); }`;

interface Layer {
  readonly sample?: string;
  readonly right?: number;
  readonly slope?: number;
  readonly discard?: string;
  readonly blended?: boolean;
  readonly rate?: ShadingRate;
  readonly behind?: keyof typeof BEHIND;
}
/** After a coarse stage; `KILLS` is replaced with its discard. */
const COARSE = `
  @fragment fn coarse(@builtin(position) p: vec4f) -> @link(1) vec4f { KILLS return p * 0; }
  @fragment fn between(@link(1) x: vec4f, @builtin(position) p: vec4f) -> @link(0) vec4f {
    return x + floor(p * 0.25);
  }
  @fragment fn last(@link(1) x: vec4f) -> @location(0) vec4f { return x + 1; }`;
/** Stages of a layer with a coarse stage. */
const BEHIND = { samples: ['coarse', 'between', 'samples'], pixels: ['coarse', 'last'] } as const;
const RATE_OF = { coarse: 'coarse', between: 'pixel', last: 'pixel', samples: 'sample' } as const;
type RatePass = GPURenderPassEncoder & { setShadingRate(rate: string): void };

const NAMES = ['pixelRuns', 'sampleRuns', 'sampleSets', 'wholePixelSets', 'dispatches', 'mergedDispatches'] as const;

describe.each(Object.entries(engines))('%s', (_, options) => {
  let device: StatisticsDevice;
  beforeAll(async () => {
    device = await open(options);
    device.addEventListener('uncapturederror', ({ error }) => {
      throw new Error(error.message);
    });
  });
  afterAll(() => device.destroy());

  /**
   * Draws layers at four samples. `sample`: body of a sample stage; without it, the layer fills. Returns the counts of
   * the last layer.
   */
  async function counts(layers: readonly Layer[], samples = 4): Promise<number[]> {
    const texture = (format: GPUTextureFormat): GPUTexture =>
      device.createTexture({ size: [SIZE, SIZE], sampleCount: samples, format, usage: ATTACHMENT });
    const target = texture('rgba16float');
    const other = texture('rgba16float');
    const depth = texture('depth32float');
    const encoder = device.createCommandEncoder();
    const ADD = { operation: 'add', srcFactor: 'one', dstFactor: 'one' } as const;
    const pass = encoder.beginRenderPass({
      colorAttachments: [target, other].map((view) => ({ view, loadOp: 'clear', storeOp: 'discard' })),
      depthStencilAttachment: { view: depth, depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard' },
    });
    for (const { sample, right = 64, slope = 1, discard = '', blended = false, rate = '1x1', behind } of layers) {
      const module = device.createShaderModule({
        code: `${VERTEX.replace('return floor', `${behind ? '' : discard} return floor`)}
        ${behind ? COARSE.replace('KILLS', discard) : ''}
        ${blended ? 'struct Both { @location(0) a: vec4f, @location(1) b: vec4f }' : ''}
        ${sample === undefined ? '' : `@fragment fn samples(${sample}`}`,
      });
      const names = behind ? BEHIND[behind] : (['pixel', 'samples'] as const);
      const stages = names.map((entryPoint) => ({
        entryPoint,
        rate: entryPoint === 'pixel' ? 'pixel' : RATE_OF[entryPoint],
      }));
      (pass as RatePass).setShadingRate(rate);
      pass.setPipeline(
        device.createRenderPipeline({
          layout: 'auto',
          vertex: { module, constants: { right, slope } },
          multisample: { count: samples },
          depthStencil: {
            format: 'depth32float',
            depthCompare: 'always',
            depthWriteEnabled: sample === undefined && !behind,
          },
          fragment: {
            module,
            ...(sample === undefined && !behind ? { entryPoint: 'fill' } : { stages }),
            targets: [
              { format: 'rgba16float' },
              {
                format: 'rgba16float',
                writeMask: blended ? 15 : 0,
                ...(blended && { blend: { color: ADD, alpha: ADD } }),
              },
            ],
          } as GPUFragmentState,
        })
      );
      pass.draw(3);
    }
    pass.end();
    const {
      counters: before,
      shadingRates: { rates },
    } = device.statistics();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const { counters: now, shadingRates: later } = device.statistics();
    const coarse = layers.at(-1)!.rate;
    for (const each of [target, other, depth]) each.destroy();
    const counted = NAMES.map((name) => now[name]! - before[name]!);
    return coarse ? [later.rates[coarse].threads - rates[coarse].threads, ...counted] : counted;
  }

  const READS = '@link(0) x: vec4f, @color(0) below: vec4f) -> @location(0) vec4f { return x + below * 0.5; }';
  const SAME = '@link(0) x: vec4f, @color(0) below: vec4f) -> @location(0) vec4f { return x + below * 0; }';
  // To the left of x = 8.5: two samples of a column of four.
  const EDGE = { right: 8.5 };

  test('interiors and edges: one set per pixel with uniform contents', async () => {
    expect(await counts([{ sample: READS }])).toEqual([PIXELS, PIXELS, PIXELS, PIXELS, PIXELS, 0]);
    const half = 9 * SIZE;
    const inside = 8 * SIZE;
    expect(await counts([{ sample: READS, ...EDGE }])).toEqual([half, half, half, inside, half, 0]);
    // With a single sample, there is nothing to distinguish.
    expect(await counts([{ sample: READS }], 1)).toEqual([PIXELS, PIXELS, PIXELS, PIXELS, PIXELS, 0]);
  });

  test('destinations that differ within a pixel: one set per distinct value', async () => {
    const two = PIXELS + SIZE;
    const whole = PIXELS - SIZE;
    expect(await counts([EDGE, { sample: READS }])).toEqual([PIXELS, two, two, whole, two, 0]);
    // Two sets with equal results are merged.
    expect(await counts([EDGE, { sample: SAME }])).toEqual([PIXELS, two, two, whole, PIXELS, SIZE]);
    // An opaque layer makes the pixel uniform again.
    expect(await counts([EDGE, {}, { sample: READS }])).toEqual([PIXELS, PIXELS, PIXELS, PIXELS, PIXELS, 0]);
    // Whole quads, because a target is blended.
    const both = '@link(0) x: vec4f, @color(0) below: vec4f) -> Both { return Both(x + below, x); }';
    expect(await counts([EDGE, { sample: both, blended: true }])).toEqual([PIXELS, two, two, whole, two, 0]);
  });

  test('samples are separate where interpolated planes slope, and if the sample index is read', async () => {
    const all = 4 * PIXELS;
    const index = '@link(0) x: vec4f, @builtin(sample_index) i: u32) -> @location(0) vec4f {';
    expect(await counts([{ sample: `${index} return x + f32(i); }` }])).toEqual([PIXELS, all, all, 0, all, 0]);
    expect(await counts([{ sample: `${index} return vec4f(f32(i / 2)) + x * 0; }` }])).toEqual([
      PIXELS,
      all,
      all,
      0,
      2 * PIXELS,
      2 * PIXELS,
    ]);
    for (const read of ['v.s', 'v.p.z']) {
      const sample = `v: V, @link(0) x: vec4f) -> @location(0) vec4f { return x + ${read}; }`;
      expect((await counts([{ sample }])).slice(0, 3)).toEqual([PIXELS, all, all]);
      expect(await counts([{ sample, slope: 0 }])).toEqual([PIXELS, PIXELS, PIXELS, PIXELS, PIXELS, 0]);
    }
  });

  test('discards: pixels have no further sets, and sets are not sent', async () => {
    const discard = 'if (u32(v.p.x) % 2 == 1) { discard; }';
    const two = PIXELS + SIZE;
    // Pixels with odd x are discarded and have no sets. The column with the edge, x = 8, is kept.
    const living = two - PIXELS / 2;
    expect(await counts([EDGE, { sample: READS, discard }])).toEqual([
      PIXELS,
      living,
      living,
      PIXELS / 2 - SIZE,
      living,
      0,
    ]);
    const odd = { right: 9.5 };
    expect(await counts([odd, { sample: READS, discard }])).toEqual([
      PIXELS,
      PIXELS / 2,
      PIXELS / 2,
      PIXELS / 2,
      PIXELS / 2,
      0,
    ]);
    const one =
      '@link(0) x: vec4f, @color(0) below: vec4f) -> @location(0) vec4f { if (below.x == 1) { discard; } return x; }';
    expect(await counts([EDGE, { sample: one }])).toEqual([PIXELS, two, two, PIXELS - SIZE, 8 * SIZE, 0]);
  });

  const RATES = [
    ['1x2', 128],
    ['2x1', 128],
    ['2x2', 64],
    ['2x4', 32],
    ['4x2', 32],
    ['4x4', 16],
  ] as const;
  test.each(RATES)('coarse stages at %s run once for their pixels, later stages for each', async (rate, runs) => {
    const layer = { sample: READS, rate, behind: 'samples' } as const;
    const two = PIXELS + SIZE;
    expect(await counts([layer])).toEqual([runs, PIXELS, PIXELS, PIXELS, PIXELS, PIXELS, 0]);
    expect(await counts([EDGE, layer])).toEqual([runs, PIXELS, two, two, PIXELS - SIZE, two, 0]);
    expect((await counts([{ rate, behind: 'pixels' }])).slice(0, 2)).toEqual([runs, PIXELS]);
  });

  test('coarse stages at edges, and their discards', async () => {
    const half = 9 * SIZE;
    const inside = 8 * SIZE;
    const at = { ...EDGE, rate: '2x2' } as const;
    expect(await counts([{ sample: READS, behind: 'samples', ...at }])).toEqual([
      40,
      half,
      half,
      half,
      inside,
      half,
      0,
    ]);
    expect((await counts([{ behind: 'pixels', ...at }])).slice(0, 2)).toEqual([40, half]);
    // Centers are at 1, 3, 5 …: every other one is discarded.
    const discard = 'if (u32(p.x) % 4 == 3) { discard; }';
    const kept = PIXELS / 2;
    expect(await counts([{ sample: READS, behind: 'samples', rate: '2x2', discard }])).toEqual([
      64,
      kept,
      kept,
      kept,
      kept,
      kept,
      0,
    ]);
    expect((await counts([{ behind: 'pixels', rate: '2x2', discard }])).slice(0, 2)).toEqual([64, kept]);
  });

  test('stored depth separates samples, and cleared depth does not', async () => {
    const sample = '@link(0) x: vec4f, @builtin(sample_depth) d: f32) -> @location(0) vec4f { return x + d; }';
    expect(await counts([{ sample }])).toEqual([PIXELS, PIXELS, PIXELS, PIXELS, PIXELS, 0]);
    expect((await counts([{ slope: 0, ...EDGE }, { sample }])).slice(0, 3)).toEqual([
      PIXELS,
      PIXELS + SIZE,
      PIXELS + SIZE,
    ]);
    expect((await counts([{}, { sample }])).slice(0, 3)).toEqual([PIXELS, 4 * PIXELS, 4 * PIXELS]);
  });
});
