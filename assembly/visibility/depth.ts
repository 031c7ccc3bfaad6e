// Depth test of a quad: computes depth from the triangle's plane (tile/depth-plane.ts), compares it with the tile's
// depth plane and writes it where it passes. Scalar twin: depth.scalar.ts.

import { LAYER_WORDS, Tile, Triangle } from '../layout';
import { madd, splat0 } from '../simd/lanes';
import { centresX, centresY, quadX, quadY, samplesX, samplesY } from '../simd/positions';
import { lanesOf, signBits16, splat1, splat2, splat3 } from '../simd/texels';
import { compareDepth } from '../tile/depth-compare';
import { limitDepth } from '../tile/depth-plane';
import { ofLayer, positionsOf } from '../tile/layers';
import { depthQuadExportedScalar, depthQuadScalar } from './depth.scalar';

/**
 * Tests the samples in `mask` of a quad (tile/layers.ts) and stores the depths that pass if `write` is set. Returns the
 * samples that pass. The block's depths must be stored in the plane (tile/depth-blocks.ts).
 */
export function depthQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64, write: i32): u64 {
  if (ASC_FEATURE_SIMD) return depthQuadSimd(tile, triangle, quad, mask, write);
  else return depthQuadScalar(tile, triangle, quad, mask, write);
}

/** Tests and writes four samples at `address`; returns the lanes that pass. */
function testFour(tile: Tile, address: usize, z: v128, bits: i32, write: i32): v128 {
  const stored = v128.load(address);
  const passed = v128.and(compareDepth(tile, z, stored, false), lanesOf(bits));
  if (write) v128.store(address, v128.bitselect(z, stored, passed));
  return passed;
}

/** Does the same as depthQuad, with the four depths at `depths` (one per pixel) instead of the triangle's plane. */
export function depthQuadExported(
  tile: Tile,
  triangle: Triangle,
  quad: i32,
  mask: u64,
  write: i32,
  depths: usize
): u64 {
  if (ASC_FEATURE_SIMD) return depthQuadExportedSimd(tile, triangle, quad, mask, write, depths);
  else return depthQuadExportedScalar(tile, triangle, quad, mask, write, depths);
}

function depthQuadExportedSimd(tile: Tile, triangle: Triangle, quad: i32, mask: u64, write: i32, depths: usize): u64 {
  const plane = changetype<usize>(triangle);
  const least = v128.load32_splat(plane, offsetof<Triangle>('zMin'));
  const most = v128.load32_splat(plane, offsetof<Triangle>('zMax'));
  const z = limitDepth(v128.load(depths), least, most, tile.depth16);
  if (tile.layerSamples == 1) {
    return <u64>i32x4.bitmask(testFour(tile, tile.depth + (quad << 4), z, <i32>mask, write));
  }
  let passed: u64 = 0;
  for (let layer = 0; layer < tile.layers; layer++) {
    const part = ofLayer(mask, layer);
    if (!part) continue;
    const address = tile.depth + layer * LAYER_WORDS + (quad << 6);
    passed |=
      (<u64>(
        signBits16(
          testFour(tile, address, splat0(z), part & 15, write),
          testFour(tile, address + 16, splat1(z), (part >> 4) & 15, write),
          testFour(tile, address + 32, splat2(z), (part >> 8) & 15, write),
          testFour(tile, address + 48, splat3(z), (part >> 12) & 15, write)
        )
      )) << u64(layer << 4);
  }
  return passed;
}

function depthQuadSimd(tile: Tile, triangle: Triangle, quad: i32, mask: u64, write: i32): u64 {
  if (tile.layerSamples == 1) return <u64>depthQuad1(tile, triangle, quad, <i32>mask, write);
  let passed: u64 = 0;
  for (let layer = 0; layer < tile.layers; layer++) {
    const part = ofLayer(mask, layer);
    if (part) passed |= (<u64>depthLayer(tile, triangle, quad, part, write, layer)) << u64(layer << 4);
  }
  return passed;
}

function depthQuad1(tile: Tile, triangle: Triangle, quad: i32, mask: i32, write: i32): i32 {
  const x = tile.x + quadX(quad);
  const y = tile.y + quadY(quad);
  const plane = changetype<usize>(triangle);
  const dx = f32x4.sub(centresX(x), v128.load32_splat(plane, offsetof<Triangle>('x0')));
  const dy = f32x4.sub(centresY(y), v128.load32_splat(plane, offsetof<Triangle>('y0')));
  const column = madd(
    v128.load32_splat(plane, offsetof<Triangle>('zDx')),
    dx,
    v128.load32_splat(plane, offsetof<Triangle>('z'))
  );
  const row = f32x4.mul(v128.load32_splat(plane, offsetof<Triangle>('zDy')), dy);
  const least = v128.load32_splat(plane, offsetof<Triangle>('zMin'));
  const most = v128.load32_splat(plane, offsetof<Triangle>('zMax'));
  const z = limitDepth(f32x4.add(column, row), least, most, tile.depth16);
  return i32x4.bitmask(testFour(tile, tile.depth + (quad << 4), z, mask, write));
}

/** Tests the samples of one layer: 16 bits. */
function depthLayer(tile: Tile, triangle: Triangle, quad: i32, mask: i32, write: i32, layer: i32): i32 {
  const positions = positionsOf(tile, layer);
  const plane = changetype<usize>(triangle);
  const c = v128.load32_splat(plane, offsetof<Triangle>('z'));
  const dx = v128.load32_splat(plane, offsetof<Triangle>('zDx'));
  const dy = v128.load32_splat(plane, offsetof<Triangle>('zDy'));
  const x0 = v128.load32_splat(plane, offsetof<Triangle>('x0'));
  const y0 = v128.load32_splat(plane, offsetof<Triangle>('y0'));
  const least = v128.load32_splat(plane, offsetof<Triangle>('zMin'));
  const most = v128.load32_splat(plane, offsetof<Triangle>('zMax'));
  const depth16 = tile.depth16;
  const x = tile.x + quadX(quad);
  const y = tile.y + quadY(quad);
  const left = madd(dx, f32x4.sub(samplesX(positions, x), x0), c);
  const right = madd(dx, f32x4.sub(samplesX(positions, x + 1), x0), c);
  const upper = f32x4.mul(dy, f32x4.sub(samplesY(positions, y), y0));
  const lower = f32x4.mul(dy, f32x4.sub(samplesY(positions, y + 1), y0));
  const address = tile.depth + layer * LAYER_WORDS + (quad << 6);
  return signBits16(
    testFour(tile, address, limitDepth(f32x4.add(left, upper), least, most, depth16), mask & 15, write),
    testFour(tile, address + 16, limitDepth(f32x4.add(right, upper), least, most, depth16), (mask >> 4) & 15, write),
    testFour(tile, address + 32, limitDepth(f32x4.add(left, lower), least, most, depth16), (mask >> 8) & 15, write),
    testFour(tile, address + 48, limitDepth(f32x4.add(right, lower), least, most, depth16), (mask >> 12) & 15, write)
  );
}
