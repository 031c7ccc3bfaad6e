// Pixels of a PLANE that hold a list of values (layout/surface/plane.ts), for texels of four bytes. Tiles are loaded to
// lists where a pixel holds more than two values; blends that cover all samples and stores keep them. Only builds with
// SIMD make lists.

import { LAYER_WORDS, Plane } from '../layout';
import { nextLanes, otherHalves } from '../simd/lanes';
import { lanesOf } from '../simd/texels';

/** The most values of a list beyond the first. The places of the pixel's samples hold them and their masks. */
export function maxListed(layers: i32): i32 {
  return layers == 1 ? 2 : layers == 2 ? 5 : 7;
}

/** Address of the values beyond the first: u32, four per layer. */
// @ts-ignore: decorator
@inline
function valueAt(first: usize, index: i32): usize {
  return first + (index >> 2) * LAYER_WORDS + ((index & 3) << 2);
}

/** Address of the masks of these values: u16. */
// @ts-ignore: decorator
@inline
function masksOf(plane: Plane, first: usize): usize {
  const layers = plane.layers;
  return first + (layers - 1) * LAYER_WORDS + (layers == 1 ? 8 : layers == 2 ? 4 : 0);
}

/** Address of the number of these values: u16. */
// @ts-ignore: decorator
@inline
function countAt(plane: Plane, first: usize): usize {
  return first + (plane.layers - 1) * LAYER_WORDS + 14;
}

/** The number of a list's values beyond the first. `first`: address of the pixel's first sample. */
export function listCount(plane: Plane, first: usize): i32 {
  return <i32>load<u16>(countAt(plane, first));
}

/** Makes a list of `count` masks (u16) and values (u32). The first value is already in the pixel plane. */
export function putList(plane: Plane, pixel: i32, masks: usize, values: usize, count: i32): void {
  const first = plane.sample(pixel);
  const to = masksOf(plane, first);
  let i = 0;
  for (; i + 1 < count; i += 2) {
    store<u64>(valueAt(first, i), load<u64>(values + (i << 2)));
    store<u32>(to + (i << 1), load<u32>(masks + (i << 1)));
  }
  if (i < count) {
    store<u32>(valueAt(first, i), load<u32>(values + (i << 2)));
    store<u16>(to + (i << 1), load<u16>(masks + (i << 1)));
  }
  store<u16>(countAt(plane, first), <u16>count);
}

/** Copies the masks and values beyond the first to a SUBSETS record. Returns their number. */
export function takeList(plane: Plane, pixel: i32, masks: usize, values: usize): i32 {
  const first = plane.sample(pixel);
  const from = masksOf(plane, first);
  const count = listCount(plane, first);
  let i = 0;
  for (; i + 1 < count; i += 2) {
    store<u64>(values + (i << 2), load<u64>(valueAt(first, i)));
    store<u32>(masks + (i << 1), load<u32>(from + (i << 1)));
  }
  if (i < count) {
    store<u32>(values + (i << 2), load<u32>(valueAt(first, i)));
    store<u16>(masks + (i << 1), load<u16>(from + (i << 1)));
  }
  return count;
}

/** Index of the value that a sample holds beyond the first; -1: the first. */
function indexOf(plane: Plane, first: usize, sample: i32): i32 {
  const masks = masksOf(plane, first);
  for (let i = listCount(plane, first) - 1; i >= 0; i--)
    if (((<i32>load<u16>(masks + (i << 1))) >> sample) & 1) return i;
  return -1;
}

/** Address of the texel of a sample of a listed pixel. */
export function listTexel(plane: Plane, pixel: i32, sample: i32): usize {
  const first = plane.sample(pixel);
  const index = indexOf(plane, first, sample);
  return index < 0 ? plane.texel(pixel) : valueAt(first, index);
}

/** The samples of a listed pixel that hold the same value as `sample`. Bits beyond the last sample may be set. */
export function listMask(plane: Plane, pixel: i32, sample: i32): i32 {
  const first = plane.sample(pixel);
  const masks = masksOf(plane, first);
  const index = indexOf(plane, first, sample);
  if (index >= 0) return <i32>load<u16>(masks + (index << 1));
  let others = 0;
  for (let i = listCount(plane, first) - 1; i >= 0; i--) others |= <i32>load<u16>(masks + (i << 1));
  return ~others;
}

/** Expands the list of a pixel to its samples. Its bits stay unchanged. */
export function expandList(plane: Plane, pixel: i32): void {
  if (ASC_FEATURE_SIMD) {
    const first = plane.sample(pixel);
    const held = v128.load32_splat(plane.texel(pixel));
    const masks = masksOf(plane, first);
    const count = listCount(plane, first);
    const masks0 = load<u64>(masks);
    const masks4 = load<u64>(masks, 8);
    // Layers are written from the last to the first, which holds the first four values.
    const value4 = count > 4 ? load<u32>(valueAt(first, 4)) : 0;
    const value5 = count > 5 ? load<u32>(valueAt(first, 5)) : 0;
    const value6 = count > 6 ? load<u32>(valueAt(first, 6)) : 0;
    for (let layer = plane.layers - 1; layer >= 0; layer--) {
      let texels = held;
      for (let i = 0; i < count; i++) {
        const mask = <i32>((i < 4 ? masks0 >> (<u64>(i << 4)) : masks4 >> (<u64>((i - 4) << 4))) & 0xffff);
        const value = i < 4 ? load<u32>(valueAt(first, i)) : i == 4 ? value4 : i == 5 ? value5 : value6;
        texels = v128.bitselect(i32x4.splat(value), texels, lanesOf((mask >> (layer << 2)) & 15));
      }
      v128.store(first + layer * LAYER_WORDS, texels);
    }
  }
}

/** Moves the listed pixels of a block to the sample plane. */
export function spreadLists(plane: Plane, block: i32): void {
  for (let rest = plane.listedOf(block); rest; rest &= rest - 1) expandList(plane, (block << 6) + <i32>ctz(rest));
  if (plane.secondTexels) store<u64>(plane.listed + (block << 3), 0);
}

/**
 * Joins values of a block's lists that have become equal; pixels with two values or one leave their list. Returns the
 * number of values beyond the first in the lists that remain.
 */
export function joinLists(plane: Plane, block: i32): i32 {
  let total = 0;
  for (let rest = plane.listedOf(block); rest; rest &= rest - 1) {
    const pixel = (block << 6) + <i32>ctz(rest);
    const first = plane.sample(pixel);
    let count = listCount(plane, first);
    if (hasEqual(plane, pixel, first, count)) count = joinList(plane, pixel, first, count);
    total += count;
  }
  return total;
}

/** Whether two values of a list are equal. */
// @ts-ignore: decorator
@inline
function hasEqual(plane: Plane, pixel: i32, first: usize, count: i32): bool {
  if (ASC_FEATURE_SIMD) {
    if (count <= 4) {
      const values = v128.load(first);
      const used = (1 << count) - 1;
      const one = i32x4.bitmask(i32x4.eq(values, v128.load32_splat(plane.texel(pixel)))) & used;
      const next = i32x4.bitmask(i32x4.eq(values, nextLanes(values)));
      const afterNext = i32x4.bitmask(i32x4.eq(values, otherHalves(values)));
      return (one | (next & ((used >> 1) | (used & 8))) | (afterNext & (used >> 2))) != 0;
    }
  }
  return hasEqualAmong(plane, pixel, first, count);
}

function hasEqualAmong(plane: Plane, pixel: i32, first: usize, count: i32): bool {
  let known = load<u32>(plane.texel(pixel));
  for (let i = 0; i < count; i++) {
    for (let j = i; j < count; j++) if (load<u32>(valueAt(first, j)) == known) return true;
    known = load<u32>(valueAt(first, i));
  }
  return false;
}

/** Joins equal values of a list, in the order of the lowest samples. Returns the number that remains in the list. */
function joinList(plane: Plane, pixel: i32, first: usize, count: i32): i32 {
  const masks = masksOf(plane, first);
  const one = load<u32>(plane.texel(pixel));
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const value = load<u32>(valueAt(first, i));
    if (value == one) continue;
    const mask = load<u16>(masks + (i << 1));
    let at = 0;
    while (at < kept && load<u32>(valueAt(first, at)) != value) at++;
    if (at < kept) {
      store<u16>(masks + (at << 1), load<u16>(masks + (at << 1)) | mask);
    } else {
      store<u32>(valueAt(first, kept), value);
      store<u16>(masks + (kept << 1), mask);
      kept++;
    }
  }
  if (kept > 1) {
    store<u16>(countAt(plane, first), <u16>kept);
    return kept;
  }
  const bit = (<u64>1) << u64(pixel & 63);
  const listed = plane.listed + ((pixel >> 6) << 3);
  store<u64>(listed, load<u64>(listed) & ~bit);
  if (kept) {
    const paired = plane.paired + ((pixel >> 6) << 3);
    store<u64>(paired, load<u64>(paired) | bit);
    store<u32>(plane.second(pixel), load<u32>(first));
    store<u16>(plane.maskAt(pixel), load<u16>(masks));
  } else {
    const bits = plane.bits(pixel >> 6);
    store<u64>(bits, load<u64>(bits) & ~bit);
  }
  return 0;
}
