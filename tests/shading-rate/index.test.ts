// The index of a depth in the slices of a depth table: both twins compared with the definition, bit by bit.
import { describe, expect, test } from 'vitest';
import { ShadingRates } from '../../build/layout';
import { bitsOf, floatOf, TestKernel } from '../support/kernel';
import { depthTerms } from '../../src/shading-rate';
import { ROUNDINGS, sliceOf, type Slices } from './rates';

const BLOCK = 1 << 16;
const RANDOM_DEPTHS = 10_000_000;
const TWINS = ['shadingRateSlices', 'shadingRateSlicesScalar'] as const;
const kernel = new TestKernel({ pages: 64 });
const record = kernel.alloc(ShadingRates.bytes);
const depths = kernel.alloc(BLOCK * 4);
const found = kernel.alloc(BLOCK * 4);

function writeRecord(slices: Slices): void {
  const { near, far, count, rounding } = slices;
  const { low, high, direction, starts } = depthTerms({ near, far, rounding, rates: new Array(count).fill('1x1') });
  const integers = kernel.i32(record, ShadingRates.bytes / 4);
  const floats = kernel.f32(record, ShadingRates.bytes / 4);
  integers[ShadingRates.slices / 4] = count;
  floats[ShadingRates.low / 4] = low;
  floats[ShadingRates.high / 4] = high;
  floats[ShadingRates.direction / 4] = direction;
  floats.set(starts, ShadingRates.sliceStarts / 4);
}

/** Passes depths to both twins: up to BLOCK of them, a multiple of four. */
function check(slices: Slices, asked: Float32Array): void {
  writeRecord(slices);
  kernel.f32(depths, asked.length).set(asked);
  for (const twin of TWINS) {
    kernel.call[twin]!(record, depths, found, asked.length);
    const numbers = kernel.i32(found, asked.length);
    const at = asked.findIndex((z, i) => numbers[i] !== sliceOf(slices, z));
    if (at < 0) continue;
    const z = asked[at]!;
    expect({ twin, slices, z, found: numbers[at] }).toEqual({ twin, slices, z, found: sliceOf(slices, z) });
  }
}

/** The rank of an f32 among all of them, and back. */
const orderOf = (z: number): number => (bitsOf(z) >>> 31 ? -(bitsOf(z) & 0x7fffffff) : bitsOf(z));
const ofOrder = (order: number): number => floatOf(order < 0 ? (-order | 0x80000000) >>> 0 : order);

/** The first depth from near to far that is in slice `k` or beyond. */
function boundary(slices: Slices, k: number): number {
  let before = orderOf(slices.near);
  let after = orderOf(slices.far);
  while (Math.abs(after - before) > 1) {
    const middle = Math.floor((before + after) / 2);
    if (sliceOf(slices, ofOrder(middle)) < k) before = middle;
    else after = middle;
  }
  return after;
}

/** Depths up to two f32 from the bounds of slices, and everything that is no depth. */
function edgesOf(slices: Slices): Float32Array {
  const orders = [orderOf(slices.near), orderOf(slices.far), 0];
  for (let k = 1; k < slices.count; k++) orders.push(boundary(slices, k));
  for (let k = 0; k <= slices.count; k++)
    orders.push(orderOf(Math.fround(slices.near + ((slices.far - slices.near) * k) / slices.count)));
  const asked = orders.flatMap((order) => [-2, -1, 0, 1, 2].map((step) => ofOrder(order + step)));
  asked.push(NaN, -NaN, Infinity, -Infinity, -0, 3e38, -3e38, 1e-45);
  while (asked.length % 4 !== 0) asked.push(NaN);
  return Float32Array.from(asked);
}

const f = Math.fround;
const RANGES = [
  [0, 1],
  [1, 0],
  [0.25, 0.75],
  [f(0.1), f(0.9)],
  [f(0.9), f(0.1)],
  [f(0.999), 1],
  [-1, 1],
  [0, f(1e-30)],
  [f(0.3), f(0.30001)],
  [f(-7.7), f(123.4)],
  [f(1e-4), f(3e4)],
  [f(3e4), f(1e-4)],
  [f(-0.3), f(0.9)],
  [f(2 ** -100), 1],
  [1, f(2 ** -100)],
  [f(-3e38), f(3e38)],
  [0, f(1e-40)],
] as const;
const COUNTS = [4, 8, 16] as const;

describe.each(ROUNDINGS)('rounding: %s', (rounding) => {
  test.each(COUNTS)('at the bounds of %d slices, and outside of them', (count) => {
    for (const [near, far] of RANGES) {
      const slices = { near, far, count, rounding };
      check(slices, edgesOf(slices));
    }
  });

  test('at ten million random depths', () => {
    let state = 0x2545f491;
    const next = (): number => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state >>> 0;
    };
    const asked = new Float32Array(BLOCK);
    const bits = new Uint32Array(asked.buffer);
    for (let done = 0; done < RANDOM_DEPTHS; done += BLOCK) {
      // Tables of the list, and of arbitrary pairs of numbers.
      const [near, far] =
        done % (2 * BLOCK) === 0 ? RANGES[next() % RANGES.length]! : [f(next() / 2 ** 32), f(next() / 2 ** 32)];
      const slices = { near, far, count: COUNTS[next() % 3]!, rounding };
      // Three of four are within the table's range or slightly outside; the others have arbitrary bits.
      for (let i = 0; i < BLOCK; i++)
        if (i % 4 === 3) bits[i] = next();
        else asked[i] = near + (far - near) * ((next() / 2 ** 32) * 1.01 - 0.005);
      check(slices, asked);
    }
  }, 120_000);
});

// Tests the definition itself, so that it is not merely what the kernels do.
describe('the definition', () => {
  const table = (near: number, far: number, rounding: Slices['rounding'] = 'floor'): Slices => ({
    near,
    far,
    count: 4,
    rounding,
  });

  test('slices are half-open, the last one is closed; reversed tables count from their near end', () => {
    const depthsAsked = [-0.01, 0, 0.24, 0.25, 0.5, 0.74, 0.75, 1, 1.01];
    expect(depthsAsked.map((z) => sliceOf(table(0, 1), z))).toEqual([-1, 0, 0, 1, 2, 2, 3, 3, -1]);
    expect(depthsAsked.map((z) => sliceOf(table(1, 0), z))).toEqual([-1, 3, 3, 3, 2, 1, 1, 0, -1]);
  });

  test('with nearest rounding, ties go to the even slice', () => {
    const halves = [0, 0.12, 0.125, 0.13, 0.375, 0.625, 0.875, 1];
    expect(halves.map((z) => sliceOf(table(0, 1, 'nearest'), z))).toEqual([0, 0, 0, 1, 2, 2, 3, 3]);
  });

  test('values that are no depths are in no slice', () => {
    for (const z of [NaN, Infinity, -Infinity]) expect(sliceOf(table(0, 1), z)).toBe(-1);
  });
});
