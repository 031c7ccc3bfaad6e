// The loop of a tile. Rasterisation appends what a triangle covers to the tile's queue; this loop drains the queue
// before the next triangle, so tests see the depths of all earlier triangles. Data only moves forward: no stage calls
// an earlier one.
//
//   a triangle of the tile's lists (loop/tile.ts)
//        │ raster/walk.ts: edges, coverage
//        ▼
//   COVERED   a work item in the queue (layout/tile/work.ts): WORK_TILE, _WHOLE, _PART, _QUAD
//        │ depth and stencil before the shader: visibility/deferred.ts, or accept.ts item by item
//        ├──────────────▶ hidden, or depth only: done
//        ├──────────────▶ PENDING: a deferred draw call's triangle in the ids of its samples
//        ▼                    │
//   PASSED    an item of a draw call that is shaded in order; WORK_PASSED skips the tests
//        │ fragment/pack-items.ts         fragment/pack.ts, when an item covers a pending quad,
//        ▼                    ▼           and at the end of the tile
//   PACKED    an entry of a packer (layout/warp/packer.ts)
//        │ fragment/shade.ts, when the packer is full or its draw call ends: inputs, shader
//        ├──────────────▶ PARKED: it read a page that is not resident; it is packed again when the page arrives
//        ├──────────────▶ fragment/sets/sets.ts: sample stages, once per set of equal samples
//        ▼
//   SHADED    results of a warp; output/output.ts: discard, late tests, blending
//        ▼
//   the tile's colour planes

import {
  STATUS_DONE,
  Tile,
  TILE_BLOCKS,
  TRI_FLAG_SMALL,
  Triangle,
  WORK_PASSED,
  WORK_QUAD,
  WORK_TILE,
  WorkItem,
} from '../layout';
import { packItem } from '../fragment/pack-items';
import { rasterInBlock, rasterTriangle } from '../raster/walk';
import { blockwise } from '../tile/block-depth';
import { Four, Layered, One, samplesOf } from '../tile/layers';
import { nextWork } from '../tile/work';
import { acceptBlock, acceptQuad, acceptWhole } from '../visibility/accept';
import { takeBlocks, takeQuads } from '../visibility/deferred';
import { acceptSmall } from '../visibility/small';

/** Draws a triangle into a tile. Returns STATUS_*. */
export function runTriangle(tile: Tile, triangle: Triangle): i32 {
  const count = tile.samples;
  return count == 1 ? run<One>(tile, triangle) : count <= 4 ? run<Four>(tile, triangle) : run<Layered>(tile, triangle);
}

/** Draws a triangle into one block of a tile, for a worker that has entered just that block. Returns STATUS_*. */
export function runInBlock(tile: Tile, triangle: Triangle, block: i32): i32 {
  const count = tile.samples;
  return count == 1
    ? runIn<One>(tile, triangle, block)
    : count <= 4
      ? runIn<Four>(tile, triangle, block)
      : runIn<Layered>(tile, triangle, block);
}

function run<S>(tile: Tile, triangle: Triangle): i32 {
  if (triangle.flags & TRI_FLAG_SMALL && !tile.isPart && blockwise(tile)) {
    acceptSmall<S>(tile, triangle);
    return STATUS_DONE;
  }
  rasterTriangle<S>(tile, triangle);
  return drain<S>(tile, triangle);
}

function runIn<S>(tile: Tile, triangle: Triangle, block: i32): i32 {
  rasterInBlock<S>(tile, triangle, block);
  return drain<S>(tile, triangle);
}

/** Processes the queue's items in order. Returns STATUS_*. */
function drain<S>(tile: Tile, triangle: Triangle): i32 {
  const first = changetype<WorkItem>(tile.work);
  const end = tile.workEnd;
  if (first == end) return STATUS_DONE;
  if (first.kind == WORK_TILE) return drainTile<S>(tile, triangle, first);
  if (!blockwise(tile)) return drainOrdered<S>(tile, triangle, first, end);
  if (first.kind == WORK_QUAD) takeQuads(tile, triangle, first, end);
  else takeBlocks<S>(tile, triangle, first, end);
  return STATUS_DONE;
}

/** Takes items one by one through their tests and on to the packers. Returns STATUS_*. */
function drainOrdered<S>(tile: Tile, triangle: Triangle, item: WorkItem, end: WorkItem): i32 {
  for (; item != end; item = nextWork(item)) {
    if (samplesOf<S>() != 1) tile.cover = item.samples;
    const status = runItem<S>(tile, triangle, item);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Processes all blocks of a tile that a triangle covers, as items in the place of `item`. Returns STATUS_*. */
function drainTile<S>(tile: Tile, triangle: Triangle, item: WorkItem): i32 {
  if (samplesOf<S>() != 1) tile.cover = item.samples;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    item.cover = u64.MAX_VALUE;
    const status = acceptWhole<S>(tile, triangle, item, block) ? runItem<S>(tile, triangle, item) : STATUS_DONE;
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Takes an item through its tests and, if its draw call is shaded in order, on to the packers. Returns STATUS_*. */
function runItem<S>(tile: Tile, triangle: Triangle, item: WorkItem): i32 {
  const kind = item.kind;
  const remains =
    kind == WORK_PASSED
    || (kind == WORK_QUAD ? acceptQuad(tile, triangle, item) : acceptBlock<S>(tile, triangle, item));
  return remains ? packItem<S>(tile, triangle, item) : STATUS_DONE;
}
