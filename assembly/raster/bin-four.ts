// Writes the records of four triangles at once, one per lane, and puts them on the tiles' lists. The bits are the same
// as those of listTriangle (setup.ts) for one triangle.
import {
  Draw,
  Packet,
  PlaneTerms,
  Setup,
  SetupFour,
  SetupLive,
  sizeOf,
  TILE_SHIFT,
  TILE_SIZE,
  TRI_CONSTANT_SHIFT,
  TRI_FLAG_AFFINE,
  TRI_FLAG_FRONT,
  TRI_FLAG_SMALL,
  Triangle,
  TriangleEdge,
  Viewport,
} from '../layout';
import {
  evenLanes,
  highHalves,
  interleaveHigh,
  interleaveLow,
  lowHalves,
  max as maximum,
  min as minimum,
  oddLanes,
  storeColumns,
  transposeColumn0,
  transposeColumn1,
  transposeColumn2,
  transposeColumn3,
} from '../simd/lanes';
import { append, arenaHolds, binTriangle } from './bin';
import { writePlanes } from './planes';
import { BOUNDED_AREA, BOUNDED_SPAN, MIN_NORMAL, PLANE_ERROR, putCover, recordBytes, smallStart } from './setup';

/**
 * Sets up the live triangles (Setup.live), in order. Returns false, and changes nothing, if the arena might not hold
 * them all.
 */
export function binLive<I>(setup: Setup, base: u32, live: u32): bool {
  if (!holdsLive(setup, live)) return false;
  const list = setup.live;
  findPackets<I>(setup, base, live);
  for (let i: u32 = 0; i < live; i += 4) {
    const at = list.from(i);
    boxFour(setup, at);
    v128.store(setup.four.tile, tilesFour(setup.four, setup.pass.tilesX));
    allocateFour(setup, changetype<usize>(at.covers), changetype<usize>(at.coversHigh));
    writeFour(setup, at, changetype<usize>(list.termsOf(i)));
    listFour(setup, at, i, min<u32>(4, live - i));
  }
  return true;
}

// Whether the arena holds the records and list blocks of the live triangles, if each of them touches as many tiles as
// the longest box can.
function holdsLive(setup: Setup, live: u32): bool {
  const longest = v128.load(setup.longest);
  const pairs = i32x4.max_s(longest, highHalves(longest, longest));
  const tiles =
    (max<i32>(i32x4.extract_lane(pairs, 0), i32x4.extract_lane(pairs, 1)) + 2 * TILE_SIZE - 2) >> TILE_SHIFT;
  const arena = setup.pass.arena;
  return arenaHolds(arena, (live + 3) * recordBytes(setup, false), live * tiles * tiles);
}

// Cross products of four vectors, x1·y2 − x2·y1: lanes 0 and 1, and lanes 2 and 3.
export function crossLow(x1: v128, y1: v128, x2: v128, y2: v128): v128 {
  return i64x2.sub(i64x2.extmul_low_i32x4_s(x1, y2), i64x2.extmul_low_i32x4_s(x2, y1));
}
export function crossHigh(x1: v128, y1: v128, x2: v128, y2: v128): v128 {
  return i64x2.sub(i64x2.extmul_high_i32x4_s(x1, y2), i64x2.extmul_high_i32x4_s(x2, y1));
}

// First and last pixels that have a sample position within the vertices' bounding boxes, from the boxes' sides.
export function firstPixels(setup: Setup, sides: v128): v128 {
  return i32x4.shr_s(i32x4.add(sides, i32x4.splat(setup.sampleUp)), 8);
}
export function lastPixels(setup: Setup, sides: v128): v128 {
  return i32x4.shr_s(i32x4.sub(sides, i32x4.splat(setup.sampleFirst)), 8);
}

// The least and the greatest of 0 and two other values.
export function minOf(b: v128, c: v128): v128 {
  return i32x4.min_s(i32x4.splat(0), i32x4.min_s(b, c));
}
export function maxOf(b: v128, c: v128): v128 {
  return i32x4.max_s(i32x4.splat(0), i32x4.max_s(b, c));
}

// Finds the packets of the live triangles' vertices. Each packet is read here, so that the cache fetches many at a
// time: this saves 10 % of a frame of 800 000 triangles.
function findPackets<I>(setup: Setup, base: u32, live: u32): void {
  const list = setup.live;
  const stride = setup.stride;
  const packets = setup.packets + setup.varyingBytes - base * stride;
  const varyings = setup.varyingBytes;
  for (let i: u32 = 0; i < live; i++) {
    const at = load<u32>(list.sources + (i << 2));
    const source = at & ~1;
    const turned = at & 1;
    const a = packets + load<I>(source) * stride;
    const b = packets + load<I>(source, sizeof<I>()) * stride;
    const c = packets + load<I>(source, 2 * sizeof<I>()) * stride;
    load<u32>(a);
    load<u32>(a - varyings);
    load<u32>(b);
    load<u32>(b - varyings);
    load<u32>(c);
    load<u32>(c - varyings);
    const terms = list.termsOf(i);
    terms.a = changetype<Packet>(a);
    terms.b = changetype<Packet>(turned ? c : b);
    terms.c = changetype<Packet>(turned ? b : c);
    terms.flat = changetype<Packet>(a);
  }
  // Unused lanes repeat the last triangle as a large one. What is written for them is overwritten later.
  const packed = v128.load(changetype<usize>(list.termsOf(live - 1)));
  for (let i = live; i & 3; i++) {
    const at = list.from(i);
    v128.store(changetype<usize>(list.termsOf(i)), packed);
    store<u32>(at.covers, 0);
    store<u32>(at.coversHigh, 0);
  }
}

// Bounding boxes, clipped to the pixel rectangle. Tried: one function for culling too, through memory: the dragon 4 %
// slower.
// @ts-ignore: decorator
@inline function boxFour(setup: Setup, live: SetupLive): void {
  const four = setup.four;
  const one = i32x4.splat(1);
  const ax = v128.load(live.aX);
  const ay = v128.load(live.aY);
  const bx = v128.load(live.bX);
  const by = v128.load(live.bY);
  const cx = v128.load(live.cX);
  const cy = v128.load(live.cY);
  const left = minOf(bx, cx);
  const top = minOf(by, cy);
  const right = maxOf(bx, cx);
  const bottom = maxOf(by, cy);
  v128.store(four.spanX, i32x4.sub(right, left));
  v128.store(four.spanY, i32x4.sub(bottom, top));
  const lastX = lastPixels(setup, i32x4.add(ax, right));
  const lastY = lastPixels(setup, i32x4.add(ay, bottom));
  v128.store(four.minX, i32x4.max_s(firstPixels(setup, i32x4.add(ax, left)), i32x4.splat(setup.minX)));
  v128.store(four.minY, i32x4.max_s(firstPixels(setup, i32x4.add(ay, top)), i32x4.splat(setup.minY)));
  v128.store(four.maxX, i32x4.min_s(i32x4.add(lastX, one), i32x4.splat(setup.maxX)));
  v128.store(four.maxY, i32x4.min_s(i32x4.add(lastY, one), i32x4.splat(setup.maxY)));
}

// The tiles that contain the boxes, or −1 for more than one tile.
function tilesFour(four: SetupFour, tilesX: i32): v128 {
  const one = i32x4.splat(1);
  const tileX = i32x4.shr_s(v128.load(four.minX), TILE_SHIFT);
  const tileY = i32x4.shr_s(v128.load(four.minY), TILE_SHIFT);
  const lastX = i32x4.shr_s(i32x4.sub(v128.load(four.maxX), one), TILE_SHIFT);
  const lastY = i32x4.shr_s(i32x4.sub(v128.load(four.maxY), one), TILE_SHIFT);
  const others = v128.or(i32x4.sub(lastX, tileX), i32x4.sub(lastY, tileY));
  return v128.or(i32x4.add(i32x4.mul(tileY, i32x4.splat(tilesX)), tileX), i32x4.gt_s(others, i32x4.splat(0)));
}

// Addresses of the four records. The arena's cursor does not move.
// @ts-ignore: decorator
@inline function allocateFour(setup: Setup, covers: usize, coversHigh: usize): void {
  const four = setup.four;
  const large = recordBytes(setup, false);
  const small = recordBytes(setup, true);
  const start = smallStart(setup);
  let cursor = setup.pass.arena.cursor;
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const isSmall = (load<u32>(covers + lane) | load<u32>(coversHigh + lane)) != 0;
    store<usize>(four.triangles + lane, isSmall ? cursor - start : cursor);
    store<usize>(four.edges + lane, isSmall ? four.unused : cursor);
    cursor += isSmall ? small : large;
  }
}

// Stores four rows from lanes, each at offset `at` from one of the addresses at `to`.
function storeRows(to: usize, at: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(load<u32>(to) + at, transposeColumn0(a, b, c, d));
  v128.store(load<u32>(to, 4) + at, transposeColumn1(a, b, c, d));
  v128.store(load<u32>(to, 8) + at, transposeColumn2(a, b, c, d));
  v128.store(load<u32>(to, 12) + at, transposeColumn3(a, b, c, d));
}

// Exact conversion of i64 below 2^51 to f64, by adding the bits to those of 2^52 + 2^51. (Twice an area is below 2^50.)
function fromI64(v: v128): v128 {
  return f64x2.sub(i64x2.add(v, i64x2.splat(0x4338000000000000)), f64x2.splat(6755399441055744));
}

// Scales a difference in screen space to a factor per pixel. Writes it to `wide` in f64 and returns it in f32.
function storeFactor(wide: usize, difference: v128, scale01: v128, scale23: v128): v128 {
  const x01 = f64x2.mul(f64x2.convert_low_i32x4_s(difference), scale01);
  const x23 = f64x2.mul(f64x2.convert_low_i32x4_s(highHalves(difference, difference)), scale23);
  v128.store(wide, x01);
  v128.store(wide, x23, 16);
  return lowHalves(f32x4.demote_f64x2_zero(x01), f32x4.demote_f64x2_zero(x23));
}

// d1·x1 + d2·x2 in f64 for four lanes, rounded to f32, where d1 and d2 are the differences of b and c to a. `wide` is
// SetupFour.x1F64 or SetupFour.y1F64, which is followed by the factor of d2.
function slope(wide: usize, a: v128, b: v128, c: v128): v128 {
  return lowHalves(lowSlope(wide, a, b, c), lowSlope(wide + 16, highHalves(a, a), highHalves(b, b), highHalves(c, c)));
}

function lowSlope(wide: usize, a: v128, b: v128, c: v128): v128 {
  const from = f64x2.promote_low_f32x4(a);
  const d1 = f64x2.sub(f64x2.promote_low_f32x4(b), from);
  const d2 = f64x2.sub(f64x2.promote_low_f32x4(c), from);
  return f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(d1, v128.load(wide)), f64x2.mul(d2, v128.load(wide, 32))));
}

// 2^(exponent of z − 23), as floatStep (setup.ts).
function floatSteps(z: v128): v128 {
  return i32x4.shl(i32x4.sub(i32x4.max_s(i32x4.shr_u(f32x4.abs(z), 23), i32x4.splat(24)), i32x4.splat(23)), 23);
}

// As depthBias (setup.ts).
function biasFour(setup: Setup, draw: Draw, largest: v128, ddx: v128, ddy: v128): v128 {
  const unit = setup.biasUnit;
  const slopes = f32x4.max(f32x4.abs(ddx), f32x4.abs(ddy));
  const units = unit == 0 ? floatSteps(largest) : f32x4.splat(unit);
  const bias = f32x4.add(
    f32x4.mul(f32x4.splat(<f32>draw.depthBias), units),
    f32x4.mul(f32x4.splat(draw.depthBiasSlope), slopes)
  );
  const limit = draw.depthBiasClamp;
  if (limit > 0) return f32x4.min(bias, f32x4.splat(limit));
  return limit < 0 ? f32x4.max(bias, f32x4.splat(limit)) : bias;
}

// Depth and 1/w of a vertex (of PLANE TERMS) of two of the four triangles.
function packetPair(vertex: usize): v128 {
  return v128.load64_lane(load<u32>(vertex + sizeOf<PlaneTerms>()), v128.load64_zero(load<u32>(vertex)), 1);
}

// Writes the four records except their list entries, coverage and varyings. Also writes the factors of PLANE TERMS.
// @ts-ignore: decorator
@inline function writeFour(setup: Setup, live: SetupLive, terms: usize): void {
  const four = setup.four;
  const draw = setup.draw;
  const ax = v128.load(live.aX);
  const ay = v128.load(live.aY);
  const bx = v128.load(live.bX);
  const by = v128.load(live.bY);
  const cx = v128.load(live.cX);
  const cy = v128.load(live.cY);
  const area01 = crossLow(bx, by, cx, cy);
  const area23 = crossHigh(bx, by, cx, cy);
  const large = i32x4.eq(v128.or(v128.load(live.covers), v128.load(live.coversHigh)), i32x4.splat(0));
  const anyLarge = i32x4.bitmask(large) != 0;
  if (anyLarge) writeEdges(four, live, area01, area23);
  // d/dx = (d1·(yc − ya) − d2·(yb − ya)) / area, per pixel.
  const scale01 = f64x2.div(f64x2.splat(256), fromI64(area01));
  const scale23 = f64x2.div(f64x2.splat(256), fromI64(area23));
  const x1 = storeFactor(four.x1F64, cy, scale01, scale23);
  const x2 = storeFactor(four.x2F64, i32x4.neg(by), scale01, scale23);
  const y1 = storeFactor(four.y1F64, i32x4.neg(cx), scale01, scale23);
  const y2 = storeFactor(four.y2F64, bx, scale01, scale23);
  storeColumns(terms + offsetof<PlaneTerms>('x1'), sizeOf<PlaneTerms>(), x1, x2, y1, y2);
  const a01 = packetPair(terms);
  const a23 = packetPair(terms + 2 * sizeOf<PlaneTerms>());
  const b01 = packetPair(terms + 4);
  const b23 = packetPair(terms + 4 + 2 * sizeOf<PlaneTerms>());
  const c01 = packetPair(terms + 8);
  const c23 = packetPair(terms + 8 + 2 * sizeOf<PlaneTerms>());
  // Flags, box, first vertex.
  const wa = oddLanes(a01, a23);
  const wb = oddLanes(b01, b23);
  const wc = oddLanes(c01, c23);
  const one = f32x4.splat(1);
  const affine = v128.and(f32x4.eq(wa, one), v128.and(f32x4.eq(wb, one), f32x4.eq(wc, one)));
  // Bit 0 of a source is set for counter-clockwise triangles.
  const front = i32x4.eq(v128.and(v128.load(live.sources), i32x4.splat(1)), i32x4.splat(draw.frontCw ? 0 : 1));
  const flags = v128.or(
    v128.or(v128.and(front, i32x4.splat(TRI_FLAG_FRONT)), v128.andnot(i32x4.splat(TRI_FLAG_SMALL), large)),
    v128.and(affine, i32x4.splat(TRI_FLAG_AFFINE))
  );
  storeRows(
    four.triangles,
    offsetof<Triangle>('draw'),
    i32x4.splat(changetype<usize>(draw)),
    flags,
    v128.load(four.minX),
    v128.load(four.minY)
  );
  const pixel = f32x4.splat(1.0 / 256.0);
  storeRows(
    four.triangles,
    offsetof<Triangle>('maxX'),
    v128.load(four.maxX),
    v128.load(four.maxY),
    f32x4.mul(f32x4.convert_i32x4_s(ax), pixel),
    f32x4.mul(f32x4.convert_i32x4_s(ay), pixel)
  );
  const nearest = v128.load32_splat(changetype<usize>(draw.viewport), offsetof<Viewport>('minDepth'));
  const farthest = v128.load32_splat(changetype<usize>(draw.viewport), offsetof<Viewport>('maxDepth'));
  const za = evenLanes(a01, a23);
  const zb = evenLanes(b01, b23);
  const zc = evenLanes(c01, c23);
  const zdx = slope(four.x1F64, za, zb, zc);
  const zdy = slope(four.y1F64, za, zb, zc);
  let z = za;
  if (setup.biased) z = f32x4.add(za, biasFour(setup, draw, f32x4.max(za, f32x4.max(zb, zc)), zdx, zdy));
  storeRows(four.triangles, offsetof<Triangle>('z'), z, zdx, zdy, nearest);
  const wdx = slope(four.x1F64, wa, wb, wc);
  const wdy = slope(four.y1F64, wa, wb, wc);
  storeRows(four.triangles, offsetof<Triangle>('zMax'), farthest, wa, wdx, wdy);
  if (!anyLarge) return;
  // As writeDepthBounds (setup.ts).
  const spanX = v128.load(four.spanX);
  const spanY = v128.load(four.spanY);
  const bias = f32x4.sub(z, za);
  const slopes = f32x4.add(
    f32x4.mul(f32x4.abs(zdx), f32x4.convert_i32x4_s(spanX)),
    f32x4.mul(f32x4.abs(zdy), f32x4.convert_i32x4_s(spanY))
  );
  const sizes = f32x4.add(
    f32x4.add(f32x4.add(f32x4.abs(z), f32x4.abs(bias)), f32x4.abs(f32x4.sub(zb, za))),
    f32x4.abs(f32x4.sub(zc, za))
  );
  const error = f32x4.add(
    f32x4.mul(f32x4.add(sizes, f32x4.mul(slopes, f32x4.splat(1.0 / 256.0))), f32x4.splat(PLANE_ERROR)),
    f32x4.splat(MIN_NORMAL)
  );
  const near = minimum(f32x4.sub(f32x4.add(minimum(za, minimum(zb, zc)), bias), error), farthest);
  const far = maximum(f32x4.add(f32x4.add(maximum(za, maximum(zb, zc)), bias), error), nearest);
  // The bounds only hold if the box is small and twice the area is at least 2^10: a bit from 2^10 up in the lower half,
  // or any bit in the upper half.
  const tight = v128.and(
    i32x4.eq(oddLanes(area01, area23), i32x4.splat(0)),
    i32x4.lt_u(evenLanes(area01, area23), i32x4.splat(<i32>BOUNDED_AREA))
  );
  const wild = v128.or(i32x4.gt_s(i32x4.max_s(spanX, spanY), i32x4.splat(BOUNDED_SPAN)), tight);
  const infinity = f32x4.splat(Infinity);
  const near4 = v128.bitselect(f32x4.neg(infinity), near, wild);
  const far4 = v128.bitselect(infinity, far, wild);
  const low2 = interleaveLow(near4, far4);
  const high2 = interleaveHigh(near4, far4);
  v128.store64_lane(load<u32>(four.edges), low2, 0, offsetof<Triangle>('near'));
  v128.store64_lane(load<u32>(four.edges + 4), low2, 1, offsetof<Triangle>('near'));
  v128.store64_lane(load<u32>(four.edges + 8), high2, 0, offsetof<Triangle>('near'));
  v128.store64_lane(load<u32>(four.edges + 12), high2, 1, offsetof<Triangle>('near'));
}

// Stores one edge of four triangles: A, B and C (two lanes per vector).
function storeEdge(four: SetupFour, edge: usize, a: v128, b: v128, c01: v128, c23: v128): void {
  const zero = i32x4.splat(0);
  // −1 for edges that are neither top nor left.
  const rule = v128.or(i32x4.shr_s(a, 31), v128.andnot(i32x4.eq(a, zero), i32x4.gt_s(b, zero)));
  const ab01 = interleaveLow(a, b);
  const ab23 = interleaveHigh(a, b);
  const d01 = i64x2.add(c01, interleaveLow(rule, rule));
  const d23 = i64x2.add(c23, interleaveHigh(rule, rule));
  v128.store(load<u32>(four.edges) + edge, lowHalves(ab01, d01));
  v128.store(load<u32>(four.edges + 4) + edge, highHalves(ab01, d01));
  v128.store(load<u32>(four.edges + 8) + edge, lowHalves(ab23, d23));
  v128.store(load<u32>(four.edges + 12) + edge, highHalves(ab23, d23));
}

// C before the top-left rule is the cross product of the edge's ends. The three add up to the area.
// @ts-ignore: decorator
@inline function writeEdges(four: SetupFour, live: SetupLive, area01: v128, area23: v128): void {
  const ax = v128.load(live.aX);
  const ay = v128.load(live.aY);
  const bx = v128.load(live.bX);
  const by = v128.load(live.bY);
  const cx = v128.load(live.cX);
  const cy = v128.load(live.cY);
  const ab01 = crossLow(ax, ay, bx, by);
  const ab23 = crossHigh(ax, ay, bx, by);
  const ca01 = crossLow(cx, cy, ax, ay);
  const ca23 = crossHigh(cx, cy, ax, ay);
  storeEdge(four, offsetof<Triangle>('a0'), i32x4.neg(by), bx, ab01, ab23);
  storeEdge(
    four,
    offsetof<Triangle>('a0') + sizeOf<TriangleEdge>(),
    i32x4.sub(by, cy),
    i32x4.sub(cx, bx),
    i64x2.sub(i64x2.sub(area01, ab01), ca01),
    i64x2.sub(i64x2.sub(area23, ab23), ca23)
  );
  storeEdge(four, offsetof<Triangle>('a0') + 2 * sizeOf<TriangleEdge>(), cy, i32x4.neg(cx), ca01, ca23);
}

// Writes the primitive numbers, for fragment shaders that read them. A separate loop: within the loop below, it made
// teapots 2 % slower.
function putNumbers(setup: Setup, live: SetupLive, count: u32): void {
  for (let i: usize = 0; i < count; i++) {
    const triangle = changetype<Triangle>(load<u32>(setup.four.triangles + (i << 2)));
    store<u32>(triangle.planes + setup.numberPlane, setup.numberAt(load<u32>(live.sources + (i << 2)) & ~1));
  }
}

// Writes coverage and varyings of the first `count` triangles at `live`, and puts them on the lists. `first` is the
// number of the first one among the live triangles.
// @ts-ignore: decorator
@inline function listFour(setup: Setup, live: SetupLive, first: u32, count: u32): void {
  const four = setup.four;
  const pass = setup.pass;
  const arena = pass.arena;
  const statistics = pass.statistics;
  const groups = setup.groups;
  arena.cursor =
    load<u32>(four.triangles + ((count - 1) << 2)) + changetype<usize>(changetype<Triangle>(0).planes) + groups * 48;
  let binned: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const lane = i << 2;
    const triangle = changetype<Triangle>(load<u32>(four.triangles + lane));
    const cover = (<u64>load<u32>(live.covers + lane)) | ((<u64>load<u32>(live.coversHigh + lane)) << 32);
    if (cover) putCover(setup, triangle, cover, setup.live.layersOf(first + i));
    if (groups) triangle.flags |= writePlanes(setup, triangle, setup.live.termsOf(first + i)) << TRI_CONSTANT_SHIFT;
    const tile = load<i32>(four.tile + lane);
    if (tile >= 0) {
      append(arena, pass.bin(tile), triangle);
      binned++;
    } else {
      binned += binTriangle(setup, triangle) != 0;
    }
  }
  if (groups && setup.numberPlane >= 0) putNumbers(setup, live, count);
  statistics.trianglesBinned += binned;
  statistics.trianglesCulledBetween = statistics.trianglesCulledBetween + count - binned;
}
