// Random modular pipelines with stages that emit and tessellate, as WGSL and as plain TypeScript. A packet is two
// integers. The last stage turns its input into points whose pixels depend on the integers. The last point at a pixel
// is visible, which reveals the order of primitives.
import * as fc from 'fast-check';
import type {
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularSink,
  ModularStage,
  ProcessingOrderCommands,
  SampleOrder,
  ModularPipelineCommands,
} from '../../../src/index';
import { cut, type Domain, type Spacing } from './tessellation.kit';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';

const MASK = 1023;
const WIDTH = 128;
const HEIGHT = 64;
const PIXELS = WIDTH * HEIGHT;
const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, STORAGE: 128 } as const;
const INPUTS = {
  'point-list': 1,
  'line-list': 2,
  'line-strip': 2,
  'triangle-list': 3,
  'triangle-strip': 3,
  'line-list-adjacency': 4,
  'line-strip-adjacency': 4,
  'triangle-list-adjacency': 6,
  'triangle-strip-adjacency': 6,
  'patch-list': 4,
} as const;
type Topology = keyof typeof INPUTS;
const TOPOLOGIES = Object.keys(INPUTS) as Topology[];
export type EmittedTopology = Exclude<Topology, 'patch-list'>;
const MADE = TOPOLOGIES.filter((topology): topology is EmittedTopology => topology !== 'patch-list');
const RESTART = 0xffff;

interface VertexStage {
  readonly kind: 'vertex';
  readonly factor: number;
  readonly addend: number;
  readonly on: boolean;
}
interface GeometryStage {
  readonly kind: 'geometry';
  readonly most: number;
  readonly topology: EmittedTopology;
  /** A strip ends at vertices whose number is a multiple of this. */
  readonly cut: number;
  readonly straight: boolean;
}
/** Two slots: control and evaluation. */
interface PatchStage {
  readonly kind: 'tess';
  readonly domain: Domain;
  readonly spacing: Spacing;
  readonly winding: 'ccw' | 'cw';
  readonly points: boolean;
  /** Maximum number of primitives per patch: levels are up to 5. */
  readonly most: 50;
}
type AnyStage = VertexStage | GeometryStage | PatchStage;
interface EmittingCase {
  readonly input: Topology;
  readonly indexed: boolean;
  /** Number of indices after which indexed strips restart. */
  readonly restart: number;
  readonly stages: readonly AnyStage[];
  readonly vertices: number;
  readonly instances: number;
}

const vertexStage: fc.Arbitrary<VertexStage> = fc.record({
  kind: fc.constant('vertex'),
  factor: fc.integer({ min: 1, max: 5 }),
  addend: fc.nat({ max: 9 }),
  on: fc.boolean(),
});
const geometryStage: fc.Arbitrary<GeometryStage> = fc.record({
  kind: fc.constant('geometry'),
  most: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 40 })),
  topology: fc.constantFrom(...MADE),
  cut: fc.oneof(fc.integer({ min: 2, max: 7 }), fc.integer({ min: 8, max: 40 })),
  straight: fc.boolean(),
});
const patchStage: fc.Arbitrary<PatchStage> = fc.record({
  kind: fc.constant('tess'),
  domain: fc.constantFrom('triangles', 'quads', 'lines'),
  spacing: fc.constantFrom('equal', 'fractional-odd', 'fractional-even'),
  winding: fc.constantFrom('ccw', 'cw'),
  points: fc.boolean(),
  most: fc.constant(50),
});
/** Upper bound of primitives that may come from one. */
const MAX_AMPLIFIED = 20_000;
export const emittingTables: fc.Arbitrary<EmittingCase> = fc.record({
  input: fc.constantFrom(...TOPOLOGIES),
  indexed: fc.boolean(),
  restart: fc.oneof(fc.integer({ min: 2, max: 15 }), fc.integer({ min: 16, max: 1000 })),
  stages: fc
    .array(fc.oneof(vertexStage, vertexStage, geometryStage, patchStage), { minLength: 1, maxLength: 4 })
    .filter((stages) => amplified(stages) < MAX_AMPLIFIED),
  vertices: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 700 })),
  instances: fc.integer({ min: 1, max: 3 }),
});

const index = (i: number): number => (i * 7 + (i >>> 2)) % 97;
const isStrip = (topology: Topology): boolean => /strip/.test(topology);
/** The vertices of a draw call; RESTART where a strip restarts. */
const indicesOf = ({ input, indexed, restart, vertices }: EmittingCase): number[] =>
  Array.from({ length: vertices }, (_, i) =>
    !indexed ? i : isStrip(input) && i % restart === restart - 1 ? RESTART : index(i)
  );

/** Slightly more than what is drawn. */
function indexBytes(of: EmittingCase): Uint16Array<ArrayBuffer> {
  const indices = indicesOf({ ...of, indexed: true });
  return Uint16Array.from({ length: 702 }, (_, i) => indices[i] ?? 0);
}

const amplified = (stages: readonly AnyStage[]): number =>
  stages.reduce((all, stage) => (stage.kind === 'vertex' ? all : all * stage.most), 1);
const madeOf = (stage: GeometryStage | PatchStage): EmittedTopology =>
  stage.kind === 'geometry'
    ? stage.topology
    : stage.points
      ? 'point-list'
      : stage.domain === 'lines'
        ? 'line-list'
        : 'triangle-list';

interface Packet {
  readonly a: number;
  readonly b: number;
}
interface Primitive {
  readonly corners: readonly Packet[];
  readonly number: number;
}

/**
 * The primitives of `count` vertices as vertex numbers, after the section on primitive topologies of the Vulkan
 * specification.
 */
export function primitivesIn(topology: Topology, count: number): number[][] {
  const corners = INPUTS[topology];
  const all = (length: number, of: (i: number) => number[]): number[][] =>
    Array.from({ length: Math.max(0, length) }, (_, i) => of(i));
  const following = (first: number): number[] => Array.from({ length: corners }, (_, c) => first + c);
  if (topology === 'triangle-strip') return all(count - 2, (i) => [i, i + 1 + (i % 2), i + 2 - (i % 2)]);
  if (topology !== 'triangle-strip-adjacency')
    return isStrip(topology)
      ? all(count - corners + 1, following)
      : all(Math.floor(count / corners), (i) => following(i * corners));
  const triangles = Math.floor((count - 4) / 2);
  return all(triangles, (i) => {
    const before = i === 0 ? 1 : 2 * i - 2;
    const behind = i === triangles - 1 ? 2 * i + 5 : 2 * i + 6;
    return i % 2 === 0
      ? [2 * i, before, 2 * i + 2, behind, 2 * i + 4, 2 * i + 3]
      : [2 * i, 2 * i + 3, 2 * i + 4, behind, 2 * i + 2, before];
  });
}

/** The primitives of the draw call's vertices. The number of a strip's primitive is that of its first vertex. */
function assembled(of: EmittingCase, at: readonly Packet[]): Primitive[] {
  const indices = indicesOf(of);
  const found: Primitive[] = [];
  const step = of.input === 'triangle-strip-adjacency' ? 2 : 1;
  for (let first = 0; first < of.vertices;) {
    const end = indices.indexOf(RESTART, first);
    const next = end < 0 ? of.vertices : end;
    for (const [k, corners] of primitivesIn(of.input, next - first).entries()) {
      found.push({
        corners: corners.map((corner) => at[first + corner]!),
        number: isStrip(of.input) ? Math.floor((first + step * k) / step) : found.length,
      });
    }
    first = next + 1;
  }
  return found;
}

const onVertex = ({ factor, addend }: VertexStage, { a, b }: Packet, vertex: number, instance: number): Packet => ({
  a: (a * factor + b + addend) & MASK,
  b: (b + vertex + instance * 3) & MASK,
});

/** The output of a primitive: strips of vertices, each with its number. */
function emitted({ most, cut: every }: GeometryStage, { corners, number }: Primitive): Packet[][] {
  const all: Packet[][] = [[]];
  const [first] = corners;
  const count = (first!.a + number) % (most + 1);
  for (let k = 0; k < count; k++) {
    const one = corners[k % corners.length]!;
    const other = corners[(k + 1) % corners.length]!;
    all.at(-1)!.push({ a: (one.a * 3 + other.b + k) & MASK, b: (first!.b + number * 5 + k) & MASK });
    if ((first!.b + k) % every === 0) all.push([]);
  }
  return all;
}

/** The output of a patch: vertices and the primitives between them. */
function tessellated(
  { domain, spacing, winding, points }: PatchStage,
  { corners, number }: Primitive
): { vertices: Packet[]; primitives: readonly (readonly number[])[] } {
  const [first, last] = [corners[0]!, corners.at(-1)!];
  const other = corners[1 % corners.length]!;
  const outer = [0, 1, 2, 3].map((k) => ((first.a + k + number) % 8) * 0.75);
  const inner = [0, 1].map((k) => ((first.b + k) % 6) * 0.75 + 0.5);
  const { vertices, primitives } = cut({ domain, spacing, outer, inner, maxLevel: 5 });
  const turned = winding === 'cw' && domain !== 'lines';
  const sum = first.a + number * 3;
  const part = (x: number): number => Math.floor(x * 512);
  return {
    vertices: vertices.map(([u, v, w]) => ({
      a: (first.a * 3 + last.b + part(u) * 7 + part(v) * 5) & MASK,
      b: (sum + other.b + part(w) + number) & MASK,
    })),
    primitives: points
      ? vertices.map((_, i) => [i])
      : turned
        ? primitives.map(([a, b, c]) => [a!, c!, b!])
        : primitives,
  };
}

/** The primitives after all stages, in order. */
function* primitivesOf(of: EmittingCase): Iterable<Primitive & { readonly instance: number }> {
  const [firstGeometry = of.stages.length] = of.stages
    .map((stage, i) => (stage.kind === 'vertex' ? -1 : i))
    .filter((i) => i >= 0);
  for (let instance = 0; instance < of.instances; instance++) {
    const shade = (packets: readonly Packet[], from: number, to: number, numbers: readonly number[]): Packet[] =>
      packets.map((packet, v) =>
        of.stages
          .slice(from, to)
          .reduce(
            (last, stage) =>
              stage.kind === 'vertex' && stage.on ? onVertex(stage, last, numbers[v]!, instance) : last,
            packet
          )
      );
    const numbers = indicesOf(of);
    let packets = shade(
      numbers.map((n) => ({ a: (n * 5) & MASK, b: n })),
      0,
      firstGeometry,
      numbers
    );
    let primitives = assembled(of, packets);
    for (let at = firstGeometry; at < of.stages.length;) {
      const stage = of.stages[at] as GeometryStage | PatchStage;
      const next = of.stages.findIndex((each, i) => i > at && each.kind !== 'vertex');
      const end = next < 0 ? of.stages.length : next;
      primitives = primitives.flatMap((primitive) => {
        if (stage.kind === 'tess') {
          const { vertices, primitives: lists } = tessellated(stage, primitive);
          packets = shade(
            vertices,
            at + 1,
            end,
            vertices.map((_, i) => i)
          );
          return lists.map((list) => ({ corners: list.map((i) => packets[i]!), number: primitive.number }));
        }
        let k = 0;
        return emitted(stage, primitive).flatMap((strip) => {
          packets = shade(
            strip,
            at + 1,
            end,
            strip.map((_, i) => k + i)
          );
          k += strip.length;
          return primitivesIn(stage.topology, packets.length).map((corners) => ({
            corners: corners.map((corner) => packets[corner]!),
            number: primitive.number,
          }));
        });
      });
      at = end;
    }
    for (const primitive of primitives) yield { ...primitive, instance };
  }
}

/** A word per pixel: the last point there, and 1; 0 where there is none. */
export function emittedBy(of: EmittingCase): Uint32Array {
  const found = new Uint32Array(PIXELS);
  for (const { corners, number, instance } of primitivesOf(of))
    corners.forEach(({ a, b }, k) => {
      const value = a * 1024 + b;
      found[(value * 31 + number * 17 + k * 5 + instance * 999) % PIXELS] = value + 1;
    });
  return found;
}

/** Two words per vertex, primitive by primitive. */
export const listedBy = (of: EmittingCase): number[] =>
  [...primitivesOf(of)].flatMap(({ corners }) => corners.flatMap(({ a, b }) => [a, b]));

function stageText(stage: AnyStage, i: number, corners: number): string {
  if (stage.kind === 'vertex')
    return `@vertex fn s${i}(p: P, @builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> P {
      return P((p.a * ${stage.factor} + p.b + ${stage.addend}) & ${MASK}, (p.b + vertex + instance * 3) & ${MASK});
    }`;
  if (stage.kind === 'tess')
    return `struct Levels${i} {
      @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f, @location(0) sum: u32,
    }
    @tess_control fn c${i}(v: array<P, ${corners}>, @builtin(primitive_index) i: u32) -> Levels${i} {
      let outer = vec4f((vec4u(0, 1, 2, 3) + v[0].a + i) % 8) * 0.75;
      return Levels${i}(outer, vec2f((vec2u(0, 1) + v[0].b) % 6) * 0.75 + 0.5, v[0].a + i * 3);
    }
    @tess_evaluation fn s${i}(
      v: array<P, ${corners}>, @builtin(tess_coord) at: vec3f, @builtin(primitive_index) i: u32, @location(0) sum: u32
    ) -> P {
      let part = vec3u(at * 512);
      return P(
        (v[0].a * 3 + v[${corners - 1}].b + part.x * 7 + part.y * 5) & ${MASK},
        (sum + v[${1 % corners}].b + part.z + i) & ${MASK}
      );
    }`;
  const { most, cut: every, straight } = stage;
  const each = (k: string): string => `
    emitVertex(P((v[${k} % ${corners}].a * 3 + v[(${k} + 1) % ${corners}].b + ${k}) & ${MASK},
      (v[0].b + i * 5 + ${k}) & ${MASK}));
    if ((v[0].b + ${k}) % ${every} == 0) { endStrip(); }`;
  return `@geometry fn s${i}(v: array<P, ${corners}>, @builtin(primitive_index) i: u32) {
    let count = (v[0].a + i) % ${most + 1};
    ${
      straight && most < 7
        ? Array.from({ length: most }, (_, k) => `if (${k}u < count) { ${each(`${k}u`)} }`).join('\n')
        : `for (var k = 0u; k < count; k++) { ${each('k')} }`
    }
  }`;
}

function wgslOf({ stages, input }: EmittingCase): string {
  let corners: number = INPUTS[input];
  const texts = stages.map((stage, i) => {
    const text = stageText(stage, i, corners);
    if (stage.kind !== 'vertex') corners = INPUTS[madeOf(stage)];
    return text;
  });
  return `enable modular_pipelines;
    struct P { @location(0) @interpolate(flat) a: u32, @location(1) @interpolate(flat) b: u32 }
    struct Point { @builtin(position) position: vec4f, @location(0) @interpolate(flat) value: u32 }
    @group(0) @binding(0) var<storage, read_write> found: array<u32>;
    @vertex fn load(@builtin(vertex_index) n: u32) -> P { return P((n * 5) & ${MASK}, n); }
    ${texts.join('\n')}
    @geometry fn points(
      v: array<P, ${corners}>, @builtin(primitive_index) i: u32, @builtin(instance_index) instance: u32
    ) {
      for (var k = 0u; k < ${corners}u; k++) {
        let value = v[k].a * 1024 + v[k].b;
        let pixel = (value * 31 + i * 17 + k * 5 + instance * 999) % ${PIXELS};
        let place = vec2f(vec2u(pixel % ${WIDTH}, pixel / ${WIDTH})) + 0.5;
        emitVertex(Point(vec4f(place.x / ${WIDTH / 2} - 1, 1 - place.y / ${HEIGHT / 2}, 0.5, 1), value));
      }
    }
    @fragment fn fs(@builtin(position) p: vec4f, @location(0) @interpolate(flat) value: u32) {
      found[u32(p.y) * ${WIDTH} + u32(p.x)] = value + 1;
    }`;
}

const slotsOf = (module: GPUShaderModule, stages: EmittingCase['stages']): readonly ModularStage[] => [
  { kind: 'vertex', module, entryPoint: 'load' },
  ...stages.flatMap((stage, i): ModularStage[] => {
    const entryPoint = `s${i}`;
    if (stage.kind === 'vertex') return [{ kind: stage.kind, module, entryPoint, enabled: stage.on }];
    if (stage.kind === 'geometry')
      return [{ kind: stage.kind, module, entryPoint, maxVertices: stage.most, topology: stage.topology }];
    const { domain, spacing, winding, points } = stage;
    return [
      { kind: 'tess_control', module, entryPoint: `c${i}` },
      {
        kind: 'tess_evaluation',
        module,
        entryPoint,
        domain,
        spacing,
        winding,
        maxLevel: 5,
        topology: points ? 'point-list' : undefined,
      },
    ];
  }),
];

const inputOf = ({ input, indexed }: EmittingCase): ModularPipelineDescriptor['input'] => ({
  topology: input,
  ...(isStrip(input) && indexed && { stripIndexFormat: 'uint16' }),
  ...(input === 'patch-list' && { patchVertices: 4 }),
});

/** Vertices per primitive at the end of the pipeline. */
export const cornersAtEnd = ({ input, stages }: EmittingCase): number =>
  INPUTS[stages.reduce<Topology>((before, stage) => (stage.kind === 'vertex' ? before : madeOf(stage)), input)];

/**
 * Returns what two draw calls stream into a buffer, and the words that count the vertices. `forks`: the first or the
 * last slot leads to a second buffer, too.
 */
export async function listedOn(
  device: GPUDevice,
  of: EmittingCase,
  forks: 'first' | 'last' | null = null,
  order: SampleOrder = 'received'
): Promise<{ readonly vertices: readonly number[]; readonly counts: readonly number[] }> {
  const { stages, indexed, vertices, instances } = of;
  const made = device as GPUDevice & ModularPipelineDevice;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgslOf(of) });
  const slots = slotsOf(module, stages);
  const sink = (from?: number): ModularSink => ({
    from,
    buffer: {
      arrayStride: 8,
      attributes: [
        { shaderLocation: 0, offset: 0, format: 'uint32' },
        { shaderLocation: 1, offset: 4, format: 'uint32' },
      ],
    },
  });
  const pipeline = made.createModularPipeline({
    layout: 'auto',
    input: inputOf(of),
    stages: slots,
    sinks: forks ? [sink(forks === 'first' ? 0 : slots.length - 1), sink()] : [sink()],
  });
  const indices = device.createBuffer({ size: 1400 + 4, usage: USAGE.INDEX | USAGE.COPY_DST });
  device.queue.writeBuffer(indices, 0, indexBytes(of));
  const share = amplified(stages);
  const usage = USAGE.STORAGE | USAGE.COPY_SRC;
  const size = 2 * vertices * instances * share * 6 * 8 + 16;
  const buffer = device.createBuffer({ size, usage });
  const counts = device.createBuffer({ size: 16, usage });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [],
    size: [1, 1],
    sampleCount: 1,
  } as unknown as GPURenderPassDescriptor) as GPURenderPassEncoder & ModularPipelineCommands & ProcessingOrderCommands;
  pass.setPipeline(pipeline);
  for (const type of ['vertex', 'primitive'] as const) pass.setProcessingOrder(type, order);
  pass.setIndexBuffer(indices, 'uint16');
  const other = device.createBuffer({ size, usage });
  if (forks) pass.setSinkBuffer(other);
  pass.setSinkBuffer(buffer, 0, undefined, counts, 0, forks ? 1 : 0);
  for (let draw = 0; draw < 2; draw++) {
    if (indexed) pass.drawIndexed(vertices, instances);
    else pass.draw(vertices, instances);
  }
  pass.end();
  const copy = device.createBuffer({ size: size + 16, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
  encoder.copyBufferToBuffer(counts, 0, copy, size, 16);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange());
  const told = [...words.slice(size / 4)];
  const found = { vertices: [...words.slice(0, told[0]! * 2)], counts: told };
  for (const each of [indices, buffer, other, counts, copy]) each.destroy();
  return found;
}

export async function emittedOn(device: GPUDevice, of: EmittingCase): Promise<Uint32Array> {
  const { stages, indexed, vertices, instances } = of;
  const made = device as GPUDevice & ModularPipelineDevice;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgslOf(of) });
  const descriptor: ModularPipelineDescriptor = {
    layout: 'auto',
    label: 'emitting',
    input: inputOf(of),
    stages: [
      ...slotsOf(module, stages),
      { kind: 'geometry', module, entryPoint: 'points', maxVertices: 6, topology: 'point-list' },
    ],
    sinks: [{ raster: { fragment: { module, targets: [{ format: 'r8unorm', writeMask: 0 }] } } }],
  };
  const pipeline = made.createModularPipeline(descriptor);
  const indices = device.createBuffer({ size: 1400 + 4, usage: USAGE.INDEX | USAGE.COPY_DST });
  device.queue.writeBuffer(indices, 0, indexBytes(of));
  const buffer = device.createBuffer({ size: PIXELS * 4, usage: USAGE.STORAGE | USAGE.COPY_SRC });
  const view = device
    .createTexture({ size: [WIDTH, HEIGHT], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
    .createView();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
  }) as GPURenderPassEncoder & ModularPipelineCommands;
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] })
  );
  pass.setIndexBuffer(indices, 'uint16');
  if (indexed) pass.drawIndexed(vertices, instances);
  else pass.draw(vertices, instances);
  pass.end();
  const copy = device.createBuffer({ size: PIXELS * 4, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, PIXELS * 4);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const found = new Uint32Array(copy.getMappedRange().slice(0));
  for (const each of [indices, buffer, copy]) each.destroy();
  return found;
}
