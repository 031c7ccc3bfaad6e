// Which samples of a quad its triangle covers, for @builtin(sample_mask) and centroids. Depth tests, later triangles
// and discarded chunks remove samples from an entry's mask at points that depend on packing. The results here must not
// depend on packing, so the edges are evaluated again unless the mask has all samples. Scalar twin: covered.scalar.ts.

import { Entry, Tile, TRI_FLAG_SMALL, Triangle, TriangleEdge } from '../../layout';
import { firstSample, lastSample, quadX, quadY } from '../../simd/positions';
import { signBits16 } from '../../simd/texels';
import {
  allSamples,
  bitsOfSample,
  Four,
  hasLayer,
  Layered,
  One,
  pixelSamples,
  positionsOf,
  sampleMask,
  samplesOfPixels,
  wholeQuad,
} from '../../tile/layers';
import { quadOfSmall } from '../../tile/small-cover';
import { insideEdgesScalar } from './covered.scalar';

/**
 * Edge values at a quad's corner are clamped to this magnitude: beyond it, no step within the quad changes the sign.
 */
const EDGE_LIMIT: i64 = 1 << 30;

/**
 * Samples (encoded as in Entry.mask) of a quad's entry that its triangle covers and the pipeline's sample mask allows.
 */
export function coveredQuad(tile: Tile, entry: Entry): u64 {
  const mask = entry.mask;
  return mask == wholeQuad(tile) ? mask : coveredOf(tile, entry.triangle, entry.quad, entry.sample);
}

/** Same as coveredQuad for the entry of a single pixel, with one bit per sample. */
export function coveredPixel(tile: Tile, entry: Entry): i32 {
  const count = tile.samples;
  if (entry.mask == <u64>allSamples(tile)) return (1 << count) - 1;
  return pixelSamples(coveredOf(tile, entry.triangle, entry.pixel >> 2, entry.sample), entry.pixel & 3, count);
}

/**
 * Samples of a quad that the triangle covers and the pipeline's sample mask allows. Evaluates the edges, or reads the
 * stored coverage of a small triangle. With one invocation per sample, `sample` limits the result to that sample;
 * otherwise it is -1.
 */
export function coveredOf(tile: Tile, triangle: Triangle, quad: i32, sample: i32): u64 {
  const count = tile.samples;
  const x = tile.x + quadX(quad);
  const y = tile.y + quadY(quad);
  let asked = samplesOfPixels(pixelsInBox(triangle, x, y), count) & sampleMask(tile, triangle.draw);
  if (sample >= 0) asked &= bitsOfSample(count, sample);
  if (!asked) return 0;
  if (triangle.flags & TRI_FLAG_SMALL) return asked & smallQuad(tile, triangle, x - triangle.minX, y - triangle.minY);
  return asked & insideEdges(tile, triangle, x, y);
}

/** Pixels of the quad at (x, y) that are inside a triangle's bounding box. */
function pixelsInBox(triangle: Triangle, x: i32, y: i32): i32 {
  const columns =
    (i32(x >= triangle.minX && x < triangle.maxX) * 5) | (i32(x + 1 >= triangle.minX && x + 1 < triangle.maxX) * 10);
  const rows =
    (i32(y >= triangle.minY && y < triangle.maxY) * 3) | (i32(y + 1 >= triangle.minY && y + 1 < triangle.maxY) * 12);
  return columns & rows;
}

function smallQuad(tile: Tile, triangle: Triangle, x: i32, y: i32): u64 {
  const count = tile.samples;
  if (count == 1) return quadOfSmall<One>(tile, triangle, x, y);
  return count <= 4 ? quadOfSmall<Four>(tile, triangle, x, y) : quadOfSmall<Layered>(tile, triangle, x, y);
}

/** Samples of the quad at (x, y) at which no edge is negative. Coordinates are pixels of the pass. */
function insideEdges(tile: Tile, triangle: Triangle, x: i32, y: i32): u64 {
  if (ASC_FEATURE_SIMD) {
    const count = tile.samples;
    if (count != 1)
      return count <= 4 ? insideEdgesSimd<Four>(tile, triangle, x, y) : insideEdgesSimd<Layered>(tile, triangle, x, y);
  }
  return insideEdgesScalar(tile, triangle, x, y);
}

/**
 * Edge value at a pixel's corner, in units of a sixteenth of a pixel. The bits that are shifted out are the same for
 * all samples.
 */
function edgeAt(edge: TriangleEdge, x: i32, y: i32): i32 {
  const value = (edge.c + <i64>edge.a * (x << 8) + <i64>edge.b * (y << 8)) >> 4;
  return <i32>(value > EDGE_LIMIT ? EDGE_LIMIT : value < -EDGE_LIMIT ? -EDGE_LIMIT : value);
}

function insideEdgesSimd<S>(tile: Tile, triangle: Triangle, x: i32, y: i32): u64 {
  const first = firstSample(tile.samples);
  const last = 16 + lastSample(tile.samples);
  let outside: u64 = 0;
  for (let i: usize = 0; i < 3; i++) {
    const edge = triangle.edge(i);
    const corner = edgeAt(edge, x, y);
    if (corner + min<i32>(edge.a * first, edge.a * last) + min<i32>(edge.b * first, edge.b * last) >= 0) continue;
    outside |= outsideEdge<S>(tile, edge, corner);
  }
  return wholeQuad(tile) & ~outside;
}

/** Samples of a quad at which an edge is negative. `corner` is the edge's value at the quad's corner. */
function outsideEdge<S>(tile: Tile, edge: TriangleEdge, corner: i32): u64 {
  const a = i32x4.splat(edge.a);
  const b = i32x4.splat(edge.b);
  const right = i32x4.shl(a, 4);
  const down = i32x4.shl(b, 4);
  let outside: u64 = 0;
  let layer = 0;
  do {
    const positions = positionsOf(tile, layer);
    const samples = i32x4.add(i32x4.mul(a, v128.load(positions.x16)), i32x4.mul(b, v128.load(positions.y16)));
    const upper = i32x4.add(i32x4.splat(corner), samples);
    const lower = i32x4.add(upper, down);
    const signs = signBits16(upper, i32x4.add(upper, right), lower, i32x4.add(lower, right));
    outside |= (<u64>(signs & 0xffff)) << u64(layer << 4);
  } while (hasLayer<S>(tile, ++layer));
  return outside;
}
