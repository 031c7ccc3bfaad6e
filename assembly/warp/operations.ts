// The table of arithmetic: what each opcode computes, for four lanes and for the 32 bits of one lane, with the same
// rounding. A class represents an operation and is a type argument of the loops (loops.ts); it has no instances.
// (Tried: one function that switches on a constant opcode. It inlines as well, but took the compiler seven minutes.)
import { MAX_I32, MAX_U32, NUMBERS, ONE } from '../math/constants';
import { exp, exp2, log, log2, pow } from '../math/exponential';
import { exp2Scalar, expScalar, log2Scalar, logScalar, powScalar } from '../math/exponential.scalar';
import {
  fract,
  frexpExponent,
  frexpFraction,
  ldexp,
  packHalf,
  quantizeHalf,
  rem,
  sign,
  unpackHalf,
} from '../math/float';
import {
  fractScalar,
  frexpExponentScalar,
  frexpFractionScalar,
  ldexpScalar,
  packHalfScalar,
  quantizeHalfScalar,
  remScalar,
  signScalar,
  unpackHalfScalar,
} from '../math/float.scalar';
import { acosh, asinh, atanh, cosh, sinh, tanh } from '../math/hyperbolic';
import { acoshScalar, asinhScalar, atanhScalar, coshScalar, sinhScalar, tanhScalar } from '../math/hyperbolic.scalar';
import {
  countLeadingZeros,
  countOneBits,
  countTrailingZeros,
  divSigned,
  divUnsigned,
  firstLeadingBitSigned,
  firstLeadingBitUnsigned,
  firstTrailingBit,
  remSigned,
  remUnsigned,
  reverseBits,
  signInteger,
} from '../math/integer';
import {
  divSignedScalar,
  divUnsignedScalar,
  extractBitsScalar,
  firstLeadingBitSignedScalar,
  firstLeadingBitUnsignedScalar,
  firstTrailingBitScalar,
  insertBitsScalar,
  remSignedScalar,
  remUnsignedScalar,
  reverseBitsScalar,
  signIntegerScalar,
} from '../math/integer.scalar';
import { acos, asin, atan, atan2, inverseSqrt } from '../math/inverse';
import { acosScalar, asinScalar, atan2Scalar, atanScalar, inverseSqrtScalar } from '../math/inverse.scalar';
import { canonicalBits, coefficient, maxScalar, minScalar } from '../math/scalar';
import { cos, sin, tan } from '../math/trigonometric';
import { cosScalar, sinScalar, tanScalar } from '../math/trigonometric.scalar';
import { canonicalNaN, ddxCoarse, ddxFine, ddyCoarse, ddyFine, madd, max, min, select, splatFrom } from '../simd/lanes';

/** The bits as an f32. */
function f(bits: u32): f32 {
  return reinterpret<f32>(bits);
}

/** The bits of an f32. */
function u(value: f32): u32 {
  return reinterpret<u32>(value);
}

/** A bool of the IR: all ones or 0. */
function mask(condition: bool): u32 {
  return condition ? 0xffffffff : 0;
}

// One operand.
@unmanaged export class Same {
  lanes(a: v128): v128 {
    return a;
  }
  bits(a: u32): u32 {
    return a;
  }
}


@unmanaged export class F32Neg {
  lanes(a: v128): v128 {
    return f32x4.neg(a);
  }
  bits(a: u32): u32 {
    return a ^ 0x80000000;
  }
}


@unmanaged export class F32Abs {
  lanes(a: v128): v128 {
    return f32x4.abs(a);
  }
  bits(a: u32): u32 {
    return a & 0x7fffffff;
  }
}


@unmanaged export class F32Sign {
  lanes(a: v128): v128 {
    return sign(a);
  }
  bits(a: u32): u32 {
    return u(signScalar(f(a)));
  }
}


@unmanaged export class F32Floor {
  lanes(a: v128): v128 {
    return f32x4.floor(a);
  }
  bits(a: u32): u32 {
    return u(floor(f(a)));
  }
}


@unmanaged export class F32Ceil {
  lanes(a: v128): v128 {
    return f32x4.ceil(a);
  }
  bits(a: u32): u32 {
    return u(ceil(f(a)));
  }
}


@unmanaged export class F32Trunc {
  lanes(a: v128): v128 {
    return f32x4.trunc(a);
  }
  bits(a: u32): u32 {
    return u(trunc(f(a)));
  }
}


@unmanaged export class F32Round {
  lanes(a: v128): v128 {
    return f32x4.nearest(a);
  }
  bits(a: u32): u32 {
    return u(nearest(f(a)));
  }
}


@unmanaged export class F32Fract {
  lanes(a: v128): v128 {
    return fract(a);
  }
  bits(a: u32): u32 {
    return u(fractScalar(f(a)));
  }
}


@unmanaged export class F32Sqrt {
  lanes(a: v128): v128 {
    return f32x4.sqrt(a);
  }
  bits(a: u32): u32 {
    return u(sqrt(f(a)));
  }
}


@unmanaged export class F32InverseSqrt {
  lanes(a: v128): v128 {
    return inverseSqrt(a);
  }
  bits(a: u32): u32 {
    return u(inverseSqrtScalar(f(a)));
  }
}


@unmanaged export class F32Exp {
  lanes(a: v128): v128 {
    return exp(a);
  }
  bits(a: u32): u32 {
    return u(expScalar(f(a)));
  }
}


@unmanaged export class F32Exp2 {
  lanes(a: v128): v128 {
    return exp2(a);
  }
  bits(a: u32): u32 {
    return u(exp2Scalar(f(a)));
  }
}


@unmanaged export class F32Log {
  lanes(a: v128): v128 {
    return log(a);
  }
  bits(a: u32): u32 {
    return u(logScalar(f(a)));
  }
}


@unmanaged export class F32Log2 {
  lanes(a: v128): v128 {
    return log2(a);
  }
  bits(a: u32): u32 {
    return u(log2Scalar(f(a)));
  }
}


@unmanaged export class F32Sin {
  lanes(a: v128): v128 {
    return sin(a);
  }
  bits(a: u32): u32 {
    return u(sinScalar(f(a)));
  }
}


@unmanaged export class F32Cos {
  lanes(a: v128): v128 {
    return cos(a);
  }
  bits(a: u32): u32 {
    return u(cosScalar(f(a)));
  }
}


@unmanaged export class F32Tan {
  lanes(a: v128): v128 {
    return tan(a);
  }
  bits(a: u32): u32 {
    return u(tanScalar(f(a)));
  }
}


@unmanaged export class F32Asin {
  lanes(a: v128): v128 {
    return asin(a);
  }
  bits(a: u32): u32 {
    return u(asinScalar(f(a)));
  }
}


@unmanaged export class F32Acos {
  lanes(a: v128): v128 {
    return acos(a);
  }
  bits(a: u32): u32 {
    return u(acosScalar(f(a)));
  }
}


@unmanaged export class F32Atan {
  lanes(a: v128): v128 {
    return atan(a);
  }
  bits(a: u32): u32 {
    return u(atanScalar(f(a)));
  }
}


@unmanaged export class F32Sinh {
  lanes(a: v128): v128 {
    return sinh(a);
  }
  bits(a: u32): u32 {
    return u(sinhScalar(f(a)));
  }
}


@unmanaged export class F32Cosh {
  lanes(a: v128): v128 {
    return cosh(a);
  }
  bits(a: u32): u32 {
    return u(coshScalar(f(a)));
  }
}


@unmanaged export class F32Tanh {
  lanes(a: v128): v128 {
    return tanh(a);
  }
  bits(a: u32): u32 {
    return u(tanhScalar(f(a)));
  }
}


@unmanaged export class F32Asinh {
  lanes(a: v128): v128 {
    return asinh(a);
  }
  bits(a: u32): u32 {
    return u(asinhScalar(f(a)));
  }
}


@unmanaged export class F32Acosh {
  lanes(a: v128): v128 {
    return acosh(a);
  }
  bits(a: u32): u32 {
    return u(acoshScalar(f(a)));
  }
}


@unmanaged export class F32Atanh {
  lanes(a: v128): v128 {
    return atanh(a);
  }
  bits(a: u32): u32 {
    return u(atanhScalar(f(a)));
  }
}


@unmanaged export class F32FrexpFraction {
  lanes(a: v128): v128 {
    return frexpFraction(a);
  }
  bits(a: u32): u32 {
    return u(frexpFractionScalar(f(a)));
  }
}


@unmanaged export class F32FrexpExponent {
  lanes(a: v128): v128 {
    return frexpExponent(a);
  }
  bits(a: u32): u32 {
    return frexpExponentScalar(f(a));
  }
}


@unmanaged export class F32QuantizeF16 {
  lanes(a: v128): v128 {
    return quantizeHalf(a);
  }
  bits(a: u32): u32 {
    return u(quantizeHalfScalar(f(a)));
  }
}


@unmanaged export class F32Saturate {
  lanes(a: v128): v128 {
    return min(max(i32x4.splat(0), a), splatFrom(NUMBERS, ONE));
  }
  bits(a: u32): u32 {
    return u(minScalar(maxScalar(0, f(a)), 1));
  }
}


@unmanaged export class IntNeg {
  lanes(a: v128): v128 {
    return i32x4.neg(a);
  }
  bits(a: u32): u32 {
    return 0 - a;
  }
}


@unmanaged export class IntNot {
  lanes(a: v128): v128 {
    return v128.not(a);
  }
  bits(a: u32): u32 {
    return ~a;
  }
}


@unmanaged export class I32Abs {
  lanes(a: v128): v128 {
    return i32x4.abs(a);
  }
  bits(a: u32): u32 {
    return <i32>a < 0 ? 0 - a : a;
  }
}


@unmanaged export class I32Sign {
  lanes(a: v128): v128 {
    return signInteger(a);
  }
  bits(a: u32): u32 {
    return signIntegerScalar(a);
  }
}


@unmanaged export class IntCountLeadingZeros {
  lanes(a: v128): v128 {
    return countLeadingZeros(a);
  }
  bits(a: u32): u32 {
    return clz<u32>(a);
  }
}


@unmanaged export class IntCountTrailingZeros {
  lanes(a: v128): v128 {
    return countTrailingZeros(a);
  }
  bits(a: u32): u32 {
    return ctz<u32>(a);
  }
}


@unmanaged export class IntCountOneBits {
  lanes(a: v128): v128 {
    return countOneBits(a);
  }
  bits(a: u32): u32 {
    return popcnt<u32>(a);
  }
}


@unmanaged export class IntReverseBits {
  lanes(a: v128): v128 {
    return reverseBits(a);
  }
  bits(a: u32): u32 {
    return reverseBitsScalar(a);
  }
}


@unmanaged export class I32FirstLeadingBit {
  lanes(a: v128): v128 {
    return firstLeadingBitSigned(a);
  }
  bits(a: u32): u32 {
    return firstLeadingBitSignedScalar(a);
  }
}


@unmanaged export class U32FirstLeadingBit {
  lanes(a: v128): v128 {
    return firstLeadingBitUnsigned(a);
  }
  bits(a: u32): u32 {
    return firstLeadingBitUnsignedScalar(a);
  }
}


@unmanaged export class IntFirstTrailingBit {
  lanes(a: v128): v128 {
    return firstTrailingBit(a);
  }
  bits(a: u32): u32 {
    return firstTrailingBitScalar(a);
  }
}


@unmanaged export class BoolNot {
  lanes(a: v128): v128 {
    return v128.not(a);
  }
  bits(a: u32): u32 {
    return ~a;
  }
}


@unmanaged export class I32FromF32 {
  lanes(a: v128): v128 {
    return i32x4.trunc_sat_f32x4_s(min(a, splatFrom(NUMBERS, MAX_I32)));
  }
  bits(a: u32): u32 {
    return <i32>minScalar(f(a), coefficient(NUMBERS, MAX_I32));
  }
}


@unmanaged export class U32FromF32 {
  lanes(a: v128): v128 {
    return i32x4.trunc_sat_f32x4_u(min(a, splatFrom(NUMBERS, MAX_U32)));
  }
  bits(a: u32): u32 {
    return <u32>minScalar(f(a), coefficient(NUMBERS, MAX_U32));
  }
}


@unmanaged export class F32FromI32 {
  lanes(a: v128): v128 {
    return f32x4.convert_i32x4_s(a);
  }
  bits(a: u32): u32 {
    return u(<f32>(<i32>a));
  }
}


@unmanaged export class F32FromU32 {
  lanes(a: v128): v128 {
    return f32x4.convert_i32x4_u(a);
  }
  bits(a: u32): u32 {
    return u(<f32>a);
  }
}


@unmanaged export class IntFromBool {
  lanes(a: v128): v128 {
    return i32x4.shr_u(a, 31);
  }
  bits(a: u32): u32 {
    return a >> 31;
  }
}


@unmanaged export class F32FromBool {
  lanes(a: v128): v128 {
    return v128.and(a, splatFrom(NUMBERS, ONE));
  }
  bits(a: u32): u32 {
    return a & 0x3f800000;
  }
}


@unmanaged export class IntFromF32Bits {
  lanes(a: v128): v128 {
    return canonicalNaN(a);
  }
  bits(a: u32): u32 {
    return canonicalBits(f(a));
  }
}


@unmanaged export class F16Pack {
  lanes(a: v128): v128 {
    return packHalf(a);
  }
  bits(a: u32): u32 {
    return packHalfScalar(f(a));
  }
}


@unmanaged export class F16Unpack {
  lanes(a: v128): v128 {
    return unpackHalf(a);
  }
  bits(a: u32): u32 {
    return u(unpackHalfScalar(a));
  }
}

// Two operands.
@unmanaged export class F32Add {
  lanes(a: v128, b: v128): v128 {
    return f32x4.add(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return u(f(a) + f(b));
  }
}


@unmanaged export class F32Sub {
  lanes(a: v128, b: v128): v128 {
    return f32x4.sub(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return u(f(a) - f(b));
  }
}


@unmanaged export class F32Mul {
  lanes(a: v128, b: v128): v128 {
    return f32x4.mul(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return u(f(a) * f(b));
  }
}


@unmanaged export class F32Div {
  lanes(a: v128, b: v128): v128 {
    return f32x4.div(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return u(f(a) / f(b));
  }
}


@unmanaged export class F32Rem {
  lanes(a: v128, b: v128): v128 {
    return rem(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return u(remScalar(f(a), f(b)));
  }
}


@unmanaged export class F32Min {
  lanes(a: v128, b: v128): v128 {
    return min(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return f(b) < f(a) ? b : a;
  }
}


@unmanaged export class F32Max {
  lanes(a: v128, b: v128): v128 {
    return max(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return f(a) < f(b) ? b : a;
  }
}


@unmanaged export class F32Pow {
  lanes(a: v128, b: v128): v128 {
    return pow(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return u(powScalar(f(a), f(b)));
  }
}


@unmanaged export class F32Atan2 {
  lanes(a: v128, b: v128): v128 {
    return atan2(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return u(atan2Scalar(f(a), f(b)));
  }
}


@unmanaged export class F32Ldexp {
  lanes(a: v128, b: v128): v128 {
    return ldexp(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return u(ldexpScalar(f(a), b));
  }
}


@unmanaged export class F32Eq {
  lanes(a: v128, b: v128): v128 {
    return f32x4.eq(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(f(a) == f(b));
  }
}


@unmanaged export class F32Ne {
  lanes(a: v128, b: v128): v128 {
    return f32x4.ne(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(f(a) != f(b));
  }
}


@unmanaged export class F32Lt {
  lanes(a: v128, b: v128): v128 {
    return f32x4.lt(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(f(a) < f(b));
  }
}


@unmanaged export class F32Le {
  lanes(a: v128, b: v128): v128 {
    return f32x4.le(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(f(a) <= f(b));
  }
}


@unmanaged export class IntAdd {
  lanes(a: v128, b: v128): v128 {
    return i32x4.add(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return a + b;
  }
}


@unmanaged export class IntSub {
  lanes(a: v128, b: v128): v128 {
    return i32x4.sub(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return a - b;
  }
}


@unmanaged export class IntMul {
  lanes(a: v128, b: v128): v128 {
    return i32x4.mul(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return a * b;
  }
}


@unmanaged export class IntAnd {
  lanes(a: v128, b: v128): v128 {
    return v128.and(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return a & b;
  }
}


@unmanaged export class IntOr {
  lanes(a: v128, b: v128): v128 {
    return v128.or(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return a | b;
  }
}


@unmanaged export class IntXor {
  lanes(a: v128, b: v128): v128 {
    return v128.xor(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return a ^ b;
  }
}


@unmanaged export class IntEq {
  lanes(a: v128, b: v128): v128 {
    return i32x4.eq(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(a == b);
  }
}


@unmanaged export class IntNe {
  lanes(a: v128, b: v128): v128 {
    return i32x4.ne(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(a != b);
  }
}


@unmanaged export class I32Div {
  lanes(a: v128, b: v128): v128 {
    return divSigned(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return divSignedScalar(a, b);
  }
}


@unmanaged export class I32Rem {
  lanes(a: v128, b: v128): v128 {
    return remSigned(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return remSignedScalar(a, b);
  }
}


@unmanaged export class U32Div {
  lanes(a: v128, b: v128): v128 {
    return divUnsigned(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return divUnsignedScalar(a, b);
  }
}


@unmanaged export class U32Rem {
  lanes(a: v128, b: v128): v128 {
    return remUnsigned(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return remUnsignedScalar(a, b);
  }
}


@unmanaged export class I32Min {
  lanes(a: v128, b: v128): v128 {
    return i32x4.min_s(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return <i32>b < <i32>a ? b : a;
  }
}


@unmanaged export class I32Max {
  lanes(a: v128, b: v128): v128 {
    return i32x4.max_s(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return <i32>a < <i32>b ? b : a;
  }
}


@unmanaged export class U32Min {
  lanes(a: v128, b: v128): v128 {
    return i32x4.min_u(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return b < a ? b : a;
  }
}


@unmanaged export class U32Max {
  lanes(a: v128, b: v128): v128 {
    return i32x4.max_u(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return a < b ? b : a;
  }
}


@unmanaged export class I32Lt {
  lanes(a: v128, b: v128): v128 {
    return i32x4.lt_s(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(<i32>a < <i32>b);
  }
}


@unmanaged export class I32Le {
  lanes(a: v128, b: v128): v128 {
    return i32x4.le_s(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(<i32>a <= <i32>b);
  }
}


@unmanaged export class U32Lt {
  lanes(a: v128, b: v128): v128 {
    return i32x4.lt_u(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(a < b);
  }
}


@unmanaged export class U32Le {
  lanes(a: v128, b: v128): v128 {
    return i32x4.le_u(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return mask(a <= b);
  }
}


@unmanaged export class IntAndNot {
  lanes(a: v128, b: v128): v128 {
    return v128.andnot(a, b);
  }
  bits(a: u32, b: u32): u32 {
    return a & ~b;
  }
}

// Three operands.
@unmanaged export class Select {
  lanes(a: v128, b: v128, c: v128): v128 {
    return select(a, b, c);
  }
  bits(a: u32, b: u32, c: u32): u32 {
    return (a & b) | (~a & c);
  }
}


@unmanaged export class F32MulAdd {
  lanes(a: v128, b: v128, c: v128): v128 {
    return madd(a, b, c);
  }
  bits(a: u32, b: u32, c: u32): u32 {
    return u(f(a) * f(b) + f(c));
  }
}


@unmanaged export class F32MulSub {
  lanes(a: v128, b: v128, c: v128): v128 {
    return f32x4.sub(f32x4.mul(a, b), c);
  }
  bits(a: u32, b: u32, c: u32): u32 {
    return u(f(a) * f(b) - f(c));
  }
}


@unmanaged export class F32SubMul {
  lanes(a: v128, b: v128, c: v128): v128 {
    return f32x4.sub(c, f32x4.mul(a, b));
  }
  bits(a: u32, b: u32, c: u32): u32 {
    return u(f(c) - f(a) * f(b));
  }
}


@unmanaged export class F32Mix {
  lanes(a: v128, b: v128, c: v128): v128 {
    return f32x4.add(f32x4.mul(a, f32x4.sub(splatFrom(NUMBERS, ONE), c)), f32x4.mul(b, c));
  }
  bits(a: u32, b: u32, c: u32): u32 {
    return u(f(a) * (1 - f(c)) + f(b) * f(c));
  }
}


@unmanaged export class F32Clamp {
  lanes(a: v128, b: v128, c: v128): v128 {
    return min(max(b, a), c);
  }
  bits(a: u32, b: u32, c: u32): u32 {
    return u(minScalar(maxScalar(f(b), f(a)), f(c)));
  }
}


@unmanaged export class I32Clamp {
  lanes(a: v128, b: v128, c: v128): v128 {
    return i32x4.min_s(i32x4.max_s(a, b), c);
  }
  bits(a: u32, b: u32, c: u32): u32 {
    const low = <i32>a < <i32>b ? b : a;
    return <i32>c < <i32>low ? c : low;
  }
}

// Four operands.
@unmanaged export class F32Dot2 {
  lanes(a: v128, b: v128, c: v128, d: v128): v128 {
    return f32x4.add(f32x4.mul(a, b), f32x4.mul(c, d));
  }
  bits(a: u32, b: u32, c: u32, d: u32): u32 {
    return u(f(a) * f(b) + f(c) * f(d));
  }
}


@unmanaged export class F32Dot2Sub {
  lanes(a: v128, b: v128, c: v128, d: v128): v128 {
    return f32x4.sub(f32x4.mul(a, b), f32x4.mul(c, d));
  }
  bits(a: u32, b: u32, c: u32, d: u32): u32 {
    return u(f(a) * f(b) - f(c) * f(d));
  }
}

// Derivatives: for the four lanes of a quad, or for one lane of the quad at an address. Lanes 0 and 1 are the upper
// row, lanes 2 and 3 the lower one.
@unmanaged export class DdxCoarse {
  lanes(a: v128): v128 {
    return ddxCoarse(a);
  }
  lane(quad: usize, lane: i32): f32 {
    return load<f32>(quad, 4) - load<f32>(quad);
  }
}


@unmanaged export class DdxFine {
  lanes(a: v128): v128 {
    return ddxFine(a);
  }
  lane(quad: usize, lane: i32): f32 {
    return load<f32>(quad + ((lane & 2) << 2), 4) - load<f32>(quad + ((lane & 2) << 2));
  }
}


@unmanaged export class DdyCoarse {
  lanes(a: v128): v128 {
    return ddyCoarse(a);
  }
  lane(quad: usize, lane: i32): f32 {
    return load<f32>(quad, 8) - load<f32>(quad);
  }
}


@unmanaged export class DdyFine {
  lanes(a: v128): v128 {
    return ddyFine(a);
  }
  lane(quad: usize, lane: i32): f32 {
    return load<f32>(quad + ((lane & 1) << 2), 8) - load<f32>(quad + ((lane & 1) << 2));
  }
}

// Shifts: all lanes by one count, modulo 32, or one lane.
@unmanaged export class IntShl {
  lanes(a: v128, count: i32): v128 {
    return i32x4.shl(a, count);
  }
  bits(a: u32, b: u32): u32 {
    return a << (b & 31);
  }
}


@unmanaged export class I32Shr {
  lanes(a: v128, count: i32): v128 {
    return i32x4.shr_s(a, count);
  }
  bits(a: u32, b: u32): u32 {
    return (<i32>a) >> (b & 31);
  }
}


@unmanaged export class U32Shr {
  lanes(a: v128, count: i32): v128 {
    return i32x4.shr_u(a, count);
  }
  bits(a: u32, b: u32): u32 {
    return a >> (b & 31);
  }
}

// Bit fields, for which WASM has no four-lane instruction: one lane at a time in both engines.
@unmanaged export class I32ExtractBits {
  bits(a: u32, b: u32, c: u32): u32 {
    return extractBitsScalar<i32>(a, b, c);
  }
}


@unmanaged export class U32ExtractBits {
  bits(a: u32, b: u32, c: u32): u32 {
    return extractBitsScalar<u32>(a, b, c);
  }
}


@unmanaged export class IntInsertBits {
  bits(a: u32, b: u32, c: u32, d: u32): u32 {
    return insertBitsScalar(a, b, c, d);
  }
}
