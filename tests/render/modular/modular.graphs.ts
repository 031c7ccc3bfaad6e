// Random modular pipelines that fork and join, as WGSL and as plain TypeScript. Their stages keep vertices, emit, drop
// primitives or choose viewports; edges come in any order; sinks are buffers and rasterization.
// The composition pushes the output of a slot along each edge. The order in which packets of several paths reach a sink
// depends on how work is divided. So stream output is compared as a set per assembled primitive, and each pixel with
// all that may have been drawn last. With one path the order is checked.
import * as fc from 'fast-check';
import type {
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  ModularPipelineCommands,
  Viewport,
  ViewportCommands,
} from '../../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';

const MASK = 1023;
const WIDTH = 128;
const HEIGHT = 64;
const PLACES = WIDTH * HEIGHT;
/** The attachment's width, height and number of pixels. */
const ACROSS = 256;
const DOWN = 96;
const PIXELS = ACROSS * DOWN;
/** Origins of viewports of WIDTH × HEIGHT: a single one, disjoint ones, overlapping ones. */
const CORNERS = {
  one: [[0, 0]],
  apart: [
    [128, 1],
    [0, 32],
  ],
  over: [
    [0, 0],
    [64, 16],
    [128, 32],
    [16, 8],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [number, number])[]>>;
const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
const TOPOLOGIES = ['point-list', 'line-strip', 'triangle-strip'] as const;

interface GraphSlot {
  /** Maximum number of emitted vertices; 0: keeps its vertices. */
  readonly most: number;
  /** A stage that emits no vertices, but reads primitives: it drops some, chooses viewports, or both. */
  readonly looks: 'drops' | 'chooses' | 'both' | null;
  readonly factor: number;
  readonly on: boolean;
}
export interface GraphCase {
  /** Vertices per primitive, the same everywhere. */
  readonly corners: 1 | 2 | 3;
  readonly slots: readonly GraphSlot[];
  readonly edges: readonly (readonly [number, number])[];
  readonly sinks: readonly { readonly raster: boolean; readonly from: readonly number[] }[];
  readonly entry: number | null;
  readonly vertices: number;
  readonly instances: number;
  readonly viewports: keyof typeof CORNERS;
}

const MAX_SLOTS = 6;
const pair = fc.tuple(fc.nat({ max: MAX_SLOTS - 1 }), fc.nat({ max: MAX_SLOTS - 1 }));
export const graphs: fc.Arbitrary<GraphCase> = fc
  .record({
    corners: fc.constantFrom(1, 1, 2, 3),
    slots: fc.array(
      fc.record({
        most: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 40 })),
        factor: fc.integer({ min: 1, max: 5 }),
        on: fc.constant(true),
        looks: fc.constantFrom(null, null, null, 'drops', 'chooses', 'both'),
      }),
      { minLength: 1, maxLength: MAX_SLOTS }
    ),
    turned: fc.uniqueArray(fc.nat({ max: MAX_SLOTS - 1 }), { maxLength: 2 }),
    edges: fc.uniqueArray(pair, { maxLength: 8, selector: ([a, b]) => `${a} ${b}` }),
    /** Direction of edges: they start at slots that come earlier here. */
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: MAX_SLOTS }),
    sinks: fc.array(
      fc.record({
        raster: fc.boolean(),
        from: fc.uniqueArray(fc.nat({ max: MAX_SLOTS - 1 }), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 3 }
    ),
    entry: fc.option(fc.nat({ max: MAX_SLOTS - 1 }), { freq: 3, nil: null }),
    vertices: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1500 })),
    instances: fc.integer({ min: 1, max: 3 }),
    viewports: fc.constantFrom('one', 'apart', 'over'),
  })
  .map(({ turned, order, ...of }): GraphCase => {
    const { length } = of.slots;
    const isIn = (slot: number): boolean => slot < length;
    return {
      ...of,
      entry: of.entry !== null && isIn(of.entry) ? of.entry : null,
      slots: of.slots.map((slot, i) => ({ ...slot, most: slot.looks ? 0 : slot.most, on: !turned.includes(i) })),
      edges: of.edges.filter(([a, b]) => isIn(a) && isIn(b) && order.indexOf(a) < order.indexOf(b)),
      sinks: of.sinks.map(({ raster, from }) => ({
        // Points map to pixels; lines and triangles are not simulated here.
        raster: raster && of.corners === 1,
        from: [...new Set(from.map((slot) => slot % length))],
      })),
    };
  });

/** A vertex, and the number that its stages see. */
interface Corner {
  readonly a: number;
  readonly b: number;
  readonly n: number;
}
interface Primitive {
  readonly corners: readonly Corner[];
  readonly instance: number;
  /** Within its instance. */
  readonly number: number;
  readonly viewport: number;
}

function strips(vertices: readonly Corner[], corners: number): Corner[][] {
  const found: Corner[][] = [];
  for (let i = corners - 1; i < vertices.length; i++) {
    const [x, y, z] = [vertices[i - 2], vertices[i - 1], vertices[i]!];
    if (corners === 1) found.push([z]);
    else if (corners === 2) found.push([y!, z]);
    else found.push(i % 2 === 0 ? [x!, y!, z] : [x!, z, y!]);
  }
  return found;
}

function run({ most, factor, looks }: GraphSlot, primitive: Primitive): Primitive[] {
  const { corners, instance, number, viewport } = primitive;
  const [first] = corners;
  const last = corners.at(-1)!;
  if (looks !== null) {
    if (looks !== 'chooses' && (first!.a + last.b + number) % (factor + 1) === 0) return [];
    return [looks === 'drops' ? primitive : { ...primitive, viewport: (last.b + number * factor + instance) % 5 }];
  }
  if (most === 0) {
    return [
      {
        ...primitive,
        corners: corners.map(({ a, b, n }) => ({
          a: (a * factor + b + 1) & MASK,
          b: (b + n + instance * 3) & MASK,
          n,
        })),
      },
    ];
  }
  const count = (first!.a + number) % (most + 1);
  const lists: Corner[][] = [[]];
  for (let k = 0; k < count; k++) {
    const one = corners[k % corners.length]!;
    const other = corners[(k + 1) % corners.length]!;
    lists.at(-1)!.push({ a: (one.a * 3 + other.b + k) & MASK, b: (first!.b + number * 5 + k) & MASK, n: k });
    if ((first!.b + k) % 5 === 0) lists.push([]);
  }
  return lists
    .flatMap((list) => strips(list, corners.length))
    .map((each) => ({ corners: each, instance, number, viewport }));
}

/** Returns what each sink receives from one assembled primitive. */
function pushed(of: GraphCase, primitive: Primitive): Primitive[][] {
  const found: Primitive[][] = of.sinks.map(() => []);
  walk(
    of,
    [primitive],
    (slot, primitives) => (slot.on ? primitives.flatMap((each) => run(slot, each)) : primitives),
    (sink, primitives) => found[sink]!.push(...primitives)
  );
  return found;
}

/** Follows all edges: passes the output of a slot along each edge, and to its sinks. */
function walk<T>(
  { slots, edges, sinks, entry }: GraphCase,
  input: T,
  give: (slot: GraphSlot, input: T) => T,
  arrive: (sink: number, output: T) => void
): void {
  const deliver = (slot: number, given: T): void => {
    const output = give(slots[slot]!, given);
    for (const [from, to] of edges) if (from === slot) deliver(to, output);
    sinks.forEach(({ from }, sink) => {
      if (from.includes(slot)) arrive(sink, output);
    });
  };
  const sources =
    entry === null ? slots.flatMap((_, slot) => (edges.some(([, to]) => to === slot) ? [] : [slot])) : [entry];
  for (const slot of sources) deliver(slot, input);
}

/**
 * Number of paths to each sink, whether one has no stage, and the maximum number of primitives that arrive per
 * assembled primitive.
 */
function pathsOf(of: GraphCase): { readonly paths: number[]; readonly isBare: boolean; readonly share: number } {
  const paths = of.sinks.map(() => 0);
  let isBare = false;
  let share = 0;
  walk(
    of,
    { stages: 0, most: 1 },
    ({ on, most, looks }, before) => ({
      stages: before.stages + (on && looks === null ? 1 : 0),
      most: before.most * (on && most > 0 ? Math.max(0, most - of.corners + 1) : 1),
    }),
    (sink, { stages, most }) => {
      paths[sink]!++;
      isBare ||= stages === 0;
      share += most;
    }
  );
  return { paths, isBare, share };
}

/** Vertices after primitive assembly. */
function assembled({ corners, vertices, instances }: GraphCase): Primitive[] {
  return Array.from({ length: instances }, (_, instance) =>
    Array.from({ length: Math.floor(vertices / corners) }, (__, number) => ({
      instance,
      number,
      viewport: 0,
      corners: Array.from({ length: corners }, (___, c) => number * corners + c).map((n) => ({
        a: (n * 5) & MASK,
        b: n & MASK,
        n,
      })),
    }))
  ).flat();
}

/** The expected results of a case. */
interface Wanted {
  /** Per assembled primitive, what each sink receives. */
  readonly lists: readonly (readonly Primitive[])[][];
  /** Number of paths to each sink. */
  readonly paths: readonly number[];
}

/** Null if the pipeline cannot be drawn with, or if its output is too large. */
export function composedGraph(of: GraphCase): Wanted | null {
  const { paths, isBare, share } = pathsOf(of);
  const all = paths.reduce((sum, each) => sum + each, 0);
  const primitives = Math.floor(of.vertices / of.corners) * of.instances;
  // The pipeline must also be valid as it is created.
  const made = pathsOf({ ...of, entry: null, slots: of.slots.map((slot) => ({ ...slot, on: true })) });
  if (made.isBare || isBare || all === 0 || all > 64 || primitives === 0) return null;
  if (share * primitives * of.corners > 60_000) return null;
  return { lists: assembled(of).map((primitive) => pushed(of, primitive)), paths };
}

/** The pixel that contains a point. */
function pixelOf({ a, b }: Corner, viewport: number, viewports: GraphCase['viewports']): number {
  const place = ((a * 1024 + b) * 31) % PLACES;
  const corners = CORNERS[viewports];
  const [x, y] = corners[viewport] ?? corners[0];
  return (y + Math.floor(place / WIDTH)) * ACROSS + x + (place % WIDTH);
}

/** Stages read some members of a vertex, of some vertices of the primitive. */
function look(i: number, looks: 'drops' | 'chooses' | 'both', factor: number, corners: number): string {
  const isDropped = `(v[0].a + v[${corners - 1}].b + i) % ${factor + 1} == 0`;
  const viewport = `(v[${corners - 1}].b + i * ${factor} + k) % 5`;
  const takes = `v: array<P, ${corners}>, @builtin(primitive_index) i: u32`;
  const instance = '@builtin(instance_index) k: u32';
  if (looks === 'drops')
    return `@primitive fn s${i}(${takes}) -> @builtin(cull_primitive) bool { return ${isDropped}; }`;
  return looks === 'chooses'
    ? `@primitive fn s${i}(${instance}, ${takes}) -> @builtin(viewport_index) u32 { return ${viewport}; }`
    : `@primitive fn s${i}(${takes}, ${instance}) -> R { return R(${viewport}, ${isDropped}); }`;
}

function wgslOf({ slots, corners }: GraphCase): string {
  return `enable modular_pipelines;
    struct P { @location(0) @interpolate(flat) a: u32, @location(3) @interpolate(flat) b: u32 }
    struct Q {
      @builtin(position) position: vec4f, @location(3) @interpolate(flat) b: u32, @location(0) @interpolate(flat) a: u32
    }
    @group(0) @binding(0) var<storage, read_write> found: array<u32>;
    override region: u32 = 0;
    fn q(a: u32, b: u32) -> Q {
      let pixel = ((a * 1024 + b) * 31) % ${PLACES};
      let place = vec2f(vec2u(pixel % ${WIDTH}, pixel / ${WIDTH})) + 0.5;
      return Q(vec4f(place.x / ${WIDTH / 2} - 1, 1 - place.y / ${HEIGHT / 2}, 0.5, 1), b, a);
    }
    struct R { @builtin(viewport_index) viewport: u32, @builtin(cull_primitive) isDropped: bool }
    ${slots
      .map(({ most, factor, looks }, i) =>
        looks !== null
          ? look(i, looks, factor, corners)
          : most === 0
            ? `@vertex fn s${i}(p: P, @builtin(vertex_index) n: u32, @builtin(instance_index) instance: u32) -> Q {
        return q((p.a * ${factor} + p.b + 1) & ${MASK}, (p.b + n + instance * 3) & ${MASK});
      }`
            : `@geometry fn s${i}(v: array<P, ${corners}>, @builtin(primitive_index) i: u32) {
        let count = (v[0].a + i) % ${most + 1};
        for (var k = 0u; k < count; k++) {
          emitVertex(q((v[k % ${corners}].a * 3 + v[(k + 1) % ${corners}].b + k) & ${MASK},
            (v[0].b + i * 5 + k) & ${MASK}));
          if ((v[0].b + k) % 5 == 0) { endStrip(); }
        }
      }`
      )
      .join('\n')}
    @fragment fn both(
      @builtin(position) p: vec4f, @location(0) @interpolate(flat) a: u32, @location(3) @interpolate(flat) b: u32
    ) { found[region * ${PIXELS} + u32(p.y) * ${ACROSS} + u32(p.x)] = a * 1024 + b + 1; }
    @fragment fn one(@builtin(position) p: vec4f, @location(3) @interpolate(flat) b: u32) {
      found[region * ${PIXELS} + u32(p.y) * ${ACROSS} + u32(p.x)] = b + 1;
    }`;
}

/** Sinks with odd numbers keep only b. */
const keptOf = (sink: number, { a, b }: Corner): number => (sink % 2 === 1 ? b : a * 1024 + b);

/** Returns null if pictures and stream output agree with the composition, otherwise a message. */
export function judge(of: GraphCase, { lists, paths }: Wanted, { pixels, buffers }: Drawn): string | null {
  for (const [sink, { raster }] of of.sinks.entries()) {
    const wanted = lists.map((all) => all[sink]!);
    const fault = raster
      ? judgePixels(of, sink, wanted.flat(), {
          drawn: pixels.subarray(sink * PIXELS, (sink + 1) * PIXELS),
          inOrder: paths[sink] === 1,
        })
      : judgeBuffer(sink, wanted, buffers[sink]!, { corners: of.corners, inOrder: paths[sink] === 1 });
    if (fault !== null) return `sink ${sink}: ${fault}`;
  }
  return null;
}

/** `inOrder`: the last primitive is visible; otherwise the last one of any path may be. */
function judgePixels(
  { viewports }: GraphCase,
  sink: number,
  wanted: readonly Primitive[],
  { drawn, inOrder }: { readonly drawn: Uint32Array; readonly inOrder: boolean }
): string | null {
  const may = new Map<number, Set<number>>();
  for (const {
    corners: [corner],
    viewport,
  } of wanted) {
    const at = pixelOf(corner!, viewport, viewports);
    const before = inOrder ? null : may.get(at);
    may.set(at, (before ?? new Set()).add(keptOf(sink, corner!) + 1));
  }
  const wrong = drawn.findIndex((word, at) => (may.has(at) ? !may.get(at)!.has(word) : word !== 0));
  return wrong < 0 ? null : `pixel ${wrong} is ${drawn[wrong]}`;
}

function judgeBuffer(
  sink: number,
  wanted: readonly (readonly Primitive[])[],
  { words, count }: Streamed,
  { corners, inOrder }: { readonly corners: number; readonly inOrder: boolean }
): string | null {
  const all = wanted.flat().length * corners;
  if (count !== all) return `${count} vertices, not ${all}`;
  let at = 0;
  for (const [i, list] of wanted.entries()) {
    const expected = list.map((primitive) => primitive.corners.map((corner) => keptOf(sink, corner)).join());
    const given = list.map(() => Array.from({ length: corners }, () => words[at++]!).join());
    if (!inOrder) for (const each of [expected, given]) each.sort();
    if (given.join(' ') !== expected.join(' '))
      return `primitive ${i} gave ${given.join(' ')}, not ${expected.join(' ')}`;
  }
  return null;
}

interface Streamed {
  readonly words: Uint32Array;
  readonly count: number;
}

interface Drawn {
  readonly pixels: Uint32Array;
  /** By sink. */
  readonly buffers: readonly (Streamed | null)[];
}

export async function drawnGraph(device: GPUDevice, of: GraphCase): Promise<Drawn> {
  const made = device as GPUDevice & ModularPipelineDevice;
  const { slots, sinks, edges, corners } = of;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgslOf(of) });
  const topology = (['point-list', 'line-list', 'triangle-list'] as const)[corners - 1]!;
  const stages = slots.map(({ most, looks }, i): ModularStage =>
    looks !== null
      ? { kind: 'primitive', module, entryPoint: `s${i}` }
      : most === 0
        ? { kind: 'vertex', module, entryPoint: `s${i}` }
        : { kind: 'geometry', module, entryPoint: `s${i}`, maxVertices: most, topology: TOPOLOGIES[corners - 1] }
  );
  const descriptor: ModularPipelineDescriptor = {
    layout: 'auto',
    label: 'graph',
    input: {
      topology,
      buffers: [
        {
          arrayStride: 8,
          attributes: [
            { shaderLocation: 3, offset: 4, format: 'uint32' },
            { shaderLocation: 0, offset: 0, format: 'uint32' },
          ],
        },
      ],
    },
    stages,
    edges,
    sinks: sinks.map(({ raster, from }, i) =>
      raster
        ? {
            from,
            raster: {
              fragment: {
                module,
                entryPoint: i % 2 === 1 ? 'one' : 'both',
                constants: { region: i },
                targets: [{ format: 'r8unorm' as const, writeMask: 0 }],
              },
            },
          }
        : {
            from,
            buffer: {
              arrayStride: i % 2 === 1 ? 4 : 8,
              attributes: [
                { shaderLocation: 3, offset: i % 2 === 1 ? 0 : 4, format: 'uint32' as const },
                ...(i % 2 === 1 ? [] : [{ shaderLocation: 0, offset: 0, format: 'uint32' as const }]),
              ],
            },
          }
    ),
  };
  const pipeline = made.createModularPipeline(descriptor);
  const data = new Uint32Array(of.vertices * 2);
  for (let n = 0; n < of.vertices; n++) data.set([(n * 5) & MASK, n & MASK], n * 2);
  const vertices = device.createBuffer({ size: data.byteLength, usage: 32 | USAGE.COPY_DST });
  device.queue.writeBuffer(vertices, 0, data);
  const area = sinks.length * PIXELS * 4;
  const held: GPUBuffer[] = [vertices];
  const storage = (size: number): GPUBuffer => {
    const buffer = device.createBuffer({ size, usage: USAGE.STORAGE | USAGE.COPY_SRC });
    held.push(buffer);
    return buffer;
  };
  const pixels = storage(area);
  const view = device
    .createTexture({ size: [ACROSS, DOWN], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
    .createView();
  const targets = sinks.map(({ raster }) => (raster ? null : { buffer: storage(1 << 19), counts: storage(16) }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
  }) as GPURenderPassEncoder & ModularPipelineCommands & ViewportCommands;
  pass.setViewports(CORNERS[of.viewports].map(([x, y]): Viewport => ({ x, y, width: WIDTH, height: HEIGHT })));
  pass.setPipeline(pipeline);
  const draws = sinks.some(({ raster }) => raster);
  if (draws)
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer: pixels } }],
      })
    );
  pass.setVertexBuffer(0, vertices);
  targets.forEach((target, i) => {
    if (target) pass.setSinkBuffer(target.buffer, 0, undefined, target.counts, 0, i);
  });
  slots.forEach(({ on }, i) => {
    if (!on) pass.setStageEnabled(i, false);
  });
  if (of.entry !== null) pass.setEntryStage(of.entry);
  pass.draw(of.vertices, of.instances);
  pass.end();
  const read = async (buffer: GPUBuffer): Promise<Uint32Array> => {
    const copy = device.createBuffer({ size: buffer.size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    const copying = device.createCommandEncoder();
    copying.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    device.queue.submit([copying.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(copy.getMappedRange().slice(0));
    copy.destroy();
    return words;
  };
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  const result: Drawn = {
    pixels: await read(pixels),
    buffers: await Promise.all(
      targets.map(async (target, i) => {
        if (!target) return null;
        const [count] = await read(target.counts);
        const words = await read(target.buffer);
        if (i % 2 === 1) return { words: words.slice(0, count), count: count! };
        return {
          words: Uint32Array.from({ length: count! }, (_, v) => words[v * 2]! * 1024 + words[v * 2 + 1]!),
          count: count!,
        };
      })
    ),
  };
  for (const buffer of held) buffer.destroy();
  return result;
}
