// Geometry of coarse pixels over the quads of an 8×8 block. A coarse quad has 2×2 coarse pixels of w×h pixels, so it
// covers w×h quads. Each of these quads takes its results from lanes of the coarse quad by a pattern. Where a coarse
// pixel is one pixel wide (high), each column (row) of the quad reads the same column (row) of lanes. Otherwise, all
// columns (rows) read one.

import { REGISTER_BYTES, SOURCE_GROUP, SOURCE_PATTERN_SHIFT } from '../../layout';
import { pickBytes } from '../../simd/lanes';

/** log2 of the width and of the height of a rate's coarse pixels. */
export function widthOf(rate: i32): i32 {
  return rate >> 2;
}
export function heightOf(rate: i32): i32 {
  return rate & 3;
}

/** The first quad of the coarse quad that contains a quad (0 … 15) of a block. */
export function coarseQuadOf(rate: i32, quad: i32): i32 {
  return quad & ~((1 << widthOf(rate)) - 1) & ~(((1 << heightOf(rate)) - 1) << 2);
}

/** The lanes from which a quad takes its results, encoded as in layout/tile/coarse.ts. */
export function patternOf(rate: i32, quad: i32): i32 {
  const wide = widthOf(rate);
  const high = heightOf(rate);
  const column = wide ? 1 + (((quad & 3) >> (wide - 1)) & 1) : 0;
  const row = high ? 1 + (((quad >> 2) >> (high - 1)) & 1) : 0;
  return column | (row << 2);
}

/** The pattern in which all pixels take the results of one lane. */
export function patternOfLane(lane: i32): i32 {
  return (1 + (lane & 1)) | ((1 + (lane >> 1)) << 2);
}

/** The lanes of a coarse quad (four bits) that stand for the given pixels (four bits) of a quad with a pattern. */
export function lanesFor(pattern: i32, pixels: i32): i32 {
  const column = pattern & 3;
  const row = pattern >> 2;
  let upper = pixels & 3;
  let lower = pixels >> 2;
  if (column) {
    upper = i32(upper != 0) << (column - 1);
    lower = i32(lower != 0) << (column - 1);
  }
  return row ? (upper | lower) << ((row - 1) << 1) : upper | (lower << 2);
}

/** The pixels of a quad with a pattern that a lane stands for. */
export function pixelsFor(pattern: i32, lane: i32): i32 {
  const column = pattern & 3;
  const row = pattern >> 2;
  const columns = column ? 15 : 5 << (lane & 1);
  return row ? columns : columns & (lane >> 1 ? 12 : 3);
}

/** First pixel (quad·4 + pixel) of a coarse pixel: lane `lane` of the coarse quad that begins at quad `first`. */
export function firstPixel(rate: i32, first: i32, lane: i32): i32 {
  const x = ((first & 3) << 1) + ((lane & 1) << widthOf(rate));
  const y = ((first >> 2) << 1) + ((lane >> 1) << heightOf(rate));
  return ((y & 6) << 3) | ((x & 6) << 1) | ((y & 1) << 1) | (x & 1);
}

/** The pixels of lane 0 of the coarse quad that begins at a block's first pixel (bit quad·4 + pixel). */
export function lanePixels(rate: i32): u64 {
  const wide = widthOf(rate);
  const high = heightOf(rate);
  const columns: u64 = wide == 2 ? 0x33 : wide ? 3 : 1;
  return columns * (high == 2 ? 0x50005 : high ? 5 : 1);
}

/** The number of bits from the pixels of a lane to those of the lane on its right, and of the one below it. */
export function toRightLane(rate: i32): u64 {
  const wide = widthOf(rate);
  return <u64>(wide ? wide << 2 : 1);
}
export function toLowerLane(rate: i32): u64 {
  const high = heightOf(rate);
  return <u64>(high ? high << 4 : 2);
}

/** Areas (bit area) that contain the given quads (bit quad) of a block, and the quads of the given areas. */
export function areasOf(quads: i32): i32 {
  return (
    i32((quads & 0x0033) != 0)
    | (i32((quads & 0x00cc) != 0) << 1)
    | (i32((quads & 0x3300) != 0) << 2)
    | (i32((quads & 0xcc00) != 0) << 3)
  );
}
export function quadsOfAreas(areas: i32): i32 {
  return (
    ((areas & 1) * 0x0033) | (((areas >> 1) & 1) * 0x00cc) | (((areas >> 2) & 1) * 0x3300) | ((areas >> 3) * 0xcc00)
  );
}

/**
 * For each pattern and pixel, the bytes of the lane that holds its results. A pattern's column is 0 … 2, so each fourth
 * row is unused.
 */
const PATTERNS: usize = memory.data<u32>(
  [
    0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x03020100, 0x03020100, 0x0b0a0908, 0x0b0a0908, 0x07060504,
    0x07060504, 0x0f0e0d0c, 0x0f0e0d0c, 0, 0, 0, 0, 0x03020100, 0x07060504, 0x03020100, 0x07060504, 0x03020100,
    0x03020100, 0x03020100, 0x03020100, 0x07060504, 0x07060504, 0x07060504, 0x07060504, 0, 0, 0, 0, 0x0b0a0908,
    0x0f0e0d0c, 0x0b0a0908, 0x0f0e0d0c, 0x0b0a0908, 0x0b0a0908, 0x0b0a0908, 0x0b0a0908, 0x0f0e0d0c, 0x0f0e0d0c,
    0x0f0e0d0c, 0x0f0e0d0c,
  ],
  16
);

/** Address of the byte order (for i8x16.swizzle) of a fine entry's source. */
export function orderOf(source: i32): usize {
  return PATTERNS + (((source >> SOURCE_PATTERN_SHIFT) & 15) << 4);
}

/** Copies four lanes of each of `count` registers, selected by the pattern and group in `source`. */
// @ts-ignore: decorator
@inline
export function spreadQuad(source: i32, from: usize, to: usize, count: u32): void {
  from += (source & SOURCE_GROUP) << 4;
  if (ASC_FEATURE_SIMD) {
    const order = v128.load(orderOf(source));
    for (const end = from + count * REGISTER_BYTES; from < end; from += REGISTER_BYTES, to += REGISTER_BYTES)
      v128.store(to, pickBytes(v128.load(from), order));
  } else {
    const order = orderOf(source);
    for (const end = from + count * REGISTER_BYTES; from < end; from += REGISTER_BYTES, to += REGISTER_BYTES) {
      for (let lane: usize = 0; lane < 16; lane += 4) store<u32>(to + lane, load<u32>(from + load<u8>(order + lane)));
    }
  }
}
