// Lists and strips, with and without adjacency, as inputs and outputs of stages that emit and as stream output. Checks
// which vertices form primitives and in which order, on all engines.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adjacencyIndices } from '../../../src/api/extensions/adjacency';
import type {
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  ModularPipelineCommands,
} from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open } from '../../threads/open';
import { primitivesIn } from './modular.geometry.expected';
import { type EmittedTopology } from './modular.geometry.cases';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';

const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, STORAGE: 128 } as const;
const CODE = `enable modular_pipelines;
  override count: u32 = 0;
  override ends: u32 = 0;
  struct V { @location(0) @interpolate(flat) n: u32, @location(1) @interpolate(flat) instance: u32 }
  struct P { @builtin(position) position: vec4f, @location(0) @interpolate(flat) n: u32 }
  @vertex fn load(@builtin(vertex_index) n: u32, @builtin(instance_index) k: u32) -> V { return V(n, k); }
  @geometry fn emit(v: array<V, 1>) {
    for (var i = 0u; i < count; i++) {
      if (i == ends) { endStrip(); }
      emitVertex(V(i, v[0].n));
    }
  }
  @geometry fn six(v: array<V, 6>, @builtin(primitive_index) i: u32) {
    for (var k = 0; k < 6; k++) { emitVertex(V(v[k].n, i)); }
  }
  @geometry fn four(v: array<V, 4>, @builtin(primitive_index) i: u32) {
    for (var k = 0; k < 4; k++) { emitVertex(V(v[k].n, i)); }
  }
  // Of the wall of a shaft whose corners are drawn in turns.
  fn at(i: u32) -> vec4f { return vec4f(f32(i / 2) / 4 - 0.9, f32(i % 2) * 0.7 - 0.4 + f32(i) * 0.03, 0.5, 1); }
  @geometry fn strip(v: array<V, 1>) { for (var i = 0u; i < 14; i++) { emitVertex(P(at(i), i / 2)); } }
  @geometry fn list(v: array<V, 1>) {
    for (var i = 0u; i < 12; i++) {
      emitVertex(P(at(i), i / 2));
      emitVertex(P(at(i + 1 + i % 2), i / 2));
      emitVertex(P(at(i + 2 - i % 2), i / 2));
    }
  }
  @geometry fn chain(v: array<V, 1>) { for (var i = 0u; i < 14; i++) { emitVertex(P(at(i), i / 2)); } }
  @geometry fn links(v: array<V, 1>) {
    for (var i = 0u; i < 13; i++) { emitVertex(P(at(i), i / 2)); emitVertex(P(at(i + 1), i / 2)); }
  }
  @fragment fn fs(@builtin(front_facing) front: bool, @location(0) @interpolate(flat) n: u32) -> @location(0) vec4f {
    return vec4f(f32(n + 1) / 8, f32(front), 0, 1);
  }`;
type Device = GPUDevice & ModularPipelineDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands;

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by two': { engine: 'interpreter', threads: 2 },
  'compiled, four workers, chunks, a small arena': {
    engine: 'jit',
    threads: 4,
    chunkEveryDraw: true,
    arenaBytes: 1024,
  },
  'the scalar kernel': { simd: false, threads: 0 },
  'the oracle': { immediate: true, threads: 0 },
};

/** From the Vulkan specification, "Primitive Topologies": p_i of a strip with adjacency begins at v_2i. */
const FIGURES: readonly (readonly [EmittedTopology, number, readonly (readonly number[])[]])[] = [
  [
    'line-list-adjacency',
    9,
    [
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ],
  ],
  ['line-strip-adjacency', 3, []],
  [
    'line-strip-adjacency',
    6,
    [
      [0, 1, 2, 3],
      [1, 2, 3, 4],
      [2, 3, 4, 5],
    ],
  ],
  [
    'triangle-list-adjacency',
    12,
    [
      [0, 1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10, 11],
    ],
  ],
  [
    'triangle-strip',
    6,
    [
      [0, 1, 2],
      [1, 3, 2],
      [2, 3, 4],
      [3, 5, 4],
    ],
  ],
  ['triangle-strip-adjacency', 5, []],
  ['triangle-strip-adjacency', 6, [[0, 1, 2, 5, 4, 3]]],
  ['triangle-strip-adjacency', 7, [[0, 1, 2, 5, 4, 3]]],
  [
    'triangle-strip-adjacency',
    8,
    [
      [0, 1, 2, 6, 4, 3],
      [2, 5, 6, 7, 4, 0],
    ],
  ],
  [
    'triangle-strip-adjacency',
    10,
    [
      [0, 1, 2, 6, 4, 3],
      [2, 5, 6, 8, 4, 0],
      [4, 2, 6, 9, 8, 7],
    ],
  ],
  [
    'triangle-strip-adjacency',
    13,
    [
      [0, 1, 2, 6, 4, 3],
      [2, 5, 6, 8, 4, 0],
      [4, 2, 6, 10, 8, 7],
      [6, 9, 10, 11, 8, 4],
    ],
  ],
];

describe.each(Object.entries(engines))('topologies: %s', (_, options) => {
  let device: Device;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  const load: ModularStage = {
    get module() {
      return module;
    },
    kind: 'vertex',
    entryPoint: 'load',
  };
  const geometry = (
    entryPoint: string,
    maxVertices: number,
    topology: EmittedTopology,
    constants?: Readonly<Record<string, number>>
  ): ModularStage => ({ kind: 'geometry', module, entryPoint, maxVertices, topology, constants });

  /** Returns both numbers of each vertex that draw calls stream into a buffer; `draw` sets up the draw call. */
  async function listed(
    input: ModularPipelineDescriptor['input'],
    stages: readonly ModularStage[],
    vertices: number,
    draw: (pass: Pass) => void
  ): Promise<number[][]> {
    const pipeline = device.createModularPipeline({
      layout: 'auto',
      input,
      stages,
      sinks: [
        {
          buffer: {
            arrayStride: 8,
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'uint32' },
              { shaderLocation: 1, offset: 4, format: 'uint32' },
            ],
          },
        },
      ],
    });
    const usage = USAGE.STORAGE | USAGE.COPY_SRC;
    const size = 8 * vertices + 16;
    const buffer = device.createBuffer({ size, usage });
    const counts = device.createBuffer({ size: 16, usage });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [],
      size: [1, 1],
      sampleCount: 1,
    } as unknown as GPURenderPassDescriptor) as Pass;
    device.pushErrorScope('validation');
    pass.setPipeline(pipeline);
    pass.setSinkBuffer(buffer, 0, 8 * vertices, counts);
    draw(pass);
    pass.end();
    const copy = device.createBuffer({ size: size + 16, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
    encoder.copyBufferToBuffer(counts, 0, copy, size, 16);
    device.queue.submit([encoder.finish()]);
    expect((await device.popErrorScope())?.message).toBeUndefined();
    await copy.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(copy.getMappedRange());
    const told = words[size / 4]!;
    expect([...words.subarray(size / 4 + 1)]).toEqual([1, 0, 0]);
    // The space after the sink's end is untouched.
    expect([...words.subarray(size / 4 - 4, size / 4)]).toEqual([0, 0, 0, 0]);
    return Array.from({ length: told }, (__, i) => [words[2 * i]!, words[2 * i + 1]!]);
  }
  const numbers = (found: readonly number[][]): number[] => found.map(([n]) => n!);

  test.each(FIGURES)('%s of %d vertices', async (topology, count, primitives) => {
    const wanted = primitives.flat();
    const corners = primitivesIn(topology, 99)[0]!.length;
    expect(primitivesIn(topology, count)).toEqual(primitives);
    const room = Math.max(1, wanted.length);
    const draw = (pass: Pass): void => pass.draw(count);
    expect(numbers(await listed({ topology }, [load], room, draw))).toEqual(wanted);
    expect(
      numbers(
        await listed({ topology: 'point-list' }, [load, geometry('emit', count, topology, { count })], room, (pass) =>
          pass.draw(1)
        )
      )
    ).toEqual(wanted);
    const taken = corners === 4 ? 'four' : 'six';
    if (corners < 4) return;
    const through = await listed({ topology }, [load, geometry(taken, corners, 'point-list')], room * corners, draw);
    expect(through).toEqual(primitives.flatMap((each, i) => each.map((n) => [n, i])));
  });

  test.each(['line-strip', 'triangle-strip', 'line-strip-adjacency', 'triangle-strip-adjacency'] as const)(
    'with restarts, the primitives of %s are contiguous',
    async (topology) => {
      const LENGTH = 5000;
      const FIRST = 3;
      const BASE = 10;
      const INSTANCES = 2;
      for (const [format, restart] of [
        ['uint16', 0xffff],
        ['uint32', 0xffffffff],
      ] as const) {
        // A long strip, short ones, consecutive restarts, and an index that is a restart in the other format only.
        const ends = (i: number): boolean => i > 3000 && (i % 11 === 7 || i % 9 < 2 || i > 4990);
        const name = (i: number): number => (i === 2999 ? 0xfffe : (i * 7) % 4001);
        const indices = Array.from({ length: FIRST + LENGTH }, (__, i) => (ends(i) ? restart : name(i)));
        const bytes = format === 'uint16' ? Uint16Array.from([...indices, 0]) : Uint32Array.from(indices);
        const buffer = device.createBuffer({ size: bytes.byteLength, usage: USAGE.INDEX | USAGE.COPY_DST });
        device.queue.writeBuffer(buffer, 0, bytes);
        const strips: number[][] = [[]];
        for (const index of indices.slice(FIRST)) {
          if (index === restart) strips.push([]);
          else strips.at(-1)!.push(index + BASE);
        }
        const primitives = strips.flatMap((strip) =>
          primitivesIn(topology, strip.length).map((corners) => corners.map((corner) => strip[corner]!))
        );
        const draw = (pass: Pass): void => {
          pass.setIndexBuffer(buffer, format);
          pass.drawIndexed(LENGTH, INSTANCES, FIRST, BASE);
          pass.drawIndexed(7, 1, 0);
        };
        const more = primitivesIn(topology, 7).flatMap((corners) => corners.map((corner) => [name(corner), 0]));
        const wanted = [
          ...Array.from({ length: INSTANCES }, (__, k) => primitives.flat().map((n) => [n, k])).flat(),
          ...more,
        ];
        const room = (LENGTH * INSTANCES + 7) * 6;
        expect(await listed({ topology, stripIndexFormat: format }, [load], room, draw)).toEqual(wanted);
        buffer.destroy();
      }
    }
  );

  // Tasks begin at any vertex of the strip.
  test.each(['line-strip', 'triangle-strip', 'line-strip-adjacency', 'triangle-strip-adjacency'] as const)(
    'a long %s without indices stays one strip across tasks',
    async (topology) => {
      const LENGTH = 20_001;
      const corners = primitivesIn(topology, 99)[0]!.length;
      const primitives = primitivesIn(topology, LENGTH);
      const draw = (pass: Pass): void => pass.draw(LENGTH, 2, 5);
      const wanted = [0, 1].flatMap((k) => primitives.flat().map((n) => [n + 5, k]));
      expect(await listed({ topology }, [load], wanted.length, draw)).toEqual(wanted);
      if (corners !== 6) return;
      expect(await listed({ topology }, [load, geometry('six', 6, 'point-list')], wanted.length * 6, draw)).toEqual(
        [0, 1].flatMap(() => primitives.flatMap((each, i) => each.map((n) => [n + 5, i])))
      );
    }
  );

  test.each([
    ['line-list', 9, 5],
    ['triangle-list', 11, 4],
    ['line-list-adjacency', 15, 6],
    ['triangle-list-adjacency', 20, 7],
    ['line-strip-adjacency', 13, 5],
    ['triangle-strip-adjacency', 20, 9],
  ] as const)('vertices left over by endStrip in an emitted %s make no primitive', async (topology, count, ends) => {
    const POINTS = 150;
    const stage = geometry('emit', count, topology, { count, ends });
    const wanted = [
      ...primitivesIn(topology, ends),
      ...primitivesIn(topology, count - ends).map((each) => each.map((n) => n + ends)),
    ].flat();
    const found = await listed({ topology: 'point-list' }, [load, stage], POINTS * 80, (pass) => pass.draw(POINTS));
    expect(found).toEqual(Array.from({ length: POINTS }, (__, i) => wanted.map((n) => [n, i])).flat());
  });

  test('emitted lists are drawn like equal strips', async () => {
    const pictures = await Promise.all(
      (
        [
          ['strip', 14, 'triangle-strip'],
          ['list', 36, 'triangle-list'],
          ['chain', 14, 'line-strip'],
          ['links', 26, 'line-list'],
        ] as const
      ).map(async ([entryPoint, most, topology]) => {
        const pipeline = device.createModularPipeline({
          layout: 'auto',
          input: { topology: 'point-list' },
          stages: [load, geometry(entryPoint, most, topology)],
          sinks: [{ raster: { fragment: { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] } } }],
        });
        const texture = device.createTexture({
          size: [64, 64],
          format: 'rgba8unorm',
          usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
        });
        const copy = device.createBuffer({ size: 64 * 256, usage: USAGE.MAP_READ | USAGE.COPY_DST });
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
          colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
        });
        pass.setPipeline(pipeline);
        pass.draw(1);
        pass.end();
        encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 256 }, [64, 64]);
        device.queue.submit([encoder.finish()]);
        await copy.mapAsync(GPUMapMode.READ);
        return new Uint32Array(copy.getMappedRange().slice(0));
      })
    );
    const pixels = (picture: Uint32Array): number => picture.filter((word) => word !== 0).length;
    expect(pixels(pictures[0]!)).toBeGreaterThan(500);
    expect(pictures[1]).toEqual(pictures[0]);
    expect(pixels(pictures[2]!)).toBeGreaterThan(100);
    expect(pictures[3]).toEqual(pictures[2]);
  });

  test('adjacencyIndices finds the neighbors across the edges of a mesh', async () => {
    // A closed shape: eight triangles around two poles, each with three neighbors.
    const mesh = [0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 5, 2, 1, 5, 3, 2, 5, 4, 3, 5, 1, 4];
    const indices = adjacencyIndices(mesh);
    const buffer = device.createBuffer({ size: indices.byteLength, usage: USAGE.INDEX | USAGE.COPY_DST });
    device.queue.writeBuffer(buffer, 0, indices);
    const found = await listed(
      { topology: 'triangle-list-adjacency' },
      [load, geometry('six', 6, 'triangle-list-adjacency')],
      indices.length,
      (pass) => {
        pass.setIndexBuffer(buffer, 'uint32');
        pass.drawIndexed(indices.length);
      }
    );
    expect(numbers(found)).toEqual([...indices]);
    expect(numbers(found.slice(0, 6))).toEqual([0, 4, 1, 5, 2, 3]);
  });
});
