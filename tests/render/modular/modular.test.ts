// Modular pipelines: random tables compared with the plain composition of the same functions, on all engines, with any
// number of threads, and with small arenas.
// RASTERLOOM_FUZZ=count runs more tables, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipelineDevice } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open } from '../../threads/open';
import { emittedBy, listedBy } from './modular.geometry.expected';
import { emittedOn, listedOn } from './modular.geometry';
import { emittingTables } from './modular.geometry.cases';
import { composedGraph, judge } from './modular.graphs.expected';
import { drawnGraph } from './modular.graphs';
import { graphs, type GraphCase } from './modular.graphs.cases';
import { composed, drawn, tables } from './modular.kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';
import { firstDifference } from '../../support/first-difference';

const TABLES = Number(process.env['RASTERLOOM_FUZZ'] ?? 120);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 18);

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  'by default, one worker': { threads: 1 },
  'compiled, two workers': { engine: 'jit', threads: 2 },
  'interpreted by three, a chunk after every draw': { engine: 'interpreter', threads: 3, chunkEveryDraw: true },
  'compiled, four workers, a small arena': { engine: 'jit', threads: 4, arenaBytes: 1024 },
  'the scalar kernel': { simd: false, threads: 0 },
  'the oracle': { immediate: true, threads: 0 },
};

describe.each(Object.entries(engines))('random modular pipelines: %s', (name, options) => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await open(options);
  });
  afterAll(() => device.destroy());

  test('packets equal the composition', async () => {
    const numRuns = Math.ceil(TABLES / Object.keys(engines).length);
    const seed = SEED + Object.keys(engines).indexOf(name);
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        const found = await drawn(device, table);
        const wanted = composed(table);
        expect(firstDifference(found, wanted)).toBe(-1);
      }),
      { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
    );
  }, 120_000);

  test('emitted primitives equal the composition, in order', async () => {
    const numRuns = Math.ceil(TABLES / Object.keys(engines).length);
    const seed = SEED + Object.keys(engines).indexOf(name);
    await fc.assert(
      fc.asyncProperty(emittingTables, async (table) => {
        const found = await emittedOn(device, table);
        const wanted = emittedBy(table);
        expect(firstDifference(found, wanted)).toBe(-1);
      }),
      { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
    );
  }, 120_000);

  test('stream output equals the composition, without gaps', async () => {
    const numRuns = Math.ceil(TABLES / Object.keys(engines).length);
    const seed = SEED + Object.keys(engines).indexOf(name);
    const forks = fc.constantFrom('first', 'last', null);
    await fc.assert(
      fc.asyncProperty(emittingTables, forks, async (table, forksAt) => {
        const emitting = table.stages.flatMap((stage) => (stage.kind === 'vertex' ? [] : [stage.most]));
        // The buffer has room for the maximum output.
        fc.pre(emitting.reduce((all, most) => all * most, table.vertices) < 20_000);
        const { vertices, counts } = await listedOn(device, table, forksAt);
        const wanted = listedBy(table);
        expect(counts).toEqual([wanted.length, 1, 0, 0]);
        expect(vertices.findIndex((word, i) => word !== wanted[i % wanted.length])).toBe(-1);
      }),
      { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
    );
  }, 120_000);

  test('with forks and joins, each sink receives the output of all its paths', async () => {
    const numRuns = Math.ceil(TABLES / Object.keys(engines).length);
    const seed = SEED + Object.keys(engines).indexOf(name);
    await fc.assert(
      fc.asyncProperty(graphs, async (graph) => {
        const wanted = composedGraph(graph);
        fc.pre(wanted !== null);
        expect(judge(graph, wanted, await drawnGraph(device, graph))).toBeNull();
      }),
      { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
    );
  }, 120_000);
});

// Triangles take more than one slab of the arena, in the middle of groups and branches.
test.each([0, 2])('statistics of slots count the work of a large draw call once: %d workers', async (threads) => {
  const device = (await open({ threads })) as unknown as GPUDevice & ModularPipelineDevice;
  const module = device.createShaderModule({
    code: `enable modular_pipelines;
    struct V { @builtin(position) position: vec4f, @location(0) @interpolate(flat) n: vec2u }
    struct P { @location(0) @interpolate(flat) n: vec2u }
    fn at(n: vec2u) -> vec4f { return vec4f(vec2f(n % 256) / 128 - 1, 0.5, 1); }
    @vertex fn load(@builtin(vertex_index) i: u32) -> V { let n = vec2u(i, i / 256); return V(at(n), n); }
    @geometry fn three(v: array<P, 1>) {
      for (var k = 0u; k < 3; k++) {
        let n = v[0].n + vec2u(k & 1, k >> 1);
        emitVertex(V(at(n), n));
      }
    }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`,
  });
  const raster = { fragment: { module, targets: [{ format: 'r8unorm' as const }] } };
  const points = 40_000;
  const table = device.createModularPipeline({
    layout: 'auto',
    input: { topology: 'point-list' },
    edges: [[0, 1]],
    sinks: [
      { from: 0, raster },
      { from: 1, raster },
    ],
    stages: [
      { kind: 'vertex', module },
      { kind: 'geometry', module, maxVertices: 3, topology: 'triangle-list' },
    ],
  });
  const view = device
    .createTexture({ size: [512, 512], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
    .createView();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(table);
  pass.draw(points);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  expect(table.statistics().slots).toMatchObject([
    { verticesIn: points, verticesOut: points },
    { verticesIn: points, primitivesIn: points, verticesOut: 3 * points, primitivesOut: points },
  ]);
  device.destroy();
});

// The lists of tiles fill a small arena: tasks are repeated in the next chunk.
test.each(['jit', 'interpreter'] as const)('work deferred to the next chunk is streamed once: %s', async (engine) => {
  const device = await open({ engine, threads: 4, arenaBytes: 1024 });
  const slot = { factor: 1, on: true, looks: null };
  for (const most of [26, 27, 28])
    for (const vertices of [1237, 1238, 1240, 1241]) {
      const graph: GraphCase = {
        corners: 1,
        slots: [{ ...slot, most }],
        edges: [],
        sinks: [{ raster: false, from: [0] }],
        entry: null,
        vertices,
        instances: 1,
        viewports: 'one',
      };
      expect(judge(graph, composedGraph(graph)!, await drawnGraph(device as unknown as GPUDevice, graph))).toBeNull();
    }
  device.destroy();
});

// A group of lanes holds whole quads, whatever packets follow.
test('the maximum number of vertices with the maximum number of varyings', async () => {
  const device = (await open({ threads: 0 })) as unknown as GPUDevice & ModularPipelineDevice;
  const values = Array.from({ length: 15 }, (_, i) => `@location(${i}) @interpolate(flat, first) v${i}: vec4f`).join(
    ', '
  );
  const module = device.createShaderModule({
    code: `enable modular_pipelines;
    struct Pixel { @location(0) place: vec2f, @location(1) value: f32 }
    struct Wide { @builtin(position) position: vec4f, ${values} }
    @vertex fn load() { }
    @geometry fn all(v: array<Pixel, 1>, @builtin(primitive_index) i: u32) {
      for (var k = 0u; k < 256; k++) { emitVertex(Pixel(vec2f(vec2u(k % 16, k / 16)), f32(i))); }
    }
    @geometry fn wide(v: array<Pixel, 1>) {
      var all: Wide;
      all.position = vec4f((v[0].place.x + 0.5) / 8 - 1, 1 - (v[0].place.y + 0.5) / 8, 0.5, 1);
      all.v0 = vec4f(v[0].value / 255);
      ${Array.from({ length: 13 }, (_, i) => `all.v${i + 1} = vec4f(v[0].value);`).join('\n')}
      all.v14 = vec4f(v[0].place / 255, 0, 1);
      emitVertex(all);
    }
    @fragment fn fs(${values}) -> @location(0) vec4f {
      return vec4f(v0.x, v14.xy, v14.w) + ${Array.from({ length: 15 }, (_, i) => `min(v${i}, vec4f())`).join(' + ')};
    }`,
  });
  const table = device.createModularPipeline({
    layout: 'auto',
    input: { topology: 'point-list' },
    stages: [
      { kind: 'vertex', module, entryPoint: 'load' },
      { kind: 'geometry', module, entryPoint: 'all', maxVertices: 256, topology: 'point-list' },
      { kind: 'geometry', module, entryPoint: 'wide', maxVertices: 1, topology: 'point-list' },
    ],
    sinks: [{ raster: { fragment: { module, targets: [{ format: 'rgba8unorm' }] } } }],
  });
  const texture = device.createTexture({
    size: [16, 16],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const copy = device.createBuffer({ size: 256 * 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(table);
  pass.draw(100);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 256 }, [16, 16]);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const found = new Uint8Array(copy.getMappedRange());
  for (let y = 0; y < 16; y++)
    for (let x = 0; x < 16; x++)
      expect([...found.subarray(y * 256 + x * 4, y * 256 + x * 4 + 4)]).toEqual([99, x, y, 255]);
  device.destroy();
});
