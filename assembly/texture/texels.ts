// Texels at four addresses, decoded: a channel of four pixels a v128, as classes.ts filters them.
import { QuadRead } from '../layout';
import { splatFrom } from '../simd/lanes';
import { gatherTexels } from '../simd/texels';
import { visit } from '../surface/formats';
import { srgbToLinear4 } from '../surface/srgb';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_BYTES4, CLASS_SRGB } from './classes';
import { BITS, LOW_BYTE, NUMBERS, UNORM8 } from './constants';

/**
 * Fetches the texels of so many taps (QuadRead.addresses): the channels that the format has, in memory's order. Bytes
 * to be filtered in linear steps are whole numbers.
 */
export function fetchTexels(format: i32, textureClass: i32, read: QuadRead, taps: i32): void {
  const at = read.addresses;
  const out = read.texels;
  switch (textureClass) {
    case CLASS_BYTES4: fetchBytes<u32>(at, out, taps); break;
    case CLASS_BYTES2: fetchBytes<u16>(at, out, taps); break;
    case CLASS_BYTES1: fetchBytes<u8>(at, out, taps); break;
    case CLASS_SRGB: fetchSrgb(at, out, taps); break;
    default: visit<Fetch>(format, at, out, taps);
  }
}

/** How many channels the texels of a format have. */
export function texelChannels(format: i32): i32 { return visit<ChannelCount>(format, 0, 0, 0); }

function byteOf(words: v128, channel: i32): v128 {
  return v128.and(i32x4.shr_u(words, channel << 3), splatFrom(BITS, LOW_BYTE));
}

function fetchBytes<C>(at: usize, out: usize, taps: i32): void {
  for (const end = at + (taps << 4); at < end; at += 16) {
    const words = gatherTexels<C>(0, at);
    v128.store(out, f32x4.convert_i32x4_s(byteOf(words, 0)));
    if (sizeof<C>() > 1) v128.store(out, f32x4.convert_i32x4_s(byteOf(words, 1)), 16);
    if (sizeof<C>() == 4) {
      v128.store(out, f32x4.convert_i32x4_s(byteOf(words, 2)), 32);
      v128.store(out, f32x4.convert_i32x4_s(i32x4.shr_u(words, 24)), 48);
    }
    out += 64;
  }
}

function fetchSrgb(at: usize, out: usize, taps: i32): void {
  for (const end = at + (taps << 4); at < end; at += 16) {
    const words = gatherTexels<u32>(0, at);
    v128.store(out, srgbToLinear4(byteOf(words, 0)));
    v128.store(out, srgbToLinear4(byteOf(words, 1)), 16);
    v128.store(out, srgbToLinear4(byteOf(words, 2)), 32);
    v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_u(words, 24)), splatFrom(NUMBERS, UNORM8)), 48);
    out += 64;
  }
}

@unmanaged class Fetch {
  of<C>(at: usize, out: usize, taps: usize): usize {
    for (const end = at + (taps << 4); at < end; at += 16) {
      changetype<C>(0).gather(at, out);
      out += 64;
    }
    return 1;
  }
}
@unmanaged class ChannelCount {
  of<C>(a: usize, b: usize, c: usize): usize { return changetype<C>(0).channels; }
}
