// The four 8-bit formats with four channels: order of bytes, and which of them a target writes.

import { TARGET_FORMAT, TARGET_WRITE_MASK } from '../layout/draw';
import { FORMAT_BGRA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_RGBA8UNORM_SRGB } from '../layout/formats';

export function isSrgb(format: i32): bool {
  return format == FORMAT_RGBA8UNORM_SRGB || format == FORMAT_BGRA8UNORM_SRGB;
}

/** Channel (0 red … 3 alpha) that byte `index` of a texel holds. */
export function byteChannel(format: i32, index: i32): i32 {
  return (format == FORMAT_BGRA8UNORM || format == FORMAT_BGRA8UNORM_SRGB) && index < 3 ? 2 - index : index;
}

/** ff in the bytes of the channels that are written. */
export function writtenBytes(target: usize): u32 {
  const channels = load<u32>(target + TARGET_WRITE_MASK);
  const format = load<i32>(target + TARGET_FORMAT);
  let bytes: u32 = 0;
  for (let i = 0; i < 4; i++) {
    if (channels & (1 << byteChannel(format, i))) bytes |= 255 << (8 * i);
  }
  return bytes;
}
