// State of a draw call for the tile walk, derived when the walk reaches a triangle of another draw call.

import { orderParked } from '../late/parked-warps';
import { loadDrawState } from '../fragment/draw-state';
import { flushGathered } from '../fragment/gather';
import { selectPacker } from '../fragment/unordered';
import { awaitLateTests } from '../fragment/shade';
import {
  Draw,
  DRAW_FLAG_ACCESSES,
  EARLY_DEPTH,
  EARLY_NONE,
  EARLY_STENCIL,
  MODE_ORDERED,
  RATE_COARSE,
  RATE_SAMPLE,
  STATUS_DONE,
  Tile,
} from '../layout';
import { beginQuery, endQuery } from './query';

/** Ends the current draw call and starts `draw`. Returns STATUS_*. */
export function beginDraw(tile: Tile, draw: Draw): i32 {
  endQuery(tile);
  const gathered = flushGathered(tile);
  if (gathered != STATUS_DONE) return gathered;
  const status = selectPacker(tile, draw);
  if (status != STATUS_DONE) return status;
  if (tile.parkedCount) {
    if (!draw.independent) orderParked(tile);
    const tested = awaitLateTests(tile, draw);
    if (tested != STATUS_DONE) return tested;
  }
  tile.hasClaims = 0;
  loadDrawState(tile, draw);
  tile.packsWholeBlocks = tile.mode == MODE_ORDERED && packsBlocks(tile, draw, tile.early, tile.depthWrite != 0);
  beginQuery(tile);
  return STATUS_DONE;
}

/**
 * Whether blocks that pass a draw call's depth test, if it has one, need no work per sample. raster/walk-lanes.ts
 * only supports one and four samples.
 */
function packsBlocks(tile: Tile, draw: Draw, early: i32, write: bool): bool {
  // These draw calls check each quad against pending ones (fragment/pack.ts).
  if (draw.flags & DRAW_FLAG_ACCESSES) return false;
  // Coarse draw calls are gathered triangle by triangle.
  if (draw.fragment.rate == RATE_COARSE) return false;
  const count = tile.samples;
  if (count != 1 && count != 4) return false;
  if (early == EARLY_STENCIL || !tile.sampleMask) return false;
  // Draw calls that test early and write late only need depth bounds as well.
  if ((early == EARLY_DEPTH && write) || (early != EARLY_NONE && tile.depth16)) return false;
  return count == 1 || draw.fragment.rate != RATE_SAMPLE;
}
