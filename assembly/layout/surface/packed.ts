// PACKED: the values of pixels that hold lists, and the numbers of values of four pixels.

import { pastFields } from '../record';
import { BLOCK_PIXELS } from './tile-order';

/** Size of the u16 of all quads of a block. */
// @ts-ignore: decorator
@inline export const COUNTS_BYTES = (BLOCK_PIXELS >> 2) << 1;

/**
 * PACKED: the further values of a block's pixels with lists (surface/lists.ts), as in SUBSETS. Texels have four bytes.
 * The parts that follow the fields are each padded to 16 bytes.
 */
@unmanaged
export class Packed {
  /** Bit per pixel that has further values here. */
  divided: u64;
  /** Total number of further values. 4 unused bytes follow. */
  count: u32;
  /** u16 per quad: index of its first further value. */
  get starts(): usize {
    return pastFields(this);
  }
  /** u16 per quad: four numbers of four bits, as in SUBSETS. */
  get counts(): usize {
    return this.starts + COUNTS_BYTES;
  }
  get masks(): usize {
    return this.counts + COUNTS_BYTES;
  }
  get values(): usize {
    return this.masks + up16(this.count << 1);
  }


  @inline startOf(quad: i32): usize {
    return load<u16>(this.starts + ((<usize>quad) << 1));
  }


  @inline countsOf(quad: i32): i32 {
    return load<u16>(this.counts + ((<usize>quad) << 1));
  }
}
/** Bytes of a PACKED record for blocks of `layers` layers. It is shorter than a texel for each sample. */
export function packedBytes(layers: i32): usize {
  return (BLOCK_PIXELS << 4) * layers;
}

// The numbers of further values of a quad's pixels: four bits each.

/** A number of one for each of four bits. */
// @ts-ignore: decorator
@inline
export function spreadBits(bits: i32): i32 {
  const pairs = (bits | (bits << 6)) & 0x303;
  return (pairs | (pairs << 3)) & 0x1111;
}

/** One for each number that is not zero. */
// @ts-ignore: decorator
@inline
export function someOf(counts: i32): i32 {
  return (counts | (counts >> 1) | (counts >> 2) | (counts >> 3)) & 0x1111;
}

/** The four bits of numbers that are zero or one. */
// @ts-ignore: decorator
@inline
export function bitsOf(ones: i32): i32 {
  return ((ones * 0x1248) >> 12) & 15;
}

/** The sum of the numbers. */
// @ts-ignore: decorator
@inline
export function sumOf(counts: i32): i32 {
  const pairs = (counts & 0x0f0f) + ((counts >> 4) & 0x0f0f);
  return (pairs + (pairs >> 8)) & 0xff;
}

export function up16(bytes: u32): u32 {
  return (bytes + 15) & ~15;
}
