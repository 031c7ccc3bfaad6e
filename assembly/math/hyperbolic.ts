// Hyperbolic functions and their inverses, for four lanes.
import { flipSign, madd, select, splatFrom } from '../simd/lanes';
import { AREA, HALF, LOG, LOG_LN2, NUMBERS, ONE, QUARTER, SINH, TANH, TANH_SMALL, TWO } from './constants';
import { expScaled, log1p } from './exponential';
import { series4, series6 } from './series';

/** sinh x. At most 2 ULP. From 1 on, h − ¼/h with h = e^|x|/2, which overflows no earlier than the result. */
export function sinh(x: v128): v128 {
  const a = f32x4.abs(x);
  const z = f32x4.mul(a, a);
  const small = madd(f32x4.mul(a, z), series4(SINH, z), a);
  const h = expScaled(a, -1);
  const large = f32x4.sub(h, f32x4.div(splatFrom(NUMBERS, QUARTER), h));
  return flipSign(select(f32x4.lt(a, splatFrom(NUMBERS, ONE)), small, large), x);
}

/** cosh x. At most 2 ULP. */
export function cosh(x: v128): v128 {
  const h = expScaled(f32x4.abs(x), -1);
  return f32x4.add(h, f32x4.div(splatFrom(NUMBERS, QUARTER), h));
}

/** tanh x. At most 2 ULP. From 0.625 on, 1 − 2/(e^2|x| + 1). */
export function tanh(x: v128): v128 {
  const a = f32x4.abs(x);
  const z = f32x4.mul(a, a);
  const small = madd(f32x4.mul(a, z), series6(TANH, z), a);
  const one = splatFrom(NUMBERS, ONE);
  const e = expScaled(f32x4.add(a, a), 0);
  const large = f32x4.sub(one, f32x4.div(splatFrom(NUMBERS, TWO), f32x4.add(e, one)));
  return flipSign(select(f32x4.lt(a, splatFrom(TANH, TANH_SMALL)), small, large), x);
}

/** asinh x. At most 2 ULP: ln(1 + (|x| + x²/(1 + √(x²+1)))), or ln |x| + ln 2 where x² would overflow. */
export function asinh(x: v128): v128 {
  const a = f32x4.abs(x);
  const one = splatFrom(NUMBERS, ONE);
  const square = f32x4.mul(a, a);
  const sum = f32x4.add(a, f32x4.div(square, f32x4.add(one, f32x4.sqrt(f32x4.add(square, one)))));
  const huge = f32x4.gt(a, splatFrom(AREA, 0));
  return flipSign(f32x4.add(log1p(select(huge, a, sum)), v128.and(huge, splatFrom(LOG, LOG_LN2))), x);
}

/** acosh x. At most 2 ULP; NaN below 1. */
export function acosh(x: v128): v128 {
  const one = splatFrom(NUMBERS, ONE);
  const t = f32x4.sub(x, one);
  const sum = f32x4.add(t, f32x4.sqrt(f32x4.mul(t, f32x4.add(t, splatFrom(NUMBERS, TWO)))));
  const huge = f32x4.gt(x, splatFrom(AREA, 0));
  const result = f32x4.add(log1p(select(huge, x, sum)), v128.and(huge, splatFrom(LOG, LOG_LN2)));
  return select(f32x4.ge(x, one), result, i32x4.splat(0x7fc00000));
}

/** atanh x. At most 2 ULP: ½·ln(1 + 2|x|/(1−|x|)); ±∞ at ±1, NaN beyond. */
export function atanh(x: v128): v128 {
  const a = f32x4.abs(x);
  const u = f32x4.div(f32x4.add(a, a), f32x4.sub(splatFrom(NUMBERS, ONE), a));
  return flipSign(f32x4.mul(log1p(u), splatFrom(NUMBERS, HALF)), x);
}
