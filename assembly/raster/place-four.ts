// Records of four triangles at once, a lane each: what placeTriangle (setup.ts) writes of one, with the same bits.
import {
  Bin, Draw, LIVE_LAYERS_SHIFT, LIVE_PACKETS_BYTES, Packet, Pass, Setup, SetupFour, SetupLive, sizeOf, TILE_SHIFT,
  TILE_SIZE, TRI_CONSTANT_SHIFT, TRI_FLAG_AFFINE, TRI_FLAG_FRONT, TRI_FLAG_SMALL, Triangle, TriangleEdge,
} from '../layout';
import {
  evenLanes, highHalves, interleaveHigh, interleaveLow, lowHalves, max as maximum, min as minimum, oddLanes,
  transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3,
} from '../simd/lanes';
import { layersOf } from '../simd/positions';
import { append, arenaHolds, binSmall, binTriangle } from './bin';
import { writePlanes } from './planes';
import {
  BOUNDED_AREA, BOUNDED_SPAN, LEAST_NORMAL, PLANE_ERROR, recordBytes, smallStart, writeDepthBounds, writeEdges,
} from './setup';

/** Places the live triangles (Setup.live), in order. False when the arena might not hold them all; then nothing has changed. */
export function placeLive<I>(setup: Setup, base: u32, live: u32): bool {
  if (!holdsLive(setup, live)) return false;
  const list = setup.live;
  findPackets<I>(setup, base, live);
  for (let i: u32 = 0; i < live; i += 4) {
    const at = changetype<SetupLive>(changetype<usize>(list) + (<usize>i << 2));
    gatherFour(setup, at);
    boxFour(setup);
    allocateFour(setup, changetype<usize>(at));
    writeFour(setup, at);
    binFour(setup, changetype<usize>(at), i, min<u32>(4, live - i));
  }
  return true;
}

// Whether the arena holds records and list blocks of the live triangles, as if each were on the lists of as many tiles as the longest can be.
// @ts-ignore: decorator
@inline function holdsLive(setup: Setup, live: u32): bool {
  const longest = v128.load(setup.longest);
  const pairs = i32x4.max_s(longest, highHalves(longest, longest));
  const tiles = (max<i32>(i32x4.extract_lane(pairs, 0), i32x4.extract_lane(pairs, 1)) + 2 * TILE_SIZE - 2) >> TILE_SHIFT;
  const arena = setup.pass.arena;
  return arenaHolds(arena, <usize>(live + 3) * recordBytes(setup, false), <i32>live * tiles * tiles);
}

// Where the vertices of the live triangles stand. Each is read here, so that a cache fetches many at a time: 10 % of a frame of 800 000 triangles.
// @ts-ignore: decorator
@inline function findPackets<I>(setup: Setup, base: u32, live: u32): void {
  const list = setup.live;
  const stride = setup.stride;
  const packets = <u32>setup.packets - <usize>(base * stride);
  const last = stride - 4;
  // Lanes that are left over repeat the last triangle.
  for (let i: u32 = live; i & 3; i++) {
    store<u32>(changetype<usize>(list) + (<usize>i << 2), load<u32>(changetype<usize>(list) + (<usize>(live - 1) << 2)));
    store<u32>(list.covers + (<usize>i << 2), 0);
    store<u32>(list.coversHigh + (<usize>i << 2), 0);
  }
  const end = changetype<usize>(list) + (<usize>(live + 3 & ~3) << 2);
  for (let at = changetype<usize>(list); at < end; at += 4) {
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
    store<u32>(changetype<SetupLive>(at).packets, <u32>a);
    store<u32>(changetype<SetupLive>(at).packets, <u32>(turned ? c : b), LIVE_PACKETS_BYTES);
    store<u32>(changetype<SetupLive>(at).packets, <u32>(turned ? b : c), 2 * LIVE_PACKETS_BYTES);
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
@inline function gatherFour(setup: Setup, list: SetupLive): void {
  const four = setup.four;
  gatherCorner(list.packets, four.a);
  gatherCorner(list.packets + LIVE_PACKETS_BYTES, four.b);
  gatherCorner(list.packets + 2 * LIVE_PACKETS_BYTES, four.c);
  const ax = v128.load(four.a);
  const ay = v128.load(four.a + 16);
  const bx = i32x4.sub(v128.load(four.b), ax);
  const by = i32x4.sub(v128.load(four.b + 16), ay);
  const cx = i32x4.sub(v128.load(four.c), ax);
  const cy = i32x4.sub(v128.load(four.c + 16), ay);
  v128.store(four.area, i64x2.sub(i64x2.extmul_low_i32x4_s(bx, cy), i64x2.extmul_low_i32x4_s(cx, by)));
  v128.store(four.area + 16, i64x2.sub(i64x2.extmul_high_i32x4_s(bx, cy), i64x2.extmul_high_i32x4_s(cx, by)));
  // Bit 0, counter-clockwise, as a mask.
  v128.store(four.turned, i32x4.shr_s(i32x4.shl(v128.load(changetype<usize>(list)), 31), 31));
}

// Pixels that have a sample position within the vertices' box, cut to the rectangle; the tile that they lie in.
// @ts-ignore: decorator
@inline function boxFour(setup: Setup): void {
  const four = setup.four;
  const ax = v128.load(four.a);
  const ay = v128.load(four.a + 16);
  const bx = v128.load(four.b);
  const by = v128.load(four.b + 16);
  const cx = v128.load(four.c);
  const cy = v128.load(four.c + 16);
  const left = i32x4.min_s(ax, i32x4.min_s(bx, cx));
  const top = i32x4.min_s(ay, i32x4.min_s(by, cy));
  const right = i32x4.max_s(ax, i32x4.max_s(bx, cx));
  const bottom = i32x4.max_s(ay, i32x4.max_s(by, cy));
  v128.store(four.spanX, i32x4.sub(right, left));
  v128.store(four.spanY, i32x4.sub(bottom, top));
  const first = v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('sampleFirst'));
  const up = v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('sampleUp'));
  const one = i32x4.splat(1);
  const minX = i32x4.max_s(i32x4.shr_s(i32x4.add(left, up), 8), v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('minX')));
  const minY = i32x4.max_s(i32x4.shr_s(i32x4.add(top, up), 8), v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('minY')));
  const maxX = i32x4.min_s(i32x4.add(i32x4.shr_s(i32x4.sub(right, first), 8), one), v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('maxX')));
  const maxY = i32x4.min_s(i32x4.add(i32x4.shr_s(i32x4.sub(bottom, first), 8), one), v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('maxY')));
  v128.store(four.minX, minX);
  v128.store(four.minY, minY);
  v128.store(four.maxX, maxX);
  v128.store(four.maxY, maxY);
  const tileX = i32x4.shr_s(minX, TILE_SHIFT);
  const tileY = i32x4.shr_s(minY, TILE_SHIFT);
  const several = v128.or(i32x4.sub(i32x4.shr_s(i32x4.sub(maxX, one), TILE_SHIFT), tileX), i32x4.sub(i32x4.shr_s(i32x4.sub(maxY, one), TILE_SHIFT), tileY));
  const tile = i32x4.add(i32x4.mul(tileY, v128.load32_splat(changetype<usize>(setup.pass) + offsetof<Pass>('tilesX'))), tileX);
  v128.store(four.tile, v128.or(tile, i32x4.gt_s(several, i32x4.splat(0))));
}

// Where the four records go. The cursor stays.
// @ts-ignore: decorator
@inline function allocateFour(setup: Setup, live: usize): void {
  const four = setup.four;
  const arena = setup.pass.arena;
  const large = recordBytes(setup, false);
  const small = recordBytes(setup, true);
  const start = smallStart(setup);
  let cursor = <usize>arena.cursor;
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const isSmall = (load<u32>(changetype<SetupLive>(live + lane).covers) | load<u32>(changetype<SetupLive>(live + lane).coversHigh)) != 0;
    store<u32>(four.triangles + lane, <u32>(isSmall ? cursor - start : cursor));
    cursor += isSmall ? small : large;
  }
}

// Rows of four records from lanes.
// @ts-ignore: decorator
@inline function storeRows(four: SetupFour, field: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(<usize>load<u32>(four.triangles) + field, transposeColumn0(a, b, c, d));
  v128.store(<usize>load<u32>(four.triangles + 4) + field, transposeColumn1(a, b, c, d));
  v128.store(<usize>load<u32>(four.triangles + 8) + field, transposeColumn2(a, b, c, d));
  v128.store(<usize>load<u32>(four.triangles + 12) + field, transposeColumn3(a, b, c, d));
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

// d1·x1 + d2·x2 in f64, rounded to f32; `wide`: SetupFour.x1F64 or SetupFour.y1F64, behind which stands the factor of d2.
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
@inline function biasFour(setup: Setup, draw: Draw, largest: v128, ddx: v128, ddy: v128): v128 {
  const unit = setup.biasUnit;
  const slopes = f32x4.max(f32x4.abs(ddx), f32x4.abs(ddy));
  const units = unit == 0 ? floatSteps(largest) : f32x4.splat(unit);
  const bias = f32x4.add(f32x4.mul(f32x4.splat(<f32>draw.depthBias), units), f32x4.mul(v128.load32_splat(changetype<usize>(draw) + offsetof<Draw>('depthBiasSlope')), slopes));
  const limit = draw.depthBiasClamp;
  if (limit > 0) return f32x4.min(bias, f32x4.splat(limit));
  return limit < 0 ? f32x4.max(bias, f32x4.splat(limit)) : bias;
}

// Everything of the four records that is no list, no coverage and no varying.
// @ts-ignore: decorator
@inline function writeFour(setup: Setup, live: SetupLive): void {
  const four = setup.four;
  const draw = setup.draw;
  const ax = v128.load(four.a);
  const ay = v128.load(four.a + 16);
  const bx = v128.load(four.b);
  const by = v128.load(four.b + 16);
  const cx = v128.load(four.c);
  const cy = v128.load(four.c + 16);
  const large = i32x4.eq(v128.or(v128.load(live.covers), v128.load(live.coversHigh)), i32x4.splat(0));
  const larges = i32x4.bitmask(large);
  if (larges == 15) writeEdgesFour(four);
  else if (larges) for (let lane = 0; lane < 4; lane++) if (larges >> lane & 1) {
    const at = changetype<SetupFour>(changetype<usize>(four) + (<usize>lane << 2));
    writeEdges(changetype<Triangle>(<usize>load<u32>(at.triangles)), load<i32>(at.a), load<i32>(at.a + 16), load<i32>(at.b), load<i32>(at.b + 16), load<i32>(at.c), load<i32>(at.c + 16));
  }
  // Flags, box, first vertex.
  const one = f32x4.splat(1);
  const affine = v128.and(f32x4.eq(v128.load(four.a + 48), one), v128.and(f32x4.eq(v128.load(four.b + 48), one), f32x4.eq(v128.load(four.c + 48), one)));
  const turned = v128.load(four.turned);
  const front = draw.frontCw ? v128.not(turned) : turned;
  const flags = v128.or(v128.or(v128.and(front, i32x4.splat(TRI_FLAG_FRONT)), v128.andnot(i32x4.splat(TRI_FLAG_SMALL), large)), v128.and(affine, i32x4.splat(TRI_FLAG_AFFINE)));
  storeRows(four, offsetof<Triangle>('draw'), i32x4.splat(<i32>changetype<usize>(draw)), flags, v128.load(four.minX), v128.load(four.minY));
  const pixel = f32x4.splat(1.0 / 256.0);
  storeRows(four, offsetof<Triangle>('maxX'), v128.load(four.maxX), v128.load(four.maxY), f32x4.mul(f32x4.convert_i32x4_s(ax), pixel), f32x4.mul(f32x4.convert_i32x4_s(ay), pixel));
  // d/dx = (d1·(yc − ya) − d2·(yb − ya)) / area, per pixel.
  const scale01 = f64x2.div(f64x2.splat(256), fromI64(v128.load(four.area)));
  const scale23 = f64x2.div(f64x2.splat(256), fromI64(v128.load(four.area + 16)));
  storeFactor(changetype<usize>(four), changetype<usize>(changetype<SetupFour>(0).x1F64), changetype<usize>(changetype<SetupFour>(0).x1), i32x4.sub(cy, ay), scale01, scale23);
  storeFactor(changetype<usize>(four), changetype<usize>(changetype<SetupFour>(0).x2F64), changetype<usize>(changetype<SetupFour>(0).x2), i32x4.sub(ay, by), scale01, scale23);
  storeFactor(changetype<usize>(four), changetype<usize>(changetype<SetupFour>(0).y1F64), changetype<usize>(changetype<SetupFour>(0).y1), i32x4.sub(ax, cx), scale01, scale23);
  storeFactor(changetype<usize>(four), changetype<usize>(changetype<SetupFour>(0).y2F64), changetype<usize>(changetype<SetupFour>(0).y2), i32x4.sub(bx, ax), scale01, scale23);
  const za = v128.load(four.a + 32);
  const zb = v128.load(four.b + 32);
  const zc = v128.load(four.c + 32);
  const z1low = f64x2.sub(low(zb), low(za));
  const z1high = f64x2.sub(high(zb), high(za));
  const z2low = f64x2.sub(low(zc), low(za));
  const z2high = f64x2.sub(high(zc), high(za));
  const zdx = slope(four.x1F64, z1low, z1high, z2low, z2high);
  const zdy = slope(four.y1F64, z1low, z1high, z2low, z2high);
  let z = za;
  if (setup.biased) z = f32x4.add(za, biasFour(setup, draw, f32x4.max(za, f32x4.max(zb, zc)), zdx, zdy));
  storeRows(four, offsetof<Triangle>('z'), z, zdx, zdy, v128.load32_splat(draw.viewport + 16));
  const wa = v128.load(four.a + 48);
  const wb = v128.load(four.b + 48);
  const wc = v128.load(four.c + 48);
  const w1low = f64x2.sub(low(wb), low(wa));
  const w1high = f64x2.sub(high(wb), high(wa));
  const w2low = f64x2.sub(low(wc), low(wa));
  const w2high = f64x2.sub(high(wc), high(wa));
  storeRows(four, offsetof<Triangle>('zMax'), v128.load32_splat(draw.viewport + 20), wa, slope(four.x1F64, w1low, w1high, w2low, w2high), slope(four.y1F64, w1low, w1high, w2low, w2high));
  if (larges == 15) writeBoundsFour(four, draw, z, zdx, zdy);
  else if (larges) for (let lane = 0; lane < 4; lane++) if (larges >> lane & 1) {
    const at = changetype<SetupFour>(changetype<usize>(four) + (<usize>lane << 2));
    writeDepthBounds(changetype<Triangle>(<usize>load<u32>(at.triangles)), load<f32>(at.a + 32), load<f32>(at.b + 32), load<f32>(at.c + 32), load<i32>(at.spanX), load<i32>(at.spanY), load<i64>(at.area + (<usize>lane << 2)));
  }
}

// As writeDepthBounds (setup.ts).
// @ts-ignore: decorator
@inline function writeBoundsFour(four: SetupFour, draw: Draw, z: v128, zdx: v128, zdy: v128): void {
  const za = v128.load(four.a + 32);
  const zb = v128.load(four.b + 32);
  const zc = v128.load(four.c + 32);
  const spanX = v128.load(four.spanX);
  const spanY = v128.load(four.spanY);
  const bias = f32x4.sub(z, za);
  const slopes = f32x4.add(f32x4.mul(f32x4.abs(zdx), f32x4.convert_i32x4_s(spanX)), f32x4.mul(f32x4.abs(zdy), f32x4.convert_i32x4_s(spanY)));
  const sizes = f32x4.add(f32x4.add(f32x4.add(f32x4.abs(z), f32x4.abs(bias)), f32x4.abs(f32x4.sub(zb, za))), f32x4.abs(f32x4.sub(zc, za)));
  const terms = f32x4.add(sizes, f32x4.mul(slopes, f32x4.splat(1.0 / 256.0)));
  const error = f32x4.add(f32x4.mul(terms, f32x4.splat(PLANE_ERROR)), f32x4.splat(LEAST_NORMAL));
  const near = minimum(f32x4.sub(f32x4.add(minimum(za, minimum(zb, zc)), bias), error), v128.load32_splat(draw.viewport + 20));
  const far = maximum(f32x4.add(f32x4.add(maximum(za, maximum(zb, zc)), bias), error), v128.load32_splat(draw.viewport + 16));
  // Sums in f64 are that exact where the area is large enough, and the box small: 2^10 and more in the lower half, or anything above it.
  const low32 = evenLanes(v128.load(four.area), v128.load(four.area + 16));
  const high32 = oddLanes(v128.load(four.area), v128.load(four.area + 16));
  const span = i32x4.max_s(spanX, spanY);
  const wild = v128.or(i32x4.gt_s(span, i32x4.splat(BOUNDED_SPAN)), v128.and(i32x4.eq(high32, i32x4.splat(0)), i32x4.lt_u(low32, i32x4.splat(<i32>BOUNDED_AREA))));
  const infinity = f32x4.splat(Infinity);
  const near4 = v128.bitselect(f32x4.neg(infinity), near, wild);
  const far4 = v128.bitselect(infinity, far, wild);
  const low2 = interleaveLow(near4, far4);
  const high2 = interleaveHigh(near4, far4);
  v128.store64_lane(<usize>load<u32>(four.triangles), low2, 0, offsetof<Triangle>('near'));
  v128.store64_lane(<usize>load<u32>(four.triangles + 4), low2, 1, offsetof<Triangle>('near'));
  v128.store64_lane(<usize>load<u32>(four.triangles + 8), high2, 0, offsetof<Triangle>('near'));
  v128.store64_lane(<usize>load<u32>(four.triangles + 12), high2, 1, offsetof<Triangle>('near'));
}

// One edge of four triangles: A, B and C (two lanes each).
// @ts-ignore: decorator
@inline function storeEdge(four: SetupFour, edge: usize, a: v128, b: v128, c01: v128, c23: v128): void {
  const zero = i32x4.splat(0);
  // −1 where neither top nor left.
  const rule = v128.or(i32x4.shr_s(a, 31), v128.andnot(i32x4.eq(a, zero), i32x4.gt_s(b, zero)));
  const ab01 = interleaveLow(a, b);
  const ab23 = interleaveHigh(a, b);
  const d01 = i64x2.add(c01, interleaveLow(rule, rule));
  const d23 = i64x2.add(c23, interleaveHigh(rule, rule));
  v128.store(<usize>load<u32>(four.triangles) + edge, lowHalves(ab01, d01));
  v128.store(<usize>load<u32>(four.triangles + 4) + edge, highHalves(ab01, d01));
  v128.store(<usize>load<u32>(four.triangles + 8) + edge, lowHalves(ab23, d23));
  v128.store(<usize>load<u32>(four.triangles + 12) + edge, highHalves(ab23, d23));
}

// As writeEdges (setup.ts). C without the rule is the cross product of the edge's ends; the three add up to the area.
// @ts-ignore: decorator
@inline function writeEdgesFour(four: SetupFour): void {
  const ax = v128.load(four.a);
  const ay = v128.load(four.a + 16);
  const bx = v128.load(four.b);
  const by = v128.load(four.b + 16);
  const cx = v128.load(four.c);
  const cy = v128.load(four.c + 16);
  const ab01 = i64x2.sub(i64x2.extmul_low_i32x4_s(ax, by), i64x2.extmul_low_i32x4_s(bx, ay));
  const ab23 = i64x2.sub(i64x2.extmul_high_i32x4_s(ax, by), i64x2.extmul_high_i32x4_s(bx, ay));
  const bc01 = i64x2.sub(i64x2.extmul_low_i32x4_s(bx, cy), i64x2.extmul_low_i32x4_s(cx, by));
  const bc23 = i64x2.sub(i64x2.extmul_high_i32x4_s(bx, cy), i64x2.extmul_high_i32x4_s(cx, by));
  storeEdge(four, offsetof<Triangle>('a0'), i32x4.sub(ay, by), i32x4.sub(bx, ax), ab01, ab23);
  storeEdge(four, offsetof<Triangle>('a0') + sizeOf<TriangleEdge>(), i32x4.sub(by, cy), i32x4.sub(cx, bx), bc01, bc23);
  storeEdge(four, offsetof<Triangle>('a0') + 2 * sizeOf<TriangleEdge>(), i32x4.sub(cy, ay), i32x4.sub(ax, cx), i64x2.sub(i64x2.sub(v128.load(four.area), ab01), bc01), i64x2.sub(i64x2.sub(v128.load(four.area + 16), ab23), bc23));
}

// Coverage and varyings of the first `count` of the four at `live`, and their places in the lists. `first`: number of the first live one.
// @ts-ignore: decorator
@inline function binFour(setup: Setup, live: usize, first: u32, count: u32): void {
  const four = setup.four;
  const pass = setup.pass;
  const arena = pass.arena;
  const statistics = pass.statistics;
  const bins = <u32>pass.bins;
  const groups = setup.groups;
  arena.cursor = load<u32>(four.triangles + (<usize>(count - 1) << 2)) + changetype<usize>(changetype<Triangle>(0).planes) + groups * 48;
  let binned: u32 = 0;
  for (let lane: usize = 0; lane < <usize>count << 2; lane += 4) {
    const triangle = changetype<Triangle>(<usize>load<u32>(four.triangles + lane));
    const cover = <u64>load<u32>(changetype<SetupLive>(live + lane).covers) | <u64>load<u32>(changetype<SetupLive>(live + lane).coversHigh) << 32;
    if (cover) putLive(setup, triangle, first + <u32>(lane >> 2), cover);
    if (groups) planesOf(setup, triangle, changetype<SetupLive>(live + lane), changetype<SetupFour>(changetype<usize>(four) + lane));
    const tile = load<i32>(four.tile + lane);
    let touched = 1;
    if (tile >= 0) append(arena, changetype<Bin>(bins + <usize>tile * sizeOf<Bin>()), changetype<usize>(triangle));
    else touched = cover ? binSmall(pass, arena, triangle) : binTriangle(pass, arena, setup, triangle);
    binned += <u32>(touched != 0);
  }
  statistics.trianglesBinned += binned;
  statistics.trianglesCulledBetween = statistics.trianglesCulledBetween + count - binned;
}

// Of more than one layer, small triangles' samples were found by layers (coverLanes).
// @ts-ignore: decorator
@inline function putLive(setup: Setup, triangle: Triangle, number: u32, cover: u64): void {
  const layers = <usize>layersOf(setup.samples);
  if (layers == 1) store<u64>(triangle.cover, cover);
  else {
    const from = setup.live.layers + (<usize>number << LIVE_LAYERS_SHIFT);
    for (let layer: usize = 0; layer < layers; layer++) store<u64>(triangle.cover - (layer << 3), load<u64>(from + (layer << 3)));
  }
}

// @ts-ignore: decorator
@inline function planesOf(setup: Setup, triangle: Triangle, live: SetupLive, lane: SetupFour): void {
  const a = changetype<Packet>(<usize>load<u32>(live.packets));
  const b = changetype<Packet>(<usize>load<u32>(live.packets + LIVE_PACKETS_BYTES));
  const c = changetype<Packet>(<usize>load<u32>(live.packets + 2 * LIVE_PACKETS_BYTES));
  const constant = writePlanes(setup, changetype<usize>(triangle), a, b, c, changetype<usize>(a), load<f32>(lane.x1), load<f32>(lane.x2), load<f32>(lane.y1), load<f32>(lane.y2));
  triangle.flags |= constant << TRI_CONSTANT_SHIFT;
}
