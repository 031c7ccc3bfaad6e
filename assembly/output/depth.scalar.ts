// Scalar twin of depth.ts, and the test of depths that a program has written.

import { DepthBlock, Tile } from '../layout/tile';
import { Triangle } from '../layout/triangle';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';
import { sampleOffset } from '../tile/layers';

/** Depth within the viewport's range, rounded to 16 bits where the attachment holds no more. */
export function limitDepthScalar(z: f32, triangle: Triangle, depth16: i32): f32 {
  const least = triangle.zMin;
  const most = triangle.zMax;
  let limited = least < z ? z : least;
  limited = most < limited ? most : limited;
  return depth16 ? floor<f32>(limited * 65535 + 0.5) / 65535 : limited;
}

/** All ones if `z` passes against `stored`. */
export function compareDepthScalar(context: Tile, z: f32, stored: f32): i32 {
  return (z < stored ? context.less : 0)
    | (z == stored ? context.equal : 0)
    | (z > stored ? context.greater : 0);
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

/** Depth of a triangle at a sample of a quad, by its bit (tile/layers.ts). */
function depthAt(context: Tile, triangle: Triangle, quad: i32, bit: i32): f32 {
  const several = context.layerSamples != 1;
  const pixel = several ? (bit >> 2) & 3 : bit;
  const count = context.samples;
  const sample = ((bit >> 4) << 2) + (bit & 3);
  const sx = sampleX(count, sample);
  const sy = sampleY(count, sample);
  const x = <f32>(context.x + quadX(quad) + (pixel & 1)) + <f32>sx * 0.0625;
  const y = <f32>(context.y + quadY(quad) + (pixel >> 1)) + <f32>sy * 0.0625;
  const column = triangle.zDx * (x - triangle.x0) + triangle.z;
  const z = column + triangle.zDy * (y - triangle.y0);
  return limitDepthScalar(z, triangle, context.depth16);
}

export function depthQuadScalar(context: Tile, triangle: Triangle, quad: i32, mask: u64, write: i32): u64 {
  const plane = context.depth + <usize>(quad * 4 * context.layerSamples) * 4;
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = <i32>ctz(rest);
    passed |= <u64>testSample(context, plane + (sampleOffset(bit) << 2), depthAt(context, triangle, quad, bit), write) << <u64>bit;
  }
  return passed;
}

export function planeBlockScalar(context: Tile, triangle: Triangle, block: i32): void {
  const count = 4 * context.layerSamples;
  const end = count * context.layers;
  for (let quad = block << 4; quad < (block + 1) << 4; quad++) {
    const plane = context.depth + (<usize>(quad * count) << 2);
    for (let bit = 0; bit < end; bit++) store<f32>(plane + (sampleOffset(bit) << 2), depthAt(context, triangle, quad, bit));
  }
}

/**
 * Tests `mask` of a quad with the four depths at `depths` (one a pixel), as depthQuad does with the triangle's plane.
 */
export function depthQuadExported(context: Tile, triangle: Triangle, quad: i32, mask: u64, write: i32, depths: usize): u64 {
  const samples = context.layerSamples;
  const depth16 = context.depth16;
  const plane = context.depth + <usize>(quad * 4 * samples) * 4;
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = <i32>ctz(rest);
    const pixel = samples == 1 ? bit : (bit >> 2) & 3;
    const z = limitDepthScalar(load<f32>(depths + (<usize>pixel << 2)), triangle, depth16);
    passed |= <u64>testSample(context, plane + (sampleOffset(bit) << 2), z, write) << <u64>bit;
  }
  return passed;
}

function testSample(context: Tile, address: usize, z: f32, write: i32): i32 {
  if (!compareDepthScalar(context, z, load<f32>(address))) return 0;
  if (write) store<f32>(address, z);
  return 1;
}
