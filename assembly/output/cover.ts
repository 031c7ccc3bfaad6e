// Coverage of a quad's pixels, and the preparation of its texels (layout/surface/plane.ts) for blending. Both builds
// share this code.

import { Packer, Plane, Tile } from '../layout';
import { expandPixel, fillPixels, spreadBlock, spreadPairs } from '../surface/plane';
import { anyLayer } from '../tile/layers';

/**
 * When at least this many pixels of a block are in the sample plane, blending moves the whole block there: at up to
 * four samples, and with several layers.
 */
const SPREAD_PIXELS = 1;
const SPREAD_PIXELS_LAYERS = 16;


@unmanaged export class Cover {
  /** The pixels of a quad that a mask covers in all samples (bits 0…3) and in any sample (bits 16…19). */
  @inline static of(mask: u64, layers: i32): i32 {
    const every = layers == 1 ? <i32>mask : everyLayer(mask, layers);
    const any = layers == 1 ? <i32>mask : anyLayer(mask);
    const pairs = every & (every >> 1);
    const some = any | (any >> 1);
    const bits = (<u32>(pairs & (pairs >> 2) & 0x1111)) | ((<u32>((some | (some >> 2)) & 0x1111)) << 16);
    return (<i32>(bits | (bits >> 3) | (bits >> 6) | (bits >> 9))) & 0xf000f;
  }
  /** Whether any pixel is partly covered. */
  @inline static isPartial(cover: i32): bool {
    return ((cover >> 16) & ~cover & 15) != 0;
  }
}

/** The samples that the mask contains in all layers (2 or 4). */
function everyLayer(mask: u64, layers: i32): i32 {
  const half = layers == 4 ? mask & (mask >> 32) : mask;
  return (<i32>(half & (half >> 16))) & 0xffff;
}

/**
 * Prepares a quad so that blending under `mask` finds all its pixels in one form: in the pixel plane, possibly with
 * further values, or in the sample plane. Quads with mixed forms took twice the time, and particles, nearly all edges,
 * a third more at four samples. Therefore a block with many pixels in the sample plane moves there as a whole. Storing
 * the tile detects pixels with equal samples again.
 */
export function layOutQuad(tile: Tile, plane: Plane, quad: i32, mask: u64): void {
  const block = quad >> 4;
  if (plane.isClear(block)) fillPixels(plane, block);
  if (tile.layerSamples == 1) return;
  const perSample = plane.perSampleOf(quad);
  if (!Cover.isPartial(Cover.of(mask, tile.layers)) && plane.pairsOfQuad(quad) == perSample) return;
  spreadPairs(plane, block);
  for (let rest = 15 & ~perSample; rest; rest &= rest - 1) expandPixel(plane, (quad << 2) + <i32>ctz(rest));
  const bits = load<u64>(plane.bits(block)) | ((<u64>15) << u64((quad & 15) << 2));
  store<u64>(plane.bits(block), bits);
  if (<i32>popcnt(bits) >= (tile.layers == 1 ? SPREAD_PIXELS : SPREAD_PIXELS_LAYERS)) spreadBlock(plane, block);
}

/** Whether no pixel of a packer's block is in the sample plane. A clear block is filled first. */
export function hasNoSamples(plane: Plane, packer: Packer): bool {
  const block = packer.entry(0).quad >> 4;
  if (plane.isClear(block)) fillPixels(plane, block);
  return load<u64>(plane.bits(block)) == (plane.pairsOf(block) | plane.listedOf(block));
}
