// The lanes of a warp of quads: which run, and how many of them are covered. Scalar twin: lanes.scalar.ts.

import { CTX_SAMPLES, CTX_WARP, ENTRY_MASK, ENTRY_SHIFT, PACKER_ENTRIES } from '../layout/context';
import { WARP_EXEC } from '../layout/program';
import { lanesWithin, sumOfLanes } from '../simd/texels';
import { entryMask, isLayered } from '../output/layers';
import { anyLayer } from '../tile/layers';
import { startLanesScalar } from './lanes.scalar';
import { coveredBits } from './masks';

/** Sets the execution mask for the packer's first `count` quads; returns the number of pixels covered. `helpers`: all four lanes run. */
// @ts-ignore: decorator
@inline
export function startLanes(context: usize, packer: usize, count: i32, helpers: bool): i32 {
  if (ASC_FEATURE_SIMD) return startLanesSimd(context, packer, count, helpers);
  else return startLanesScalar(context, packer, count, helpers);
}

/** Pixels that the packer's first `count` quads cover, for programs that look at no masks. */
export function countLanes(context: usize, packer: usize, count: i32): i32 {
  const several = load<i32>(context + CTX_SAMPLES) != 1;
  const layered = isLayered(context);
  let entry = packer + PACKER_ENTRIES;
  let lanes = 0;
  for (const end = entry + (<usize>count << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    const mask = layered ? anyLayer(entryMask(context, entry)) : load<i32>(entry, ENTRY_MASK);
    lanes += popcnt(several ? coveredBits(mask) : mask);
  }
  return lanes;
}

export function startLanesSimd(context: usize, packer: usize, count: i32, helpers: bool): i32 {
  const several = load<i32>(context + CTX_SAMPLES) != 1;
  const layered = isLayered(context);
  const all = i32x4.splat(helpers ? -1 : 0);
  let entry = packer + PACKER_ENTRIES;
  let at = context + CTX_WARP + WARP_EXEC;
  let lanes = i32x4.splat(0);
  for (const end = entry + (<usize>count << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    const covered = lanesWithin(layered ? i32x4.splat(anyLayer(entryMask(context, entry))) : v128.load32_splat(entry, ENTRY_MASK), several);
    lanes = i32x4.sub(lanes, covered);
    v128.store(at, v128.or(covered, all));
    at += 16;
  }
  return sumOfLanes(lanes);
}
