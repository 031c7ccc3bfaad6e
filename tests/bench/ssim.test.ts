// The mean structural similarity of pictures.
import { describe, expect, test } from 'vitest';
import { ssimOf } from '../../bench/render/ssim.mjs';

const size = { width: 24, height: 16 };
/** Gray pixels. */
const picture = (level: (x: number, y: number) => number): Uint8Array =>
  Uint8Array.from({ length: size.width * size.height * 4 }, (_, i) => {
    const pixel = i >> 2;
    return level(pixel % size.width, Math.floor(pixel / size.width));
  });
const hills = picture((x, y) => 128 + 60 * Math.sin(x) * Math.cos(y / 2));

describe('ssimOf', () => {
  test('is 1 for a picture and itself', () => {
    expect(ssimOf(hills, hills, size)).toBeCloseTo(1, 12);
  });
  test('of uniform pictures is that of their brightness', () => {
    const c1 = (0.01 * 255) ** 2;
    const one = picture(() => 100);
    const other = picture(() => 200);
    expect(ssimOf(one, other, size)).toBeCloseTo((2 * 100 * 200 + c1) / (100 ** 2 + 200 ** 2 + c1), 9);
  });
  test('falls as noise grows, and below zero if light and dark are swapped', () => {
    const noisy = (most: number): Uint8Array =>
      hills.map((level, i) => level + (((((i >> 2) * 7919) % 13) - 6) / 6) * most);
    const [some, more] = [ssimOf(hills, noisy(4), size), ssimOf(hills, noisy(16), size)];
    expect(some).toBeLessThan(1);
    expect(more).toBeLessThan(some);
    expect(
      ssimOf(
        hills,
        hills.map((level) => 256 - level),
        size
      )
    ).toBeLessThan(0);
  });
  test('is affected by a local change only in the windows that contain it', () => {
    const dot = (at: number): Uint8Array => {
      const copy = hills.slice();
      copy.fill(255, at * 4, at * 4 + 4);
      return copy;
    };
    // A corner is in one window, with little weight; the middle is in many.
    expect(ssimOf(hills, dot(0), size)).toBeGreaterThan(0.9999);
    expect(ssimOf(hills, dot(8 * size.width + 12), size)).toBeLessThan(0.95);
  });
});
