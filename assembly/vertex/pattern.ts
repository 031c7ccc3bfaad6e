// Tessellation patterns: how patches are subdivided (layout/vertex/tessellation.ts). Levels are clamped, and the
// pattern for them is looked up in a cache or made (pattern-shapes.ts). Large patterns are cut into parts.
import {
  BATCH_PRIMITIVES,
  BATCH_VERTICES,
  DOMAIN_LINES,
  DOMAIN_QUADS,
  MAX_PATTERNS,
  Pattern,
  PatternPart,
  PATTERN_SLOTS,
  SPACING_EQUAL,
  Stage,
  Tessellation,
  TESS_LEVELS,
} from '../layout';
import { coordsU, cornerList, makePattern } from './pattern-shapes';
import { clampLevel, segmentsOf } from './spacing';
import { cornersOf } from './strip';

/** The smallest level above 1 that is treated as greater than 1, as in Direct3D. */
const ABOVE_ONE: f32 = 1.0000152587890625;

// For each vertex of the pattern under construction: the part that used it last, and its number there.
function places(stage: Stage, t: Tessellation): usize {
  return coordsU(stage, t) + stage.patternVertices * 12;
}
function patternsOf(stage: Stage, t: Tessellation): usize {
  return cornerList(stage, t) + ((stage.patternPrimitives * cornersOf(stage.topology) * 2 + 31) & ~15);
}

/** Discards all cached patterns. */
export function discardPatterns(stage: Stage, t: Tessellation): void {
  t.patterns = 0;
  t.patternsEnd = patternsOf(stage, t);
  memory.fill(t.slots, 0, PATTERN_SLOTS << 2);
}

function levelAt(levels: usize, i: i32, lane: u32): f32 {
  return load<f32>(levels + i * 256 + (lane << 2));
}

function isOne(spacing: i32, level: f32): bool {
  return segmentsOf(spacing, level) == 1;
}

// Replacement for an inner level of one segment when another level is greater: the next possible number of segments.
function aboveOne(spacing: i32): f32 {
  return spacing == SPACING_EQUAL ? 2 : ABOVE_ONE;
}

/**
 * Writes the clamped levels of a lane's patch to `to`. Returns false if an outer level is not above zero, which
 * discards the patch.
 */
export function clampLevels(stage: Stage, t: Tessellation, lane: u32, to: Pattern): bool {
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
    // Lines are equally spaced, whatever the spacing of points along them.
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

// Writes the coordinates of a part's vertices, from the pattern under construction.
function writePart(stage: Stage, t: Tessellation, part: PatternPart): void {
  const vertices = part.vertices;
  const padded = (vertices + 3) & ~3;
  const numbers = part.numbers;
  part.quads = padded >> 2;
  for (let i = vertices; i < padded; i++) store<u32>(numbers + (i << 2), load<u32>(numbers + ((vertices - 1) << 2)));
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

/** Corners of a part's primitives, as u16 numbers of its vertices. */
export function cornersOfPart(part: PatternPart): usize {
  return part.numbers + ((<usize>part.quads) << 6);
}

function endPart(part: PatternPart, corners: i32): usize {
  const end = (cornersOfPart(part) + part.primitives * corners * 2 + 31) & ~15;
  part.length = <u32>(end - changetype<usize>(part));
  return end;
}

function addWhole(stage: Stage, t: Tessellation, pattern: Pattern): void {
  const corners = cornersOf(stage.topology);
  const part = pattern.first;
  const vertices = t.vertices;
  const bytes = (<usize>((vertices + 3) & ~3)) << 2;
  pattern.parts = 1;
  part.quads = <u32>(bytes >> 4);
  part.vertices = vertices;
  part.primitives = t.primitives;
  // The last vertex is repeated to fill the last quad.
  const from = coordsU(stage, t);
  const next = stage.patternVertices << 2;
  let to = part.numbers;
  for (const end = to + bytes; to < end; to += 4)
    store<u32>(to, min<u32>(<u32>((to - part.numbers) >> 2), vertices - 1));
  for (let i: usize = 0; i < 3; i++, to += bytes) {
    memory.copy(to, from + i * next, vertices << 2);
    for (let at = (<usize>vertices) << 2; at < bytes; at += 4) store<u32>(to + at, load<u32>(to + at - 4));
  }
  memory.copy(cornersOfPart(part), cornerList(stage, t), t.primitives * corners * 2);
  t.patternsEnd = endPart(part, corners);
}

// Cuts the pattern before a primitive that would exceed the limit of primitives or vertices. `places` records in which
// part each vertex of the pattern was used last, and its number there.
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
        const place = known + ((<usize>vertex) << 2);
        if ((load<u32>(place) & 0xffff0000) == tag) continue;
        store<u32>(place, tag | vertices);
        store<u32>(numbers + (vertices << 2), vertex);
        vertices++;
      }
    part.vertices = vertices;
    part.primitives = end - first;
    writePart(stage, t, part);
    const to = cornersOfPart(part);
    const from = list + first * bytes;
    for (let i: u32 = 0; i < (end - first) * corners; i++)
      store<u16>(to + (i << 1), load<u16>(known + ((<usize>load<u16>(from + (i << 1))) << 2)));
    first = end;
    t.patternsEnd = endPart(part, corners);
    part = changetype<PatternPart>(t.patternsEnd);
  }
}

function hashOf(pattern: Pattern): u32 {
  let hash: u32 = 0;
  for (let i = 0; i < TESS_LEVELS; i++)
    hash = (hash ^ load<u32>(changetype<usize>(pattern) + ((<usize>i) << 2))) * 0x9e3779b1;
  return hash >>> 16;
}

function isSame(a: Pattern, b: Pattern): bool {
  return memory.compare(changetype<usize>(a), changetype<usize>(b), TESS_LEVELS << 2) == 0;
}

/** Address for the levels of the next pattern. clampLevels writes them before findPattern is called. */
export function nextPattern(t: Tessellation): Pattern {
  return changetype<Pattern>(t.patternsEnd);
}

/**
 * Finds the pattern for the levels at nextPattern, or makes it. Returns 0 if there is no room until all patterns are
 * discarded (discardPatterns).
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
  if (t.patterns == MAX_PATTERNS) return changetype<Pattern>(0);
  makePattern(stage, t, next);
  const cut = t.vertices > <u32>BATCH_VERTICES || t.primitives > <u32>BATCH_PRIMITIVES;
  // A cut pattern duplicates the vertices at its seams. There are fewer of these than vertices.
  const bytes = (t.vertices << (cut ? 5 : 4)) + t.primitives * cornersOf(stage.topology) * 2 + PATTERN_ROOM;
  if (changetype<usize>(next) + bytes > begin + stage.patternBytes) return changetype<Pattern>(0);
  if (cut) addParts(stage, t, next);
  else addWhole(stage, t, next);
  store<u32>(t.slots + (slot << 2), <u32>changetype<usize>(next));
  t.patterns++;
  return next;
}

/** Room for a pattern's record, and those of up to 16 parts with their padding. */
const PATTERN_ROOM: usize = 2048;
