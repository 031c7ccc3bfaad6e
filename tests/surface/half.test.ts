import { describe, expect, test } from 'vitest';
import { floatToHalf, halfToFloat } from '../../src/surface';

/** Half floats by their definition. */
function model(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

describe('half floats', () => {
  test('every half float converts to its number and back', () => {
    for (let half = 0; half < 0x10000; half++) {
      const value = halfToFloat(half);
      if (!Object.is(value, model(half))) expect([half, value]).toEqual([half, model(half)]);
      if (!Number.isNaN(value) && floatToHalf(value) !== half) expect(floatToHalf(value)).toBe(half);
    }
    expect(halfToFloat(floatToHalf(NaN))).toBe(NaN);
  });

  test('numbers round to the nearest half float, ties to even', () => {
    for (let half = 0; half < 0x7bff; half++) {
      const low = model(half);
      const high = model(half + 1);
      const middle = (low + high) / 2;
      const quarter = low + (high - low) / 4;
      const found = [low, quarter, middle, high - (high - low) / 4].map(floatToHalf);
      const right = [half, half, half + (half & 1), half + 1];
      if (found.some((value, i) => value !== right[i])) expect([half, ...found]).toEqual([half, ...right]);
      if (floatToHalf(-quarter) !== (half | 0x8000)) expect([-quarter, floatToHalf(-quarter)]).toEqual([]);
    }
    expect([65519, 65520, -65520, 1e9].map(floatToHalf)).toEqual([0x7bff, 0x7c00, 0xfc00, 0x7c00]);
  });
});
