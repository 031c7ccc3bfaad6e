// --pass shading-rate: shading rate codes as colors and numbers, and the rates in --stats.
import { describe, expect, it } from 'vitest';
import { describeRateMap, drawRateMap, RATES, rateRows, summarizeRates } from '../../src/cli/rate-map';

/** One more than each rate's code, in the order of the legend. */
const DRAWN = Uint32Array.of(1, 2, 5, 6, 7, 10, 11);

describe('the picture of shading rates', () => {
  it('has a color for each rate, and black where nothing is drawn', () => {
    const { pixels, width } = drawRateMap(Uint32Array.of(0, ...DRAWN), 8);
    expect(width).toBe(8);
    const colours = Array.from(
      { length: 8 },
      (_, i) => (pixels[i * 4] << 16) | (pixels[i * 4 + 1] << 8) | pixels[i * 4 + 2]
    );
    expect(colours).toEqual([0, ...RATES.map(({ color }) => color)]);
    expect(new Set(colours).size).toBe(8);
    expect(RATES.map(({ label }) => label)).toEqual(['1x1', '1x2', '2x1', '2x2', '2x4', '4x2', '4x4']);
  });

  it('has a legend that names the rates', () => {
    const { pixels, width, height } = drawRateMap(new Uint32Array(700 * 2), 700);
    expect(height).toBe(2 + 19);
    // After the first swatch: "1x1".
    const ink = (x: number, y: number): string => (pixels[(y * width + x) * 4] === 0xe6 ? '#' : '.');
    expect(
      Array.from({ length: 7 }, (_, y) => Array.from({ length: 17 }, (_, x) => ink(19 + x, 2 + 4 + 2 + y)).join(''))
    ).toEqual([
      '..#...........#..',
      '.##..........##..',
      '..#...#...#...#..',
      '..#....#.#....#..',
      '..#.....#.....#..',
      '..#....#.#....#..',
      '.###..#...#..###.',
    ]);
  });
});

describe('shading rate statistics', () => {
  it('are shares of the drawn area', () => {
    const shares = summarizeRates(Uint32Array.of(0, 0, 1, 6, 6, 11));
    expect(shares).toEqual({ '1x1': 0.25, '1x2': 0, '2x1': 0, '2x2': 0.5, '2x4': 0, '4x2': 0, '4x4': 0.25 });
    expect(describeRateMap(shares)).toEqual([['rates', '25.0 % 1x1, 50.0 % 2x2, 25.0 % 4x4 of the pixels drawn to']]);
    expect(describeRateMap(summarizeRates(new Uint32Array(4)))).toEqual([['rates', 'nothing was drawn']]);
  });

  it('of --stats contain the rates that ran, look-ups, and draw calls that fell back', () => {
    const none = { threads: 0, warps: 0, pixels: 0 };
    const rates = {
      '1x1': { threads: 1200, warps: 30, pixels: 1200 },
      '1x2': none,
      '2x1': none,
      '2x2': { threads: 500, warps: 9, pixels: 1900 },
      '2x4': none,
      '4x2': none,
      '4x4': none,
    };
    const fallbacks = {
      'sample-rate': 0,
      'frag-depth': 0,
      'sample-mask': 0,
      'alpha-to-coverage': 0,
      storage: 0,
      'target-reads': 0,
      'pixel-stages': 0,
    };
    expect(rateRows({ rates, lookUps: 4321, fallbacks: { ...fallbacks, 'frag-depth': 2 } })).toEqual([
      ['rate', '1x1: 1,200 invocations in 30 warps, for 1,200 pixels'],
      ['rate', '2x2: 500 invocations in 9 warps, for 1,900 pixels'],
      ['rates', '4,321 looked up; draw calls that ran at 1x1 instead: 2 frag-depth'],
    ]);
    expect(rateRows({ rates, lookUps: 0, fallbacks }).at(-1)).toEqual([
      'rates',
      '0 looked up; draw calls that ran at 1x1 instead: none',
    ]);
    expect(rateRows(null)).toEqual([]);
  });
});
