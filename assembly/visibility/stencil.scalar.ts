// Scalar twin of stencil.ts: tests and operations for single samples, and for the single value of a block.

import {
  COMPARE_NEVER,
  Draw,
  STENCIL_DECREMENT_CLAMP,
  STENCIL_DECREMENT_WRAP,
  STENCIL_INCREMENT_CLAMP,
  STENCIL_INCREMENT_WRAP,
  STENCIL_INVERT,
  STENCIL_REPLACE,
  STENCIL_ZERO,
  Tile,
} from '../layout';
import { sampleOffset } from '../tile/layers';

/** Address of the stencil value of a quad's first sample. */
export function stencilAddress(tile: Tile, quad: i32): usize {
  return tile.stencil + quad * 4 * tile.layerSamples;
}

/** The samples of `mask` whose stencil test passes; `compare` is COMPARE_*. */
export function testSamplesScalar(tile: Tile, draw: Draw, quad: i32, mask: u64, compare: i32): u64 {
  const plane = stencilAddress(tile, quad);
  let passed: u64 = 0;
  for (let rest = mask; rest; rest &= rest - 1) {
    const bit = ctz(rest);
    passed |= (<u64>stencilPasses(draw, compare, load<u8>(plane + sampleOffset(<i32>bit)))) << bit;
  }
  return passed;
}

/** Applies an operation to the samples of `mask`. */
export function operateSamplesScalar(tile: Tile, draw: Draw, quad: i32, mask: u64, operation: i32): void {
  const plane = stencilAddress(tile, quad);
  for (let rest = mask; rest; rest &= rest - 1) {
    const address = plane + sampleOffset(<i32>ctz(rest));
    store<u8>(address, stencilAfter(draw, operation, load<u8>(address)));
  }
}

/**
 * Whether a stored value passes. The offset of a code from COMPARE_NEVER is a set of three bits: the test passes if the
 * reference is less, if it is equal, if it is greater.
 */
export function stencilPasses(draw: Draw, compare: i32, stored: u32): bool {
  const readMask = draw.stencilReadMask & 255;
  const reference = draw.stencilReference & readMask;
  const value = stored & readMask;
  return ((compare - COMPARE_NEVER) & (reference < value ? 1 : reference == value ? 2 : 4)) != 0;
}

/** The result of an operation on a stored value, in the bits that may be written. */
export function stencilAfter(draw: Draw, operation: i32, stored: u32): u32 {
  const writeMask = draw.stencilWriteMask & 255;
  return (stored & ~writeMask) | (operate(operation, stored, draw.stencilReference) & writeMask);
}

function operate(operation: i32, stored: u32, reference: u32): u32 {
  switch (operation) {
    case STENCIL_ZERO:
      return 0;
    case STENCIL_REPLACE:
      return reference;
    case STENCIL_INVERT:
      return ~stored;
    case STENCIL_INCREMENT_CLAMP:
      return stored < 255 ? stored + 1 : 255;
    case STENCIL_DECREMENT_CLAMP:
      return stored > 0 ? stored - 1 : 0;
    case STENCIL_INCREMENT_WRAP:
      return stored + 1;
    case STENCIL_DECREMENT_WRAP:
      return stored - 1;
    default:
      return stored;
  }
}
