// Opaque texels to single pixels, which hold one texel each as long as they can (layout/plane.ts). The same code in
// both builds.

import { Target } from '../layout/draw';

import { Plane } from '../layout/plane';
import { Tile } from '../layout/tile';
import { fillPixels } from '../surface/plane';
import { allSamples } from '../tile/layers';

/**
 * The texel at `texel` to the samples of `mask`, a bit each, of a pixel (quad·4 + pixel), in the bits that are
 * written.
 */
export function putPixel<C>(tile: Tile, plane: Plane, pixel: i32, mask: i32, texel: usize): void {
  const size = changetype<C>(0).size;
  const target = tile.output.target;
  const block = pixel >> 6;
  if (plane.isClear(block)) fillPixels(plane, block);
  const bits = load<u64>(plane.bits(block));
  const bit = <u64>1 << <u64>(pixel & 63);
  const one = plane.texel(pixel);
  if (mask == allSamples(tile) && (!(bits & bit) || (target.writesAll && tile.encodes))) {
    if (target.writesAll) size.copy(one, texel);
    else size.mergeBits(one, texel, target.written);
    if (bits & bit) store<u64>(plane.bits(block), bits & ~bit);
    return;
  }
  // What the pixel held goes to its samples in the same step: by itself that took teapots at four samples half as
  // long again in output.
  let at = plane.sample(pixel);
  for (let layer = 0; layer < tile.layers; layer++) {
    const part = mask >> (layer << 2) & 15;
    if (bits & bit) putSamples<C>(target, at, part, texel);
    else if (target.writesAll) size.choose(at, part, texel, one);
    else {
      size.choose(at, 0, one, one);
      putSamples<C>(target, at, part, texel);
    }
    at += plane.layerBytes;
  }
  store<u64>(plane.bits(block), bits | bit);
}

/** To the samples of `mask`, those of a layer, of a pixel that holds a texel a sample. */
function putSamples<C>(target: Target, at: usize, mask: i32, texel: usize): void {
  const size = changetype<C>(0).size;
  for (let rest = mask; rest; rest &= rest - 1) {
    size.mergeBits(at + <usize>(<i32>ctz(rest) * size.bytes), texel, target.written);
  }
}
