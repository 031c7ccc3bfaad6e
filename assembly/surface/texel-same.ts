// Copies, repeats and compares texels of any size by their bits. Both builds share this code.

import { lanesOf } from '../simd/texels';

export function sameTexel(bytes: i32, a: usize, b: usize): bool {
  switch (bytes) {
    case 1:
      return load<u8>(a) == load<u8>(b);
    case 2:
      return load<u16>(a) == load<u16>(b);
    case 4:
      return load<u32>(a) == load<u32>(b);
    case 8:
      return load<u64>(a) == load<u64>(b);
    default:
      return load<u64>(a) == load<u64>(b) && load<u64>(a, 8) == load<u64>(b, 8);
  }
}

export function copyTexel(bytes: i32, to: usize, from: usize): void {
  switch (bytes) {
    case 1:
      store<u8>(to, load<u8>(from));
      return;
    case 2:
      store<u16>(to, load<u16>(from));
      return;
    case 4:
      store<u32>(to, load<u32>(from));
      return;
    case 8:
      store<u64>(to, load<u64>(from));
      return;
    default:
      store<u64>(to, load<u64>(from));
      store<u64>(to, load<u64>(from, 8), 8);
  }
}

/** Writes the texel at `from`, repeated to 16 bytes. */
export function copyRepeated(bytes: i32, to: usize, from: usize): void {
  for (let offset = 0; offset < 16; offset += bytes) copyTexel(bytes, to + offset, from);
}

/** Whether all texels in the `length` bytes at `at`, at least two and a multiple of 8, are the same. */
export function repeats(bytes: i32, at: usize, length: usize): bool {
  const last = at + length - 8;
  const next = at + bytes;
  if (load<u64>(last - bytes) != load<u64>(last)) return false;
  for (let offset: usize = 0; next + offset < last; offset += 8)
    if (load<u64>(at + offset) != load<u64>(next + offset)) return false;
  return true;
}

/** Writes four adjacent copies of the texel at `from`, which may be the first of them. */
export function copyFour(bytes: i32, to: usize, from: usize): void {
  switch (bytes) {
    case 1:
      store<u32>(to, load<u8>(from) * 0x01010101);
      return;
    case 2:
      store<u64>(to, <u64>load<u16>(from) * 0x0001000100010001);
      return;
    case 4: {
      const pair = <u64>load<u32>(from) * 0x0000000100000001;
      store<u64>(to, pair);
      store<u64>(to, pair, 8);
      return;
    }
    case 8:
      repeatWords(to, load<u64>(from), load<u64>(from), 32);
      return;
    default:
      repeatWords(to, load<u64>(from), load<u64>(from, 8), 64);
  }
}

/** Four adjacent texels: `one` where the bit is set, else `other`. */
export function chooseFour(bytes: i32, to: usize, bits: i32, one: usize, other: usize): void {
  if (ASC_FEATURE_SIMD) {
    if (bytes == 4) {
      v128.store(to, v128.bitselect(v128.load32_splat(one), v128.load32_splat(other), lanesOf(bits)));
      return;
    }
  }
  for (let lane = 0; lane < 4; lane++) copyTexel(bytes, to + lane * bytes, (bits >> lane) & 1 ? one : other);
}

/** Fills `length` bytes, a multiple of 16, with two alternating 64-bit words. */
export function repeatWords(to: usize, first: u64, second: u64, length: usize): void {
  for (const end = to + length; to < end; to += 16) {
    if (ASC_FEATURE_SIMD) {
      v128.store(to, i64x2(first, second));
    } else {
      store<u64>(to, first);
      store<u64>(to, second, 8);
    }
  }
}

/** Copies `length` bytes, a multiple of 16. */
export function copyWords(to: usize, from: usize, length: usize): void {
  for (let offset: usize = 0; offset < length; offset += 16) {
    if (ASC_FEATURE_SIMD) {
      v128.store(to + offset, v128.load(from + offset));
    } else {
      store<u64>(to + offset, load<u64>(from + offset));
      store<u64>(to + offset, load<u64>(from + offset, 8), 8);
    }
  }
}
