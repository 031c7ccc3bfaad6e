// Scalar twins of coverage.ts, and the exact path for edges so steep that a block does not fit i32.

import { SamplePositions } from '../layout';

function inside(e0: i32, e1: i32, e2: i32): bool {
  return (e0 | e1 | e2) >= 0;
}

export function coverQuad1Scalar(e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32): i32 {
  return inside(e0, e1, e2)
    | (<i32>inside(e0 + a0, e1 + a1, e2 + a2) << 1)
    | (<i32>inside(e0 + b0, e1 + b1, e2 + b2) << 2)
    | (<i32>inside(e0 + a0 + b0, e1 + a1 + b1, e2 + a2 + b2) << 3);
}

export function coverBlock1Scalar(
  e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32
): u64 {
  let mask: u64 = 0;
  for (let quad = 0; quad < 16; quad++) {
    const x = (quad & 3) << 1;
    const y = (quad >> 2) << 1;
    const bits = coverQuad1Scalar(
      e0 + a0 * x + b0 * y, a0, b0, e1 + a1 * x + b1 * y, a1, b1, e2 + a2 * x + b2 * y, a2, b2
    );
    mask |= <u64>bits << (<u64>quad << 2);
  }
  return mask;
}

export function coverQuad4Scalar(
  positions: usize, e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32
): i32 {
  let mask = 0;
  for (let bit = 0; bit < 16; bit++) {
    const position = changetype<SamplePositions>(positions + ((bit & 3) << 2));
    const x = ((bit & 4) << 2) + load<i32>(position.x16);
    const y = ((bit & 8) << 1) + load<i32>(position.y16);
    mask |= <i32>inside(e0 + a0 * x + b0 * y, e1 + a1 * x + b1 * y, e2 + a2 * x + b2 * y) << bit;
  }
  return mask;
}

export function coverBlock4Scalar(
  out: usize, positions: usize, e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32
): i32 {
  let quads = 0;
  for (let quad = 0; quad < 16; quad++) {
    const x = (quad & 3) << 5;
    const y = (quad >> 2) << 5;
    const mask = coverQuad4Scalar(
      positions, e0 + a0 * x + b0 * y, a0, b0, e1 + a1 * x + b1 * y, a1, b1, e2 + a2 * x + b2 * y, a2, b2
    );
    store<u16>(out + (quad << 1), mask);
    quads |= <i32>(mask != 0) << quad;
  }
  return quads;
}
