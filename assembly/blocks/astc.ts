// 2D LDR ASTC (Khronos Data Format §23). Invalid blocks, and partitions that exist only in HDR, decode to magenta.
// Linear colours are the format's 16-bit results, rounded to the nearest of 255 steps.
import { bitsAt, rgba, Sink } from './image';
import { readEnds } from './astc-ends';
import { colourOf, weightFrom } from './astc-numbers';
import { DIGITS, LEVEL_COUNT, readSequence, sequenceBits } from './sequences';

const MAGENTA: u32 = 0xffff00ff;
/** Scratch: numbers as read, endpoints of four partitions, weights of both planes, the block with its bits reversed. */
const NUMBERS: usize = 0;
const COLOURS: usize = 160;
const ENDS: usize = 192;
const WEIGHTS: usize = 320;
const REVERSED: usize = 448;
/** Scratch: the block's size, and whether its colours are sRGB. */
const SIZE: usize = 464;

/** MODE: the weight grid, in the scratch. */
@unmanaged class Mode {
  width: i32;
  height: i32;
  level: i32;
  isDual: i32;
}
const MODE: usize = 480;

/** Decodes the block mode of the weight grid. Returns false if it is reserved. */
function readMode(bits: i32, mode: Mode): bool {
  let range = (bits >> 4) & 1;
  const a = (bits >> 5) & 3;
  const b = (bits >> 7) & 3;
  let high = (bits >> 9) & 1;
  let dual = (bits >> 10) & 1;
  if (bits & 3) {
    range |= (bits & 3) << 1;
    if (!(bits & 8)) {
      mode.width = bits & 4 ? b + 8 : b + 4;
      mode.height = a + 2;
    } else if (!(bits & 4)) {
      mode.width = a + 2;
      mode.height = b + 8;
    } else if (b & 2) {
      mode.width = (b & 1) + 2;
      mode.height = a + 2;
    } else {
      mode.width = a + 2;
      mode.height = (b & 1) + 6;
    }
  } else {
    if (!(bits & 12)) return false;
    range |= ((bits >> 2) & 3) << 1;
    if (b == 0) {
      mode.width = 12;
      mode.height = a + 2;
    } else if (b == 1) {
      mode.width = a + 2;
      mode.height = 12;
    } else if (b == 2) {
      mode.width = a + 6;
      mode.height = ((bits >> 9) & 3) + 6;
      high = dual = 0;
    } else {
      if (a > 1) return false;
      mode.width = a ? 10 : 6;
      mode.height = a ? 6 : 10;
    }
  }
  if (range < 2) return false;
  mode.level = range - 2 + (high ? 6 : 0);
  mode.isDual = dual;
  return true;
}

/** Hashes the partition's number. */
function hash(x: u32): u32 {
  let p = x ^ (x >> 15);
  p *= 0xeede0891;
  p ^= p >> 5;
  p += p << 16;
  p ^= p >> 7;
  p ^= p >> 3;
  p ^= p << 6;
  return p ^ (p >> 17);
}

/** The square of four bits of the hash, shifted down by `by`. */
function seedOf(number: u32, shift: i32, by: i32): u32 {
  const seed = (number >> shift) & 15;
  return (seed * seed) >> by;
}

/** The partition of a texel. */
function partitionOf(hashed: u32, seed: u32, x: u32, y: u32, count: i32): i32 {
  const odd = seed & 1;
  const first = odd ? (seed & 2 ? 4 : 5) : count == 3 ? 6 : 5;
  const second = odd ? (count == 3 ? 6 : 5) : seed & 2 ? 4 : 5;
  const a = (seedOf(hashed, 0, first) * x + seedOf(hashed, 4, second) * y + (hashed >> 14)) & 63;
  const b = (seedOf(hashed, 8, first) * x + seedOf(hashed, 12, second) * y + (hashed >> 10)) & 63;
  const c: u32 = count < 3 ? 0 : (seedOf(hashed, 16, first) * x + seedOf(hashed, 20, second) * y + (hashed >> 6)) & 63;
  const d: u32 = count < 4 ? 0 : (seedOf(hashed, 24, first) * x + seedOf(hashed, 28, second) * y + (hashed >> 2)) & 63;
  if (a >= b && a >= c && a >= d) return 0;
  if (b >= c && b >= d) return 1;
  return c >= d ? 2 : 3;
}

/**
 * Interpolates a channel between two endpoints and returns a byte: rounded to nearest if linear, the top 8 bits if
 * sRGB.
 */
function between(low: i32, high: i32, weight: i32, isSrgb: bool): i32 {
  if (isSrgb) return (((low << 8) | 0x80) * (64 - weight) + ((high << 8) | 0x80) * weight + 32) >> 14;
  const value = (low * 257 * (64 - weight) + high * 257 * weight + 32) >> 6;
  return (value * 255 + 32767) / 65535;
}

function fill(sink: Sink, scratch: usize, texel: u32): void {
  const width = min(load<i32>(scratch + SIZE), sink.width);
  const height = min(load<i32>(scratch + SIZE, 4), sink.height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) sink.put32(x, y, texel);
  }
}

/** A void-extent block: one colour for all texels. */
function voidExtent(block: usize, sink: Sink, scratch: usize): void {
  // Reserved bits must be ones. The extents must be all ones, or each in ascending order.
  const s0 = bitsAt(block, 12, 13);
  const s1 = bitsAt(block, 25, 13);
  const t0 = bitsAt(block, 38, 13);
  const t1 = bitsAt(block, 51, 13);
  const isEverywhere = s0 == 0x1fff && s1 == 0x1fff && t0 == 0x1fff && t1 == 0x1fff;
  if (bitsAt(block, 9, 1) || bitsAt(block, 10, 2) != 3 || (!isEverywhere && (s0 >= s1 || t0 >= t1))) {
    fill(sink, scratch, MAGENTA);
    return;
  }
  const isSrgb = load<i32>(scratch + SIZE, 8) != 0;
  let texel: u32 = 0;
  for (let channel = 0; channel < 4; channel++) {
    const value = bitsAt(block, 64 + (channel << 4), 16);
    texel |= (isSrgb ? value >> 8 : (value * 255 + 32767) / 65535) << (channel << 3);
  }
  fill(sink, scratch, texel);
}

/** Reads the weights of both planes, interleaved, at the grid's positions. */
function readWeights(block: usize, scratch: usize, count: i32, level: i32): void {
  const reversed = scratch + REVERSED;
  for (let i = 0; i < 16; i++) store<u8>(reversed + i, reversedByte(load<u8>(block + 15 - i)));
  readSequence(reversed, 0, count, level, scratch + NUMBERS);
  for (let i: usize = 0; i < <usize>count; i++) {
    const at = scratch + NUMBERS + i;
    store<u8>(scratch + WEIGHTS + i, weightFrom(load<u8>(at), load<u8>(at, DIGITS), level));
  }
}

function reversedByte(x: u32): u32 {
  const pairs = ((x & 0x55) << 1) | ((x >> 1) & 0x55);
  const fours = ((pairs & 0x33) << 2) | ((pairs >> 2) & 0x33);
  return ((fours & 15) << 4) | (fours >> 4);
}

/**
 * Decodes the endpoints of all partitions from the bits from `at` up to `end`. Returns false if the block is invalid.
 */
function readColours(block: usize, scratch: usize, modes: i32, partitions: i32, at: i32, end: i32): bool {
  let count = 0;
  for (let i = 0; i < partitions; i++) count += ((((modes >> (i << 2)) & 15) >> 2) + 1) << 1;
  if (count > 18) return false;
  let level = LEVEL_COUNT - 1;
  while (level >= 4 && sequenceBits(count, level) > end - at) level--;
  if (level < 4) return false;
  readSequence(block, at, count, level, scratch + NUMBERS);
  for (let i: usize = 0; i < <usize>count; i++) {
    const from = scratch + NUMBERS + i;
    store<u8>(scratch + COLOURS + i, colourOf(load<u8>(from), load<u8>(from, DIGITS), level));
  }
  let colours = scratch + COLOURS;
  for (let i = 0; i < partitions; i++) {
    const mode = (modes >> (i << 2)) & 15;
    readEnds(colours, mode, scratch + ENDS + (i << 5));
    colours += ((mode >> 2) + 1) << 1;
  }
  return true;
}

/** Endpoint modes of the partitions, four bits each; `extra` is the position of the bits that follow the first six. */
function modesOf(block: usize, partitions: i32, extra: i32): i32 {
  if (partitions == 1) return bitsAt(block, 13, 4);
  const all = bitsAt(block, 23, 6);
  const kind = all & 3;
  if (!kind) return (all >> 2) * 0x1111;
  const bits = (all >> 2) | (bitsAt(block, extra, 3 * partitions - 4) << 4);
  let modes = 0;
  for (let i = 0; i < partitions; i++) {
    const mode = ((kind - 1 + ((bits >> i) & 1)) << 2) | ((bits >> (partitions + (i << 1))) & 3);
    modes |= mode << (i << 2);
  }
  return modes;
}

/** Decodes a block; `size` is the format's code (layout/texture/block-codes.ts). */
export function astc(block: usize, sink: Sink, scratch: usize, size: i32, isSrgb: bool): void {
  const blockWidth = (size >> 8) & 255;
  const blockHeight = size >> 16;
  store<i32>(scratch + SIZE, blockWidth);
  store<i32>(scratch + SIZE, blockHeight, 4);
  store<i32>(scratch + SIZE, i32(isSrgb), 8);
  const bits = <i32>bitsAt(block, 0, 11);
  if ((bits & 0x1ff) == 0x1fc) return voidExtent(block, sink, scratch);
  const mode = changetype<Mode>(scratch + MODE);
  if (!readMode(bits, mode) || mode.width > blockWidth || mode.height > blockHeight)
    return fill(sink, scratch, MAGENTA);
  const partitions = <i32>bitsAt(block, 11, 2) + 1;
  const count = (mode.width * mode.height) << mode.isDual;
  const weightBits = sequenceBits(count, mode.level);
  if (count > 64 || weightBits < 24 || weightBits > 96 || (mode.isDual && partitions == 4))
    return fill(sink, scratch, MAGENTA);
  let end = 128 - weightBits;
  if (partitions > 1 && bitsAt(block, 23, 2)) end -= 3 * partitions - 4;
  const modes = modesOf(block, partitions, end);
  if (mode.isDual) end -= 2;
  const dualChannel = mode.isDual ? <i32>bitsAt(block, end, 2) : -1;
  if (!readColours(block, scratch, modes, partitions, partitions == 1 ? 17 : 29, end))
    return fill(sink, scratch, MAGENTA);
  readWeights(block, scratch, count, mode.level);
  paint(block, sink, scratch, partitions, dualChannel);
}

/** Writes all texels of a block; `dualChannel` is the channel that uses the second plane's weights, or −1. */
function paint(block: usize, sink: Sink, scratch: usize, partitions: i32, dualChannel: i32): void {
  const blockWidth = load<i32>(scratch + SIZE);
  const blockHeight = load<i32>(scratch + SIZE, 4);
  const isSrgb = load<i32>(scratch + SIZE, 8) != 0;
  const width = min(blockWidth, sink.width);
  const height = min(blockHeight, sink.height);
  // Small blocks are hashed as if they were twice as wide and high.
  const small = i32(blockWidth * blockHeight < 31);
  const seed = bitsAt(block, 13, 10);
  const hashed = hash(seed + ((<u32>(partitions - 1)) << 10));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const part = partitions == 1 ? 0 : partitionOf(hashed, seed, <u32>(x << small), <u32>(y << small), partitions);
      const low = scratch + ENDS + (part << 5);
      const weight = weightAt(scratch, x, y, 0);
      const dual = dualChannel < 0 ? weight : weightAt(scratch, x, y, 1);
      sink.put32(
        x,
        y,
        rgba(
          channelOf(low, 0, dualChannel == 0 ? dual : weight, isSrgb),
          channelOf(low, 1, dualChannel == 1 ? dual : weight, isSrgb),
          channelOf(low, 2, dualChannel == 2 ? dual : weight, isSrgb),
          channelOf(low, 3, dualChannel == 3 ? dual : weight, isSrgb)
        )
      );
    }
  }
}

function channelOf(ends: usize, channel: i32, weight: i32, isSrgb: bool): i32 {
  const from = ends + (channel << 2);
  return between(load<i32>(from), load<i32>(from, 16), weight, isSrgb);
}

/** The weight of a texel, interpolated between those of the grid. */
function weightAt(scratch: usize, x: i32, y: i32, plane: i32): i32 {
  const mode = changetype<Mode>(scratch + MODE);
  const blockWidth = load<i32>(scratch + SIZE);
  const blockHeight = load<i32>(scratch + SIZE, 4);
  const s = (((1024 + (blockWidth >> 1)) / (blockWidth - 1)) * x * (mode.width - 1) + 32) >> 6;
  const t = (((1024 + (blockHeight >> 1)) / (blockHeight - 1)) * y * (mode.height - 1) + 32) >> 6;
  const fs = s & 15;
  const ft = t & 15;
  const w11 = (fs * ft + 8) >> 4;
  const first = (s >> 4) + (t >> 4) * mode.width;
  return (
    (gridWeight(scratch, first, plane) * (16 - fs - ft + w11)
      + gridWeight(scratch, first + 1, plane) * (fs - w11)
      + gridWeight(scratch, first + mode.width, plane) * (ft - w11)
      + gridWeight(scratch, first + mode.width + 1, plane) * w11
      + 8)
    >> 4
  );
}

/** A weight of the grid. Beyond its end any value is returned; it is then multiplied by zero. */
function gridWeight(scratch: usize, index: i32, plane: i32): i32 {
  const isDual = changetype<Mode>(scratch + MODE).isDual;
  return load<u8>(scratch + WEIGHTS + ((index << isDual) + plane));
}
