// Scalar twin of depth.ts, and the test of depths that a program has written.

import { CTX_DEPTH, CTX_DEPTH_16, CTX_EQUAL, CTX_GREATER, CTX_LESS, CTX_SAMPLES, CTX_TILE_X, CTX_TILE_Y } from '../layout/context';
import { SAMPLE1 } from '../layout/tile';
import { TRI_X0, TRI_Y0, TRI_Z, TRI_Z_DX, TRI_Z_DY, TRI_Z_MAX, TRI_Z_MIN } from '../layout/triangle';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';

/** Depth within the viewport's range, rounded to 16 bits where the attachment holds no more. */
function limitDepthScalar(z: f32, triangle: usize, depth16: i32): f32 {
  const least = load<f32>(triangle + TRI_Z_MIN);
  const most = load<f32>(triangle + TRI_Z_MAX);
  let limited = least < z ? z : least;
  limited = most < limited ? most : limited;
  return depth16 ? floor<f32>(limited * 65535 + 0.5) / 65535 : limited;
}

/** All ones if `z` passes against `stored`. */
function compareDepthScalar(context: usize, z: f32, stored: f32): i32 {
  return (z < stored ? load<i32>(context + CTX_LESS) : 0)
    | (z == stored ? load<i32>(context + CTX_EQUAL) : 0)
    | (z > stored ? load<i32>(context + CTX_GREATER) : 0);
}

export function depthQuadScalar(context: usize, triangle: usize, quad: i32, mask: i32, write: i32): i32 {
  const samples = load<i32>(context + CTX_SAMPLES);
  const depth16 = load<i32>(context + CTX_DEPTH_16);
  const left = load<i32>(context + CTX_TILE_X) + quadX(quad);
  const top = load<i32>(context + CTX_TILE_Y) + quadY(quad);
  const plane = load<usize>(context + CTX_DEPTH) + <usize>(quad * 4 * samples) * 4;
  let passed = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = ctz(rest);
    const pixel = samples == 1 ? bit : bit >> 2;
    const sx = samples == 1 ? SAMPLE1 : sampleX(bit & 3);
    const sy = samples == 1 ? SAMPLE1 : sampleY(bit & 3);
    const x = <f32>(left + (pixel & 1)) + <f32>sx * 0.0625;
    const y = <f32>(top + (pixel >> 1)) + <f32>sy * 0.0625;
    const column = load<f32>(triangle + TRI_Z_DX) * (x - load<f32>(triangle + TRI_X0)) + load<f32>(triangle + TRI_Z);
    const z = limitDepthScalar(column + load<f32>(triangle + TRI_Z_DY) * (y - load<f32>(triangle + TRI_Y0)), triangle, depth16);
    passed |= testSample(context, plane + (<usize>bit << 2), z, write) << bit;
  }
  return passed;
}

/**
 * Tests `mask` of a quad with the four depths at `depths` (one a pixel), as depthQuad does with the triangle's plane.
 */
export function depthQuadExported(context: usize, triangle: usize, quad: i32, mask: i32, write: i32, depths: usize): i32 {
  const samples = load<i32>(context + CTX_SAMPLES);
  const depth16 = load<i32>(context + CTX_DEPTH_16);
  const plane = load<usize>(context + CTX_DEPTH) + <usize>(quad * 4 * samples) * 4;
  let passed = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = ctz(rest);
    const pixel = samples == 1 ? bit : bit >> 2;
    const z = limitDepthScalar(load<f32>(depths + (<usize>pixel << 2)), triangle, depth16);
    passed |= testSample(context, plane + (<usize>bit << 2), z, write) << bit;
  }
  return passed;
}

function testSample(context: usize, address: usize, z: f32, write: i32): i32 {
  if (!compareDepthScalar(context, z, load<f32>(address))) return 0;
  if (write) store<f32>(address, z);
  return 1;
}
