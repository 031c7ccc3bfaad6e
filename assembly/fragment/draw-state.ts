// State that the tests and the tile walk need of a draw call. It is derived when the walk starts the draw call, or when
// pending quads of another draw call are run (fragment/unordered.ts).

import {
  COMPARE_ALWAYS,
  COMPARE_EQUAL,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  COMPARE_NOT_EQUAL,
  Draw,
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_READS,
  EARLY_DEPTH,
  FORMAT_DEPTH16UNORM,
  MODE_DEFERRED,
  MODE_DEPTH_ONLY,
  MODE_ORDERED,
  Tile,
} from '../layout';
import { compareOf, earlyMode, writesDepth } from '../tile/early';
import { loadRest } from '../tile/attachments';
import { sampleMask } from '../tile/layers';

/** MODE_* of a draw call. */
export function modeOf(draw: Draw): i32 {
  return !draw.fragment.program ? MODE_DEPTH_ONLY : draw.flags & DRAW_FLAG_DEFERRED ? MODE_DEFERRED : MODE_ORDERED;
}

/** Fills the fields from Tile.draw to Tile.depth16 and the related fields next to them. */
export function loadDrawState(tile: Tile, draw: Draw): void {
  const mode = modeOf(draw);
  if (draw.flags & DRAW_FLAG_READS) loadRest(tile);
  tile.draw = draw;
  tile.mode = mode;
  tile.sampleMask = sampleMask(tile, draw);
  const depthFormat = tile.pass.depth.format;
  const compare = compareOf(tile, draw);
  const write = writesDepth(tile, draw);
  tile.depth16 = depthFormat == FORMAT_DEPTH16UNORM;
  tile.depthWrite = write;
  tile.less = -(<i32>(
    (compare == COMPARE_LESS
      || compare == COMPARE_LESS_EQUAL
      || compare == COMPARE_NOT_EQUAL
      || compare == COMPARE_ALWAYS)
  ));
  tile.equal = -(<i32>(
    (compare == COMPARE_EQUAL
      || compare == COMPARE_LESS_EQUAL
      || compare == COMPARE_GREATER_EQUAL
      || compare == COMPARE_ALWAYS)
  ));
  tile.greater = -(<i32>(
    (compare == COMPARE_GREATER
      || compare == COMPARE_GREATER_EQUAL
      || compare == COMPARE_NOT_EQUAL
      || compare == COMPARE_ALWAYS)
  ));
  const early = earlyMode(tile, draw);
  tile.early = early;
  tile.defersLess =
    mode == MODE_DEFERRED
    && early == EARLY_DEPTH
    && compare == COMPARE_LESS
    && write
    && depthFormat != FORMAT_DEPTH16UNORM;
}
