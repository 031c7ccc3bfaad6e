// Records of four triangles at once, a lane each: what placeTriangle (setup.ts) writes of one, with the same bits.
import { DRAW_DEPTH_BIAS, DRAW_DEPTH_BIAS_CLAMP, DRAW_DEPTH_BIAS_SLOPE, DRAW_FRONT_CW, DRAW_VIEWPORT } from '../layout/draw';
import { TILE_SHIFT, TILE_SIZE } from '../layout/limits';
import * as P from '../layout/packet';
import { ARENA_CURSOR, PASS_ARENA, PASS_BINS, PASS_STATISTICS, PASS_TILES_X, STAT_TRIANGLES_BINNED, BIN_BYTES, STAT_TRIANGLES_CULLED_BETWEEN } from '../layout/pass';
import * as T from '../layout/triangle';
import {
  evenLanes, highHalves, interleaveHigh, interleaveLow, lowHalves, max as maximum, min as minimum, oddLanes, transposeColumn0, transposeColumn1, transposeColumn2,
  transposeColumn3,
} from '../simd/lanes';
import { layersOf } from '../simd/positions';
import { append, arenaHolds, binSmall, binTriangle } from './bin';
import { writePlanes } from './planes';
import { BOUNDED_AREA, BOUNDED_SPAN, LEAST_NORMAL, PLANE_ERROR, recordBytes, smallStart, writeDepthBounds, writeEdges } from './setup';

/** Places the live triangles (SETUP_LIVE), in order. False when the arena might not hold them all; then nothing has changed. */
export function placeLive<I>(setup: usize, base: u32, live: u32): bool {
  if (!holdsLive(setup, live)) return false;
  const list = setup + P.SETUP_LIVE;
  findPackets<I>(setup, base, live);
  for (let i: u32 = 0; i < live; i += 4) {
    const at = list + (<usize>i << 2);
    gatherFour(setup, at);
    boxFour(setup);
    allocateFour(setup, at);
    writeFour(setup, at);
    binFour(setup, at, i, min<u32>(4, live - i));
  }
  return true;
}

// Whether the arena holds records and list blocks of the live triangles, as if each were on the lists of as many tiles as the longest can be.
// @ts-ignore: decorator
@inline function holdsLive(setup: usize, live: u32): bool {
  const longest = v128.load(setup, P.SETUP_LONGEST);
  const pairs = i32x4.max_s(longest, highHalves(longest, longest));
  const tiles = (max<i32>(i32x4.extract_lane(pairs, 0), i32x4.extract_lane(pairs, 1)) + 2 * TILE_SIZE - 2) >> TILE_SHIFT;
  const arena = <usize>load<u32>(<usize>load<u32>(setup, P.SETUP_PASS) + PASS_ARENA);
  return arenaHolds(arena, <usize>(live + 3) * recordBytes(setup, false), <i32>live * tiles * tiles);
}

// Where the vertices of the live triangles stand. Each is read here, so that a cache fetches many at a time: 10 % of a frame of 800 000 triangles.
// @ts-ignore: decorator
@inline function findPackets<I>(setup: usize, base: u32, live: u32): void {
  const list = setup + P.SETUP_LIVE;
  const stride = load<u32>(setup, P.SETUP_STRIDE);
  const packets = <usize>load<u32>(setup, P.SETUP_PACKETS) - <usize>(base * stride);
  const last = stride - 4;
  // Lanes that are left over repeat the last triangle.
  for (let i: u32 = live; i & 3; i++) {
    store<u32>(list + (<usize>i << 2), load<u32>(list + (<usize>(live - 1) << 2)));
    store<u32>(list + (<usize>i << 2), 0, P.LIVE_COVERS);
    store<u32>(list + (<usize>i << 2), 0, P.LIVE_COVERS_HIGH);
  }
  const end = list + (<usize>(live + 3 & ~3) << 2);
  for (let at = list; at < end; at += 4) {
    const source = <usize>load<u32>(at) & ~1;
    const turned = load<u32>(at) & 1;
    const a = packets + <usize>load<I>(source) * stride;
    const b = packets + <usize>load<I>(source, sizeof<I>()) * stride;
    const c = packets + <usize>load<I>(source, 2 * sizeof<I>()) * stride;
    load<u32>(a);
    load<u32>(a + last);
    load<u32>(b);
    load<u32>(b + last);
    load<u32>(c);
    load<u32>(c + last);
    store<u32>(at, <u32>a, P.LIVE_PACKETS);
    store<u32>(at, <u32>(turned ? c : b), P.LIVE_PACKETS + P.LIVE_PACKETS_BYTES);
    store<u32>(at, <u32>(turned ? b : c), P.LIVE_PACKETS + 2 * P.LIVE_PACKETS_BYTES);
  }
}

// X, Y, depth and 1/w of a corner of each of four triangles.
// @ts-ignore: decorator
@inline function gatherCorner(packets: usize, to: usize): void {
  const p = v128.load(<usize>load<u32>(packets));
  const q = v128.load(<usize>load<u32>(packets, 4));
  const r = v128.load(<usize>load<u32>(packets, 8));
  const s = v128.load(<usize>load<u32>(packets, 12));
  v128.store(to, transposeColumn0(p, q, r, s));
  v128.store(to, transposeColumn1(p, q, r, s), 16);
  v128.store(to, transposeColumn2(p, q, r, s), 32);
  v128.store(to, transposeColumn3(p, q, r, s), 48);
}

// The vertices in clockwise order, and twice the area.
// @ts-ignore: decorator
@inline function gatherFour(setup: usize, list: usize): void {
  const four = setup + P.SETUP_FOUR;
  gatherCorner(list + P.LIVE_PACKETS, four + P.FOUR_A);
  gatherCorner(list + P.LIVE_PACKETS + P.LIVE_PACKETS_BYTES, four + P.FOUR_B);
  gatherCorner(list + P.LIVE_PACKETS + 2 * P.LIVE_PACKETS_BYTES, four + P.FOUR_C);
  const ax = v128.load(four, P.FOUR_A);
  const ay = v128.load(four, P.FOUR_A + 16);
  const bx = i32x4.sub(v128.load(four, P.FOUR_B), ax);
  const by = i32x4.sub(v128.load(four, P.FOUR_B + 16), ay);
  const cx = i32x4.sub(v128.load(four, P.FOUR_C), ax);
  const cy = i32x4.sub(v128.load(four, P.FOUR_C + 16), ay);
  v128.store(four, i64x2.sub(i64x2.extmul_low_i32x4_s(bx, cy), i64x2.extmul_low_i32x4_s(cx, by)), P.FOUR_AREA);
  v128.store(four, i64x2.sub(i64x2.extmul_high_i32x4_s(bx, cy), i64x2.extmul_high_i32x4_s(cx, by)), P.FOUR_AREA + 16);
  // Bit 0, counter-clockwise, as a mask.
  v128.store(four, i32x4.shr_s(i32x4.shl(v128.load(list), 31), 31), P.FOUR_TURNED);
}

// Pixels that have a sample position within the vertices' box, cut to the rectangle; the tile that they lie in.
// @ts-ignore: decorator
@inline function boxFour(setup: usize): void {
  const four = setup + P.SETUP_FOUR;
  const ax = v128.load(four, P.FOUR_A);
  const ay = v128.load(four, P.FOUR_A + 16);
  const bx = v128.load(four, P.FOUR_B);
  const by = v128.load(four, P.FOUR_B + 16);
  const cx = v128.load(four, P.FOUR_C);
  const cy = v128.load(four, P.FOUR_C + 16);
  const left = i32x4.min_s(ax, i32x4.min_s(bx, cx));
  const top = i32x4.min_s(ay, i32x4.min_s(by, cy));
  const right = i32x4.max_s(ax, i32x4.max_s(bx, cx));
  const bottom = i32x4.max_s(ay, i32x4.max_s(by, cy));
  v128.store(four, i32x4.sub(right, left), P.FOUR_SPAN_X);
  v128.store(four, i32x4.sub(bottom, top), P.FOUR_SPAN_Y);
  const first = v128.load32_splat(setup, P.SETUP_SAMPLE_FIRST);
  const up = v128.load32_splat(setup, P.SETUP_SAMPLE_UP);
  const one = i32x4.splat(1);
  const minX = i32x4.max_s(i32x4.shr_s(i32x4.add(left, up), 8), v128.load32_splat(setup, P.SETUP_MIN_X));
  const minY = i32x4.max_s(i32x4.shr_s(i32x4.add(top, up), 8), v128.load32_splat(setup, P.SETUP_MIN_Y));
  const maxX = i32x4.min_s(i32x4.add(i32x4.shr_s(i32x4.sub(right, first), 8), one), v128.load32_splat(setup, P.SETUP_MAX_X));
  const maxY = i32x4.min_s(i32x4.add(i32x4.shr_s(i32x4.sub(bottom, first), 8), one), v128.load32_splat(setup, P.SETUP_MAX_Y));
  v128.store(four, minX, P.FOUR_MIN_X);
  v128.store(four, minY, P.FOUR_MIN_Y);
  v128.store(four, maxX, P.FOUR_MAX_X);
  v128.store(four, maxY, P.FOUR_MAX_Y);
  const tileX = i32x4.shr_s(minX, TILE_SHIFT);
  const tileY = i32x4.shr_s(minY, TILE_SHIFT);
  const several = v128.or(i32x4.sub(i32x4.shr_s(i32x4.sub(maxX, one), TILE_SHIFT), tileX), i32x4.sub(i32x4.shr_s(i32x4.sub(maxY, one), TILE_SHIFT), tileY));
  const tile = i32x4.add(i32x4.mul(tileY, v128.load32_splat(<usize>load<u32>(setup, P.SETUP_PASS) + PASS_TILES_X)), tileX);
  v128.store(four, v128.or(tile, i32x4.gt_s(several, i32x4.splat(0))), P.FOUR_TILE);
}

// Where the four records go. The cursor stays.
// @ts-ignore: decorator
@inline function allocateFour(setup: usize, live: usize): void {
  const four = setup + P.SETUP_FOUR;
  const arena = <usize>load<u32>(<usize>load<u32>(setup, P.SETUP_PASS) + PASS_ARENA);
  const large = recordBytes(setup, false);
  const small = recordBytes(setup, true);
  const start = smallStart(setup);
  let cursor = <usize>load<u32>(arena, ARENA_CURSOR);
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const isSmall = (load<u32>(live + lane, P.LIVE_COVERS) | load<u32>(live + lane, P.LIVE_COVERS_HIGH)) != 0;
    store<u32>(four + lane, <u32>(isSmall ? cursor - start : cursor), P.FOUR_TRIANGLES);
    cursor += isSmall ? small : large;
  }
}

// Rows of four records from lanes.
// @ts-ignore: decorator
@inline function storeRows(four: usize, field: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(<usize>load<u32>(four, P.FOUR_TRIANGLES) + field, transposeColumn0(a, b, c, d));
  v128.store(<usize>load<u32>(four, P.FOUR_TRIANGLES + 4) + field, transposeColumn1(a, b, c, d));
  v128.store(<usize>load<u32>(four, P.FOUR_TRIANGLES + 8) + field, transposeColumn2(a, b, c, d));
  v128.store(<usize>load<u32>(four, P.FOUR_TRIANGLES + 12) + field, transposeColumn3(a, b, c, d));
}

// Exact f64 of i64 below 2^51 (twice an area is below 2^50): their bits behind those of 2^52 + 2^51.
// @ts-ignore: decorator
@inline function fromI64(v: v128): v128 { return f64x2.sub(i64x2.add(v, i64x2.splat(0x4338000000000000)), f64x2.splat(6755399441055744)); }

// What a difference on the screen is worth a pixel, in f64 and f32.
// @ts-ignore: decorator
@inline function storeFactor(four: usize, wide: usize, narrow: usize, difference: v128, scale01: v128, scale23: v128): void {
  const x01 = f64x2.mul(f64x2.convert_low_i32x4_s(difference), scale01);
  const x23 = f64x2.mul(f64x2.convert_low_i32x4_s(highHalves(difference, difference)), scale23);
  v128.store(four + wide, x01);
  v128.store(four + wide, x23, 16);
  v128.store(four + narrow, lowHalves(f32x4.demote_f64x2_zero(x01), f32x4.demote_f64x2_zero(x23)));
}

// d1·x1 + d2·x2 in f64, rounded to f32; `wide`: FOUR_X1_F64 or FOUR_Y1_F64, behind which stands the factor of d2.
// @ts-ignore: decorator
@inline function slope(four: usize, d1low: v128, d1high: v128, d2low: v128, d2high: v128): v128 {
  return lowHalves(
    f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(d1low, v128.load(four)), f64x2.mul(d2low, v128.load(four, 32)))),
    f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(d1high, v128.load(four, 16)), f64x2.mul(d2high, v128.load(four, 48)))));
}

// @ts-ignore: decorator
@inline function low(v: v128): v128 { return f64x2.promote_low_f32x4(v); }
// @ts-ignore: decorator
@inline function high(v: v128): v128 { return f64x2.promote_low_f32x4(highHalves(v, v)); }

// 2^(exponent of z − 23), as floatStep (setup.ts).
// @ts-ignore: decorator
@inline function floatSteps(z: v128): v128 {
  return i32x4.shl(i32x4.sub(i32x4.max_s(i32x4.shr_u(f32x4.abs(z), 23), i32x4.splat(24)), i32x4.splat(23)), 23);
}

// As depthBias (setup.ts).
// @ts-ignore: decorator
@inline function biasFour(setup: usize, draw: usize, largest: v128, ddx: v128, ddy: v128): v128 {
  const unit = load<f32>(setup, P.SETUP_BIAS_UNIT);
  const slopes = f32x4.max(f32x4.abs(ddx), f32x4.abs(ddy));
  const units = unit == 0 ? floatSteps(largest) : f32x4.splat(unit);
  const bias = f32x4.add(f32x4.mul(f32x4.splat(<f32>load<i32>(draw + DRAW_DEPTH_BIAS)), units), f32x4.mul(v128.load32_splat(draw + DRAW_DEPTH_BIAS_SLOPE), slopes));
  const limit = load<f32>(draw + DRAW_DEPTH_BIAS_CLAMP);
  if (limit > 0) return f32x4.min(bias, f32x4.splat(limit));
  return limit < 0 ? f32x4.max(bias, f32x4.splat(limit)) : bias;
}

// Everything of the four records that is no list, no coverage and no varying.
// @ts-ignore: decorator
@inline function writeFour(setup: usize, live: usize): void {
  const four = setup + P.SETUP_FOUR;
  const draw = <usize>load<u32>(setup, P.SETUP_DRAW);
  const ax = v128.load(four, P.FOUR_A);
  const ay = v128.load(four, P.FOUR_A + 16);
  const bx = v128.load(four, P.FOUR_B);
  const by = v128.load(four, P.FOUR_B + 16);
  const cx = v128.load(four, P.FOUR_C);
  const cy = v128.load(four, P.FOUR_C + 16);
  const large = i32x4.eq(v128.or(v128.load(live, P.LIVE_COVERS), v128.load(live, P.LIVE_COVERS_HIGH)), i32x4.splat(0));
  const larges = i32x4.bitmask(large);
  if (larges == 15) writeEdgesFour(four);
  else if (larges) for (let lane = 0; lane < 4; lane++) if (larges >> lane & 1) {
    const at = four + (<usize>lane << 2);
    writeEdges(<usize>load<u32>(at, P.FOUR_TRIANGLES), load<i32>(at, P.FOUR_A), load<i32>(at, P.FOUR_A + 16), load<i32>(at, P.FOUR_B), load<i32>(at, P.FOUR_B + 16), load<i32>(at, P.FOUR_C), load<i32>(at, P.FOUR_C + 16));
  }
  // Flags, box, first vertex.
  const one = f32x4.splat(1);
  const affine = v128.and(f32x4.eq(v128.load(four, P.FOUR_A + 48), one), v128.and(f32x4.eq(v128.load(four, P.FOUR_B + 48), one), f32x4.eq(v128.load(four, P.FOUR_C + 48), one)));
  const turned = v128.load(four, P.FOUR_TURNED);
  const front = load<i32>(draw + DRAW_FRONT_CW) ? v128.not(turned) : turned;
  const flags = v128.or(v128.or(v128.and(front, i32x4.splat(T.TRI_FLAG_FRONT)), v128.andnot(i32x4.splat(T.TRI_FLAG_SMALL), large)), v128.and(affine, i32x4.splat(T.TRI_FLAG_AFFINE)));
  storeRows(four, T.TRI_DRAW, i32x4.splat(<i32>draw), flags, v128.load(four, P.FOUR_MIN_X), v128.load(four, P.FOUR_MIN_Y));
  const pixel = f32x4.splat(1.0 / 256.0);
  storeRows(four, T.TRI_MAX_X, v128.load(four, P.FOUR_MAX_X), v128.load(four, P.FOUR_MAX_Y), f32x4.mul(f32x4.convert_i32x4_s(ax), pixel), f32x4.mul(f32x4.convert_i32x4_s(ay), pixel));
  // d/dx = (d1·(yc − ya) − d2·(yb − ya)) / area, per pixel.
  const scale01 = f64x2.div(f64x2.splat(256), fromI64(v128.load(four, P.FOUR_AREA)));
  const scale23 = f64x2.div(f64x2.splat(256), fromI64(v128.load(four, P.FOUR_AREA + 16)));
  storeFactor(four, P.FOUR_X1_F64, P.FOUR_X1, i32x4.sub(cy, ay), scale01, scale23);
  storeFactor(four, P.FOUR_X2_F64, P.FOUR_X2, i32x4.sub(ay, by), scale01, scale23);
  storeFactor(four, P.FOUR_Y1_F64, P.FOUR_Y1, i32x4.sub(ax, cx), scale01, scale23);
  storeFactor(four, P.FOUR_Y2_F64, P.FOUR_Y2, i32x4.sub(bx, ax), scale01, scale23);
  const za = v128.load(four, P.FOUR_A + 32);
  const zb = v128.load(four, P.FOUR_B + 32);
  const zc = v128.load(four, P.FOUR_C + 32);
  const z1low = f64x2.sub(low(zb), low(za));
  const z1high = f64x2.sub(high(zb), high(za));
  const z2low = f64x2.sub(low(zc), low(za));
  const z2high = f64x2.sub(high(zc), high(za));
  const zdx = slope(four + P.FOUR_X1_F64, z1low, z1high, z2low, z2high);
  const zdy = slope(four + P.FOUR_Y1_F64, z1low, z1high, z2low, z2high);
  let z = za;
  if (load<i32>(setup, P.SETUP_BIASED)) z = f32x4.add(za, biasFour(setup, draw, f32x4.max(za, f32x4.max(zb, zc)), zdx, zdy));
  storeRows(four, T.TRI_Z, z, zdx, zdy, v128.load32_splat(draw, DRAW_VIEWPORT + 16));
  const wa = v128.load(four, P.FOUR_A + 48);
  const wb = v128.load(four, P.FOUR_B + 48);
  const wc = v128.load(four, P.FOUR_C + 48);
  const w1low = f64x2.sub(low(wb), low(wa));
  const w1high = f64x2.sub(high(wb), high(wa));
  const w2low = f64x2.sub(low(wc), low(wa));
  const w2high = f64x2.sub(high(wc), high(wa));
  storeRows(four, T.TRI_Z_MAX, v128.load32_splat(draw, DRAW_VIEWPORT + 20), wa, slope(four + P.FOUR_X1_F64, w1low, w1high, w2low, w2high), slope(four + P.FOUR_Y1_F64, w1low, w1high, w2low, w2high));
  if (larges == 15) writeBoundsFour(four, draw, z, zdx, zdy);
  else if (larges) for (let lane = 0; lane < 4; lane++) if (larges >> lane & 1) {
    const at = four + (<usize>lane << 2);
    writeDepthBounds(<usize>load<u32>(at, P.FOUR_TRIANGLES), load<f32>(at, P.FOUR_A + 32), load<f32>(at, P.FOUR_B + 32), load<f32>(at, P.FOUR_C + 32), load<i32>(at, P.FOUR_SPAN_X), load<i32>(at, P.FOUR_SPAN_Y), load<i64>(at + (<usize>lane << 2), P.FOUR_AREA));
  }
}

// As writeDepthBounds (setup.ts).
// @ts-ignore: decorator
@inline function writeBoundsFour(four: usize, draw: usize, z: v128, zdx: v128, zdy: v128): void {
  const za = v128.load(four, P.FOUR_A + 32);
  const zb = v128.load(four, P.FOUR_B + 32);
  const zc = v128.load(four, P.FOUR_C + 32);
  const spanX = v128.load(four, P.FOUR_SPAN_X);
  const spanY = v128.load(four, P.FOUR_SPAN_Y);
  const bias = f32x4.sub(z, za);
  const slopes = f32x4.add(f32x4.mul(f32x4.abs(zdx), f32x4.convert_i32x4_s(spanX)), f32x4.mul(f32x4.abs(zdy), f32x4.convert_i32x4_s(spanY)));
  const sizes = f32x4.add(f32x4.add(f32x4.add(f32x4.abs(z), f32x4.abs(bias)), f32x4.abs(f32x4.sub(zb, za))), f32x4.abs(f32x4.sub(zc, za)));
  const terms = f32x4.add(sizes, f32x4.mul(slopes, f32x4.splat(1.0 / 256.0)));
  const error = f32x4.add(f32x4.mul(terms, f32x4.splat(PLANE_ERROR)), f32x4.splat(LEAST_NORMAL));
  const near = minimum(f32x4.sub(f32x4.add(minimum(za, minimum(zb, zc)), bias), error), v128.load32_splat(draw, DRAW_VIEWPORT + 20));
  const far = maximum(f32x4.add(f32x4.add(maximum(za, maximum(zb, zc)), bias), error), v128.load32_splat(draw, DRAW_VIEWPORT + 16));
  // Sums in f64 are that exact where the area is large enough, and the box small: 2^10 and more in the lower half, or anything above it.
  const low32 = evenLanes(v128.load(four, P.FOUR_AREA), v128.load(four, P.FOUR_AREA + 16));
  const high32 = oddLanes(v128.load(four, P.FOUR_AREA), v128.load(four, P.FOUR_AREA + 16));
  const span = i32x4.max_s(spanX, spanY);
  const wild = v128.or(i32x4.gt_s(span, i32x4.splat(BOUNDED_SPAN)), v128.and(i32x4.eq(high32, i32x4.splat(0)), i32x4.lt_u(low32, i32x4.splat(<i32>BOUNDED_AREA))));
  const infinity = f32x4.splat(Infinity);
  const near4 = v128.bitselect(f32x4.neg(infinity), near, wild);
  const far4 = v128.bitselect(infinity, far, wild);
  const low2 = interleaveLow(near4, far4);
  const high2 = interleaveHigh(near4, far4);
  v128.store64_lane(<usize>load<u32>(four, P.FOUR_TRIANGLES), low2, 0, T.TRI_NEAR);
  v128.store64_lane(<usize>load<u32>(four, P.FOUR_TRIANGLES + 4), low2, 1, T.TRI_NEAR);
  v128.store64_lane(<usize>load<u32>(four, P.FOUR_TRIANGLES + 8), high2, 0, T.TRI_NEAR);
  v128.store64_lane(<usize>load<u32>(four, P.FOUR_TRIANGLES + 12), high2, 1, T.TRI_NEAR);
}

// One edge of four triangles: A, B and C (two lanes each).
// @ts-ignore: decorator
@inline function storeEdge(four: usize, edge: usize, a: v128, b: v128, c01: v128, c23: v128): void {
  const zero = i32x4.splat(0);
  // −1 where neither top nor left.
  const rule = v128.or(i32x4.shr_s(a, 31), v128.andnot(i32x4.eq(a, zero), i32x4.gt_s(b, zero)));
  const ab01 = interleaveLow(a, b);
  const ab23 = interleaveHigh(a, b);
  const d01 = i64x2.add(c01, interleaveLow(rule, rule));
  const d23 = i64x2.add(c23, interleaveHigh(rule, rule));
  v128.store(<usize>load<u32>(four, P.FOUR_TRIANGLES) + edge, lowHalves(ab01, d01));
  v128.store(<usize>load<u32>(four, P.FOUR_TRIANGLES + 4) + edge, highHalves(ab01, d01));
  v128.store(<usize>load<u32>(four, P.FOUR_TRIANGLES + 8) + edge, lowHalves(ab23, d23));
  v128.store(<usize>load<u32>(four, P.FOUR_TRIANGLES + 12) + edge, highHalves(ab23, d23));
}

// As writeEdges (setup.ts). C without the rule is the cross product of the edge's ends; the three add up to the area.
// @ts-ignore: decorator
@inline function writeEdgesFour(four: usize): void {
  const ax = v128.load(four, P.FOUR_A);
  const ay = v128.load(four, P.FOUR_A + 16);
  const bx = v128.load(four, P.FOUR_B);
  const by = v128.load(four, P.FOUR_B + 16);
  const cx = v128.load(four, P.FOUR_C);
  const cy = v128.load(four, P.FOUR_C + 16);
  const ab01 = i64x2.sub(i64x2.extmul_low_i32x4_s(ax, by), i64x2.extmul_low_i32x4_s(bx, ay));
  const ab23 = i64x2.sub(i64x2.extmul_high_i32x4_s(ax, by), i64x2.extmul_high_i32x4_s(bx, ay));
  const bc01 = i64x2.sub(i64x2.extmul_low_i32x4_s(bx, cy), i64x2.extmul_low_i32x4_s(cx, by));
  const bc23 = i64x2.sub(i64x2.extmul_high_i32x4_s(bx, cy), i64x2.extmul_high_i32x4_s(cx, by));
  storeEdge(four, T.TRI_EDGES, i32x4.sub(ay, by), i32x4.sub(bx, ax), ab01, ab23);
  storeEdge(four, T.TRI_EDGES + T.TRI_EDGE_BYTES, i32x4.sub(by, cy), i32x4.sub(cx, bx), bc01, bc23);
  storeEdge(four, T.TRI_EDGES + 2 * T.TRI_EDGE_BYTES, i32x4.sub(cy, ay), i32x4.sub(ax, cx), i64x2.sub(i64x2.sub(v128.load(four, P.FOUR_AREA), ab01), bc01), i64x2.sub(i64x2.sub(v128.load(four, P.FOUR_AREA + 16), ab23), bc23));
}

// Coverage and varyings of the first `count` of the four at `live`, and their places in the lists. `first`: number of the first live one.
// @ts-ignore: decorator
@inline function binFour(setup: usize, live: usize, first: u32, count: u32): void {
  const four = setup + P.SETUP_FOUR;
  const pass = <usize>load<u32>(setup, P.SETUP_PASS);
  const arena = <usize>load<u32>(pass, PASS_ARENA);
  const statistics = <usize>load<u32>(pass, PASS_STATISTICS);
  const bins = <usize>load<u32>(pass, PASS_BINS);
  const groups = load<i32>(setup, P.SETUP_GROUPS);
  store<u32>(arena, load<u32>(four + (<usize>(count - 1) << 2), P.FOUR_TRIANGLES) + T.TRI_PLANES + groups * 48, ARENA_CURSOR);
  let binned: u32 = 0;
  for (let lane: usize = 0; lane < <usize>count << 2; lane += 4) {
    const triangle = <usize>load<u32>(four + lane, P.FOUR_TRIANGLES);
    const cover = <u64>load<u32>(live + lane, P.LIVE_COVERS) | <u64>load<u32>(live + lane, P.LIVE_COVERS_HIGH) << 32;
    if (cover) putLive(setup, triangle, first + <u32>(lane >> 2), cover);
    if (groups) planesOf(setup, triangle, live + lane, four + lane);
    const tile = load<i32>(four + lane, P.FOUR_TILE);
    let touched = 1;
    if (tile >= 0) append(arena, bins + <usize>tile * BIN_BYTES, triangle);
    else touched = cover ? binSmall(pass, arena, triangle) : binTriangle(pass, arena, setup, triangle);
    binned += <u32>(touched != 0);
  }
  store<u32>(statistics, load<u32>(statistics, STAT_TRIANGLES_BINNED) + binned, STAT_TRIANGLES_BINNED);
  store<u32>(statistics, load<u32>(statistics, STAT_TRIANGLES_CULLED_BETWEEN) + count - binned, STAT_TRIANGLES_CULLED_BETWEEN);
}

// Of more than one layer, small triangles' samples were found by layers (coverLanes).
// @ts-ignore: decorator
@inline function putLive(setup: usize, triangle: usize, number: u32, cover: u64): void {
  const layers = <usize>layersOf(load<i32>(setup, P.SETUP_SAMPLES));
  if (layers == 1) store<u64>(triangle, cover, T.TRI_COVER);
  else {
    const from = setup + P.SETUP_LIVE + P.LIVE_LAYERS + (<usize>number << P.LIVE_LAYERS_SHIFT);
    for (let layer: usize = 0; layer < layers; layer++) store<u64>(triangle + T.TRI_COVER - (layer << 3), load<u64>(from + (layer << 3)));
  }
}

// @ts-ignore: decorator
@inline function planesOf(setup: usize, triangle: usize, live: usize, lane: usize): void {
  const a = <usize>load<u32>(live, P.LIVE_PACKETS);
  const b = <usize>load<u32>(live, P.LIVE_PACKETS + P.LIVE_PACKETS_BYTES);
  const c = <usize>load<u32>(live, P.LIVE_PACKETS + 2 * P.LIVE_PACKETS_BYTES);
  const constant = writePlanes(setup, triangle, a, b, c, a, load<f32>(lane, P.FOUR_X1), load<f32>(lane, P.FOUR_X2), load<f32>(lane, P.FOUR_Y1), load<f32>(lane, P.FOUR_Y2));
  store<u32>(triangle, load<u32>(triangle, T.TRI_FLAGS) | constant << T.TRI_CONSTANT_SHIFT, T.TRI_FLAGS);
}
