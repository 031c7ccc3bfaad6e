// Occlusion queries (WebGPU §20.4): a draw's word becomes 1 when a sample of it passes all tests. The walk counts the
// quads of which samples pass, for statistics: it is enough to look whether there are more of them when it leaves the
// draw, or the tile, than when it came. Draws whose tests end after their program are noted where these end
// (output/output.ts). All workers write the same.

import { Draw, DRAW_FLAG_LATE_DEPTH, Tile } from '../layout';

/** When the walk comes to Tile.draw. */
export function beginQuery(tile: Tile): void {
  if (isCounted(tile.draw)) tile.queryBase = quadsVisible(tile);
}

/** When the walk leaves Tile.draw. */
export function endQuery(tile: Tile): void {
  const draw = tile.draw;
  // What a tile that is run again has seen may be wrong, since texels were missing.
  if (isCounted(draw) && quadsVisible(tile) != tile.queryBase && tile.sampleMask && !tile.pool.hasMissed)
    store<u32>(draw.query, 1);
}

function isCounted(draw: Draw): bool {
  return draw && draw.query && !(draw.flags & DRAW_FLAG_LATE_DEPTH);
}

function quadsVisible(tile: Tile): u32 {
  const statistics = tile.pass.statistics;
  return statistics.quadsTested - statistics.quadsHidden;
}
