// Tessellation: patterns compared with a plain implementation and with the properties that specifications require, and
// the results of evaluation stages, on all engines.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularStage, ModularPipelineCommands } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open } from '../../threads/open';
import { cut, levelsOf, points, type Coordinate, type Domain, type Patch } from './tessellation.kit';
import { GPUMapMode } from '../../support/flags';
import { type Device, SPACINGS, USAGE } from './modular-tessellation.kit';
import { firstDifference } from '../../support/first-difference';

const DOMAINS: readonly Domain[] = ['triangles', 'quads', 'lines'];
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 18);

const level = fc
  .oneof(
    fc.integer({ min: 1, max: 12 }),
    fc.double({ min: 0.5, max: 20, noNaN: true }),
    fc.double({ min: 1, max: 70, noNaN: true }),
    fc.constantFrom(0.3, 1, 1.0000001, 2, 63, 63.5, 64, 1000, Infinity)
  )
  .map(Math.fround);
const listOf = (length: number, ...rare: number[]): fc.Arbitrary<number[]> =>
  fc.array(fc.oneof({ weight: 30, arbitrary: level }, fc.constantFrom(...rare)), {
    minLength: length,
    maxLength: length,
  });
const outer = listOf(4, 0, -1, NaN);
const inner = listOf(2, 0, NaN);
const patches: fc.Arbitrary<Patch> = fc.record({
  domain: fc.constantFrom(...DOMAINS),
  spacing: fc.constantFrom(...SPACINGS),
  outer,
  inner,
});

const areaOf = (corners: readonly Coordinate[]): number =>
  corners.reduce((sum, [u, v], i) => {
    const [x, y] = corners[(i + 1) % 3]!;
    return sum + (u * y - x * v) / 2;
  }, 0);

describe('the tessellation of a patch', () => {
  test('covers the domain once, counter-clockwise, with unique vertices', () => {
    fc.assert(
      fc.property(
        patches.filter(({ domain }) => domain !== 'lines'),
        (patch) => {
          const { vertices, primitives } = cut(patch);
          fc.pre(primitives.length > 0);
          const areas = primitives.map((corners) => areaOf(corners.map((i) => vertices[i]!)));
          expect(Math.min(...areas)).toBeGreaterThanOrEqual(0);
          expect(areas.reduce((a, b) => a + b)).toBeCloseTo(patch.domain === 'quads' ? 1 : 0.5, 9);
          expect(new Set(primitives.flat()).size).toBe(vertices.length);
          const isQuad = patch.domain === 'quads';
          for (const [u, v, w] of vertices) expect(isQuad ? w : u + v + w).toBe(isQuad ? 0 : 1);
          // An inner edge belongs to two triangles with opposite directions, an outer edge to one.
          const edges = new Map<string, number>();
          for (const corners of primitives)
            corners.forEach((a, i) => {
              const b = corners[(i + 1) % 3]!;
              const key = a < b ? `${a} ${b}` : `${b} ${a}`;
              edges.set(key, (edges.get(key) ?? 0) + (a < b ? 1 : -1));
            });
          const around = levelsOf(patch)!.outer.reduce((sum, each) => sum + points(patch.spacing, each).length - 1, 0);
          expect([...edges.values()].filter((sum) => sum !== 0)).toHaveLength(around);
        }
      ),
      { seed: SEED, numRuns: 200 }
    );
  });

  test('points along an edge are symmetric and depend on the edge only', () => {
    const levels = fc.double({ min: 2, max: 62, noNaN: true }).map(Math.fround);
    fc.assert(
      fc.property(fc.constantFrom(...SPACINGS), levels, (spacing, each) => {
        const along = points(spacing, spacing === 'equal' ? Math.ceil(each) : each);
        along.forEach((x, i) => expect(along[along.length - 1 - i]).toBe(2 ** 24 - x));
        along.slice(1).forEach((x, i) => expect(x).toBeGreaterThanOrEqual(along[i]!));
        // All segments have the same length, except for two shorter ones on opposite sides.
        const lengths = along.slice(1).map((x, i) => x - along[i]!);
        const longest = Math.max(...lengths);
        const short = lengths.flatMap((length, i) => (length < longest - 4 ? [i] : []));
        expect(short.length === 0 || (short.length === 2 && short[0]! + short[1]! === lengths.length - 1)).toBe(true);
      }),
      { seed: SEED, numRuns: 400 }
    );
  });
});

const HEAD = `enable modular_pipelines;
  struct P { @location(3) n: f32 }
  struct Levels { outer: vec4f, inner: vec4f }
  struct C {
    @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f,
    @location(0) sum: f32, @location(7) number: vec2u,
  }
  struct V { @location(0) at: vec3f, @location(1) more: f32, @location(2) @interpolate(flat) number: u32 }
  struct W {
    @location(0) at: vec3f, @location(1) more: f32, @location(2) @interpolate(flat) number: u32,
    @location(3) @interpolate(flat) vertex: u32,
  }
  @group(0) @binding(0) var<storage, read> levels: array<Levels>;
  @vertex fn load(@builtin(vertex_index) n: u32) -> P { return P(f32(n)); }
  @tess_control fn control(p: array<P, 2>, @builtin(primitive_index) i: u32) -> C {
    return C(levels[i].outer, levels[i].inner.xy, p[0].n + 10, vec2u(i * 3, i));
  }
  @tess_evaluation fn evaluation(
    p: array<P, 2>, @builtin(tess_coord) at: vec3f, @builtin(primitive_index) i: u32, @location(0) sum: f32,
    @location(7) number: vec2u,
  ) -> V { return V(at, sum + p[1].n * 100, i * 1000 + number.x * 5 + number.y); }
  @vertex fn through(v: V, @builtin(vertex_index) vertex: u32) -> W { return W(v.at, v.more, v.number, vertex); }`;

interface Options {
  readonly topology?: ModularStage['topology'];
  readonly winding?: 'ccw' | 'cw';
  readonly maxLevel?: number;
}

async function wordsOf(device: GPUDevice, buffer: GPUBuffer): Promise<Uint32Array> {
  const copy = device.createBuffer({ size: buffer.size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange().slice(0));
  copy.destroy();
  return words;
}

/** Returns the words of the output for patches of one domain and spacing: six per vertex. */
async function listed(
  device: Device,
  list: readonly Patch[],
  { topology, winding, maxLevel = 64 }: Options
): Promise<Uint32Array> {
  const module = device.createShaderModule({ code: HEAD });
  const [{ domain, spacing }] = list as [Patch];
  device.pushErrorScope('validation');
  const table = device.createModularPipeline({
    layout: 'auto',
    input: { topology: 'patch-list', patchVertices: 2 },
    stages: [
      { kind: 'vertex', module, entryPoint: 'load' },
      { kind: 'tess_control', module },
      { kind: 'tess_evaluation', module, domain, spacing, topology, winding, maxLevel },
      { kind: 'vertex', module, entryPoint: 'through' },
    ],
    sinks: [
      {
        buffer: {
          arrayStride: 24,
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float32x3' },
            { shaderLocation: 1, offset: 12, format: 'float32' },
            { shaderLocation: 2, offset: 16, format: 'uint32' },
            { shaderLocation: 3, offset: 20, format: 'uint32' },
          ],
        },
      },
    ],
  });
  const levels = device.createBuffer({ size: list.length * 32, usage: USAGE.STORAGE | USAGE.COPY_DST });
  const data = list.flatMap((patch) => [...patch.outer, ...patch.inner, 0, 0]);
  device.queue.writeBuffer(levels, 0, Float32Array.from(data));
  const usage = USAGE.STORAGE | USAGE.COPY_SRC;
  const counts = device.createBuffer({ size: 16, usage });
  const most = Math.max(2 * maxLevel * maxLevel, (maxLevel + 1) * (maxLevel + 1)) * 3;
  const target = device.createBuffer({ size: list.length * most * 24, usage });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [],
    size: [1, 1],
    sampleCount: 1,
  } as unknown as GPURenderPassDescriptor) as GPURenderPassEncoder & ModularPipelineCommands;
  pass.setPipeline(table);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: table.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer: levels } }],
    })
  );
  pass.setSinkBuffer(target, 0, undefined, counts);
  pass.draw(list.length * 2);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  const [vertices] = await wordsOf(device, counts);
  const words = await wordsOf(device, target);
  for (const buffer of [levels, counts, target]) buffer.destroy();
  return words.slice(0, vertices! * 6);
}

/** The same by the plain implementation. */
function wanted(list: readonly Patch[], { topology, winding, maxLevel = 64 }: Options): Uint32Array {
  const words: number[] = [];
  const scratch = new DataView(new ArrayBuffer(4));
  const bits = (value: number): number => {
    scratch.setFloat32(0, value);
    return scratch.getUint32(0);
  };
  list.forEach((patch, i) => {
    const { vertices, primitives } = cut({ ...patch, maxLevel });
    const corners =
      topology === 'point-list'
        ? vertices.map((_, vertex) => [vertex])
        : winding === 'cw' && patch.domain !== 'lines'
          ? primitives.map(([a, b, c]) => [a!, c!, b!])
          : primitives;
    for (const vertex of corners.flat())
      words.push(...vertices[vertex]!.map(bits), bits(i * 2 + 10 + (i * 2 + 1) * 100), i * 1000 + i * 15 + i, vertex);
  });
  return Uint32Array.from(words);
}

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by two': { engine: 'interpreter', threads: 2 },
  'compiled, four workers': { engine: 'jit', threads: 4 },
  'the scalar kernel': { simd: false, threads: 0 },
};

describe.each(Object.entries(engines))('tessellation patterns: %s', (name, options) => {
  let device: Device;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
  });
  afterAll(() => device.destroy());
  const seed = SEED + Object.keys(engines).indexOf(name);

  test('with random levels', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...DOMAINS),
        fc.constantFrom(...SPACINGS),
        fc.array(fc.tuple(outer, inner), { minLength: 1, maxLength: 90 }),
        fc.record({
          winding: fc.constantFrom('ccw' as const, 'cw' as const),
          maxLevel: fc.constantFrom(2, 3, 7, 16, 31),
          topology: fc.constantFrom(undefined, undefined, 'point-list' as const),
        }),
        async (domain, spacing, levels, how) => {
          const list = levels.map(([o, i]) => ({ domain, spacing, outer: o, inner: i }));
          const found = await listed(device, list, how);
          const should = wanted(list, how);
          expect(found.length).toBe(should.length);
          expect(firstDifference(found, should)).toBe(-1);
        }
      ),
      { numRuns: 25, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
    );
  }, 120_000);

  // These are divided into parts, and are as large as the memory for patterns.
  test.each(DOMAINS)(
    'with the highest levels: %s',
    async (domain) => {
      for (const spacing of SPACINGS)
        for (const topology of [undefined, 'point-list'] as const) {
          const list = [
            [64, 64, 64, 64, 64, 64],
            [63, 64, 40, 3, 64, 2],
            [64, 64, 64, 64, 2, 64],
            [3, 50, 7, 64, 63, 63],
          ].map((all) => ({ domain, spacing, outer: all.slice(0, 4), inner: all.slice(4) }));
          const found = await listed(device, list, { topology });
          const should = wanted(list, { topology });
          expect(found.length).toBe(should.length);
          expect(firstDifference(found, should)).toBe(-1);
        }
    },
    120_000
  );
});
