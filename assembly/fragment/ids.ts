// Finds the samples of a quad that hold a triangle's id. Scalar twin: ids.scalar.ts.

import { LAYER_WORDS, Tile } from '../layout';
import { lanesOf, signBits16 } from '../simd/texels';
import { hasLayer, samplesOf } from '../tile/layers';
import { matchFourScalar, matchIdsScalar, takeScalar } from './ids.scalar';

/** The samples of a quad that hold an id, as a mask in the format of tile/layers.ts. */
export function samplesWith<S>(tile: Tile, ids: usize, id: u32): u64 {
  if (samplesOf<S>() == 1) return <u64>matchFour(ids, id);
  let mask: u64 = 0;
  let layer = 0;
  do mask |= (<u64>(matchIds(ids + layer * LAYER_WORDS, id) & 0xffff)) << u64(layer << 4);
  while (hasLayer<S>(tile, ++layer));
  return mask;
}

/** Returns the same mask as samplesWith and clears the samples' ids. */
export function takeQuad<S>(tile: Tile, ids: usize, id: u32): u64 {
  if (samplesOf<S>() == 1) return <u64>takeFour(ids, id);
  let mask: u64 = 0;
  let layer = 0;
  do mask |= (<u64>takeIds(ids + layer * LAYER_WORDS, id)) << u64(layer << 4);
  while (hasLayer<S>(tile, ++layer));
  return mask;
}

/**
 * The pixels of a block that hold `id`, at one sample per pixel: bit quad·4 + pixel. The block's rows of quads before
 * `row` hold none.
 */
export function pixelsWith(ids: usize, id: u32, row: usize): u64 {
  const all = i32x4.splat(id);
  let pixels: u64 = 0;
  for (ids += row << 6; row < 4; row++, ids += 64) {
    const bits = signBits16(
      i32x4.eq(v128.load(ids), all),
      i32x4.eq(v128.load(ids, 16), all),
      i32x4.eq(v128.load(ids, 32), all),
      i32x4.eq(v128.load(ids, 48), all)
    );
    pixels |= (<u64>(bits & 0xffff)) << (row << 4);
  }
  return pixels;
}

/** Sets the ids of some pixels of a block to 0, at one sample per pixel. */
export function clearPixels(ids: usize, pixels: u64): void {
  for (const end = ids + 256; ids < end; ids += 16, pixels >>= 4)
    v128.store(ids, v128.andnot(v128.load(ids), lanesOf((<i32>pixels) & 15)));
}

/** All pixels of some quads of a block: bit quad·4 + pixel. */
export function pixelsOfQuads(quads: i32): u64 {
  let bits = <u64>quads;
  bits = (bits | (bits << 24)) & 0x000000ff000000ff;
  bits = (bits | (bits << 12)) & 0x000f000f000f000f;
  bits = (bits | (bits << 6)) & 0x0303030303030303;
  bits = (bits | (bits << 3)) & 0x1111111111111111;
  return bits * 15;
}

/** Bit pixel·4 + sample for each sample of the quad at `ids` that holds `id`. */
export function matchIds(ids: usize, id: u32): i32 {
  if (ASC_FEATURE_SIMD) return matchIdsSimd(ids, id);
  else return matchIdsScalar(ids, id);
}

/** Bit pixel for each of the quad's four pixels at `ids` that holds `id`, for one sample per pixel. */
function matchFour(ids: usize, id: u32): i32 {
  if (ASC_FEATURE_SIMD) return i32x4.bitmask(i32x4.eq(v128.load(ids), i32x4.splat(id)));
  else return matchFourScalar(ids, id);
}

/** Returns the same mask as matchIds and clears the samples' ids. */
function takeIds(ids: usize, id: u32): i32 {
  if (ASC_FEATURE_SIMD) {
    const all = i32x4.splat(id);
    return (
      signBits16(takeLanes(ids, all), takeLanes(ids + 16, all), takeLanes(ids + 32, all), takeLanes(ids + 48, all))
      & 0xffff
    );
  } else {
    return takeScalar(ids, id, 16);
  }
}

/** Returns the same mask as matchFour and clears the pixels' ids. */
function takeFour(ids: usize, id: u32): i32 {
  if (ASC_FEATURE_SIMD) return i32x4.bitmask(takeLanes(ids, i32x4.splat(id)));
  else return takeScalar(ids, id, 4);
}

/** Returns the lanes at `ids` that equal those of `id`, and sets them to 0. */
function takeLanes(ids: usize, id: v128): v128 {
  const four = v128.load(ids);
  const equal = i32x4.eq(four, id);
  v128.store(ids, v128.andnot(four, equal));
  return equal;
}

function matchIdsSimd(ids: usize, id: u32): i32 {
  const all = i32x4.splat(id);
  return signBits16(
    i32x4.eq(v128.load(ids), all),
    i32x4.eq(v128.load(ids, 16), all),
    i32x4.eq(v128.load(ids, 32), all),
    i32x4.eq(v128.load(ids, 48), all)
  );
}
