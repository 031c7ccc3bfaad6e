// Resolve: the mean of a pixel's four samples, from a context plane to rows of one sample. Blocks and pixels of equal samples are copied.
// Linear formats of 8 bits are averaged as integers, rounded to nearest; sRGB in linear light; all others in float. Scalar twin:
// resolve.scalar.ts.

import { COLOR_SAMPLES, CTX_COLORS, CTX_OUTPUT, CTX_TEXELS, OUTPUT_MEANS, OUTPUT_SAMPLES } from '../layout/context';
import { FORMAT_BGRA8UNORM, FORMAT_RGBA8UNORM } from '../layout/formats';
import { ATTACHMENT_FORMAT, ATTACHMENT_RESOLVE_ADDRESS, ATTACHMENT_RESOLVE_ROW_BYTES } from '../layout/pass';
import { BLOCK_SIZE } from '../layout/limits';
import { transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';
import { meansOfQuad } from '../simd/texels';
import { colorStates, fillPixels, spreadColor } from './color-blocks';
import { resolvePixel, resolveRgba8Scalar } from './resolve.scalar';
import { texelBytes } from './texel';
import { hasFour, loadFour, storeFour } from './texel-four';
import { pixelEqual, putOne } from './texel-put';
import { pixelIndex } from './tile';

/** Resolves a target's colour plane (four samples) for the tile whose corner is (x, y) in the resolve target. */
export function resolvePlane(context: usize, attachment: usize, index: i32, x: i32, y: i32, width: i32, height: i32): void {
  const format = load<i32>(attachment + ATTACHMENT_FORMAT);
  const bytes = texelBytes(format);
  const rowBytes = load<u32>(attachment + ATTACHMENT_RESOLVE_ROW_BYTES);
  const corner = load<usize>(attachment + ATTACHMENT_RESOLVE_ADDRESS) + <usize>y * rowBytes + <usize>(x * bytes);
  const plane: usize = load<usize>(context + CTX_COLORS + (<usize>index << 2));
  const linear = format == FORMAT_RGBA8UNORM || format == FORMAT_BGRA8UNORM;
  for (let top = 0; top < height; top += BLOCK_SIZE) {
    for (let left = 0; left < width; left += BLOCK_SIZE) {
      const block = top + (left >> 3);
      const blockWidth = width - left < BLOCK_SIZE ? width - left : BLOCK_SIZE;
      const blockHeight = height - top < BLOCK_SIZE ? height - top : BLOCK_SIZE;
      const to = corner + <usize>top * rowBytes + <usize>(left * bytes);
      const from = plane + <usize>(block * 256 * bytes);
      const whole = blockWidth == BLOCK_SIZE && blockHeight == BLOCK_SIZE;
      if (whole && load<u8>(colorStates(context, index) + <usize>block) != COLOR_SAMPLES) {
        fillPixels(context, index, block, bytes);
        copyBlock(bytes, from, to, rowBytes);
        continue;
      }
      spreadColor(context, index, block, bytes);
      if (linear) resolveRgba8(from, to, rowBytes, blockWidth, blockHeight);
      else if (whole) resolveWhole(context, format, bytes, from, to, rowBytes);
      else resolveBlock(format, bytes, from, to, rowBytes, blockWidth, blockHeight, context + CTX_TEXELS);
    }
  }
}

/** A block of one texel a pixel, to rows. */
function copyBlock(bytes: i32, from: usize, to: usize, rowBytes: u32): void {
  switch (bytes) {
    case 1: copyPixels<u16>(2, from, to, rowBytes); return;
    case 2: copyPixels<u32>(4, from, to, rowBytes); return;
    default: copyPixels<u64>(<usize>bytes << 1, from, to, rowBytes);
  }
}

/** Two pixels of a row, `pair` bytes, are copied as words of type W. */
// @ts-ignore: decorator
@inline
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

/** A whole block of any format but those of four linear bytes. */
// @ts-ignore: decorator
@inline
function resolveWhole(context: usize, format: i32, bytes: i32, from: usize, to: usize, rowBytes: u32): void {
  if (ASC_FEATURE_SIMD) {
    if (hasFour(format)) {
      resolveFour(context, format, bytes, from, to, rowBytes);
      return;
    }
  }
  resolveBlock(format, bytes, from, to, rowBytes, BLOCK_SIZE, BLOCK_SIZE, context + CTX_TEXELS);
}

/** A whole block, a quad at a time. Pixels of equal samples are copied, as resolvePixel does. */
function resolveFour(context: usize, format: i32, bytes: i32, from: usize, to: usize, rowBytes: u32): void {
  const means = context + CTX_OUTPUT + OUTPUT_MEANS;
  const size = <usize>bytes;
  let at = from;
  for (let quad = 0; quad < 16; quad++) {
    const row = to + <usize>((quad >> 2) << 1) * rowBytes + (<usize>(quad & 3) * size << 1);
    let unequal = 0;
    for (let pixel = 0; pixel < 4; pixel++) {
      if (!pixelEqual(bytes, at + <usize>(pixel << 2) * size)) unequal |= 1 << pixel;
    }
    if (unequal) meansOfFour(format, at, bytes, context + CTX_OUTPUT + OUTPUT_SAMPLES, means);
    for (let pixel = 0; pixel < 4; pixel++) {
      const texel = unequal & (1 << pixel) ? means + <usize>pixel * size : at + <usize>(pixel << 2) * size;
      putOne(bytes, row + (pixel & 2 ? <usize>rowBytes : 0) + (pixel & 1 ? size : 0), texel);
    }
    at += size << 4;
  }
}

/** Means of the four pixels at `from`, in float: ((s0 + s1) + s2 + s3) · 0.25. `words`: 256 bytes. */
function meansOfFour(format: i32, from: usize, bytes: i32, words: usize, to: usize): void {
  for (let pixel = 0; pixel < 4; pixel++) loadFour(format, from + <usize>(pixel * 4 * bytes), words + (<usize>pixel << 6));
  for (let channel: usize = 0; channel < 64; channel += 16) v128.store(words + channel, meanOf(words + channel));
  storeFour(format, to, words, words + 16, words + 32, words + 48);
}

/** A channel's mean of four pixels, whose samples lie 64 bytes apart. */
function meanOf(words: usize): v128 {
  const p0 = v128.load(words);
  const p1 = v128.load(words, 64);
  const p2 = v128.load(words, 128);
  const p3 = v128.load(words, 192);
  const sum = f32x4.add(f32x4.add(f32x4.add(transposeColumn0(p0, p1, p2, p3), transposeColumn1(p0, p1, p2, p3)),
    transposeColumn2(p0, p1, p2, p3)), transposeColumn3(p0, p1, p2, p3));
  return f32x4.mul(sum, f32x4.splat(0.25));
}

/** Any format, a pixel at a time. `scratch`: 32 bytes. */
function resolveBlock(format: i32, bytes: i32, from: usize, to: usize, rowBytes: u32, width: i32, height: i32, scratch: usize): void {
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const texels = from + <usize>(pixelIndex(column, row) * 4 * bytes);
      resolvePixel(format, bytes, texels, to + <usize>row * rowBytes + <usize>(column * bytes), scratch);
    }
  }
}

/** Texels of four 8-bit channels, linear: up to a tile. */
// @ts-ignore: decorator
@inline
function resolveRgba8(from: usize, corner: usize, rowBytes: u32, width: i32, height: i32): void {
  if (ASC_FEATURE_SIMD) resolveRgba8Simd(from, corner, rowBytes, width, height);
  else resolveRgba8Scalar(from, corner, rowBytes, width, height);
}

export function resolveRgba8Simd(from: usize, corner: usize, rowBytes: u32, width: i32, height: i32): void {
  for (let y = 0; y < height; y += 2) {
    const row = corner + <usize>y * rowBytes;
    for (let x = 0; x < width; x += 2) {
      const at = from + (<usize>pixelIndex(x, y) << 4);
      const means = meansOfQuad(v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48));
      const to = row + (<usize>x << 2);
      if (x + 1 < width) v128.store64_lane(to, means, 0);
      else v128.store32_lane(to, means, 0);
      if (y + 1 == height) continue;
      if (x + 1 < width) v128.store64_lane(to + rowBytes, means, 1);
      else v128.store32_lane(to + rowBytes, means, 2);
    }
  }
}
