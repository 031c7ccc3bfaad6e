// Scalar twin of rates.ts; and, for both builds, what is looked up sample by sample: the centroid of what a triangle
// covers of an area.

import {
  AREA_SIZE, BLOCK_AREAS, DEPTH_AT_CENTRE, DEPTH_AT_CENTROID, DEPTH_AT_MIN, ShadingRates, Tile, Triangle,
} from '../layout';
import { sampleX, sampleY } from '../simd/positions';
import { limitDepthScalar } from '../tile/depth-plane.scalar';
import { pixelSamples } from '../tile/layers';
import { coveredOf } from './covered';
import { sliceScalar } from './slices.scalar';

/** Pixels on the side of an area. */
export const SIZE: f32 = <f32>AREA_SIZE;

/** The code for an area of slice `slice`, in a combiner's row for what came before. */
export function areaRate(rates: ShadingRates, row: usize, slice: i32): u32 {
  return load<u8>(row + (slice < 0 ? 0 : <usize>load<u8>(rates.sliceRates + slice)));
}

/** Slices of a triangle's depths in a block's areas, a byte each, 255 outside the table. */
export function blockSlicesScalar(tile: Tile, triangle: Triangle, block: i32, areas: i32): u32 {
  const rates = changetype<ShadingRates>(triangle.draw.rates);
  let slices: u32 = 0;
  for (let area = 0; area < BLOCK_AREAS; area++) {
    if (!(areas >> area & 1)) continue;
    const z = rates.at == DEPTH_AT_CENTROID
      ? depthAtCentroid(tile, triangle, block, area)
      : depthOf(tile, triangle, block, area, rates.at);
    slices |= <u32>(sliceScalar(rates, z) & 255) << (area << 3);
  }
  return slices;
}

function depthOf(tile: Tile, triangle: Triangle, block: i32, area: i32, at: i32): f32 {
  const x = <f32>(tile.x + ((block & 7) << 3) + (area & 1) * AREA_SIZE);
  const y = <f32>(tile.y + (block >> 3 << 3) + (area >> 1) * AREA_SIZE);
  if (at == DEPTH_AT_CENTRE) return depthWithin(tile, triangle, x + SIZE / 2, y + SIZE / 2);
  const z0 = depthWithin(tile, triangle, x, y);
  const z1 = depthWithin(tile, triangle, x + SIZE, y);
  const z2 = depthWithin(tile, triangle, x, y + SIZE);
  const z3 = depthWithin(tile, triangle, x + SIZE, y + SIZE);
  return at == DEPTH_AT_MIN ? less(less(z0, z1), less(z2, z3)) : more(more(z0, z1), more(z2, z3));
}

// As min and max of simd/lanes.ts.
function less(a: f32, b: f32): f32 { return b < a ? b : a; }
function more(a: f32, b: f32): f32 { return a < b ? b : a; }

/** At a position within the centres of the outermost pixels of the triangle's box. */
function depthWithin(tile: Tile, triangle: Triangle, x: f32, y: f32): f32 {
  const inX = less(more(x, <f32>triangle.minX + 0.5), <f32>triangle.maxX - 0.5);
  const inY = less(more(y, <f32>triangle.minY + 0.5), <f32>triangle.maxY - 0.5);
  return depthAt(tile, triangle, inX, inY);
}

function depthAt(tile: Tile, triangle: Triangle, x: f32, y: f32): f32 {
  const column = triangle.zDx * (x - triangle.x0) + triangle.z;
  return limitDepthScalar(column + triangle.zDy * (y - triangle.y0), triangle, tile.depth16);
}

/** At the mean position of the samples of an area that a triangle covers. */
function depthAtCentroid(tile: Tile, triangle: Triangle, block: i32, area: i32): f32 {
  const count = tile.samples;
  const first = (block << 4) + ((area & 1) << 1) + ((area >> 1) << 3);
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
  const top = <f32>(tile.y + (block >> 3 << 3) + (area >> 1) * AREA_SIZE);
  const samples = <f32>(covered << 4);
  return depthAt(tile, triangle, left + <f32>x / samples, top + <f32>y / samples);
}
