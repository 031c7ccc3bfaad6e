// Stencil and depth of the oracle, one sample at a time, in the order of WebGPU §23.2.9 and §23.2.10: stencil test,
// depth test, stencil operation, depth write.

import {
  COMPARE_EQUAL,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  COMPARE_NEVER,
  COMPARE_NOT_EQUAL,
  Draw,
  DRAW_FLAG_STENCIL,
  FORMAT_DEPTH16UNORM,
  STENCIL_DECREMENT_CLAMP,
  STENCIL_DECREMENT_WRAP,
  STENCIL_INCREMENT_CLAMP,
  STENCIL_INCREMENT_WRAP,
  STENCIL_INVERT,
  STENCIL_REPLACE,
  STENCIL_ZERO,
  StencilFace,
  Tile,
  TRI_FLAG_FRONT,
  Triangle,
} from '../layout';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';
import { sampleIndex } from './output';

/**
 * Tests the samples in `mask` of a quad one after the other and updates stencil and depth. `exported` is the address of
 * the depths that the shader wrote, one per pixel; 0 to use the triangle's plane. Returns the samples that pass.
 */
export function testSamples(tile: Tile, draw: Draw, triangle: Triangle, quad: i32, mask: u64, exported: usize): u64 {
  const count = tile.samples;
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = <i32>ctz(rest);
    const pixel = bit / count;
    const sample = bit % count;
    const z = exported ? load<f32>(exported + (pixel << 2)) : depthAt(tile, triangle, quad, pixel, sample);
    const index = sampleIndex(quad * 4 + pixel, sample, count);
    if (testSample(tile, draw, triangle, index, limited(tile, triangle, z))) passed |= (<u64>1) << u64(bit);
    if (count == 2) copySample(tile, index);
  }
  return passed;
}

/** With two samples, each has a second copy (layout/surface/tile-order.ts). */
function copySample(tile: Tile, index: i32): void {
  const depth: usize = tile.depth;
  const stencil: usize = tile.stencil;
  if (depth) store<f32>(depth + ((index + 2) << 2), load<f32>(depth + (index << 2)));
  if (stencil) store<u8>(stencil + (index + 2), load<u8>(stencil + index));
}

/** Depth of the triangle's plane at a sample: (c + ddx·(x − x0)) + ddy·(y − y0). */
function depthAt(tile: Tile, triangle: Triangle, quad: i32, pixel: i32, sample: i32): f32 {
  const count = tile.samples;
  const x = <f32>(tile.x + quadX(quad) + (pixel & 1)) + <f32>sampleX(count, sample) / 16;
  const y = <f32>(tile.y + quadY(quad) + (pixel >> 1)) + <f32>sampleY(count, sample) / 16;
  const column = triangle.z + triangle.zDx * (x - triangle.x0);
  return column + triangle.zDy * (y - triangle.y0);
}

/** Clamps depth to the viewport's range and rounds it as the attachment stores it. NaN becomes the minimum. */
function limited(tile: Tile, triangle: Triangle, z: f32): f32 {
  const nearest = triangle.zMin;
  const farthest = triangle.zMax;
  const inRange = !(z > nearest) ? nearest : z > farthest ? farthest : z;
  if (tile.pass.depth.format != FORMAT_DEPTH16UNORM) return inRange;
  return floor<f32>(inRange * 65535 + 0.5) / 65535;
}

/** Applies both tests to one sample (`index` in the planes). */
function testSample(tile: Tile, draw: Draw, triangle: Triangle, index: i32, z: f32): bool {
  const stencil = draw.flags & DRAW_FLAG_STENCIL ? tile.stencil + index : 0;
  const face = changetype<StencilFace>(
    changetype<usize>(draw)
      + (triangle.flags & TRI_FLAG_FRONT
        ? changetype<usize>(changetype<Draw>(0).stencilFront)
        : changetype<usize>(changetype<Draw>(0).stencilBack))
  );
  if (stencil) {
    const readMask = draw.stencilReadMask & 255;
    const reference = draw.stencilReference & readMask;
    if (!compares(face.compare, <f32>reference, <f32>(load<u8>(stencil) & readMask))) {
      operate(draw, stencil, face.fail);
      return false;
    }
  }
  const plane: usize = tile.depth;
  const depth = plane ? plane + (index << 2) : 0;
  const passes = !depth || compares(draw.depthCompare, z, load<f32>(depth));
  if (stencil)
    operate(
      draw,
      stencil,
      load<i32>(changetype<usize>(face) + (passes ? offsetof<StencilFace>('pass') : offsetof<StencilFace>('depthFail')))
    );
  if (passes && depth && draw.depthWrite) store<f32>(depth, z);
  return passes;
}

/** Whether a value passes against the stored one. Stencil values are exact as floats. */
function compares(compare: i32, value: f32, stored: f32): bool {
  switch (compare) {
    case COMPARE_NEVER:
      return false;
    case COMPARE_LESS:
      return value < stored;
    case COMPARE_EQUAL:
      return value == stored;
    case COMPARE_LESS_EQUAL:
      return value <= stored;
    case COMPARE_GREATER:
      return value > stored;
    case COMPARE_NOT_EQUAL:
      return value != stored;
    case COMPARE_GREATER_EQUAL:
      return value >= stored;
    default:
      return true;
  }
}

/** Applies a stencil operation to the writable bits of one sample. */
function operate(draw: Draw, stencil: usize, operation: i32): void {
  const stored = <i32>load<u8>(stencil);
  let value = stored;
  switch (operation) {
    case STENCIL_ZERO:
      value = 0;
      break;
    case STENCIL_REPLACE:
      value = draw.stencilReference;
      break;
    case STENCIL_INVERT:
      value = ~stored;
      break;
    case STENCIL_INCREMENT_CLAMP:
      value = stored == 255 ? 255 : stored + 1;
      break;
    case STENCIL_DECREMENT_CLAMP:
      value = stored == 0 ? 0 : stored - 1;
      break;
    case STENCIL_INCREMENT_WRAP:
      value = stored + 1;
      break;
    case STENCIL_DECREMENT_WRAP:
      value = stored - 1;
      break;
  }
  const writeMask = draw.stencilWriteMask;
  store<u8>(stencil, (stored & ~writeMask) | (value & writeMask));
}
