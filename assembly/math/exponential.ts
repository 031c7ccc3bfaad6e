// Exponentials and logarithms of four lanes. The scalar twin takes the same steps in the same order.
// Error bounds in units of the last place of the exact result, measured by tests/math over all exponents.
import { allTrue, madd, max, min, select, splatFrom } from '../simd/lanes';
import {
  EXP, EXP2, EXP2_MAX, EXP2_MIN, EXP2_NORMAL, EXP_LN2_HIGH, EXP_LN2_LOW, EXP_LOG2E, EXP_MAX, EXP_MIN, EXP_NORMAL, HALF, INFINITE, LOG, LOG2, LOG_LN2_HIGH,
  LOG_LN2_LOW, NUMBERS, ONE, ROOT_HALF, ROUNDER, SMALLEST_NORMAL, TWENTY_FOUR, TWO, TWO_24,
} from './constants';

// What is rare stands in functions that are not inlined: the loops around the usual case stay small.

/** p·2^n for p in ½…2 and n in −152 … 254: one rounding, at most, in the second product. `bits` is ROUNDER + n. */
function scale(p: v128, bits: v128, extra: i32): v128 {
  const n = i32x4.sub(bits, i32x4.splat(0x4b400000 - extra));
  const half = i32x4.shr_s(n, 1);
  const one = i32x4.splat(0x3f800000);
  const first = i32x4.add(i32x4.shl(half, 23), one);
  const second = i32x4.add(i32x4.shl(i32x4.sub(n, half), 23), one);
  return f32x4.mul(f32x4.mul(p, first), second);
}

/** 2^x. At most 1.4 ULP (WGSL allows 3 + 2·|x|); exact for whole x. */
// @ts-ignore: decorator
@inline export function exp2(x: v128): v128 {
  const rounder = splatFrom(NUMBERS, ROUNDER);
  // Outside this range the result is 0 or infinity. NaN passes min and max as their first operand.
  const y = min(max(x, splatFrom(EXP2, EXP2_MIN)), splatFrom(EXP2, EXP2_MAX));
  const whole = f32x4.add(y, rounder);
  const f = f32x4.sub(y, f32x4.sub(whole, rounder));
  // In pairs of coefficients: a chain of half the length, which is what a loop over quads waits for.
  const square = f32x4.mul(f, f);
  const low = madd(splatFrom(EXP2, 1), f, splatFrom(EXP2, 0));
  const middle = madd(splatFrom(EXP2, 3), f, splatFrom(EXP2, 2));
  const high = madd(splatFrom(EXP2, 5), f, splatFrom(EXP2, 4));
  const p = madd(madd(madd(high, square, middle), square, low), f, splatFrom(NUMBERS, ONE));
  // Normal results, the usual case: adding to the exponent is the same product.
  if (allTrue(f32x4.lt(f32x4.abs(x), splatFrom(EXP2, EXP2_NORMAL)))) return i32x4.add(p, i32x4.shl(whole, 23));
  return scale(p, whole, 0);
}

/** e^x · 2^extra without overflow on the way. */
// @ts-ignore: decorator
@inline export function expScaled(x: v128, extra: i32): v128 {
  const rounder = splatFrom(NUMBERS, ROUNDER);
  const y = min(max(x, splatFrom(EXP, EXP_MIN)), splatFrom(EXP, EXP_MAX));
  const whole = madd(y, splatFrom(EXP, EXP_LOG2E), rounder);
  const n = f32x4.sub(whole, rounder);
  const r = f32x4.sub(f32x4.sub(y, f32x4.mul(n, splatFrom(EXP, EXP_LN2_HIGH))), f32x4.mul(n, splatFrom(EXP, EXP_LN2_LOW)));
  const square = f32x4.mul(r, r);
  const low = madd(splatFrom(EXP, 1), r, splatFrom(EXP, 0));
  const middle = madd(splatFrom(EXP, 3), r, splatFrom(EXP, 2));
  const series = madd(madd(splatFrom(EXP, 4), square, middle), square, low);
  const p = f32x4.add(madd(square, series, r), splatFrom(NUMBERS, ONE));
  if (allTrue(f32x4.lt(f32x4.abs(x), splatFrom(EXP, EXP_NORMAL)))) return i32x4.add(p, i32x4.shl(i32x4.add(whole, i32x4.splat(extra)), 23));
  return scale(p, whole, extra);
}

/** e^x. At most 1.1 ULP (WGSL: 3 + 2·|x|). */
// @ts-ignore: decorator
@inline export function exp(x: v128): v128 { return expScaled(x, 0); }

// x = m·2^e with m in √½ … √2, for positive finite x. `tiny` lanes are denormals, brought into range first.
// @ts-ignore: decorator
@inline function exponentBits(scaled: v128): v128 { return i32x4.shr_s(i32x4.sub(scaled, splatFrom(NUMBERS, ROOT_HALF)), 23); }

/** ln(1+f) for f in √½−1 … √2−1. */
// @ts-ignore: decorator
@inline function logMantissa(f: v128): v128 {
  const s = f32x4.div(f, f32x4.add(f, splatFrom(NUMBERS, TWO)));
  const z = f32x4.mul(s, s);
  let r = madd(splatFrom(LOG, 2), z, splatFrom(LOG, 1));
  r = f32x4.mul(madd(r, z, splatFrom(LOG, 0)), z);
  // f − (f²/2 − s·(f²/2 + r)): the large terms meet exactly.
  const h = f32x4.mul(f32x4.mul(f, f), splatFrom(NUMBERS, HALF));
  return f32x4.sub(f, f32x4.sub(h, f32x4.mul(s, f32x4.add(h, r))));
}

/** Puts in what the arithmetic above does not give: 0 → −∞, ∞ → ∞, below 0 and NaN → NaN. */
// @ts-ignore: decorator
@inline function logEdges(x: v128, result: v128): v128 {
  const infinite = splatFrom(NUMBERS, INFINITE);
  const positive = select(f32x4.lt(x, infinite), result, infinite);
  const other = select(f32x4.eq(x, i32x4.splat(0)), f32x4.neg(infinite), i32x4.splat(0x7fc00000));
  return select(f32x4.gt(x, i32x4.splat(0)), positive, other);
}

/** Lanes that are positive, finite and not denormal: the usual case, which needs neither scaling nor edges. */
// @ts-ignore: decorator
@inline function normalLanes(x: v128): v128 { return v128.and(f32x4.ge(x, splatFrom(NUMBERS, SMALLEST_NORMAL)), f32x4.lt(x, splatFrom(NUMBERS, INFINITE))); }

// @ts-ignore: decorator
@inline function allNormal(x: v128): bool { return allTrue(normalLanes(x)); }

/** log2 of the mantissa, and n, which is e less what scaling added: 3.2 ULP of the first, which may be the whole result near one. */
// @ts-ignore: decorator
@inline function log2Parts(x: v128, e: v128, n: v128): v128 {
  const f = f32x4.sub(i32x4.sub(x, i32x4.shl(e, 23)), splatFrom(NUMBERS, ONE));
  const s = f32x4.div(f, f32x4.add(f, splatFrom(NUMBERS, TWO)));
  const z = f32x4.mul(s, s);
  const low = madd(splatFrom(LOG2, 1), z, splatFrom(LOG2, 0));
  const high = madd(splatFrom(LOG2, 3), z, splatFrom(LOG2, 2));
  return madd(s, madd(high, f32x4.mul(z, z), low), n);
}

// @ts-ignore: decorator
@inline function log2Normal(x: v128): v128 {
  const e = exponentBits(x);
  return log2Parts(x, e, f32x4.convert_i32x4_s(e));
}

/** ln likewise, the exponent's share in two parts. */
// @ts-ignore: decorator
@inline function logNormal(x: v128, added: v128): v128 {
  const e = exponentBits(x);
  const f = f32x4.sub(i32x4.sub(x, i32x4.shl(e, 23)), splatFrom(NUMBERS, ONE));
  const n = f32x4.sub(f32x4.convert_i32x4_s(e), added);
  const low = madd(n, splatFrom(LOG, LOG_LN2_LOW), logMantissa(f));
  return madd(n, splatFrom(LOG, LOG_LN2_HIGH), low);
}

/** log2 x. At most 3.2 ULP in ½ … 2 (WGSL: 2^-21, which is more), 1.1 outside (WGSL: 3); exact for powers of two. */
// @ts-ignore: decorator
@inline export function log2(x: v128): v128 {
  return allNormal(x) ? log2Normal(x) : log2Any(x);
}

function log2Any(x: v128): v128 {
  const tiny = f32x4.lt(x, splatFrom(NUMBERS, SMALLEST_NORMAL));
  const scaled = select(tiny, f32x4.mul(x, splatFrom(NUMBERS, TWO_24)), x);
  const e = exponentBits(scaled);
  return logEdges(x, log2Parts(scaled, e, f32x4.sub(f32x4.convert_i32x4_s(e), v128.and(tiny, splatFrom(NUMBERS, TWENTY_FOUR)))));
}

/** ln x. At most 1.2 ULP (WGSL: 3 ULP, 2^-21 absolute in ½…2). */
// @ts-ignore: decorator
@inline export function log(x: v128): v128 {
  return allNormal(x) ? logNormal(x, i32x4.splat(0)) : logAny(x);
}

function logAny(x: v128): v128 {
  const tiny = f32x4.lt(x, splatFrom(NUMBERS, SMALLEST_NORMAL));
  const scaled = select(tiny, f32x4.mul(x, splatFrom(NUMBERS, TWO_24)), x);
  return logEdges(x, logNormal(scaled, v128.and(tiny, splatFrom(NUMBERS, TWENTY_FOUR))));
}

/** ln(1+u), u ≥ 0 or just below: log of the rounded sum, and what the rounding lost. */
// @ts-ignore: decorator
@inline export function log1p(u: v128): v128 {
  const one = splatFrom(NUMBERS, ONE);
  const w = f32x4.add(u, one);
  const lost = f32x4.div(f32x4.sub(u, f32x4.sub(w, one)), w);
  return f32x4.add(log(w), v128.and(lost, f32x4.lt(w, splatFrom(NUMBERS, INFINITE))));
}

/** x^y as exp2(y·log2 x), from which WGSL's bound is inherited; 1 for y = 0, NaN for x < 0. */
// @ts-ignore: decorator
@inline export function pow(x: v128, y: v128): v128 {
  const zero = f32x4.eq(x, i32x4.splat(0));
  // Black is usual too: 0 to a positive power goes along as 1, whose logarithm is 0, and becomes 0 at the end.
  const black = v128.and(zero, f32x4.gt(y, i32x4.splat(0)));
  let zeros = zero;
  let logarithm: v128;
  if (allTrue(v128.or(normalLanes(x), black))) {
    logarithm = v128.andnot(log2Normal(x), zero);
  } else {
    // Where y is 0, so is the product, whatever x is.
    logarithm = v128.andnot(log2Any(x), f32x4.eq(y, i32x4.splat(0)));
    zeros = i32x4.splat(0);
  }
  return v128.andnot(exp2(f32x4.mul(y, logarithm)), zeros);
}
