// Primitive assembly: fills a batch with primitives and the distinct vertices that they use, across instances.
// Each (instance, vertex index) of a batch stands in its packet once. Index ranges (Draw.rangeCount) need none of it:
// their indices are numbers already.
import {
  BATCH_PRIMITIVES, BATCH_VERTICES, Draw, Geometry, HASH_ENTRIES, HASH_SHIFT, PRIMITIVE_LIST_BYTES,
  TOPOLOGY_TRIANGLE_STRIP_ADJACENCY,
} from '../layout';
import { cornersBefore, cornersOf, isStrip, stepOf } from './strip';

/** Primitives of an instance, at the most. */
export function primitivesOf(draw: Draw): u32 {
  const corners = <u32>cornersOf(draw.topology);
  return draw.count < corners ? 0 : (draw.count - corners) / stepOf(draw.topology) + 1;
}

const GENERATION_BITS = 22;
/**
 * Positions of strips that a batch looks at: one of restarts alone has no vertices, and 2³² instances of it would never
 * give the turn back.
 */
const BATCH_POSITIONS: u32 = 65536;

/** Makes all hash entries stale: at the start of a batch, and of each instance in it. */
function nextGeneration(geometry: Geometry): void {
  let generation = geometry.generation + 1;
  if (generation == 1 << GENERATION_BITS) {
    memory.fill(geometry.hash, 0, HASH_ENTRIES * 8);
    generation = 1;
  }
  geometry.generation = generation;
}

// Entry of a vertex in the hash: its own, or a stale one that becomes its own. Meshes use runs of neighbouring indices:
// with the low bits as the hash they lay in each other's way (6.3 probes an index of the dragon; 1.07 so).
function entryOf(hash: usize, generation: u32, vertex: u32): usize {
  let probe = (vertex * 0x9e3779b1) >>> HASH_SHIFT;
  while (true) {
    const entry = hash + (probe << 3);
    if ((load<u32>(entry, 4) >>> 10 != generation) | (load<u32>(entry) == vertex)) return entry;
    probe = (probe + 1) & (HASH_ENTRIES - 1);
  }
}

// Number in the batch of a vertex of the current instance; a new one where it is not there yet.
function slotOf(geometry: Geometry, vertex: u32, instance: u32): u32 {
  const generation = geometry.generation;
  const entry = entryOf(geometry.hash, generation, vertex);
  const tag = load<u32>(entry, 4);
  if (tag >>> 10 == generation) return tag & 1023;
  const slot = addVertex(geometry, vertex, instance);
  store<u32>(entry, vertex);
  store<u32>(entry, generation << 10 | slot, 4);
  return slot;
}

function addVertex(geometry: Geometry, vertex: u32, instance: u32): u32 {
  const slot = geometry.vertices;
  store<u32>(geometry.indices + (slot << 2), vertex);
  store<u32>(geometry.instances + (slot << 2), instance);
  geometry.vertices = slot + 1;
  return slot;
}

// Index at a position of the draw; beyond the buffer 0.
function rawIndex(draw: Draw, position: u32): u32 {
  if (position >= draw.indexLimit) return 0;
  const address = draw.indexAddress;
  return draw.indexBytes == 2 ? load<u16>(address + (position << 1)) : load<u32>(address + (position << 2));
}

// Number in the batch of the vertex at a position of a list.
function numberAt(geometry: Geometry, draw: Draw, position: u32, instance: u32): u32 {
  return draw.indexBytes
    ? slotOf(geometry, rawIndex(draw, position) + draw.baseVertex, instance)
    : addVertex(geometry, position + draw.baseVertex, instance);
}

function hasRoom(geometry: Geometry): bool {
  const corners = geometry.corners;
  return <i32>(geometry.vertices + max<u32>(3, corners)) <= BATCH_VERTICES
    && <i32>geometry.primitives < BATCH_PRIMITIVES
    && <i32>((geometry.primitives + 1) * corners * 2) <= PRIMITIVE_LIST_BYTES;
}

function addPrimitive(geometry: Geometry, corners: usize, a: u32, b: u32, c: u32): void {
  const n = geometry.primitives;
  const list = geometry.primitiveList + n * corners * 2;
  store<u16>(list, <u16>a);
  if (corners > 1) store<u16>(list, <u16>b, 2);
  if (corners > 2) store<u16>(list, <u16>c, 4);
  geometry.primitives = n + 1;
}

// Indexed triangles whose indices (`I`) all lie in the buffer: slotOf and addPrimitive with their state in locals.
// Whether a vertex is new cannot be foretold, so both cases do the same: half the time of a branch.
function fillTriangles<I>(geometry: Geometry, draw: Draw, instance: u32, position: u32, count: u32): u32 {
  const base = draw.baseVertex;
  const address = draw.indexAddress;
  const hash = geometry.hash;
  const numbers = geometry.indices;
  const generation = geometry.generation;
  const tag = generation << 10;
  const first = geometry.vertices;
  const primitives = geometry.primitives;
  const full: u32 = BATCH_VERTICES - 3;
  let slot = first;
  let list = geometry.primitiveList + primitives * 6;
  const begin = list;
  const end = geometry.primitiveList + BATCH_PRIMITIVES * 6;
  while (count - position >= 3 && slot <= full && list < end) {
    const at = address + position * sizeof<I>();
    for (let corner: usize = 0; corner < 3; corner++) {
      const vertex = load<I>(at + corner * sizeof<I>()) + base;
      const entry = entryOf(hash, generation, vertex);
      const known = load<u32>(entry, 4);
      const isNew = u32(known >>> 10 != generation);
      const its = select<u32>(slot, known & 1023, isNew);
      store<u32>(entry, vertex);
      store<u32>(entry, tag | its, 4);
      store<u32>(numbers + (slot << 2), vertex);
      store<u16>(list + (corner << 1), <u16>its);
      slot += isNew;
    }
    list += 6;
    position += 3;
  }
  for (let i = first; i < slot; i++) store<u32>(geometry.instances + (i << 2), instance);
  geometry.vertices = slot;
  geometry.primitives = primitives + (list - begin) / 6;
  return position;
}

// Lists, from the cursor to the end of the instance or of the batch. Gives the new position.
function fillList(geometry: Geometry, draw: Draw, corners: u32, instance: u32): u32 {
  const count = geometry.positionEnd;
  const bytes = draw.indexBytes;
  let position = geometry.position;
  if (bytes && corners == 3) {
    const readable = max<u32>(position, min<u32>(count, draw.indexLimit));
    position = bytes == 2
      ? fillTriangles<u16>(geometry, draw, instance, position, readable)
      : fillTriangles<u32>(geometry, draw, instance, position, readable);
  }
  while (count - position >= corners && hasRoom(geometry)) {
    const a = numberAt(geometry, draw, position, instance);
    const b = corners > 1 ? numberAt(geometry, draw, position + 1, instance) : 0;
    const c = corners > 2 ? numberAt(geometry, draw, position + 2, instance) : 0;
    const list = geometry.primitiveList + geometry.primitives * corners * 2;
    for (let corner: u32 = 3; corner < corners; corner++)
      store<u16>(list + corner * 2, <u16>numberAt(geometry, draw, position + corner, instance));
    addPrimitive(geometry, corners, a, b, c);
    position += corners;
  }
  // What is left at the end of an instance is no whole primitive.
  return count - position >= corners ? position : count;
}

// Whether a strip ends at a position, which is there.
function isRestart(draw: Draw, position: u32): bool {
  const bytes = draw.indexBytes;
  return bytes != 0 && rawIndex(draw, position) == (bytes == 2 ? 0xffff : 0xffffffff);
}

// Whether another triangle of a strip with adjacency comes behind the one that the vertex at a position makes whole.
function isFollowed(draw: Draw, position: u32): bool {
  return draw.count - position > 2 && !isRestart(draw, position + 1) && !isRestart(draw, position + 2);
}

// Number of the vertex at a position of a strip, which is read again where a batch begins within one.
function vertexAt(draw: Draw, position: u32): u32 {
  return (draw.indexBytes ? rawIndex(draw, position) : position) + draw.baseVertex;
}

// Strips: each vertex makes a primitive with those before it.
function fillStrip(geometry: Geometry, draw: Draw, corners: u32, instance: u32): u32 {
  const count = geometry.positionEnd;
  const base = draw.baseVertex;
  const bytes = draw.indexBytes;
  const restart: u32 = bytes == 2 ? 0xffff : 0xffffffff;
  let position = geometry.position;
  let length = geometry.stripLength;
  let last = length > 0 ? vertexAt(draw, position - 1) : 0;
  let before = length > 1 ? vertexAt(draw, position - 2) : 0;
  const end = position + min<u32>(count - position, BATCH_POSITIONS);
  for (; position < end && hasRoom(geometry); position++) {
    const raw = bytes ? rawIndex(draw, position) : position;
    if (bytes && raw == restart) {
      geometry.stripGaps += min<u32>(length, corners - 1) + 1;
      length = 0;
      continue;
    }
    const vertex = raw + base;
    length++;
    if (length >= corners) {
      // Stages that take primitives number them by their first index; fragment programs, one after the other.
      const gaps = draw.numbered ? geometry.stripGaps : 0;
      store<u32>(geometry.numbers + (geometry.primitives << 2), position + 1 - corners - gaps);
      const c = slotOf(geometry, vertex, instance);
      const b = slotOf(geometry, last, instance);
      if (corners == 2) addPrimitive(geometry, 2, b, c, 0);
      else {
        const a = slotOf(geometry, before, instance);
        // Every other triangle runs the other way round; the first vertex stays first, it is the provoking one.
        if (length & 1) addPrimitive(geometry, 3, a, b, c);
        else addPrimitive(geometry, 3, a, c, b);
      }
    }
    before = last;
    last = vertex;
  }
  geometry.stripLength = position == count ? 0 : length;
  return position;
}

// Strips with adjacency, whose corners are farther away, and of triangles also behind the vertex that makes them whole.
function fillAdjacentStrip(geometry: Geometry, draw: Draw, corners: u32, instance: u32): u32 {
  const topology = draw.topology;
  const step = stepOf(topology);
  const count = geometry.positionEnd;
  let position = geometry.position;
  let length = geometry.stripLength;
  const end = position + min<u32>(count - position, BATCH_POSITIONS);
  for (; position < end && hasRoom(geometry); position++) {
    if (isRestart(draw, position)) {
      length = 0;
      continue;
    }
    length++;
    if (length < corners || (length - corners) % step) continue;
    const last = topology == TOPOLOGY_TRIANGLE_STRIP_ADJACENCY && !isFollowed(draw, position);
    let before = cornersBefore(topology, length, last);
    const primitive = geometry.primitives;
    const list = geometry.primitiveList + primitive * corners * 2;
    for (let corner: u32 = 0; corner < corners; corner++, before >>= 4) {
      const vertex = vertexAt(draw, position + 1 - (before & 15));
      store<u16>(list + corner * 2, <u16>slotOf(geometry, vertex, instance));
    }
    store<u32>(geometry.numbers + (primitive << 2), (position + 1 - corners) / step);
    geometry.primitives = primitive + 1;
  }
  geometry.stripLength = position == count ? 0 : length;
  return position;
}

// From the cursor to the end of the instance or of the batch. Gives the new position.
function fillPrimitives(geometry: Geometry, draw: Draw, corners: u32, instance: u32): u32 {
  if (!isStrip(draw.topology)) {
    const first = geometry.primitives;
    const number = geometry.position / corners - first;
    const position = fillList(geometry, draw, corners, instance);
    if (draw.numbered)
      for (let i = first; i < geometry.primitives; i++) store<u32>(geometry.numbers + (i << 2), number + i);
    return position;
  }
  return corners <= 3
    ? fillStrip(geometry, draw, corners, instance)
    : fillAdjacentStrip(geometry, draw, corners, instance);
}

/** Starts a batch of whole instances whose vertices are an index range; false when the draw has none left. */
export function fillRange(geometry: Geometry): bool {
  const draw = geometry.draw;
  const instance = geometry.instance;
  const total = geometry.instanceEnd;
  if (instance >= total) return false;
  const instances = min<u32>(geometry.rangeInstances, total - instance);
  const count = draw.count;
  geometry.rangeFirst = instance;
  geometry.instance = instance + instances;
  geometry.vertices = instances * draw.rangeCount;
  geometry.primitives = instances * (count / 3);
  return true;
}

/** Counts vertices that a draw names. */
export function countUsed(geometry: Geometry, used: u32): void {
  geometry.pass.statistics.verticesUsed += used;
}

/** Starts a batch and fills it; false when the draw has nothing left. It may be empty (BATCH_POSITIONS). */
export function fillBatch(geometry: Geometry): bool {
  const draw = geometry.draw;
  const corners = geometry.corners;
  const instances = geometry.instanceEnd;
  const count = geometry.positionEnd;
  geometry.vertices = 0;
  geometry.primitives = 0;
  nextGeneration(geometry);
  let used: u32 = 0;
  let instance = geometry.instance;
  while (instance < instances && hasRoom(geometry) && used < BATCH_POSITIONS) {
    const number = instance + draw.firstInstance;
    const start = geometry.position;
    const position = fillPrimitives(geometry, draw, corners, number);
    used += position - start;
    if (position < count) {
      geometry.position = position;
      break;
    }
    geometry.position = 0;
    geometry.stripGaps = 0;
    nextGeneration(geometry);
    instance++;
  }
  geometry.instance = instance;
  if (!draw.distinct && !geometry.resumed) countUsed(geometry, geometry.vertices);
  return geometry.vertices != 0 || instance < instances;
}
