// Scalar twin of depth.ts, and the test of depths that a program has written.

import { CTX_DEPTH, CTX_DEPTH_16, CTX_EQUAL, CTX_GREATER, CTX_LAYERS, CTX_LESS, CTX_SAMPLE_COUNT, CTX_SAMPLES, CTX_TILE_X, CTX_TILE_Y, DEPTH_BLOCK_HIGH, DEPTH_BLOCK_LOW } from '../layout/context';
import { TRI_X0, TRI_Y0, TRI_Z, TRI_Z_DX, TRI_Z_DY, TRI_Z_MAX, TRI_Z_MIN } from '../layout/triangle';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';
import { sampleOffset } from '../tile/layers';

/** Depth within the viewport's range, rounded to 16 bits where the attachment holds no more. */
export function limitDepthScalar(z: f32, triangle: usize, depth16: i32): f32 {
  const least = load<f32>(triangle + TRI_Z_MIN);
  const most = load<f32>(triangle + TRI_Z_MAX);
  let limited = least < z ? z : least;
  limited = most < limited ? most : limited;
  return depth16 ? floor<f32>(limited * 65535 + 0.5) / 65535 : limited;
}

/** All ones if `z` passes against `stored`. */
export function compareDepthScalar(context: usize, z: f32, stored: f32): i32 {
  return (z < stored ? load<i32>(context + CTX_LESS) : 0)
    | (z == stored ? load<i32>(context + CTX_EQUAL) : 0)
    | (z > stored ? load<i32>(context + CTX_GREATER) : 0);
}

export function boundDepthsScalar(from: usize, bytes: usize, record: usize): void {
  let low = load<f32>(from);
  let high = low;
  for (let at: usize = 4; at < bytes; at += 4) {
    const z = load<f32>(from + at);
    low = z < low ? z : low;
    high = high < z ? z : high;
  }
  store<f32>(record, low, DEPTH_BLOCK_LOW);
  store<f32>(record, high, DEPTH_BLOCK_HIGH);
}

/** Depth of a triangle at a sample of a quad, by its bit (tile/layers.ts). */
function depthAt(context: usize, triangle: usize, quad: i32, bit: i32): f32 {
  const several = load<i32>(context + CTX_SAMPLES) != 1;
  const pixel = several ? (bit >> 2) & 3 : bit;
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  const sample = ((bit >> 4) << 2) + (bit & 3);
  const sx = sampleX(count, sample);
  const sy = sampleY(count, sample);
  const x = <f32>(load<i32>(context + CTX_TILE_X) + quadX(quad) + (pixel & 1)) + <f32>sx * 0.0625;
  const y = <f32>(load<i32>(context + CTX_TILE_Y) + quadY(quad) + (pixel >> 1)) + <f32>sy * 0.0625;
  const column = load<f32>(triangle + TRI_Z_DX) * (x - load<f32>(triangle + TRI_X0)) + load<f32>(triangle + TRI_Z);
  const z = column + load<f32>(triangle + TRI_Z_DY) * (y - load<f32>(triangle + TRI_Y0));
  return limitDepthScalar(z, triangle, load<i32>(context + CTX_DEPTH_16));
}

export function depthQuadScalar(context: usize, triangle: usize, quad: i32, mask: u64, write: i32): u64 {
  const plane = load<usize>(context + CTX_DEPTH) + <usize>(quad * 4 * load<i32>(context + CTX_SAMPLES)) * 4;
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = <i32>ctz(rest);
    passed |= <u64>testSample(context, plane + (sampleOffset(bit) << 2), depthAt(context, triangle, quad, bit), write) << <u64>bit;
  }
  return passed;
}

export function planeBlockScalar(context: usize, triangle: usize, block: i32): void {
  const count = 4 * load<i32>(context + CTX_SAMPLES);
  const end = count * load<i32>(context, CTX_LAYERS);
  for (let quad = block << 4; quad < (block + 1) << 4; quad++) {
    const plane = load<usize>(context + CTX_DEPTH) + (<usize>(quad * count) << 2);
    for (let bit = 0; bit < end; bit++) store<f32>(plane + (sampleOffset(bit) << 2), depthAt(context, triangle, quad, bit));
  }
}

/**
 * Tests `mask` of a quad with the four depths at `depths` (one a pixel), as depthQuad does with the triangle's plane.
 */
export function depthQuadExported(context: usize, triangle: usize, quad: i32, mask: u64, write: i32, depths: usize): u64 {
  const samples = load<i32>(context + CTX_SAMPLES);
  const depth16 = load<i32>(context + CTX_DEPTH_16);
  const plane = load<usize>(context + CTX_DEPTH) + <usize>(quad * 4 * samples) * 4;
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = <i32>ctz(rest);
    const pixel = samples == 1 ? bit : (bit >> 2) & 3;
    const z = limitDepthScalar(load<f32>(depths + (<usize>pixel << 2)), triangle, depth16);
    passed |= <u64>testSample(context, plane + (sampleOffset(bit) << 2), z, write) << <u64>bit;
  }
  return passed;
}

function testSample(context: usize, address: usize, z: f32, write: i32): i32 {
  if (!compareDepthScalar(context, z, load<f32>(address))) return 0;
  if (write) store<f32>(address, z);
  return 1;
}
