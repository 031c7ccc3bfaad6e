// Blend factors without a switch where texels are blended: factor = operand · scale + bias (FACTOR, layout/draw.ts).
// The records are made with the pipeline; of a warp come the operands, in the scratch of output: planar words, of
// which the scalar twins use the first lane.
//
// Most blend states are linear in the destination with a weight that comes from the source alone: result = S +
// W·destination. On formats of four linear bytes these are computed in fixed point (fixed.ts); all others, and all
// other formats, in float (float.ts).

import {
  BLEND_ADD, BLEND_MIN, BLEND_REVERSE_SUBTRACT, BLEND_SUBTRACT, Draw, Factor, FACTOR_CONSTANT, FACTOR_DST,
  FACTOR_DST_ALPHA, FACTOR_ONE, FACTOR_ONE_MINUS_CONSTANT, FACTOR_ONE_MINUS_DST, FACTOR_ONE_MINUS_DST_ALPHA,
  FACTOR_ONE_MINUS_SRC, FACTOR_ONE_MINUS_SRC_ALPHA, FACTOR_SRC, FACTOR_SRC_ALPHA, FACTOR_SRC_ALPHA_SATURATED,
  FACTOR_ZERO, OutputScratch, Target,
} from '../layout';

/** No linear form. */
export const LINEAR_NONE = -1;

/** From the operands that the factor names. */
@unmanaged export class FromOperands<C> {
  /**
   * Puts the operands of a warp that no texel changes: ones, and the blend constant in the order of the texel's
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
  @inline keep(to: usize, c0: v128, c1: v128, c2: v128, c3: v128): void { storeWords(to, c0, c1, c2, c3); }
}

/** From the source's alpha alone. */
@unmanaged export class FromAlpha {
  prepare(scratch: OutputScratch, draw: Draw): void {}
  @inline of(scratch: OutputScratch, factor: Factor, channel: i32, alpha: v128): v128 {
    return f32x4.add(
      f32x4.mul(alpha, v128.load32_splat(changetype<usize>(factor), offsetof<Factor>('scale'))),
      v128.load32_splat(changetype<usize>(factor), offsetof<Factor>('bias')));
  }
  bits(scratch: OutputScratch, factor: Factor, channel: i32): f32 {
    return load<f32>(scratch.source, 48) * factor.scale + factor.bias;
  }
  @inline keep(to: usize, c0: v128, c1: v128, c2: v128, c3: v128): void {}
}

/** Four planar words. */
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
 * Makes the four records of a target. `color`, `alpha`: source factor (FACTOR_*) in bits 0 … 3, destination factor
 * above.
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
  const isNegated = factor == FACTOR_ONE_MINUS_SRC || factor == FACTOR_ONE_MINUS_SRC_ALPHA
    || factor == FACTOR_ONE_MINUS_DST || factor == FACTOR_ONE_MINUS_DST_ALPHA || factor == FACTOR_ONE_MINUS_CONSTANT;
  // Each negated factor's code follows that of its operand.
  const operand = isNegated ? factor - 1 : factor;
  record.operand = isOne ? changetype<usize>(changetype<OutputScratch>(0).ones) : operandOf(operand);
  record.stride = operand == FACTOR_SRC || operand == FACTOR_DST || operand == FACTOR_CONSTANT ? 16 : 0;
  record.scale = isConstant ? 0 : isNegated ? -1 : 1;
  // x + −0 is x, whatever its sign.
  record.bias = isOne || isNegated ? 1 : isConstant ? 0 : -0.0;
  record.sign = subtracted ? 0x80000000 : 0;
}

/** Of the first channel. */
function operandOf(factor: i32): i32 {
  switch (factor) {
    case FACTOR_SRC: return changetype<usize>(changetype<OutputScratch>(0).source);
    case FACTOR_SRC_ALPHA: return changetype<usize>(changetype<OutputScratch>(0).source) + 48;
    case FACTOR_DST: return changetype<usize>(changetype<OutputScratch>(0).destination);
    case FACTOR_DST_ALPHA: return changetype<usize>(changetype<OutputScratch>(0).destination) + 48;
    case FACTOR_CONSTANT: return changetype<usize>(changetype<OutputScratch>(0).constant);
    case FACTOR_SRC_ALPHA_SATURATED: return changetype<usize>(changetype<OutputScratch>(0).saturated);
    default: return changetype<usize>(changetype<OutputScratch>(0).ones);
  }
}

/**
 * Factors, both free of the destination, of the summand (bits 0 … 3) and of the weight (4 … 7); LINEAR_NONE where
 * there are none.
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

function namesDestination(factor: i32): bool { return factor >= FACTOR_DST && factor <= FACTOR_SRC_ALPHA_SATURATED; }

/** A factor of alpha: what names a colour means its alpha, and the saturated factor is one. */
export function ofAlpha(factor: i32): i32 {
  switch (factor) {
    case FACTOR_SRC: return FACTOR_SRC_ALPHA;
    case FACTOR_ONE_MINUS_SRC: return FACTOR_ONE_MINUS_SRC_ALPHA;
    case FACTOR_DST_ALPHA: return FACTOR_DST;
    case FACTOR_ONE_MINUS_DST_ALPHA: return FACTOR_ONE_MINUS_DST;
    case FACTOR_SRC_ALPHA_SATURATED: return FACTOR_ONE;
    default: return factor;
  }
}

/** Whether both factors come from the source's alpha alone. */
export function areFromAlpha(factors: i32): bool { return isFromAlpha(factors & 15) && isFromAlpha(factors >> 4); }

function isFromAlpha(factor: i32): bool {
  return factor == FACTOR_ZERO || factor == FACTOR_ONE || factor == FACTOR_SRC_ALPHA
    || factor == FACTOR_ONE_MINUS_SRC_ALPHA;
}
