// Scalar twin of rates.ts. Both builds also use its per-sample code: the depth at the centroid of the samples that a
// triangle covers of an area, and the least or greatest depth there.

import {
  AREA_SIZE,
  BLOCK_AREAS,
  DEPTH_AT_CENTRE,
  DEPTH_AT_CENTROID,
  DEPTH_AT_MIN,
  ShadingRates,
  Tile,
  Triangle,
} from '../../layout';
import { quadX, quadY, sampleX, sampleY } from '../../simd/positions';
import { limitDepthScalar } from '../../surface/depth-planes';
import { pixelSamples, wholeQuad } from '../../tile/layers';
import { coveredOf } from '../inputs/covered';
import { sliceScalar } from './slices.scalar';

/** Side of an area in pixels. */
export const SIZE: f32 = <f32>AREA_SIZE;

/** The combined rate code for an area in slice `slice`. `row` is the combiner's row for the rate so far. */
export function areaRate(rates: ShadingRates, row: usize, slice: i32): u32 {
  return load<u8>(row + (slice < 0 ? 0 : <usize>load<u8>(rates.sliceRates + slice)));
}

/** Depth slices of a triangle in a block's areas, one byte each, 255 outside the table. */
export function blockSlicesScalar(tile: Tile, triangle: Triangle, block: i32, areas: i32): u32 {
  const rates = changetype<ShadingRates>(triangle.draw.rates);
  let slices: u32 = 0;
  for (let area = 0; area < BLOCK_AREAS; area++) {
    if (!((areas >> area) & 1)) continue;
    const z = depthOf(tile, triangle, block, area, rates.at);
    slices |= (<u32>(sliceScalar(rates, z) & 255)) << (area << 3);
  }
  return slices;
}

function depthOf(tile: Tile, triangle: Triangle, block: i32, area: i32, at: i32): f32 {
  if (at == DEPTH_AT_CENTROID) return depthAtCentroid(tile, triangle, block, area);
  if (at != DEPTH_AT_CENTRE) return extremeDepth(tile, triangle, block, area, at == DEPTH_AT_MIN);
  const x = <f32>(tile.x + ((block & 7) << 3) + (area & 1) * AREA_SIZE);
  const y = <f32>(tile.y + ((block >> 3) << 3) + (area >> 1) * AREA_SIZE);
  return depthWithin(tile, triangle, x + SIZE / 2, y + SIZE / 2);
}

// Same operand order as min and max of simd/lanes.ts.
function less(a: f32, b: f32): f32 {
  return b < a ? b : a;
}
function more(a: f32, b: f32): f32 {
  return a < b ? b : a;
}

/**
 * Limit for the slopes of depth. Below it, a plane is also monotonic along rows and columns in f32, since nothing
 * overflows.
 */
const MAX_DEPTH_SLOPE: f32 = 1e30;

/** Number of the first quad of an area; the others are 1, 4 and 5 after it. */
function firstQuad(block: i32, area: i32): i32 {
  return (block << 4) + ((area & 1) << 1) + ((area >> 1) << 3);
}

/** The least (or greatest) depth of a triangle at the samples that it covers of an area. */
function extremeDepth(tile: Tile, triangle: Triangle, block: i32, area: i32, least: bool): f32 {
  const quad = firstQuad(block, area);
  const whole = wholeQuad(tile);
  const upperLeft = coveredOf(tile, triangle, quad, -1);
  const upperRight = coveredOf(tile, triangle, quad + 1, -1);
  const lowerLeft = coveredOf(tile, triangle, quad + 4, -1);
  const lowerRight = coveredOf(tile, triangle, quad + 5, -1);
  if (
    (upperLeft & upperRight & lowerLeft & lowerRight) == whole
    && abs<f32>(triangle.zDx) + abs<f32>(triangle.zDy) < MAX_DEPTH_SLOPE
  )
    return extremeOfWhole(tile, triangle, quad, least);
  let best: f32 = least ? Infinity : -Infinity;
  best = extremeOfQuad(tile, triangle, quad, upperLeft, best, least);
  best = extremeOfQuad(tile, triangle, quad + 1, upperRight, best, least);
  best = extremeOfQuad(tile, triangle, quad + 4, lowerLeft, best, least);
  return extremeOfQuad(tile, triangle, quad + 5, lowerRight, best, least);
}

/**
 * extremeDepth for an area that is covered completely: only the samples of the pixel at the corner towards which depth
 * falls (or rises) are evaluated.
 */
function extremeOfWhole(tile: Tile, triangle: Triangle, quad: i32, least: bool): f32 {
  const right = i32(triangle.zDx < 0 == least);
  const below = i32(triangle.zDy < 0 == least);
  const pixel = ((quad + right + (below << 2)) << 2) | right | (below << 1);
  return extremeOfPixel(tile, triangle, pixel, (1 << tile.samples) - 1, least ? Infinity : -Infinity, least);
}

/** The less (or greater) of `best` and the depths at the given samples of a quad. */
function extremeOfQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64, best: f32, least: bool): f32 {
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = pixelSamples(mask, pixel, tile.samples);
    best = extremeOfPixel(tile, triangle, (quad << 2) | pixel, samples, best, least);
  }
  return best;
}

/** The less (or greater) of `best` and the depths at the given samples of a pixel of the tile. */
function extremeOfPixel(tile: Tile, triangle: Triangle, pixel: i32, samples: i32, best: f32, least: bool): f32 {
  const count = tile.samples;
  const x = tile.x + quadX(pixel >> 2) + (pixel & 1);
  const y = tile.y + quadY(pixel >> 2) + ((pixel >> 1) & 1);
  for (let rest = samples; rest; rest &= rest - 1) {
    const sample = ctz(rest);
    const atX = <f32>x + <f32>sampleX(count, sample) * 0.0625;
    const atY = <f32>y + <f32>sampleY(count, sample) * 0.0625;
    const z = depthAt(tile, triangle, atX, atY);
    best = least ? less(best, z) : more(best, z);
  }
  return best;
}

/** Depth at a position that is clamped to the centres of the outermost pixels of the triangle's bounding box. */
function depthWithin(tile: Tile, triangle: Triangle, x: f32, y: f32): f32 {
  const inX = less(more(x, <f32>triangle.minX + 0.5), <f32>triangle.maxX - 0.5);
  const inY = less(more(y, <f32>triangle.minY + 0.5), <f32>triangle.maxY - 0.5);
  return depthAt(tile, triangle, inX, inY);
}

function depthAt(tile: Tile, triangle: Triangle, x: f32, y: f32): f32 {
  const column = triangle.zDx * (x - triangle.x0) + triangle.z;
  return limitDepthScalar(column + triangle.zDy * (y - triangle.y0), triangle, tile.depth16);
}

/** Depth at the mean position of the samples of an area that a triangle covers. */
function depthAtCentroid(tile: Tile, triangle: Triangle, block: i32, area: i32): f32 {
  const count = tile.samples;
  const first = firstQuad(block, area);
  let x = 0;
  let y = 0;
  let covered = 0;
  for (let i = 0; i < 4; i++) {
    const mask = coveredOf(tile, triangle, first + (i & 1) + ((i >> 1) << 2), -1);
    for (let pixel = 0; pixel < 4; pixel++) {
      for (let rest = pixelSamples(mask, pixel, count); rest; rest &= rest - 1) {
        const sample = ctz(rest);
        x += ((((i & 1) << 1) + (pixel & 1)) << 4) + sampleX(count, sample);
        y += (((i & 2) + (pixel >> 1)) << 4) + sampleY(count, sample);
        covered++;
      }
    }
  }
  const left = <f32>(tile.x + ((block & 7) << 3) + (area & 1) * AREA_SIZE);
  const top = <f32>(tile.y + ((block >> 3) << 3) + (area >> 1) * AREA_SIZE);
  const samples = <f32>(covered << 4);
  return depthAt(tile, triangle, left + <f32>x / samples, top + <f32>y / samples);
}
