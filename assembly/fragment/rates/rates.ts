// Shading rates of a primitive in the four areas (4×4 pixels) of a block. The rates of the draw call, the primitive,
// the screen region and the depth are joined by the draw call's combiners (layout/pass/shading-rate.ts). They only
// depend on the triangle's planes, bounding box and edges, never on the tile, the traversal order or other visible
// primitives. Scalar twin: rates.scalar.ts.

import { BLOCK_AREAS, DEPTH_AT_CENTRE, ShadingRates, Tile, Triangle } from '../../layout';
import { limitDepth } from '../../tile/depth-plane';
import { madd, max, min } from '../../simd/lanes';
import { areaRate, blockSlicesScalar, SIZE } from './rates.scalar';
import { slicesOf } from './slices';

/** Codes of the rates in a block's areas, one byte each. `areas` selects the areas to look up (bit area). */
export function ratesOf(tile: Tile, triangle: Triangle, block: i32, areas: i32): u32 {
  const rates = changetype<ShadingRates>(triangle.draw.rates);
  let rate = rates.rate;
  if (rates.isConstant) return <u32>rate * 0x01010101;
  tile.pass.statistics.rateLookUps += popcnt(areas);
  if (rates.primitive >= 0) {
    const word = load<u32>(triangle.planes + (rates.primitive << 2));
    rate = load<u8>(rates.primitiveCombiner + (rate << 4) + (word & 15));
  }
  if (rates.region) rate = load<u8>(rates.regionCombiner + (rate << 4) + regionOf(tile, rates, block));
  if (!rates.slices) return <u32>rate * 0x01010101;
  if (!ASC_FEATURE_SIMD || rates.at != DEPTH_AT_CENTRE)
    return depthRates(rates, rate, blockSlicesScalar(tile, triangle, block, areas));
  const slices = slicesOf(rates, centreDepths(tile, triangle, block));
  const row = rates.depthCombiner + (rate << 4);
  return (
    areaRate(rates, row, i32x4.extract_lane(slices, 0))
    | (areaRate(rates, row, i32x4.extract_lane(slices, 1)) << 8)
    | (areaRate(rates, row, i32x4.extract_lane(slices, 2)) << 16)
    | (areaRate(rates, row, i32x4.extract_lane(slices, 3)) << 24)
  );
}

/** Combines the rate with the depth rates. `slices` has one byte per area, 255 for a depth outside the table. */
function depthRates(rates: ShadingRates, rate: i32, slices: u32): u32 {
  const row = rates.depthCombiner + (rate << 4);
  let word: u32 = 0;
  for (let area: u32 = 0; area < <u32>BLOCK_AREAS; area++)
    word |= areaRate(rates, row, <i32>(<i8>(slices >> (area << 3)))) << (area << 3);
  return word;
}

/** The code that the rate texture holds for a block. A texel of it covers at least one block. */
function regionOf(tile: Tile, rates: ShadingRates, block: i32): i32 {
  const shift = rates.regionShift;
  const x = (tile.x + ((block & 7) << 3)) >> shift;
  const y = (tile.y + ((block >> 3) << 3)) >> shift;
  return load<u8>(rates.region + y * rates.regionRowBytes + x) & 15;
}

/** Clamps positions of areas, x or y, to the centres of the outermost pixels of a triangle's bounding box. */
function within(at: v128, least: i32, end: i32): v128 {
  return min(max(at, f32x4.splat(<f32>least + 0.5)), f32x4.splat(<f32>end - 0.5));
}

/** Depths of a triangle at the centres of a block's areas. */
function centreDepths(tile: Tile, triangle: Triangle, block: i32): v128 {
  const half = SIZE / 2;
  const x = f32x4.add(f32x4.splat(<f32>(tile.x + ((block & 7) << 3))), f32x4(half, SIZE + half, half, SIZE + half));
  const y = f32x4.add(f32x4.splat(<f32>(tile.y + ((block >> 3) << 3))), f32x4(half, half, SIZE + half, SIZE + half));
  const dx = f32x4.sub(within(x, triangle.minX, triangle.maxX), f32x4.splat(triangle.x0));
  const dy = f32x4.sub(within(y, triangle.minY, triangle.maxY), f32x4.splat(triangle.y0));
  const column = madd(f32x4.splat(triangle.zDx), dx, f32x4.splat(triangle.z));
  const z = f32x4.add(column, f32x4.mul(f32x4.splat(triangle.zDy), dy));
  return limitDepth(z, f32x4.splat(triangle.zMin), f32x4.splat(triangle.zMax), tile.depth16);
}
