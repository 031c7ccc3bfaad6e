// Scalar twin of covered.ts: evaluates the edges in i64, one sample at a time.

import { Tile, Triangle, TriangleEdge } from '../../layout';
import { sampleX, sampleY } from '../../simd/positions';
import { quadMask } from '../../tile/layers';

/** Samples of the quad at (x, y) at which no edge is negative. Coordinates are pixels of the pass. */
export function insideEdgesScalar(tile: Tile, triangle: Triangle, x: i32, y: i32): u64 {
  const count = tile.samples;
  let inside: u64 = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = samplesInside(triangle, x + (pixel & 1), y + (pixel >> 1), count);
    inside |= count == 1 ? <u64>(samples << pixel) : quadMask(count == 2 ? samples * 5 : samples, pixel);
  }
  return inside;
}

function samplesInside(triangle: Triangle, x: i32, y: i32, count: i32): i32 {
  let samples = 0;
  for (let sample = 0; sample < count; sample++) {
    // 24.8 fixed point.
    const sx = <i64>((x << 8) + (sampleX(count, sample) << 4));
    const sy = <i64>((y << 8) + (sampleY(count, sample) << 4));
    const inside =
      (edgeAt(triangle.edge(0), sx, sy) | edgeAt(triangle.edge(1), sx, sy) | edgeAt(triangle.edge(2), sx, sy)) >= 0;
    samples |= (<i32>inside) << sample;
  }
  return samples;
}

function edgeAt(edge: TriangleEdge, x: i64, y: i64): i64 {
  return <i64>edge.a * x + <i64>edge.b * y + edge.c;
}
