// The shapes of tessellation patterns (pattern.ts). The interior is divided by the inner levels, into concentric rings
// (triangles) or a grid (quads). Each outer edge is divided by its level alone, so that patches with a common edge and
// level match. Triangles connect the edges with the outermost inner ring.
import {
  DOMAIN_LINES,
  DOMAIN_QUADS,
  Pattern,
  SPACING_EQUAL,
  sizeOf,
  Stage,
  Tessellation,
  TOPOLOGY_POINT_LIST,
} from '../layout';
import { placePoints, UNIT } from './spacing';

const NO_END: u32 = 0xffffffff;

/** Registers with the values of a group's patches. */
export function valuesOf(t: Tessellation): usize {
  return changetype<usize>(t) + sizeOf<Tessellation>();
}

/** u, v and w of the vertices of the pattern under construction: three consecutive lists of Stage.patternVertices. */
export function coordsU(stage: Stage, t: Tessellation): usize {
  return valuesOf(t) + stage.components * 256;
}
/** The pattern's primitives, as u16 vertex numbers. Between the two lists is room for one word per vertex. */
export function cornerList(stage: Stage, t: Tessellation): usize {
  return coordsU(stage, t) + (stage.patternVertices << 4);
}

// The division is exact.
function coordinate(units: i32): f32 {
  return <f32>units * (1.0 / 16777216.0);
}

function addVertex(stage: Stage, t: Tessellation, u: i32, v: i32, w: i32): void {
  const n = t.vertices;
  const to = coordsU(stage, t) + (n << 2);
  const bytes = stage.patternVertices << 2;
  store<f32>(to, coordinate(u));
  store<f32>(to + bytes, coordinate(v));
  store<f32>(to + bytes + bytes, coordinate(w));
  t.vertices = n + 1;
}

// Counter-clockwise where u points right and v points up.
function addTriangle(stage: Stage, t: Tessellation, a: u32, b: u32, c: u32): void {
  const n = t.primitives;
  const to = cornerList(stage, t) + n * 6;
  const clockwise = stage.clockwise != 0;
  store<u16>(to, <u16>a);
  store<u16>(to, <u16>(clockwise ? c : b), 2);
  store<u16>(to, <u16>(clockwise ? b : c), 4);
  t.primitives = n + 1;
}

// Adds triangles between an outer side, `segments` long from Tessellation.outerAt on, and an inner side. The inner side
// starts at vertex `inner`, and its vertices are `step` apart. Both sides advance as evenly as possible.
function stitch(stage: Stage, t: Tessellation, segments: i32, inner: u32, step: i32, innerSegments: i32): void {
  let o = t.outerAt;
  let k = inner;
  let i = 0;
  let j = 0;
  while (i < segments || j < innerSegments) {
    const outward = j == innerSegments || (i < segments && (2 * i + 1) * innerSegments <= (2 * j + 1) * segments);
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

function edgeOf(t: Tessellation, level: i32): usize {
  return t.edges + level * 272;
}
function pointAt(edge: usize, i: i32): i32 {
  return load<i32>(edge + (i << 2));
}

function place(t: Tessellation, pattern: Pattern, level: i32, spacing: i32): i32 {
  return placePoints(spacing, load<f32>(changetype<usize>(pattern) + (level << 2)), edgeOf(t, level));
}

function makeLines(stage: Stage, t: Tessellation, pattern: Pattern): void {
  const lines = place(t, pattern, 0, SPACING_EQUAL);
  const segments = place(t, pattern, 1, stage.spacing);
  for (let line = 0; line < lines; line++)
    for (let i = 0; i <= segments; i++) addVertex(stage, t, pointAt(edgeOf(t, 1), i), pointAt(edgeOf(t, 0), line), 0);
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

// Order of the sides: v = 0, u = 1, v = 1, u = 0.
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
  // In this case, all levels are 1.
  if (m == 1) {
    if (stage.topology == TOPOLOGY_POINT_LIST) return;
    addTriangle(stage, t, 0, 1, 2);
    addTriangle(stage, t, 0, 2, 3);
    return;
  }
  addGrid(stage, t, m, n);
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
  addCells(stage, t, around, m - 2, n - 2);
}

// Adds the inner points of a quad of m × n segments, row by row. This and addCells are most of the work for a pattern,
// so both keep their position in locals.
function addGrid(stage: Stage, t: Tessellation, m: i32, n: i32): void {
  const bytes = stage.patternVertices << 2;
  const across = edgeOf(t, 4);
  let to = coordsU(stage, t) + (t.vertices << 2);
  for (let j = 1; j < n; j++) {
    const v = coordinate(pointAt(edgeOf(t, 5), j));
    for (let i = 1; i < m; i++, to += 4) {
      store<f32>(to, coordinate(pointAt(across, i)));
      store<f32>(to + bytes, v);
      store<f32>(to + bytes + bytes, 0);
    }
  }
  t.vertices += (m - 1) * (n - 1);
}

// Adds two triangles for each cell of the grid whose points begin at `first`.
function addCells(stage: Stage, t: Tessellation, first: u32, columns: i32, rows: i32): void {
  const second: usize = stage.clockwise ? 4 : 2;
  const third: usize = 6 - second;
  const row = columns + 1;
  let to = cornerList(stage, t) + t.primitives * 6;
  for (let j = 0; j < rows; j++) {
    let a = first + j * row;
    for (let i = 0; i < columns; i++, a++, to += 12) {
      const c = a + 1 + row;
      store<u16>(to, <u16>a);
      store<u16>(to + second, <u16>(a + 1));
      store<u16>(to + third, <u16>c);
      store<u16>(to + 6, <u16>a);
      store<u16>(to + 6 + second, <u16>c);
      store<u16>(to + 6 + third, <u16>(c - 1));
    }
  }
  t.primitives += 2 * columns * rows;
}

// Order of the sides: v = 0 from w to u, w = 0 from u to v, u = 0 from v to w.
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
  // In this case, all levels are 1.
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

// Adds the points of a ring. They are where perpendiculars through the edge's points meet each other or the sides of
// the ring: at two thirds of the distance of the ring's first point from the corner.
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

/** Makes the pattern for the levels in `pattern`. */
export function makePattern(stage: Stage, t: Tessellation, pattern: Pattern): void {
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
