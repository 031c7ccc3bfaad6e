// The state of a draw as the tile walk needs it, derived when the walk meets a triangle of another draw.

import {
  CTX_DEPTH_16, CTX_DEPTH_WRITE, CTX_DRAW, CTX_EARLY, CTX_EQUAL, CTX_GREATER, CTX_LESS, CTX_MODE, CTX_PASS, CTX_PLAIN, CTX_SAMPLE_COUNT, CTX_SAMPLE_MASK, CTX_USUAL,
  EARLY_DEPTH, EARLY_NONE, EARLY_REJECT, EARLY_STENCIL, MODE_DEFERRED, MODE_DEPTH_ONLY, MODE_ORDERED, PACKER_DRAW,
} from '../layout/context';
import {
  DRAW_DEPTH_COMPARE, DRAW_DEPTH_WRITE, DRAW_FLAG_DEFERRED, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_PER_SAMPLE, DRAW_FLAG_STENCIL, DRAW_FLAG_SURFACES, DRAW_FLAGS, DRAW_FRAG_DEPTH_REGISTER,
  DRAW_FRAGMENT_PROGRAM,
} from '../layout/draw';
import { FORMAT_DEPTH16UNORM, FORMAT_NONE } from '../layout/formats';
import { ATTACHMENT_FORMAT, PASS_DEPTH } from '../layout/pass';
import { STATUS_DONE } from '../layout/status';
import {
  COMPARE_ALWAYS, COMPARE_EQUAL, COMPARE_GREATER, COMPARE_GREATER_EQUAL, COMPARE_LESS, COMPARE_LESS_EQUAL, COMPARE_NOT_EQUAL,
} from '../layout/texture';
import { sampleMask } from '../output/layers';
import { drainOrdered, orderedPacker } from '../fragment/pack';

/** Ends the draw that was walked and takes up `draw`. Returns STATUS_*. */
export function beginDraw(context: usize, draw: usize): i32 {
  const status = drainOrdered(context);
  if (status != STATUS_DONE) return status;
  const flags = load<u32>(draw + DRAW_FLAGS);
  const mode = !load<usize>(draw + DRAW_FRAGMENT_PROGRAM) ? MODE_DEPTH_ONLY : flags & DRAW_FLAG_DEFERRED ? MODE_DEFERRED : MODE_ORDERED;
  store<u32>(context, <u32>draw, CTX_DRAW);
  store<i32>(context, mode, CTX_MODE);
  if (mode == MODE_ORDERED) store<u32>(orderedPacker(context), <u32>draw, PACKER_DRAW);
  store<u64>(context, sampleMask(context, draw), CTX_SAMPLE_MASK);
  const depthFormat = load<i32>(load<usize>(context + CTX_PASS) + PASS_DEPTH + ATTACHMENT_FORMAT);
  const compare = depthFormat == FORMAT_NONE ? COMPARE_ALWAYS : load<i32>(draw + DRAW_DEPTH_COMPARE);
  const write = depthFormat != FORMAT_NONE && load<i32>(draw + DRAW_DEPTH_WRITE) != 0;
  store<i32>(context, <i32>(depthFormat == FORMAT_DEPTH16UNORM), CTX_DEPTH_16);
  store<i32>(context, <i32>write, CTX_DEPTH_WRITE);
  store<i32>(context, -<i32>(compare == COMPARE_LESS || compare == COMPARE_LESS_EQUAL || compare == COMPARE_NOT_EQUAL
    || compare == COMPARE_ALWAYS), CTX_LESS);
  store<i32>(context, -<i32>(compare == COMPARE_EQUAL || compare == COMPARE_LESS_EQUAL || compare == COMPARE_GREATER_EQUAL
    || compare == COMPARE_ALWAYS), CTX_EQUAL);
  store<i32>(context, -<i32>(compare == COMPARE_GREATER || compare == COMPARE_GREATER_EQUAL || compare == COMPARE_NOT_EQUAL
    || compare == COMPARE_ALWAYS), CTX_GREATER);
  const early = earlyMode(draw, flags, compare, write);
  store<i32>(context, early, CTX_EARLY);
  store<i32>(context, <i32>(mode == MODE_DEFERRED && early == EARLY_DEPTH && compare == COMPARE_LESS && write && depthFormat != FORMAT_DEPTH16UNORM), CTX_USUAL);
  store<i32>(context, <i32>(mode == MODE_ORDERED && isPlain(context, flags, early, write)), CTX_PLAIN);
  return STATUS_DONE;
}

/** EARLY_* of a draw. */
function earlyMode(draw: usize, flags: u32, compare: i32, write: bool): i32 {
  const tested = compare != COMPARE_ALWAYS || write;
  if (!(flags & DRAW_FLAG_LATE_DEPTH)) return flags & DRAW_FLAG_STENCIL ? EARLY_STENCIL : tested ? EARLY_DEPTH : EARLY_NONE;
  // Depth moves only one way under these comparisons, so what fails now fails later too.
  const oneWay = compare == COMPARE_LESS || compare == COMPARE_LESS_EQUAL || compare == COMPARE_GREATER || compare == COMPARE_GREATER_EQUAL;
  return oneWay && !(flags & DRAW_FLAG_STENCIL) && load<i32>(draw + DRAW_FRAG_DEPTH_REGISTER) < 0 ? EARLY_REJECT : EARLY_NONE;
}

/** Whether blocks that pass a draw's depth test, as far as it has one, need no look at any sample. raster/walk-ordered.ts knows one sample and four. */
function isPlain(context: usize, flags: u32, early: i32, write: bool): bool {
  // Their quads go one by one past the ones that wait (fragment/pack.ts).
  if (flags & DRAW_FLAG_SURFACES) return false;
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  if (count != 1 && count != 4) return false;
  if (early == EARLY_STENCIL || !load<i32>(context + CTX_SAMPLE_MASK)) return false;
  if (early != EARLY_NONE && (write || load<i32>(context + CTX_DEPTH_16))) return false;
  return count == 1 || !(flags & DRAW_FLAG_PER_SAMPLE);
}
