// Resolve: the mean of a pixel's four samples, from a context plane to rows of one sample. Pixels whose samples are equal are copied.
// Linear formats of 8 bits are averaged as integers, rounded to nearest; sRGB in linear light; all others in float. Scalar twin:
// resolve.scalar.ts.

import { FORMAT_BGRA8UNORM, FORMAT_RGBA8UNORM } from '../layout/formats';
import { ATTACHMENT_FORMAT, ATTACHMENT_RESOLVE_ADDRESS, ATTACHMENT_RESOLVE_ROW_BYTES } from '../layout/pass';
import { isSplat } from '../simd/lanes';
import { meanOfFour } from '../simd/texels';
import { resolvePixel, resolveRgba8Scalar } from './resolve.scalar';
import { texelBytes } from './texel';
import { pixelIndex } from './tile';

/** Resolves a tile's colour plane at `from` (four samples); (x, y): its corner in the target. `scratch`: 32 bytes. */
export function resolvePlane(attachment: usize, from: usize, x: i32, y: i32, width: i32, height: i32, scratch: usize): void {
  const format = load<i32>(attachment + ATTACHMENT_FORMAT);
  const bytes = texelBytes(format);
  const rowBytes = load<u32>(attachment + ATTACHMENT_RESOLVE_ROW_BYTES);
  const corner = load<usize>(attachment + ATTACHMENT_RESOLVE_ADDRESS) + <usize>y * rowBytes + <usize>(x * bytes);
  if (format == FORMAT_RGBA8UNORM || format == FORMAT_BGRA8UNORM) {
    resolveRgba8(from, corner, rowBytes, width, height);
    return;
  }
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const texels = from + <usize>(pixelIndex(column, row) * 4 * bytes);
      resolvePixel(format, bytes, texels, corner + <usize>row * rowBytes + <usize>(column * bytes), scratch);
    }
  }
}

/** Texels of four 8-bit channels, linear. */
// @ts-ignore: decorator
@inline
function resolveRgba8(from: usize, corner: usize, rowBytes: u32, width: i32, height: i32): void {
  if (ASC_FEATURE_SIMD) resolveRgba8Simd(from, corner, rowBytes, width, height);
  else resolveRgba8Scalar(from, corner, rowBytes, width, height);
}

export function resolveRgba8Simd(from: usize, corner: usize, rowBytes: u32, width: i32, height: i32): void {
  for (let y = 0; y < height; y++) {
    const row = corner + <usize>y * rowBytes;
    const line = from + (<usize>pixelIndex(0, y) << 4);
    for (let x = 0; x < width; x++) {
      const at = line + (<usize>(((x >> 3) << 6) + (((x >> 1) & 3) << 2) + (x & 1)) << 4);
      const texels = v128.load(at);
      const mean = isSplat(texels) ? texels : meanOfFour(texels);
      v128.store32_lane(row + (<usize>x << 2), mean, 0);
    }
  }
}
