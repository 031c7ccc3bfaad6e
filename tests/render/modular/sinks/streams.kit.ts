// Random modular pipelines whose geometry stage emits three streams: to a buffer, through a vertex stage to another
// buffer, and through fragment slots to a picture. As WGSL and as plain TypeScript, on integers.
import * as fc from 'fast-check';
import type { ModularPipelineDescriptor, ModularStage } from '../../../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../../../support/flags';
import { type Device, type Pass, USAGE } from '../modular-sinks.kit';

const SIDE = 64;
const MOST = 8;
const ROOM = 6000;
const CORNERS = { 'point-list': 1, 'line-list': 2, 'triangle-list': 3 } as const;
const TOPOLOGIES = ['point-list', 'line-list', 'triangle-list'] as const;

/** The slots, in their order. Draw calls turn `TURNED` on and off. */
const SLOTS = ['load', 'shift', 'shift', 'split', 'after', 'look', 'seed', 'mul', 'mul', 'show'] as const;
const SPLIT = SLOTS.indexOf('split');
const TURNED = [1, 2, SPLIT, 4, 6, 7, 8];

const turns = fc.array(fc.tuple(fc.constantFrom(...TURNED), fc.boolean()), { maxLength: 4 });
export const streamTables = fc.record({
  input: fc.constantFrom(...TOPOLOGIES),
  /** Topologies of streams 0 and 1. */
  outputs: fc.tuple(fc.constantFrom(...TOPOLOGIES), fc.constantFrom(...TOPOLOGIES)),
  constants: fc.array(fc.nat({ max: 9 }), { minLength: SLOTS.length, maxLength: SLOTS.length }),
  enabled: fc.array(fc.boolean(), { minLength: SLOTS.length, maxLength: SLOTS.length }),
  draws: fc.array(fc.record({ count: fc.nat({ max: 500 }), turned: turns }), { minLength: 1, maxLength: 3 }),
});
type Table = typeof streamTables extends fc.Arbitrary<infer T> ? T : never;

export const STREAMS_CODE = `enable modular_pipelines; enable fragment_stages;
  override k: u32 = 0;
  struct V { @location(0) @interpolate(flat) n: u32, @location(1) @interpolate(flat) v: u32 }
  struct S {
    @builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32, @location(1) @interpolate(flat) v: u32
  }
  @vertex fn load(@builtin(vertex_index) i: u32, @builtin(instance_index) d: u32) -> V { return V(i * 3 + d, i); }
  @vertex fn shift(v: V) -> V { return V(v.n + k, v.v); }
  @vertex fn after(v: V) -> V { return V(v.n * 5 + k, v.v + 1); }
  fn split(first: V, last: V, i: u32) {
    for (var j = 0u; j < (i * 5 + first.n + k) % ${MOST + 1}; j++) {
      let made = V(last.n * 2 + j, i * ${MOST} + j);
      switch ((j * 2 + k + i) % 3) {
        case 0 { emitVertex(made); if (j % 5 == 4) { endStrip(); } }
        case 1 { emitVertex(made, 1); if (j % 4 == 3) { endStrip(1); } }
        default { emitVertex(made, 2); }
      }
    }
  }
  @geometry fn split1(c: array<V, 1>, @builtin(primitive_index) i: u32) { split(c[0], c[0], i); }
  @geometry fn split2(c: array<V, 2>, @builtin(primitive_index) i: u32) { split(c[0], c[1], i); }
  @geometry fn split3(c: array<V, 3>, @builtin(primitive_index) i: u32) { split(c[0], c[2], i); }
  @vertex fn look(v: V) -> S {
    let at = (vec2f(vec2u(v.v % ${SIDE}, v.v / ${SIDE} % ${SIDE})) + 0.5) / ${SIDE / 2} - 1;
    return S(vec4f(at.x, -at.y, 0, 1), v.n, v.v);
  }
  @fragment fn seed(@location(0) @interpolate(flat) n: u32) -> @link(0) u32 { return n; }
  @fragment fn mul(@link(0) l: u32) -> @link(0) u32 { return l * 3 + k; }
  @fragment fn show(@link(0) l: u32, @location(1) @interpolate(flat) v: u32) -> @location(0) vec4f {
    return vec4f(vec4u(l & 255, v & 255, 7, 255)) / 255;
  }`;

interface Vertex {
  readonly n: number;
  readonly v: number;
}
/** What a table draws: words of the two buffers, and the red and green channel of each pixel. */
interface Drawn {
  readonly buffers: readonly (readonly number[])[];
  readonly picture: readonly number[];
}

/** The lists of primitives that a stage makes from the vertices of a stream; `true` ends a strip or list. */
function assembled(emitted: readonly (Vertex | true)[], corners: number): Vertex[][] {
  const primitives: Vertex[][] = [];
  let open: Vertex[] = [];
  for (const each of emitted) {
    open = each === true ? [] : [...open, each];
    if (open.length < corners) continue;
    primitives.push(open);
    open = [];
  }
  return primitives;
}

/** What each stream of the geometry stage gets for a primitive. */
function streamsOf(corners: readonly Vertex[], i: number, k: number): (Vertex | true)[][] {
  const streams: (Vertex | true)[][] = [[], [], []];
  for (let j = 0; j < (i * 5 + corners[0]!.n + k) % (MOST + 1); j++) {
    const stream = (j * 2 + k + i) % 3;
    streams[stream]!.push({ n: corners.at(-1)!.n * 2 + j, v: i * MOST + j });
    if ((stream === 0 && j % 5 === 4) || (stream === 1 && j % 4 === 3)) streams[stream]!.push(true);
  }
  return streams;
}

/** The same by composition of the functions. */
export function composedStreams({ input, outputs, constants: k, enabled, draws }: Table): Drawn {
  const on = enabled.map((is, slot) => is || !TURNED.includes(slot));
  const buffers: number[][] = [[], []];
  const picture = Array.from({ length: SIDE * SIDE * 2 }, () => 0);
  const put = (buffer: number, primitives: readonly (readonly Vertex[])[]): void => {
    for (const primitive of primitives)
      for (const { n, v } of primitive) buffers[buffer]!.push(n, v, 0, 0, primitive.length);
  };
  draws.forEach(({ count, turned }, d) => {
    for (const [slot, is] of turned) on[slot] = is;
    const corners = CORNERS[input];
    for (let i = 0; i < Math.floor(count / corners); i++) {
      const primitive = Array.from({ length: corners }, (_, c): Vertex => {
        const index = i * corners + c;
        return { n: index * 3 + d + (on[1] ? k[1]! : 0) + (on[2] ? k[2]! : 0), v: index };
      });
      if (!on[SPLIT]) {
        put(0, [primitive]);
        continue;
      }
      const [first, second, third] = streamsOf(primitive, i, k[SPLIT]!);
      put(0, assembled(first!, CORNERS[outputs[0]]));
      const after = ({ n, v }: Vertex): Vertex => (on[4] ? { n: n * 5 + k[4]!, v: v + 1 } : { n, v });
      put(
        1,
        assembled(second!, CORNERS[outputs[1]]).map((vertices) => vertices.map(after))
      );
      for (const [{ n, v }] of assembled(third!, 1) as [Vertex][]) {
        let link = on[6] ? n : 0;
        for (const slot of [7, 8]) if (on[slot]) link = link * 3 + k[slot]!;
        const pixel = 2 * (v % (SIDE * SIDE));
        picture[pixel] = link & 255;
        picture[pixel + 1] = v & 255;
      }
    }
  });
  return { buffers, picture };
}

const ATTRIBUTES = [
  { shaderLocation: 0, offset: 0, format: 'uint32' },
  { shaderLocation: 1, offset: 4, format: 'uint32' },
  // No stage writes it.
  { shaderLocation: 2, offset: 8, format: 'uint32x2' },
  { builtin: 'primitive_vertices', offset: 16, format: 'uint32' },
] as const;
const STRIDE = 20;

function descriptorOf(
  module: GPUShaderModule,
  { input, outputs, constants, enabled }: Table
): ModularPipelineDescriptor {
  const stages = SLOTS.map((name, slot): ModularStage => {
    const entryPoint = name === 'split' ? `split${CORNERS[input]}` : name;
    const kind = name === 'split' ? 'geometry' : slot > 5 ? 'pixel' : 'vertex';
    const usesConstant = ['shift', 'split', 'after', 'mul'].includes(name);
    return {
      kind,
      module,
      entryPoint,
      enabled: enabled[slot]! || !TURNED.includes(slot),
      ...(usesConstant && { constants: { k: constants[slot]! } }),
      ...(name === 'split' && { maxVertices: MOST, topology: [...outputs, 'point-list'] }),
    };
  });
  const buffer = { arrayStride: STRIDE, attributes: ATTRIBUTES };
  return {
    layout: 'auto',
    input: { topology: input },
    stages,
    edges: [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4, 1],
      [3, 5, 2],
      [5, 6],
      [6, 7],
      [7, 8],
      [8, 9],
    ],
    sinks: [
      { from: SPLIT, buffer },
      { from: 4, buffer },
      { from: 9, raster: { fragment: { targets: [{ format: 'rgba8unorm' }] } } },
    ],
  };
}

/** What a device draws. */
export async function drawnStreams(device: Device, module: GPUShaderModule, of: Table): Promise<Drawn> {
  const usage = USAGE.STORAGE | USAGE.COPY_SRC;
  const outputs = [0, 1].map(() => device.createBuffer({ size: ROOM * STRIDE, usage }));
  const counts = device.createBuffer({ size: 32, usage });
  const view = device.createTexture({
    size: [SIDE, SIDE],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: view.createView(), loadOp: 'clear', storeOp: 'store' }],
  }) as Pass;
  pass.setPipeline(device.createModularPipeline(descriptorOf(module, of)));
  outputs.forEach((buffer, sink) => pass.setSinkBuffer(buffer, 0, undefined, counts, 16 * sink, sink));
  of.draws.forEach(({ count, turned }, d) => {
    for (const [slot, is] of turned) pass.setStageEnabled(slot, is);
    pass.draw(count, 1, 0, d);
  });
  pass.end();
  const pixels = SIDE * SIDE * 4;
  const size = pixels + 32 + 2 * ROOM * STRIDE;
  const read = device.createBuffer({ size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  encoder.copyTextureToBuffer({ texture: view }, { buffer: read, bytesPerRow: SIDE * 4 }, [SIDE, SIDE]);
  encoder.copyBufferToBuffer(counts, 0, read, pixels, 32);
  outputs.forEach((buffer, i) =>
    encoder.copyBufferToBuffer(buffer, 0, read, pixels + 32 + i * ROOM * STRIDE, ROOM * STRIDE)
  );
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const bytes = read.getMappedRange().slice(0);
  for (const each of [...outputs, counts, view, read]) each.destroy();
  const colors = new Uint8Array(bytes);
  const words = new Uint32Array(bytes, pixels);
  return {
    buffers: [0, 1].map((i) => {
      const first = 8 + (i * ROOM * STRIDE) / 4;
      return [...words.subarray(first, first + (words[4 * i]! * STRIDE) / 4)];
    }),
    picture: Array.from({ length: SIDE * SIDE * 2 }, (_, i) => colors[4 * (i >> 1) + (i & 1)]!),
  };
}
