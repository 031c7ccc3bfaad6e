// Integer operations of single values where WGSL differs from WebAssembly.

/** Signed x ÷ y; x for y = 0, min for min ÷ −1. */
export function divSignedScalar(x: i32, y: i32): i32 {
  return y == 0 || (x == i32.MIN_VALUE && y == -1) ? x : x / y;
}

/** Signed x % y; 0 for y = 0 and min % −1. */
export function remSignedScalar(x: i32, y: i32): i32 {
  return y == 0 || (x == i32.MIN_VALUE && y == -1) ? 0 : x % y;
}

/** Unsigned x ÷ y; x for y = 0. */
export function divUnsignedScalar(x: u32, y: u32): u32 {
  return y == 0 ? x : x / y;
}

/** Unsigned x % y; 0 for y = 0. */
export function remUnsignedScalar(x: u32, y: u32): u32 {
  return y == 0 ? 0 : x % y;
}

/** 1, −1 or 0. */
export function signIntegerScalar(x: i32): i32 {
  return (x >> 31) | (x > 0);
}

/** Index of the highest bit that is 1; −1 for 0. */
export function firstLeadingBitUnsignedScalar(x: u32): i32 {
  return 31 - clz<i32>(x);
}

/** Index of the highest bit that differs from the sign; −1 for 0 and −1. */
export function firstLeadingBitSignedScalar(x: i32): i32 {
  return 31 - clz<i32>(x ^ (x >> 31));
}

/** Index of the lowest bit that is 1; −1 for 0. */
export function firstTrailingBitScalar(x: u32): i32 {
  return x == 0 ? -1 : ctz<i32>(x);
}

export function reverseBitsScalar(x: u32): u32 {
  let y = bswap<u32>(x);
  y = ((y >> 4) & 0x0f0f0f0f) | ((y & 0x0f0f0f0f) << 4);
  y = ((y >> 2) & 0x33333333) | ((y & 0x33333333) << 2);
  return ((y >> 1) & 0x55555555) | ((y & 0x55555555) << 1);
}

/**
 * Extracts `count` bits from bit `offset` on, extended with the signedness of T. Both are clamped to the word (WGSL
 * §17.5, extractBits).
 */
export function extractBitsScalar<T>(x: T, offset: u32, count: u32): T {
  const o = min<u32>(offset, 32);
  const c = min<u32>(count, 32 - o);
  const above = <T>(32 - c - o);
  return c == 0 ? 0 : (x << above) >> (<T>(32 - c));
}

/** Replaces `count` bits of x, from bit `offset` on, by the low bits of `inserted`. */
export function insertBitsScalar(x: u32, inserted: u32, offset: u32, count: u32): u32 {
  const o = min<u32>(offset, 32);
  const c = min<u32>(count, 32 - o);
  if (c == 0) return x;
  const mask = (0xffffffff >> (32 - c)) << o;
  return (x & ~mask) | ((inserted << o) & mask);
}
