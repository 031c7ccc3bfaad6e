// Stencil test and operations. Quads are processed in vectors of 16 samples (of 4 at one sample per pixel); a block
// with a single value is processed once. Scalar twin for quads: stencil.scalar.ts.

import {
  COMPARE_NEVER,
  Draw,
  STENCIL_DECREMENT_CLAMP,
  STENCIL_DECREMENT_WRAP,
  STENCIL_INCREMENT_CLAMP,
  STENCIL_INCREMENT_WRAP,
  STENCIL_INVERT,
  STENCIL_KEEP,
  STENCIL_REPLACE,
  STENCIL_STORED,
  STENCIL_ZERO,
  StencilFace,
  Tile,
  TILE_PIXELS,
  TRI_FLAG_FRONT,
  Triangle,
} from '../layout';
import { bytesOf } from '../simd/texels';
import { ofLayer } from '../tile/layers';
import { setStencil, expandStencil, stencilOf } from '../tile/stencil-blocks';
import { operateSamplesScalar, stencilAddress, stencilAfter, stencilPasses, testSamplesScalar } from './stencil.scalar';

/** The samples of `mask` that pass the stencil test. */
export function stencilTest(tile: Tile, triangle: Triangle, quad: i32, mask: u64): u64 {
  const draw = triangle.draw;
  const compare = faceOf(triangle).compare;
  const value = stencilOf(tile, quad >> 4);
  if (value != STENCIL_STORED) return stencilPasses(draw, compare, value) ? mask : 0;
  return testSamples(tile, draw, quad, mask, compare);
}

/**
 * Applies the face's operations: `fail` to the samples of `mask` not in `stencilPassed`, `depthFail` to those of
 * `stencilPassed` not in `depthPassed`, and `pass` to `depthPassed`.
 */
export function stencilUpdate(
  tile: Tile,
  triangle: Triangle,
  quad: i32,
  mask: u64,
  stencilPassed: u64,
  depthPassed: u64
): void {
  const face = faceOf(triangle);
  operateSamples(tile, triangle.draw, quad, mask & ~stencilPassed, face.fail);
  operateSamples(tile, triangle.draw, quad, stencilPassed & ~depthPassed, face.depthFail);
  operateSamples(tile, triangle.draw, quad, depthPassed, face.pass);
}

/**
 * The stencil test of a triangle in a block with a single value: 1 if it passes, −1 if it fails, 0 if it must be tested
 * quad by quad.
 */
export function stencilSide(tile: Tile, triangle: Triangle, block: i32): i32 {
  const value = stencilOf(tile, block);
  if (value == STENCIL_STORED) return 0;
  return stencilPasses(triangle.draw, faceOf(triangle).compare, value) ? 1 : -1;
}

/**
 * Applies the stencil operation to a block with a single value; `side` is the result of stencilSide, `depth` that of
 * depthSide, and `whole` tells that the triangle covers the block. Returns false if the block would hold two values;
 * the operation must then be applied quad by quad.
 */
export function settleStencil(tile: Tile, triangle: Triangle, block: i32, side: i32, depth: i32, whole: bool): bool {
  const draw = triangle.draw;
  const face = faceOf(triangle);
  const before = stencilOf(tile, block);
  const after = stencilAfter(draw, side < 0 ? face.fail : depth < 0 ? face.depthFail : face.pass, before);
  if (side > 0 && depth == 0 && stencilAfter(draw, face.depthFail, before) != after) return false;
  if (after == before) return true;
  if (whole) setStencil(tile, block, after);
  return whole;
}

function faceOf(triangle: Triangle): StencilFace {
  const draw = triangle.draw;
  return triangle.flags & TRI_FLAG_FRONT ? draw.stencilFront : draw.stencilBack;
}

function testSamples(tile: Tile, draw: Draw, quad: i32, mask: u64, compare: i32): u64 {
  if (ASC_FEATURE_SIMD) return testSamplesSimd(tile, draw, quad, mask, compare);
  else return testSamplesScalar(tile, draw, quad, mask, compare);
}

function operateSamples(tile: Tile, draw: Draw, quad: i32, mask: u64, operation: i32): void {
  if (!mask || operation == STENCIL_KEEP) return;
  const value = stencilOf(tile, quad >> 4);
  if (value != STENCIL_STORED) {
    if (stencilAfter(draw, operation, value) == <u32>value) return;
    expandStencil(tile, quad >> 4);
  }
  if (ASC_FEATURE_SIMD) operateSamplesSimd(tile, draw, quad, mask, operation);
  else operateSamplesScalar(tile, draw, quad, mask, operation);
}

export function testSamplesSimd(tile: Tile, draw: Draw, quad: i32, mask: u64, compare: i32): u64 {
  const at = stencilAddress(tile, quad);
  const passes = compare - COMPARE_NEVER;
  const readMask = v128.load8_splat(changetype<usize>(draw), offsetof<Draw>('stencilReadMask'));
  const reference = v128.and(v128.load8_splat(changetype<usize>(draw), offsetof<Draw>('stencilReference')), readMask);
  if (tile.layerSamples == 1) return mask & passing(v128.and(v128.load32_zero(at), readMask), reference, passes);
  let passed: u64 = 0;
  for (let layer = 0; layer < tile.layers; layer++) {
    const value = v128.and(v128.load(at + layer * (TILE_PIXELS * 4)), readMask);
    passed |= (<u64>passing(value, reference, passes)) << u64(layer << 4);
  }
  return mask & passed;
}

/** A bit for each of sixteen values that passes; `passes` holds the condition in three bits (see stencilPasses). */
function passing(values: v128, reference: v128, passes: i32): i32 {
  const least = i8x16.min_u(values, reference);
  const atMost = i8x16.bitmask(i8x16.eq(least, reference));
  const atLeast = i8x16.bitmask(i8x16.eq(least, values));
  return (
    (atMost & ~atLeast & -(passes & 1))
    | (atMost & atLeast & -((passes >> 1) & 1))
    | (atLeast & ~atMost & -(passes >> 2))
  );
}

export function operateSamplesSimd(tile: Tile, draw: Draw, quad: i32, mask: u64, operation: i32): void {
  const at = stencilAddress(tile, quad);
  if (tile.layerSamples == 1) {
    v128.store32_lane(at, operated(draw, operation, v128.load32_zero(at), <i32>mask), 0);
    return;
  }
  for (let layer = 0; layer < tile.layers; layer++) {
    const part = ofLayer(mask, layer);
    const address = at + layer * (TILE_PIXELS * 4);
    if (part) v128.store(address, operated(draw, operation, v128.load(address), part));
  }
}

/** Sixteen values after applying an operation to those whose bit is set. */
function operated(draw: Draw, operation: i32, stored: v128, bits: i32): v128 {
  const writeMask = v128.load8_splat(changetype<usize>(draw), offsetof<Draw>('stencilWriteMask'));
  return v128.bitselect(operate(draw, operation, stored), stored, v128.and(bytesOf(bits), writeMask));
}

function operate(draw: Draw, operation: i32, stored: v128): v128 {
  switch (operation) {
    case STENCIL_ZERO:
      return i8x16.splat(0);
    case STENCIL_REPLACE:
      return v128.load8_splat(changetype<usize>(draw), offsetof<Draw>('stencilReference'));
    case STENCIL_INVERT:
      return v128.not(stored);
    case STENCIL_INCREMENT_CLAMP:
      return i8x16.add_sat_u(stored, i8x16.splat(1));
    case STENCIL_DECREMENT_CLAMP:
      return i8x16.sub_sat_u(stored, i8x16.splat(1));
    case STENCIL_INCREMENT_WRAP:
      return i8x16.add(stored, i8x16.splat(1));
    case STENCIL_DECREMENT_WRAP:
      return i8x16.sub(stored, i8x16.splat(1));
    default:
      return stored;
  }
}
