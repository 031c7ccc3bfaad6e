// What of a pixel its triangle covers, whatever has become of it since: depth tests, later triangles and discarded chunks take samples out of
// an entry's mask, at points that depend on packing, but @builtin(sample_mask) and centroids must not depend on those. Only for the few
// programs that read one of them.

import { CTX_LAYERS, CTX_SAMPLE_COUNT, CTX_TILE_X, CTX_TILE_Y, ENTRY_SAMPLE, ENTRY_TRIANGLE } from '../layout/context';
import { DRAW_SAMPLE_MASK } from '../layout/draw';
import {
  TRI_COVER, TRI_DRAW, TRI_EDGE_A, TRI_EDGE_B, TRI_EDGE_BYTES, TRI_EDGE_C, TRI_EDGES, TRI_FLAG_SMALL, TRI_FLAGS, TRI_MAX_X, TRI_MAX_Y,
  TRI_MIN_X, TRI_MIN_Y,
} from '../layout/triangle';
import { pixelX, pixelY, sampleX, sampleY } from '../simd/positions';

/**
 * Bit sample for every sample of a pixel of the tile ((block·16 + quad)·4 + pixel) that the entry's triangle covers and the pipeline's mask
 * lets through; where there is one invocation a sample, of that sample alone.
 */
export function coveredSamples(context: usize, entry: usize, pixel: i32): i32 {
  const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
  const only = load<i32>(entry + ENTRY_SAMPLE);
  const x = load<i32>(context + CTX_TILE_X) + pixelX(pixel);
  const y = load<i32>(context + CTX_TILE_Y) + pixelY(pixel);
  const inBoxX = x - load<i32>(triangle + TRI_MIN_X);
  const inBoxY = y - load<i32>(triangle + TRI_MIN_Y);
  if (inBoxX < 0 || x >= load<i32>(triangle + TRI_MAX_X) || inBoxY < 0 || y >= load<i32>(triangle + TRI_MAX_Y)) return 0;
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  const asked = load<i32>(load<usize>(triangle + TRI_DRAW) + DRAW_SAMPLE_MASK) & (only >= 0 ? 1 << only : (1 << count) - 1);
  // The record of a small triangle holds its coverage in place of edges.
  if (load<u32>(triangle + TRI_FLAGS) & TRI_FLAG_SMALL) return smallSamples(context, triangle, inBoxY * 4 + inBoxX, count) & asked;
  let covered = 0;
  for (let rest = asked; rest; rest &= rest - 1) {
    const sample = ctz(rest);
    if (isInside(triangle, <i64>((x << 8) + (sampleX(count, sample) << 4)), <i64>((y << 8) + (sampleY(count, sample) << 4)))) covered |= 1 << sample;
  }
  return covered;
}

/** Samples that the record of a small triangle covers of a pixel of its box. */
function smallSamples(context: usize, triangle: usize, pixel: i32, count: i32): i32 {
  if (count == 1) return <i32>(load<u64>(triangle + TRI_COVER) >> <u64>pixel) & 1;
  let samples = 0;
  for (let layer = 0; layer < load<i32>(context, CTX_LAYERS); layer++) {
    samples |= (<i32>(load<u64>(triangle + TRI_COVER - (<usize>layer << 3)) >> <u64>(pixel << 2)) & 15) << (layer << 2);
  }
  return samples;
}

/** Whether a position (24.8) lies inside all edges. */
function isInside(triangle: usize, x: i64, y: i64): bool {
  const edges = triangle + TRI_EDGES;
  return (edgeAt(edges, x, y) | edgeAt(edges + TRI_EDGE_BYTES, x, y) | edgeAt(edges + 2 * TRI_EDGE_BYTES, x, y)) >= 0;
}

// @ts-ignore: decorator
@inline
function edgeAt(edge: usize, x: i64, y: i64): i64 {
  return <i64>load<i32>(edge + TRI_EDGE_A) * x + <i64>load<i32>(edge + TRI_EDGE_B) * y + load<i64>(edge + TRI_EDGE_C);
}
