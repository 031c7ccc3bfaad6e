// What a target writes of a texel, where its sources lie, and where the texels of a quad are. The same code in both builds.

import { COLOR_SAMPLES } from '../layout/context';
import { TARGET_FORMAT, TARGET_WRITE_MASK } from '../layout/draw';
import {
  FORMAT_BGRA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_RG11B10UFLOAT, FORMAT_RGB10A2UINT, FORMAT_RGB10A2UNORM, FORMAT_RGB9E5UFLOAT,
} from '../layout/formats';
import { colorStates, fillPixels, spreadColor } from '../surface/color-blocks';
import { channelCount, texelBytes } from '../surface/texel';
import { repeat } from '../surface/tile';

/** Channel (0 red … 3 alpha) that byte `index` of a texel of four bytes holds, and the other way round. */
export function byteChannel(format: i32, index: i32): i32 {
  return (format == FORMAT_BGRA8UNORM || format == FORMAT_BGRA8UNORM_SRGB) && index < 3 ? 2 - index : index;
}

/** Stores at `to` the bits of a texel that the target writes, repeated to 16 bytes. Returns whether they are all bits. */
export function writtenBits(target: usize, to: usize): bool {
  const channels = load<u32>(target + TARGET_WRITE_MASK);
  if ((channels & 15) == 15) {
    store<i64>(to, -1);
    store<i64>(to, -1, 8);
    return true;
  }
  const format = load<i32>(target + TARGET_FORMAT);
  const bytes = texelBytes(format);
  const count = channelCount(format);
  memory.fill(to, 0, 16);
  if (format == FORMAT_RGB10A2UNORM || format == FORMAT_RGB10A2UINT) {
    store<u32>(to, ones(channels, 0, 10) | ones(channels, 1, 10) << 10 | ones(channels, 2, 10) << 20 | ones(channels, 3, 2) << 30);
  } else if (format == FORMAT_RG11B10UFLOAT) {
    store<u32>(to, ones(channels, 0, 11) | ones(channels, 1, 11) << 11 | ones(channels, 2, 10) << 22);
  } else if (format == FORMAT_RGB9E5UFLOAT) {
    // Its channels share an exponent: all or none.
    store<i32>(to, -1);
  } else {
    const size = bytes / count;
    for (let channel = 0; channel < count; channel++) {
      if (channels & (1 << channel)) memory.fill(to + <usize>(byteChannel(format, channel) * size), 0xff, size);
    }
  }
  repeat(to, bytes, 16);
  return (load<u64>(to) & load<u64>(to, 8)) == 0xffffffffffffffff;
}

/** `bits` ones if the channel is written. */
function ones(channels: u32, channel: u32, bits: u32): u32 {
  return channels & (1 << channel) ? (1 << bits) - 1 : 0;
}

/** The pixels of a quad that a mask of four samples each covers, if it covers all samples of each; else -1. */
// @ts-ignore: decorator
@inline
export function wholePixels(mask: i32): i32 {
  const pairs = mask & (mask >> 1);
  const full = pairs & (pairs >> 2) & 0x1111;
  return full * 15 == mask ? (full | (full >> 3) | (full >> 6) | (full >> 9)) & 15 : -1;
}

/**
 * Address of four texels, one for each pixel of a quad, of which those that `mask` covers are to be written; 0 if samples of a pixel may
 * differ: the texels are then at plane + quad · 16 · bytes, one a sample.
 */
// @ts-ignore: decorator
@inline
export function quadTexels(context: usize, index: i32, plane: usize, quad: i32, mask: i32, bytes: i32, one: bool): usize {
  const block = quad >> 4;
  if (one) {
    spreadColor(context, index, block, bytes);
    return plane + <usize>(quad * 4 * bytes);
  }
  if (load<u8>(colorStates(context, index) + <usize>block) != COLOR_SAMPLES && wholePixels(mask) >= 0) {
    fillPixels(context, index, block, bytes);
    return plane + <usize>((block * 256 + (quad & 15) * 4) * bytes);
  }
  spreadColor(context, index, block, bytes);
  return 0;
}

/** Address of the texel of a pixel (quad · 4 + pixel) that is to be written in all samples; 0 if its samples may differ, as above. */
export function pixelTexel(context: usize, index: i32, plane: usize, pixel: i32, mask: i32, bytes: i32, one: bool): usize {
  const block = pixel >> 6;
  if (one) {
    spreadColor(context, index, block, bytes);
    return plane + <usize>(pixel * bytes);
  }
  if (mask == 15 && load<u8>(colorStates(context, index) + <usize>block) != COLOR_SAMPLES) {
    fillPixels(context, index, block, bytes);
    return plane + <usize>((block * 256 + (pixel & 63)) * bytes);
  }
  spreadColor(context, index, block, bytes);
  return 0;
}
