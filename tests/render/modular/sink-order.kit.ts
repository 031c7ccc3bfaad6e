// Pipelines that stream primitives in each processing order.
import { expect } from 'vitest';
import type {
  ModularPipeline,
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  ProcessingOrderCommands,
  SampleOrder,
  StatisticsDevice,
  ModularPipelineCommands,
} from '../../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';

export const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, STORAGE: 128, INDIRECT: 256 } as const;
const CODE = `enable modular_pipelines;
  struct V { @location(0) @interpolate(flat) n: u32, @location(1) @interpolate(flat) k: u32 }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
  struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @group(0) @binding(0) var map: texture_2d<f32>;
  @vertex fn load(@builtin(vertex_index) i: u32, @builtin(instance_index) draw: u32) -> V { return V(i, draw * 64); }
  @vertex fn read(@builtin(vertex_index) i: u32, @builtin(instance_index) draw: u32) -> V {
    return V(u32(textureLoad(map, vec2u(i % 200, i / 200 % 150), 0).x * 255) * 3, i);
  }
  @vertex fn more(v: V) -> V { return V(v.n, v.k + 32); }
  @geometry fn some(v: array<V, 3>) {
    let many = v[0].n / 3 * 7 % 4;
    for (var k = 0u; k < many; k++) {
      for (var c = 0u; c < 3; c++) { emitVertex(V(v[c].n, v[c].k + k)); }
      endStrip();
    }
  }
  @primitive fn odd(v: array<V, 3>) -> @builtin(cull_primitive) bool { return v[0].n / 3 % 2 == 1; }
  @tess_control fn cut(v: array<V, 3>) -> Levels {
    let level = f32(v[0].n / 3 % 4);
    return Levels(vec4f(level), vec2f(level));
  }
  @tess_evaluation fn place(v: array<V, 3>, @builtin(tess_coord) at: vec3f) -> V {
    return V(v[0].n, v[0].k + u32(at.x * 4) * 8 + u32(at.y * 4));
  }
  @vertex fn look(v: V) -> Seen {
    let at = vec2f(f32(v.n * 37 % 101), f32(v.n * 53 % 103)) / 51 - 1;
    return Seen(vec4f(at, f32(v.n % 97) / 97, 1), vec3f(f32(v.n % 7), f32(v.n % 5), f32(v.k)) / 7);
  }
  @fragment fn fill(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }`;
/** Vertices per draw call: several tasks, whatever the stages emit. */
export const VERTICES = 9_000;
export const STRIDE = 8;
const RESTART = 0xffff_ffff;

export type Device = StatisticsDevice & ModularPipelineDevice;
export type Pass = GPURenderPassEncoder & ModularPipelineCommands & ProcessingOrderCommands;
export type Type = Parameters<ProcessingOrderCommands['setProcessingOrder']>[0];
/** `most`: maximum number of primitives per input primitive. */
export interface Kind {
  readonly type: Type;
  readonly most: number;
  readonly slots: readonly (readonly [ModularStage['kind'], string])[];
  readonly isStrip?: true;
  readonly isPatch?: true;
  readonly joins?: true;
}
export const KINDS = {
  emitted: {
    type: 'primitive',
    most: 7,
    slots: [
      ['vertex', 'load'],
      ['geometry', 'some'],
    ],
  },
  dropped: {
    type: 'primitive',
    most: 1,
    slots: [
      ['vertex', 'load'],
      ['primitive', 'odd'],
    ],
  },
  tessellated: {
    type: 'primitive',
    most: 32,
    isPatch: true,
    slots: [
      ['vertex', 'load'],
      ['tess_control', 'cut'],
      ['tess_evaluation', 'place'],
    ],
  },
  'of two paths': {
    type: 'vertex',
    most: 2,
    joins: true,
    slots: [
      ['vertex', 'load'],
      ['vertex', 'more'],
    ],
  },
  'of strips with restarts': { type: 'vertex', most: 1, isStrip: true, slots: [['vertex', 'load']] },
  'of a list': { type: 'vertex', most: 1, slots: [['vertex', 'load']] },
} as const satisfies Record<string, Kind>;

export const BUFFER = {
  arrayStride: STRIDE,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'uint32' },
    { shaderLocation: 1, offset: 4, format: 'uint32' },
  ],
} as const;
const modules = new WeakMap<GPUDevice, GPUShaderModule>();

export function moduleOf(device: GPUDevice): GPUShaderModule {
  const module = modules.get(device) ?? device.createShaderModule({ code: CODE });
  modules.set(device, module);
  return module;
}

export function tableOf(
  device: Device,
  { slots, isStrip, isPatch, joins }: Kind,
  given: Partial<ModularPipelineDescriptor> = {}
): ModularPipeline {
  const module = moduleOf(device);
  return device.createModularPipeline({
    label: 'storing',
    layout: 'auto',
    input: {
      topology: isPatch ? 'patch-list' : isStrip ? 'triangle-strip' : 'triangle-list',
      ...(isPatch ? { patchVertices: 3 } : {}),
      ...(isStrip ? { stripIndexFormat: 'uint32' } : {}),
    },
    stages: slots.map(([kind, entryPoint]) => ({
      kind,
      module,
      entryPoint,
      ...(kind === 'geometry' ? { maxVertices: 9 } : {}),
      ...(kind === 'tess_evaluation' ? { maxLevel: 4 } : {}),
    })),
    ...(joins ? { edges: [[0, 1]] } : {}),
    sinks: [{ ...(joins ? { from: [0, 1] } : {}), buffer: BUFFER }],
    ...given,
  });
}

export interface Way {
  readonly table?: ModularPipeline;
  /** The sample type whose order is set. */
  readonly type?: Type;
  readonly bundled?: boolean;
  /** One indirect draw call into a sink of this many bytes, in place of direct ones. */
  readonly bytes?: number;
}

export const empty = { colorAttachments: [], size: [1, 1], sampleCount: 1 } as unknown as GPURenderPassDescriptor;
export const drawingTo = (texture: GPUTexture): GPURenderPassDescriptor => ({
  colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
});

/** Sets the sink buffer of draw calls in a pass or in a bundle. */
type SetSink = (to: Pick<Pass, 'setSinkBuffer'>) => void;

/** Returns the words that a pass stores in a sink of at most `bytes` bytes. */
export async function wordsOf(
  device: Device,
  bytes: number,
  record: (pass: Pass, setSink: SetSink) => void,
  descriptor = empty
): Promise<Uint32Array> {
  const size = bytes + 64;
  const usage = USAGE.STORAGE | USAGE.COPY_SRC;
  const target = device.createBuffer({ size, usage });
  const counts = device.createBuffer({ size: 16, usage });
  const copy = device.createBuffer({ size: size + 16, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass(descriptor) as Pass;
  record(pass, (to) => to.setSinkBuffer(target, 0, bytes, counts));
  pass.end();
  encoder.copyBufferToBuffer(target, 0, copy, 0, size);
  encoder.copyBufferToBuffer(counts, 0, copy, size, 16);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange().slice(0));
  const told = words[size / 4]!;
  for (const used of [target, counts, copy]) used.destroy();
  expect([...words.subarray(size / 4 + 1)]).toEqual([1, 0, 0]);
  // The space after the sink's end.
  expect(words.subarray(bytes / 4, size / 4).every((word) => word === 0)).toBe(true);
  return words.subarray(0, told * 2);
}

/** Returns a string per primitive. */
export async function stored(
  device: Device,
  kind: Kind,
  orders: readonly SampleOrder[],
  { table = tableOf(device, kind), type = kind.type, bundled = false, bytes }: Way = {}
): Promise<string[]> {
  const list = Uint32Array.from({ length: VERTICES }, (_, i) => (i % 11 === 7 || i % 100 < 2 ? RESTART : i));
  const indices = device.createBuffer({ size: list.byteLength, usage: USAGE.INDEX | USAGE.COPY_DST });
  device.queue.writeBuffer(indices, 0, list);
  const indirect = device.createBuffer({ size: 16, usage: USAGE.INDIRECT | USAGE.COPY_DST });
  device.queue.writeBuffer(indirect, 0, Uint32Array.of(VERTICES, 1, 0, 0));
  const texture = device.createTexture({ size: [1, 1], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT });
  // Draw call `i` has instance `i`.
  const draw = (to: Pass, i: number): void => {
    to.setPipeline(table);
    to.setIndexBuffer(indices, 'uint32');
    if (bytes !== undefined) to.drawIndirect(indirect, 0);
    else if (kind.isStrip) to.drawIndexed(VERTICES, 1, 0, 0, i);
    else to.draw(VERTICES, 1, 0, i);
  };
  const most = (kind.isStrip ? VERTICES : VERTICES / 3) * kind.most * 3 * STRIDE;
  const words = await wordsOf(
    device,
    bytes ?? orders.length * most,
    (pass, setSink) => {
      if (!bundled) {
        setSink(pass);
        orders.forEach((order, i) => {
          pass.setProcessingOrder(type, order);
          draw(pass, i);
        });
        return;
      }
      const bundle = device.createRenderBundleEncoder({ colorFormats: ['r8unorm'] }) as unknown as Pass;
      setSink(bundle);
      orders.forEach((_, i) => draw(bundle, i));
      pass.setProcessingOrder(type, orders[0]!);
      pass.executeBundles([(bundle as unknown as GPURenderBundleEncoder).finish()]);
    },
    bundled ? drawingTo(texture) : empty
  );
  for (const used of [indices, indirect, texture]) used.destroy();
  return primitivesOf(words, 3);
}

export const primitivesOf = (words: ArrayLike<number>, corners: number): string[] =>
  Array.from({ length: words.length / (2 * corners) }, (_, i) =>
    Array.from({ length: 2 * corners }, (__, at) => words[i * 2 * corners + at]).join()
  );
export const sorted = (primitives: readonly string[]): string[] => [...primitives].sort();
/** The draw call of `stored` that a primitive belongs to. */
export const drawOf = (primitive: string): number => Math.floor(Number(primitive.split(',')[1]) / 64);
export const all = (order: SampleOrder, count: number): SampleOrder[] => Array.from({ length: count }, () => order);
