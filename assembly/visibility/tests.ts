// Depth and stencil tests of a quad before the shader. output/output.ts has those after it.

import { EARLY_REJECT, EARLY_STENCIL, Tile, Triangle } from '../layout';
import { expandDepth, loosenDepthTo } from '../tile/depth-blocks';
import { testsDepth } from '../tile/depth-compare';
import { depthQuad } from './depth';
import { stencilTest, stencilUpdate } from './stencil';

/** Tests the samples of `mask` before the shader, according to Tile.early. Returns the samples that pass. */
export function testEarly(tile: Tile, triangle: Triangle, quad: i32, mask: u64): u64 {
  const early = tile.early;
  const write = early == EARLY_REJECT ? 0 : tile.depthWrite;
  if (early != EARLY_STENCIL) return earlyDepth(tile, triangle, quad, mask, write);
  const passed = stencilTest(tile, triangle, quad, mask);
  // A pass may have stencil without depth.
  const visible = passed && testsDepth(tile) ? earlyDepth(tile, triangle, quad, passed, write) : passed;
  stencilUpdate(tile, triangle, quad, mask, passed, visible);
  return visible;
}

function earlyDepth(tile: Tile, triangle: Triangle, quad: i32, mask: u64, write: i32): u64 {
  expandDepth(tile, quad >> 4);
  if (write) loosenDepthTo(tile, triangle, quad >> 4, 4);
  return depthQuad(tile, triangle, quad, mask, write);
}
