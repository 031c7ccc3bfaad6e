// ASTC integer sequence encoding (Khronos Data Format §23.12): numbers of a few bits each, plus trits shared by five
// numbers or quints shared by three.
import { bitsAt } from './image';

/** Bits per number for the quantizations 2, 3, 4, 5, 6, 8, 10 … 256, and whether trits (1) or quints (2) are added. */
const LEVELS: usize = memory.data<u8>([
  1, 0, 0, 1, 2, 0, 0, 2, 1, 1, 3, 0, 1, 2, 2, 1, 4, 0, 2, 2, 3, 1, 5, 0, 3, 2, 4, 1, 6, 0, 4, 2, 5, 1, 7, 0, 5, 2, 6,
  1, 8, 0,
]);
export const LEVEL_COUNT = 21;
/** Offset of a sequence's trits and quints from its bits: 64 numbers, rounded up to whole groups. */
export const DIGITS = 80;
export const TRITS = 1;
const QUINTS = 2;

export function levelBits(level: i32): i32 {
  return load<u8>(LEVELS + (level << 1));
}
export function levelKind(level: i32): i32 {
  return load<u8>(LEVELS + (level << 1), 1);
}

/** Bits of a sequence of `count` numbers. */
export function sequenceBits(count: i32, level: i32): i32 {
  const kind = levelKind(level);
  const bits = count * levelBits(level);
  if (kind == TRITS) return bits + (8 * count + 4) / 5;
  return kind == QUINTS ? bits + (7 * count + 2) / 3 : bits;
}

/** Reads a sequence from bit `at` on: one byte each for a number's bits and, from DIGITS on, for its trit or quint. */
export function readSequence(block: usize, at: i32, count: i32, level: i32, out: usize): void {
  const bits = levelBits(level);
  const kind = levelKind(level);
  if (!kind) {
    for (let i = 0; i < count; i++) {
      store<u8>(out + i, bitsAt(block, at, bits));
      at += bits;
    }
    return;
  }
  const most = at + sequenceBits(count, level);
  const group = kind == TRITS ? 5 : 3;
  for (let first = 0; first < count; first += group) {
    let packed = 0;
    let filled = 0;
    for (let i = 0; i < group; i++) {
      store<u8>(out + first + i, partOf(block, at, bits, most));
      at += bits;
      // The bits of the shared number are interleaved: 2, 2, 1, 2, 1 for trits; 3, 2, 2 for quints.
      const share = kind == TRITS ? (i == 2 || i == 4 ? 1 : 2) : i ? 2 : 3;
      packed |= partOf(block, at, share, most) << filled;
      filled += share;
      at += share;
    }
    if (kind == TRITS) putTrits(packed, out + DIGITS + first);
    else putQuints(packed, out + DIGITS + first);
  }
}

/** Bits of the sequence; those past its end are 0. */
function partOf(block: usize, at: i32, count: i32, most: i32): i32 {
  const there = most - at;
  return there <= 0 ? 0 : bitsAt(block, at, there < count ? there : count);
}

function putTrits(packed: i32, out: usize): void {
  let rest = packed & 31;
  let third = 0;
  let fourth = 0;
  if (((packed >> 2) & 7) == 7) {
    rest = ((packed >> 3) & 28) | (packed & 3);
    third = fourth = 2;
  } else if (((packed >> 5) & 3) == 3) {
    fourth = 2;
    third = (packed >> 7) & 1;
  } else {
    fourth = (packed >> 7) & 1;
    third = (packed >> 5) & 3;
  }
  let first = 0;
  let second = 0;
  let zeroth = 0;
  if ((rest & 3) == 3) {
    second = 2;
    first = (rest >> 4) & 1;
    zeroth = (((rest >> 3) & 1) << 1) | ((rest >> 2) & ~(rest >> 3) & 1);
  } else if (((rest >> 2) & 3) == 3) {
    second = 2;
    first = 2;
    zeroth = rest & 3;
  } else {
    second = (rest >> 4) & 1;
    first = (rest >> 2) & 3;
    zeroth = (((rest >> 1) & 1) << 1) | (rest & ~(rest >> 1) & 1);
  }
  store<u8>(out, zeroth);
  store<u8>(out, first, 1);
  store<u8>(out, second, 2);
  store<u8>(out, third, 3);
  store<u8>(out, fourth, 4);
}

function putQuints(packed: i32, out: usize): void {
  let zeroth = 4;
  let first = 4;
  let second = 4;
  if (((packed >> 1) & 3) == 3 && ((packed >> 5) & 3) == 0) {
    const low = packed & 1;
    second = (low << 2) | (((packed >> 4) & ~low & 1) << 1) | ((packed >> 3) & ~low & 1);
  } else {
    let rest = packed & 31;
    if (((packed >> 1) & 3) == 3) rest = (packed & 24) | ((~(packed >> 5) & 3) << 1) | (packed & 1);
    else second = (packed >> 5) & 3;
    if ((rest & 7) == 5) zeroth = (rest >> 3) & 3;
    else {
      first = (rest >> 3) & 3;
      zeroth = rest & 7;
    }
  }
  store<u8>(out, zeroth);
  store<u8>(out, first, 1);
  store<u8>(out, second, 2);
}
