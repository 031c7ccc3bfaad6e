// Texels of any size to where they belong: four to four places, or one to the samples of a pixel, as far as a mask says.

import { lanesOf } from '../simd/texels';

/** Stores those of the four texels at `from` whose bit is set at `at`, in the bits of `written`. */
// @ts-ignore: decorator
@inline
export function putFour(bytes: i32, at: usize, from: usize, bits: i32, written: v128): void {
  switch (bytes) {
    case 1: merge4(at, load<u32>(from), bits, written); return;
    case 2: merge8(at, load<u64>(from), bits, written); return;
    case 4: merge(at, v128.load(from), v128.and(lanesOf(bits), written)); return;
    case 8:
      merge(at, v128.load(from), v128.and(pairLanes(bits), written));
      merge(at + 16, v128.load(from, 16), v128.and(pairLanes(bits >> 2), written));
      return;
    default:
      for (let i: usize = 0; i < 4; i++) {
        if (bits & (1 << <i32>i)) merge(at + (i << 4), v128.load(from + (i << 4)), written);
      }
  }
}

/** Stores the texel at `from` to the samples of the pixel at `at` whose bit is set, in the bits of `written`. */
// @ts-ignore: decorator
@inline
export function putSamples(bytes: i32, at: usize, from: usize, bits: i32, written: v128): void {
  switch (bytes) {
    case 1: merge4(at, <u32>load<u8>(from) * 0x01010101, bits, written); return;
    case 2: merge8(at, <u64>load<u16>(from) * 0x0001000100010001, bits, written); return;
    case 4: merge(at, v128.load32_splat(from), v128.and(lanesOf(bits), written)); return;
    case 8: {
      const texel = v128.load64_splat(from);
      merge(at, texel, v128.and(pairLanes(bits), written));
      merge(at + 16, texel, v128.and(pairLanes(bits >> 2), written));
      return;
    }
    default: {
      const texel = v128.load(from);
      for (let i: usize = 0; i < 4; i++) {
        if (bits & (1 << <i32>i)) merge(at + (i << 4), texel, written);
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function merge(at: usize, texels: v128, mask: v128): void {
  v128.store(at, v128.bitselect(texels, v128.load(at), mask));
}

/** Four texels of a byte. Bit i of `bits` times 2^7i is bit 8i, alone in its byte's lowest place. */
// @ts-ignore: decorator
@inline
function merge4(at: usize, texels: u32, bits: i32, written: v128): void {
  const mask = ((<u32>bits * 0x204081) & 0x01010101) * 255 & <u32>i32x4.extract_lane(written, 0);
  store<u32>(at, (load<u32>(at) & ~mask) | (texels & mask));
}

/** Four texels of two bytes, likewise. */
// @ts-ignore: decorator
@inline
function merge8(at: usize, texels: u64, bits: i32, written: v128): void {
  const mask = ((<u64>bits * 0x0000200040008001) & 0x0001000100010001) * 0xffff & <u64>i64x2.extract_lane(written, 0);
  store<u64>(at, (load<u64>(at) & ~mask) | (texels & mask));
}

/** Two lanes for each of the two lowest bits. */
// @ts-ignore: decorator
@inline
function pairLanes(bits: i32): v128 {
  return lanesOf((bits & 1) * 3 | ((bits >> 1) & 1) * 12);
}
