// Resolve: the mean of a pixel's four samples, from a context plane to rows of one sample. Blocks and pixels of equal samples are copied.
// Linear formats of 8 bits are averaged as integers, rounded to nearest; sRGB in linear light; all others in float. Scalar twin:
// resolve.scalar.ts.

import { COLOR_SAMPLES, CTX_COLORS, CTX_TEXELS } from '../layout/context';
import { FORMAT_BGRA8UNORM, FORMAT_RGBA8UNORM } from '../layout/formats';
import { ATTACHMENT_FORMAT, ATTACHMENT_RESOLVE_ADDRESS, ATTACHMENT_RESOLVE_ROW_BYTES } from '../layout/pass';
import { BLOCK_SIZE } from '../layout/limits';
import { meansOfQuad } from '../simd/texels';
import { colorStates, fillPixels, spreadColor } from './color-blocks';
import { resolvePixel, resolveRgba8Scalar } from './resolve.scalar';
import { texelBytes } from './texel';
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
      if (whole && bytes == 4 && load<u8>(colorStates(context, index) + <usize>block) != COLOR_SAMPLES) {
        fillPixels(context, index, block);
        copyPixels(from, to, rowBytes);
        continue;
      }
      spreadColor(context, index, block, bytes);
      if (linear) resolveRgba8(from, to, rowBytes, blockWidth, blockHeight);
      else resolveBlock(format, bytes, from, to, rowBytes, blockWidth, blockHeight, context + CTX_TEXELS);
    }
  }
}

/** A block of one texel a pixel, to rows. */
function copyPixels(from: usize, to: usize, rowBytes: u32): void {
  let quad = from;
  let row = to;
  for (let i = 0; i < 4; i++) {
    for (let pair: usize = 0; pair < 32; pair += 8) {
      store<u64>(row + pair, load<u64>(quad));
      store<u64>(row + rowBytes + pair, load<u64>(quad, 8));
      quad += 16;
    }
    row += rowBytes << 1;
  }
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
