// Blend factors in a form that needs no switch where texels are blended: factor = operand · scale + bias, the operand read from the
// context's output scratch. Four FACTOR records lie at OUTPUT_FACTORS: colour source, colour destination, alpha source, alpha destination.

import {
  CTX_OUTPUT, OUTPUT_CONSTANT, OUTPUT_DESTINATION, OUTPUT_FACTORS, OUTPUT_ONES, OUTPUT_SATURATED, OUTPUT_SOURCE,
} from '../layout/context';
import {
  DRAW_BLEND_CONSTANT, FACTOR_CONSTANT, FACTOR_DST, FACTOR_DST_ALPHA, FACTOR_ONE, FACTOR_ONE_MINUS_CONSTANT, FACTOR_ONE_MINUS_DST,
  FACTOR_ONE_MINUS_DST_ALPHA, FACTOR_ONE_MINUS_SRC, FACTOR_ONE_MINUS_SRC_ALPHA, FACTOR_SRC, FACTOR_SRC_ALPHA,
  FACTOR_SRC_ALPHA_SATURATED, FACTOR_ZERO,
} from '../layout/draw';
import { splatFrom } from '../simd/lanes';

/** Operand of the first channel, bytes from the output scratch; bytes from channel to channel; f32 scale and bias. */
const FACTOR_OPERAND = 0;
const FACTOR_STRIDE = 4;
const FACTOR_SCALE = 8;
const FACTOR_BIAS = 12;
const FACTOR_SHIFT = 4;
/** Index of each record. */
export const COLOR_SOURCE = 0;
export const COLOR_DESTINATION = 1;
export const ALPHA_SOURCE = 2;
export const ALPHA_DESTINATION = 3;

/** Alpha's place among four planar channels. */
const ALPHA = 48;

/** Fills record `index` for a factor (FACTOR_*). */
export function prepareFactor(context: usize, index: i32, factor: i32): void {
  const record = context + CTX_OUTPUT + OUTPUT_FACTORS + (<usize>index << FACTOR_SHIFT);
  const alpha = index >= ALPHA_SOURCE;
  const negated = factor == FACTOR_ONE_MINUS_SRC || factor == FACTOR_ONE_MINUS_SRC_ALPHA || factor == FACTOR_ONE_MINUS_DST
    || factor == FACTOR_ONE_MINUS_DST_ALPHA || factor == FACTOR_ONE_MINUS_CONSTANT;
  const constant = factor == FACTOR_ZERO || factor == FACTOR_ONE || (alpha && factor == FACTOR_SRC_ALPHA_SATURATED);
  const one = constant && factor != FACTOR_ZERO;
  store<i32>(record, operandOf(factor, alpha), FACTOR_OPERAND);
  store<i32>(record, strideOf(factor, alpha), FACTOR_STRIDE);
  store<f32>(record, constant ? 0 : negated ? -1 : 1, FACTOR_SCALE);
  // x + −0 is x, whatever its sign.
  store<f32>(record, one || negated ? 1 : constant ? 0 : -0.0, FACTOR_BIAS);
}

function operandOf(factor: i32, alpha: bool): i32 {
  const own = alpha ? ALPHA : 0;
  switch (factor) {
    case FACTOR_SRC: case FACTOR_ONE_MINUS_SRC: return OUTPUT_SOURCE + own;
    case FACTOR_SRC_ALPHA: case FACTOR_ONE_MINUS_SRC_ALPHA: return OUTPUT_SOURCE + ALPHA;
    case FACTOR_DST: case FACTOR_ONE_MINUS_DST: return OUTPUT_DESTINATION + own;
    case FACTOR_DST_ALPHA: case FACTOR_ONE_MINUS_DST_ALPHA: return OUTPUT_DESTINATION + ALPHA;
    case FACTOR_CONSTANT: case FACTOR_ONE_MINUS_CONSTANT: return OUTPUT_CONSTANT + own;
    case FACTOR_SRC_ALPHA_SATURATED: return alpha ? OUTPUT_ONES : OUTPUT_SATURATED;
    default: return OUTPUT_ONES;
  }
}

/** Factors of colour that differ from channel to channel. */
function strideOf(factor: i32, alpha: bool): i32 {
  const own = factor == FACTOR_SRC || factor == FACTOR_ONE_MINUS_SRC || factor == FACTOR_DST || factor == FACTOR_ONE_MINUS_DST
    || factor == FACTOR_CONSTANT || factor == FACTOR_ONE_MINUS_CONSTANT;
  return own && !alpha ? 16 : 0;
}

/** Fills the operands that no texel changes: ones, and the blend constant with channels `first` and `third` in those places; `clamped`: to 0 … 1. */
export function prepareOperands(context: usize, draw: usize, first: i32, third: i32, clamped: bool): void {
  const output = context + CTX_OUTPUT;
  v128.store(output, f32x4.splat(1), OUTPUT_ONES);
  v128.store(output, constantChannel(draw, first, clamped), OUTPUT_CONSTANT);
  v128.store(output, constantChannel(draw, 1, clamped), OUTPUT_CONSTANT + 16);
  v128.store(output, constantChannel(draw, third, clamped), OUTPUT_CONSTANT + 32);
  v128.store(output, constantChannel(draw, 3, clamped), OUTPUT_CONSTANT + 48);
}

function constantChannel(draw: usize, channel: i32, clamped: bool): v128 {
  const value = splatFrom(draw + DRAW_BLEND_CONSTANT, channel);
  return clamped ? f32x4.pmin(f32x4.pmax(f32x4.splat(0), value), f32x4.splat(1)) : value;
}

/** Whether the factors of colour are the same for its three channels. */
export function sharesFactors(context: usize): bool {
  const record = context + CTX_OUTPUT + OUTPUT_FACTORS;
  return (load<i32>(record, FACTOR_STRIDE) | load<i32>(record + (COLOR_DESTINATION << FACTOR_SHIFT), FACTOR_STRIDE)) == 0;
}

/** The factor of record `index` for channel `channel`. */
// @ts-ignore: decorator
@inline
export function factorFor(context: usize, index: i32, channel: i32): v128 {
  const record = context + CTX_OUTPUT + OUTPUT_FACTORS + (<usize>index << FACTOR_SHIFT);
  const stride = load<i32>(record, FACTOR_STRIDE);
  const operand = v128.load(context + CTX_OUTPUT + <usize>(load<i32>(record, FACTOR_OPERAND) + stride * channel));
  return scaled(record, operand);
}

/** The factor of a record whose operand is the source's alpha or does not matter. */
// @ts-ignore: decorator
@inline
export function alphaFactorFor(context: usize, index: i32, alpha: v128): v128 {
  return scaled(context + CTX_OUTPUT + OUTPUT_FACTORS + (<usize>index << FACTOR_SHIFT), alpha);
}

// @ts-ignore: decorator
@inline
function scaled(record: usize, operand: v128): v128 {
  return f32x4.add(f32x4.mul(operand, v128.load32_splat(record, FACTOR_SCALE)), v128.load32_splat(record, FACTOR_BIAS));
}
