// Which samples of a block or quad three edges cover. Edges come as i32: the value e at the block's (quad's) corner and
// its steps a, b in x, y — per pixel at one sample, where the constant half pixel and the low eight bits are already
// dropped; per sixteenth of a pixel at four, where the low four bits are. A sample is covered when no edge is negative.
// Scalar twins: coverage.scalar.ts.

import { SamplePositions } from '../layout';
import { signBits16 } from '../simd/texels';
import { coverBlock1Scalar, coverBlock4Scalar, coverQuad1Scalar, coverQuad4Scalar } from './coverage.scalar';

/** Block of 8×8 pixels, one sample: bit quad·4 + pixel. */
export function coverBlock1(e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32): u64 {
  if (ASC_FEATURE_SIMD) return coverBlock1Simd(e0, a0, b0, e1, a1, b1, e2, a2, b2);
  else return coverBlock1Scalar(e0, a0, b0, e1, a1, b1, e2, a2, b2);
}

/**
 * Block, four samples at `positions` (SAMPLE POSITIONS): writes 16 u16 (bit pixel·4 + sample) to `out`; returns one bit
 * for each quad that is touched. Only the first `count` edges cross the block; the others are zeros.
 */
// @ts-ignore: decorator
@inline
export function coverBlock4(
  out: usize, positions: SamplePositions, count: i32, e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32,
  a2: i32, b2: i32
): i32 {
  if (ASC_FEATURE_SIMD) {
    if (count == 1) return coverBlock4Simd1(out, positions, e0, a0, b0);
    if (count == 2) return coverBlock4Simd2(out, positions, e0, a0, b0, e1, a1, b1);
    return coverBlock4Simd(out, positions, e0, a0, b0, e1, a1, b1, e2, a2, b2);
  } else return coverBlock4Scalar(out, changetype<usize>(positions), e0, a0, b0, e1, a1, b1, e2, a2, b2);
}

/** Quad, one sample: 4 bits. */
export function coverQuad1(e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32): i32 {
  return coverQuad1Scalar(e0, a0, b0, e1, a1, b1, e2, a2, b2);
}

/** Quad, four samples: 16 bits. */
export function coverQuad4(
  positions: SamplePositions, e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32
): i32 {
  if (ASC_FEATURE_SIMD) return coverQuad4Simd(positions, e0, a0, b0, e1, a1, b1, e2, a2, b2);
  else return coverQuad4Scalar(changetype<usize>(positions), e0, a0, b0, e1, a1, b1, e2, a2, b2);
}

/** An edge at the four pixels of a quad. */
function atPixels(e: i32, a: i32, b: i32): v128 {
  return i32x4.add(i32x4.splat(e), i32x4.add(
    i32x4.mul(i32x4.splat(a), i32x4(0, 1, 0, 1)),
    i32x4.mul(i32x4.splat(b), i32x4(0, 0, 1, 1))));
}

/** An edge at the four samples of a pixel; `positions`: SAMPLE POSITIONS. */
function atSamples(positions: SamplePositions, e: i32, a: i32, b: i32): v128 {
  return i32x4.add(i32x4.splat(e), i32x4.add(
    i32x4.mul(i32x4.splat(a), v128.load(positions.x16)), i32x4.mul(i32x4.splat(b), v128.load(positions.y16))));
}

function negative(a: v128, b: v128, c: v128): v128 {
  return v128.or(v128.or(a, b), c);
}

export function coverBlock1Simd(e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32): u64 {
  let p0 = atPixels(e0, a0, b0);
  let p1 = atPixels(e1, a1, b1);
  let p2 = atPixels(e2, a2, b2);
  const x0 = i32x4.splat(a0 << 1);
  const x1 = i32x4.splat(a1 << 1);
  const x2 = i32x4.splat(a2 << 1);
  const y0 = i32x4.splat(b0 << 1);
  const y1 = i32x4.splat(b1 << 1);
  const y2 = i32x4.splat(b2 << 1);
  let outside: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 16) {
    // Four quads side by side.
    let q0 = p0;
    let q1 = p1;
    let q2 = p2;
    const m0 = negative(q0, q1, q2);
    q0 = i32x4.add(q0, x0); q1 = i32x4.add(q1, x1); q2 = i32x4.add(q2, x2);
    const m1 = negative(q0, q1, q2);
    q0 = i32x4.add(q0, x0); q1 = i32x4.add(q1, x1); q2 = i32x4.add(q2, x2);
    const m2 = negative(q0, q1, q2);
    q0 = i32x4.add(q0, x0); q1 = i32x4.add(q1, x1); q2 = i32x4.add(q2, x2);
    outside |= <u64>signBits16(m0, m1, m2, negative(q0, q1, q2)) << shift;
    p0 = i32x4.add(p0, y0); p1 = i32x4.add(p1, y1); p2 = i32x4.add(p2, y2);
  }
  return ~outside;
}

export function coverBlock4Simd(
  out: usize, positions: SamplePositions, e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32,
  b2: i32
): i32 {
  return coverEdges(3, out, positions, e0, a0, b0, e1, a1, b1, e2, a2, b2);
}

export function coverBlock4Simd2(
  out: usize, positions: SamplePositions, e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32
): i32 {
  return coverEdges(2, out, positions, e0, a0, b0, e1, a1, b1, 0, 0, 0);
}

export function coverBlock4Simd1(out: usize, positions: SamplePositions, e0: i32, a0: i32, b0: i32): i32 {
  return coverEdges(1, out, positions, e0, a0, b0, 0, 0, 0, 0, 0, 0);
}

/** coverBlock4 for a `count` that is known where it is inlined: the other edges leave no code. */
// @ts-ignore: decorator
@inline
function coverEdges(
  count: i32, out: usize, positions: SamplePositions, e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32,
  a2: i32, b2: i32
): i32 {
  let row0 = atSamples(positions, e0, a0, b0);
  let row1 = atSamples(positions, e1, a1, b1);
  let row2 = atSamples(positions, e2, a2, b2);
  const x0 = i32x4.splat(a0 << 4);
  const x1 = i32x4.splat(a1 << 4);
  const x2 = i32x4.splat(a2 << 4);
  const y0 = i32x4.splat(b0 << 4);
  const y1 = i32x4.splat(b1 << 4);
  const y2 = i32x4.splat(b2 << 4);
  let quads = 0;
  for (let quad = 0; quad < 16;) {
    let upper0 = row0;
    let upper1 = row1;
    let upper2 = row2;
    let lower0 = i32x4.add(row0, y0);
    let lower1 = i32x4.add(row1, y1);
    let lower2 = i32x4.add(row2, y2);
    row0 = i32x4.add(lower0, y0);
    row1 = i32x4.add(lower1, y1);
    row2 = i32x4.add(lower2, y2);
    for (const end = quad + 4; quad < end; quad++) {
      const m0 = negativeOf(count, upper0, upper1, upper2);
      const m2 = negativeOf(count, lower0, lower1, lower2);
      upper0 = i32x4.add(upper0, x0); upper1 = i32x4.add(upper1, x1); upper2 = i32x4.add(upper2, x2);
      lower0 = i32x4.add(lower0, x0); lower1 = i32x4.add(lower1, x1); lower2 = i32x4.add(lower2, x2);
      const mask = ~signBits16(
        m0, negativeOf(count, upper0, upper1, upper2), m2, negativeOf(count, lower0, lower1, lower2)
      )
        & 0xffff;
      upper0 = i32x4.add(upper0, x0); upper1 = i32x4.add(upper1, x1); upper2 = i32x4.add(upper2, x2);
      lower0 = i32x4.add(lower0, x0); lower1 = i32x4.add(lower1, x1); lower2 = i32x4.add(lower2, x2);
      store<u16>(out + (quad << 1), mask);
      quads |= <i32>(mask != 0) << quad;
    }
  }
  return quads;
}

function negativeOf(count: i32, a: v128, b: v128, c: v128): v128 {
  if (count == 1) return a;
  if (count == 2) return v128.or(a, b);
  return negative(a, b, c);
}

export function coverQuad4Simd(
  positions: SamplePositions, e0: i32, a0: i32, b0: i32, e1: i32, a1: i32, b1: i32, e2: i32, a2: i32, b2: i32
): i32 {
  let p0 = atSamples(positions, e0, a0, b0);
  let p1 = atSamples(positions, e1, a1, b1);
  let p2 = atSamples(positions, e2, a2, b2);
  const m0 = negative(p0, p1, p2);
  const m1 = negative(
    i32x4.add(p0, i32x4.splat(a0 << 4)), i32x4.add(p1, i32x4.splat(a1 << 4)), i32x4.add(p2, i32x4.splat(a2 << 4))
  );
  p0 = i32x4.add(p0, i32x4.splat(b0 << 4));
  p1 = i32x4.add(p1, i32x4.splat(b1 << 4));
  p2 = i32x4.add(p2, i32x4.splat(b2 << 4));
  const m2 = negative(p0, p1, p2);
  const m3 = negative(
    i32x4.add(p0, i32x4.splat(a0 << 4)), i32x4.add(p1, i32x4.splat(a1 << 4)), i32x4.add(p2, i32x4.splat(a2 << 4))
  );
  return ~signBits16(m0, m1, m2, m3) & 0xffff;
}
