// Primitive stages for primitives with adjacency, also as the first slot of a draw call. The primitives that they keep
// reach buffers complete and in order, and reach stages that emit.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipelineDevice, ModularStage, ModularPipelineCommands } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open } from '../../threads/open';
import { GPUMapMode } from '../../support/flags';

const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, VERTEX: 32, STORAGE: 128 } as const;
type Device = GPUDevice & ModularPipelineDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands;

const code = (corners: number): string => `enable modular_pipelines;
  struct V { @location(0) @interpolate(flat) n: u32 }
  @vertex fn keep(v: V) -> V { return V(v.n + 1); }
  @primitive fn some(v: array<V, ${corners}>, @builtin(primitive_index) i: u32, @builtin(instance_index) k: u32)
    -> @builtin(cull_primitive) bool { return (v[0].n + v[${corners - 1}].n * 3 + i + k) % 3 == 0; }
  @primitive fn none(v: array<V, ${corners}>) -> @builtin(cull_primitive) bool { return true; }
  @geometry fn ends(v: array<V, ${corners}>) { emitVertex(v[0]); emitVertex(v[${corners - 1}]); }`;

const engines: Readonly<Record<string, CreateOptions>> = {
  'compiled by two': { engine: 'jit', threads: 2 },
  interpreted: { engine: 'interpreter', threads: 0 },
  'the scalar kernel': { simd: false, threads: 0 },
};

describe.each(Object.entries(engines))('primitive stages: %s', (_, options) => {
  let device: Device;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
  });
  afterAll(() => device.destroy());

  const VERTICES = 3000;
  const INSTANCES = 2;

  /** `share`: the maximum number of output vertices per input vertex. */
  async function streamed(
    topology: 'line-list' | 'line-list-adjacency' | 'triangle-list-adjacency',
    stages: ModularStage[],
    share = 1
  ): Promise<number[]> {
    const vertices = device.createBuffer({ size: VERTICES * 4, usage: USAGE.VERTEX | USAGE.COPY_DST });
    device.queue.writeBuffer(
      vertices,
      0,
      Uint32Array.from({ length: VERTICES }, (__, n) => (n * 7) % 1000)
    );
    const size = VERTICES * INSTANCES * share * 4;
    const usage = USAGE.STORAGE | USAGE.COPY_SRC;
    const found = device.createBuffer({ size, usage });
    const counts = device.createBuffer({ size: 16, usage });
    const copy = device.createBuffer({ size: size + 16, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    const table = device.createModularPipeline({
      layout: 'auto',
      stages,
      input: {
        topology,
        buffers: [{ arrayStride: 4, attributes: [{ shaderLocation: 0, offset: 0, format: 'uint32' }] }],
      },
      sinks: [{ buffer: { arrayStride: 4, attributes: [{ shaderLocation: 0, offset: 0, format: 'uint32' }] } }],
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [],
      size: [1, 1],
      sampleCount: 1,
    } as unknown as GPURenderPassDescriptor) as Pass;
    pass.setPipeline(table);
    pass.setVertexBuffer(0, vertices);
    pass.setSinkBuffer(found, 0, undefined, counts);
    pass.draw(VERTICES, INSTANCES);
    pass.end();
    encoder.copyBufferToBuffer(counts, 0, copy, 0, 16);
    encoder.copyBufferToBuffer(found, 0, copy, 16, size);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(copy.getMappedRange().slice(0));
    for (const each of [vertices, found, counts, copy]) each.destroy();
    return [...words.subarray(4, 4 + words[0]!)];
  }

  test.each([
    ['line-list-adjacency', 4],
    ['triangle-list-adjacency', 6],
  ] as const)('of %s', async (topology, corners) => {
    const module = device.createShaderModule({ code: code(corners) });
    const stage = (kind: ModularStage['kind'], entryPoint: string): ModularStage => ({ kind, module, entryPoint });
    /** The primitives that are kept, with `more` added to the vertices where the stage reads them. */
    const wanted = (more: number): number[][] =>
      Array.from({ length: (INSTANCES * VERTICES) / corners }, (__, at) => {
        const i = at % (VERTICES / corners);
        const k = Math.floor(at / (VERTICES / corners));
        const v = Array.from({ length: corners }, (___, c) => (((i * corners + c) * 7) % 1000) + more);
        return (v[0]! + v[corners - 1]! * 3 + i + k) % 3 === 0 ? [] : v;
      });
    const some = stage('primitive', 'some');
    const keep = stage('vertex', 'keep');
    expect(await streamed(topology, [some, keep])).toEqual(
      wanted(0)
        .flat()
        .map((n) => n + 1)
    );
    expect(await streamed(topology, [keep, some])).toEqual(wanted(1).flat());
    expect(await streamed(topology, [keep, some, some, keep])).toEqual(
      wanted(1)
        .flat()
        .map((n) => n + 1)
    );
    expect(await streamed(topology, [keep, some, stage('primitive', 'none')])).toEqual([]);
    const ends: ModularStage = { ...stage('geometry', 'ends'), maxVertices: 2, topology: 'line-list' };
    const kept = wanted(0).filter(({ length }) => length > 0);
    expect(await streamed(topology, [some, ends])).toEqual(kept.flatMap((v) => [v[0], v.at(-1)]));
  });

  test('before and after tessellation', async () => {
    const module = device.createShaderModule({
      code: `${code(2)}
      struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
      @tess_control fn cut(p: array<V, 2>) -> Levels { return Levels(vec4f(2, 3, 1, 1), vec2f(1)); }
      @tess_evaluation fn place(p: array<V, 2>, @builtin(tess_coord) uv: vec3f) -> V {
        return V((p[0].n * 8 + p[1].n % 8) * 8 + u32(round(uv.x * 3)) + 4 * u32(round(uv.y * 2)));
      }
      @primitive fn third(v: array<V, 2>) -> @builtin(cull_primitive) bool { return (v[0].n * 5 + v[1].n) % 3 == 0; }`,
    });
    const stage = (kind: ModularStage['kind'], entryPoint: string): ModularStage => ({ kind, module, entryPoint });
    const some = stage('primitive', 'some');
    const keep = stage('vertex', 'keep');
    const third = stage('primitive', 'third');
    const pair: ModularStage[] = [
      stage('tess_control', 'cut'),
      { ...stage('tess_evaluation', 'place'), domain: 'lines', maxLevel: 3 },
    ];
    const all = await streamed('line-list', [keep, ...pair], 9);
    const patches = VERTICES / 2;
    // Two lines of three segments each.
    expect(all).toHaveLength(patches * INSTANCES * 12);
    const value = (i: number): number => ((i * 7) % 1000) + 1;
    const isKept = (at: number): boolean => {
      const i = at % patches;
      const k = Math.floor(at / patches);
      return (value(2 * i) + value(2 * i + 1) * 3 + i + k) % 3 !== 0;
    };
    const before = all.filter((__, word) => isKept(Math.floor(word / 12)));
    expect(await streamed('line-list', [keep, some, ...pair], 9)).toEqual(before);
    const thinned = (words: readonly number[]): number[] =>
      words.filter((__, word) => (words[word & ~1]! * 5 + words[word | 1]!) % 3 !== 0);
    expect(await streamed('line-list', [keep, ...pair, third], 9)).toEqual(thinned(all));
    expect(await streamed('line-list', [keep, some, ...pair, third, keep], 9)).toEqual(
      thinned(before).map((n) => n + 1)
    );
    expect(before.length).toBeLessThan(all.length);
  });
});
