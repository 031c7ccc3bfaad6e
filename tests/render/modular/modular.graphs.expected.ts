// What graphs of stages must draw and stream.
import {
  ACROSS,
  CORNERS,
  type Drawn,
  type GraphCase,
  type GraphSlot,
  MASK,
  PIXELS,
  PLACES,
  type Streamed,
  WIDTH,
} from './modular.graphs.cases';

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
