// --pass overdraw: counts as colors and numbers.
import { describe, expect, it } from 'vitest';
import { drawOverdraw, STEPS, summarize } from '../../src/cli/overdraw';
import { luminance } from './luminance';

const colorAt = ({ pixels, width }: ReturnType<typeof drawOverdraw>, x: number, y: number): number => {
  const at = (y * width + x) * 4;
  return (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
};

describe('overdraw statistics', () => {
  it('are the mean, the maximum, and shares of all pixels', () => {
    expect(summarize(Uint32Array.of(0, 0, 0, 0, 1, 1, 2, 3, 4, 9))).toEqual({
      mean: 2,
      meanOfDrawn: 20 / 6,
      maximum: 9,
      shares: { 0: 0.4, 1: 0.2, 2: 0.1, 3: 0.1, '4+': 0.2 },
    });
  });

  it('of an empty picture are zeros', () => {
    expect(summarize(new Uint32Array(4))).toEqual({
      mean: 0,
      meanOfDrawn: 0,
      maximum: 0,
      shares: { 0: 1, 1: 0, 2: 0, 3: 0, '4+': 0 },
    });
  });
});

describe('overdraw colors', () => {
  it('get lighter with the count', () => {
    const luminances = STEPS.map(({ color }) => luminance(color));
    expect(luminances[0]).toBe(0);
    for (let i = 1; i < luminances.length; i++) expect(luminances[i]).toBeGreaterThan(luminances[i - 1] * 1.2);
  });

  it('are those of the step that contains a count', () => {
    const counts = Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 19, 20, 1_000_000);
    const picture = drawOverdraw(counts, counts.length);
    const labels = ['0', '1', '2', '3', '4', '5-6', '5-6', '7-9', '7-9', '10-19', '10-19', '20+', '20+'];
    expect(labels.map((_, x) => colorAt(picture, x, 0))).toEqual(
      labels.map((label) => STEPS.find((step) => step.label === label)!.color)
    );
  });
});

describe('the overdraw legend', () => {
  it.each([640, 200, 30, 1])('shows every color below a picture %i pixels wide, and keeps its pixels', (width) => {
    const picture = drawOverdraw(new Uint32Array(width * 10), width);
    expect(picture.width).toBe(width);
    expect(picture.pixels.length).toBe(width * picture.height * 4);
    for (let y = 0; y < 10; y++) for (let x = 0; x < width; x++) expect(colorAt(picture, x, y)).toBe(0);
    const below = new Set<number>();
    for (let y = 10; y < picture.height; y++) for (let x = 0; x < width; x++) below.add(colorAt(picture, x, y));
    if (width >= 30) for (const { color } of STEPS) expect(below).toContain(color);
  });

  it('contains the numbers', () => {
    const picture = drawOverdraw(new Uint32Array(400), 400);
    const ink = (x: number, y: number): string => (colorAt(picture, x, y) === 0xe6e6e6 ? '#' : '.');
    // The label of the first swatch, 4 + 11 + 4 points to the right.
    const zero = Array.from({ length: 7 }, (_, y) =>
      Array.from({ length: 5 }, (_, x) => ink(19 + x, 1 + 4 + 2 + y)).join('')
    );
    expect(zero).toEqual(['.###.', '#...#', '#..##', '#.#.#', '##..#', '#...#', '.###.']);
  });
});
