// Constants of the mathematical functions, in read-only memory. The four-lane versions load them with a splat and the
// scalar twins one by one, so that both use the same bits. Polynomials are minimax fits over the stated reduced range,
// with coefficients rounded to f32, lowest power first. "fit" is the error of the fit.

/** Common numbers, by the indices below. */
export const NUMBERS: usize = memory.data<f32>([
  1,
  0.5,
  2,
  0.25,
  -1,
  12582912,
  16777216,
  1.17549435e-38,
  24,
  Infinity,
  0.70710677,
  2147483520,
  4294967040,
]);
export const ONE: i32 = 0;
export const HALF: i32 = 1;
export const TWO: i32 = 2;
export const QUARTER: i32 = 3;
export const MINUS_ONE: i32 = 4;
/** 1.5 · 2^23: adding it to |x| < 2^22 leaves the nearest integer in the low bits. */
export const ROUNDER: i32 = 5;
/** Multiplying by 2^24 brings a denormal into the normal range. */
export const TWO_24: i32 = 6;
export const SMALLEST_NORMAL: i32 = 7;
export const TWENTY_FOUR: i32 = 8;
export const INFINITE: i32 = 9;
/** 3f3504f3: mantissas are taken from here to √2. */
export const ROOT_HALF: i32 = 10;
/** The largest f32 values within i32 and u32, to which conversions are limited (WGSL §15.7.6). */
export const MAX_I32: i32 = 11;
export const MAX_U32: i32 = 12;

/**
 * Tests for ranges of bits with one signed comparison: a number is in the range if, after adding the first constant, it
 * is at most the second. The ranges are 00800000…7f7fffff, the positive normal numbers, and ROUNDER − 125…ROUNDER +
 * 125.
 */
export const RANGES: usize = memory.data<i32>([0x7f800000, -16777217, 0x34c0007d, -2147483398]);
export const POSITIVE_ADDED: i32 = 0;
export const POSITIVE_MAX: i32 = 1;
export const WHOLE_ADDED: i32 = 2;
export const WHOLE_MAX: i32 = 3;

/** 2^f = 1 + f·P(f), f in ±0.5; fit 2^-28.9. Then the range to which x is clamped. */
export const EXP2: usize = memory.data<f32>([
  0.6931471824645996, 0.24022647738456726, 0.055503323674201965, 0.00961843691766262, 0.0013398873852565885,
  0.00015353366325143725, -151, 129,
]);
export const EXP2_MIN: i32 = 6;
export const EXP2_MAX: i32 = 7;

/**
 * e^r = 1 + (r + r²·P(r)), r in ±ln 2/2; fit 2^-28.2. Then log2 e, ln 2 in two parts (nine bits and the rest), and the
 * range of x.
 */
export const EXP: usize = memory.data<f32>([
  0.5, 0.166665181517601, 0.04166620597243309, 0.008368883281946182, 0.0013950482243672013, 1.4426950408889634,
  0.693359375, -0.00021219444005469057, -104, 90, 86,
]);
export const EXP_LOG2E: i32 = 5;
export const EXP_LN2_HIGH: i32 = 6;
export const EXP_LN2_LOW: i32 = 7;
export const EXP_MIN: i32 = 8;
export const EXP_MAX: i32 = 9;
/** For |x| below this, results and their halves are normal numbers. */
export const EXP_NORMAL: i32 = 10;

/** 2·atanh(s) = 2s + s·z·P(z), z = s², s = f/(2+f), 1+f in √½…√2; fit 2^-29.2. */
export const LOG: usize = memory.data<f32>([
  0.6666677594184875, 0.399774968624115, 0.298730731010437, 0.693359375, -0.00021219444005469057, 0.6931471805599453,
]);
export const LOG_LN2_HIGH: i32 = 3;
export const LOG_LN2_LOW: i32 = 4;
export const LOG_LN2: i32 = 5;

/** log2(1+f) = s·P(z), s and z as above; fit 2^-26 (the rounding of the first coefficient). */
export const LOG2: usize = memory.data<f32>([
  2.885390043258667, 0.9617984890937805, 0.5767260789871216, 0.4317442774772644,
]);

/** sin r += r·z·P(z), z = r², r in ±π/4; fit 2^-28. */
export const SIN: usize = memory.data<f32>([-0.16666655242443085, 0.008332154713571072, -0.00019514084851834923]);
/** cos r = 1 − z/2 + z²·P(z); fit 2^-33. */
export const COS: usize = memory.data<f32>([0.04166664555668831, -0.0013887337408959866, 2.4434846636722796e-5]);
/**
 * 2/π; π/2 in three parts, the first two short enough that multiples below 2^13 are exact; the largest |x| for which
 * this holds.
 */
export const ANGLE: usize = memory.data<f32>([
  0.6366197723675814, 1.5703125, 0.0004837512969970703, 7.549789954891869e-8, 8192,
]);
export const ANGLE_INVERSE: i32 = 0;
export const ANGLE_HIGH: i32 = 1;
export const ANGLE_MIDDLE: i32 = 2;
export const ANGLE_LOW: i32 = 3;
export const ANGLE_LIMIT: i32 = 4;
/** All bits of a float except its sign; the bits of ANGLE_LIMIT. */
export const ANGLE_BITS: usize = memory.data<i32>([0x7fffffff, 0x46000000]);
export const ANGLE_MAGNITUDE: i32 = 0;
export const ANGLE_LIMIT_BITS: i32 = 1;

/** atan t += t·z·P(z), z = t², t in 0…1; fit 2^-28.7. Then π/2, π. */
export const ATAN: usize = memory.data<f32>([
  -0.33333301544189453, 0.19998638331890106, -0.1426524519920349, 0.10957575589418411, -0.08419456332921982,
  0.058234501630067825, -0.03145565465092659, 0.011064417660236359, -0.0018272078596055508, 1.5707963267948966,
  3.141592653589793,
]);
export const ATAN_HALF_PI: i32 = 9;
export const ATAN_PI: i32 = 10;

/** asin s += s·z·P(z), z = s², s in 0…½; fit 2^-27.6. Then π/2, π. */
export const ASIN: usize = memory.data<f32>([
  0.16666753590106964, 0.07495241612195969, 0.04547709599137306, 0.02414761111140251, 0.04221855103969574,
  1.5707963267948966, 3.141592653589793,
]);
export const ASIN_HALF_PI: i32 = 5;
export const ASIN_PI: i32 = 6;

/** sinh x += x·z·P(z), z = x², |x| < 1; fit 2^-34. */
export const SINH: usize = memory.data<f32>([
  0.1666666716337204, 0.008333350531756878, 0.0001983606634894386, 2.8174395083424404e-6,
]);

/** tanh x += x·z·P(z), z = x², |x| < 0.625; fit 2^-32.6. Then that limit. */
export const TANH: usize = memory.data<f32>([
  -0.3333333134651184, 0.13333210349082947, -0.05394720286130905, 0.021702969446778297, -0.008182678371667862,
  0.0021475404500961304, 0.625,
]);
export const TANH_SMALL: i32 = 6;

/** Beyond 2^30, asinh x and acosh x equal ln 2x to the last bit, while x² is still finite. */
export const AREA: usize = memory.data<f32>([1073741824]);
