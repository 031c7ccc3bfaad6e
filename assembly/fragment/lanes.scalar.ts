// The lanes of a warp of quads, one quad at a time. SIMD twin: lanes.ts.

import { CTX_SAMPLES, CTX_WARP, ENTRY_SHIFT, PACKER_ENTRIES } from '../layout/context';
import { WARP_EXEC } from '../layout/program';
import { copyLanes } from '../simd/texels';
import { entryMask } from '../output/layers';
import { anyLayer } from '../tile/layers';
import { pixelsOf } from './masks';

/** startLanes without SIMD. */
export function startLanesScalar(context: usize, packer: usize, count: i32, helpers: bool): i32 {
  const several = load<i32>(context + CTX_SAMPLES) != 1;
  let entry = packer + PACKER_ENTRIES;
  let at = context + CTX_WARP + WARP_EXEC;
  let lanes = 0;
  for (const end = entry + (<usize>count << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    const mask = anyLayer(entryMask(context, entry));
    const pixels = several ? pixelsOf(mask) : mask;
    lanes += popcnt(pixels);
    copyLanes(at, helpers ? 15 : pixels);
    at += 16;
  }
  return lanes;
}
