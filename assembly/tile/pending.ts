// What a block of a tile notes of its tests: the quads that wait to be shaded, whose triangles are in the ids plane
// (layout/tile/tile.ts), and the counts of tested and hidden quads.

import { Tile, WARP_QUADS } from '../layout';
import { fillBlock } from './layers';

/** Adds quads to those of a block that wait to be shaded. */
export function addPending(tile: Tile, block: i32, quads: i32): void {
  const pending = tile.pending + (block << 1);
  store<u16>(pending, load<u16>(pending) | quads);
}

/** Records one triangle for all samples of a block. */
// @ts-ignore: decorator
@inline
export function putBlockId(tile: Tile, triangle: usize, block: i32): void {
  const only = tile.blockIds + (block << 2);
  const pending = tile.pending + (block << 1);
  if (load<u16>(pending) && !load<u32>(only)) fillBlock(tile, tile.ids, block, 0);
  store<u32>(only, triangle);
  store<u16>(pending, 0xffff);
}

/** Writes a block's ids to the plane if one triangle is recorded for the whole block. */
// @ts-ignore: decorator
@inline
export function expandIds(tile: Tile, block: i32): void {
  const at = tile.blockIds + (block << 2);
  if (load<u32>(at)) putIds(tile, block, at);
}

function putIds(tile: Tile, block: i32, at: usize): void {
  fillBlock(tile, tile.ids, block, load<u32>(at));
  store<u32>(at, 0);
}

/** Counts covered quads (`tested`), and those of them that have no passing sample (`hidden`). */
export function countQuads(tile: Tile, tested: i32, hidden: i32): void {
  const statistics = tile.pass.statistics;
  statistics.quadsTested += tested;
  statistics.quadsHidden += hidden;
}

/** Counts a block in which the triangle is hidden, and its quads if the triangle covers all of them. */
export function countHiddenBlock(tile: Tile, full: bool): void {
  const statistics = tile.pass.statistics;
  statistics.blocksHidden += 1;
  if (full) countQuads(tile, WARP_QUADS, WARP_QUADS);
}
