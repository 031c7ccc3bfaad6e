// The lanes of a warp of quads, one quad at a time. SIMD twin: lanes.ts.

import { ENTRY_BYTES, Entry, Packer } from '../layout/packer';
import { Tile } from '../layout/tile';
import { copyLanes } from '../simd/texels';
import { anyLayer } from '../tile/layers';
import { pixelsOf } from './masks';

/** startLanes without SIMD. */
export function startLanesScalar(context: Tile, packer: Packer, count: i32, helpers: bool): i32 {
  const several = context.layerSamples != 1;
  let entry = packer.entries;
  let at = context.warp.exec;
  let lanes = 0;
  for (const end = entry + (<usize>count * ENTRY_BYTES); entry < end; entry += ENTRY_BYTES) {
    const mask = anyLayer(changetype<Entry>(entry).mask);
    const pixels = several ? pixelsOf(mask) : mask;
    lanes += popcnt(pixels);
    copyLanes(at, helpers ? 15 : pixels);
    at += 16;
  }
  return lanes;
}
