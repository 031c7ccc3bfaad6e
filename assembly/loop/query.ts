// Occlusion queries (WebGPU §20.4): a draw call's word becomes 1 when one of its samples passes all tests. The walk
// already counts quads with passing samples for statistics, so it compares that count at the start and at the end of
// the draw call or tile. Draw calls that test after their shader are handled where these tests end (output/output.ts).
// All workers write the same value.

import { Draw, DRAW_FLAG_LATE_DEPTH, Tile } from '../layout';

/** Called when the walk starts Tile.draw. */
export function beginQuery(tile: Tile): void {
  if (isCounted(tile.draw)) tile.queryBase = quadsVisible(tile);
}

/** Called when the walk leaves Tile.draw. */
export function endQuery(tile: Tile): void {
  const draw = tile.draw;
  // A tile that must be replayed may have seen wrong results, since texels were missing.
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
