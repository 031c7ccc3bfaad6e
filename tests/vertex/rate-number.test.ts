// Which of the seven rates a primitive's code selects, compared with the rule in words.
import { expect, test } from 'vitest';
import {
  RATE_1X1,
  RATE_1X2,
  RATE_2X1,
  RATE_2X2,
  RATE_2X4,
  RATE_4X2,
  RATE_4X4,
  RATE_CODES,
  RATES,
} from '../../assembly/layout/pass/shading-rate-codes';
import { TestKernel } from '../support/kernel';

const kernel = new TestKernel();
/** In the order of their numbers. */
const SEVEN = [RATE_1X1, RATE_1X2, RATE_2X1, RATE_2X2, RATE_2X4, RATE_4X2, RATE_4X4];

/** Logarithms of 3 count as 2; then 1×4 becomes 1×2, and 4×1 becomes 2×1. */
function rateOf(code: number): number {
  const width = Math.min(2, code >> 2);
  const height = Math.min(2, code & 3);
  if (width === 0 && height === 2) return RATE_1X2;
  return width === 2 && height === 0 ? RATE_2X1 : width * 4 + height;
}

test('every code selects one of the seven', () => {
  expect(SEVEN).toHaveLength(RATES);
  for (let code = 0; code < RATE_CODES; code++) {
    const number = SEVEN.indexOf(rateOf(code));
    expect(number).toBeGreaterThanOrEqual(0);
    for (const bits of [0, 16, 0x7ffffff0, 0xfffffff0 | 0])
      expect([code, kernel.call.rateNumber!(code | bits)]).toEqual([code, number]);
  }
});
