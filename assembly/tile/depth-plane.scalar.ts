// Scalar twin of depth-plane.ts.

import { DepthBlock, Tile, Triangle } from '../layout';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';
import { sampleOffset } from './layers';

/** Clamps depth to the viewport's range, and rounds it to 16 bits if the attachment holds no more. */
export function limitDepthScalar(z: f32, triangle: Triangle, depth16: i32): f32 {
  const least = triangle.zMin;
  const most = triangle.zMax;
  let limited = least < z ? z : least;
  limited = most < limited ? most : limited;
  return depth16 ? floor<f32>(limited * 65535 + 0.5) / 65535 : limited;
}

export function boundDepthsScalar(from: usize, bytes: usize, record: DepthBlock): void {
  let low = load<f32>(from);
  let high = low;
  for (let at: usize = 4; at < bytes; at += 4) {
    const z = load<f32>(from + at);
    low = z < low ? z : low;
    high = high < z ? z : high;
  }
  record.low = low;
  record.high = high;
}

/** Depth of a triangle at a sample of a quad, given by its bit (tile/layers.ts). */
export function depthAt(tile: Tile, triangle: Triangle, quad: i32, bit: i32): f32 {
  const perSample = tile.layerSamples != 1;
  const pixel = perSample ? (bit >> 2) & 3 : bit;
  const count = tile.samples;
  const sample = ((bit >> 4) << 2) + (bit & 3);
  const sx = sampleX(count, sample);
  const sy = sampleY(count, sample);
  const x = <f32>(tile.x + quadX(quad) + (pixel & 1)) + <f32>sx * 0.0625;
  const y = <f32>(tile.y + quadY(quad) + (pixel >> 1)) + <f32>sy * 0.0625;
  const column = triangle.zDx * (x - triangle.x0) + triangle.z;
  const z = column + triangle.zDy * (y - triangle.y0);
  return limitDepthScalar(z, triangle, tile.depth16);
}

export function planeBlockScalar(tile: Tile, triangle: Triangle, block: i32): void {
  const count = 4 * tile.layerSamples;
  const end = count * tile.layers;
  for (let quad = block << 4; quad < (block + 1) << 4; quad++) {
    const plane = tile.depth + ((quad * count) << 2);
    for (let bit = 0; bit < end; bit++)
      store<f32>(plane + (sampleOffset(bit) << 2), depthAt(tile, triangle, quad, bit));
  }
}
