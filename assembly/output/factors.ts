// Blend factors in a form that needs no switch per texel: factor = operand · scale + bias (FACTOR,
// layout/pass/draw.ts). The records are created with the pipeline. The operands of a warp are planar words in the
// output scratch; the scalar twins use their first lane.
//
// Most blend states are linear in the destination, with a weight that depends only on the source: result = S +
// W·destination. Formats of four linear bytes blend these in fixed point (fixed.ts). All other states and formats blend
// in float (float.ts).

import {
  BLEND_ADD,
  BLEND_MIN,
  BLEND_REVERSE_SUBTRACT,
  BLEND_SUBTRACT,
  Draw,
  Factor,
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
  OutputScratch,
  Target,
} from '../layout';

/** The state has no linear form. */
export const LINEAR_NONE = -1;

/** Factors from any operand. */
@unmanaged export class FromOperands<C> {
  /**
   * Stores the operands that are constant for a warp: ones, and the blend constant in the order of the texel's
   * channels.
   */
  prepare(scratch: OutputScratch, draw: Draw): void {
    putWord(scratch.ones, 0x3f800000);
    for (let i = 0; i < 4; i++) {
      const word = load<u32>(draw.blendConstant + (scratch.target.channel(i) << 2));
      putWord(scratch.constant + (i << 4), changetype<C>(0).clampBits(word));
    }
  }


  @inline of(scratch: OutputScratch, factor: Factor, channel: i32, alpha: v128): v128 {
    const operand = v128.load(changetype<usize>(scratch) + (factor.operand + factor.stride * channel));
    return changetype<FromAlpha>(0).of(scratch, factor, channel, operand);
  }
  bits(scratch: OutputScratch, factor: Factor, channel: i32): f32 {
    const operand = load<f32>(changetype<usize>(scratch) + (factor.operand + factor.stride * channel));
    return operand * factor.scale + factor.bias;
  }


  @inline keep(to: usize, c0: v128, c1: v128, c2: v128, c3: v128): void {
    storeWords(to, c0, c1, c2, c3);
  }
}

/** Factors from the source alpha only. */
@unmanaged export class FromAlpha {
  prepare(scratch: OutputScratch, draw: Draw): void {}


  @inline of(scratch: OutputScratch, factor: Factor, channel: i32, alpha: v128): v128 {
    return f32x4.add(
      f32x4.mul(alpha, v128.load32_splat(changetype<usize>(factor), offsetof<Factor>('scale'))),
      v128.load32_splat(changetype<usize>(factor), offsetof<Factor>('bias'))
    );
  }
  bits(scratch: OutputScratch, factor: Factor, channel: i32): f32 {
    return load<f32>(scratch.source, 48) * factor.scale + factor.bias;
  }


  @inline keep(to: usize, c0: v128, c1: v128, c2: v128, c3: v128): void {}
}

/** Stores four planar words. */
export function storeWords(to: usize, c0: v128, c1: v128, c2: v128, c3: v128): void {
  v128.store(to, c0);
  v128.store(to, c1, 16);
  v128.store(to, c2, 32);
  v128.store(to, c3, 48);
}

function putWord(to: usize, word: u32): void {
  const pair = <u64>word * 0x0000000100000001;
  store<u64>(to, pair);
  store<u64>(to, pair, 8);
}

/**
 * Initializes the four factor records of a target. `color` and `alpha` hold the source factor (FACTOR_*) in bits 0…3
 * and the destination factor in the bits above.
 */
export function prepareFactors(target: Target, color: i32, alpha: i32): void {
  prepareFactor(target.factor(0), color & 15, false, target.colorOp == BLEND_REVERSE_SUBTRACT);
  prepareFactor(target.factor(1), color >> 4, false, target.colorOp == BLEND_SUBTRACT);
  prepareFactor(target.factor(2), alpha & 15, true, target.alphaOp == BLEND_REVERSE_SUBTRACT);
  prepareFactor(target.factor(3), alpha >> 4, true, target.alphaOp == BLEND_SUBTRACT);
}

function prepareFactor(record: Factor, factor: i32, alpha: bool, subtracted: bool): void {
  const isOne = factor == FACTOR_ONE || (alpha && factor == FACTOR_SRC_ALPHA_SATURATED);
  const isConstant = isOne || factor == FACTOR_ZERO;
  const isNegated =
    factor == FACTOR_ONE_MINUS_SRC
    || factor == FACTOR_ONE_MINUS_SRC_ALPHA
    || factor == FACTOR_ONE_MINUS_DST
    || factor == FACTOR_ONE_MINUS_DST_ALPHA
    || factor == FACTOR_ONE_MINUS_CONSTANT;
  // The code of each negated factor follows that of its operand.
  const operand = isNegated ? factor - 1 : factor;
  record.operand = isOne ? changetype<usize>(changetype<OutputScratch>(0).ones) : operandOf(operand);
  record.stride = operand == FACTOR_SRC || operand == FACTOR_DST || operand == FACTOR_CONSTANT ? 16 : 0;
  record.scale = isConstant ? 0 : isNegated ? -1 : 1;
  // x + (−0) is x, whatever the sign of x.
  record.bias = isOne || isNegated ? 1 : isConstant ? 0 : -0.0;
  record.sign = subtracted ? 0x80000000 : 0;
}

/** Offset of the operand in the scratch, for the first channel. */
function operandOf(factor: i32): i32 {
  switch (factor) {
    case FACTOR_SRC:
      return changetype<usize>(changetype<OutputScratch>(0).source);
    case FACTOR_SRC_ALPHA:
      return changetype<usize>(changetype<OutputScratch>(0).source) + 48;
    case FACTOR_DST:
      return changetype<usize>(changetype<OutputScratch>(0).destination);
    case FACTOR_DST_ALPHA:
      return changetype<usize>(changetype<OutputScratch>(0).destination) + 48;
    case FACTOR_CONSTANT:
      return changetype<usize>(changetype<OutputScratch>(0).constant);
    case FACTOR_SRC_ALPHA_SATURATED:
      return changetype<usize>(changetype<OutputScratch>(0).saturated);
    default:
      return changetype<usize>(changetype<OutputScratch>(0).ones);
  }
}

/**
 * The factors of the summand (bits 0…3) and of the weight (bits 4…7), both independent of the destination. LINEAR_NONE
 * if the state has no such form.
 */
export function linearForm(operation: i32, source: i32, destination: i32): i32 {
  if (operation >= BLEND_MIN) return LINEAR_NONE;
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

/** The alpha equivalent of a factor: colour factors become alpha factors, and the saturated factor is one. */
export function ofAlpha(factor: i32): i32 {
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

/** Whether both factors depend only on the source alpha. */
export function areFromAlpha(factors: i32): bool {
  return isFromAlpha(factors & 15) && isFromAlpha(factors >> 4);
}

function isFromAlpha(factor: i32): bool {
  return (
    factor == FACTOR_ZERO || factor == FACTOR_ONE || factor == FACTOR_SRC_ALPHA || factor == FACTOR_ONE_MINUS_SRC_ALPHA
  );
}
