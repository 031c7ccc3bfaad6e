// First sets of the pixels of quads, by vectors, where a program reads one target of four bytes a texel at up to four
// samples, and nothing else tells samples apart: what most programs that blend do. The texels that stand for them are
// found on the way. The general way, and the scalar build's: sets.ts.

import { Destinations, Entry, Packer, Plane, Tile } from '../layout';
import { quadMask, pixelMask } from '../tile/layers';
import { addressOf } from '../output/destination';
import { equalTo } from './equal-samples';

/** The target's plane where this way can be gone, else 0. */
export function wordPlane(tile: Tile, destinations: Destinations): Plane {
  if (ASC_FEATURE_SIMD) {
    if (tile.layers == 1 && destinations && destinations.depthRegister < 0 && destinations.stencilRegister < 0) {
      const targets = destinations.targets;
      const plane = tile.plane(ctz(targets));
      if (!(targets & (targets - 1)) && plane.texelBytes == 4) return plane;
    }
  }
  return changetype<Plane>(0);
}

/**
 * Leaves each entry the first set of each pixel, puts the others to SetRoom.left, and texels to SetRoom.texels. Whether
 * any are left.
 */
export function leaveWordSets(tile: Tile, packer: Packer, plane: Plane, destinations: Destinations): bool {
  if (ASC_FEATURE_SIMD) return leaveByVectors(tile, packer, plane, destinations);
  else return false;
}

function leaveByVectors(tile: Tile, packer: Packer, plane: Plane, destinations: Destinations): bool {
  const room = tile.setRoom;
  const count = packer.count;
  let any: u64 = 0;
  for (let i = 0; i < count; i++) {
    const entry = packer.entry(i);
    const quad = entry.quad;
    const texels = room.texels + (i << 4);
    let left = 0;
    if (plane.isClear(quad >> 4)) {
      v128.store(texels, v128.load32_splat(plane.clear));
    } else {
      const divided = plane.perSampleOf(quad);
      if (!divided) v128.store(texels, v128.load(plane.pixels + (quad << 4)));
      else if (plane.further && plane.pairsOfQuad(quad)) left = leavePairs(tile, plane, destinations, entry, texels);
      else left = leaveWords(plane, entry, divided, texels);
    }
    store<u64>(room.left + (i << 3), left);
    any |= left;
  }
  return any != 0;
}

/** Of an entry of which some pixels (`divided`) have a texel a sample; returns the samples that are left. */
function leaveWords(plane: Plane, entry: Entry, divided: i32, texels: usize): i32 {
  const quad = entry.quad;
  const mask = <i32>entry.mask;
  const one = plane.pixels + (quad << 4);
  const four = plane.samples + (quad << 6);
  let first = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = mask >> (pixel << 2) & 15;
    if (!(divided >> pixel & 1)) {
      first |= samples << (pixel << 2);
      store<u32>(texels + (pixel << 2), load<u32>(one + (pixel << 2)));
      continue;
    }
    const at = four + (pixel << 4);
    // Of pixels that are not covered, the first.
    const texel = at + ((ctz(samples | 16) & 3) << 2);
    store<u32>(texels + (pixel << 2), load<u32>(texel));
    const equal = i32x4.bitmask(i32x4.eq(v128.load(at), v128.load32_splat(texel)));
    first |= (equal & samples) << (pixel << 2);
  }
  entry.mask = first;
  return mask & ~first;
}

/** The same where pixels have two texels. */
function leavePairs(tile: Tile, plane: Plane, destinations: Destinations, entry: Entry, texels: usize): i32 {
  const mask = entry.mask;
  let first: u64 = 0;
  for (let lane = 0; lane < 4; lane++) {
    const pixel = (entry.quad << 2) + lane;
    const samples = pixelMask(mask, lane);
    const from = ctz(samples | 16) & 3;
    store<u32>(texels + (lane << 2), load<u32>(addressOf(plane, pixel, from)));
    if (samples) first |= quadMask(samples & equalTo(tile, destinations, pixel, from), lane);
  }
  entry.mask = first;
  return <i32>(mask & ~first);
}
