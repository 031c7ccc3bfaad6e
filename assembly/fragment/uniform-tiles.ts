// Tiles that one triangle covers completely, with the same result in all pixels: a background, or a pass that fills its
// target. The shader runs for one block, and the targets become clear blocks of its texel (tile/colors.ts), so that
// storing the tile writes each row once. A full-screen pass of one colour then takes 0.4 of the time.

import {
  COLOR_CLEAR,
  Draw,
  RATE_PIXEL,
  STAT_FLAG_BLOCKS,
  STAT_FLAG_STAGES,
  Tile,
  TILE_BLOCKS,
  Triangle,
  VECTOR_BYTES,
  WARP_QUADS,
} from '../layout';
import { copyWords } from '../surface/texel-same';
import { dividesPixels } from './divided-pixels';

const NONE = changetype<Triangle>(0);

/** The triangle that is pending in all blocks of a tile whose targets it can clear; null for other tiles. */
export function clearingTriangle(tile: Tile): Triangle {
  const only = changetype<Triangle>(load<usize>(tile.blockIds));
  if (!only || tile.layerSamples != 1 || tile.holdsDeferred || tile.parks || tile.isPart || tile.coarse) return NONE;
  const draw = only.draw;
  if (draw.fragment.rate != RATE_PIXEL || dividesPixels(draw) || !replacesTargets(tile, draw)) return NONE;
  if (tile.pass.statistics.flags & (STAT_FLAG_BLOCKS | STAT_FLAG_STAGES)) return NONE;
  const columns = (tile.width + 7) >> 3;
  const rows = (tile.height + 7) >> 3;
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      if (load<usize>(tile.blockIds + (((y << 3) + x) << 2)) != changetype<usize>(only)) return NONE;
    }
  }
  return only;
}

/** Whether a draw call writes all bits of all targets' texels without blending. */
function replacesTargets(tile: Tile, draw: Draw): bool {
  const targets = draw.targetCount;
  for (let i = 0; i < targets; i++) {
    const target = draw.target(i);
    if (tile.plane(i).samples && target.slot && (target.blend || !target.writesAll)) return false;
  }
  return true;
}

/** Gives the texels of block 0, where the triangle was shaded, to all blocks. */
export function clearTargets(tile: Tile, draw: Draw): void {
  const targets = draw.targetCount;
  for (let i = 0; i < targets; i++) {
    const plane = tile.plane(i);
    if (!plane.samples || !draw.target(i).slot) continue;
    copyWords(plane.clear, plane.pixels, VECTOR_BYTES);
    plane.unloaded = 0;
    memory.fill(plane.states, <u8>COLOR_CLEAR, TILE_BLOCKS);
  }
  // The other blocks count as shaded, as the other quads of a block do.
  const blocks = ((tile.width + 7) >> 3) * ((tile.height + 7) >> 3) - 1;
  const statistics = tile.pass.statistics;
  statistics.quadsShaded += WARP_QUADS * blocks;
  statistics.lanesShaded += 4 * WARP_QUADS * blocks;
  statistics.warpsFragment += blocks;
}
