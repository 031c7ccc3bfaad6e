// The comparison itself: it must be able to fail, and a picture must be equal to itself only.
import { describe, expect, test } from 'vitest';
import { compare, compareWithReferences } from './compare';
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

  test('names the place of the largest difference', () => {
    const other = grey(100);
    other[(5 * SIZE + 7) * 4 + 1] = 90;
    expect(compare(other, grey(100), 8).at).toEqual([7, 5]);
  });

  test('a grey picture is none of the scenes', () => {
    for (const [name, scene] of Object.entries(scenes)) for (const samples of scene.samples) {
      const [best] = compareWithReferences(`${name}-${samples}x`, grey(77), scene.within);
      expect(best, `${name} has a reference`).toBeDefined();
      expect(best?.share, name).toBeLessThan(scene.share);
    }
  });
});
