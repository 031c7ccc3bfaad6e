// The state of a draw as the tile walk needs it, derived when the walk meets a triangle of another draw.

import { orderParked } from '../fragment/aside';
import { takeState } from '../fragment/draw-state';
import { flushGathered } from '../fragment/gather';
import { turnTo } from '../fragment/independent';
import { awaitTests } from '../fragment/shade';
import {
  Draw, DRAW_FLAG_ACCESSES, EARLY_DEPTH, EARLY_NONE, EARLY_STENCIL, MODE_ORDERED, RATE_COARSE, RATE_SAMPLE,
  STATUS_DONE, Tile,
} from '../layout';
import { beginQuery, endQuery } from './query';

/** Ends the draw that was walked and takes up `draw`. Returns STATUS_*. */
export function beginDraw(tile: Tile, draw: Draw): i32 {
  endQuery(tile);
  const gathered = flushGathered(tile);
  if (gathered != STATUS_DONE) return gathered;
  const status = turnTo(tile, draw);
  if (status != STATUS_DONE) return status;
  if (tile.aside) {
    if (!draw.independent) orderParked(tile);
    const tested = awaitTests(tile, draw);
    if (tested != STATUS_DONE) return tested;
  }
  tile.hasClaims = 0;
  takeState(tile, draw);
  tile.takesBlocks = tile.mode == MODE_ORDERED && packsBlocks(tile, draw, tile.early, tile.depthWrite != 0);
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
