// Decodes texels at four addresses: one v128 per channel for four pixels, as classes.ts filters them.
import { QuadRead, TexelAccess } from '../../layout';
import { splatFrom } from '../../simd/lanes';
import { gatherTexels } from '../../simd/texels';
import { visit } from '../../surface/formats';
import { srgbToLinear4 } from '../../surface/srgb';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_BYTES4, CLASS_SRGB, CLASS_TEXEL, classOf } from './classes';
import { BITS, LOW_BYTE, NUMBERS, UNORM8 } from './constants';

/** Fills the record for samples, or for loads, which use the format's codec in any case. */
export function prepareTexels(access: TexelAccess, format: i32, loads: bool): void {
  const textureClass = loads ? CLASS_TEXEL : classOf(format);
  access.textureClass = textureClass;
  visit<Describe>(format, changetype<usize>(access), 0, 0);
  switch (textureClass) {
    case CLASS_BYTES4:
      access.fetch = fetchBytes4.index;
      break;
    case CLASS_BYTES2:
      access.fetch = fetchBytes2.index;
      break;
    case CLASS_BYTES1:
      access.fetch = fetchBytes1.index;
      break;
    case CLASS_SRGB:
      access.fetch = fetchSrgb.index;
      break;
  }
}

/**
 * Fetches the texels of `taps` taps (QuadRead.addresses): the format's channels, in memory order. Bytes of linear
 * formats stay whole numbers for filtering.
 */
export function fetchTexels(read: QuadRead, taps: i32): void {
  call_indirect<void>(read.format.fetch, read.addresses, read.texels, taps);
}


@unmanaged class Describe {
  of<C>(at: usize, b: usize, c: usize): usize {
    const access = changetype<TexelAccess>(at);
    access.channelCount = changetype<C>(0).channels;
    access.texelBytes = changetype<C>(0).bytes;
    access.fetch = ((from: usize, out: usize, taps: i32): void => {
      for (const end = from + (taps << 4); from < end; from += 16) {
        changetype<C>(0).gather(from, out);
        out += 64;
      }
    }).index;
    return 1;
  }
}

function fetchBytes4(at: usize, out: usize, taps: i32): void {
  fetchBytes<u32>(at, out, taps);
}
function fetchBytes2(at: usize, out: usize, taps: i32): void {
  fetchBytes<u16>(at, out, taps);
}
function fetchBytes1(at: usize, out: usize, taps: i32): void {
  fetchBytes<u8>(at, out, taps);
}

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
