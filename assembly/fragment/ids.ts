// Which of a quad's samples hold a triangle's id. Scalar twin: ids.scalar.ts.

import { LAYER_WORDS, Tile } from '../layout';
import { signBits16 } from '../simd/texels';
import { hasLayer, samplesOf } from '../tile/layers';
import { matchFourScalar, matchIdsScalar, takeScalar } from './ids.scalar';

/** The samples of a quad that hold an id, as masks have them (tile/layers.ts). */
export function samplesWith<S>(tile: Tile, ids: usize, id: u32): u64 {
  if (samplesOf<S>() == 1) return <u64>matchFour(ids, id);
  let mask: u64 = 0;
  let layer = 0;
  do mask |= <u64>(matchIds(ids + layer * LAYER_WORDS, id) & 0xffff)
    << <u64>(layer << 4); while (hasLayer<S>(tile, ++layer));
  return mask;
}

/** The same; they hold 0 afterwards. */
export function takeQuad<S>(tile: Tile, ids: usize, id: u32): u64 {
  if (samplesOf<S>() == 1) return <u64>takeFour(ids, id);
  let mask: u64 = 0;
  let layer = 0;
  do mask |= <u64>takeIds(ids + layer * LAYER_WORDS, id) << <u64>(layer << 4); while (hasLayer<S>(tile, ++layer));
  return mask;
}

/** Bit pixel·4 + sample for every sample of the quad at `ids` that holds `id`. */
export function matchIds(ids: usize, id: u32): i32 {
  if (ASC_FEATURE_SIMD) return matchIdsSimd(ids, id);
  else return matchIdsScalar(ids, id);
}

/** Bit pixel for every one of the quad's four pixels at `ids` that holds `id`: at one sample. */
export function matchFour(ids: usize, id: u32): i32 {
  if (ASC_FEATURE_SIMD) return i32x4.bitmask(i32x4.eq(v128.load(ids), i32x4.splat(id)));
  else return matchFourScalar(ids, id);
}

/** As matchIds; the samples hold 0 afterwards. */
export function takeIds(ids: usize, id: u32): i32 {
  if (ASC_FEATURE_SIMD) {
    const all = i32x4.splat(id);
    return signBits16(takeLanes(ids, all), takeLanes(ids + 16, all), takeLanes(ids + 32, all), takeLanes(ids + 48, all))
      & 0xffff;
  } else {
    return takeScalar(ids, id, 16);
  }
}

/** As matchFour; the pixels hold 0 afterwards. */
export function takeFour(ids: usize, id: u32): i32 {
  if (ASC_FEATURE_SIMD) return i32x4.bitmask(takeLanes(ids, i32x4.splat(id)));
  else return takeScalar(ids, id, 4);
}

/** The lanes at `ids` that are equal to those of `id`; they are 0 afterwards. */
function takeLanes(ids: usize, id: v128): v128 {
  const four = v128.load(ids);
  const equal = i32x4.eq(four, id);
  v128.store(ids, v128.andnot(four, equal));
  return equal;
}

function matchIdsSimd(ids: usize, id: u32): i32 {
  const all = i32x4.splat(id);
  return signBits16(
    i32x4.eq(v128.load(ids), all), i32x4.eq(v128.load(ids, 16), all), i32x4.eq(v128.load(ids, 32), all),
    i32x4.eq(v128.load(ids, 48), all)
  );
}
