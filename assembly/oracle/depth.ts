// Stencil and depth of the oracle, a sample at a time, in the order of WebGPU §23.2.9 and §23.2.10: stencil test, depth test,
// stencil operation, depth write.

import { CTX_DEPTH, CTX_PASS, CTX_SAMPLE_COUNT, CTX_STENCIL, CTX_TILE_X, CTX_TILE_Y } from '../layout/context';
import * as D from '../layout/draw';
import { FORMAT_DEPTH16UNORM } from '../layout/formats';
import { ATTACHMENT_FORMAT, PASS_DEPTH } from '../layout/pass';
import {
  COMPARE_EQUAL, COMPARE_GREATER, COMPARE_GREATER_EQUAL, COMPARE_LESS, COMPARE_LESS_EQUAL, COMPARE_NEVER, COMPARE_NOT_EQUAL,
} from '../layout/texture';
import { TRI_FLAG_FRONT, TRI_FLAGS, TRI_X0, TRI_Y0, TRI_Z, TRI_Z_DX, TRI_Z_DY, TRI_Z_MAX, TRI_Z_MIN } from '../layout/triangle';
import { sampleIndex } from './output';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';

/**
 * Tests the samples in `mask` of a quad, one after the other, and updates stencil and depth. `exported`: address of the depths that the
 * program gave, one a pixel; 0: the triangle's plane. Returns the samples that pass.
 */
export function testSamples(context: usize, draw: usize, triangle: usize, quad: i32, mask: u64, exported: usize): u64 {
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = <i32>ctz(rest);
    const pixel = bit / count;
    const sample = bit % count;
    const z = exported ? load<f32>(exported + (<usize>pixel << 2)) : depthAt(context, triangle, quad, pixel, sample);
    const index = sampleIndex(quad * 4 + pixel, sample, count);
    if (testSample(context, draw, triangle, index, limited(context, triangle, z))) passed |= <u64>1 << <u64>bit;
    if (count == 2) copySample(context, index);
  }
  return passed;
}

/** Of two samples there are two copies (layout/tile.ts). */
function copySample(context: usize, index: i32): void {
  const depth: usize = load<usize>(context + CTX_DEPTH);
  const stencil: usize = load<usize>(context + CTX_STENCIL);
  if (depth) store<f32>(depth + (<usize>(index + 2) << 2), load<f32>(depth + (<usize>index << 2)));
  if (stencil) store<u8>(stencil + <usize>(index + 2), load<u8>(stencil + <usize>index));
}

/** Depth of the triangle's plane at a sample: (c + ddx·(x − x0)) + ddy·(y − y0). */
function depthAt(context: usize, triangle: usize, quad: i32, pixel: i32, sample: i32): f32 {
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  const x = <f32>(load<i32>(context + CTX_TILE_X) + quadX(quad) + (pixel & 1)) + <f32>sampleX(count, sample) / 16;
  const y = <f32>(load<i32>(context + CTX_TILE_Y) + quadY(quad) + (pixel >> 1)) + <f32>sampleY(count, sample) / 16;
  const column = load<f32>(triangle + TRI_Z) + load<f32>(triangle + TRI_Z_DX) * (x - load<f32>(triangle + TRI_X0));
  return column + load<f32>(triangle + TRI_Z_DY) * (y - load<f32>(triangle + TRI_Y0));
}

/** Depth within the viewport's range, as the attachment holds it. NaN is the nearest. */
function limited(context: usize, triangle: usize, z: f32): f32 {
  const nearest = load<f32>(triangle + TRI_Z_MIN);
  const farthest = load<f32>(triangle + TRI_Z_MAX);
  const inRange = !(z > nearest) ? nearest : z > farthest ? farthest : z;
  if (load<i32>(load<usize>(context + CTX_PASS) + PASS_DEPTH + ATTACHMENT_FORMAT) != FORMAT_DEPTH16UNORM) return inRange;
  return floor<f32>(inRange * 65535 + 0.5) / 65535;
}

/** One sample (its index in the planes) through both tests. */
function testSample(context: usize, draw: usize, triangle: usize, index: i32, z: f32): bool {
  const stencil = load<u32>(draw + D.DRAW_FLAGS) & D.DRAW_FLAG_STENCIL ? load<usize>(context + CTX_STENCIL) + <usize>index : 0;
  const face = draw + (load<u32>(triangle + TRI_FLAGS) & TRI_FLAG_FRONT ? D.DRAW_STENCIL_FRONT : D.DRAW_STENCIL_BACK);
  if (stencil) {
    const readMask = load<u32>(draw + D.DRAW_STENCIL_READ_MASK) & 255;
    const reference = load<u32>(draw + D.DRAW_STENCIL_REFERENCE) & readMask;
    if (!compares(load<i32>(face + D.STENCIL_COMPARE), <f32>reference, <f32>(load<u8>(stencil) & readMask))) {
      operate(draw, stencil, load<i32>(face + D.STENCIL_FAIL));
      return false;
    }
  }
  const plane: usize = load<usize>(context + CTX_DEPTH);
  const depth = plane ? plane + (<usize>index << 2) : 0;
  const passes = !depth || compares(load<i32>(draw + D.DRAW_DEPTH_COMPARE), z, load<f32>(depth));
  if (stencil) operate(draw, stencil, load<i32>(face + (passes ? D.STENCIL_PASS : D.STENCIL_DEPTH_FAIL)));
  if (passes && depth && load<i32>(draw + D.DRAW_DEPTH_WRITE)) store<f32>(depth, z);
  return passes;
}

/** Whether a value passes against the stored one. Stencil values are exact as floats. */
function compares(compare: i32, value: f32, stored: f32): bool {
  switch (compare) {
    case COMPARE_NEVER: return false;
    case COMPARE_LESS: return value < stored;
    case COMPARE_EQUAL: return value == stored;
    case COMPARE_LESS_EQUAL: return value <= stored;
    case COMPARE_GREATER: return value > stored;
    case COMPARE_NOT_EQUAL: return value != stored;
    case COMPARE_GREATER_EQUAL: return value >= stored;
    default: return true;
  }
}

/** Applies a stencil operation to the bits of one sample that the pipeline writes. */
function operate(draw: usize, stencil: usize, operation: i32): void {
  const stored = <i32>load<u8>(stencil);
  let value = stored;
  switch (operation) {
    case D.STENCIL_ZERO: value = 0; break;
    case D.STENCIL_REPLACE: value = load<i32>(draw + D.DRAW_STENCIL_REFERENCE); break;
    case D.STENCIL_INVERT: value = ~stored; break;
    case D.STENCIL_INCREMENT_CLAMP: value = stored == 255 ? 255 : stored + 1; break;
    case D.STENCIL_DECREMENT_CLAMP: value = stored == 0 ? 0 : stored - 1; break;
    case D.STENCIL_INCREMENT_WRAP: value = stored + 1; break;
    case D.STENCIL_DECREMENT_WRAP: value = stored - 1; break;
  }
  const writeMask = load<i32>(draw + D.DRAW_STENCIL_WRITE_MASK);
  store<u8>(stencil, (stored & ~writeMask) | (value & writeMask));
}
