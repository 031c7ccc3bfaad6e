// Sends the primitives of a shaded batch to setup. Triangles go four at a time if none of them touches the sides of the
// clip volume, otherwise one by one. Also rejects primitives by their outcodes, clips them, and converts points and
// lines to pairs of triangles.
import {
  BATCH_PRIMITIVES,
  Geometry,
  OUTCODE_BEHIND,
  OUTCODE_CLIP,
  OUTCODE_DISTANCE,
  OUTCODE_VOLUME,
  OUTCODE_NOT_FINITE,
  Setup,
  STATUS_DONE,
  STATUS_NEEDS_MEMORY,
  STATUS_YIELD,
  STRETCH_TRIANGLES,
} from '../layout';
import { setupTriangle } from '../raster/setup';
import { setupStretch } from '../raster/setup-four';
import { extendArena } from '../raster/slab';
import { clipPolygon } from './clipping/clip';
import { cornerVertex, outcodeOf } from './clipping/vertices';

function polygonVertex(geometry: Geometry, i: i32): u32 {
  return load<u32>(geometry.polygons + (i << 2));
}

function setPolygonVertex(geometry: Geometry, i: i32, vertex: u32): void {
  store<u32>(geometry.polygons + (i << 2), vertex);
}

// Sets up the polygon as a triangle fan, from the triangle at which it was interrupted. `flat` is the vertex that
// provides flat varyings.
function emitFan<E>(geometry: Geometry, corners: i32, flat: u32): i32 {
  const setup = geometry.setup;
  const first = polygonVertex(geometry, 0);
  for (let i = geometry.fan; i + 2 < corners; i++) {
    const status = setupTriangle<E>(setup, first, polygonVertex(geometry, i + 1), polygonVertex(geometry, i + 2), flat);
    if (status != STATUS_DONE) {
      geometry.fan = i;
      return status;
    }
  }
  geometry.fan = 0;
  return STATUS_DONE;
}

function emitTriangle<E>(geometry: Geometry, a: u32, b: u32, c: u32): i32 {
  const setup = geometry.setup;
  const codes = outcodeOf(setup, a) | outcodeOf(setup, b) | outcodeOf(setup, c);
  const common = outcodeOf(setup, a) & outcodeOf(setup, b) & outcodeOf(setup, c);
  if (!(codes & (OUTCODE_CLIP | OUTCODE_NOT_FINITE)) && !common) return setupTriangle<E>(setup, a, b, c, a);
  if (isOutside(geometry, codes, common)) return STATUS_DONE;
  setPolygonVertex(geometry, 0, a);
  setPolygonVertex(geometry, 1, b);
  setPolygonVertex(geometry, 2, c);
  const corners = clipPolygon(geometry, 3, codes);
  setup.cut = 1;
  const status = emitFan<E>(geometry, corners, a);
  setup.cut = 0;
  if (status == STATUS_DONE) geometry.pass.statistics.trianglesClipped++;
  return status;
}

// Whether a primitive is rejected as a whole, from the OR (`codes`) and the AND (`common`) of its vertices' outcodes.
// Counts rejected primitives.
function isOutside(geometry: Geometry, codes: i32, common: i32): bool {
  const behind = codes & OUTCODE_NOT_FINITE || common & OUTCODE_BEHIND;
  if (!behind && !(common & OUTCODE_VOLUME)) return false;
  const statistics = geometry.pass.statistics;
  if (behind) statistics.trianglesCulledBehind++;
  else statistics.trianglesCulledOutside++;
  return true;
}

// Makes corner i of the polygon from a copy of a vertex, moved on the screen by (dx, dy) in units of 1/256 pixel.
function moveVertex(geometry: Geometry, i: i32, vertex: u32, dx: i32, dy: i32): void {
  const setup = geometry.setup;
  const moved = cornerVertex(setup, i);
  const from = setup.corner(vertex);
  const to = setup.corner(moved);
  memory.copy(setup.varyingsOf(setup.packet(moved)), setup.varyingsOf(setup.packet(vertex)), setup.stride);
  to.x = from.x + dx;
  to.y = from.y + dy;
  setPolygonVertex(geometry, i, moved);
}

// Points and lines are always front-facing: the polygon's corners 1 and 3 are exchanged if its winding requires it.
function faceFront(geometry: Geometry, clockwise: bool): void {
  const frontIsClockwise = geometry.draw.frontCw != 0;
  if (clockwise == frontIsClockwise) return;
  const second = polygonVertex(geometry, 1);
  setPolygonVertex(geometry, 1, polygonVertex(geometry, 3));
  setPolygonVertex(geometry, 3, second);
}

/** A point covers the pixel that contains it: a square of one pixel around its position. */
function emitPoint<E>(geometry: Geometry, a: u32): i32 {
  const code = outcodeOf(geometry.setup, a);
  if (isOutside(geometry, code, code)) return STATUS_DONE;
  if (code & OUTCODE_DISTANCE) {
    geometry.pass.statistics.trianglesCulledOutside++;
    return STATUS_DONE;
  }
  moveVertex(geometry, 0, a, -128, -128);
  moveVertex(geometry, 1, a, 128, -128);
  moveVertex(geometry, 2, a, 128, 128);
  moveVertex(geometry, 3, a, -128, 128);
  faceFront(geometry, true);
  return emitFan<E>(geometry, 4, a);
}

/**
 * A line is a parallelogram that is one pixel wide along its minor axis. It covers one pixel in each column (or row)
 * that it passes.
 */
function emitLine<E>(geometry: Geometry, a: u32, b: u32): i32 {
  const setup = geometry.setup;
  const codes = outcodeOf(setup, a) | outcodeOf(setup, b);
  let from = a;
  let to = b;
  if (isOutside(geometry, codes, outcodeOf(setup, a) & outcodeOf(setup, b))) return STATUS_DONE;
  if (codes & OUTCODE_CLIP) {
    setPolygonVertex(geometry, 0, a);
    setPolygonVertex(geometry, 1, b);
    // A line is clipped as a polygon with two edges, there and back, so each new end appears twice. Its ends are the
    // first corner and the one farthest from it.
    const corners = clipPolygon(geometry, 2, codes);
    if (corners < 2) {
      geometry.pass.statistics.trianglesCulledOutside++;
      return STATUS_DONE;
    }
    from = polygonVertex(geometry, 0);
    to = polygonVertex(geometry, farthest(geometry, corners));
  }
  const dx = setup.corner(to).x - setup.corner(from).x;
  const dy = setup.corner(to).y - setup.corner(from).y;
  const flat = abs<i32>(dx) >= abs<i32>(dy);
  const acrossX = flat ? 0 : 128;
  const acrossY = flat ? 128 : 0;
  moveVertex(geometry, 0, from, -acrossX, -acrossY);
  moveVertex(geometry, 1, to, -acrossX, -acrossY);
  moveVertex(geometry, 2, to, acrossX, acrossY);
  moveVertex(geometry, 3, from, acrossX, acrossY);
  faceFront(geometry, flat ? dx > 0 : dy < 0);
  return emitFan<E>(geometry, 4, a);
}

// The corner of a clipped line that is farthest from corner 0 on the screen.
function farthest(geometry: Geometry, corners: i32): i32 {
  const setup = geometry.setup;
  const x = setup.corner(polygonVertex(geometry, 0)).x;
  const y = setup.corner(polygonVertex(geometry, 0)).y;
  let best = 1;
  let most: i64 = -1;
  for (let i = 1; i < corners; i++) {
    const vertex = setup.corner(polygonVertex(geometry, i));
    const length = abs<i64>(<i64>vertex.x - x) + abs<i64>(<i64>vertex.y - y);
    if (length > most) {
      most = length;
      best = i;
    }
  }
  return best;
}

// Number of triangles from `source` on that can be set up together: whole groups of four without a vertex outside the
// clip volume. `source` is a list of vertex numbers or an index buffer of type `I`; `base` is the index of vertex 0.
function stretchOf<I>(geometry: Geometry, source: usize, base: u32, triangles: u32): u32 {
  const setup = geometry.setup;
  const most = triangles & ~3;
  if (!geometry.codes) return most;
  for (let i: u32 = 0; i < most; i += 4) {
    let codes = 0;
    for (const end = source + 12 * sizeof<I>(); source < end; source += sizeof<I>())
      codes |= outcodeOf(setup, load<I>(source) - base);
    if (codes) return i;
  }
  return most;
}

// Sets up triangles of a vertex list at `source`. Returns how many were set up: fewer than `triangles` when the arena
// is full.
function emitTriangles<E, I>(geometry: Geometry, source: usize, base: u32, triangles: u32): u32 {
  const setup = geometry.setup;
  const bytes = 3 * sizeof<I>();
  let longest: u32 = STRETCH_TRIANGLES;
  let alone: u32 = 0;
  let i: u32 = 0;
  while (i < triangles) {
    if (isVector<E>()) {
      const stretch: u32 =
        alone || geometry.fan ? 0 : stretchOf<I>(geometry, source, base, min<u32>(triangles - i, longest));
      if (stretch) {
        if (setupStretch<I>(setup, source, base, stretch)) {
          source += stretch * bytes;
          i += stretch;
        } else if (longest > 4) longest = 4;
        else alone = 4;
        continue;
      }
      if (alone) alone--;
    }
    if (setup.numberPlane >= 0) setup.number = setup.numberAt(source);
    const status = emitTriangle<E>(
      geometry,
      load<I>(source) - base,
      load<I>(source, sizeof<I>()) - base,
      load<I>(source, 2 * sizeof<I>()) - base
    );
    if (status != STATUS_DONE) return i;
    source += bytes;
    i++;
  }
  return i;
}

// Sets the source of a list's primitive numbers (Setup.numberSource).
function numberFrom(setup: Setup, source: usize, bytes: u32, numbers: usize, first: u32): void {
  setup.numberSource = source;
  setup.numberBytes = bytes;
  setup.numbers = numbers;
  setup.numberFirst = first;
}

// Counts finished primitives and moves the cursor past them.
function advance(geometry: Geometry, cursor: u32, done: u32): void {
  geometry.pass.statistics.trianglesIn += done;
  geometry.cursor = cursor + done;
}

// Sets up triangles of a batch of index ranges, instance by instance: BATCH_PRIMITIVES of them, or fewer at the end of
// the batch.
function emitRange<E>(geometry: Geometry): i32 {
  const draw = geometry.draw;
  const setup = geometry.setup;
  const triangles = draw.count / 3;
  const indices = draw.indexAddress;
  const short = draw.indexBytes == 2;
  const total = geometry.primitives;
  let cursor = geometry.cursor;
  for (const end = min<u32>(total, cursor + BATCH_PRIMITIVES); cursor < end;) {
    const instance = cursor / triangles;
    const first = cursor % triangles;
    const wanted = min<u32>(triangles - first, end - cursor);
    const base = draw.rangeFirst - instance * draw.rangeCount;
    numberFrom(setup, indices + first * (short ? 6 : 12), short ? 6 : 12, 0, first);
    const done = short
      ? emitTriangles<E, u16>(geometry, indices + first * 6, base, wanted)
      : emitTriangles<E, u32>(geometry, indices + first * 12, base, wanted);
    advance(geometry, cursor, done);
    if (done < wanted) return STATUS_NEEDS_MEMORY;
    cursor += done;
  }
  return cursor < total ? STATUS_YIELD : STATUS_DONE;
}

/**
 * Sends the batch's primitives to setup, from the cursor on. STATUS_NEEDS_MEMORY leaves the cursor at the triangle that
 * did not fit; STATUS_YIELD means that the caller must call again.
 */
export function emitBatch<E>(geometry: Geometry): i32 {
  return geometry.rangeInstances ? emitRange<E>(geometry) : emitList<E>(geometry, 0, geometry.primitives);
}

/**
 * Sends a list of primitives to setup. `before` is the number of primitives that earlier lists of the batch have sent.
 * When a slab of the arena is full, the function continues in another slab, because the output of emitting stages would
 * otherwise have to be computed again.
 */
export function emitList<E>(geometry: Geometry, before: u32, primitives: u32): i32 {
  let status = emitPart<E>(geometry, before, primitives);
  while (status == STATUS_NEEDS_MEMORY && extendArena(geometry.pass.arena))
    status = emitPart<E>(geometry, before, primitives);
  return status;
}

function emitPart<E>(geometry: Geometry, before: u32, primitives: u32): i32 {
  const corners = geometry.setupCorners;
  const cursor = geometry.cursor;
  // An earlier call already set up this part and was interrupted later.
  if (cursor - before >= primitives) return STATUS_DONE;
  const left = primitives - (cursor - before);
  const list = geometry.primitiveList + (cursor - before) * corners * 2;
  const setup = geometry.setup;
  numberFrom(setup, list, corners * 2, geometry.numbers + ((cursor - before) << 2), 0);
  if (corners == 3) {
    const done = emitTriangles<E, u16>(geometry, list, 0, left);
    advance(geometry, cursor, done);
    return done < left ? STATUS_NEEDS_MEMORY : STATUS_DONE;
  }
  let status: i32 = STATUS_DONE;
  let done: u32 = 0;
  for (; done < left; done++) {
    const at = list + done * corners * 2;
    if (setup.numberPlane >= 0) setup.number = setup.numberAt(at);
    status =
      corners == 2 ? emitLine<E>(geometry, load<u16>(at), load<u16>(at, 2)) : emitPoint<E>(geometry, load<u16>(at));
    if (status != STATUS_DONE) break;
  }
  advance(geometry, cursor, done);
  return status;
}
