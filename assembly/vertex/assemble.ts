// Primitive assembly: fills a batch with primitives and the distinct vertices that they use, across instances.
// Each (instance, vertex index) of a batch stands in its packet once. Index ranges (DRAW_RANGE_COUNT) need none of it: their indices
// are places already.
import { DRAW_BASE_VERTEX, DRAW_COUNT, DRAW_DISTINCT, DRAW_FIRST_INSTANCE, DRAW_INDEX_ADDRESS, DRAW_INDEX_BYTES, DRAW_INDEX_LIMIT, DRAW_RANGE_COUNT, DRAW_TOPOLOGY, TOPOLOGY_LINE_LIST, TOPOLOGY_LINE_STRIP, TOPOLOGY_POINT_LIST, TOPOLOGY_TRIANGLE_STRIP } from '../layout/draw';
import { GEOMETRY_DRAW, GEOMETRY_PASS } from '../layout/geometry';
import { PASS_STATISTICS, STAT_VERTICES_USED } from '../layout/pass';
import * as S from './state';

/** Vertices of each primitive of a topology. */
export function cornersOf(topology: i32): i32 {
  if (topology == TOPOLOGY_POINT_LIST) return 1;
  return topology == TOPOLOGY_LINE_LIST || topology == TOPOLOGY_LINE_STRIP ? 2 : 3;
}

// @ts-ignore: decorator
@inline function isStrip(topology: i32): bool { return topology == TOPOLOGY_TRIANGLE_STRIP || topology == TOPOLOGY_LINE_STRIP; }

const GENERATION_BITS = 22;
/** Positions of strips that a batch looks at: one of restarts alone has no vertices, and 2³² instances of it would never give the turn back. */
const BATCH_POSITIONS: u32 = 65536;

/** Makes all hash entries stale: at the start of a batch, and of each instance in it. */
function nextGeneration(geometry: usize): void {
  let generation = load<u32>(geometry + S.STATE_GENERATION) + 1;
  if (generation == 1 << GENERATION_BITS) {
    memory.fill(geometry + S.STATE_HASH, 0, S.HASH_ENTRIES * 8);
    generation = 1;
  }
  store<u32>(geometry + S.STATE_GENERATION, generation);
}

// Entry of a vertex in the hash: its own, or a stale one that becomes its own. Meshes use runs of neighbouring indices: with
// the low bits as the hash they lay in each other's way (6.3 probes an index of the dragon; 1.07 so).
// @ts-ignore: decorator
@inline function entryOf(hash: usize, generation: u32, vertex: u32): usize {
  let slot = (vertex * 0x9e3779b1) >>> S.HASH_SHIFT;
  while (true) {
    const entry = hash + (<usize>slot << 3);
    if (<i32>(load<u32>(entry, 4) >>> 10 != generation) | <i32>(load<u32>(entry) == vertex)) return entry;
    slot = (slot + 1) & (S.HASH_ENTRIES - 1);
  }
}

// Place in the batch of a vertex of the current instance; a new one where it is not there yet.
function placeOf(geometry: usize, vertex: u32, instance: u32): u32 {
  const generation = load<u32>(geometry + S.STATE_GENERATION);
  const entry = entryOf(geometry + S.STATE_HASH, generation, vertex);
  const tag = load<u32>(entry, 4);
  if (tag >>> 10 == generation) return tag & 1023;
  const place = addVertex(geometry, vertex, instance);
  store<u32>(entry, vertex);
  store<u32>(entry, generation << 10 | place, 4);
  return place;
}

// @ts-ignore: decorator
@inline function addVertex(geometry: usize, vertex: u32, instance: u32): u32 {
  const place = load<u32>(geometry + S.STATE_VERTICES);
  store<u32>(geometry + S.STATE_INDICES + (<usize>place << 2), vertex);
  store<u32>(geometry + S.STATE_INSTANCES + (<usize>place << 2), instance);
  store<u32>(geometry + S.STATE_VERTICES, place + 1);
  return place;
}

// Index at a position of the draw; beyond the buffer 0.
// @ts-ignore: decorator
@inline function rawIndex(draw: usize, bytes: u32, position: u32): u32 {
  if (position >= load<u32>(draw + DRAW_INDEX_LIMIT)) return 0;
  const address = <usize>load<u32>(draw + DRAW_INDEX_ADDRESS);
  return bytes == 2 ? <u32>load<u16>(address + (<usize>position << 1)) : load<u32>(address + (<usize>position << 2));
}

// @ts-ignore: decorator
@inline function hasRoom(geometry: usize): bool {
  return load<i32>(geometry + S.STATE_VERTICES) + 3 <= load<i32>(geometry + S.STATE_CAPACITY) && load<i32>(geometry + S.STATE_PRIMITIVES) < S.BATCH_PRIMITIVES;
}

// @ts-ignore: decorator
@inline function addPrimitive(geometry: usize, corners: usize, a: u32, b: u32, c: u32): void {
  const n = load<u32>(geometry + S.STATE_PRIMITIVES);
  const list = geometry + S.STATE_PRIMITIVE_LIST + <usize>n * corners * 2;
  store<u16>(list, <u16>a);
  if (corners > 1) store<u16>(list, <u16>b, 2);
  if (corners > 2) store<u16>(list, <u16>c, 4);
  store<u32>(geometry + S.STATE_PRIMITIVES, n + 1);
}

// Indexed triangles whose indices (`I`) all lie in the buffer: placeOf and addPrimitive with their state in locals. Whether a
// vertex is new cannot be foretold, so both cases do the same: half the time of a branch.
function fillTriangles<I>(geometry: usize, draw: usize, instance: u32, position: u32, count: u32): u32 {
  const base = load<u32>(draw + DRAW_BASE_VERTEX);
  const address = <usize>load<u32>(draw + DRAW_INDEX_ADDRESS);
  const hash = geometry + S.STATE_HASH;
  const numbers = geometry + S.STATE_INDICES;
  const generation = load<u32>(geometry + S.STATE_GENERATION);
  const tag = generation << 10;
  const first = load<u32>(geometry + S.STATE_VERTICES);
  const primitives = load<u32>(geometry + S.STATE_PRIMITIVES);
  const full = load<u32>(geometry + S.STATE_CAPACITY) - 3;
  let place = first;
  let list = geometry + S.STATE_PRIMITIVE_LIST + <usize>primitives * 6;
  const begin = list;
  const end = geometry + S.STATE_PRIMITIVE_LIST + <usize>S.BATCH_PRIMITIVES * 6;
  while (count - position >= 3 && place <= full && list < end) {
    const at = address + <usize>position * sizeof<I>();
    for (let corner: usize = 0; corner < 3; corner++) {
      const vertex = <u32>load<I>(at + corner * sizeof<I>()) + base;
      const entry = entryOf(hash, generation, vertex);
      const known = load<u32>(entry, 4);
      const isNew = u32(known >>> 10 != generation);
      const its = select<u32>(place, known & 1023, isNew);
      store<u32>(entry, vertex);
      store<u32>(entry, tag | its, 4);
      store<u32>(numbers + (<usize>place << 2), vertex);
      store<u16>(list + (corner << 1), <u16>its);
      place += isNew;
    }
    list += 6;
    position += 3;
  }
  for (let i = first; i < place; i++) store<u32>(geometry + S.STATE_INSTANCES + (<usize>i << 2), instance);
  store<u32>(geometry + S.STATE_VERTICES, place);
  store<u32>(geometry + S.STATE_PRIMITIVES, primitives + <u32>(list - begin) / 6);
  return position;
}

// Lists, from the cursor to the end of the instance or of the batch. Gives the new position.
function fillList(geometry: usize, draw: usize, corners: u32, instance: u32): u32 {
  const count = load<u32>(geometry + S.STATE_POSITION_END);
  const base = load<u32>(draw + DRAW_BASE_VERTEX);
  const bytes = load<u32>(draw + DRAW_INDEX_BYTES);
  let position = load<u32>(geometry + S.STATE_POSITION);
  if (bytes && corners == 3) {
    const readable = max<u32>(position, min<u32>(count, load<u32>(draw + DRAW_INDEX_LIMIT)));
    position = bytes == 2 ? fillTriangles<u16>(geometry, draw, instance, position, readable) : fillTriangles<u32>(geometry, draw, instance, position, readable);
  }
  while (count - position >= corners && hasRoom(geometry)) {
    let a: u32;
    let b: u32 = 0;
    let c: u32 = 0;
    if (bytes) {
      a = placeOf(geometry, rawIndex(draw, bytes, position) + base, instance);
      if (corners > 1) b = placeOf(geometry, rawIndex(draw, bytes, position + 1) + base, instance);
      if (corners > 2) c = placeOf(geometry, rawIndex(draw, bytes, position + 2) + base, instance);
    } else {
      a = addVertex(geometry, position + base, instance);
      if (corners > 1) b = addVertex(geometry, position + 1 + base, instance);
      if (corners > 2) c = addVertex(geometry, position + 2 + base, instance);
    }
    addPrimitive(geometry, corners, a, b, c);
    position += corners;
  }
  // What is left at the end of an instance is no whole primitive.
  return count - position >= corners ? position : count;
}

// Strips: each vertex makes a primitive with those before it, which begin the next batch again where one ends in between.
function fillStrip(geometry: usize, draw: usize, corners: u32, instance: u32): u32 {
  const count = load<u32>(geometry + S.STATE_POSITION_END);
  const base = load<u32>(draw + DRAW_BASE_VERTEX);
  const bytes = load<u32>(draw + DRAW_INDEX_BYTES);
  const restart: u32 = bytes == 2 ? 0xffff : 0xffffffff;
  let position = load<u32>(geometry + S.STATE_POSITION);
  let length = load<u32>(geometry + S.STATE_STRIP_LENGTH);
  let before = load<u32>(geometry + S.STATE_STRIP_BEFORE);
  let last = load<u32>(geometry + S.STATE_STRIP_LAST);
  const end = position + min<u32>(count - position, BATCH_POSITIONS);
  for (; position < end && hasRoom(geometry); position++) {
    const raw = bytes ? rawIndex(draw, bytes, position) : position;
    if (bytes && raw == restart) {
      length = 0;
      continue;
    }
    const vertex = raw + base;
    length++;
    if (length >= corners) {
      const c = placeOf(geometry, vertex, instance);
      const b = placeOf(geometry, last, instance);
      if (corners == 2) addPrimitive(geometry, 2, b, c, 0);
      else {
        const a = placeOf(geometry, before, instance);
        // Every other triangle runs the other way round; the first vertex stays first, it is the provoking one.
        if (length & 1) addPrimitive(geometry, 3, a, b, c);
        else addPrimitive(geometry, 3, a, c, b);
      }
    }
    before = last;
    last = vertex;
  }
  if (position == count) length = 0;
  store<u32>(geometry + S.STATE_STRIP_LENGTH, length);
  store<u32>(geometry + S.STATE_STRIP_BEFORE, before);
  store<u32>(geometry + S.STATE_STRIP_LAST, last);
  return position;
}

/** Starts a batch of whole instances whose vertices are an index range; false when the draw has none left. */
export function fillRange(geometry: usize): bool {
  const draw = <usize>load<u32>(geometry + GEOMETRY_DRAW);
  const instance = load<u32>(geometry + S.STATE_INSTANCE);
  const total = load<u32>(geometry + S.STATE_INSTANCE_END);
  if (instance >= total) return false;
  const instances = min<u32>(load<u32>(geometry + S.STATE_RANGE), total - instance);
  const count = load<u32>(draw + DRAW_COUNT);
  store<u32>(geometry + S.STATE_RANGE_INSTANCE, instance);
  store<u32>(geometry + S.STATE_INSTANCE, instance + instances);
  store<u32>(geometry + S.STATE_VERTICES, instances * load<u32>(draw + DRAW_RANGE_COUNT));
  store<u32>(geometry + S.STATE_PRIMITIVES, instances * (count / 3));
  return true;
}

/** Counts vertices that a draw names. */
export function countUsed(geometry: usize, used: u32): void {
  const counter = <usize>load<u32>(<usize>load<u32>(geometry + GEOMETRY_PASS) + PASS_STATISTICS) + STAT_VERTICES_USED;
  store<u32>(counter, load<u32>(counter) + used);
}

/** Starts a batch and fills it; false when the draw has nothing left. It may be empty (BATCH_POSITIONS). */
export function fillBatch(geometry: usize): bool {
  const draw = <usize>load<u32>(geometry + GEOMETRY_DRAW);
  const topology = load<i32>(draw + DRAW_TOPOLOGY);
  const corners = load<u32>(geometry + S.STATE_CORNERS);
  const instances = load<u32>(geometry + S.STATE_INSTANCE_END);
  const count = load<u32>(geometry + S.STATE_POSITION_END);
  store<u32>(geometry + S.STATE_VERTICES, 0);
  store<u32>(geometry + S.STATE_PRIMITIVES, 0);
  nextGeneration(geometry);
  let used: u32 = 0;
  let instance = load<u32>(geometry + S.STATE_INSTANCE);
  while (instance < instances && hasRoom(geometry) && used < BATCH_POSITIONS) {
    const number = instance + load<u32>(draw + DRAW_FIRST_INSTANCE);
    const start = load<u32>(geometry + S.STATE_POSITION);
    const position = isStrip(topology) ? fillStrip(geometry, draw, corners, number) : fillList(geometry, draw, corners, number);
    used += position - start;
    if (position < count) {
      store<u32>(geometry + S.STATE_POSITION, position);
      break;
    }
    store<u32>(geometry + S.STATE_POSITION, 0);
    nextGeneration(geometry);
    instance++;
  }
  store<u32>(geometry + S.STATE_INSTANCE, instance);
  if (!load<u32>(draw + DRAW_DISTINCT) && !load<i32>(geometry + S.STATE_RESUMED)) countUsed(geometry, load<u32>(geometry + S.STATE_VERTICES));
  return load<u32>(geometry + S.STATE_VERTICES) != 0 || instance < instances;
}
