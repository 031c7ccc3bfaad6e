// Tessellation of tessellated primitives. A kernel call may end between the stages, and the next one continues there.
// Sinks receive what two passes with a buffer in between give, and work that would take forever can be aborted.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ModularPipeline,
  ModularPipelineDevice,
  ModularSink,
  ModularStage,
  ModularPipelineCommands,
} from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open, openReady } from '../../threads/open';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';
import { firstDifference } from '../../support/first-difference';

const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, VERTEX: 32, STORAGE: 128, INDIRECT: 256 } as const;
const CODE = `enable modular_pipelines;
  struct V { @location(0) @interpolate(flat) n: u32, @location(1) at: vec3f }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f, @location(0) more: f32 }
  struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn load(@builtin(vertex_index) i: u32) -> V {
    let f = f32(i);
    return V(i, vec3f(sin(f), cos(f * 1.7), fract(f * 0.37)));
  }
  @vertex fn read(@location(0) n: u32, @location(1) at: vec3f) -> V { return V(n, at); }
  fn levelsOf(n: u32) -> Levels {
    let level = vec4f(vec4u(n, n * 3, n * 5, n * 7) % 11);
    return Levels(level, level.yz + 1, f32(n % 11));
  }
  @tess_control fn cut(v: array<V, 3>) -> Levels { return levelsOf(v[0].n); }
  @tess_control fn most(v: array<V, 3>) -> Levels { return Levels(vec4f(64), vec2f(64), 0); }
  @tess_evaluation fn place(v: array<V, 3>, @builtin(tess_coord) c: vec3f, @location(0) more: f32) -> V {
    let n = v[0].n * 13 + v[1].n * 5 + v[2].n + u32(c.x * 31) * 3 + u32(c.y * 31);
    return V(n % 1000, v[0].at * c.x + v[1].at * c.y + v[2].at * c.z + more * 0.01);
  }
  @geometry fn some(v: array<V, 3>) {
    for (var k = 0u; k < v[0].n % 3; k++) {
      for (var c = 0u; c < 3; c++) { emitVertex(V(v[c].n + k, v[c].at)); }
      endStrip();
    }
  }
  fn seenOf(n: u32, at: vec3f) -> Seen { return Seen(vec4f(at, 1), vec3f(vec3u(n, n * 3, n * 5) % 64) / 63); }
  @vertex fn look(v: V) -> Seen { return seenOf(v.n, v.at); }
  @vertex fn again(@location(0) n: u32, @location(1) at: vec3f) -> Seen { return seenOf(n, at); }
  @fragment fn fill(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }`;
const SIZE = 64;
const STRIDE = 16;
const PATCHES = 70;
const MAX_BYTES = 1 << 24;

type Device = GPUDevice & ModularPipelineDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands;
type Slot = readonly [kind: ModularStage['kind'], entryPoint: string];

const ATTRIBUTES = [
  { shaderLocation: 0, offset: 0, format: 'uint32' },
  { shaderLocation: 1, offset: 4, format: 'float32x3' },
] as const;
const VERTICES = { arrayStride: STRIDE, attributes: ATTRIBUTES };
const READ: GPUVertexBufferLayout = { arrayStride: STRIDE, attributes: [...ATTRIBUTES] };
const EMPTY = {
  label: 'the pass',
  colorAttachments: [],
  size: [1, 1],
  sampleCount: 1,
} as unknown as GPURenderPassDescriptor;
const PAIR: readonly Slot[] = [
  ['tess_control', 'cut'],
  ['tess_evaluation', 'place'],
];
const DEEP_PAIR: readonly Slot[] = [
  ['tess_control', 'most'],
  ['tess_evaluation', 'place'],
];

interface Table {
  readonly slots: readonly Slot[];
  readonly sinks: readonly ModularSink[];
  readonly edges?: readonly (readonly [number, number])[];
  readonly reads?: boolean;
  readonly topology?: 'patch-list' | 'triangle-list';
}

function tableOf(device: Device, { slots, sinks, edges, reads, topology = 'patch-list' }: Table): ModularPipeline {
  const module = device.createShaderModule({ code: CODE });
  return device.createModularPipeline({
    label: 'deep',
    layout: 'auto',
    sinks,
    edges,
    input: {
      topology,
      ...(topology === 'patch-list' ? { patchVertices: 3 } : {}),
      ...(reads ? { buffers: [READ] } : {}),
    },
    stages: slots.map(([kind, entryPoint]) => ({
      kind,
      module,
      entryPoint,
      ...(kind === 'geometry' ? { maxVertices: 6 } : {}),
    })),
  });
}

const fragmentOf = (device: Device): GPUFragmentState => ({
  module: device.createShaderModule({ code: CODE }),
  entryPoint: 'fill',
  targets: [{ format: 'rgba8unorm' }],
});

/** The contents of a sink buffer. */
class Stored {
  readonly buffer: GPUBuffer;
  readonly counts: GPUBuffer;
  constructor(private readonly device: Device) {
    const usage = USAGE.STORAGE | USAGE.VERTEX | USAGE.COPY_SRC;
    this.buffer = device.createBuffer({ size: MAX_BYTES, usage });
    this.counts = device.createBuffer({ size: 16, usage: usage | USAGE.INDIRECT });
  }

  async words(): Promise<Uint32Array> {
    const [vertices] = (await wordsOf(this.device, this.counts, 16)) as unknown as [number];
    expect(vertices * STRIDE).toBeLessThanOrEqual(MAX_BYTES);
    return vertices ? wordsOf(this.device, this.buffer, vertices * STRIDE) : new Uint32Array();
  }
}

async function wordsOf(device: Device, from: GPUBuffer | GPUTexture, size: number): Promise<Uint32Array> {
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

function record(device: Device, target: GPURenderPassDescriptor, draw: (pass: Pass) => void): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass(target) as Pass;
  draw(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/** A picture to draw on. */
function canvasOf(device: Device): { texture: GPUTexture; target: GPURenderPassDescriptor } {
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  return { texture, target: { colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }] } };
}

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by two': { engine: 'interpreter', threads: 2 },
  'compiled, two workers, small arenas': { engine: 'jit', threads: 2, arenaBytes: 1 << 19 },
  'the scalar kernel, small arenas': { simd: false, threads: 0, arenaBytes: 1 << 19 },
};

describe.each(Object.entries(engines))('nested tessellation: %s', (_, options) => {
  let device: Device;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
    device.addEventListener('uncapturederror', ({ error }) => {
      throw error;
    });
  });
  afterAll(() => device.destroy());

  /** From a separate table whose input is the vertices of a buffer. */
  function storeFrom(from: Stored, slots: readonly Slot[], topology: Table['topology']): Stored {
    const to = new Stored(device);
    const table = tableOf(device, { slots, topology, reads: true, sinks: [{ buffer: VERTICES }] });
    record(device, EMPTY, (pass) => {
      pass.setPipeline(table);
      pass.setVertexBuffer(0, from.buffer);
      pass.setSinkBuffer(to.buffer, 0, undefined, to.counts);
      pass.drawIndirect(from.counts, 0);
    });
    return to;
  }

  function storeFirst(): Stored {
    const to = new Stored(device);
    record(device, EMPTY, (pass) => {
      pass.setPipeline(tableOf(device, { slots: [['vertex', 'load'], ...PAIR], sinks: [{ buffer: VERTICES }] }));
      pass.setSinkBuffer(to.buffer, 0, undefined, to.counts);
      pass.draw(PATCHES * 3);
    });
    return to;
  }

  test('a buffer receives what two passes give', async () => {
    const first = storeFirst();
    const second = storeFrom(first, [['vertex', 'read'], ...PAIR], 'patch-list');
    const nested = new Stored(device);
    record(device, EMPTY, (pass) => {
      pass.setPipeline(
        tableOf(device, { slots: [['vertex', 'load'], ...PAIR, ...PAIR], sinks: [{ buffer: VERTICES }] })
      );
      pass.setSinkBuffer(nested.buffer, 0, undefined, nested.counts);
      pass.draw(PATCHES * 3);
    });
    const [found, wanted] = [await nested.words(), await second.words()];
    expect(wanted.length).toBeGreaterThan(100_000);
    expect(found.length).toBe(wanted.length);
    expect(firstDifference(found, wanted)).toBe(-1);
  }, 120_000);

  test('forks give each sink what separate passes give', async () => {
    const first = storeFirst();
    const second = storeFrom(first, [['vertex', 'read'], ...PAIR], 'patch-list');
    const emitted = storeFrom(
      first,
      [
        ['vertex', 'read'],
        ['geometry', 'some'],
      ],
      'triangle-list'
    );
    const direct = canvasOf(device);
    const later = canvasOf(device);
    const sinks = [new Stored(device), new Stored(device)];
    record(device, direct.target, (pass) => {
      pass.setPipeline(
        tableOf(device, {
          slots: [['vertex', 'load'], ...PAIR, ...PAIR, ['geometry', 'some'], ['vertex', 'look']],
          edges: [
            [0, 1],
            [1, 2],
            [2, 3],
            [3, 4],
            [2, 5],
            [4, 6],
          ],
          sinks: [
            { from: [4], buffer: VERTICES },
            { from: [5], buffer: VERTICES },
            { from: [6], raster: { fragment: fragmentOf(device) } },
          ],
        })
      );
      sinks.forEach(({ buffer, counts }, i) => pass.setSinkBuffer(buffer, 0, undefined, counts, 0, i));
      pass.draw(PATCHES * 3);
    });
    record(device, later.target, (pass) => {
      pass.setPipeline(
        device.createRenderPipeline({
          layout: 'auto',
          fragment: fragmentOf(device),
          vertex: { module: device.createShaderModule({ code: CODE }), entryPoint: 'again', buffers: [READ] },
        })
      );
      pass.setVertexBuffer(0, second.buffer);
      pass.drawIndirect(second.counts, 0);
    });
    for (const [i, wanted] of [await second.words(), await emitted.words()].entries()) {
      const found = await sinks[i]!.words();
      expect(wanted.length).toBeGreaterThan(1000);
      expect(found.length).toBe(wanted.length);
      expect(firstDifference(found, wanted)).toBe(-1);
    }
    const pictures = [];
    for (const { texture } of [direct, later]) pictures.push(await wordsOf(device, texture, SIZE * SIZE * 4));
    expect(pictures[0]!.filter((word) => word !== 0).length).toBeGreaterThan(500);
    expect(pictures[0]).toEqual(pictures[1]);
  }, 120_000);
});

const TIMEOUT_MS = 20;

describe.each([0, 2])('three nested tessellations at level 64, %d workers', (threads) => {
  function submit(device: Device, end: 'buffer' | 'raster'): void {
    const slots: Slot[] = [['vertex', 'load'], ...DEEP_PAIR, ...DEEP_PAIR, ...DEEP_PAIR];
    const isDrawn = end === 'raster';
    const table = tableOf(
      device,
      isDrawn
        ? { slots: [...slots, ['vertex', 'look']], sinks: [{ raster: { fragment: fragmentOf(device) } }] }
        : { slots, sinks: [{ buffer: VERTICES }] }
    );
    record(device, isDrawn ? { ...canvasOf(device).target, label: 'the pass' } : EMPTY, (pass) => {
      pass.setPipeline(table);
      if (!isDrawn) pass.setSinkBuffer(device.createBuffer({ size: 4800, usage: USAGE.STORAGE }));
      pass.draw(3);
    });
    void device.queue.onSubmittedWorkDone();
  }

  test.each(['buffer', 'raster'] as const)(
    'a draw call to a %s is aborted with an error naming it',
    async (end) => {
      const device = (await openReady({ threads, timeoutMs: TIMEOUT_MS })) as unknown as Device;
      submit(device, end);
      const { reason, message } = await device.lost;
      expect(reason).toBe('unknown');
      expect(message).toMatch(/draw 0 with pipeline "deep" in render pass "the pass" /);
      expect(message).toMatch(/ more than 100 times the 20 ms that a shader may run/);
    },
    120_000
  );

  test.each(['buffer', 'raster'] as const)(
    'a draw call to a %s ends when the device is destroyed',
    async (end) => {
      const device = (await openReady({ threads })) as unknown as Device;
      submit(device, end);
      setTimeout(() => device.destroy(), 50);
      expect((await device.lost).reason).toBe('destroyed');
    },
    120_000
  );
});
