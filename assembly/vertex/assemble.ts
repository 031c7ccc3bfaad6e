// Primitive assembly: fills a batch with primitives and the distinct vertices that they use, across instances. Each
// pair of instance and vertex index appears once in a batch's packet. Index ranges (Draw.rangeCount) skip this step,
// since their indices already are vertex numbers.
import {
  BATCH_PRIMITIVES,
  BATCH_VERTICES,
  Draw,
  Geometry,
  HASH_ENTRIES,
  HASH_SHIFT,
  PRIMITIVE_LIST_BYTES,
  TOPOLOGY_TRIANGLE_STRIP_ADJACENCY,
} from '../layout';
import { cornersBefore, cornersOf, isStrip, stepOf } from './strip';

/** Maximum number of primitives of one instance. */
export function primitivesOf(draw: Draw): u32 {
  const corners = <u32>cornersOf(draw.topology);
  return draw.count < corners ? 0 : (draw.count - corners) / stepOf(draw.topology) + 1;
}

const GENERATION_BITS = 22;
/**
 * Number of strip positions that a batch reads. A strip of nothing but restarts has no vertices, so 2³² instances of it
 * would otherwise never end the turn.
 */
const BATCH_POSITIONS: u32 = 65536;

/** Makes all hash entries stale, at the start of a batch and of each instance in it. */
function nextGeneration(geometry: Geometry): void {
  let generation = geometry.generation + 1;
  if (generation == 1 << GENERATION_BITS) {
    memory.fill(geometry.hash, 0, HASH_ENTRIES * 8);
    generation = 1;
  }
  geometry.generation = generation;
}

// Hash entry of a vertex: either the vertex's entry or a stale one to be reused. Meshes use runs of adjacent indices.
// With the low bits as the hash they collided (6.3 probes per index of the dragon); a multiplicative hash needs 1.07.
function entryOf(hash: usize, generation: u32, vertex: u32): usize {
  let probe = (vertex * 0x9e3779b1) >>> HASH_SHIFT;
  while (true) {
    const entry = hash + (probe << 3);
    if ((load<u32>(entry, 4) >>> 10 != generation) | (load<u32>(entry) == vertex)) return entry;
    probe = (probe + 1) & (HASH_ENTRIES - 1);
  }
}

// Number in the batch of a vertex of the current instance. Adds the vertex if it is new.
function slotOf(geometry: Geometry, vertex: u32, instance: u32): u32 {
  const generation = geometry.generation;
  const entry = entryOf(geometry.hash, generation, vertex);
  const tag = load<u32>(entry, 4);
  if (tag >>> 10 == generation) return tag & 1023;
  const slot = addVertex(geometry, vertex, instance);
  store<u32>(entry, vertex);
  store<u32>(entry, (generation << 10) | slot, 4);
  return slot;
}

function addVertex(geometry: Geometry, vertex: u32, instance: u32): u32 {
  const slot = geometry.vertices;
  store<u32>(geometry.indices + (slot << 2), vertex);
  store<u32>(geometry.instances + (slot << 2), instance);
  geometry.vertices = slot + 1;
  return slot;
}

// Index at a position of the draw call, or 0 beyond the end of the index buffer.
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
  return (
    <i32>(geometry.vertices + max<u32>(3, corners)) <= BATCH_VERTICES
    && <i32>geometry.primitives < BATCH_PRIMITIVES
    && <i32>((geometry.primitives + 1) * corners * 2) <= PRIMITIVE_LIST_BYTES
  );
}

function addPrimitive(geometry: Geometry, corners: usize, a: u32, b: u32, c: u32): void {
  const n = geometry.primitives;
  const list = geometry.primitiveList + n * corners * 2;
  store<u16>(list, <u16>a);
  if (corners > 1) store<u16>(list, <u16>b, 2);
  if (corners > 2) store<u16>(list, <u16>c, 4);
  geometry.primitives = n + 1;
}

// Adds indexed triangles whose indices (`I`) are all within the buffer: slotOf and addPrimitive, with their state in
// locals. Whether a vertex is new cannot be predicted, so both cases execute the same instructions, which takes half
// the time of a branch.
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

// Adds primitives of a list, from the cursor to the end of the instance or of the batch. Returns the new position.
function fillList(geometry: Geometry, draw: Draw, corners: u32, instance: u32): u32 {
  const count = geometry.positionEnd;
  const bytes = draw.indexBytes;
  let position = geometry.position;
  if (bytes && corners == 3) {
    const readable = max<u32>(position, min<u32>(count, draw.indexLimit));
    position =
      bytes == 2
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
  // The remaining positions at the end of an instance do not form a whole primitive.
  return count - position >= corners ? position : count;
}

// Whether the index at a valid position is a primitive restart.
function isRestart(draw: Draw, position: u32): bool {
  const bytes = draw.indexBytes;
  return bytes != 0 && rawIndex(draw, position) == (bytes == 2 ? 0xffff : 0xffffffff);
}

// Whether another triangle of a strip with adjacency follows the one that the vertex at a position completes.
function isFollowed(draw: Draw, position: u32): bool {
  return draw.count - position > 2 && !isRestart(draw, position + 1) && !isRestart(draw, position + 2);
}

// Vertex number at a position of a strip. A batch that begins within a strip reads earlier positions again.
function vertexAt(draw: Draw, position: u32): u32 {
  return (draw.indexBytes ? rawIndex(draw, position) : position) + draw.baseVertex;
}

// Adds primitives of a strip: each vertex completes a primitive with the vertices before it.
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
      // Stages that take primitives number them by their first index; fragment shaders number them consecutively.
      const gaps = draw.numbered ? geometry.stripGaps : 0;
      store<u32>(geometry.numbers + (geometry.primitives << 2), position + 1 - corners - gaps);
      const c = slotOf(geometry, vertex, instance);
      const b = slotOf(geometry, last, instance);
      if (corners == 2) addPrimitive(geometry, 2, b, c, 0);
      else {
        const a = slotOf(geometry, before, instance);
        // Every second triangle has the opposite winding. The first vertex stays first, as it is the provoking vertex.
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

// Adds primitives of a strip with adjacency. Their corners are farther apart, and a triangle also has corners after the
// vertex that completes it.
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

// Adds primitives from the cursor to the end of the instance or of the batch. Returns the new position.
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

/**
 * Starts a batch of whole instances whose vertices are an index range. Returns false when the draw call has none left.
 */
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

/** Counts the vertices that a draw call uses. */
export function countUsed(geometry: Geometry, used: u32): void {
  geometry.pass.statistics.verticesUsed += used;
}

/**
 * Starts a batch and fills it. Returns false when the draw call has nothing left. The batch may be empty
 * (BATCH_POSITIONS).
 */
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
