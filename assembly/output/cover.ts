// Where the texels of a quad lie (layout/plane.ts), and what is laid out before it can be blended. The same code in
// both builds.

import { Packer, Plane, Tile } from '../layout';
import { expandPixel, fillPixels, spreadBlock, spreadPairs } from '../surface/plane';
import { anyLayer } from '../tile/layers';

/**
 * Pixels of a block in the sample planes from which on blending puts all there, at up to four samples and with
 * layers.
 */
const SPREAD_PIXELS = 1;
const SPREAD_PIXELS_LAYERS = 16;

@unmanaged export class Cover {
  /** Pixels of a quad that a mask covers in all samples (bits 0 … 3) and in any (bits 16 … 19). */
  @inline static of(mask: u64, layers: i32): i32 {
    const every = layers == 1 ? <i32>mask : everyLayer(mask, layers);
    const any = layers == 1 ? <i32>mask : anyLayer(mask);
    const pairs = every & (every >> 1);
    const some = any | (any >> 1);
    const bits = <u32>(pairs & (pairs >> 2) & 0x1111) | (<u32>((some | (some >> 2)) & 0x1111) << 16);
    return <i32>(bits | (bits >> 3) | (bits >> 6) | (bits >> 9)) & 0xf000f;
  }
  /** Whether any pixel is covered in part. */
  @inline static isPartial(cover: i32): bool { return ((cover >> 16) & ~cover & 15) != 0; }
}

/** The samples that are in the mask in all layers, 2 or 4. */
function everyLayer(mask: u64, layers: i32): i32 {
  const half = layers == 4 ? mask & (mask >> 32) : mask;
  return <i32>(half & (half >> 16)) & 0xffff;
}

/**
 * Lays out a quad so that what is blended with it under `mask` finds its pixels one way: in the pixel plane, where some
 * may have a second texel, or in the sample planes. Quads with two sorts of pixels took twice the time, and particles,
 * nearly all edges, a third more at four samples. For them a block of which a good part lies in the sample planes goes
 * there as a whole. Who stores the tile finds the pixels of equal samples again.
 */
export function layOutQuad(tile: Tile, plane: Plane, quad: i32, mask: u64): void {
  const block = quad >> 4;
  if (plane.isClear(block)) fillPixels(plane, block);
  if (tile.layerSamples == 1) return;
  const perSample = plane.perSampleOf(quad);
  if (!Cover.isPartial(Cover.of(mask, tile.layers)) && plane.pairsOfQuad(quad) == perSample) return;
  spreadPairs(plane, block);
  for (let rest = 15 & ~perSample; rest; rest &= rest - 1) expandPixel(plane, (quad << 2) + <i32>ctz(rest));
  const bits = load<u64>(plane.bits(block)) | (<u64>15 << <u64>((quad & 15) << 2));
  store<u64>(plane.bits(block), bits);
  if (<i32>popcnt(bits) >= (tile.layers == 1 ? SPREAD_PIXELS : SPREAD_PIXELS_LAYERS)) spreadBlock(plane, block);
}

/** Whether all pixels of a packer's block hold one texel or two each; a clear block is laid out. */
export function hasNoSamples(plane: Plane, packer: Packer): bool {
  const block = packer.entry(0).quad >> 4;
  if (plane.isClear(block)) fillPixels(plane, block);
  return load<u64>(plane.bits(block)) == plane.pairsOf(block);
}
