// Resolve: the mean of a pixel's samples, from a context to rows of one sample. Pixels of one texel are copied, and
// clear blocks filled in. Linear formats of 8 bits are averaged as integers, rounded to nearest; sRGB in linear light;
// all others in float, in the order of the samples. Samples that are equal bit for bit are their mean. Scalar twin:
// resolve.scalar.ts.

import { Attachment, BLOCK_SIZE, bytesOfLayer, FORMAT_BGRA8UNORM, FORMAT_RGBA8UNORM, Plane, Tile } from '../layout';
import {
  highHalves, lowHalves, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3,
} from '../simd/lanes';
import { pixelAt } from '../simd/positions';
import { lanesOf, meansOfSums, sumsOfSamples } from '../simd/texels';
import { texelBytes, visitBlended } from '../surface/formats';
import { pixelEqual } from '../surface/plane';
import { copyTexel } from '../surface/texel-same';
import { meansRgba8Scalar, resolvePixel } from './resolve.scalar';

/** Resolves a target's colours (multisampled). */
export function resolvePlane(tile: Tile, attachment: Attachment, index: i32): void {
  const width = tile.width;
  const height = tile.height;
  const plane = tile.plane(index);
  const format = attachment.format;
  const bytes = texelBytes(format);
  const rowBytes = attachment.resolveRowBytes;
  const corner = attachment.resolveAddress + tile.y * rowBytes + tile.x * bytes;
  for (let top = 0; top < height; top += BLOCK_SIZE) {
    for (let left = 0; left < width; left += BLOCK_SIZE) {
      const block = top + (left >> 3);
      const columns = width - left < BLOCK_SIZE ? width - left : BLOCK_SIZE;
      const rows = height - top < BLOCK_SIZE ? height - top : BLOCK_SIZE;
      const to = corner + top * rowBytes + left * bytes;
      if (plane.isClear(block)) {
        fillRows(plane.clear, to, rowBytes, columns * bytes, rows);
        continue;
      }
      meansOfBlock(tile, plane, block, format);
      const from = plane.texel(block << 6);
      if (columns == BLOCK_SIZE && rows == BLOCK_SIZE) copyBlock(bytes, from, to, rowBytes);
      else copyPart(bytes, from, to, rowBytes, columns, rows);
    }
  }
}

/** Rows of `length` bytes of the clear colour, whose texels are repeated to 16 bytes at `texel`. */
function fillRows(texel: usize, to: usize, rowBytes: u32, length: i32, rows: i32): void {
  const low = load<u64>(texel);
  const high = load<u64>(texel, 8);
  for (let row = 0; row < rows; row++) {
    let at = to + row * rowBytes;
    let left = length;
    for (; left >= 16; left -= 16) {
      store<u64>(at, low);
      store<u64>(at, high, 8);
      at += 16;
    }
    if (left) memory.copy(at, texel, left);
  }
}

/** Puts the means of the pixels that lie in the sample planes into the pixel plane, where their places are free. */
function meansOfBlock(tile: Tile, plane: Plane, block: i32, format: i32): void {
  const bits = plane.bits(block);
  const perSample = load<u64>(bits);
  if (!perSample) return;
  const bytes = plane.texelBytes;
  const from = plane.sample(block << 6);
  const to = plane.texel(block << 6);
  if (format == FORMAT_RGBA8UNORM || format == FORMAT_BGRA8UNORM) {
    const layers = tile.layers;
    if (ASC_FEATURE_SIMD) meansRgba8Simd(from, to, bits, layers);
    else meansRgba8Scalar(from, to, bits, layers);
    return;
  }
  if (ASC_FEATURE_SIMD) {
    if (visitBlended<Means>(format, changetype<usize>(tile), changetype<usize>(plane), block)) return;
  }
  for (let rest = perSample; rest; rest &= rest - 1) {
    const pixel = <usize>ctz(rest) * bytes;
    resolvePixel(format, bytes, from + (pixel << 2), to + pixel, tile.texels, tile.samples);
  }
}

/**
 * Means of the pixels of a block whose bit is set in the u64 at `perSample`, linear texels of four bytes. Of two
 * samples, four are averaged: each is there twice.
 */
export function meansRgba8Simd(from: usize, to: usize, perSample: usize, layers: i32): void {
  for (let rest = load<u64>(perSample); rest; rest >>= 4) {
    const bits = <i32>rest & 15;
    if (bits) {
      let at = from;
      let s0 = sumsOfSamples(v128.load(at));
      let s1 = sumsOfSamples(v128.load(at, 16));
      let s2 = sumsOfSamples(v128.load(at, 32));
      let s3 = sumsOfSamples(v128.load(at, 48));
      for (let layer = 1; layer < layers; layer++) {
        at += bytesOfLayer(4);
        s0 = i16x8.add(s0, sumsOfSamples(v128.load(at)));
        s1 = i16x8.add(s1, sumsOfSamples(v128.load(at, 16)));
        s2 = i16x8.add(s2, sumsOfSamples(v128.load(at, 32)));
        s3 = i16x8.add(s3, sumsOfSamples(v128.load(at, 48)));
      }
      v128.store(to, v128.bitselect(meansOfSums(s0, s1, s2, s3, layers), v128.load(to), lanesOf(bits)));
    }
    from += 64;
    to += 16;
  }
}

/** Means of the pixels of a block that lie in the sample planes, a quad at a time. */
@unmanaged class Means {
  of<C>(context: usize, planeAt: usize, block: usize): usize {
    const tile = changetype<Tile>(context);
    const plane = changetype<Plane>(planeAt);
    const size = changetype<C>(0).bytes;
    const means = tile.output.texels;
    let from = plane.sample(block << 6);
    let to = plane.texel(block << 6);
    for (let rest = load<u64>(plane.bits(block)); rest; rest >>= 4) {
      let unequal = 0;
      for (let bits = <i32>rest & 15; bits; bits &= bits - 1) {
        const pixel = ctz(bits);
        const texels = from + (pixel << 2) * size;
        if (pixelEqual(size, texels, tile.layers)) changetype<C>(0).size.copy(to + pixel * size, texels);
        else unequal |= bits & -bits;
      }
      if (unequal) meansOfFour<C>(from, means, tile.samples);
      for (; unequal; unequal &= unequal - 1) {
        const pixel = ctz(unequal);
        changetype<C>(0).size.copy(to + pixel * size, means + pixel * size);
      }
      from += size << 4;
      to += size << 2;
    }
    return 1;
  }
}

/** Means of the four pixels at `from`, in float: their samples' sum, in order, divided by their number. */
function meansOfFour<C>(from: usize, to: usize, count: i32): void {
  const texels = changetype<C>(0).encode(to,
    meanOf<C>(from, 0, count), meanOf<C>(from, 1, count), meanOf<C>(from, 2, count), meanOf<C>(from, 3, count));
  changetype<C>(0).size.put(to, texels, to);
}

// @ts-ignore: decorator
@inline
function meanOf<C>(from: usize, channel: i32, count: i32): v128 {
  const size = changetype<C>(0).bytes << 2;
  let sum = f32x4.splat(0);
  for (let first = 0; first < count; first += 4) {
    const p0 = changetype<C>(0).load(from, channel);
    const p1 = changetype<C>(0).load(from + size, channel);
    const p2 = changetype<C>(0).load(from + 2 * size, channel);
    const p3 = changetype<C>(0).load(from + 3 * size, channel);
    const begun = transposeColumn0(p0, p1, p2, p3);
    sum = f32x4.add(first ? f32x4.add(sum, begun) : begun, transposeColumn1(p0, p1, p2, p3));
    if (count > 2) sum = f32x4.add(f32x4.add(sum, transposeColumn2(p0, p1, p2, p3)), transposeColumn3(p0, p1, p2, p3));
    from += bytesOfLayer(size >> 2);
  }
  return f32x4.mul(sum, f32x4.splat(<f32>1 / <f32>count));
}

/** A block of one texel a pixel, to rows. */
function copyBlock(bytes: i32, from: usize, to: usize, rowBytes: u32): void {
  switch (bytes) {
    case 1: copyPixels<u16>(2, from, to, rowBytes); return;
    case 2: copyPixels<u32>(4, from, to, rowBytes); return;
    case 4:
      if (ASC_FEATURE_SIMD) copyQuads(from, to, rowBytes);
      else copyPixels<u64>(8, from, to, rowBytes);
      return;
    default: copyPixels<u64>(bytes << 1, from, to, rowBytes);
  }
}

/** Four bytes a pixel: two quads side by side are four pixels of two rows. */
function copyQuads(from: usize, to: usize, rowBytes: u32): void {
  for (const end = from + 256; from < end; from += 64) {
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const c = v128.load(from, 32);
    const d = v128.load(from, 48);
    v128.store(to, lowHalves(a, b));
    v128.store(to, lowHalves(c, d), 16);
    v128.store(to + rowBytes, highHalves(a, b));
    v128.store(to + rowBytes, highHalves(c, d), 16);
    to += rowBytes << 1;
  }
}

/** Two pixels of a row, `pair` bytes, are copied as words of type W. */
function copyPixels<W extends number>(pair: usize, from: usize, to: usize, rowBytes: u32): void {
  let quad = from;
  let row = to;
  for (let i = 0; i < 4; i++) {
    for (let column: usize = 0; column < pair << 2; column += sizeof<W>()) {
      store<W>(row + column, load<W>(quad));
      store<W>(row + rowBytes + column, load<W>(quad + pair));
      quad += sizeof<W>();
      // The second row of a quad is behind its first.
      if (((column + sizeof<W>()) & (pair - 1)) == 0) quad += pair;
    }
    row += rowBytes << 1;
  }
}

/** The part of a block that lies within the picture. */
function copyPart(bytes: i32, from: usize, to: usize, rowBytes: u32, columns: i32, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      copyTexel(bytes, to + row * rowBytes + column * bytes, from + pixelAt(column, row) * bytes);
    }
  }
}
