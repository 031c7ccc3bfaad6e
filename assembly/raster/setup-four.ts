// Setup of four triangles at once, a lane each: facing, boxes, coverage of those of at most 2×2 pixels. Those that are left (one or none, in
// a detailed mesh) wait until there are four, whose records are written together (place-four.ts). What setupTriangle (setup.ts) decides a
// triangle at a time, with the same results.
import {
  CORNER_BYTES, LIVE_LAYERS_SHIFT, SAMPLE4_X0, SAMPLE4_X1, SAMPLE4_X2, SAMPLE4_X3, SAMPLE4_Y0, SAMPLE4_Y1, SAMPLE4_Y2,
  SAMPLE4_Y3, Setup, SetupLanes, SetupLive, Statistics,
} from '../layout';
import { evenLanes, oddLanes, pickBytes } from '../simd/lanes';
import { layersOf } from '../simd/positions';
import { placeLive } from './place-four';
import { coverSmall, SMALL_PIXELS, SMALL_SPAN } from './small';

/** Sides of the box of pixels up to which four are covered at once. */
const TINY_PIXELS = 2;

// X and Y of two vertices.
// @ts-ignore: decorator
@inline function pair(first: usize, second: usize): v128 { return v128.load64_lane(second, v128.load64_zero(first), 1); }

// Bit `pixel` · samples + sample where no edge is negative.
// @ts-ignore: decorator
@inline function inside(ab: v128, bc: v128, ca: v128, bit: i32): v128 {
  return v128.andnot(i32x4.splat(1 << bit), i32x4.shr_s(v128.or(ab, v128.or(bc, ca)), 31));
}

/**
 * The samples of 2×2 pixels that four clockwise triangles cover, at one sample position: x, y: that of the first pixel, less the first vertex;
 * b, c: the other vertices less it; area: twice the area, which is what the three edges come to everywhere.
 */
// @ts-ignore: decorator
@inline function coverSample(x: v128, y: v128, bx: v128, by: v128, cx: v128, cy: v128, area: v128, sample: i32, samples: i32): v128 {
  const one = i32x4.splat(1);
  const ab = i32x4.sub(i32x4.mul(bx, y), i32x4.mul(by, x));
  const ca = i32x4.sub(i32x4.mul(cy, x), i32x4.mul(cx, y));
  // A and B of an edge in one number, which is positive where it is top or left (A > 0, or A = 0 and B > 0): |B| < 2^12. −1 elsewhere.
  const b = i32x4.sub(i32x4.shl(by, 12), bx);
  const c = i32x4.sub(i32x4.shl(cy, 12), cx);
  const p0 = i32x4.add(ab, i32x4.gt_s(b, i32x4.splat(-1)));
  const p1 = i32x4.sub(i32x4.sub(i32x4.sub(area, i32x4.add(ab, ca)), one), i32x4.gt_s(b, c));
  const p2 = i32x4.add(ca, i32x4.gt_s(one, c));
  const right0 = i32x4.shl(by, 8);
  const right2 = i32x4.shl(cy, 8);
  const right1 = i32x4.sub(right0, right2);
  const down0 = i32x4.shl(bx, 8);
  const down2 = i32x4.shl(cx, 8);
  const q0 = i32x4.add(p0, down0);
  const q1 = i32x4.add(p1, i32x4.sub(down2, down0));
  const q2 = i32x4.sub(p2, down2);
  return v128.or(
    v128.or(inside(p0, p1, p2, sample), inside(i32x4.sub(p0, right0), i32x4.add(p1, right1), i32x4.add(p2, right2), samples + sample)),
    v128.or(inside(q0, q1, q2, 2 * samples + sample), inside(i32x4.sub(q0, right0), i32x4.add(q1, right1), i32x4.add(q2, right2), 3 * samples + sample)));
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

/** Sides of the boxes of pixels that coverTiny takes: it knows one sample and four. */
export function tinyPixels(samples: i32): i32 { return samples == 1 || samples == 4 ? TINY_PIXELS : 0; }

/** The samples that triangles of either orientation (`turned`: counter-clockwise on the screen) cover, in boxes of 1 or 2 pixels a side. */
// @ts-ignore: decorator
@inline function coverTiny(setup: Setup, turned: v128, signedArea: v128, left: v128, top: v128, bx: v128, by: v128, cx: v128, cy: v128, width: v128, height: v128): v128 {
  const swapX = v128.and(v128.xor(bx, cx), turned);
  const swapY = v128.and(v128.xor(by, cy), turned);
  const qx = v128.xor(bx, swapX);
  const qy = v128.xor(by, swapY);
  const rx = v128.xor(cx, swapX);
  const ry = v128.xor(cy, swapY);
  const area = i32x4.sub(v128.xor(signedArea, turned), turned);
  if (setup.samples == 1) {
    const half = i32x4.splat(128);
    return v128.and(coverSample(i32x4.add(left, half), i32x4.add(top, half), qx, qy, rx, ry, area, 0, 1), boxBits(width, height, false));
  }
  const bits0 = coverSample(i32x4.add(left, i32x4.splat(SAMPLE4_X0 * 16)), i32x4.add(top, i32x4.splat(SAMPLE4_Y0 * 16)), qx, qy, rx, ry, area, 0, 4);
  const bits1 = coverSample(i32x4.add(left, i32x4.splat(SAMPLE4_X1 * 16)), i32x4.add(top, i32x4.splat(SAMPLE4_Y1 * 16)), qx, qy, rx, ry, area, 1, 4);
  const bits2 = coverSample(i32x4.add(left, i32x4.splat(SAMPLE4_X2 * 16)), i32x4.add(top, i32x4.splat(SAMPLE4_Y2 * 16)), qx, qy, rx, ry, area, 2, 4);
  const bits3 = coverSample(i32x4.add(left, i32x4.splat(SAMPLE4_X3 * 16)), i32x4.add(top, i32x4.splat(SAMPLE4_Y3 * 16)), qx, qy, rx, ry, area, 3, 4);
  return v128.and(v128.or(v128.or(bits0, bits1), v128.or(bits2, bits3)), boxBits(width, height, true));
}

// @ts-ignore: decorator
@inline function storeLanes(lanes: SetupLanes, minX: v128, minY: v128, width: v128, height: v128): void {
  v128.store(lanes.minX, minX);
  v128.store(lanes.minY, minY);
  v128.store(lanes.width, width);
  v128.store(lanes.height, height);
}

// @ts-ignore: decorator
@inline function storeCorners(lanes: SetupLanes, ax: v128, ay: v128, bx: v128, by: v128, cx: v128, cy: v128): void {
  v128.store(lanes.aX, ax);
  v128.store(lanes.aY, ay);
  v128.store(lanes.bX, bx);
  v128.store(lanes.bY, by);
  v128.store(lanes.cX, cx);
  v128.store(lanes.cY, cy);
}

// From rows of two pixels to rows of four.
// @ts-ignore: decorator
@inline function widen(setup: Setup, bits: v128): v128 {
  if (setup.samples == 1) return v128.or(v128.and(bits, i32x4.splat(3)), i32x4.shl(v128.and(bits, i32x4.splat(12)), 2));
  return v128.or(v128.and(bits, i32x4.splat(0xff)), i32x4.shl(v128.and(bits, i32x4.splat(0xff00)), 8));
}

// @ts-ignore: decorator
@inline function countLanes(setup: usize, lanes: i32, counter: usize): void {
  store<u32>(setup + counter, load<u32>(setup + counter) + popcnt(lanes));
}

// @ts-ignore: decorator
@inline function addCulled(setup: usize, statistics: usize, from: usize, counter: usize): void {
  store<u32>(statistics + counter, load<u32>(statistics + counter) + load<u32>(setup + from));
}

/**
 * Sets up the triangles whose vertices stand from `source` on, in a list of places or an index buffer (`I`; `base`: the index of vertex 0), and
 * which lie inside the clip volume: a multiple of four, at most STRETCH_TRIANGLES. False when the arena might not hold them all; then
 * nothing has changed.
 */
export function setupStretch<I>(setup: Setup, source: usize, base: u32, triangles: u32): bool {
  v128.store(changetype<usize>(setup) + offsetof<Setup>('culledArea'), i32x4.splat(0));
  v128.store(setup.longest, i32x4.splat(0));
  let live: u32 = 0;
  for (const end = source + triangles * 3 * sizeof<I>(); source < end; source += 12 * sizeof<I>()) live = cullFour<I>(setup, source, base, live);
  if (live && !placeLive<I>(setup, base, live)) return false;
  const statistics = setup.pass.statistics;
  addCulled(changetype<usize>(setup), changetype<usize>(statistics), offsetof<Setup>('culledArea'), offsetof<Statistics>('trianglesCulledArea'));
  addCulled(changetype<usize>(setup), changetype<usize>(statistics), offsetof<Setup>('culledFace'), offsetof<Statistics>('trianglesCulledFace'));
  addCulled(changetype<usize>(setup), changetype<usize>(statistics), offsetof<Setup>('culledOutside'), offsetof<Statistics>('trianglesCulledOutside'));
  addCulled(changetype<usize>(setup), changetype<usize>(statistics), offsetof<Setup>('culledBetween'), offsetof<Statistics>('trianglesCulledBetween'));
  return true;
}

/** Culls four triangles; those that are left join the `live` others (Setup.live). Gives how many there are now. */
function cullFour<I>(setup: Setup, source: usize, base: u32, live: u32): u32 {
  const pairs = <u32>setup.corners - <usize>(base * CORNER_BYTES);
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
  const lower = evenLanes(area01, area23);
  const zero = i32x4.splat(0);
  const turned = i32x4.bitmask(upper);
  const flat = i32x4.bitmask(i32x4.eq(v128.or(upper, lower), zero));
  const away = (turned ^ setup.cullFlip) & setup.cullMask & ~flat;
  let gone = flat | away;
  countLanes(changetype<usize>(setup), flat, offsetof<Setup>('culledArea'));
  countLanes(changetype<usize>(setup), away, offsetof<Setup>('culledFace'));
  if (gone == 15) return live;
  // Pixels that have a sample position within the vertices' box.
  const left = i32x4.add(ax, i32x4.min_s(zero, i32x4.min_s(bx, cx)));
  const top = i32x4.add(ay, i32x4.min_s(zero, i32x4.min_s(by, cy)));
  const right = i32x4.add(ax, i32x4.max_s(zero, i32x4.max_s(bx, cx)));
  const bottom = i32x4.add(ay, i32x4.max_s(zero, i32x4.max_s(by, cy)));
  const first = v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('sampleFirst'));
  const up = v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('sampleUp'));
  const minX = i32x4.max_s(i32x4.shr_s(i32x4.add(left, up), 8), v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('minX')));
  const minY = i32x4.max_s(i32x4.shr_s(i32x4.add(top, up), 8), v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('minY')));
  const endX = i32x4.shr_s(i32x4.sub(right, first), 8);
  const endY = i32x4.shr_s(i32x4.sub(bottom, first), 8);
  const one = i32x4.splat(1);
  const width = i32x4.sub(i32x4.min_s(i32x4.add(endX, one), v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('maxX'))), minX);
  const height = i32x4.sub(i32x4.min_s(i32x4.add(endY, one), v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('maxY'))), minY);
  const none = i32x4.gt_s(one, i32x4.min_s(width, height));
  if (i32x4.bitmask(none) & ~gone) gone |= cullBoxes(changetype<usize>(setup), gone, none, v128.or(i32x4.gt_s(i32x4.shr_s(i32x4.add(left, up), 8), endX), i32x4.gt_s(i32x4.shr_s(i32x4.add(top, up), 8), endY)));
  const longer = i32x4.max_s(width, height);
  const short = i32x4.gt_s(i32x4.splat(SMALL_SPAN + 1), i32x4.max_s(i32x4.sub(right, left), i32x4.sub(bottom, top)));
  const small = v128.and(short, i32x4.gt_s(i32x4.splat(SMALL_PIXELS + 1), longer));
  let cover = zero;
  if (i32x4.bitmask(small) & ~gone) {
    const tiny = v128.andnot(small, i32x4.gt_s(longer, v128.load32_splat(changetype<usize>(setup) + offsetof<Setup>('tiny'))));
    const tinies = i32x4.bitmask(tiny);
    if (tinies & ~gone) {
      cover = v128.and(tiny, coverTiny(setup, i32x4.shr_s(upper, 31), lower, i32x4.sub(i32x4.shl(minX, 8), ax), i32x4.sub(i32x4.shl(minY, 8), ay), bx, by, cx, cy, width, height));
      const between = i32x4.bitmask(i32x4.eq(cover, zero)) & tinies & ~gone;
      countLanes(changetype<usize>(setup), between, offsetof<Setup>('culledBetween'));
      gone |= between;
      if (gone == 15) return live;
      cover = widen(setup, cover);
    }
    v128.store(setup.lanes.coverHigh, zero);
    const rest = i32x4.bitmask(small) & ~(tinies | gone);
    if (rest) {
      const lanes = setup.lanes;
      v128.store(lanes.cover, cover);
      storeLanes(lanes, minX, minY, width, height);
      storeCorners(lanes, ax, ay, bx, by, cx, cy);
      const between = coverLanes(setup, rest, turned, gone, live);
      countLanes(changetype<usize>(setup), between, offsetof<Setup>('culledBetween'));
      gone |= between;
      cover = v128.load(lanes.cover);
    }
    const table = <usize>(15 & ~gone) << 4;
    v128.store(setup.live.coversHigh + (<usize>live << 2), pickBytes(v128.load(setup.lanes.coverHigh), v128.load(PACKING + table)));
  } else {
    if (gone == 15) return live;
    v128.store(setup.live.coversHigh + (<usize>live << 2), zero);
  }
  // The lanes that are left, next to each other: whatever follows them is overwritten by the next ones.
  v128.store(setup.longest, i32x4.max_s(longer, v128.load(setup.longest)));
  const packing = v128.load(PACKING + (<usize>(15 & ~gone) << 4));
  const at = changetype<SetupLive>(changetype<usize>(setup.live) + (<usize>live << 2));
  const sources = v128.or(i32x4.add(i32x4.splat(<i32>source), v128.load(sizeof<I>() == 2 ? SOURCES16 : SOURCES32)), i32x4.shr_u(upper, 31));
  v128.store(changetype<usize>(at), pickBytes(sources, packing));
  v128.store(at.covers, pickBytes(cover, packing));
  return live + popcnt(15 & ~gone);
}

// For each set of lanes, a shuffle that puts them first, in order.
const PACKING: usize = memory.data<u8>([
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  4, 5, 6, 7, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 2, 3, 4, 5, 6, 7, 128, 128, 128, 128, 128, 128, 128, 128,
  8, 9, 10, 11, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 2, 3, 8, 9, 10, 11, 128, 128, 128, 128, 128, 128, 128, 128,
  4, 5, 6, 7, 8, 9, 10, 11, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 128, 128, 128, 128,
  12, 13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 2, 3, 12, 13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128,
  4, 5, 6, 7, 12, 13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 128, 128, 128, 128,
  8, 9, 10, 11, 12, 13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 128, 128, 128, 128,
  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 128, 128, 128, 128,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
]);
// Bytes from the indices of the first of four triangles to those of each.
const SOURCES16: usize = memory.data<i32>([0, 6, 12, 18], 16);
const SOURCES32: usize = memory.data<i32>([0, 12, 24, 36], 16);

// Of four triangles those whose boxes hold no pixel (`none`): outside, or (`missed`) between the samples. Gives both.
function cullBoxes(setup: usize, gone: i32, none: v128, missed: v128): i32 {
  const empty = i32x4.bitmask(none) & ~gone;
  const between = i32x4.bitmask(missed) & empty;
  countLanes(setup, between, offsetof<Setup>('culledBetween'));
  countLanes(setup, empty & ~between, offsetof<Setup>('culledOutside'));
  return empty;
}

/** Samples of the triangles in `small`, of up to 4×4 pixels; gives those that have none. `gone`, `live`: as the list will find them. */
function coverLanes(setup: Setup, small: i32, turned: i32, gone: i32, live: u32): i32 {
  const layers = layersOf(setup.samples);
  let none = 0;
  for (let rest = small; rest; rest &= rest - 1) {
    const lane = <usize>ctz(rest);
    const at = changetype<SetupLanes>(changetype<usize>(setup.lanes) + (lane << 2));
    const cover = coverLane(setup, at, (turned >> <i32>lane & 1) != 0);
    store<u32>(at.cover, <u32>cover);
    store<u32>(at.coverHigh, <u32>(cover >> 32));
    if (!cover) none |= 1 << <i32>lane;
    else if (layers > 1) {
      const number = live + popcnt(~(gone | none) & (1 << <i32>lane) - 1);
      memory.copy(setup.live.layers + (<usize>number << LIVE_LAYERS_SHIFT), setup.covers, 32);
    }
  }
  return none;
}

/** Samples of one lane's triangle, of up to 4×4 pixels. */
function coverLane(setup: Setup, lanes: SetupLanes, turned: bool): u64 {
  const bx = load<i32>(lanes.bX);
  const by = load<i32>(lanes.bY);
  const cx = load<i32>(lanes.cX);
  const cy = load<i32>(lanes.cY);
  const left = (load<i32>(lanes.minX) << 8) - load<i32>(lanes.aX);
  const top = (load<i32>(lanes.minY) << 8) - load<i32>(lanes.aY);
  return coverSmall<v128>(setup, left, top, turned ? cx : bx, turned ? cy : by, turned ? bx : cx, turned ? by : cy, load<i32>(lanes.width), load<i32>(lanes.height));
}
