// Setup of four triangles at once, one per lane: facing, bounding boxes, and coverage of triangles of at most 2×2
// pixels. In a detailed mesh, one or none of four survives. Survivors are collected until there are four, and their
// records are written together (bin-four.ts). The results are the same as those of setupTriangle (setup.ts), which
// processes one triangle at a time.
import { Corner, LayerPositions, Setup, SetupLanes, SetupLive, sizeOf } from '../layout';
import { evenLanes, oddLanes, pickBytes } from '../simd/lanes';
import { layersOf } from '../simd/positions';
import { binLive, crossHigh, crossLow, firstPixels, lastPixels, minOf, maxOf } from './bin-four';
import { coverSmall, SMALL_PIXELS, SMALL_SPAN } from './small';

/** Largest side of a box, in pixels, for which four triangles are covered at once. */
const TINY_PIXELS = 2;

// X and Y of two vertices.
function pair(first: usize, second: usize): v128 {
  return v128.load64_lane(second, v128.load64_zero(first), 1);
}

/** Largest side of the pixel boxes that coverTiny supports: it handles one and four samples. */
export function tinyPixels(samples: i32): i32 {
  return samples == 1 || samples == 4 ? TINY_PIXELS : 0;
}

// One bit in each lane where no edge is negative.
function inside(ab: v128, bc: v128, ca: v128, bit: i32): v128 {
  return v128.andnot(i32x4.splat(1 << bit), i32x4.shr_s(v128.or(ab, v128.or(bc, ca)), 31));
}

/**
 * Samples that four clockwise triangles cover in boxes with sides of 1 or 2 pixels, in the format of Triangle.cover.
 * `left` and `top` are the boxes' corners relative to the first vertices; b and c are the other vertices relative to
 * them (Setup.live from `live` on).
 */
// @ts-ignore: decorator
@inline function coverTiny(setup: Setup, live: SetupLive, left: v128, top: v128, width: v128, height: v128): v128 {
  const bx = v128.load(live.bX);
  const by = v128.load(live.bY);
  const cx = v128.load(live.cX);
  const cy = v128.load(live.cY);
  const one = i32x4.splat(1);
  const samples = setup.samples;
  // Combines A and B of an edge in one number that is positive for top and left edges (A > 0, or A = 0 and B > 0), as
  // |B| < 2^12. The rule is −1 for other edges.
  const b = i32x4.sub(i32x4.shl(by, 12), bx);
  const c = i32x4.sub(i32x4.shl(cy, 12), cx);
  const rule0 = i32x4.gt_s(b, i32x4.splat(-1));
  const rule2 = i32x4.gt_s(one, c);
  // The sum of the three edges is the same everywhere: twice the area.
  const all = i32x4.sub(i32x4.sub(i32x4.sub(i32x4.mul(bx, cy), i32x4.mul(cx, by)), one), i32x4.gt_s(b, c));
  const right0 = i32x4.shl(by, 8);
  const right2 = i32x4.shl(cy, 8);
  const right1 = i32x4.sub(right0, right2);
  const down0 = i32x4.shl(bx, 8);
  const down2 = i32x4.shl(cx, 8);
  let cover = i32x4.splat(0);
  for (let sample = 0; sample < samples; sample++) {
    const positions = changetype<LayerPositions>(setup.layers + (sample << 2));
    const x = i32x4.add(left, v128.load32_splat(positions.x));
    const y = i32x4.add(top, v128.load32_splat(positions.y));
    const ab = i32x4.sub(i32x4.mul(bx, y), i32x4.mul(by, x));
    const ca = i32x4.sub(i32x4.mul(cy, x), i32x4.mul(cx, y));
    const p0 = i32x4.add(ab, rule0);
    const p1 = i32x4.sub(all, i32x4.add(ab, ca));
    const p2 = i32x4.add(ca, rule2);
    const q0 = i32x4.add(p0, down0);
    const q1 = i32x4.add(p1, i32x4.sub(down2, down0));
    const q2 = i32x4.sub(p2, down2);
    const upper = v128.or(
      inside(p0, p1, p2, sample),
      inside(i32x4.sub(p0, right0), i32x4.add(p1, right1), i32x4.add(p2, right2), samples + sample)
    );
    const lower = v128.or(
      inside(q0, q1, q2, sample),
      inside(i32x4.sub(q0, right0), i32x4.add(q1, right1), i32x4.add(q2, right2), samples + sample)
    );
    // Rows of the coverage have four pixels.
    cover = v128.or(cover, v128.or(upper, i32x4.shl(lower, samples << 2)));
  }
  const pixel = i32x4.splat((1 << samples) - 1);
  const row = v128.or(pixel, v128.and(i32x4.gt_s(width, one), i32x4.shl(pixel, samples)));
  return v128.and(cover, v128.or(row, v128.and(i32x4.gt_s(height, one), i32x4.shl(row, samples << 2))));
}

/**
 * Sets up triangles that are inside the clip volume. Their vertices are at `source`, in a list of numbers or an index
 * buffer of type `I`; `base` is the index of vertex 0. `triangles` is a multiple of four, at most STRETCH_TRIANGLES.
 * Returns false, and changes nothing, if the arena might not hold them all.
 */
export function setupStretch<I>(setup: Setup, source: usize, base: u32, triangles: u32): bool {
  v128.store(changetype<usize>(setup) + offsetof<Setup>('culledArea'), i32x4.splat(0));
  v128.store(setup.longest, i32x4.splat(0));
  let facing: u32 = 0;
  for (const end = source + triangles * 3 * sizeof<I>(); source < end; source += 12 * sizeof<I>())
    facing = faceFour<I>(setup, source, base, facing);
  let live: u32 = 0;
  for (let i: u32 = 0; i < facing; i += 4) live = coverFour(setup, i, facing - i, live);
  if (live && !binLive<I>(setup, base, live)) return false;
  const statistics = setup.pass.statistics;
  statistics.trianglesCulledArea += setup.culledArea;
  statistics.trianglesCulledFace += setup.culledFace;
  statistics.trianglesCulledOutside += setup.culledOutside;
  statistics.trianglesCulledBetween += setup.culledBetween;
  return true;
}

// Appends the surviving lanes to the list, packed. Later entries overwrite what follows them.
function keep(list: usize, lanes: v128, packing: v128): void {
  v128.store(list, pickBytes(lanes, packing));
}

/**
 * Appends those of four triangles that have an area and are not culled by facing to the `facing` others in Setup.live.
 * Returns the new number.
 */
// @ts-ignore: decorator
@inline
function faceFour<I>(setup: Setup, source: usize, base: u32, facing: u32): u32 {
  const corners = setup.corners - base * sizeOf<Corner>();
  const size = sizeof<I>();
  // X and Y of the corners a, b, c of four triangles.
  const a01 = pair(corners + (load<I>(source) << 3), corners + (load<I>(source, 3 * size) << 3));
  const a23 = pair(corners + (load<I>(source, 6 * size) << 3), corners + (load<I>(source, 9 * size) << 3));
  const b01 = pair(corners + (load<I>(source, size) << 3), corners + (load<I>(source, 4 * size) << 3));
  const b23 = pair(corners + (load<I>(source, 7 * size) << 3), corners + (load<I>(source, 10 * size) << 3));
  const c01 = pair(corners + (load<I>(source, 2 * size) << 3), corners + (load<I>(source, 5 * size) << 3));
  const c23 = pair(corners + (load<I>(source, 8 * size) << 3), corners + (load<I>(source, 11 * size) << 3));
  const ax = evenLanes(a01, a23);
  const ay = oddLanes(a01, a23);
  const bx = i32x4.sub(evenLanes(b01, b23), ax);
  const by = i32x4.sub(oddLanes(b01, b23), ay);
  const cx = i32x4.sub(evenLanes(c01, c23), ax);
  const cy = i32x4.sub(oddLanes(c01, c23), ay);
  // Twice the area, in lanes 0 and 1 and in lanes 2 and 3. Positive for clockwise triangles on the screen.
  const area01 = crossLow(bx, by, cx, cy);
  const area23 = crossHigh(bx, by, cx, cy);
  const upper = oddLanes(area01, area23);
  const turned = i32x4.bitmask(upper);
  const flat = i32x4.bitmask(i32x4.eq(v128.or(upper, evenLanes(area01, area23)), i32x4.splat(0)));
  const away = (turned ^ setup.cullFlip) & setup.cullMask & ~flat;
  setup.culledArea += popcnt(flat);
  setup.culledFace += popcnt(away);
  const left = 15 & ~(flat | away);
  if (!left) return facing;
  const to = setup.live.from(facing);
  const packing = v128.load(PACKING + (left << 4));
  keep(
    to.sources,
    v128.or(
      i32x4.add(i32x4.splat(source), v128.load(sizeof<I>() == 2 ? SOURCES16 : SOURCES32)),
      i32x4.shr_u(upper, 31)
    ),
    packing
  );
  keep(to.aX, ax, packing);
  keep(to.aY, ay, packing);
  keep(to.bX, bx, packing);
  keep(to.bY, by, packing);
  keep(to.cX, cx, packing);
  keep(to.cY, cy, packing);
  return facing + popcnt(left);
}

/**
 * Processes the four triangles from `i` on in Setup.live; only `count` of them exist. Those that may cover samples stay
 * in the list, after the `live` ones that are already kept. Returns the new number.
 */
// @ts-ignore: decorator
@inline
function coverFour(setup: Setup, i: u32, count: u32, live: u32): u32 {
  const from = setup.live.from(i);
  const zero = i32x4.splat(0);
  const one = i32x4.splat(1);
  const sources = v128.load(from.sources);
  const ax = v128.load(from.aX);
  const ay = v128.load(from.aY);
  // Make all triangles clockwise.
  const turned = i32x4.shr_s(i32x4.shl(sources, 31), 31);
  const swapX = v128.and(turned, v128.xor(v128.load(from.bX), v128.load(from.cX)));
  const swapY = v128.and(turned, v128.xor(v128.load(from.bY), v128.load(from.cY)));
  const bx = v128.xor(v128.load(from.bX), swapX);
  const by = v128.xor(v128.load(from.bY), swapY);
  const cx = v128.xor(v128.load(from.cX), swapX);
  const cy = v128.xor(v128.load(from.cY), swapY);
  v128.store(from.bX, bx);
  v128.store(from.bY, by);
  v128.store(from.cX, cx);
  v128.store(from.cY, cy);
  // Pixels that have a sample position within the vertices' bounding box.
  const left = i32x4.add(ax, minOf(bx, cx));
  const top = i32x4.add(ay, minOf(by, cy));
  const right = i32x4.add(ax, maxOf(bx, cx));
  const bottom = i32x4.add(ay, maxOf(by, cy));
  const firstX = firstPixels(setup, left);
  const firstY = firstPixels(setup, top);
  const lastX = lastPixels(setup, right);
  const lastY = lastPixels(setup, bottom);
  const minX = i32x4.max_s(firstX, i32x4.splat(setup.minX));
  const minY = i32x4.max_s(firstY, i32x4.splat(setup.minY));
  const width = i32x4.sub(i32x4.min_s(i32x4.add(lastX, one), i32x4.splat(setup.maxX)), minX);
  const height = i32x4.sub(i32x4.min_s(i32x4.add(lastY, one), i32x4.splat(setup.maxY)), minY);
  const none = i32x4.gt_s(one, i32x4.min_s(width, height));
  let kept = count < 4 ? (1 << count) - 1 : 15;
  if (i32x4.bitmask(none)) {
    kept = cullBoxes(setup, kept, none, v128.or(i32x4.gt_s(firstX, lastX), i32x4.gt_s(firstY, lastY)));
    if (!kept) return live;
  }
  const longer = i32x4.max_s(width, height);
  const short = i32x4.gt_s(i32x4.splat(SMALL_SPAN + 1), i32x4.max_s(i32x4.sub(right, left), i32x4.sub(bottom, top)));
  const small = v128.and(short, i32x4.gt_s(i32x4.splat(SMALL_PIXELS + 1), longer));
  const to = setup.live.from(live);
  let cover = zero;
  let coverHigh = zero;
  if (i32x4.bitmask(small) & kept) {
    const leftOf = i32x4.sub(i32x4.shl(minX, 8), ax);
    const topOf = i32x4.sub(i32x4.shl(minY, 8), ay);
    const tiny = v128.andnot(small, i32x4.gt_s(longer, i32x4.splat(setup.tiny)));
    const tinies = i32x4.bitmask(tiny) & kept;
    if (tinies) {
      cover = v128.and(tiny, coverTiny(setup, from, leftOf, topOf, width, height));
      const between = i32x4.bitmask(i32x4.eq(cover, zero)) & tinies;
      setup.culledBetween += popcnt(between);
      kept &= ~between;
      if (!kept) return live;
    }
    const rest = i32x4.bitmask(small) & ~i32x4.bitmask(tiny) & kept;
    if (rest) {
      const lanes = setup.lanes;
      v128.store(lanes.cover, cover);
      v128.store(lanes.coverHigh, zero);
      v128.store(lanes.left, leftOf);
      v128.store(lanes.top, topOf);
      v128.store(lanes.width, width);
      v128.store(lanes.height, height);
      kept = coverLanes(setup, from, rest, kept, live);
      if (!kept) return live;
      cover = v128.load(lanes.cover);
      coverHigh = v128.load(lanes.coverHigh);
    }
  }
  v128.store(setup.longest, i32x4.max_s(longer, v128.load(setup.longest)));
  const packing = v128.load(PACKING + (kept << 4));
  keep(to.sources, sources, packing);
  keep(to.aX, ax, packing);
  keep(to.aY, ay, packing);
  keep(to.bX, bx, packing);
  keep(to.bY, by, packing);
  keep(to.cX, cx, packing);
  keep(to.cY, cy, packing);
  keep(to.covers, cover, packing);
  keep(to.coversHigh, coverHigh, packing);
  return live + popcnt(kept);
}

// For each set of lanes, a shuffle that moves them to the front, in order, followed by zeros. Unused lanes are in
// Setup.longest too: with values other than zeros, no stretch would seem to fit the arena (the dragon: 12 % slower).
const PACKING: usize = memory.data<u32>([
  0x80808080, 0x80808080, 0x80808080, 0x80808080, 0x03020100, 0x80808080, 0x80808080, 0x80808080, 0x07060504,
  0x80808080, 0x80808080, 0x80808080, 0x03020100, 0x07060504, 0x80808080, 0x80808080, 0x0b0a0908, 0x80808080,
  0x80808080, 0x80808080, 0x03020100, 0x0b0a0908, 0x80808080, 0x80808080, 0x07060504, 0x0b0a0908, 0x80808080,
  0x80808080, 0x03020100, 0x07060504, 0x0b0a0908, 0x80808080, 0x0f0e0d0c, 0x80808080, 0x80808080, 0x80808080,
  0x03020100, 0x0f0e0d0c, 0x80808080, 0x80808080, 0x07060504, 0x0f0e0d0c, 0x80808080, 0x80808080, 0x03020100,
  0x07060504, 0x0f0e0d0c, 0x80808080, 0x0b0a0908, 0x0f0e0d0c, 0x80808080, 0x80808080, 0x03020100, 0x0b0a0908,
  0x0f0e0d0c, 0x80808080, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x80808080, 0x03020100, 0x07060504, 0x0b0a0908,
  0x0f0e0d0c,
]);
// Byte offsets from the indices of the first of four triangles to those of each.
const SOURCES16: usize = memory.data<i32>([0, 6, 12, 18], 16);
const SOURCES32: usize = memory.data<i32>([0, 12, 24, 36], 16);

// Removes triangles with empty boxes (`none`) from `kept` and counts them: those in `missed` are between the samples,
// the others outside.
function cullBoxes(setup: Setup, kept: i32, none: v128, missed: v128): i32 {
  const empty = i32x4.bitmask(none) & kept;
  const between = i32x4.bitmask(missed) & empty;
  setup.culledBetween += popcnt(between);
  setup.culledOutside += popcnt(empty & ~between);
  return kept & ~empty;
}

/**
 * Computes the covered samples of the triangles in `small`, which have up to 4×4 pixels. Returns the remaining
 * triangles of `kept`. `live` is the number of triangles in the list before them.
 */
function coverLanes(setup: Setup, list: SetupLive, small: i32, kept: i32, live: u32): i32 {
  const layers = layersOf(setup.samples);
  for (let rest = small; rest; rest &= rest - 1) {
    const lane = ctz(rest);
    const at = changetype<SetupLanes>(changetype<usize>(setup.lanes) + (lane << 2));
    const triangle = list.from(lane);
    const one = setup.small;
    one.left = load<i32>(at.left);
    one.top = load<i32>(at.top);
    one.bX = load<i32>(triangle.bX);
    one.bY = load<i32>(triangle.bY);
    one.cX = load<i32>(triangle.cX);
    one.cY = load<i32>(triangle.cY);
    one.width = load<i32>(at.width);
    one.height = load<i32>(at.height);
    const cover = coverSmall<v128>(setup, one);
    store<u32>(at.cover, <u32>cover);
    store<u32>(at.coverHigh, <u32>(cover >> 32));
    if (!cover) {
      kept &= ~(rest & -rest);
      setup.culledBetween++;
    } else if (layers > 1) {
      const number = live + popcnt(kept & ((rest & -rest) - 1));
      memory.copy(setup.live.layersOf(number), setup.covers, 32);
    }
  }
  return kept;
}
