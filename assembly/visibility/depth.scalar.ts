// Scalar twin of depth.ts.

import { Tile, Triangle } from '../layout';
import { limitDepthScalar } from '../surface/depth-planes';
import { compareDepthScalar } from '../tile/depth-compare';
import { depthAt } from '../tile/depth-plane.scalar';
import { sampleOffset } from '../tile/layers';

export function depthQuadScalar(tile: Tile, triangle: Triangle, quad: i32, mask: u64, write: i32): u64 {
  const plane = tile.depth + quad * 4 * tile.layerSamples * 4;
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = <i32>ctz(rest);
    const z = depthAt(tile, triangle, quad, bit);
    passed |= (<u64>testSample(tile, plane + (sampleOffset(bit) << 2), z, write)) << u64(bit);
  }
  return passed;
}

export function depthQuadExportedScalar(
  tile: Tile,
  triangle: Triangle,
  quad: i32,
  mask: u64,
  write: i32,
  depths: usize
): u64 {
  const samples = tile.layerSamples;
  const depth16 = tile.depth16;
  const plane = tile.depth + quad * 4 * samples * 4;
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = <i32>ctz(rest);
    const pixel = samples == 1 ? bit : (bit >> 2) & 3;
    const z = limitDepthScalar(load<f32>(depths + (pixel << 2)), triangle, depth16);
    passed |= (<u64>testSample(tile, plane + (sampleOffset(bit) << 2), z, write)) << u64(bit);
  }
  return passed;
}

function testSample(tile: Tile, address: usize, z: f32, write: i32): i32 {
  if (!compareDepthScalar(tile, z, load<f32>(address))) return 0;
  if (write) store<f32>(address, z);
  return 1;
}
