// What happens to covered quads, by the draw's mode: visibility for draws that are shaded later, tests and packing for draws that are
// shaded in order. Quads that those draw over are shaded first.

import {
  CTX_COVER, CTX_EARLY, CTX_MODE, CTX_PASS, CTX_PENDING, CTX_SAMPLE_MASK, EARLY_NONE, EARLY_REJECT,
  EARLY_STENCIL, MODE_DEFERRED, MODE_DEPTH_ONLY,
} from '../layout/context';
import { PASS_STATISTICS, STAT_QUADS_TESTED } from '../layout/pass';
import { STATUS_DONE } from '../layout/status';
import { depthQuad } from '../output/depth';
import { earlyTests } from '../output/output';
import { flushBlock, orderedPacker, packQuad } from '../fragment/pack';
import { visibleBlock1, visibleBlock4 } from './visible';
import { markQuad } from './visible.scalar';

/** A block at one sample; `cover`: bit quad·4 + pixel. Returns STATUS_*. */
export function acceptBlock1(context: usize, triangle: usize, block: i32, cover: u64): i32 {
  if (!load<i32>(context + CTX_SAMPLE_MASK)) return STATUS_DONE;
  if (blockwise(context)) {
    const quads = visibleBlock1(context, triangle, block, cover);
    if (load<i32>(context + CTX_MODE) == MODE_DEFERRED) addPending(context, block, quads);
    countTested(context, popcnt(quads));
    return STATUS_DONE;
  }
  while (cover) {
    const quad = <i32>(ctz(cover) >> 2);
    const shift = <u64>quad << 2;
    const status = acceptQuad(context, triangle, (block << 4) + quad, <i32>(cover >> shift) & 15);
    if (status != STATUS_DONE) return status;
    cover &= ~(<u64>15 << shift);
  }
  return STATUS_DONE;
}

/** A block at four samples: coverage at CTX_COVER, in the quads named by `quads`. Returns STATUS_*. */
export function acceptBlock4(context: usize, triangle: usize, block: i32, quads: i32): i32 {
  if (blockwise(context)) {
    if (load<i32>(context + CTX_SAMPLE_MASK) != 0xffff) maskCover(context, quads);
    visibleBlock4(context, triangle, block, quads);
    if (load<i32>(context + CTX_MODE) == MODE_DEFERRED) addPending(context, block, quads);
    countTested(context, popcnt(quads));
    return STATUS_DONE;
  }
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const status = acceptQuad(context, triangle, (block << 4) + quad, load<u16>(context + (<usize>quad << 1), CTX_COVER));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** One quad (block·16 + quad) with the samples it covers. Returns STATUS_*. */
export function acceptQuad(context: usize, triangle: usize, quad: i32, mask: i32): i32 {
  const early = load<i32>(context + CTX_EARLY);
  const mode = load<i32>(context + CTX_MODE);
  let visible = mask & load<i32>(context + CTX_SAMPLE_MASK);
  countTested(context, 1);
  if (early == EARLY_REJECT) visible = depthQuad(context, triangle, quad, visible, 0);
  else if (early != EARLY_NONE) visible = earlyTests(context, triangle, quad, visible, early);
  if (!visible || mode == MODE_DEPTH_ONLY) return STATUS_DONE;
  const block = quad >> 4;
  if (mode == MODE_DEFERRED) {
    markQuad(context, triangle, quad, visible);
    addPending(context, block, 1 << (quad & 15));
    return STATUS_DONE;
  }
  if (load<u16>(context + CTX_PENDING + (<usize>block << 1))) {
    const status = flushBlock(context, block);
    if (status != STATUS_DONE) return status;
  }
  return packQuad(context, orderedPacker(context), triangle, quad, visible);
}

/** Whether whole blocks can be taken at once: nothing is shaded now, and there is no stencil. */
// @ts-ignore: decorator
@inline
function blockwise(context: usize): bool {
  return load<i32>(context + CTX_MODE) <= MODE_DEPTH_ONLY && load<i32>(context + CTX_EARLY) < EARLY_STENCIL;
}

// @ts-ignore: decorator
@inline
function addPending(context: usize, block: i32, quads: i32): void {
  const pending = context + CTX_PENDING + (<usize>block << 1);
  store<u16>(pending, <i32>load<u16>(pending) | quads);
}

function maskCover(context: usize, quads: i32): void {
  const samples = load<i32>(context + CTX_SAMPLE_MASK);
  for (let rest = quads; rest; rest &= rest - 1) {
    const at = context + CTX_COVER + (<usize>ctz(rest) << 1);
    store<u16>(at, <i32>load<u16>(at) & samples);
  }
}

// @ts-ignore: decorator
@inline
function countTested(context: usize, quads: i32): void {
  const statistics: usize = load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS);
  store<u32>(statistics, load<u32>(statistics, STAT_QUADS_TESTED) + quads, STAT_QUADS_TESTED);
}
