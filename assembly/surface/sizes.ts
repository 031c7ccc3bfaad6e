// Texel sizes: how four texels are split into dwords, joined again, merged and repeated. A size is a class that serves
// as a type argument of the codecs (codecs.ts) and of code that places texels in slots; it has no instances. Four
// texels of up to four bytes are packed in a v128, starting at the lowest lane. Longer texels are in memory, at an
// address that is passed along with the v128.

import { packBytes, packWords } from '../simd/channels';
import {
  evenLanes,
  interleaveHigh,
  interleaveLow,
  oddLanes,
  transposeColumn0,
  transposeColumn1,
  transposeColumn2,
  transposeColumn3,
} from '../simd/lanes';
import { gatherTexels, lanesOf } from '../simd/texels';

/** What all sizes share. T is an unsigned integer as wide as a texel. */
@unmanaged class Sized<T extends number> {

  @inline get bytes(): i32 {
    return sizeof<T>();
  }
  copy(to: usize, from: usize): void {
    store<T>(to, load<T>(from));
  }
  putBits(to: usize, texel: u64): void {
    store<T>(to, <T>texel);
  }
  /** Copies the bits of `written` from `from` to `to`; the other bits at `to` are unchanged. */
  mergeBits(to: usize, from: usize, written: usize): void {
    const mask = load<T>(written);
    store<T>(to, <T>((load<T>(to) & ~mask) | (load<T>(from) & mask)));
  }
  /** Four adjacent texels: `one` where the bit is set, else `other`. */
  choose(to: usize, bits: i32, one: usize, other: usize): void {
    if (ASC_FEATURE_SIMD) {
      if (sizeof<T>() == 4) {
        v128.store(to, v128.bitselect(v128.load32_splat(one), v128.load32_splat(other), lanesOf(bits)));
        return;
      }
    }
    store<T>(to, load<T>(bits & 1 ? one : other));
    store<T>(to, load<T>(bits & 2 ? one : other), sizeof<T>());
    store<T>(to, load<T>(bits & 4 ? one : other), 2 * sizeof<T>());
    store<T>(to, load<T>(bits & 8 ? one : other), 3 * sizeof<T>());
  }
  /** Dword `index` of the four texels whose addresses are at `at`; a shorter texel is zero-extended. */
  @inline gather(at: usize, index: i32): v128 {
    return sizeof<T>() < 4 ? gatherTexels<T>(0, at) : gatherTexels<u32>(index << 2, at);
  }
  /** Dword `index` of a texel; a shorter texel is zero-extended. */
  dwordBits(at: usize, index: i32): u32 {
    return sizeof<T>() < 4 ? load<T>(at) : load<u32>(at + (index << 2));
  }
}


@unmanaged export class Bytes1 extends Sized<u8> {
  dword(at: usize, index: i32): v128 {
    return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(at)));
  }
  join(to: usize, d0: v128, d1: v128, d2: v128, d3: v128): v128 {
    const halves = packWords(d0, d0);
    return packBytes(halves, halves);
  }
  put(at: usize, texels: v128, from: usize): void {
    v128.store32_lane(at, texels, 0);
  }
  /** Multiplying `bits` by 0x204081 puts bit i at bit 8i; the mask and the factor 255 spread it over its byte. */
  merge(at: usize, texels: v128, from: usize, bits: i32, written: v128): void {
    const mask = (((bits * 0x204081) & 0x01010101) * 255) & i32x4.extract_lane(written, 0);
    store<u32>(at, (load<u32>(at) & ~mask) | (i32x4.extract_lane(texels, 0) & mask));
  }
  /** The texel at `from`, repeated four times; texels of more than four bytes go to `to`. */
  repeat(to: usize, from: usize): v128 {
    return v128.load8_splat(from);
  }
}


@unmanaged export class Bytes2 extends Sized<u16> {
  dword(at: usize, index: i32): v128 {
    return i32x4.extend_low_i16x8_u(v128.load64_zero(at));
  }
  join(to: usize, d0: v128, d1: v128, d2: v128, d3: v128): v128 {
    return packWords(d0, d0);
  }
  put(at: usize, texels: v128, from: usize): void {
    v128.store64_lane(at, texels, 0);
  }
  merge(at: usize, texels: v128, from: usize, bits: i32, written: v128): void {
    const chosen = ((<u64>bits * 0x0000200040008001) & 0x0001000100010001) * 0xffff;
    const mask = chosen & (<u64>i64x2.extract_lane(written, 0));
    store<u64>(at, (load<u64>(at) & ~mask) | ((<u64>i64x2.extract_lane(texels, 0)) & mask));
  }
  repeat(to: usize, from: usize): v128 {
    return v128.load16_splat(from);
  }
}


@unmanaged export class Bytes4 extends Sized<u32> {

  @inline dword(at: usize, index: i32): v128 {
    return v128.load(at);
  }


  @inline join(to: usize, d0: v128, d1: v128, d2: v128, d3: v128): v128 {
    return d0;
  }


  @inline put(at: usize, texels: v128, from: usize): void {
    v128.store(at, texels);
  }


  @inline merge(at: usize, texels: v128, from: usize, bits: i32, written: v128): void {
    mergeLanes(at, texels, v128.and(lanesOf(bits), written));
  }


  @inline repeat(to: usize, from: usize): v128 {
    return v128.load32_splat(from);
  }
}


@unmanaged export class Bytes8 extends Sized<u64> {

  @inline dword(at: usize, index: i32): v128 {
    const first = v128.load(at);
    const second = v128.load(at, 16);
    return index ? oddLanes(first, second) : evenLanes(first, second);
  }


  @inline join(to: usize, d0: v128, d1: v128, d2: v128, d3: v128): v128 {
    v128.store(to, interleaveLow(d0, d1));
    v128.store(to, interleaveHigh(d0, d1), 16);
    return d0;
  }


  @inline put(at: usize, texels: v128, from: usize): void {
    v128.store(at, v128.load(from));
    v128.store(at, v128.load(from, 16), 16);
  }


  @inline merge(at: usize, texels: v128, from: usize, bits: i32, written: v128): void {
    const lanes = lanesOf(bits);
    mergeLanes(at, v128.load(from), v128.and(interleaveLow(lanes, lanes), written));
    mergeLanes(at + 16, v128.load(from, 16), v128.and(interleaveHigh(lanes, lanes), written));
  }


  @inline repeat(to: usize, from: usize): v128 {
    const texel = v128.load64_splat(from);
    v128.store(to, texel);
    v128.store(to, texel, 16);
    return texel;
  }
}


@unmanaged export class Bytes16 {

  @inline get bytes(): i32 {
    return 16;
  }
  copy(to: usize, from: usize): void {
    const high = load<u64>(from, 8);
    store<u64>(to, load<u64>(from));
    store<u64>(to, high, 8);
  }
  putBits(to: usize, texel: u64): void {
    unreachable();
  }
  mergeBits(to: usize, from: usize, written: usize): void {
    changetype<Bytes8>(0).mergeBits(to, from, written);
    changetype<Bytes8>(0).mergeBits(to + 8, from + 8, written + 8);
  }
  choose(to: usize, bits: i32, one: usize, other: usize): void {
    for (let i: usize = 0; i < 4; i++) this.copy(to + (i << 4), (bits >> i) & 1 ? one : other);
  }


  @inline gather(at: usize, index: i32): v128 {
    return gatherTexels<u32>(index << 2, at);
  }
  dwordBits(at: usize, index: i32): u32 {
    return load<u32>(at + (index << 2));
  }
  dword(at: usize, index: i32): v128 {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    if (index == 0) return transposeColumn0(a, b, c, d);
    if (index == 1) return transposeColumn1(a, b, c, d);
    return index == 2 ? transposeColumn2(a, b, c, d) : transposeColumn3(a, b, c, d);
  }
  join(to: usize, d0: v128, d1: v128, d2: v128, d3: v128): v128 {
    v128.store(to, transposeColumn0(d0, d1, d2, d3));
    v128.store(to, transposeColumn1(d0, d1, d2, d3), 16);
    v128.store(to, transposeColumn2(d0, d1, d2, d3), 32);
    v128.store(to, transposeColumn3(d0, d1, d2, d3), 48);
    return d0;
  }
  put(at: usize, texels: v128, from: usize): void {
    for (let i: usize = 0; i < 64; i += 16) v128.store(at + i, v128.load(from + i));
  }
  merge(at: usize, texels: v128, from: usize, bits: i32, written: v128): void {
    for (let i: usize = 0; i < 4; i++) {
      if ((bits >> i) & 1) mergeLanes(at + (i << 4), v128.load(from + (i << 4)), written);
    }
  }
  repeat(to: usize, from: usize): v128 {
    const texel = v128.load(from);
    for (let i: usize = 0; i < 64; i += 16) v128.store(to + i, texel);
    return texel;
  }
}

/** Replaces the bits at `at` that are set in `mask` with those of `texels`. */
function mergeLanes(at: usize, texels: v128, mask: v128): void {
  v128.store(at, v128.bitselect(texels, v128.load(at), mask));
}
