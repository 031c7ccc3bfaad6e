// Counts of what goes to output.

import { Packer, PACKER_PIXELS, Tile } from '../layout';
import { pixelsOf } from '../fragment/masks';
import { anyLayer } from '../tile/layers';

/** Pixels of which a packer's entries have samples. */
export function countPixels(tile: Tile, packer: Packer): u32 {
  const single = tile.layerSamples == 1;
  const pixels = packer.kind == PACKER_PIXELS;
  let count: u32 = 0;
  for (let i = 0; i < packer.count; i++) {
    const mask = packer.entry(i).mask;
    count += pixels ? u32(mask != 0) : popcnt(single ? <i32>mask : pixelsOf(anyLayer(mask)));
  }
  return count;
}
