// Depth comparison of samples, four pixels at a time (WebGPU, GPUCompareFunction): 1 where the reference passes against
// the texel, else 0. Twin: in pixel.scalar.ts.
import {
  Access,
  COMPARE_ALWAYS,
  COMPARE_EQUAL,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  COMPARE_NOT_EQUAL,
  FORMAT_DEPTH16UNORM,
  QuadRead,
} from '../../layout';
import { splatFrom } from '../../simd/lanes';
import { NUMBERS, ONE } from './constants';

/** The lanes that pass; false where either value is NaN, except for "not equal" and "always". */
export function passes(compare: i32, reference: v128, texels: v128): v128 {
  switch (compare) {
    case COMPARE_LESS:
      return f32x4.lt(reference, texels);
    case COMPARE_EQUAL:
      return f32x4.eq(reference, texels);
    case COMPARE_LESS_EQUAL:
      return f32x4.le(reference, texels);
    case COMPARE_GREATER:
      return f32x4.gt(reference, texels);
    case COMPARE_NOT_EQUAL:
      return f32x4.ne(reference, texels);
    case COMPARE_GREATER_EQUAL:
      return f32x4.ge(reference, texels);
    case COMPARE_ALWAYS:
      return i32x4.splat(-1);
    default:
      return i32x4.splat(0);
  }
}

/** The references of a quad; for normalized depth formats they are clamped to 0…1. */
export function referencesOf(access: Access, quad: usize): v128 {
  const references = v128.load(access.compare + quad);
  if (access.texture.format != FORMAT_DEPTH16UNORM) return references;
  return f32x4.pmin(splatFrom(NUMBERS, ONE), f32x4.pmax(f32x4.splat(0), references));
}

/** Replaces the first channel of the texels of `taps` taps by the result of the comparison. */
export function compareTexels(access: Access, read: QuadRead, quad: usize, taps: i32): void {
  const references = referencesOf(access, quad);
  const compare = access.sampler.compare;
  let at = read.texels;
  for (const end = at + (taps << 6); at < end; at += 64) {
    v128.store(at, v128.and(passes(compare, references, v128.load(at)), splatFrom(NUMBERS, ONE)));
  }
}
