// What of a pixel its triangle covers, whatever has become of it since: depth tests, later triangles and discarded
// chunks take samples out of an entry's mask, at points that depend on packing, but @builtin(sample_mask) and centroids
// must not depend on those. Only for the few programs that read one of them.

import { Entry, sizeOf, Tile, TRI_FLAG_SMALL, Triangle, TriangleEdge } from '../layout';
import { pixelX, pixelY, sampleX, sampleY } from '../simd/positions';

/**
 * Bit sample for every sample of a pixel of the tile ((block·16 + quad)·4 + pixel) that the entry's triangle covers and
 * the pipeline's mask lets through; where there is one invocation a sample, of that sample alone.
 */
export function coveredSamples(tile: Tile, entry: Entry, pixel: i32): i32 {
  const triangle = entry.triangle;
  const only = entry.sample;
  const x = tile.x + pixelX(pixel);
  const y = tile.y + pixelY(pixel);
  const inBoxX = x - triangle.minX;
  const inBoxY = y - triangle.minY;
  if (inBoxX < 0 || x >= triangle.maxX || inBoxY < 0 || y >= triangle.maxY) return 0;
  const count = tile.samples;
  const asked = triangle.draw.sampleMask & (only >= 0 ? 1 << only : (1 << count) - 1);
  // The record of a small triangle holds its coverage instead of edges.
  if (triangle.flags & TRI_FLAG_SMALL) return smallSamples(tile, triangle, inBoxY * 4 + inBoxX, count) & asked;
  let covered = 0;
  for (let rest = asked; rest; rest &= rest - 1) {
    const sample = ctz(rest);
    if (isInside(
      triangle, <i64>((x << 8) + (sampleX(count, sample) << 4)), <i64>((y << 8) + (sampleY(count, sample) << 4))
    ))
      covered |= 1 << sample;
  }
  return covered;
}

/** Samples that the record of a small triangle covers of a pixel of its box. */
function smallSamples(tile: Tile, triangle: Triangle, pixel: i32, count: i32): i32 {
  if (count == 1) return <i32>(load<u64>(triangle.cover) >> <u64>pixel) & 1;
  let samples = 0;
  for (let layer = 0; layer < tile.layers; layer++) {
    samples |= (<i32>(load<u64>(triangle.cover - (layer << 3)) >> <u64>(pixel << 2)) & 15) << (layer << 2);
  }
  return samples;
}

/** Whether a position (24.8) lies inside all edges. */
function isInside(triangle: Triangle, x: i64, y: i64): bool {
  const edges = triangle.edges;
  return (edgeAt(edges, x, y) | edgeAt(edges + sizeOf<TriangleEdge>(), x, y)
    | edgeAt(edges + 2 * sizeOf<TriangleEdge>(), x, y))
    >= 0;
}

function edgeAt(edge: usize, x: i64, y: i64): i64 {
  return <i64>changetype<TriangleEdge>(edge).a * x + <i64>changetype<TriangleEdge>(edge).b * y
    + changetype<TriangleEdge>(edge).c;
}
