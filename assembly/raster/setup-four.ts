// Setup of four triangles at once, a lane each: facing, boxes, coverage of those of at most 2×2 pixels. Those that are left (one or none, in
// a detailed mesh) wait until there are four, whose records are written together (place-four.ts). What setupTriangle (setup.ts) decides a
// triangle at a time, with the same results.
import * as P from '../layout/packet';
import {
  PASS_STATISTICS, STAT_TRIANGLES_CULLED_AREA, STAT_TRIANGLES_CULLED_BETWEEN, STAT_TRIANGLES_CULLED_FACE, STAT_TRIANGLES_CULLED_OUTSIDE,
} from '../layout/pass';
import { SAMPLE4_X0, SAMPLE4_X1, SAMPLE4_X2, SAMPLE4_X3, SAMPLE4_Y0, SAMPLE4_Y1, SAMPLE4_Y2, SAMPLE4_Y3 } from '../layout/tile';
import { evenLanes, interleaveHigh, interleaveLow, oddLanes } from '../simd/lanes';
import { layersOf } from '../simd/positions';
import { placeLive } from './place-four';
import { coverSmall, SMALL_PIXELS, SMALL_SPAN } from './small';

/** Sides of the box of pixels up to which four are covered at once. */
const TINY_PIXELS = 2;

// X and Y of two vertices.
// @ts-ignore: decorator
@inline function pair(first: usize, second: usize): v128 { return v128.load64_lane(second, v128.load64_zero(first), 1); }

// −1 on edges that are neither top nor left (a > 0, or a = 0 and b > 0), of small triangles: |b| < 2^12.
// @ts-ignore: decorator
@inline function rule(a: v128, b: v128): v128 { return i32x4.gt_s(i32x4.splat(1), i32x4.add(i32x4.shl(a, 12), b)); }

// Steps of an edge from one pixel to the next.
// @ts-ignore: decorator
@inline function step(a: v128): v128 { return i32x4.shl(a, 8); }

// One bit where all three are ≥ 0.
// @ts-ignore: decorator
@inline function inside(ab: v128, bc: v128, ca: v128, bit: i32): v128 {
  return i32x4.shl(i32x4.add(i32x4.shr_s(v128.or(ab, v128.or(bc, ca)), 31), i32x4.splat(1)), bit);
}

// The bits of the four pixels for one sample position (24.8 within the pixel).
// @ts-ignore: decorator
@inline function coverSample(x: i32, y: i32, sample: i32, samples: i32, a0: v128, b0: v128, e0: v128, a1: v128, b1: v128, e1: v128, a2: v128, b2: v128, e2: v128): v128 {
  const xs = i32x4.splat(x);
  const ys = i32x4.splat(y);
  const p0 = i32x4.add(e0, i32x4.add(i32x4.mul(a0, xs), i32x4.mul(b0, ys)));
  const p1 = i32x4.add(e1, i32x4.add(i32x4.mul(a1, xs), i32x4.mul(b1, ys)));
  const p2 = i32x4.add(e2, i32x4.add(i32x4.mul(a2, xs), i32x4.mul(b2, ys)));
  const q0 = i32x4.add(p0, step(b0));
  const q1 = i32x4.add(p1, step(b1));
  const q2 = i32x4.add(p2, step(b2));
  return v128.or(
    v128.or(inside(p0, p1, p2, sample), inside(i32x4.add(p0, step(a0)), i32x4.add(p1, step(a1)), i32x4.add(p2, step(a2)), samples + sample)),
    v128.or(inside(q0, q1, q2, 2 * samples + sample), inside(i32x4.add(q0, step(a0)), i32x4.add(q1, step(a1)), i32x4.add(q2, step(a2)), 3 * samples + sample)));
}

// The bits of the pixels of a box, at one sample: 1, 3, 5 or 15 for 1×1, 2×1, 1×2, 2×2. At four samples each bit is four.
// @ts-ignore: decorator
@inline function boxBits(width: v128, height: v128, many: bool): v128 {
  const right = i32x4.gt_s(width, i32x4.splat(1));
  const lower = i32x4.gt_s(height, i32x4.splat(1));
  const first = i32x4.splat(many ? 0xf : 1);
  const row = v128.or(first, v128.and(right, i32x4.splat(many ? 0xf0 : 2)));
  return v128.or(row, v128.and(lower, i32x4.shl(row, many ? 8 : 2)));
}

/** The samples of 2×2 pixels that four triangles cover, bit pixel·samples + sample: left, top: the box's corner less the first vertex; b, c: the other vertices of the clockwise triangles less it. */
// @ts-ignore: decorator
@inline function coverFour(left: v128, top: v128, bx: v128, by: v128, cx: v128, cy: v128, many: bool): v128 {
  const a0 = i32x4.neg(by);
  const a1 = i32x4.sub(by, cy);
  const b1 = i32x4.sub(cx, bx);
  const b2 = i32x4.neg(cx);
  const e0 = i32x4.add(i32x4.add(i32x4.mul(a0, left), i32x4.mul(bx, top)), rule(a0, bx));
  const e1 = i32x4.add(i32x4.add(i32x4.mul(a1, i32x4.sub(left, bx)), i32x4.mul(b1, i32x4.sub(top, by))), rule(a1, b1));
  const e2 = i32x4.add(i32x4.add(i32x4.mul(cy, left), i32x4.mul(b2, top)), rule(cy, b2));
  if (!many) return coverSample(128, 128, 0, 1, a0, bx, e0, a1, b1, e1, cy, b2, e2);
  return v128.or(
    v128.or(coverSample(SAMPLE4_X0 * 16, SAMPLE4_Y0 * 16, 0, 4, a0, bx, e0, a1, b1, e1, cy, b2, e2), coverSample(SAMPLE4_X1 * 16, SAMPLE4_Y1 * 16, 1, 4, a0, bx, e0, a1, b1, e1, cy, b2, e2)),
    v128.or(coverSample(SAMPLE4_X2 * 16, SAMPLE4_Y2 * 16, 2, 4, a0, bx, e0, a1, b1, e1, cy, b2, e2), coverSample(SAMPLE4_X3 * 16, SAMPLE4_Y3 * 16, 3, 4, a0, bx, e0, a1, b1, e1, cy, b2, e2)));
}

/** Sides of the boxes of pixels that coverFour takes: it knows one sample and four. */
// @ts-ignore: decorator
@inline function tinyPixels(samples: i32): i32 { return samples == 1 || samples == 4 ? TINY_PIXELS : 0; }

/** coverFour of triangles of either orientation (`turned`: counter-clockwise on the screen), within boxes of 1 or 2 pixels a side. */
// @ts-ignore: decorator
@inline function coverTiny(setup: usize, turned: v128, left: v128, top: v128, bx: v128, by: v128, cx: v128, cy: v128, width: v128, height: v128): v128 {
  const many = load<i32>(setup + P.SETUP_SAMPLE_FIRST) != load<i32>(setup + P.SETUP_SAMPLE_LAST);
  const qx = v128.bitselect(cx, bx, turned);
  const qy = v128.bitselect(cy, by, turned);
  const rx = v128.bitselect(bx, cx, turned);
  const ry = v128.bitselect(by, cy, turned);
  return v128.and(many ? coverFour(left, top, qx, qy, rx, ry, true) : coverFour(left, top, qx, qy, rx, ry, false), boxBits(width, height, many));
}


// @ts-ignore: decorator
@inline function storeLanes(lanes: usize, minX: v128, minY: v128, width: v128, height: v128): void {
  v128.store(lanes, minX, P.LANES_MIN_X);
  v128.store(lanes, minY, P.LANES_MIN_Y);
  v128.store(lanes, width, P.LANES_WIDTH);
  v128.store(lanes, height, P.LANES_HEIGHT);
}

// @ts-ignore: decorator
@inline function storeCorners(lanes: usize, ax: v128, ay: v128, bx: v128, by: v128, cx: v128, cy: v128): void {
  v128.store(lanes, ax, P.LANES_A_X);
  v128.store(lanes, ay, P.LANES_A_Y);
  v128.store(lanes, bx, P.LANES_B_X);
  v128.store(lanes, by, P.LANES_B_Y);
  v128.store(lanes, cx, P.LANES_C_X);
  v128.store(lanes, cy, P.LANES_C_Y);
}

// From rows of two pixels to rows of four, as u64.
// @ts-ignore: decorator
@inline function storeCover(setup: usize, bits: v128): void {
  const zero = i32x4.splat(0);
  const many = load<i32>(setup + P.SETUP_SAMPLE_FIRST) != load<i32>(setup + P.SETUP_SAMPLE_LAST);
  const upper = many ? i32x4.shl(v128.and(bits, i32x4.splat(0xff00)), 8) : i32x4.shl(v128.and(bits, i32x4.splat(12)), 2);
  const cover = v128.or(v128.and(bits, i32x4.splat(many ? 0xff : 3)), upper);
  v128.store(setup + P.SETUP_LANES, interleaveLow(cover, zero), P.LANES_COVER);
  v128.store(setup + P.SETUP_LANES, interleaveHigh(cover, zero), P.LANES_COVER + 16);
}

/** Adds the number of triangles in `mask` that are among the counted ones. */
// @ts-ignore: decorator
@inline function countCulled(statistics: usize, counter: usize, mask: u64): void {
  store<u32>(statistics + counter, load<u32>(statistics + counter) + <u32>popcnt(mask));
}

/**
 * Sets up the triangles whose vertices stand from `source` on, in a list of places or an index buffer (`I`; `base`: the index of vertex 0), and
 * which lie inside the clip volume: a multiple of four, at most STRETCH_TRIANGLES. Gives how many are done: fewer when the arena might not hold
 * the next one.
 */
export function setupStretch<I>(setup: usize, source: usize, base: u32, triangles: u32): u32 {
  let live: u32 = 0;
  let flat: u64 = 0;
  let away: u64 = 0;
  let outside: u64 = 0;
  let between: u64 = 0;
  for (let i: u32 = 0; i < triangles; i += 4) {
    const culled = cullFour<I>(setup, source + i * 3 * sizeof<I>(), base, live);
    flat |= <u64>(culled & 15) << i;
    away |= <u64>(culled >> 4 & 15) << i;
    outside |= <u64>(culled >> 8 & 15) << i;
    between |= <u64>(culled >> 12 & 15) << i;
    live = culled >>> 16;
  }
  const done = live ? (placeLive<I>(setup, base, live, source + triangles * 3 * sizeof<I>()) - source) / (3 * sizeof<I>()) : triangles;
  const statistics = <usize>load<u32>(<usize>load<u32>(setup + P.SETUP_PASS) + PASS_STATISTICS);
  const counted = u64.MAX_VALUE >> (64 - done);
  if (!done) return 0;
  countCulled(statistics, STAT_TRIANGLES_CULLED_AREA, flat & counted);
  countCulled(statistics, STAT_TRIANGLES_CULLED_FACE, away & counted);
  countCulled(statistics, STAT_TRIANGLES_CULLED_OUTSIDE, outside & counted);
  countCulled(statistics, STAT_TRIANGLES_CULLED_BETWEEN, between & counted);
  return <u32>done;
}

/**
 * Culls four triangles; those that are left join the `live` others. Gives four bits each of the triangles without area, facing away, outside the
 * rectangle, between the samples, and above them the new number of live ones.
 */
function cullFour<I>(setup: usize, source: usize, base: u32, live: u32): u32 {
  const pairs = <usize>load<u32>(setup + P.SETUP_CORNERS) - <usize>(base * P.CORNER_BYTES);
  const size = sizeof<I>();
  // X and Y of the corners a, b, c of four triangles.
  const a01 = pair(pairs + (<usize>load<I>(source) << 3), pairs + (<usize>load<I>(source, 3 * size) << 3));
  const a23 = pair(pairs + (<usize>load<I>(source, 6 * size) << 3), pairs + (<usize>load<I>(source, 9 * size) << 3));
  const b01 = pair(pairs + (<usize>load<I>(source, size) << 3), pairs + (<usize>load<I>(source, 4 * size) << 3));
  const b23 = pair(pairs + (<usize>load<I>(source, 7 * size) << 3), pairs + (<usize>load<I>(source, 10 * size) << 3));
  const c01 = pair(pairs + (<usize>load<I>(source, 2 * size) << 3), pairs + (<usize>load<I>(source, 5 * size) << 3));
  const c23 = pair(pairs + (<usize>load<I>(source, 8 * size) << 3), pairs + (<usize>load<I>(source, 11 * size) << 3));
  const ax = evenLanes(a01, a23);
  const ay = oddLanes(a01, a23);
  const bx = i32x4.sub(evenLanes(b01, b23), ax);
  const by = i32x4.sub(oddLanes(b01, b23), ay);
  const cx = i32x4.sub(evenLanes(c01, c23), ax);
  const cy = i32x4.sub(oddLanes(c01, c23), ay);
  // Twice the area, of lanes 0, 1 and 2, 3; positive when clockwise on the screen.
  const area01 = i64x2.sub(i64x2.extmul_low_i32x4_s(bx, cy), i64x2.extmul_low_i32x4_s(cx, by));
  const area23 = i64x2.sub(i64x2.extmul_high_i32x4_s(bx, cy), i64x2.extmul_high_i32x4_s(cx, by));
  const upper = oddLanes(area01, area23);
  const turned = i32x4.shr_s(upper, 31);
  const flat = i32x4.bitmask(i32x4.eq(v128.or(upper, evenLanes(area01, area23)), i32x4.splat(0)));
  const side = load<i32>(setup + P.SETUP_CULL_SIDE);
  const away = (side == 0 ? 0 : side == 1 ? i32x4.bitmask(turned) : i32x4.bitmask(turned) ^ 15) & ~flat;
  if ((flat | away) == 15) return flat | away << 4 | live << 16;
  // Pixels that have a sample position within the vertices' box.
  const zero = i32x4.splat(0);
  const left = i32x4.add(ax, i32x4.min_s(zero, i32x4.min_s(bx, cx)));
  const top = i32x4.add(ay, i32x4.min_s(zero, i32x4.min_s(by, cy)));
  const right = i32x4.add(ax, i32x4.max_s(zero, i32x4.max_s(bx, cx)));
  const bottom = i32x4.add(ay, i32x4.max_s(zero, i32x4.max_s(by, cy)));
  const first = v128.load32_splat(setup + P.SETUP_SAMPLE_FIRST);
  const up = i32x4.sub(i32x4.splat(255), v128.load32_splat(setup + P.SETUP_SAMPLE_LAST));
  let minX = i32x4.shr_s(i32x4.add(left, up), 8);
  let minY = i32x4.shr_s(i32x4.add(top, up), 8);
  // The last pixels, and one less than the numbers of pixels.
  let maxX = i32x4.shr_s(i32x4.sub(right, first), 8);
  let maxY = i32x4.shr_s(i32x4.sub(bottom, first), 8);
  let missed = v128.or(i32x4.gt_s(minX, maxX), i32x4.gt_s(minY, maxY));
  const one = i32x4.splat(1);
  minX = i32x4.max_s(minX, v128.load32_splat(setup + P.SETUP_MIN_X));
  minY = i32x4.max_s(minY, v128.load32_splat(setup + P.SETUP_MIN_Y));
  maxX = i32x4.min_s(i32x4.add(maxX, one), v128.load32_splat(setup + P.SETUP_MAX_X));
  maxY = i32x4.min_s(i32x4.add(maxY, one), v128.load32_splat(setup + P.SETUP_MAX_Y));
  const width = i32x4.sub(maxX, minX);
  const height = i32x4.sub(maxY, minY);
  const gone = flat | away;
  const outside = i32x4.bitmask(v128.andnot(i32x4.le_s(i32x4.min_s(width, height), zero), missed)) & ~gone;
  const short = i32x4.le_s(i32x4.max_s(i32x4.sub(right, left), i32x4.sub(bottom, top)), i32x4.splat(SMALL_SPAN));
  const longer = i32x4.max_s(width, height);
  const small = v128.and(short, i32x4.le_s(longer, i32x4.splat(SMALL_PIXELS)));
  const tiny = v128.and(short, i32x4.le_s(longer, i32x4.splat(tinyPixels(load<i32>(setup + P.SETUP_SAMPLES)))));
  let cover = zero;
  if (i32x4.bitmask(tiny) & ~(gone | outside | i32x4.bitmask(missed))) {
    cover = v128.and(tiny, coverTiny(setup, turned, i32x4.sub(i32x4.shl(minX, 8), ax), i32x4.sub(i32x4.shl(minY, 8), ay), bx, by, cx, cy, width, height));
    missed = v128.or(missed, v128.and(tiny, i32x4.eq(cover, zero)));
  }
  let between = i32x4.bitmask(missed) & ~(gone | outside);
  const left4 = ~(gone | outside | between) & 15;
  if (!left4) return flat | away << 4 | outside << 8 | between << 12 | live << 16;
  storeCover(setup, cover);
  const rest = i32x4.bitmask(v128.andnot(small, tiny)) & left4;
  if (rest) {
    const lanes = setup + P.SETUP_LANES;
    storeLanes(lanes, minX, minY, width, height);
    storeCorners(lanes, ax, ay, bx, by, cx, cy);
    between |= coverLanes(setup, rest, i32x4.bitmask(turned), left4, live);
  }
  return flat | away << 4 | outside << 8 | between << 12 | enqueue<I>(setup, source, left4 & ~between, i32x4.bitmask(turned), live) << 16;
}

// Puts the triangles in `lanes` behind the `live` others: all four are written, so that nothing depends on which.
// @ts-ignore: decorator
@inline function enqueue<I>(setup: usize, source: usize, lanes: u32, turned: u32, live: u32): u32 {
  const list = setup + P.SETUP_LIVE;
  const covers = setup + P.SETUP_LANES + P.LANES_COVER;
  for (let lane: usize = 0; lane < 4; lane++) {
    const at = list + (<usize>live << 2);
    store<u32>(at, <u32>(source + lane * 3 * sizeof<I>()) | turned >> <u32>lane & 1);
    store<u64>(list + (<usize>live << 3), load<u64>(covers + (lane << 3)), P.LIVE_COVERS);
    live += lanes >> <u32>lane & 1;
  }
  return live;
}

/** Samples of the triangles in `small`, of up to 4×4 pixels; gives those that have none. `left`, `live`: as enqueue will find them. */
function coverLanes(setup: usize, small: i32, turned: i32, left: i32, live: u32): i32 {
  const layers = layersOf(load<i32>(setup + P.SETUP_SAMPLES));
  let none = 0;
  for (let rest = small; rest; rest &= rest - 1) {
    const lane = <usize>ctz(rest);
    const cover = coverLane(setup, setup + P.SETUP_LANES + (lane << 2), (turned >> <i32>lane & 1) != 0);
    store<u64>(setup + P.SETUP_LANES + (lane << 3), cover, P.LANES_COVER);
    if (!cover) none |= 1 << <i32>lane;
    else if (layers > 1) {
      const number = live + popcnt(left & ~none & (1 << <i32>lane) - 1);
      memory.copy(setup + P.SETUP_LIVE + P.LIVE_LAYERS + (<usize>number << P.LIVE_LAYERS_SHIFT), setup + P.SETUP_COVERS, 32);
    }
  }
  return none;
}

/** Samples of one lane's triangle, of up to 4×4 pixels. */
function coverLane(setup: usize, lanes: usize, turned: bool): u64 {
  const bx = load<i32>(lanes, P.LANES_B_X);
  const by = load<i32>(lanes, P.LANES_B_Y);
  const cx = load<i32>(lanes, P.LANES_C_X);
  const cy = load<i32>(lanes, P.LANES_C_Y);
  const left = (load<i32>(lanes, P.LANES_MIN_X) << 8) - load<i32>(lanes, P.LANES_A_X);
  const top = (load<i32>(lanes, P.LANES_MIN_Y) << 8) - load<i32>(lanes, P.LANES_A_Y);
  return coverSmall<v128>(setup, left, top, turned ? cx : bx, turned ? cy : by, turned ? bx : cx, turned ? by : cy, load<i32>(lanes, P.LANES_WIDTH), load<i32>(lanes, P.LANES_HEIGHT));
}
