// Stencil test and operations of a quad, a sample at a time; used by the few draws that have stencil state. The same
// code in both builds.

import {
  COMPARE_ALWAYS, COMPARE_EQUAL, COMPARE_GREATER, COMPARE_GREATER_EQUAL, COMPARE_LESS, COMPARE_LESS_EQUAL,
  COMPARE_NOT_EQUAL, Draw, STENCIL_DECREMENT_CLAMP, STENCIL_DECREMENT_WRAP, STENCIL_INCREMENT_CLAMP,
  STENCIL_INCREMENT_WRAP, STENCIL_INVERT, STENCIL_KEEP, STENCIL_REPLACE, STENCIL_ZERO, StencilFace, Tile,
  TRI_FLAG_FRONT, Triangle,
} from '../layout';
import { sampleOffset } from '../tile/layers';

/** Samples of `mask` that pass the stencil test. */
export function stencilTest(tile: Tile, triangle: Triangle, quad: i32, mask: u64): u64 {
  const draw = triangle.draw;
  const compare = changetype<StencilFace>(face(draw, triangle)).compare;
  const readMask = draw.stencilReadMask & 255;
  const reference = draw.stencilReference & 255 & readMask;
  const plane = stencilAddress(tile, quad);
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = ctz(rest);
    passed |= <u64>stencilPasses(compare, reference, load<u8>(plane + sampleOffset(<i32>bit)) & readMask) << bit;
  }
  return passed;
}

/**
 * Applies the face's operations: to `mask` without `stencilPassed`, to `stencilPassed` without `depthPassed`, and to
 * `depthPassed`.
 */
export function stencilUpdate(
  tile: Tile, triangle: Triangle, quad: i32, mask: u64, stencilPassed: u64, depthPassed: u64,
): void {
  const draw = triangle.draw;
  const record = changetype<StencilFace>(face(draw, triangle));
  applyOperation(tile, draw, quad, mask & ~stencilPassed, record.fail);
  applyOperation(tile, draw, quad, stencilPassed & ~depthPassed, record.depthFail);
  applyOperation(tile, draw, quad, depthPassed, record.pass);
}

function face(draw: Draw, triangle: Triangle): usize {
  return changetype<usize>(draw)
    + (triangle.flags & TRI_FLAG_FRONT
      ? changetype<usize>(changetype<Draw>(0).stencilFront)
      : changetype<usize>(changetype<Draw>(0).stencilBack));
}

function stencilAddress(tile: Tile, quad: i32): usize {
  return tile.stencil + quad * 4 * tile.layerSamples;
}

function stencilPasses(compare: i32, reference: u32, stored: u32): bool {
  switch (compare) {
    case COMPARE_LESS: return reference < stored;
    case COMPARE_EQUAL: return reference == stored;
    case COMPARE_LESS_EQUAL: return reference <= stored;
    case COMPARE_GREATER: return reference > stored;
    case COMPARE_NOT_EQUAL: return reference != stored;
    case COMPARE_GREATER_EQUAL: return reference >= stored;
    case COMPARE_ALWAYS: return true;
    default: return false;
  }
}

function applyOperation(tile: Tile, draw: Draw, quad: i32, mask: u64, operation: i32): void {
  if (operation == STENCIL_KEEP) return;
  const writeMask = draw.stencilWriteMask & 255;
  const reference = draw.stencilReference & 255;
  const plane = stencilAddress(tile, quad);
  for (let rest = mask; rest; rest &= rest - 1) {
    const address = plane + sampleOffset(<i32>ctz(rest));
    const stored: u32 = load<u8>(address);
    store<u8>(address, (stored & ~writeMask) | (operate(operation, stored, reference) & writeMask));
  }
}

function operate(operation: i32, stored: u32, reference: u32): u32 {
  switch (operation) {
    case STENCIL_ZERO: return 0;
    case STENCIL_REPLACE: return reference;
    case STENCIL_INVERT: return ~stored;
    case STENCIL_INCREMENT_CLAMP: return stored < 255 ? stored + 1 : 255;
    case STENCIL_DECREMENT_CLAMP: return stored > 0 ? stored - 1 : 0;
    case STENCIL_INCREMENT_WRAP: return stored + 1;
    case STENCIL_DECREMENT_WRAP: return stored - 1;
    default: return stored;
  }
}
