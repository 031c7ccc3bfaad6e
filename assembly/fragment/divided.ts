// Pixels by how many values they hold where a program comes back to them: one that loads the samples of its own pixel
// in a loop goes round it once for each. What a surface's stored tile says of a block is enough to tell.

import {
  Draw, DRAW_FLAG_ACCESSES, PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAG_LONG_ROUNDS, RATE_PIXEL, Resource, Surface, Tile,
} from '../layout';
import { quadX, quadY } from '../simd/positions';
import { dividedPixels } from '../surface/stored';
import { isInterpreted } from '../warp/run';

/** Whether pixels of one value and of several are packed apart for a draw. */
// @ts-ignore: decorator
@inline
export function dividesPixels(draw: Draw): bool {
  return (draw.flags & DRAW_FLAG_ACCESSES) != 0 && comesBack(draw);
}

/**
 * Whether the draw's program goes round a loop for each value of a pixel, and for long enough: the interpreter takes a
 * whole warp through each round (20 to 27 % for eight lights, 7 to 9 % for a sum of the values).
 */
function comesBack(draw: Draw): bool {
  const program = draw.fragment.program;
  const flags = program.flags;
  return program.surfaces != 0 && draw.fragment.rate == RATE_PIXEL && !(flags & PROGRAM_FLAG_DERIVATIVES)
    && ((flags & PROGRAM_FLAG_LONG_ROUNDS) != 0 || isInterpreted(program));
}

/** Pixels of a block that hold several values in some surface that the draw's program loads from: bit pixel. */
export function dividedIn(tile: Tile, draw: Draw, block: i32): u64 {
  const stage = draw.fragment;
  const resources = changetype<Resource>(stage.resources);
  const x = tile.x + quadX(block << 4);
  const y = tile.y + quadY(block << 4);
  let divided: u64 = 0;
  for (let rest = stage.program.surfaces; rest; rest &= rest - 1)
    divided |= dividedPixels(changetype<Surface>(resources.after(ctz(rest)).address), x, y);
  return divided;
}
