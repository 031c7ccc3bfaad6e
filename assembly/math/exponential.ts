// Exponentials and logarithms of four lanes. The scalar twin takes the same steps in the same order. Error bounds are
// in units in the last place (ULP) of the exact result, measured by tests/math over all exponents.
import { allTrue, anySign, madd, max, min, select, splatFrom } from '../simd/lanes';
import {
  EXP,
  EXP2,
  EXP2_MAX,
  EXP2_MIN,
  EXP_LN2_HIGH,
  EXP_LN2_LOW,
  EXP_LOG2E,
  EXP_MAX,
  EXP_MIN,
  EXP_NORMAL,
  HALF,
  INFINITE,
  LOG,
  LOG2,
  LOG_LN2_HIGH,
  LOG_LN2_LOW,
  NUMBERS,
  ONE,
  POSITIVE_ADDED,
  POSITIVE_MAX,
  RANGES,
  ROOT_HALF,
  ROUNDER,
  SMALLEST_NORMAL,
  TWENTY_FOUR,
  TWO,
  TWO_24,
  WHOLE_ADDED,
  WHOLE_MAX,
} from './constants';
import { pair, series3 } from './series';

// Rare cases are in functions that are not inlined, so that loops around the common case stay small. A `…Common`
// function computes only the common case, without branches. Where it does not apply, the lane is RARE: all bits are
// set, a NaN that no function returns. Compiled code tests many results at once (src/codegen/jit/common.ts).

/** p·2^n for p in ½…2 and n in −152…254. At most the second product rounds. `bits` is ROUNDER + n. */
function scale(p: v128, bits: v128, extra: i32): v128 {
  const n = i32x4.sub(bits, i32x4.splat(0x4b400000 - extra));
  const half = i32x4.shr_s(n, 1);
  const one = i32x4.splat(0x3f800000);
  const first = i32x4.add(i32x4.shl(half, 23), one);
  const second = i32x4.add(i32x4.shl(i32x4.sub(n, half), 23), one);
  return f32x4.mul(f32x4.mul(p, first), second);
}

/** 1 + f·P(f) for the fraction f of an exponent. */
function exp2Series(f: v128): v128 {
  // Coefficients are combined in pairs, which halves the dependency chain that a loop over quads waits for.
  const square = f32x4.mul(f, f);
  const low = pair(EXP2, 0, f);
  const middle = pair(EXP2, 2, f);
  const high = pair(EXP2, 4, f);
  return madd(madd(madd(high, square, middle), square, low), f, splatFrom(NUMBERS, ONE));
}

/** ROUNDER + n for the whole number n nearest to x. */
function nearestWhole(x: v128): v128 {
  return f32x4.add(x, splatFrom(NUMBERS, ROUNDER));
}

/** 2^x for x within ±125, where adding to the exponent equals the product of `scale`. `whole` is nearestWhole(x). */
function exp2Normal(x: v128, whole: v128): v128 {
  const f = f32x4.sub(x, f32x4.sub(whole, splatFrom(NUMBERS, ROUNDER)));
  return i32x4.add(exp2Series(f), i32x4.shl(whole, 23));
}

/** The lanes of nearestWhole(x) where x is not within ±125, or NaN. */
function beyondNormal(whole: v128): v128 {
  return i32x4.gt_s(i32x4.add(whole, splatFrom(RANGES, WHOLE_ADDED)), splatFrom(RANGES, WHOLE_MAX));
}

/** 2^x for any x. */
export function exp2Any(x: v128): v128 {
  // Outside this range the result is 0 or infinity. NaN passes min and max as their first operand.
  const y = min(max(x, splatFrom(EXP2, EXP2_MIN)), splatFrom(EXP2, EXP2_MAX));
  const whole = nearestWhole(y);
  return scale(exp2Series(f32x4.sub(y, f32x4.sub(whole, splatFrom(NUMBERS, ROUNDER)))), whole, 0);
}

/** 2^x where that is normal, or 0 because x is far below; RARE elsewhere. */
export function exp2Common(x: v128): v128 {
  const whole = nearestWhole(x);
  const zeros = f32x4.lt(x, splatFrom(EXP2, EXP2_MIN));
  return v128.andnot(v128.or(exp2Normal(x, whole), beyondNormal(whole)), zeros);
}

/** 2^x. At most 1.4 ULP (WGSL allows 3 + 2·|x|); exact for whole x. */
export function exp2(x: v128): v128 {
  const common = exp2Common(x);
  return anySign(common) ? exp2Any(x) : common;
}

/** e^x · 2^extra without intermediate overflow. */
// @ts-ignore: decorator
@inline export function expScaled(x: v128, extra: i32): v128 {
  const rounder = splatFrom(NUMBERS, ROUNDER);
  const y = min(max(x, splatFrom(EXP, EXP_MIN)), splatFrom(EXP, EXP_MAX));
  const whole = madd(y, splatFrom(EXP, EXP_LOG2E), rounder);
  const n = f32x4.sub(whole, rounder);
  const r = f32x4.sub(
    f32x4.sub(y, f32x4.mul(n, splatFrom(EXP, EXP_LN2_HIGH))),
    f32x4.mul(n, splatFrom(EXP, EXP_LN2_LOW))
  );
  const square = f32x4.mul(r, r);
  const low = pair(EXP, 0, r);
  const middle = pair(EXP, 2, r);
  const series = madd(madd(splatFrom(EXP, 4), square, middle), square, low);
  const p = f32x4.add(madd(square, series, r), splatFrom(NUMBERS, ONE));
  if (allTrue(f32x4.lt(f32x4.abs(x), splatFrom(EXP, EXP_NORMAL))))
    return i32x4.add(p, i32x4.shl(i32x4.add(whole, i32x4.splat(extra)), 23));
  return scale(p, whole, extra);
}

/** e^x. At most 1.1 ULP (WGSL: 3 + 2·|x|). */
export function exp(x: v128): v128 {
  return expScaled(x, 0);
}

// x = m·2^e with m in √½…√2, for positive finite x. Denormal (`tiny`) lanes are scaled into the normal range first.
function exponentBits(scaled: v128): v128 {
  return i32x4.shr_s(i32x4.sub(scaled, splatFrom(NUMBERS, ROOT_HALF)), 23);
}

/** ln(1+f) for f in √½−1 … √2−1. */
function logMantissa(f: v128): v128 {
  const s = f32x4.div(f, f32x4.add(f, splatFrom(NUMBERS, TWO)));
  const z = f32x4.mul(s, s);
  const r = f32x4.mul(series3(LOG, z), z);
  // f − (f²/2 − s·(f²/2 + r)): the subtraction of the large terms is exact.
  const h = f32x4.mul(f32x4.mul(f, f), splatFrom(NUMBERS, HALF));
  return f32x4.sub(f, f32x4.sub(h, f32x4.mul(s, f32x4.add(h, r))));
}

/** Inserts the special results: 0 → −∞, ∞ → ∞, negative and NaN → NaN. */
function logEdges(x: v128, result: v128): v128 {
  const infinite = splatFrom(NUMBERS, INFINITE);
  const positive = select(f32x4.lt(x, infinite), result, infinite);
  const other = select(f32x4.eq(x, i32x4.splat(0)), f32x4.neg(infinite), i32x4.splat(0x7fc00000));
  return select(f32x4.gt(x, i32x4.splat(0)), positive, other);
}

/**
 * The lanes that are not positive, finite and normal, and thus need scaling or special results. The addition rotates
 * the range of bits so that one comparison suffices.
 */
function beyondPositive(x: v128): v128 {
  return i32x4.gt_s(i32x4.add(x, splatFrom(RANGES, POSITIVE_ADDED)), splatFrom(RANGES, POSITIVE_MAX));
}

/**
 * Returns log2 of the mantissa of `x`, plus `n`. `e` is the exponent of `x`; `n` is e minus the exponent by which a
 * denormal was scaled. The mantissa's term has an error of up to 3.2 ULP. For x near one, it is the whole result.
 */
function log2Parts(x: v128, e: v128, n: v128): v128 {
  const f = f32x4.sub(i32x4.sub(x, i32x4.shl(e, 23)), splatFrom(NUMBERS, ONE));
  const s = f32x4.div(f, f32x4.add(f, splatFrom(NUMBERS, TWO)));
  const z = f32x4.mul(s, s);
  const low = pair(LOG2, 0, z);
  const high = pair(LOG2, 2, z);
  return madd(s, madd(high, f32x4.mul(z, z), low), n);
}

function log2Normal(x: v128): v128 {
  const e = exponentBits(x);
  return log2Parts(x, e, f32x4.convert_i32x4_s(e));
}

/** Returns ln of a normal `x` that was scaled by 2^`added`, without the scale. The exponent's term has two parts. */
function logNormal(x: v128, added: v128): v128 {
  const e = exponentBits(x);
  const f = f32x4.sub(i32x4.sub(x, i32x4.shl(e, 23)), splatFrom(NUMBERS, ONE));
  const n = f32x4.sub(f32x4.convert_i32x4_s(e), added);
  const low = madd(n, splatFrom(LOG, LOG_LN2_LOW), logMantissa(f));
  return madd(n, splatFrom(LOG, LOG_LN2_HIGH), low);
}

/** log2 x where x is positive, finite and normal; RARE elsewhere. */
export function log2Common(x: v128): v128 {
  return v128.or(log2Normal(x), beyondPositive(x));
}

/** log2 x. At most 3.2 ULP in ½…2 (WGSL: 2^-21, which is more), 1.1 outside (WGSL: 3); exact for powers of two. */
export function log2(x: v128): v128 {
  return anySign(beyondPositive(x)) ? log2Any(x) : log2Normal(x);
}

/** log2 x for any x. */
export function log2Any(x: v128): v128 {
  const tiny = f32x4.lt(x, splatFrom(NUMBERS, SMALLEST_NORMAL));
  const scaled = select(tiny, f32x4.mul(x, splatFrom(NUMBERS, TWO_24)), x);
  const e = exponentBits(scaled);
  return logEdges(
    x,
    log2Parts(scaled, e, f32x4.sub(f32x4.convert_i32x4_s(e), v128.and(tiny, splatFrom(NUMBERS, TWENTY_FOUR))))
  );
}

/** ln x. At most 1.2 ULP (WGSL: 3 ULP, 2^-21 absolute in ½…2). */
// @ts-ignore: decorator
@inline export function log(x: v128): v128 {
  return anySign(beyondPositive(x)) ? logAny(x) : logNormal(x, i32x4.splat(0));
}

function logAny(x: v128): v128 {
  const tiny = f32x4.lt(x, splatFrom(NUMBERS, SMALLEST_NORMAL));
  const scaled = select(tiny, f32x4.mul(x, splatFrom(NUMBERS, TWO_24)), x);
  return logEdges(x, logNormal(scaled, v128.and(tiny, splatFrom(NUMBERS, TWENTY_FOUR))));
}

/** ln(1+u) for u ≥ 0 or slightly below: the log of the rounded sum, plus a correction for the rounding. */
// @ts-ignore: decorator
@inline export function log1p(u: v128): v128 {
  const one = splatFrom(NUMBERS, ONE);
  const w = f32x4.add(u, one);
  const lost = f32x4.div(f32x4.sub(u, f32x4.sub(w, one)), w);
  return f32x4.add(log(w), v128.and(lost, f32x4.lt(w, splatFrom(NUMBERS, INFINITE))));
}

/** `power` where y is not 2; elsewhere x·x, as for constant exponents (src/wgsl/power.ts). */
function orSquare(x: v128, y: v128, power: v128): v128 {
  return select(f32x4.eq(y, splatFrom(NUMBERS, TWO)), f32x4.mul(x, x), power);
}

/** x^y for any x and y. */
export function powAny(x: v128, y: v128): v128 {
  // If y is 0, so is the product, whatever x is.
  return orSquare(x, y, exp2Any(f32x4.mul(y, v128.andnot(log2Any(x), f32x4.eq(y, i32x4.splat(0))))));
}

/**
 * x^y for y other than 2 where x and x^y are normal, or where x^y is 0: a zero to a positive power, or an underflow
 * (outside specular highlights, for example). RARE elsewhere.
 */
export function powCommon(x: v128, y: v128): v128 {
  const t = f32x4.mul(y, log2Normal(x));
  const whole = nearestWhole(t);
  const none = i32x4.splat(0);
  const black = v128.and(f32x4.eq(x, none), f32x4.gt(y, none));
  const zeros = v128.or(black, f32x4.lt(t, splatFrom(EXP2, EXP2_MIN)));
  // For negative x, t is meaningless, and beyondPositive makes the lane RARE in any case.
  const rare = v128.or(v128.andnot(beyondPositive(x), black), v128.andnot(beyondNormal(whole), zeros));
  return v128.or(v128.andnot(exp2Normal(t, whole), zeros), rare);
}

/** powCommon for y in 0…16, as for a gamma. Here x = 0 gives 0 for every y, and underflows are RARE. */
export function powModerate(x: v128, y: v128): v128 {
  const t = f32x4.mul(y, log2Normal(x));
  const whole = nearestWhole(t);
  const rare = v128.or(beyondPositive(x), beyondNormal(whole));
  return v128.andnot(v128.or(exp2Normal(t, whole), rare), f32x4.eq(x, i32x4.splat(0)));
}

/** x^y as exp2(y·log2 x), from which WGSL derives its bound, or x·x; 1 for y = 0, NaN for x < 0 unless y is 2. */
export function pow(x: v128, y: v128): v128 {
  const common = orSquare(x, y, powCommon(x, y));
  return anySign(common) ? powAny(x, y) : common;
}
