// Scalar twins of visible.ts, and the function that records a quad's triangle in both builds.

import { EARLY_DEPTH, MODE_DEFERRED, Tile, Triangle } from '../layout';
import { depthQuadScalar } from './depth.scalar';
import { sampleOffset } from '../tile/layers';

/** Records `triangle` for the samples in `mask` of a quad (block·16 + quad). */
export function markQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64): void {
  const ids: usize = tile.ids + quad * 4 * tile.layerSamples * 4;
  for (let rest = mask; rest; rest &= rest - 1)
    store<u32>(ids + (sampleOffset(<i32>ctz(rest)) << 2), changetype<usize>(triangle));
}

/** Scalar twin of visiblePixel4: a pixel is a quarter of its quad's mask. */
export function visiblePixel4Scalar(tile: Tile, triangle: Triangle, at: i32, bits: i32, layer: i32): bool {
  return visibleQuad(
    tile,
    triangle,
    at >> 2,
    (<u64>bits) << u64((layer << 4) + ((at & 3) << 2)),
    tile.early == EARLY_DEPTH
  );
}

function visibleQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64, tested: bool): bool {
  const passed = tested ? depthQuadScalar(tile, triangle, quad, mask, tile.depthWrite) : mask;
  if (tile.mode == MODE_DEFERRED) markQuad(tile, triangle, quad, passed);
  return passed != 0;
}

export function visibleBlock1Scalar(tile: Tile, triangle: Triangle, block: i32, cover: u64, tested: bool): i32 {
  let visible = 0;
  for (let quad = 0; quad < 16; quad++) {
    const bits = (cover >> ((<u64>quad) << 2)) & 15;
    if (bits) visible |= (<i32>visibleQuad(tile, triangle, (block << 4) + quad, bits, tested)) << quad;
  }
  return visible;
}

export function visibleBlock4Scalar(
  tile: Tile,
  triangle: Triangle,
  block: i32,
  quads: i32,
  tested: bool,
  layer: i32
): i32 {
  let visible = 0;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const mask = (<u64>load<u16>(tile.coverOf(layer) + (quad << 1))) << u64(layer << 4);
    visible |= (<i32>visibleQuad(tile, triangle, (block << 4) + quad, mask, tested)) << quad;
  }
  return visible;
}
