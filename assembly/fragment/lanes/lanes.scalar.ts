// Scalar twin of lanes.ts: the lanes of a warp of quads, one quad at a time.

import { Entry, Packer, sizeOf, Tile } from '../../layout';
import { copyLanes } from '../../simd/texels';
import { anyLayer } from '../../tile/layers';
import { pixelsOf } from './masks';

/** startLanes without SIMD. */
export function startLanesScalar(tile: Tile, packer: Packer, count: i32, helpers: bool): i32 {
  const multisampled = tile.layerSamples != 1;
  let entry = packer.entries;
  let at = tile.warp.exec;
  let lanes = 0;
  for (const end = entry + count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    const mask = anyLayer(changetype<Entry>(entry).mask);
    const pixels = multisampled ? pixelsOf(mask) : mask;
    lanes += popcnt(pixels);
    copyLanes(at, helpers ? 15 : pixels);
    at += 16;
  }
  return lanes;
}
