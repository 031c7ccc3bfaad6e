// Fixed-function blending of one texel (WebGPU §23.2.12): result = operation(source · factor, destination · factor).
// What output/ computes with prepared factors is computed here directly from the blend state.
//
// Most blend states are linear in the destination, with a weight that depends only on the source: result = S +
// W·destination. Formats of four linear bytes blend these in fixed point with 14 fraction bits for S and W, rounded
// once, within 0.52/255 of the exact result. All other states and formats blend in float.

import {
  BLEND_ADD,
  BLEND_MAX,
  BLEND_MIN,
  BLEND_REVERSE_SUBTRACT,
  BLEND_SUBTRACT,
  FACTOR_CONSTANT,
  FACTOR_DST,
  FACTOR_DST_ALPHA,
  FACTOR_ONE,
  FACTOR_ONE_MINUS_CONSTANT,
  FACTOR_ONE_MINUS_DST,
  FACTOR_ONE_MINUS_DST_ALPHA,
  FACTOR_ONE_MINUS_SRC,
  FACTOR_ONE_MINUS_SRC_ALPHA,
  FACTOR_SRC,
  FACTOR_SRC_ALPHA,
  FACTOR_SRC_ALPHA_SATURATED,
  FACTOR_ZERO,
  FORMAT_BGRA8UNORM,
  FORMAT_RGBA8UNORM,
  Target,
} from '../layout';

/** The state has no linear form. */
const LINEAR_NONE = -1;
/** Scale of weights: 14 fraction bits. */
const FIXED_WEIGHT: f32 = 16384;
/** Scale of summands, in units of 1/256: 255/256 · 2^14. */
const FIXED_SUMMAND: f32 = 16320;
/** 1.5·2^23: adding it to a small float leaves the nearest integer in the low bits, ties to even. */
const FIXED_INTEGER: f32 = 12582912;
/** Half a byte step, as a summand. */
const FIXED_ROUND = 32;

/** Blends the four floats at `source` with those at `destination`; the result replaces the destination. */
export function blendTexel(target: Target, source: usize, destination: usize, constant: usize): void {
  if (blendsBytes(target)) blendTexelBytes(target, source, destination, constant);
  else blendTexelFloats(target, source, destination, constant);
}

/** Whether a target is blended in fixed point. */
function blendsBytes(target: Target): bool {
  const format = target.format;
  if (format != FORMAT_RGBA8UNORM && format != FORMAT_BGRA8UNORM) return false;
  return linearColor(target) != LINEAR_NONE && linearAlpha(target) != LINEAR_NONE;
}

/** linearForm of the target's colour. */
function linearColor(target: Target): i32 {
  return linearForm(target.colorOp, target.colorSrc, target.colorDst);
}

/** linearForm of the target's alpha: colour factors become alpha factors, and the saturated factor is one. */
function linearAlpha(target: Target): i32 {
  return linearForm(target.alphaOp, ownFactor(target.alphaSrc), ownFactor(target.alphaDst));
}

function ownFactor(factor: i32): i32 {
  switch (factor) {
    case FACTOR_SRC:
      return FACTOR_SRC_ALPHA;
    case FACTOR_ONE_MINUS_SRC:
      return FACTOR_ONE_MINUS_SRC_ALPHA;
    case FACTOR_DST_ALPHA:
      return FACTOR_DST;
    case FACTOR_ONE_MINUS_DST_ALPHA:
      return FACTOR_ONE_MINUS_DST;
    case FACTOR_SRC_ALPHA_SATURATED:
      return FACTOR_ONE;
    default:
      return factor;
  }
}

/**
 * The factors of the summand (bits 0…3) and of the weight (bits 4…7), both independent of the destination. LINEAR_NONE
 * if the state has no such form.
 */
function linearForm(operation: i32, source: i32, destination: i32): i32 {
  if (operation == BLEND_MIN || operation == BLEND_MAX) return LINEAR_NONE;
  if (operation == BLEND_ADD) {
    // source · destination + 0, and source · (1 − destination) + destination.
    if (source == FACTOR_DST && destination == FACTOR_ZERO) return FACTOR_ZERO | (FACTOR_SRC << 4);
    if (source == FACTOR_ONE_MINUS_DST && destination == FACTOR_ONE) return FACTOR_ONE | (FACTOR_ONE_MINUS_SRC << 4);
  }
  return namesDestination(source) || namesDestination(destination) ? LINEAR_NONE : source | (destination << 4);
}

function namesDestination(factor: i32): bool {
  return factor >= FACTOR_DST && factor <= FACTOR_SRC_ALPHA_SATURATED;
}

/** Blends in fixed point. The destination's floats are bytes / 255, and so are the results. */
function blendTexelBytes(target: Target, source: usize, destination: usize, constant: usize): void {
  const alpha = load<f32>(source, 12);
  const colorOp = target.colorOp;
  const alphaOp = target.alphaOp;
  const color = linearColor(target);
  const last = linearAlpha(target);
  for (let offset: usize = 0; offset < 16; offset += 4) {
    const form = offset < 12 ? color : last;
    const operation = offset < 12 ? colorOp : alphaOp;
    const s = load<f32>(source + offset);
    const k = load<f32>(constant + offset);
    const byte = <i32>floor<f32>(load<f32>(destination + offset) * 255 + 0.5);
    const summand =
      fixed(
        s * factorOf(form & 15, s, 0, alpha, 0, k),
        operation == BLEND_REVERSE_SUBTRACT ? -FIXED_SUMMAND : FIXED_SUMMAND
      ) + FIXED_ROUND;
    const weight = fixed(
      factorOf(form >> 4, s, 0, alpha, 0, k),
      operation == BLEND_SUBTRACT ? -FIXED_WEIGHT : FIXED_WEIGHT
    );
    const result = (byte * weight + 256 * summand) >> 14;
    const clamped = result < 0 ? 0 : result > 255 ? 255 : result;
    store<f32>(destination + offset, <f32>clamped / 255);
  }
}

/** x·scale as the nearest integer, ties to even. */
function fixed(x: f32, scale: f32): i32 {
  return reinterpret<i32>(x * scale + FIXED_INTEGER) - reinterpret<i32>(FIXED_INTEGER);
}

function blendTexelFloats(target: Target, source: usize, destination: usize, constant: usize): void {
  const sourceAlpha = load<f32>(source, 12);
  const destinationAlpha = load<f32>(destination, 12);
  const operation = target.colorOp;
  const sourceFactor = target.colorSrc;
  const destinationFactor = target.colorDst;
  for (let offset: usize = 0; offset < 12; offset += 4) {
    const s = load<f32>(source + offset);
    const d = load<f32>(destination + offset);
    const k = load<f32>(constant + offset);
    const result = combine(
      operation,
      s,
      d,
      factorOf(sourceFactor, s, d, sourceAlpha, destinationAlpha, k),
      factorOf(destinationFactor, s, d, sourceAlpha, destinationAlpha, k)
    );
    store<f32>(destination + offset, result);
  }
  const k = load<f32>(constant, 12);
  store<f32>(
    destination,
    combine(
      target.alphaOp,
      sourceAlpha,
      destinationAlpha,
      alphaFactor(target.alphaSrc, sourceAlpha, destinationAlpha, k),
      alphaFactor(target.alphaDst, sourceAlpha, destinationAlpha, k)
    ),
    12
  );
}

function combine(operation: i32, s: f32, d: f32, sourceFactor: f32, destinationFactor: f32): f32 {
  switch (operation) {
    case BLEND_SUBTRACT:
      return term(s, sourceFactor) - term(d, destinationFactor);
    case BLEND_REVERSE_SUBTRACT:
      return term(d, destinationFactor) - term(s, sourceFactor);
    case BLEND_MIN:
      return d < s ? d : s;
    case BLEND_MAX:
      return s < d ? d : s;
    default:
      return term(s, sourceFactor) + term(d, destinationFactor);
  }
}

/** A factor of zero removes infinities too, as in renderers that omit the term. */
function term(value: f32, factor: f32): f32 {
  return factor == 0 ? 0 : value * factor;
}

/** A factor of the alpha channel: colour factors become alpha factors. */
function alphaFactor(factor: i32, s: f32, d: f32, constant: f32): f32 {
  return factor == FACTOR_SRC_ALPHA_SATURATED ? 1 : factorOf(factor, s, d, s, d, constant);
}

function factorOf(factor: i32, s: f32, d: f32, sourceAlpha: f32, destinationAlpha: f32, constant: f32): f32 {
  switch (factor) {
    case FACTOR_ZERO:
      return 0;
    case FACTOR_ONE:
      return 1;
    case FACTOR_SRC:
      return s;
    case FACTOR_ONE_MINUS_SRC:
      return 1 - s;
    case FACTOR_SRC_ALPHA:
      return sourceAlpha;
    case FACTOR_ONE_MINUS_SRC_ALPHA:
      return 1 - sourceAlpha;
    case FACTOR_DST:
      return d;
    case FACTOR_ONE_MINUS_DST:
      return 1 - d;
    case FACTOR_DST_ALPHA:
      return destinationAlpha;
    case FACTOR_ONE_MINUS_DST_ALPHA:
      return 1 - destinationAlpha;
    case FACTOR_SRC_ALPHA_SATURATED:
      return 1 - destinationAlpha < sourceAlpha ? 1 - destinationAlpha : sourceAlpha;
    case FACTOR_CONSTANT:
      return constant;
    case FACTOR_ONE_MINUS_CONSTANT:
      return 1 - constant;
    default:
      return 1;
  }
}
