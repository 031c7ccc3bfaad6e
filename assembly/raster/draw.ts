// The state of a draw as the tile walk needs it, derived when the walk meets a triangle of another draw.

import { flushGathered } from '../fragment/gather';
import { drainOrdered, orderedPacker } from '../fragment/slots';
import {
  COMPARE_ALWAYS, COMPARE_EQUAL, COMPARE_GREATER, COMPARE_GREATER_EQUAL, COMPARE_LESS, COMPARE_LESS_EQUAL,
  COMPARE_NOT_EQUAL, Draw, DRAW_FLAG_ACCESSES, DRAW_FLAG_DEFERRED, EARLY_DEPTH, EARLY_NONE,
  EARLY_STENCIL, FORMAT_DEPTH16UNORM, MODE_DEFERRED, MODE_DEPTH_ONLY, MODE_ORDERED, RATE_COARSE, RATE_SAMPLE,
  STATUS_DONE, Tile,
} from '../layout';
import { compareOf, earlyMode, writesDepth } from '../output/early';
import { sampleMask } from '../tile/layers';
import { beginQuery, endQuery } from './query';

/** Ends the draw that was walked and takes up `draw`. Returns STATUS_*. */
export function beginDraw(tile: Tile, draw: Draw): i32 {
  endQuery(tile);
  const gathered = flushGathered(tile);
  if (gathered != STATUS_DONE) return gathered;
  const status = drainOrdered(tile);
  if (status != STATUS_DONE) return status;
  tile.hasClaims = 0;
  const flags = draw.flags;
  const mode = !draw.fragment.program ? MODE_DEPTH_ONLY : flags & DRAW_FLAG_DEFERRED ? MODE_DEFERRED : MODE_ORDERED;
  tile.draw = draw;
  tile.mode = mode;
  if (mode == MODE_ORDERED) orderedPacker(tile).draw = draw;
  tile.sampleMask = sampleMask(tile, draw);
  const depthFormat = tile.pass.depth.format;
  const compare = compareOf(tile, draw);
  const write = writesDepth(tile, draw);
  tile.depth16 = depthFormat == FORMAT_DEPTH16UNORM;
  tile.depthWrite = write;
  tile.less = -<i32>((compare == COMPARE_LESS || compare == COMPARE_LESS_EQUAL || compare == COMPARE_NOT_EQUAL
    || compare == COMPARE_ALWAYS));
  tile.equal = -<i32>((compare == COMPARE_EQUAL || compare == COMPARE_LESS_EQUAL || compare == COMPARE_GREATER_EQUAL
    || compare == COMPARE_ALWAYS));
  tile.greater = -<i32>((compare == COMPARE_GREATER || compare == COMPARE_GREATER_EQUAL || compare == COMPARE_NOT_EQUAL
    || compare == COMPARE_ALWAYS));
  const early = earlyMode(tile, draw);
  tile.early = early;
  tile.defersLess = mode == MODE_DEFERRED && early == EARLY_DEPTH && compare == COMPARE_LESS && write
    && depthFormat != FORMAT_DEPTH16UNORM;
  tile.takesBlocks = mode == MODE_ORDERED && packsBlocks(tile, draw, early, write);
  beginQuery(tile);
  return STATUS_DONE;
}

/**
 * Whether blocks that pass a draw's depth test, as far as it has one, need no look at any sample.
 * raster/walk-ordered.ts knows one sample and four.
 */
function packsBlocks(tile: Tile, draw: Draw, early: i32, write: bool): bool {
  // Their quads go one by one past the ones that wait (fragment/pack.ts).
  if (draw.flags & DRAW_FLAG_ACCESSES) return false;
  // They are gathered triangle by triangle.
  if (draw.fragment.rate == RATE_COARSE) return false;
  const count = tile.samples;
  if (count != 1 && count != 4) return false;
  if (early == EARLY_STENCIL || !tile.sampleMask) return false;
  // What is tested now and written later needs no more than bounds either.
  if ((early == EARLY_DEPTH && write) || (early != EARLY_NONE && tile.depth16)) return false;
  return count == 1 || draw.fragment.rate != RATE_SAMPLE;
}
