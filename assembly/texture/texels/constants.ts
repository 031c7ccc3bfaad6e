// Constants of texture reads, kept as words in memory. One load fills all lanes, whereas V8 would rebuild a v128.const
// at every use (splatFrom, simd/lanes.ts).

/** f32 constants, by index. */
export const NUMBERS: usize = memory.data<f32>([
  0.5,
  1.0,
  -0.5,
  16384.0,
  255.0,
  1.0 / (255.0 * 16384.0),
  1.0 / 255.0,
  0.7213567495346069,
  -0.3605659008026123,
  0.23967386782169342,
  -0.18374522030353546,
  0.16107894480228424,
  -0.10329673439264297,
]);
export const HALF = 0;
export const ONE = 1;
export const MINUS_HALF = 2;
export const BYTE_WEIGHT = 3;
export const BYTE_DIVISOR = 4;
/** BYTE_SCALE and UNORM8_SCALE of classes.ts. */
export const BYTE_SUM = 5;
export const UNORM8 = 6;
/** Coefficients of half a logarithm, from the lowest degree (level.ts). */
export const LOG_1 = 7;
export const LOG_2 = 8;
export const LOG_3 = 9;
export const LOG_4 = 10;
export const LOG_5 = 11;
export const LOG_6 = 12;

/** Bit patterns, by index. */
export const BITS: usize = memory.data<u32>([
  0x3f3504f3, 0x4b400000, 0x4b000000, 16384, 0x00ff00ff, 0xff, 0xffff, 0x8fffe000, 0x77800000, 0x08000800,
]);
/** √½ as f32. */
export const ROOT_HALF = 0;
/** 1.5·2^23 as f32, and its bits: adding and then subtracting it converts whole f32 values to integers. */
export const WHOLE = 1;
/** 2^23 as f32, and its bits: adding it rounds numbers from 0 to 2^23. */
export const ROUND = 2;
export const WEIGHT = 3;
/** Every other byte. */
export const EVEN_BYTES = 4;
export const LOW_BYTE = 5;
export const LOW_WORD = 6;
/**
 * For half floats: sign and shifted magnitude; 2^112 as f32; twice the smallest normal number, in both halves of a
 * word.
 */
export const HALF_SHIFTED = 7;
export const HALF_SCALE = 8;
export const HALF_SPECIAL = 9;
