// Kinds of numbers: what the bits of a channel mean. A kind is a class that serves as a type argument of codecs
// (codecs.ts).
//
// - `word` is a channel's bits: the low `width` bits of a lane or of a u32.
// - `value` is an f32 or, for integers, a 32-bit integer. The v128 form decodes the bits from `shift` on.
// - Members whose name ends in Bits are the scalar twins, with the same results.
//
// Values outside the range of the format become the nearest representable value. NaN becomes 0 or the canonical NaN.

import { floatsOfUpperHalves, intsOfWhole, smallFloats } from '../simd/channels';
import { canonicalNaN, madd, max, min, splatFrom } from '../simd/lanes';
import { floatToHalf, floatToSmall, halfToFloat, smallToFloat } from './half';
import { linearToSrgb, linearToSrgb4, srgbToLinear, srgbToLinear4 } from './srgb';

/** 2^width − 1 as f32. The constants are data because V8 would rebuild constants in code at every use. */
const MOST: usize = memory.data<f32>([
  0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, 65535,
]);
/** 2^width − 1. */
const MASKS: usize = memory.data<u32>([
  0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, 65535,
]);
const HALF_ONE: usize = memory.data<f32>([0.5, 1]);

/** `width` bits of each word, starting at bit `shift`, zero-extended. */
// @ts-ignore: decorator
@inline
function bitsOf(words: v128, shift: i32, width: i32): v128 {
  const shifted = shift ? i32x4.shr_u(words, shift) : words;
  return shift + width < 32 ? v128.and(shifted, splatFrom(MASKS, width)) : shifted;
}

/** `width` bits of each word, starting at bit `shift`, sign-extended. */
function signedBitsOf(words: v128, shift: i32, width: i32): v128 {
  return i32x4.shr_s(i32x4.shl(words, 32 - shift - width), 32 - width);
}

/** Clamps to 0…1; NaN becomes 0. */
export function clamp01(x: v128): v128 {
  return min(max(f32x4.splat(0), x), splatFrom(HALF_ONE, 1));
}

/** clamp01 of a single number. */
function saturate(x: f32): f32 {
  const low: f32 = 0 < x ? x : 0;
  return low > 1 ? 1 : low;
}

/** round(saturate(x) · most); NaN gives 0. */
export function quantise(x: f32, most: f32): u32 {
  return <u32>floor<f32>(saturate(x) * most + 0.5);
}

/** Unsigned normalized numbers, 0…1. */
@unmanaged export class Unorm {

  @inline get one(): f32 {
    return 1;
  }


  @inline get hasNaN(): bool {
    return false;
  }


  @inline get isLinear(): bool {
    return true;
  }


  @inline clamp(x: v128): v128 {
    return clamp01(x);
  }
  clampBits(x: u32): u32 {
    return reinterpret<u32>(saturate(reinterpret<f32>(x)));
  }
  /** Applies the transfer function to values in 0…1; identity for linear formats. */
  @inline curve(x: v128): v128 {
    return x;
  }
  /**
   * Multiplying by the reciprocal would give other bits. Where a loop keeps constants, two products give the bits of
   * the quotient: FourBytes.valueBy.
   */
  @inline value(words: v128, shift: i32, width: i32): v128 {
    return f32x4.div(f32x4.convert_i32x4_s(bitsOf(words, shift, width)), splatFrom(MOST, width));
  }


  @inline word(x: v128, width: i32): v128 {
    return intsOfWhole(f32x4.floor(madd(clamp01(x), splatFrom(MOST, width), splatFrom(HALF_ONE, 0))));
  }
  valueBits(word: u32, width: i32): u32 {
    return reinterpret<u32>(<f32>word / load<f32>(MOST + (width << 2)));
  }
  wordBits(x: u32, width: i32): u32 {
    return quantise(reinterpret<f32>(x), load<f32>(MOST + (width << 2)));
  }
}

/** sRGB bytes (srgb.ts). */
@unmanaged export class Srgb {

  @inline get one(): f32 {
    return 1;
  }


  @inline get hasNaN(): bool {
    return false;
  }


  @inline get isLinear(): bool {
    return false;
  }


  @inline clamp(x: v128): v128 {
    return clamp01(x);
  }
  clampBits(x: u32): u32 {
    return reinterpret<u32>(saturate(reinterpret<f32>(x)));
  }


  @inline curve(x: v128): v128 {
    return linearToSrgb4(x);
  }
  value(words: v128, shift: i32, width: i32): v128 {
    return srgbToLinear4(bitsOf(words, shift, width));
  }
  valueBits(word: u32, width: i32): u32 {
    return reinterpret<u32>(srgbToLinear(word));
  }
  wordBits(x: u32, width: i32): u32 {
    return quantise(linearToSrgb(saturate(reinterpret<f32>(x))), 255);
  }
}

/** Signed normalized numbers, −1…1; the most negative two's complement number also means −1. */
@unmanaged export class Snorm {

  @inline get one(): f32 {
    return 1;
  }


  @inline get hasNaN(): bool {
    return false;
  }
  /** False because its bytes differ from those of Unorm. */
  @inline get isLinear(): bool {
    return false;
  }
  /** NaN becomes 0. */
  @inline clamp(x: v128): v128 {
    const numbers = v128.and(x, f32x4.eq(x, x));
    return min(max(numbers, f32x4.splat(-1)), splatFrom(HALF_ONE, 1));
  }
  clampBits(x: u32): u32 {
    const value = reinterpret<f32>(x);
    return reinterpret<u32>(value < -1 ? -1 : value > 1 ? 1 : value == value ? value : 0);
  }


  @inline value(words: v128, shift: i32, width: i32): v128 {
    const whole = signedBitsOf(words, shift, width);
    return max(f32x4.div(f32x4.convert_i32x4_s(whole), splatFrom(MOST, width - 1)), f32x4.splat(-1));
  }


  @inline word(x: v128, width: i32): v128 {
    const steps = madd(this.clamp(x), splatFrom(MOST, width - 1), splatFrom(HALF_ONE, 0));
    return v128.and(intsOfWhole(f32x4.floor(steps)), splatFrom(MASKS, width));
  }
  valueBits(word: u32, width: i32): u32 {
    const value = <f32>((<i32>(word << (32 - width))) >> (32 - width)) / load<f32>(MOST + ((width - 1) << 2));
    return reinterpret<u32>(value < -1 ? -1 : value);
  }
  wordBits(x: u32, width: i32): u32 {
    const value = reinterpret<f32>(this.clampBits(x));
    return <i32>floor<f32>(value * load<f32>(MOST + ((width - 1) << 2)) + 0.5);
  }
}

/** Unsigned integers. */
@unmanaged export class Unsigned {

  @inline get one(): u32 {
    return 1;
  }


  @inline get hasNaN(): bool {
    return false;
  }


  @inline get isLinear(): bool {
    return false;
  }
  clampBits(x: u32): u32 {
    return x;
  }


  @inline value(words: v128, shift: i32, width: i32): v128 {
    return bitsOf(words, shift, width);
  }


  @inline word(x: v128, width: i32): v128 {
    return width == 32 ? x : i32x4.min_u(x, i32x4.splat((1 << width) - 1));
  }
  valueBits(word: u32, width: i32): u32 {
    return word;
  }
  wordBits(x: u32, width: i32): u32 {
    return width == 32 ? x : x < 1 << width ? x : (1 << width) - 1;
  }
}

/** Signed integers in two's complement. */
@unmanaged export class Signed {

  @inline get one(): u32 {
    return 1;
  }


  @inline get hasNaN(): bool {
    return false;
  }


  @inline get isLinear(): bool {
    return false;
  }
  clampBits(x: u32): u32 {
    return x;
  }


  @inline value(words: v128, shift: i32, width: i32): v128 {
    return signedBitsOf(words, shift, width);
  }


  @inline word(x: v128, width: i32): v128 {
    if (width == 32) return x;
    const most = (1 << (width - 1)) - 1;
    const within = i32x4.max_s(i32x4.min_s(x, i32x4.splat(most)), i32x4.splat(~most));
    return v128.and(within, i32x4.splat((1 << width) - 1));
  }
  valueBits(word: u32, width: i32): u32 {
    return (<i32>(word << (32 - width))) >> (32 - width);
  }
  wordBits(x: u32, width: i32): u32 {
    const most = <i32>((<u32>0x7fffffff) >> (32 - width));
    return <i32>x > most ? most : <i32>x < ~most ? ~most : x;
  }
}

/** Half floats. */
@unmanaged export class Half {

  @inline get one(): f32 {
    return 1;
  }
  /** Whether values may be NaN, whose bits in lanes can differ from those of the scalar twin. */
  @inline get hasNaN(): bool {
    return true;
  }


  @inline get isLinear(): bool {
    return true;
  }


  @inline clamp(x: v128): v128 {
    return x;
  }
  clampBits(x: u32): u32 {
    return x;
  }


  @inline value(words: v128, shift: i32, width: i32): v128 {
    return floatsOfUpperHalves(shift ? words : i32x4.shl(words, 16));
  }
  valueBits(word: u32, width: i32): u32 {
    return reinterpret<u32>(halfToFloat(word));
  }
  wordBits(x: u32, width: i32): u32 {
    return floatToHalf(reinterpret<f32>(x));
  }
}

/** f32; encoding canonicalizes NaN. */
@unmanaged export class Float {

  @inline get one(): f32 {
    return 1;
  }


  @inline get hasNaN(): bool {
    return false;
  }


  @inline get isLinear(): bool {
    return true;
  }


  @inline clamp(x: v128): v128 {
    return x;
  }
  clampBits(x: u32): u32 {
    return x;
  }


  @inline value(words: v128, shift: i32, width: i32): v128 {
    return words;
  }


  @inline word(x: v128, width: i32): v128 {
    return canonicalNaN(x);
  }
  valueBits(word: u32, width: i32): u32 {
    return word;
  }
  wordBits(x: u32, width: i32): u32 {
    return (x & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : x;
  }
}

/** Unsigned floats with a 5-bit exponent. */
@unmanaged export class SmallFloat {

  @inline get one(): f32 {
    return 1;
  }


  @inline get hasNaN(): bool {
    return true;
  }


  @inline get isLinear(): bool {
    return true;
  }


  @inline clamp(x: v128): v128 {
    return x;
  }
  clampBits(x: u32): u32 {
    return x;
  }
  value(words: v128, shift: i32, width: i32): v128 {
    return floatsOfUpperHalves(i32x4.shl(bitsOf(words, shift, width), 31 - width));
  }
  word(x: v128, width: i32): v128 {
    return smallFloats(x, width - 5);
  }
  valueBits(word: u32, width: i32): u32 {
    return reinterpret<u32>(smallToFloat(word, width - 5));
  }
  wordBits(x: u32, width: i32): u32 {
    return floatToSmall(reinterpret<f32>(x), width - 5);
  }
}
