// The kernel's mathematics as separate functions with four lanes in and four lanes out. The JIT copies their bodies
// into the modules that it emits (src/codegen/wasm/inlines.ts), so that nothing is implemented twice and both engines
// give the same bits. The functions are never called. Names are those of src/ir/ops.ts, with `_` for the dot; the
// suffix `_common` or `_moderate` marks a version for the common case only. Operations of one or two instructions are
// missing, because the JIT emits them itself.
import { exp2Any, exp2Common, log2Any, log2Common, powAny, powCommon, powModerate } from '../math/exponential';
import { cosAny, cosCommon, sinAny, sinCommon } from '../math/trigonometric';
import {
  F16Pack,
  F16Unpack,
  F32Acos,
  F32Acosh,
  F32Asin,
  F32Asinh,
  F32Atan,
  F32Atan2,
  F32Atanh,
  F32Cosh,
  F32Exp,
  F32Fract,
  F32FrexpExponent,
  F32FrexpFraction,
  F32InverseSqrt,
  F32Ldexp,
  F32Log,
  F32QuantizeF16,
  F32Rem,
  F32Sign,
  F32Sinh,
  F32Tan,
  F32Tanh,
  I32Div,
  I32ExtractBits,
  I32FirstLeadingBit,
  I32FromF32,
  I32Rem,
  I32Shr,
  I32Sign,
  IntCountLeadingZeros,
  IntCountOneBits,
  IntCountTrailingZeros,
  IntFirstTrailingBit,
  IntFromF32Bits,
  IntInsertBits,
  IntReverseBits,
  IntShl,
  U32Div,
  U32ExtractBits,
  U32FirstLeadingBit,
  U32FromF32,
  U32Rem,
  U32Shr,
} from './operations';

function one<O>(a: v128): v128 {
  return changetype<O>(0).lanes(a);
}

function two<O>(a: v128, b: v128): v128 {
  return changetype<O>(0).lanes(a, b);
}

function lane0(v: v128): u32 {
  return i32x4.extract_lane(v, 0);
}

function lane1(v: v128): u32 {
  return i32x4.extract_lane(v, 1);
}

function lane2(v: v128): u32 {
  return i32x4.extract_lane(v, 2);
}

function lane3(v: v128): u32 {
  return i32x4.extract_lane(v, 3);
}

// Operations without a four-lane WASM instruction run lane by lane, as in the interpreter.
function twoByLane<O>(a: v128, b: v128): v128 {
  return i32x4(
    changetype<O>(0).bits(lane0(a), lane0(b)),
    changetype<O>(0).bits(lane1(a), lane1(b)),
    changetype<O>(0).bits(lane2(a), lane2(b)),
    changetype<O>(0).bits(lane3(a), lane3(b))
  );
}

function threeByLane<O>(a: v128, b: v128, c: v128): v128 {
  return i32x4(
    changetype<O>(0).bits(lane0(a), lane0(b), lane0(c)),
    changetype<O>(0).bits(lane1(a), lane1(b), lane1(c)),
    changetype<O>(0).bits(lane2(a), lane2(b), lane2(c)),
    changetype<O>(0).bits(lane3(a), lane3(b), lane3(c))
  );
}

function fourByLane<O>(a: v128, b: v128, c: v128, d: v128): v128 {
  return i32x4(
    changetype<O>(0).bits(lane0(a), lane0(b), lane0(c), lane0(d)),
    changetype<O>(0).bits(lane1(a), lane1(b), lane1(c), lane1(d)),
    changetype<O>(0).bits(lane2(a), lane2(b), lane2(c), lane2(d)),
    changetype<O>(0).bits(lane3(a), lane3(b), lane3(c), lane3(d))
  );
}

export function f32_rem(a: v128, b: v128): v128 {
  return two<F32Rem>(a, b);
}
export function f32_sign(a: v128): v128 {
  return one<F32Sign>(a);
}
export function f32_fract(a: v128): v128 {
  return one<F32Fract>(a);
}
export function f32_inverseSqrt(a: v128): v128 {
  return one<F32InverseSqrt>(a);
}
export function f32_exp(a: v128): v128 {
  return one<F32Exp>(a);
}
export function f32_exp2(a: v128): v128 {
  return exp2Any(a);
}
export function f32_exp2_common(a: v128): v128 {
  return exp2Common(a);
}
export function f32_log(a: v128): v128 {
  return one<F32Log>(a);
}
export function f32_log2(a: v128): v128 {
  return log2Any(a);
}
export function f32_log2_common(a: v128): v128 {
  return log2Common(a);
}
export function f32_pow(a: v128, b: v128): v128 {
  return powAny(a, b);
}
export function f32_pow_moderate(a: v128, b: v128): v128 {
  return powModerate(a, b);
}
export function f32_pow_common(a: v128, b: v128): v128 {
  return powCommon(a, b);
}
export function f32_sin(a: v128): v128 {
  return sinAny(a);
}
export function f32_sin_common(a: v128): v128 {
  return sinCommon(a);
}
export function f32_cos(a: v128): v128 {
  return cosAny(a);
}
export function f32_cos_common(a: v128): v128 {
  return cosCommon(a);
}
export function f32_tan(a: v128): v128 {
  return one<F32Tan>(a);
}
export function f32_asin(a: v128): v128 {
  return one<F32Asin>(a);
}
export function f32_acos(a: v128): v128 {
  return one<F32Acos>(a);
}
export function f32_atan(a: v128): v128 {
  return one<F32Atan>(a);
}
export function f32_atan2(a: v128, b: v128): v128 {
  return two<F32Atan2>(a, b);
}
export function f32_sinh(a: v128): v128 {
  return one<F32Sinh>(a);
}
export function f32_cosh(a: v128): v128 {
  return one<F32Cosh>(a);
}
export function f32_tanh(a: v128): v128 {
  return one<F32Tanh>(a);
}
export function f32_asinh(a: v128): v128 {
  return one<F32Asinh>(a);
}
export function f32_acosh(a: v128): v128 {
  return one<F32Acosh>(a);
}
export function f32_atanh(a: v128): v128 {
  return one<F32Atanh>(a);
}
export function f32_ldexp(a: v128, b: v128): v128 {
  return two<F32Ldexp>(a, b);
}
export function f32_frexpFraction(a: v128): v128 {
  return one<F32FrexpFraction>(a);
}
export function f32_frexpExponent(a: v128): v128 {
  return one<F32FrexpExponent>(a);
}
export function f32_quantizeToF16(a: v128): v128 {
  return one<F32QuantizeF16>(a);
}
export function i32_fromF32(a: v128): v128 {
  return one<I32FromF32>(a);
}
export function u32_fromF32(a: v128): v128 {
  return one<U32FromF32>(a);
}
export function int_fromF32Bits(a: v128): v128 {
  return one<IntFromF32Bits>(a);
}
export function f16_pack(a: v128): v128 {
  return one<F16Pack>(a);
}
export function f16_unpack(a: v128): v128 {
  return one<F16Unpack>(a);
}
export function i32_div(a: v128, b: v128): v128 {
  return two<I32Div>(a, b);
}
export function i32_rem(a: v128, b: v128): v128 {
  return two<I32Rem>(a, b);
}
export function u32_div(a: v128, b: v128): v128 {
  return two<U32Div>(a, b);
}
export function u32_rem(a: v128, b: v128): v128 {
  return two<U32Rem>(a, b);
}
export function i32_sign(a: v128): v128 {
  return one<I32Sign>(a);
}
export function int_countLeadingZeros(a: v128): v128 {
  return one<IntCountLeadingZeros>(a);
}
export function int_countTrailingZeros(a: v128): v128 {
  return one<IntCountTrailingZeros>(a);
}
export function int_countOneBits(a: v128): v128 {
  return one<IntCountOneBits>(a);
}
export function int_reverseBits(a: v128): v128 {
  return one<IntReverseBits>(a);
}
export function i32_firstLeadingBit(a: v128): v128 {
  return one<I32FirstLeadingBit>(a);
}
export function u32_firstLeadingBit(a: v128): v128 {
  return one<U32FirstLeadingBit>(a);
}
export function int_firstTrailingBit(a: v128): v128 {
  return one<IntFirstTrailingBit>(a);
}
// Shifts with a different count per lane. If all lanes share one count, the JIT uses i32x4.shl etc.
export function int_shl(a: v128, b: v128): v128 {
  return twoByLane<IntShl>(a, b);
}
export function i32_shr(a: v128, b: v128): v128 {
  return twoByLane<I32Shr>(a, b);
}
export function u32_shr(a: v128, b: v128): v128 {
  return twoByLane<U32Shr>(a, b);
}
export function i32_extractBits(a: v128, b: v128, c: v128): v128 {
  return threeByLane<I32ExtractBits>(a, b, c);
}
export function u32_extractBits(a: v128, b: v128, c: v128): v128 {
  return threeByLane<U32ExtractBits>(a, b, c);
}
export function int_insertBits(a: v128, b: v128, c: v128, d: v128): v128 {
  return fourByLane<IntInsertBits>(a, b, c, d);
}
