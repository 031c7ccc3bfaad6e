// Decides which depth and stencil tests of a draw call run before its shader, from the draw call and the depth buffer.

import {
  COMPARE_ALWAYS,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  Draw,
  DRAW_FLAG_EARLY,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_RUNS_ALL,
  DRAW_FLAG_STENCIL,
  DRAW_FLAG_WRITES,
  EARLY_DEPTH,
  EARLY_NONE,
  EARLY_REJECT,
  EARLY_STENCIL,
  FORMAT_NONE,
  Tile,
} from '../layout';

/** The depth comparison of a draw call (COMPARE_*), in a pass that may have no depth attachment. */
export function compareOf(tile: Tile, draw: Draw): i32 {
  return tile.pass.depth.format == FORMAT_NONE ? COMPARE_ALWAYS : draw.depthCompare;
}

export function writesDepth(tile: Tile, draw: Draw): bool {
  return tile.pass.depth.format != FORMAT_NONE && draw.depthWrite != 0;
}

/** Whether depth and stencil tests run after the draw call's shader. */
export function testsLate(draw: Draw): bool {
  return (draw.flags & (DRAW_FLAG_LATE_DEPTH | DRAW_FLAG_EARLY)) == DRAW_FLAG_LATE_DEPTH;
}

/** EARLY_* of a draw call. */
export function earlyMode(tile: Tile, draw: Draw): i32 {
  const flags = draw.flags;
  const compare = compareOf(tile, draw);
  const tested = compare != COMPARE_ALWAYS || writesDepth(tile, draw);
  if (!testsLate(draw)) return flags & DRAW_FLAG_STENCIL ? EARLY_STENCIL : tested ? EARLY_DEPTH : EARLY_NONE;
  // Depth changes in only one direction under these comparisons, so what fails now fails later too.
  const oneWay =
    compare == COMPARE_LESS
    || compare == COMPARE_LESS_EQUAL
    || compare == COMPARE_GREATER
    || compare == COMPARE_GREATER_EQUAL;
  const isLater = (flags & (DRAW_FLAG_STENCIL | DRAW_FLAG_WRITES | DRAW_FLAG_RUNS_ALL)) != 0;
  return oneWay && !isLater ? EARLY_REJECT : EARLY_NONE;
}
