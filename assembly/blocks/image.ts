// Destination of a block's texels: rows of the decoded level, clipped where blocks extend past its edge.

/** SINK, at the start of the scratch: where a block's texels are written, and how many of them exist. */
@unmanaged export class Sink {
  /** Address of the block's first texel. */
  at: usize;
  rowBytes: u32;
  /** Texels of the block that are within the level. */
  width: i32;
  height: i32;


  @inline put32(x: i32, y: i32, texel: u32): void {
    if (x < this.width && y < this.height) store<u32>(this.at + y * this.rowBytes + (x << 2), texel);
  }
  /** Writes a byte of a 4-byte texel. */
  @inline put8(x: i32, y: i32, channel: i32, value: u32): void {
    if (x < this.width && y < this.height) store<u8>(this.at + y * this.rowBytes + (x << 2) + channel, value);
  }
  /** Writes a channel of a texel with `channels` channels of 16 bits each. */
  @inline put16(x: i32, y: i32, channel: i32, channels: i32, value: u32): void {
    if (x < this.width && y < this.height) {
      store<u16>(this.at + y * this.rowBytes + ((x * channels + channel) << 1), value);
    }
  }
}

/** Bytes of a SINK; the decoder's scratch follows it. */
export const SINK_BYTES: usize = 16;

/** `count` bits (at most 32) of the 128 at `block`, from bit `at` on; bits beyond the end are 0. */
export function bitsAt(block: usize, at: i32, count: i32): u32 {
  if (!count || at >= 128) return 0;
  const low = load<u64>(block);
  const high = load<u64>(block, 8);
  const word = at >= 64 ? high >> (at - 64) : at ? (low >> at) | (high << (64 - at)) : low;
  return <u32>(word & (((<u64>1) << count) - 1));
}

/** Packs red, green, blue and alpha bytes into an rgba8 texel. */
export function rgba(r: i32, g: i32, b: i32, a: i32): u32 {
  return r | (g << 8) | (b << 16) | (a << 24);
}

export function clampByte(x: i32): i32 {
  return x < 0 ? 0 : x > 255 ? 255 : x;
}
