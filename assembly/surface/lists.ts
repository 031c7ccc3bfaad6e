// Pixels of a PLANE that hold a list of values (layout/surface/plane.ts), for texels of four bytes. Blocks that are
// stored as SUBSETS are loaded to lists by copying the record. Blends that cover all samples and resolves work on the
// lists; a block whose pixels all keep their lists is stored by copying the record back. Only builds with SIMD make
// lists.

import { BLOCK_PIXELS, bitsOf, COUNTS_BYTES, Plane, someOf, spreadBits, Subsets, sumOf, up16 } from '../layout';
import { lanesOf, unpackLanes } from '../simd/texels';

/** Makes lists of the divided pixels of a SUBSETS record. Their first values are already in the pixel plane. */
export function loadLists(record: Subsets, plane: Plane, block: i32): void {
  const packed = plane.packed(block);
  const count = record.count;
  const divided = record.divided;
  packed.divided = divided;
  packed.count = count;
  const bytes = up16(count << 1) + up16(count << 2);
  if (record.hasCounts) {
    memory.copy(packed.counts, record.counts(4), COUNTS_BYTES + bytes);
  } else {
    for (let quad = 0, rest = divided; quad < BLOCK_PIXELS >> 2; quad++, rest >>= 4)
      store<u16>(packed.counts + ((<usize>quad) << 1), <u16>spreadBits((<i32>rest) & 15));
    memory.copy(packed.masks, record.masks(4), bytes);
  }
  let start = 0;
  for (let offset: usize = 0; offset < <usize>COUNTS_BYTES; offset += 2) {
    store<u16>(packed.starts + offset, <u16>start);
    start += sumOf(load<u16>(packed.counts + offset));
  }
  store<u64>(plane.listed + ((<usize>block) << 3), divided);
}

/** Writes the further values and their masks to a SUBSETS record whose other parts are complete. */
export function storeLists(record: Subsets, plane: Plane, block: i32): void {
  const packed = plane.packed(block);
  const count = packed.count;
  const bytes = up16(count << 1) + up16(count << 2);
  if (record.hasCounts) memory.copy(record.counts(4), packed.counts, COUNTS_BYTES + bytes);
  else memory.copy(record.masks(4), packed.masks, bytes);
}

/**
 * Whether a block with lists is stored as it is: its lists are those that were loaded, no other pixels hold several
 * values, and no list holds a value twice.
 */
export function keepsLists(plane: Plane, block: i32): bool {
  const listed = plane.listedOf(block);
  if (listed != plane.packed(block).divided || listed != load<u64>(plane.bits(block))) return false;
  if (ASC_FEATURE_SIMD) return !hasEqual(plane, block, 0, BLOCK_PIXELS >> 2);
  return false;
}

/**
 * Whether a list in the quads from `quad` to `end` of a block, none of whose pixels is in the sample plane, holds a
 * value twice.
 */
export function hasEqual(plane: Plane, block: i32, quad: i32, end: i32): bool {
  const packed = plane.packed(block);
  const past = packed.counts + ((<usize>end) << 1);
  let at = packed.values + (packed.startOf(quad) << 2);
  let texels = plane.texel((block << 6) + (quad << 2));
  let equal = i32x4.splat(0);
  for (let from = packed.counts + ((<usize>quad) << 1); from < past; from += 2, texels += 16) {
    let left = <i32>load<u16>(from);
    if (!left) continue;
    const first = v128.load(texels);
    let some = someOf(left);
    let bits = bitsOf(some);
    const c0 = unpackLanes(v128.load(at), bits);
    equal = v128.or(equal, v128.and(i32x4.eq(c0, first), lanesOf(bits)));
    at += popcnt(bits) << 2;
    left -= some;
    if (!left) continue;
    some = someOf(left);
    bits = bitsOf(some);
    const c1 = unpackLanes(v128.load(at), bits);
    equal = v128.or(equal, v128.and(v128.or(i32x4.eq(c1, first), i32x4.eq(c1, c0)), lanesOf(bits)));
    at += popcnt(bits) << 2;
    left -= some;
    if (!left) continue;
    some = someOf(left);
    bits = bitsOf(some);
    const c2 = unpackLanes(v128.load(at), bits);
    const like = v128.or(v128.or(i32x4.eq(c2, first), i32x4.eq(c2, c0)), i32x4.eq(c2, c1));
    equal = v128.or(equal, v128.and(like, lanesOf(bits)));
    at += popcnt(bits) << 2;
    left -= some;
    if (!left) continue;
    // Further columns are kept where the block's samples would be, which are unused.
    const columns = plane.sample(block << 6);
    let last = columns;
    do {
      some = someOf(left);
      bits = bitsOf(some);
      const column = unpackLanes(v128.load(at), bits);
      let like = v128.or(
        v128.or(i32x4.eq(column, first), i32x4.eq(column, c0)),
        v128.or(i32x4.eq(column, c1), i32x4.eq(column, c2))
      );
      for (let other = columns; other < last; other += 16) like = v128.or(like, i32x4.eq(column, v128.load(other)));
      equal = v128.or(equal, v128.and(like, lanesOf(bits)));
      v128.store(last, column);
      last += 16;
      at += popcnt(bits) << 2;
      left -= some;
    } while (left);
  }
  return v128.any_true(equal);
}

/** Index of the further value that a sample of a listed pixel holds; -1: it holds the first. */
function indexOf(plane: Plane, pixel: i32, sample: i32): i32 {
  const packed = plane.packed(pixel >> 6);
  const quad = (pixel >> 2) & 15;
  const before = (1 << (pixel & 3)) - 1;
  let start = <i32>packed.startOf(quad);
  for (let counts = packed.countsOf(quad); (counts >> ((pixel & 3) << 2)) & 15;) {
    const some = someOf(counts);
    const index = start + popcnt(bitsOf(some) & before);
    if (((<i32>load<u16>(packed.masks + ((<usize>index) << 1))) >> sample) & 1) return index;
    start += popcnt(some);
    counts -= some;
  }
  return -1;
}

/** Address of the texel of a sample of a listed pixel. */
export function listTexel(plane: Plane, pixel: i32, sample: i32): usize {
  const index = indexOf(plane, pixel, sample);
  return index < 0 ? plane.texel(pixel) : plane.packed(pixel >> 6).values + ((<usize>index) << 2);
}

/** The samples of a listed pixel that hold the same value as `sample`. Bits beyond the last sample may be set. */
export function listMask(plane: Plane, pixel: i32, sample: i32): i32 {
  const masks = plane.packed(pixel >> 6).masks;
  const index = indexOf(plane, pixel, sample);
  if (index >= 0) return <i32>load<u16>(masks + ((<usize>index) << 1));
  let first = -1;
  const samples = plane.layers << 2;
  for (let other = 0; other < samples; other++) if (indexOf(plane, pixel, other) >= 0) first &= ~(1 << other);
  return first;
}

/** Expands the list of a pixel to its samples. Its bits stay unchanged. */
export function expandList(plane: Plane, pixel: i32): void {
  if (ASC_FEATURE_SIMD) {
    const packed = plane.packed(pixel >> 6);
    const quad = (pixel >> 2) & 15;
    const before = (1 << (pixel & 3)) - 1;
    const stride = plane.layerBytes;
    const layers = plane.layers;
    const to = plane.sample(pixel);
    const first = v128.load32_splat(plane.texel(pixel));
    for (let layer = 0; layer < layers; layer++) v128.store(to + layer * stride, first);
    let start = <i32>packed.startOf(quad);
    for (let counts = packed.countsOf(quad); (counts >> ((pixel & 3) << 2)) & 15;) {
      const some = someOf(counts);
      const index = <usize>(start + popcnt(bitsOf(some) & before));
      const value = v128.load32_splat(packed.values + (index << 2));
      let at = to;
      for (let mask = <i32>load<u16>(packed.masks + (index << 1)); mask; mask >>= 4, at += stride)
        v128.store(at, v128.bitselect(value, v128.load(at), lanesOf(mask & 15)));
      start += popcnt(some);
      counts -= some;
    }
  }
}

/** Moves the listed pixels of a block to the sample plane. */
export function spreadLists(plane: Plane, block: i32): void {
  for (let rest = plane.listedOf(block); rest; rest &= rest - 1) expandList(plane, (block << 6) + <i32>ctz(rest));
  if (plane.secondTexels) store<u64>(plane.listed + (block << 3), 0);
}
