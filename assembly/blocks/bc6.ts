// BC6H (Khronos Data Format §20.2): fourteen modes with one or two subsets. The output is the bits of half floats.
import { bitsAt, Sink } from './image';
import { isAnchor, mix, subsetsOf, weightOf } from './partitions';

/**
 * Per mode: the mode bits; subsets; bits of the first endpoint; bits of red, green and blue of the other endpoints;
 * whether these are differences from the first.
 */
const MODES: usize = memory.data<u8>([
  0, 2, 10, 5, 5, 5, 1, 1, 2, 7, 6, 6, 6, 1, 2, 2, 11, 5, 4, 4, 1, 6, 2, 11, 4, 5, 4, 1, 10, 2, 11, 4, 4, 5, 1, 14, 2,
  9, 5, 5, 5, 1, 18, 2, 8, 6, 5, 5, 1, 22, 2, 8, 5, 6, 5, 1, 26, 2, 8, 5, 5, 6, 1, 30, 2, 6, 6, 6, 6, 0, 3, 1, 10, 10,
  10, 10, 0, 7, 1, 11, 9, 9, 9, 1, 11, 1, 12, 8, 8, 8, 1, 15, 1, 16, 4, 4, 4, 1,
]);
const MODE_BYTES = 7;
const MODE_COUNT = 14;

/**
 * Per mode, the destination of each bit after the mode bits: 16 × (3 × endpoint + channel) + the bit's position there.
 * Each mode has 76 entries; the last ones are unused.
 */
const PLACES: usize = memory.data<u8>([
  116, 132, 180, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 32, 33, 34, 35, 36, 37, 38, 39,
  40, 41, 48, 49, 50, 51, 52, 164, 112, 113, 114, 115, 64, 65, 66, 67, 68, 176, 160, 161, 162, 163, 80, 81, 82, 83, 84,
  177, 128, 129, 130, 131, 96, 97, 98, 99, 100, 178, 144, 145, 146, 147, 148, 179, 0, 117, 164, 165, 0, 1, 2, 3, 4, 5,
  6, 176, 177, 132, 16, 17, 18, 19, 20, 21, 22, 133, 178, 116, 32, 33, 34, 35, 36, 37, 38, 179, 181, 180, 48, 49, 50,
  51, 52, 53, 112, 113, 114, 115, 64, 65, 66, 67, 68, 69, 160, 161, 162, 163, 80, 81, 82, 83, 84, 85, 128, 129, 130,
  131, 96, 97, 98, 99, 100, 101, 144, 145, 146, 147, 148, 149, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21,
  22, 23, 24, 25, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 48, 49, 50, 51, 52, 10, 112, 113, 114, 115, 64, 65, 66, 67,
  26, 176, 160, 161, 162, 163, 80, 81, 82, 83, 42, 177, 128, 129, 130, 131, 96, 97, 98, 99, 100, 178, 144, 145, 146,
  147, 148, 179, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 32, 33, 34, 35, 36,
  37, 38, 39, 40, 41, 48, 49, 50, 51, 10, 164, 112, 113, 114, 115, 64, 65, 66, 67, 68, 26, 160, 161, 162, 163, 80, 81,
  82, 83, 42, 177, 128, 129, 130, 131, 96, 97, 98, 99, 176, 178, 144, 145, 146, 147, 116, 179, 0, 0, 0, 0, 0, 1, 2, 3,
  4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 48, 49, 50, 51, 10,
  132, 112, 113, 114, 115, 64, 65, 66, 67, 26, 176, 160, 161, 162, 163, 80, 81, 82, 83, 84, 42, 128, 129, 130, 131, 96,
  97, 98, 99, 177, 178, 144, 145, 146, 147, 180, 179, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 132, 16, 17, 18, 19, 20,
  21, 22, 23, 24, 116, 32, 33, 34, 35, 36, 37, 38, 39, 40, 180, 48, 49, 50, 51, 52, 164, 112, 113, 114, 115, 64, 65, 66,
  67, 68, 176, 160, 161, 162, 163, 80, 81, 82, 83, 84, 177, 128, 129, 130, 131, 96, 97, 98, 99, 100, 178, 144, 145, 146,
  147, 148, 179, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 164, 132, 16, 17, 18, 19, 20, 21, 22, 23, 178, 116, 32, 33, 34, 35,
  36, 37, 38, 39, 179, 180, 48, 49, 50, 51, 52, 53, 112, 113, 114, 115, 64, 65, 66, 67, 68, 176, 160, 161, 162, 163, 80,
  81, 82, 83, 84, 177, 128, 129, 130, 131, 96, 97, 98, 99, 100, 101, 144, 145, 146, 147, 148, 149, 0, 0, 0, 0, 0, 1, 2,
  3, 4, 5, 6, 7, 176, 132, 16, 17, 18, 19, 20, 21, 22, 23, 117, 116, 32, 33, 34, 35, 36, 37, 38, 39, 165, 180, 48, 49,
  50, 51, 52, 164, 112, 113, 114, 115, 64, 65, 66, 67, 68, 69, 160, 161, 162, 163, 80, 81, 82, 83, 84, 177, 128, 129,
  130, 131, 96, 97, 98, 99, 100, 178, 144, 145, 146, 147, 148, 179, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 177, 132, 16,
  17, 18, 19, 20, 21, 22, 23, 133, 116, 32, 33, 34, 35, 36, 37, 38, 39, 181, 180, 48, 49, 50, 51, 52, 164, 112, 113,
  114, 115, 64, 65, 66, 67, 68, 176, 160, 161, 162, 163, 80, 81, 82, 83, 84, 85, 128, 129, 130, 131, 96, 97, 98, 99,
  100, 178, 144, 145, 146, 147, 148, 179, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 164, 176, 177, 132, 16, 17, 18, 19, 20, 21, 117,
  133, 178, 116, 32, 33, 34, 35, 36, 37, 165, 179, 181, 180, 48, 49, 50, 51, 52, 53, 112, 113, 114, 115, 64, 65, 66, 67,
  68, 69, 160, 161, 162, 163, 80, 81, 82, 83, 84, 85, 128, 129, 130, 131, 96, 97, 98, 99, 100, 101, 144, 145, 146, 147,
  148, 149, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 32, 33, 34, 35, 36, 37,
  38, 39, 40, 41, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 80, 81, 82, 83, 84,
  85, 86, 87, 88, 89, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20,
  21, 22, 23, 24, 25, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 48, 49, 50, 51, 52, 53, 54, 55, 56, 10, 64, 65, 66, 67,
  68, 69, 70, 71, 72, 26, 80, 81, 82, 83, 84, 85, 86, 87, 88, 42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
  2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 48, 49, 50,
  51, 52, 53, 54, 55, 11, 10, 64, 65, 66, 67, 68, 69, 70, 71, 27, 26, 80, 81, 82, 83, 84, 85, 86, 87, 43, 42, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 32, 33,
  34, 35, 36, 37, 38, 39, 40, 41, 48, 49, 50, 51, 15, 14, 13, 12, 11, 10, 64, 65, 66, 67, 31, 30, 29, 28, 27, 26, 80,
  81, 82, 83, 47, 46, 45, 44, 43, 42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);
const PLACES_OF_MODE = 76;
const HALF_ONE: u32 = 0x3c00;

/** The mode of a block; −1 if it is reserved. */
function modeOf(block: usize): i32 {
  const low = load<u8>(block) & 31;
  const name = low & 2 ? low : low & 3;
  for (let i = 0; i < MODE_COUNT; i++) if (load<u8>(MODES + i * MODE_BYTES) == name) return i;
  return -1;
}

function extended(value: i32, bits: i32): i32 {
  return (value << (32 - bits)) >> (32 - bits);
}

/** Unquantizes a number of `bits` bits to 16 bits, or to 15 bits and a sign. */
function unquantised(value: i32, bits: i32, isSigned: bool): i32 {
  if (!isSigned) {
    if (bits >= 15 || value == 0) return value;
    return value == (1 << bits) - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
  }
  if (bits >= 16 || value == 0) return value;
  const magnitude = value < 0 ? -value : value;
  const whole = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
  return value < 0 ? -whole : whole;
}

/** The bits of a half float, after the final scaling. */
function halfOf(value: i32, isSigned: bool): u32 {
  if (!isSigned) return (value * 31) >> 6;
  return value < 0 ? ((-value * 31) >> 5) | 0x8000 : (value * 31) >> 5;
}

/** Decodes the endpoints to `ends`, twelve i32. */
function readEnds(block: usize, ends: usize, number: i32, isSigned: bool): void {
  const mode = MODES + number * MODE_BYTES;
  const subsets = <i32>load<u8>(mode, 1);
  const bits = <i32>load<u8>(mode, 2);
  memory.fill(ends, 0, 48);
  const name = number < 2 ? 2 : 5;
  const count = subsets == 1 ? 60 : number < 2 ? 75 : 72;
  for (let i = 0; i < count; i++) {
    const place = load<u8>(PLACES + number * PLACES_OF_MODE + i);
    const at = ends + ((place >> 4) << 2);
    store<u32>(at, load<u32>(at) | (bitsAt(block, name + i, 1) << (place & 15)));
  }
  const differences = load<u8>(mode, 6) != 0;
  for (let channel = 0; channel < 3; channel++) {
    const own = <i32>load<u8>(mode + 3 + channel);
    const first = ends + (channel << 2);
    const base = isSigned ? extended(load<i32>(first), bits) : load<i32>(first);
    for (let end = 1; end < subsets << 1; end++) {
      const at = first + end * 12;
      let value = load<i32>(at);
      if (differences) {
        value = (base + extended(value, own)) & ((1 << bits) - 1);
        if (isSigned) value = extended(value, bits);
      } else if (isSigned) value = extended(value, own);
      store<i32>(at, unquantised(value, bits, isSigned));
    }
    store<i32>(first, unquantised(base, bits, isSigned));
  }
}

export function bc6(block: usize, sink: Sink, scratch: usize, isSigned: bool): void {
  const number = modeOf(block);
  if (number < 0) {
    for (let i = 0; i < 64; i++) sink.put16((i >> 2) & 3, i >> 4, i & 3, 4, (i & 3) == 3 ? HALF_ONE : 0);
    return;
  }
  readEnds(block, scratch, number, isSigned);
  const subsets = <i32>load<u8>(MODES + number * MODE_BYTES, 1);
  const bits = subsets == 2 ? 3 : 4;
  const partition = subsets == 2 ? <i32>bitsAt(block, 77, 5) : 0;
  const subsetBits = subsetsOf(subsets, partition);
  let at = subsets == 2 ? 82 : 65;
  for (let i = 0; i < 16; i++) {
    const length = isAnchor(subsets, partition, i) ? bits - 1 : bits;
    const weight = weightOf(bitsAt(block, at, length), bits);
    at += length;
    const low = scratch + ((subsetBits >> (i << 1)) & 3) * 24;
    for (let channel = 0; channel < 3; channel++) {
      const from = low + (channel << 2);
      sink.put16(i & 3, i >> 2, channel, 4, halfOf(mix(load<i32>(from), load<i32>(from, 12), weight), isSigned));
    }
    sink.put16(i & 3, i >> 2, 3, 4, HALF_ONE);
  }
}
