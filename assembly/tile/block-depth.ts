// Depth of whole blocks, for the walk of a triangle and for the tests of its work items.

import { EARLY_DEPTH, EARLY_NONE, EARLY_REJECT, EARLY_STENCIL, MODE_DEPTH_ONLY, Tile, Triangle } from '../layout';
import { depthSide, isBounded, isPlane, ownSide, unbounded } from './depth-blocks';

/**
 * Whether a triangle is farther away than everything in the blocks of its bounding box, by the blocks' depth bounds.
 * For draw calls that are deferred, depth-only, or write depth after their shader.
 */
export function isTriangleHidden(tile: Tile, triangle: Triangle): bool {
  if (tile.early != EARLY_REJECT && (!blockwise(tile) || tile.early != EARLY_DEPTH)) return false;
  for (let y = tile.boxY0 & ~7; y < tile.boxY1; y += 8)
    for (let x = tile.boxX0 & ~7; x < tile.boxX1; x += 8) {
      if (!isHiddenInBlock(tile, triangle, y + (x >> 3))) return false;
    }
  return true;
}

// @ts-ignore: decorator
@inline
function isHiddenInBlock(tile: Tile, triangle: Triangle, block: i32): bool {
  return isBounded(tile, block) && !tile.depth16 && ownSide(tile, triangle, block) < 0;
}

/**
 * Result of the depth test for a block, as in depthSide; 1 without a test, 0 if stencil matters. With `closely`, the
 * triangle covers the block, or is so large that its own depth bounds say little about the block.
 */
// @ts-ignore: decorator
@inline
export function blockDepth(tile: Tile, triangle: Triangle, block: i32, closely: bool): i32 {
  const early = tile.early;
  if (early == EARLY_NONE) return 1;
  if (early == EARLY_STENCIL) return 0;
  const rejects = early == EARLY_REJECT;
  // Draw calls that write no depth, or write it late, do not need the plane's bounds if the triangle's bounds decide:
  // particles are 5 % faster.
  if ((rejects || !tile.depthWrite) && !tile.depth16) {
    // Layers of leaves with holes hide each other: with the bounds of the depths they wrote, a forest takes 5 to 8 %
    // less time.
    if (rejects) isBounded(tile, block);
    const side = ownSide(tile, triangle, block);
    if (side || (rejects && !closely)) return side;
  }
  // If computed for each block of a mesh of small triangles, the plane's bounds cost 6 % on teapots and rarely decide.
  if (!closely && tile.mode <= MODE_DEPTH_ONLY && !isPlane(tile, block))
    return isHiddenInBlock(tile, triangle, block) ? -1 : unbounded(tile);
  return depthSide(tile, triangle, block);
}

/** Whether whole blocks can be taken at once: nothing is shaded now, and there is no stencil. */
export function blockwise(tile: Tile): bool {
  return tile.mode <= MODE_DEPTH_ONLY && tile.early < EARLY_STENCIL;
}
