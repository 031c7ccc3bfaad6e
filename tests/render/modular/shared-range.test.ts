// Indexed triangles with geometry stages, primitive stages and forks, in draw calls long enough for workers to share
// their shaded vertices. Buffers are compared with plain TypeScript, and pictures with draw calls without indices.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipeline, ModularPipelineCommands, ModularPipelineDevice, ModularStage } from '../../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';
import { firstDifference } from '../../support/first-difference';
import type { CreateOptions } from '../../support/options';
import { rounds } from '../../support/rounds';
import { open } from '../../threads/open';

const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, STORAGE: 128 } as const;
const SIZE = 64;
/** Number of values of a vertex, for tables whose stages read one to six of them. */
const VALUES = 6;

const codeOf = (values: number): string => {
  const members = Array.from({ length: values }, (_, i) => `@location(${i}) @interpolate(flat) v${i}: u32`);
  const all = (map: (i: number) => string): string => Array.from({ length: values }, (_, i) => map(i)).join(', ');
  return `enable modular_pipelines;
  struct V { ${members.join(', ')} }
  struct Seen { @builtin(position) position: vec4f, @location(0) @interpolate(flat) color: vec4u }
  @vertex fn load(v: V, @builtin(instance_index) k: u32) -> V { return V(${all((i) => `v.v${i} + k * ${i + 1}`)}); }
  @geometry fn some(v: array<V, 3>, @builtin(primitive_index) p: u32) {
    for (var k = 0u; k < v[0].v0 % 3; k++) {
      for (var c = 0; c < 3; c++) { emitVertex(V(${all((i) => `v[c].v${i} * 3 + k + p`)})); }
      endStrip();
    }
  }
  @primitive fn keep(v: array<V, 3>, @builtin(primitive_index) p: u32) -> @builtin(cull_primitive) bool {
    return (v[0].v0 + v[1].v${values - 1} + p) % 4 == 0;
  }
  @vertex fn after(v: V) -> V { return V(${all((i) => `v.v${i} ^ ${i + 7}`)}); }
  @vertex fn look(v: V) -> Seen {
    let at = vec2f(vec2u(v.v0, v.v0 >> 8) % 128) / 64 - 1;
    return Seen(vec4f(at, 0, 1), vec4u(v.v${values - 1} % 251, v.v0 % 241, 9, 255));
  }
  @fragment fn fill(@location(0) @interpolate(flat) color: vec4u) -> @location(0) vec4f { return vec4f(color) / 255; }`;
};

type Vertex = readonly number[];
type Triangle = { readonly corners: readonly Vertex[]; readonly number: number };
type Pass = GPURenderPassEncoder & ModularPipelineCommands;
type Device = GPUDevice & ModularPipelineDevice;

/** What each stage of CODE does, for a list of triangles. */
const stages: Readonly<Record<string, (triangles: readonly Triangle[]) => Triangle[]>> = {
  some: (triangles) =>
    triangles.flatMap(({ corners, number }) =>
      Array.from({ length: corners[0]![0]! % 3 }, (_, k) => ({
        number,
        corners: corners.map((vertex) => vertex.map((value) => (Math.imul(value, 3) + k + number) >>> 0)),
      }))
    ),
  keep: (triangles) =>
    triangles.filter(({ corners: [a, b], number }) => ((a![0]! + b!.at(-1)! + number) >>> 0) % 4 !== 0),
  after: (triangles) =>
    triangles.map(({ corners, number }) => ({
      number,
      corners: corners.map((vertex) => vertex.map((value, i) => (value ^ (i + 7)) >>> 0)),
    })),
};
const kinds = { load: 'vertex', some: 'geometry', keep: 'primitive', after: 'vertex', look: 'vertex' } as const;
type Name = keyof typeof kinds;

/** Tables after the stage `load`: chains, or two branches with a buffer each. */
const TABLES: readonly (readonly (readonly Name[])[])[] = [
  [['some']],
  [['keep']],
  [['some', 'after']],
  [['keep', 'after']],
  [['keep', 'some', 'after']],
  [['after', 'some', 'keep']],
  [['some'], ['after']],
  [
    ['keep', 'some'],
    ['some', 'keep', 'after'],
  ],
];

interface Scene {
  readonly values: number;
  readonly table: readonly (readonly Name[])[];
  readonly vertices: number;
  readonly more: number;
  readonly seed: number;
  readonly isShort: boolean;
  readonly baseVertex: number;
  readonly firstIndex: number;
  readonly instances: number;
}
const scenes: fc.Arbitrary<Scene> = fc.record({
  values: fc.integer({ min: 1, max: VALUES }),
  table: fc.constantFrom(...TABLES),
  vertices: fc.integer({ min: 900, max: 3500 }),
  more: fc.integer({ min: 0, max: 4000 }),
  seed: fc.integer({ min: 1, max: 1 << 30 }),
  isShort: fc.boolean(),
  baseVertex: fc.integer({ min: 0, max: 9 }),
  firstIndex: fc.integer({ min: 0, max: 7 }),
  instances: fc.integer({ min: 1, max: 3 }),
});

/** Values and indices. Each vertex is used at least once, many of them by several triangles. */
function meshOf({ vertices, more, seed, baseVertex, firstIndex }: Scene): { values: Uint32Array; indices: number[] } {
  let state = seed;
  const random = (below: number): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return (state >>> 0) % below;
  };
  const values = Uint32Array.from({ length: (vertices + baseVertex) * VALUES }, () => random(1 << 16));
  const list = Array.from({ length: vertices + more }, (_, i) => (i < vertices ? i : random(vertices)));
  const start = random(vertices);
  for (let i = start; i < list.length; i++) {
    const other = start + random(list.length - start);
    [list[i], list[other]] = [list[other]!, list[i]!];
  }
  return { values, indices: [...Array.from({ length: firstIndex }, () => 0), ...list] };
}

/** The triangles that the first stage hands on. */
function assembled(scene: Scene, { values, indices }: ReturnType<typeof meshOf>): Triangle[] {
  const triangles: Triangle[] = [];
  const vertexOf = (index: number, instance: number): Vertex =>
    Array.from(
      { length: scene.values },
      (_, i) => (values[(index + scene.baseVertex) * VALUES + i]! + instance * (i + 1)) >>> 0
    );
  for (let instance = 0; instance < scene.instances; instance++)
    for (let at = scene.firstIndex; at + 3 <= indices.length; at += 3)
      triangles.push({
        number: (at - scene.firstIndex) / 3,
        corners: [0, 1, 2].map((corner) => vertexOf(indices[at + corner]!, instance)),
      });
  return triangles;
}

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by two': { engine: 'interpreter', threads: 2 },
  'compiled, two workers, small arenas': { engine: 'jit', threads: 2, arenaBytes: 1 << 19 },
  'the scalar kernel, small arenas': { simd: false, threads: 0, arenaBytes: 1 << 19 },
};

describe.each(Object.entries(engines))('stages that emit on shared index ranges: %s', (_, options) => {
  let device: Device;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
    device.addEventListener('uncapturederror', ({ error }) => {
      throw error;
    });
  });
  afterAll(() => device.destroy());

  function bufferOf(contents: Uint32Array | Uint16Array, usage: number): GPUBuffer {
    const buffer = device.createBuffer({ size: (contents.byteLength + 3) & ~3, usage, mappedAtCreation: true });
    new (contents.constructor as Uint32ArrayConstructor)(buffer.getMappedRange()).set(contents);
    buffer.unmap();
    return buffer;
  }

  async function wordsOf(from: GPUBuffer | GPUTexture, size: number): Promise<Uint32Array> {
    const copy = device.createBuffer({ size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    const encoder = device.createCommandEncoder();
    if ('mapState' in from) encoder.copyBufferToBuffer(from, 0, copy, 0, size);
    else encoder.copyTextureToBuffer({ texture: from }, { buffer: copy, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(copy.getMappedRange().slice(0));
    copy.destroy();
    return words;
  }

  /** A pipeline with the stage `load`, then chains of stages that each end in a sink. */
  function tableOf({ values, table }: Scene, isDrawn: boolean): ModularPipeline {
    const module = device.createShaderModule({ code: codeOf(values) });
    const slots: Name[] = ['load'];
    const edges: [number, number][] = [];
    const ends = table.map((chain) => {
      let before = 0;
      for (const name of isDrawn ? [...chain, 'look' as const] : chain) {
        edges.push([before, slots.length]);
        before = slots.push(name) - 1;
      }
      return before;
    });
    const attributes = Array.from({ length: values }, (_, i) => ({
      shaderLocation: i,
      offset: 4 * i,
      format: 'uint32' as const,
    }));
    return device.createModularPipeline({
      layout: 'auto',
      input: { buffers: [{ arrayStride: VALUES * 4, attributes }] },
      edges,
      stages: slots.map((entryPoint): ModularStage => ({
        kind: kinds[entryPoint],
        module,
        entryPoint,
        ...(entryPoint === 'some' ? { maxVertices: 6 } : {}),
      })),
      sinks: ends.map((from) =>
        isDrawn
          ? { from: [from], raster: { fragment: { module, targets: [{ format: 'rgba8unorm' as const }] } } }
          : { from: [from], buffer: { arrayStride: values * 4, attributes } }
      ),
    });
  }

  function record(target: GPURenderPassDescriptor, draw: (pass: Pass) => void): void {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass(target) as Pass;
    draw(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  function drawIndexed(pass: Pass, scene: Scene, { values, indices }: ReturnType<typeof meshOf>): void {
    const { isShort, firstIndex, baseVertex, instances } = scene;
    const list = isShort ? Uint16Array.from(indices) : Uint32Array.from(indices);
    pass.setVertexBuffer(0, bufferOf(values, USAGE.VERTEX));
    pass.setIndexBuffer(bufferOf(list, USAGE.INDEX), isShort ? 'uint16' : 'uint32');
    pass.drawIndexed(indices.length - firstIndex, instances, firstIndex, baseVertex);
  }

  test('buffers receive what plain TypeScript computes, and shared vertices are shaded once', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const mesh = meshOf(scene);
        const triangles = assembled(scene, mesh);
        const wanted = scene.table.map((chain) =>
          Uint32Array.from(
            chain.reduce((list, name) => stages[name]!(list), triangles).flatMap(({ corners }) => corners.flat())
          )
        );
        const pipeline = tableOf(scene, false);
        const buffers = wanted.map(({ length }) =>
          device.createBuffer({ size: length * 4 + 4, usage: USAGE.STORAGE | USAGE.COPY_SRC })
        );
        record({ colorAttachments: [], size: [1, 1], sampleCount: 1 } as unknown as GPURenderPassDescriptor, (pass) => {
          pass.setPipeline(pipeline);
          buffers.forEach((buffer, i) => pass.setSinkBuffer(buffer, 0, undefined, undefined, 0, i));
          drawIndexed(pass, scene, mesh);
        });
        for (const [i, { length }] of wanted.entries()) {
          const found = (await wordsOf(buffers[i]!, length * 4 + 4)).subarray(0, length);
          expect(firstDifference(found, wanted[i]!)).toBe(-1);
          buffers[i]!.destroy();
        }
        const used = new Set(mesh.indices.slice(scene.firstIndex));
        // Shorter lists are shaded batch by batch.
        if (scene.vertices > 1024 && used.size === scene.vertices)
          expect(pipeline.statistics().slots[0]!.verticesIn).toBe(scene.vertices * scene.instances);
      }),
      { numRuns: rounds(20) }
    );
  }, 120_000);

  test('pictures equal those of the same triangles without indices', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const mesh = meshOf(scene);
        const pipeline = tableOf(scene, true);
        const soup = Uint32Array.from(
          mesh.indices
            .slice(scene.firstIndex)
            .flatMap((index) => [...mesh.values.subarray((index + scene.baseVertex) * VALUES).subarray(0, VALUES)])
        );
        const pictures: Uint32Array[] = [];
        for (const isIndexed of [true, false]) {
          const texture = device.createTexture({
            size: [SIZE, SIZE],
            format: 'rgba8unorm',
            usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
          });
          record({ colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }] }, (pass) => {
            pass.setPipeline(pipeline);
            if (isIndexed) drawIndexed(pass, scene, mesh);
            else {
              pass.setVertexBuffer(0, bufferOf(soup, USAGE.VERTEX));
              pass.draw(soup.length / VALUES, scene.instances);
            }
          });
          pictures.push(await wordsOf(texture, SIZE * SIZE * 4));
          texture.destroy();
        }
        expect(pictures[0]!.some((word) => word !== 0)).toBe(true);
        // A fork draws batch by batch, path by path, and batches differ with and without shared vertices.
        if (scene.table.length === 1) expect(firstDifference(pictures[0]!, pictures[1]!)).toBe(-1);
      }),
      { numRuns: rounds(8) }
    );
  }, 120_000);
});
