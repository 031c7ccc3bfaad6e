// Opaque texels to single pixels, which hold one texel each as long as they can (layout/plane.ts). The same code in
// both builds.

import { OutputScratch, Plane, TILE_PIXELS } from '../layout';
import { fillPixels, leavePair } from '../surface/plane';
import { pixelMask } from '../tile/layers';

@unmanaged export class Pixels<C> {
  /**
   * The texel at `texel` to the samples of `mask`, a bit each, of a pixel (quad·4 + pixel), in the bits that are
   * written.
   */
  @inline put(scratch: OutputScratch, plane: Plane, pixel: i32, mask: i32, texel: usize): void {
    const size = changetype<C>(0).size;
    const block = pixel >> 6;
    if (plane.isClear(block)) fillPixels(plane, block);
    const bits = load<u64>(plane.bits(block));
    const bit = <u64>1 << <u64>(pixel & 63);
    const one = plane.pixels + pixel * size.bytes;
    if (mask == scratch.whole) {
      size.copy(one, texel);
      if (bits & bit) store<u64>(plane.bits(block), bits & ~bit);
      return;
    }
    const target = scratch.target;
    if (plane.further) leavePair(plane, pixel);
    let at = plane.samples + 4 * pixel * size.bytes;
    let rest = mask;
    if (bits & bit) {
      for (; rest; rest >>= 4) {
        putSamples<C>(scratch, at, rest & 15, texel);
        at += 4 * TILE_PIXELS * size.bytes;
      }
      return;
    }
    if (mask == scratch.every) {
      size.mergeBits(one, texel, target.written);
      return;
    }
    // What the pixel held goes to its samples in the same step: by itself that took teapots at four samples half as
    // long again in output.
    for (let layer = plane.layers; layer > 0; layer--) {
      if (target.writesAll) {
        size.choose(at, rest & 15, texel, one);
      } else {
        size.choose(at, 0, one, one);
        putSamples<C>(scratch, at, rest & 15, texel);
      }
      at += 4 * TILE_PIXELS * size.bytes;
      rest >>= 4;
    }
    store<u64>(plane.bits(block), bits | bit);
  }
}

/** The four texels at OutputScratch.terms to the pixels of a quad of which samples are in `mask`. */
export function putQuad<C>(scratch: OutputScratch, plane: Plane, quad: i32, mask: u64): void {
  let texel = scratch.terms;
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = pixelMask(mask, pixel);
    if (samples) changetype<Pixels<C>>(0).put(scratch, plane, (quad << 2) + pixel, samples, texel);
    texel += changetype<C>(0).size.bytes;
  }
}

/** To the samples of `mask`, those of a layer, of a pixel that holds a texel a sample. */
function putSamples<C>(scratch: OutputScratch, at: usize, mask: i32, texel: usize): void {
  const size = changetype<C>(0).size;
  const written = scratch.target.written;
  if (ASC_FEATURE_SIMD) {
    size.merge(at, size.repeat(scratch.texels, texel), scratch.texels, mask, v128.load(written));
  } else {
    for (let rest = mask; rest; rest &= rest - 1) {
      size.mergeBits(at + ctz(rest) * size.bytes, texel, written);
    }
  }
}
