// Patterns: how a patch of given levels is cut up (layout/tessellation.ts). The inside is divided by the inner levels,
// in concentric rings (triangles) or as a grid (quads); each outer edge by its own level alone, so that patches that
// share an edge and its level meet; between the edges and the outermost ring inside, triangles go from one to the
// other.
import {
  BATCH_PRIMITIVES, BATCH_VERTICES, DOMAIN_LINES, DOMAIN_QUADS, MOST_PATTERNS, Pattern, PatternPart, PATTERN_SLOTS,
  SPACING_EQUAL, sizeOf, Stage, Tessellation, TESS_LEVELS, TOPOLOGY_POINT_LIST,
} from '../layout';
import { cornersOf } from './strip';
import { clampLevel, placePoints, segmentsOf, UNIT } from './spacing';

/** The smallest level above 1 that is told from it: Direct3D's. */
const ABOVE_ONE: f32 = 1.0000152587890625;
const NO_END: u32 = 0xffffffff;

/** Values of the patches of a group: registers. */
export function valuesOf(t: Tessellation): usize { return changetype<usize>(t) + sizeOf<Tessellation>(); }

// The pattern in the making: u, v and w of its vertices, one list behind the other.
function coordsU(stage: Stage, t: Tessellation): usize { return valuesOf(t) + stage.components * 256; }
function places(stage: Stage, t: Tessellation): usize { return coordsU(stage, t) + stage.patternVertices * 12; }
function cornerList(stage: Stage, t: Tessellation): usize { return coordsU(stage, t) + (stage.patternVertices << 4); }
function patternsOf(stage: Stage, t: Tessellation): usize {
  return cornerList(stage, t) + ((stage.patternPrimitives * cornersOf(stage.topology) * 2 + 31) & ~15);
}

/** Forgets all patterns. */
export function forgetPatterns(stage: Stage, t: Tessellation): void {
  t.patterns = 0;
  t.patternsEnd = patternsOf(stage, t);
  memory.fill(t.slots, 0, PATTERN_SLOTS << 2);
}

function levelAt(levels: usize, i: i32, lane: u32): f32 { return load<f32>(levels + i * 256 + (lane << 2)); }

function isOne(spacing: i32, level: f32): bool { return segmentsOf(spacing, level) == 1; }

// Of an inner level of one segment, where something else has more: the next number of segments.
function aboveOne(spacing: i32): f32 { return spacing == SPACING_EQUAL ? 2 : ABOVE_ONE; }

/**
 * Puts the levels that the patch of a lane has into `to`; false: an outer one is not above zero, and there is nothing
 * of it.
 */
export function takeLevels(stage: Stage, t: Tessellation, lane: u32, to: Pattern): bool {
  const domain = stage.domain;
  const spacing = stage.spacing;
  const most = stage.maxLevel;
  const outer = domain == DOMAIN_QUADS ? 4 : domain == DOMAIN_LINES ? 2 : 3;
  const inner = domain == DOMAIN_QUADS ? 2 : domain == DOMAIN_LINES ? 0 : 1;
  const at = changetype<usize>(to);
  memory.fill(at, 0, TESS_LEVELS << 2);
  let ones = true;
  for (let i = 0; i < outer; i++) {
    const level = levelAt(t.levels, i, lane);
    if (!(level > 0)) return false;
    // Lines lie at equal distances, whatever the spacing along them is.
    const clamped = clampLevel(domain == DOMAIN_LINES && !i ? SPACING_EQUAL : spacing, level, most);
    store<f32>(at + (i << 2), clamped);
    ones = ones && isOne(spacing, clamped);
  }
  for (let i = 4; i < 4 + inner; i++) {
    const clamped = clampLevel(spacing, levelAt(t.levels, i, lane), most);
    store<f32>(at + (i << 2), clamped);
    ones = ones && isOne(spacing, clamped);
  }
  if (ones) return true;
  for (let i = 4; i < 4 + inner; i++)
    if (isOne(spacing, load<f32>(at + (i << 2)))) store<f32>(at + (i << 2), aboveOne(spacing));
  return true;
}

function addVertex(stage: Stage, t: Tessellation, u: i32, v: i32, w: i32): void {
  const n = t.vertices;
  const to = coordsU(stage, t) + (n << 2);
  const bytes = stage.patternVertices << 2;
  const unit: f32 = 1.0 / 16777216.0;
  store<f32>(to, <f32>u * unit);
  store<f32>(to + bytes, <f32>v * unit);
  store<f32>(to + bytes + bytes, <f32>w * unit);
  t.vertices = n + 1;
}

// Counter-clockwise, where u goes to the right and v up.
function addTriangle(stage: Stage, t: Tessellation, a: u32, b: u32, c: u32): void {
  const n = t.primitives;
  const to = cornerList(stage, t) + n * 6;
  const clockwise = stage.clockwise != 0;
  store<u16>(to, <u16>a);
  store<u16>(to, <u16>(clockwise ? c : b), 2);
  store<u16>(to, <u16>(clockwise ? b : c), 4);
  t.primitives = n + 1;
}

// Triangles between a side of the ring's outside, `segments` from Tessellation.outerAt on, and one of its inside: from
// `inner` on, `step` between neighbours. Both are walked as evenly as they go.
function stitch(stage: Stage, t: Tessellation, segments: i32, inner: u32, step: i32, innerSegments: i32): void {
  let o = t.outerAt;
  let k = inner;
  let i = 0;
  let j = 0;
  while (i < segments || j < innerSegments) {
    const outward = j == innerSegments
      || (i < segments && (2 * i + 1) * innerSegments <= (2 * j + 1) * segments);
    if (outward) {
      const next = o + 1 == t.outerEnd ? t.outerFirst : o + 1;
      addTriangle(stage, t, o, next, k);
      o = next;
      i++;
    } else {
      const next = k + step == t.innerEnd ? t.innerFirst : k + step;
      addTriangle(stage, t, o, next, k);
      k = next;
      j++;
    }
  }
  t.outerAt = o;
}

function edgeOf(t: Tessellation, level: i32): usize { return t.edges + level * 272; }
function pointAt(edge: usize, i: i32): i32 { return load<i32>(edge + (i << 2)); }

function place(t: Tessellation, pattern: Pattern, level: i32, spacing: i32): i32 {
  return placePoints(spacing, load<f32>(changetype<usize>(pattern) + (level << 2)), edgeOf(t, level));
}

function makeLines(stage: Stage, t: Tessellation, pattern: Pattern): void {
  const lines = place(t, pattern, 0, SPACING_EQUAL);
  const segments = place(t, pattern, 1, stage.spacing);
  for (let line = 0; line < lines; line++)
    for (let i = 0; i <= segments; i++)
      addVertex(stage, t, pointAt(edgeOf(t, 1), i), pointAt(edgeOf(t, 0), line), 0);
  if (stage.topology == TOPOLOGY_POINT_LIST) return;
  let to = cornerList(stage, t);
  for (let line = 0; line < lines; line++) {
    const first = line * (segments + 1);
    for (let i = first; i < first + segments; i++, to += 4) {
      store<u16>(to, <u16>i);
      store<u16>(to, <u16>(i + 1), 2);
    }
  }
  t.primitives = lines * segments;
}

// The way round: v = 0, u = 1, v = 1, u = 0.
function makeQuads(stage: Stage, t: Tessellation, pattern: Pattern): void {
  const spacing = stage.spacing;
  const left = place(t, pattern, 0, spacing);
  const bottom = place(t, pattern, 1, spacing);
  const right = place(t, pattern, 2, spacing);
  const top = place(t, pattern, 3, spacing);
  const m = place(t, pattern, 4, spacing);
  const n = place(t, pattern, 5, spacing);
  for (let i = 0; i < bottom; i++) addVertex(stage, t, pointAt(edgeOf(t, 1), i), 0, 0);
  for (let i = 0; i < right; i++) addVertex(stage, t, UNIT, pointAt(edgeOf(t, 2), i), 0);
  for (let i = top; i > 0; i--) addVertex(stage, t, pointAt(edgeOf(t, 3), i), UNIT, 0);
  for (let i = left; i > 0; i--) addVertex(stage, t, 0, pointAt(edgeOf(t, 0), i), 0);
  const around = t.vertices;
  // Then the levels are 1, all of them.
  if (m == 1) {
    if (stage.topology == TOPOLOGY_POINT_LIST) return;
    addTriangle(stage, t, 0, 1, 2);
    addTriangle(stage, t, 0, 2, 3);
    return;
  }
  for (let j = 1; j < n; j++)
    for (let i = 1; i < m; i++) addVertex(stage, t, pointAt(edgeOf(t, 4), i), pointAt(edgeOf(t, 5), j), 0);
  if (stage.topology == TOPOLOGY_POINT_LIST) return;
  const row = m - 1;
  const last = t.vertices - 1;
  t.outerFirst = 0;
  t.outerEnd = around;
  t.outerAt = 0;
  t.innerEnd = NO_END;
  stitch(stage, t, bottom, around, 1, m - 2);
  stitch(stage, t, right, around + m - 2, row, n - 2);
  stitch(stage, t, top, last, -1, m - 2);
  stitch(stage, t, left, last - (m - 2), -row, n - 2);
  for (let j = 0; j < n - 2; j++) {
    const a = around + j * row;
    for (let i: u32 = a; i < <u32>(a + m - 2); i++) {
      addTriangle(stage, t, i, i + 1, i + 1 + row);
      addTriangle(stage, t, i, i + 1 + row, i + row);
    }
  }
}

// The way round: v = 0 from w to u, w = 0 from u to v, u = 0 from v to w.
function makeTriangles(stage: Stage, t: Tessellation, pattern: Pattern): void {
  const spacing = stage.spacing;
  const third = place(t, pattern, 0, spacing);
  const first = place(t, pattern, 1, spacing);
  const second = place(t, pattern, 2, spacing);
  const n = place(t, pattern, 4, spacing);
  for (let i = 0; i < first; i++) {
    const x = pointAt(edgeOf(t, 1), i);
    addVertex(stage, t, x, 0, UNIT - x);
  }
  for (let i = 0; i < second; i++) {
    const x = pointAt(edgeOf(t, 2), i);
    addVertex(stage, t, UNIT - x, x, 0);
  }
  for (let i = 0; i < third; i++) {
    const x = pointAt(edgeOf(t, 0), i);
    addVertex(stage, t, 0, UNIT - x, x);
  }
  const isList = stage.topology != TOPOLOGY_POINT_LIST;
  // Then the levels are 1, all of them.
  if (n == 1) {
    if (isList) addTriangle(stage, t, 0, 1, 2);
    return;
  }
  t.outerFirst = 0;
  t.outerEnd = t.vertices;
  t.outerAt = 0;
  for (let ring = 1; ring << 1 <= n; ring++) {
    const segments = n - (ring << 1);
    const begin = t.vertices;
    addRing(stage, t, ring, n);
    t.innerFirst = begin;
    t.innerEnd = segments ? t.vertices : NO_END;
    if (isList) {
      const outside = segments + 2;
      const isFirst = ring == 1;
      stitch(stage, t, isFirst ? first : outside, begin, 1, segments);
      stitch(stage, t, isFirst ? second : outside, begin + segments, 1, segments);
      stitch(stage, t, isFirst ? third : outside, begin + 2 * segments, 1, segments);
    }
    t.outerFirst = begin;
    t.outerEnd = t.vertices;
    t.outerAt = begin;
    if (segments == 1 && isList) addTriangle(stage, t, begin, begin + 1, begin + 2);
  }
}

// Where perpendiculars on the edges through their points meet, or meet the sides of the ring: at two thirds of the
// distance that its first point has from the corner.
function addRing(stage: Stage, t: Tessellation, ring: i32, n: i32): void {
  const edge = edgeOf(t, 4);
  const half = <i32>floor<f64>(<f64>pointAt(edge, ring) / 3.0 + 0.5);
  const near = half << 1;
  const far = UNIT - near - near;
  const end = n - ring;
  if (ring == end) {
    addVertex(stage, t, near, near, far);
    return;
  }
  for (let side = 0; side < 3; side++)
    for (let i = ring; i < end; i++) {
      const along = i == ring ? near : pointAt(edge, i) - half;
      const back = UNIT - near - along;
      if (side == 0) addVertex(stage, t, along, near, back);
      else if (side == 1) addVertex(stage, t, back, along, near);
      else addVertex(stage, t, near, back, along);
    }
}

// Coordinates of a part's vertices, of the pattern in the making; `isWhole`: it has all of them, in their order.
function writePart(stage: Stage, t: Tessellation, part: PatternPart, isWhole: bool): void {
  const vertices = part.vertices;
  const padded = (vertices + 3) & ~3;
  const numbers = part.numbers;
  part.quads = padded >> 2;
  if (isWhole) for (let i: u32 = 0; i < vertices; i++) store<u32>(numbers + (i << 2), i);
  for (let i = vertices; i < padded; i++)
    store<u32>(numbers + (i << 2), load<u32>(numbers + ((vertices - 1) << 2)));
  const from = coordsU(stage, t);
  const bytes = stage.patternVertices << 2;
  const to = numbers + (padded << 2);
  for (let i: u32 = 0; i < padded; i++) {
    const at = from + (load<u32>(numbers + (i << 2)) << 2);
    store<u32>(to + (i << 2), load<u32>(at));
    store<u32>(to + ((i + padded) << 2), load<u32>(at + bytes));
    store<u32>(to + ((i + padded + padded) << 2), load<u32>(at + bytes + bytes));
  }
}

/** Corners of a part's primitives, u16 numbers of its vertices. */
export function cornersOfPart(part: PatternPart): usize { return part.numbers + (<usize>part.quads << 6); }

function endPart(part: PatternPart, corners: i32): usize {
  const end = (cornersOfPart(part) + part.primitives * corners * 2 + 31) & ~15;
  part.length = <u32>(end - changetype<usize>(part));
  return end;
}

function addWhole(stage: Stage, t: Tessellation, pattern: Pattern): void {
  const corners = cornersOf(stage.topology);
  const part = pattern.first;
  pattern.parts = 1;
  part.vertices = t.vertices;
  part.primitives = t.primitives;
  writePart(stage, t, part, true);
  memory.copy(cornersOfPart(part), cornerList(stage, t), t.primitives * corners * 2);
  t.patternsEnd = endPart(part, corners);
}

// Cut where the next primitive would be one too many, or one of its vertices. `places` says of each vertex of the
// pattern in which part it was last, and where.
function addParts(stage: Stage, t: Tessellation, pattern: Pattern): void {
  const corners = cornersOf(stage.topology);
  const bytes = corners << 1;
  const known = places(stage, t);
  const list = cornerList(stage, t);
  const total = t.primitives;
  memory.fill(known, 0, t.vertices << 2);
  pattern.parts = 0;
  let part = pattern.first;
  for (let first: u32 = 0; first < total;) {
    const tag = ++pattern.parts << 16;
    const numbers = part.numbers;
    let vertices: u32 = 0;
    let end = first;
    const most = min<u32>(total, first + BATCH_PRIMITIVES);
    for (; end < most && vertices + corners <= <u32>BATCH_VERTICES; end++)
      for (let corner = 0; corner < corners; corner++) {
        const vertex = load<u16>(list + end * bytes + (corner << 1));
        const place = known + (<usize>vertex << 2);
        if ((load<u32>(place) & 0xffff0000) == tag) continue;
        store<u32>(place, tag | vertices);
        store<u32>(numbers + (vertices << 2), vertex);
        vertices++;
      }
    part.vertices = vertices;
    part.primitives = end - first;
    writePart(stage, t, part, false);
    const to = cornersOfPart(part);
    const from = list + first * bytes;
    for (let i: u32 = 0; i < (end - first) * corners; i++)
      store<u16>(to + (i << 1), load<u16>(known + (<usize>load<u16>(from + (i << 1)) << 2)));
    first = end;
    t.patternsEnd = endPart(part, corners);
    part = changetype<PatternPart>(t.patternsEnd);
  }
}

function makePattern(stage: Stage, t: Tessellation, pattern: Pattern): void {
  t.vertices = 0;
  t.primitives = 0;
  if (stage.domain == DOMAIN_LINES) makeLines(stage, t, pattern);
  else if (stage.domain == DOMAIN_QUADS) makeQuads(stage, t, pattern);
  else makeTriangles(stage, t, pattern);
  if (stage.topology != TOPOLOGY_POINT_LIST) return;
  const list = cornerList(stage, t);
  for (let i: u32 = 0; i < t.vertices; i++) store<u16>(list + (i << 1), <u16>i);
  t.primitives = t.vertices;
}

function hashOf(pattern: Pattern): u32 {
  let hash: u32 = 0;
  for (let i = 0; i < TESS_LEVELS; i++)
    hash = (hash ^ load<u32>(changetype<usize>(pattern) + (<usize>i << 2))) * 0x9e3779b1;
  return hash >>> 16;
}

function isSame(a: Pattern, b: Pattern): bool {
  return memory.compare(changetype<usize>(a), changetype<usize>(b), TESS_LEVELS << 2) == 0;
}

/** Where the levels of the next pattern go (takeLevels), before findPattern. */
export function nextPattern(t: Tessellation): Pattern { return changetype<Pattern>(t.patternsEnd); }

/**
 * The pattern of the levels at nextPattern, made where it is not there yet; 0: there is no room for it, before all
 * are forgotten (forgetPatterns).
 */
export function findPattern(stage: Stage, t: Tessellation): Pattern {
  const next = nextPattern(t);
  let slot = hashOf(next) & (PATTERN_SLOTS - 1);
  let known = load<u32>(t.slots + (slot << 2));
  for (; known; known = load<u32>(t.slots + (slot << 2))) {
    if (isSame(changetype<Pattern>(known), next)) return changetype<Pattern>(known);
    slot = (slot + 1) & (PATTERN_SLOTS - 1);
  }
  const begin = patternsOf(stage, t);
  if (t.patterns == MOST_PATTERNS) return changetype<Pattern>(0);
  makePattern(stage, t, next);
  const cut = t.vertices > <u32>BATCH_VERTICES || t.primitives > <u32>BATCH_PRIMITIVES;
  // A cut pattern has vertices at its seams twice: not as many as it has vertices.
  const bytes = (t.vertices << (cut ? 5 : 4)) + t.primitives * cornersOf(stage.topology) * 2 + PATTERN_ROOM;
  if (changetype<usize>(next) + bytes > begin + stage.patternBytes) return changetype<Pattern>(0);
  if (cut) addParts(stage, t, next);
  else addWhole(stage, t, next);
  store<u32>(t.slots + (slot << 2), <u32>changetype<usize>(next));
  t.patterns++;
  return next;
}

/** Of a pattern, for its own record and those of up to 16 parts with what fills them up. */
const PATTERN_ROOM: usize = 2048;
