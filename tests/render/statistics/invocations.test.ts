// Compares counts of fragment invocations with an oracle in JavaScript: random triangles of draw calls with deferred
// shading, discard, blending and sample-rate shading. Opaque draws come first, so that their visibility does not depend
// on how much of a tile is shaded at once.
import { describe, expect, test } from 'vitest';
import type {
  ShadingRate,
  ShadingRateCommands,
  StatisticsDevice,
  StatisticsRenderPassDescriptor,
} from '../../../src/index';
import { openBuiltWith } from '../../images/open';
import { BUFFER, PRELUDE, TEXTURE, upload } from '../../images/scenes/kit';
import { covers, edgesOf, random } from '../../raster/kit';
import { GPUMapMode } from '../../support/flags';

const SIZE = 128;
const KINDS = ['opaque', 'per sample', 'discard', 'blend'] as const;
type Kind = (typeof KINDS)[number];
interface Triangle {
  kind: Kind;
  points: [number, number][];
  z: number;
}

/** Vertices at multiples of 1/16 pixel, with depths that are exact as floats. */
function randomTriangles(seed: number, perKind: number): Triangle[] {
  const next = random(seed);
  const coordinate = (): number => Math.floor(next() * (SIZE + 32) * 16) / 16 - 16;
  return KINDS.flatMap((kind) =>
    Array.from({ length: perKind }, () => {
      const small = next() < 0.5;
      const x = coordinate();
      const y = coordinate();
      const points = Array.from({ length: 3 }, (): [number, number] =>
        small ? [x + Math.floor(next() * 160) / 16, y + Math.floor(next() * 160) / 16] : [coordinate(), coordinate()]
      );
      return { kind, points, z: Math.floor(next() * 1023) / 1024 };
    })
  );
}

const CODE = `${PRELUDE}
@vertex fn vs(@location(0) p: vec3f) -> @builtin(position) vec4f { return px(p.x, p.y, p.z); }
@fragment fn quarter() -> @location(0) vec4f { return vec4f(0.25); }
@fragment fn sampled(@builtin(sample_index) s: u32) -> @location(0) vec4f { return vec4f(f32(s)); }
@fragment fn cut(@builtin(position) p: vec4f) -> @location(0) vec4f {
  if (u32(p.x) + u32(p.y)) % 3u == 0u { discard; } return vec4f(0.5);
}`;
const ENTRIES: Record<Kind, string> = { opaque: 'quarter', 'per sample': 'sampled', discard: 'cut', blend: 'quarter' };
const ADD: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one' },
  alpha: { srcFactor: 'one', dstFactor: 'one' },
};

interface Job {
  device: StatisticsDevice;
  triangles: readonly Triangle[];
  samples: 1 | 4;
  passes: number;
  rate?: ShadingRate;
}

/** Draws the triangles into each of `passes` passes. Returns the counts after the last one. */
async function draw({ device, triangles, samples, passes, rate }: Job): Promise<Uint32Array> {
  const module = device.createShaderModule({ code: CODE });
  const pipelines = new Map(
    KINDS.map((kind) => [
      kind,
      device.createRenderPipeline({
        layout: 'auto',
        vertex: {
          module,
          buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
        },
        fragment: {
          module,
          entryPoint: ENTRIES[kind],
          targets: [{ format: 'rgba8unorm', ...(kind === 'blend' ? { blend: ADD } : {}) }],
        },
        depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: kind !== 'blend' },
        multisample: { count: samples },
      }),
    ])
  );
  const vertices = upload(
    device,
    Float32Array.from(triangles.flatMap(({ points, z }) => points.flatMap(([x, y]) => [x, y, z]))),
    BUFFER.VERTEX
  );
  const attachment = (format: GPUTextureFormat): GPUTextureView =>
    device.createTexture({ size: [SIZE, SIZE], format, sampleCount: samples, usage: TEXTURE.ATTACHMENT }).createView();
  const counts = device.createTexture({
    size: [SIZE, SIZE],
    format: 'r32uint',
    usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC,
  });
  const encoder = device.createCommandEncoder();
  for (let i = 0; i < passes; i++) {
    const descriptor: StatisticsRenderPassDescriptor = {
      colorAttachments: [{ view: attachment('rgba8unorm'), loadOp: 'clear', storeOp: 'discard' }],
      depthStencilAttachment: {
        view: attachment('depth32float'),
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 1,
      },
      invocationCounts: counts,
    };
    const pass = encoder.beginRenderPass(descriptor) as GPURenderPassEncoder & ShadingRateCommands;
    if (rate) pass.setShadingRate(rate);
    pass.setVertexBuffer(0, vertices);
    triangles.forEach(({ kind }, k) => {
      pass.setPipeline(pipelines.get(kind)!);
      pass.draw(3, 1, 3 * k);
    });
    pass.end();
  }
  const staging = device.createBuffer({ size: SIZE * SIZE * 4, usage: BUFFER.COPY_DST | BUFFER.MAP_READ });
  encoder.copyTextureToBuffer({ texture: counts }, { buffer: staging, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  return new Uint32Array(staging.getMappedRange());
}

/** Computes the same by visiting every sample. */
function oracle(triangles: readonly Triangle[], samples: number): Uint32Array {
  const counts = new Uint32Array(SIZE * SIZE);
  const depth = new Float64Array(SIZE * SIZE * samples).fill(1);
  /** The number of the topmost opaque triangle per sample; 0 for none. */
  const ids = new Uint32Array(SIZE * SIZE * samples);
  triangles.forEach(({ kind, points, z }, k) => {
    const edges = edgesOf(points.map(([x, y]) => ({ x, y })) as unknown as Parameters<typeof edgesOf>[0]);
    if (!edges) return;
    for (let pixel = 0; pixel < SIZE * SIZE; pixel++) {
      const x = pixel % SIZE;
      const y = Math.floor(pixel / SIZE);
      const passing = Array.from({ length: samples }, (_, s) => s).filter(
        (s) => z < depth[pixel * samples + s] && covers(edges, x, y, samples, s)
      );
      if (!passing.length) continue;
      const late = kind === 'opaque' || kind === 'per sample';
      if (!late) counts[pixel]++;
      if (kind === 'blend' || (kind === 'discard' && (x + y) % 3 === 0)) continue;
      for (const s of passing) {
        depth[pixel * samples + s] = z;
        if (late) ids[pixel * samples + s] = k + 1;
      }
    }
  });
  for (let pixel = 0; pixel < SIZE * SIZE; pixel++) {
    const seen = ids.subarray(pixel * samples, (pixel + 1) * samples).filter((id) => id !== 0);
    const once = new Set(seen.filter((id) => triangles[id - 1].kind === 'opaque'));
    counts[pixel] += once.size + seen.filter((id) => triangles[id - 1].kind === 'per sample').length;
  }
  return counts;
}

function compare(actual: Uint32Array, expected: Uint32Array): void {
  const wrong = [...expected.keys()].filter((i) => actual[i] !== expected[i]);
  expect(
    wrong.slice(0, 5).map((i) => `(${i % SIZE}, ${Math.floor(i / SIZE)}): ${actual[i]} for ${expected[i]}`),
    `${wrong.length} pixels differ`
  ).toEqual([]);
}

describe.each([
  ['SIMD', true],
  ['scalar', false],
] as const)('invocation counts, %s', (_name, simd) => {
  const open = async (): Promise<StatisticsDevice> =>
    (await openBuiltWith(['statistics', 'shading-rate'], { simd })) as StatisticsDevice;

  test.each([
    [1, 1],
    [1, 4],
    [2, 1],
    [2, 4],
  ] as const)('of random triangles, seed %i, at %i samples', async (seed, samples) => {
    const device = await open();
    const triangles = randomTriangles(seed, 12);
    const actual = await draw({ device, triangles, samples, passes: 1 });
    const expected = oracle(triangles, samples);
    expect(Math.max(...expected)).toBeGreaterThanOrEqual(4);
    compare(actual, expected);
    expect(device.statistics().counters['lanesShaded']).toBe(expected.reduce((sum, count) => sum + count));
    device.destroy();
  });

  const coarse = ['1x2', '2x1', '2x2', '2x4', '4x2', '4x4'] as const;
  test.each(coarse)('of an invocation at rate %s are added to all pixels that it shades', async (rate) => {
    for (const samples of [1, 4] as const) {
      // Where a shader discards depends on the pixel that it runs for.
      const triangles = randomTriangles(4, 12).filter(({ kind }) => kind !== 'discard');
      const device = await open();
      const expected = oracle(triangles, samples);
      compare(await draw({ device, triangles, samples, passes: 1, rate }), expected);
      const {
        shadingRates: { rates },
        counters,
      } = device.statistics();
      expect(counters['lanesShaded']).toBe(rates['1x1'].threads + rates[rate].threads);
      expect(rates['1x1'].pixels + rates[rate].pixels).toBe(expected.reduce((sum, count) => sum + count));
      expect(rates[rate].threads).toBeLessThan(0.75 * rates[rate].pixels);
      device.destroy();
    }
  });

  test('include discarded invocations at any rate', async () => {
    const device = await open();
    const points: Triangle['points'] = [
      [0, 0],
      [0, 2 * SIZE],
      [2 * SIZE, 0],
    ];
    for (const rate of coarse) {
      const triangles: Triangle[] = [{ kind: 'discard', points, z: 0.5 }];
      expect(new Set(await draw({ device, triangles, samples: 4, passes: 1, rate }))).toEqual(new Set([1]));
    }
    device.destroy();
  });

  test('accumulate over passes', async () => {
    const device = await open();
    const triangles = randomTriangles(3, 4);
    compare(
      await draw({ device, triangles, samples: 4, passes: 2 }),
      oracle(triangles, 4).map((count) => 2 * count)
    );
    device.destroy();
  });

  test('of opaque layers in any order are one', async () => {
    const device = await open();
    const layer = (z: number): Triangle => ({
      kind: 'opaque',
      points: [
        [0, 0],
        [0, 2 * SIZE],
        [2 * SIZE, 0],
      ],
      z,
    });
    for (const depths of [
      [0.25, 0.5, 0.75],
      [0.75, 0.5, 0.25],
    ]) {
      expect(new Set(await draw({ device, triangles: depths.map(layer), samples: 4, passes: 1 }))).toEqual(
        new Set([1])
      );
    }
    device.destroy();
  });
});
