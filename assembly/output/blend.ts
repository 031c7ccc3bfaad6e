// Fixed-function blending of one texel in float (WebGPU §10.3.8): result = operation(source · factor, destination · factor).
// The four-lane body is in rgba8.ts; both compute the same bits.

import {
  BLEND_MAX, BLEND_MIN, BLEND_REVERSE_SUBTRACT, BLEND_SUBTRACT, FACTOR_CONSTANT, FACTOR_DST, FACTOR_DST_ALPHA, FACTOR_ONE,
  FACTOR_ONE_MINUS_CONSTANT, FACTOR_ONE_MINUS_DST, FACTOR_ONE_MINUS_DST_ALPHA, FACTOR_ONE_MINUS_SRC, FACTOR_ONE_MINUS_SRC_ALPHA,
  FACTOR_SRC, FACTOR_SRC_ALPHA, FACTOR_SRC_ALPHA_SATURATED, FACTOR_ZERO, TARGET_ALPHA_DST, TARGET_ALPHA_OP, TARGET_ALPHA_SRC,
  TARGET_COLOR_DST, TARGET_COLOR_OP, TARGET_COLOR_SRC,
} from '../layout/draw';

/** Blends the four floats at `source` over those at `destination`, in place of the destination. */
export function blendTexel(target: usize, source: usize, destination: usize, constant: usize): void {
  const sourceAlpha = load<f32>(source, 12);
  const destinationAlpha = load<f32>(destination, 12);
  const operation = load<i32>(target + TARGET_COLOR_OP);
  const sourceFactor = load<i32>(target + TARGET_COLOR_SRC);
  const destinationFactor = load<i32>(target + TARGET_COLOR_DST);
  for (let offset: usize = 0; offset < 12; offset += 4) {
    const s = load<f32>(source + offset);
    const d = load<f32>(destination + offset);
    const k = load<f32>(constant + offset);
    const result = combine(operation, s, d,
      factorOf(sourceFactor, s, d, sourceAlpha, destinationAlpha, k), factorOf(destinationFactor, s, d, sourceAlpha, destinationAlpha, k));
    store<f32>(destination + offset, result);
  }
  const k = load<f32>(constant, 12);
  store<f32>(destination, combine(load<i32>(target + TARGET_ALPHA_OP), sourceAlpha, destinationAlpha,
    alphaFactor(load<i32>(target + TARGET_ALPHA_SRC), sourceAlpha, destinationAlpha, k),
    alphaFactor(load<i32>(target + TARGET_ALPHA_DST), sourceAlpha, destinationAlpha, k)), 12);
}

function combine(operation: i32, s: f32, d: f32, sourceFactor: f32, destinationFactor: f32): f32 {
  switch (operation) {
    case BLEND_SUBTRACT: return term(s, sourceFactor) - term(d, destinationFactor);
    case BLEND_REVERSE_SUBTRACT: return term(d, destinationFactor) - term(s, sourceFactor);
    case BLEND_MIN: return d < s ? d : s;
    case BLEND_MAX: return s < d ? d : s;
    default: return term(s, sourceFactor) + term(d, destinationFactor);
  }
}

/** A factor of zero takes infinities away too, as renderers without the term would. */
function term(value: f32, factor: f32): f32 {
  return factor == 0 ? 0 : value * factor;
}

/** A factor of the alpha channel: what names a colour means its alpha. */
function alphaFactor(factor: i32, s: f32, d: f32, constant: f32): f32 {
  return factor == FACTOR_SRC_ALPHA_SATURATED ? 1 : factorOf(factor, s, d, s, d, constant);
}

function factorOf(factor: i32, s: f32, d: f32, sourceAlpha: f32, destinationAlpha: f32, constant: f32): f32 {
  switch (factor) {
    case FACTOR_ZERO: return 0;
    case FACTOR_ONE: return 1;
    case FACTOR_SRC: return s;
    case FACTOR_ONE_MINUS_SRC: return 1 - s;
    case FACTOR_SRC_ALPHA: return sourceAlpha;
    case FACTOR_ONE_MINUS_SRC_ALPHA: return 1 - sourceAlpha;
    case FACTOR_DST: return d;
    case FACTOR_ONE_MINUS_DST: return 1 - d;
    case FACTOR_DST_ALPHA: return destinationAlpha;
    case FACTOR_ONE_MINUS_DST_ALPHA: return 1 - destinationAlpha;
    case FACTOR_SRC_ALPHA_SATURATED: return 1 - destinationAlpha < sourceAlpha ? 1 - destinationAlpha : sourceAlpha;
    case FACTOR_CONSTANT: return constant;
    case FACTOR_ONE_MINUS_CONSTANT: return 1 - constant;
    default: return 1;
  }
}
