// Blend factors in a form that needs no switch where texels are blended: factor = operand · scale + bias, the operand read from the
// context's output scratch. Four FACTOR records lie at OutputScratch.factors: colour source, colour destination, alpha source, alpha destination.

import {
  Draw, FACTOR_CONSTANT, FACTOR_DST, FACTOR_DST_ALPHA, FACTOR_ONE, FACTOR_ONE_MINUS_CONSTANT, FACTOR_ONE_MINUS_DST,
  FACTOR_ONE_MINUS_DST_ALPHA, FACTOR_ONE_MINUS_SRC, FACTOR_ONE_MINUS_SRC_ALPHA, FACTOR_SRC, FACTOR_SRC_ALPHA,
  FACTOR_SRC_ALPHA_SATURATED, FACTOR_ZERO, OutputScratch, Tile,
} from '../layout';
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
export function prepareFactor(context: Tile, index: i32, factor: i32): void {
  const record = context.output.factors + (<usize>index << FACTOR_SHIFT);
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
    case FACTOR_SRC: case FACTOR_ONE_MINUS_SRC: return changetype<usize>(changetype<OutputScratch>(0).source) + own;
    case FACTOR_SRC_ALPHA: case FACTOR_ONE_MINUS_SRC_ALPHA: return changetype<usize>(changetype<OutputScratch>(0).source) + ALPHA;
    case FACTOR_DST: case FACTOR_ONE_MINUS_DST: return changetype<usize>(changetype<OutputScratch>(0).destination) + own;
    case FACTOR_DST_ALPHA: case FACTOR_ONE_MINUS_DST_ALPHA: return changetype<usize>(changetype<OutputScratch>(0).destination) + ALPHA;
    case FACTOR_CONSTANT: case FACTOR_ONE_MINUS_CONSTANT: return changetype<usize>(changetype<OutputScratch>(0).constant) + own;
    case FACTOR_SRC_ALPHA_SATURATED: return alpha ? changetype<usize>(changetype<OutputScratch>(0).ones) : changetype<usize>(changetype<OutputScratch>(0).saturated);
    default: return changetype<usize>(changetype<OutputScratch>(0).ones);
  }
}

/** Factors of colour that differ from channel to channel. */
function strideOf(factor: i32, alpha: bool): i32 {
  const own = factor == FACTOR_SRC || factor == FACTOR_ONE_MINUS_SRC || factor == FACTOR_DST || factor == FACTOR_ONE_MINUS_DST
    || factor == FACTOR_CONSTANT || factor == FACTOR_ONE_MINUS_CONSTANT;
  return own && !alpha ? 16 : 0;
}

/** Fills the operands that no texel changes: ones, and the blend constant with channels `first` and `third` in those places; `clamped`: to 0 … 1. */
export function prepareOperands(context: Tile, draw: Draw, first: i32, third: i32, clamped: bool): void {
  const output = context.output;
  v128.store(output.ones, f32x4.splat(1));
  v128.store(output.constant, constantChannel(draw, first, clamped));
  v128.store(output.constant + 16, constantChannel(draw, 1, clamped));
  v128.store(output.constant + 32, constantChannel(draw, third, clamped));
  v128.store(output.constant + 48, constantChannel(draw, 3, clamped));
}

function constantChannel(draw: Draw, channel: i32, clamped: bool): v128 {
  const value = splatFrom(draw.blendConstant, channel);
  return clamped ? f32x4.pmin(f32x4.pmax(f32x4.splat(0), value), f32x4.splat(1)) : value;
}

/** Whether the factors of colour are the same for its three channels. */
export function sharesFactors(context: Tile): bool {
  const record = context.output.factors;
  return (load<i32>(record, FACTOR_STRIDE) | load<i32>(record + (COLOR_DESTINATION << FACTOR_SHIFT), FACTOR_STRIDE)) == 0;
}

/** The factor of record `index` for channel `channel`. */
// @ts-ignore: decorator
@inline
export function factorFor(context: Tile, index: i32, channel: i32): v128 {
  const record = context.output.factors + (<usize>index << FACTOR_SHIFT);
  const stride = load<i32>(record, FACTOR_STRIDE);
  const operand = v128.load(changetype<usize>(context.output) + <usize>(load<i32>(record, FACTOR_OPERAND) + stride * channel));
  return scaled(record, operand);
}

/** The factor of a record whose operand is the source's alpha or does not matter. */
// @ts-ignore: decorator
@inline
export function alphaFactorFor(context: Tile, index: i32, alpha: v128): v128 {
  return scaled(context.output.factors + (<usize>index << FACTOR_SHIFT), alpha);
}

// @ts-ignore: decorator
@inline
function scaled(record: usize, operand: v128): v128 {
  return f32x4.add(f32x4.mul(operand, v128.load32_splat(record, FACTOR_SCALE)), v128.load32_splat(record, FACTOR_BIAS));
}
