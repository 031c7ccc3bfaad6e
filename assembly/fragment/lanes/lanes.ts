// Sets and counts the active lanes of a warp of quads. Scalar twin: lanes.scalar.ts.

import { Entry, Packer, sizeOf, Tile } from '../../layout';
import { lanesWithin, sumOfLanes } from '../../simd/texels';
import { anyLayer } from '../../tile/layers';
import { startLanesScalar } from './lanes.scalar';
import { coveredBits } from './masks';

/**
 * Sets the execution mask for the packer's first `count` quads and returns the number of covered pixels. With
 * `helpers`, all four lanes of each quad are active.
 */
export function startLanes(tile: Tile, packer: Packer, count: i32, helpers: bool): i32 {
  if (ASC_FEATURE_SIMD) return startLanesSimd(tile, packer, count, helpers);
  else return startLanesScalar(tile, packer, count, helpers);
}

/** Number of pixels that the packer's first `count` quads cover, for shaders that read no execution mask. */
export function countLanes(tile: Tile, packer: Packer, count: i32): i32 {
  const multisampled = tile.layerSamples != 1;
  let entry = packer.entries;
  let lanes = 0;
  for (const end = entry + count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    const mask = anyLayer(changetype<Entry>(entry).mask);
    lanes += popcnt(multisampled ? coveredBits(mask) : mask);
  }
  return lanes;
}

export function startLanesSimd(tile: Tile, packer: Packer, count: i32, helpers: bool): i32 {
  const multisampled = tile.layerSamples != 1;
  const all = i32x4.splat(helpers ? -1 : 0);
  let entry = packer.entries;
  let at = tile.warp.exec;
  let lanes = i32x4.splat(0);
  for (const end = entry + count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    const covered = lanesWithin(i32x4.splat(anyLayer(changetype<Entry>(entry).mask)), multisampled);
    lanes = i32x4.sub(lanes, covered);
    v128.store(at, v128.or(covered, all));
    at += 16;
  }
  return sumOfLanes(lanes);
}
