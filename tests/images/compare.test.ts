// The comparison itself: it must be able to fail, and a picture must equal only itself.
import { describe, expect, test } from 'vitest';
import { compare, compareWithReferences, describeMismatch, references, strayPixelDistance } from './compare';
import { SIZE, scenes } from './scenes';

const grey = (value: number): Uint8Array => new Uint8Array(SIZE * SIZE * 4).fill(value);

describe('compare', () => {
  test('counts pixels, not channels', () => {
    const other = grey(100);
    for (let x = 0; x < 10; x++) other.fill(120, x * 4, x * 4 + 3);
    const { share, largest } = compare(other, grey(100), 8);
    expect(share).toBe(1 - 10 / (SIZE * SIZE));
    expect(largest).toBe(20);
  });

  test('reports the place of the largest difference', () => {
    const other = grey(100);
    other[(5 * SIZE + 7) * 4 + 1] = 90;
    expect(compare(other, grey(100), 8).at).toEqual([7, 5]);
  });

  test("reports how far a pixel is outside of its neighborhood's range", () => {
    const other = grey(100);
    const from = grey(100);
    from[(5 * SIZE + 8) * 4 + 1] = 150; // The pixel on the right.
    other[(5 * SIZE + 7) * 4 + 1] = 150;
    expect(strayPixelDistance(other, from, 5 * SIZE + 7)).toBe(0);
    other[(5 * SIZE + 7) * 4 + 1] = 160;
    expect(strayPixelDistance(other, from, 5 * SIZE + 7)).toBe(10);
  });

  test('a gray picture matches none of the scenes', () => {
    for (const [name, scene] of Object.entries(scenes))
      for (const samples of scene.samples) {
        const [best] = compareWithReferences(`${name}-${samples}x`, grey(77), scene.within);
        expect(best, `${name} has a reference`).toBeDefined();
        expect(best?.share, name).toBeLessThan(scene.share);
      }
  });

  test('a single wrong pixel is detected in every scene', () => {
    for (const [name, scene] of Object.entries(scenes))
      for (const samples of scene.samples) {
        const { pixels } = references(`${name}-${samples}x`)[0]!;
        const fault = (other: Uint8Array) =>
          describeMismatch(other, pixels, compare(other, pixels, scene.within), scene);
        const inverted = (pixel: number): Uint8Array =>
          pixels.map((value, i) => (i >> 2 === pixel ? 255 - value : value));
        expect(fault(pixels), name).toBeUndefined();
        // In noise, a pixel may have any color: but not in all corners.
        expect(
          [0, SIZE - 1, SIZE * (SIZE - 1)].some((corner) => fault(inverted(corner)) !== undefined),
          name
        ).toBe(true);
      }
  });
});
