// BC7 (Khronos Data Format §20.1): eight modes with up to three subsets, in integer arithmetic.
import { bitsAt, rgba, Sink } from './image';
import { isAnchor, mix, subsetsOf, weightOf } from './partitions';

/**
 * Per mode: subsets; bits of the partition, of the rotation, of the index selection, of a colour, of an alpha, of a
 * unique P-bit per endpoint, of a P-bit that two endpoints share, of an index, of a secondary index.
 */
const MODES: usize = memory.data<u8>([
  3, 4, 0, 0, 4, 0, 1, 0, 3, 0, 2, 6, 0, 0, 6, 0, 0, 1, 3, 0, 3, 6, 0, 0, 5, 0, 0, 0, 2, 0, 2, 6, 0, 0, 7, 0, 1, 0, 2,
  0, 1, 0, 2, 1, 5, 6, 0, 0, 2, 3, 1, 0, 2, 0, 7, 8, 0, 0, 2, 2, 1, 0, 0, 0, 7, 7, 1, 0, 4, 0, 2, 6, 0, 0, 5, 5, 1, 0,
  2, 0,
]);

/** A channel of an endpoint; `ends` holds up to six endpoints of four channels, one byte each. */
// @ts-ignore: decorator
@inline
function end(ends: usize, index: i32, channel: i32): i32 {
  return load<u8>(ends + (index << 2) + channel);
}

/** Widens a number of `bits` bits to 8 bits by repeating the highest bits. */
function widened(value: i32, bits: i32): i32 {
  const high = value << (8 - bits);
  return high | (high >> bits);
}

/** Decodes the endpoints to `ends`. Returns the position of the indices in the block. */
function readEnds(block: usize, ends: usize, mode: usize, from: i32): i32 {
  const count = (<i32>load<u8>(mode)) << 1;
  const colour = <i32>load<u8>(mode, 4);
  const alpha = <i32>load<u8>(mode, 5);
  const own = <i32>load<u8>(mode, 6);
  const shared = <i32>load<u8>(mode, 7);
  let at = from;
  for (let channel = 0; channel < 4; channel++) {
    const bits = channel < 3 ? colour : alpha;
    for (let i = 0; i < count; i++) {
      store<u8>(ends + (i << 2) + channel, bitsAt(block, at, bits));
      at += bits;
    }
  }
  for (let i = 0; i < count; i++) {
    const hasBit = own | shared;
    const bit = hasBit ? bitsAt(block, at + (own ? i : i >> 1), 1) : 0;
    for (let channel = 0; channel < 4; channel++) {
      const bits = channel < 3 ? colour : alpha;
      const value = <i32>load<u8>(ends + (i << 2) + channel);
      const whole = hasBit ? (value << 1) | bit : value;
      store<u8>(ends + (i << 2) + channel, bits ? widened(whole, bits + hasBit) : 255);
    }
  }
  return at + (own ? count : shared ? count >> 1 : 0);
}

export function bc7(block: usize, sink: Sink, scratch: usize): void {
  const number = ctz<i32>(load<u8>(block) | 0x100);
  if (number == 8) {
    for (let i = 0; i < 16; i++) sink.put32(i & 3, i >> 2, 0);
    return;
  }
  const mode = MODES + number * 10;
  const subsets = <i32>load<u8>(mode);
  const partitionBits = <i32>load<u8>(mode, 1);
  const rotationBits = <i32>load<u8>(mode, 2);
  const choiceBits = <i32>load<u8>(mode, 3);
  const bits = <i32>load<u8>(mode, 8);
  const secondBits = <i32>load<u8>(mode, 9);
  let at = number + 1;
  const partition = bitsAt(block, at, partitionBits);
  at += partitionBits;
  const rotation = bitsAt(block, at, rotationBits);
  at += rotationBits;
  const choice = bitsAt(block, at, choiceBits);
  at = readEnds(block, scratch, mode, at + choiceBits);
  const subsetBits = subsetsOf(subsets, partition);
  let second = at + 16 * bits - subsets;
  for (let i = 0; i < 16; i++) {
    const length = isAnchor(subsets, partition, i) ? bits - 1 : bits;
    const first = weightOf(bitsAt(block, at, length), bits);
    at += length;
    let colour = first;
    let alpha = first;
    if (secondBits) {
      const secondLength = i ? secondBits : secondBits - 1;
      const other = weightOf(bitsAt(block, second, secondLength), secondBits);
      second += secondLength;
      if (choice) colour = other;
      else alpha = other;
    }
    const low = ((subsetBits >> (i << 1)) & 3) << 1;
    sink.put32(
      i & 3,
      i >> 2,
      rotated(
        mix(end(scratch, low, 0), end(scratch, low + 1, 0), colour),
        mix(end(scratch, low, 1), end(scratch, low + 1, 1), colour),
        mix(end(scratch, low, 2), end(scratch, low + 1, 2), colour),
        mix(end(scratch, low, 3), end(scratch, low + 1, 3), alpha),
        rotation
      )
    );
  }
}

/** Swaps alpha with red, green or blue. */
function rotated(r: i32, g: i32, b: i32, a: i32, rotation: i32): u32 {
  if (rotation == 1) return rgba(a, g, b, r);
  if (rotation == 2) return rgba(r, a, b, g);
  return rotation == 3 ? rgba(r, g, a, b) : rgba(r, g, b, a);
}
