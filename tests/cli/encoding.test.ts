// --pass encoding: states of pixels as colors and numbers.
import { describe, expect, it } from 'vitest';
import { describeEncoding, drawEncoding, STATES, summarizeEncoding } from '../../src/cli/encoding';
import type { SurfaceStatistics } from '../../src/index';
import { luminance } from './luminance';

const surface: SurfaceStatistics = {
  label: '[Texture "samples"]',
  format: 'rgba16float',
  sampleCount: 8,
  bytesHeld: 40960,
  bytesUncompressed: 2 * 4096 * 64,
  bytesMoved: 40000,
  bytesMovedUncompressed: 2 * 4096 * 64,
  tiles: { clear: 1, onePerPixel: 0, subset: 1, full: 0 },
  pixels: { clear: 6000, onePerPixel: 1800, subset: 100, full: 100 },
};

describe('statistics of pixel states', () => {
  it('divide memory by the states of pixels', () => {
    const { bytes, ...rest } = summarizeEncoding(surface);
    expect(rest).toEqual({
      format: 'rgba16float',
      samples: 8,
      bytesHeld: 40960,
      bytesUncompressed: 524288,
      pixels: surface.pixels,
    });
    expect(bytes).toEqual({ clear: 0, onePerPixel: 1800 * 8, full: 100 * 64, rest: 40960 - 14400 - 6400 });
  });

  it('are printed', () => {
    expect(describeEncoding(summarizeEncoding(surface))).toEqual([
      ['encoding', 'rgba16float, 8 samples per pixel: 40.0 KiB of 512.0 KiB (7.8 %)'],
      ['pixels', '75.0 % clear, 22.5 % one value, 1.3 % subsets, 1.3 % full'],
      [
        'bytes',
        'none for clear, 14.1 KiB for one value, 6.3 KiB for full, 19.7 KiB for subsets, '
          + 'pixels beyond the edge and unused page memory',
      ],
    ]);
  });
});

describe('the picture of pixel states', () => {
  it('has a color for each state, lighter for larger ones', () => {
    const { pixels, width } = drawEncoding(Uint8Array.of(0, 1, 2, 3), 4);
    expect(width).toBe(4);
    const drawn = STATES.map((_, i) => (pixels[i * 4] << 16) | (pixels[i * 4 + 1] << 8) | pixels[i * 4 + 2]);
    expect(drawn).toEqual(STATES.map(({ color }) => color));
    const luminances = STATES.map(({ color }) => luminance(color));
    for (let i = 1; i < luminances.length; i++) expect(luminances[i]).toBeGreaterThan(luminances[i - 1] + 0.05);
  });

  it('has a legend that explains the colors', () => {
    const { pixels, width, height } = drawEncoding(new Uint8Array(400 * 2), 400);
    const ink = (x: number, y: number): string => (pixels[(y * width + x) * 4] === 0xe6 ? '#' : '.');
    expect(height).toBe(2 + 19);
    // After the first swatch: "clear".
    expect(
      Array.from({ length: 7 }, (_, y) => Array.from({ length: 29 }, (_, x) => ink(19 + x, 2 + 4 + 2 + y)).join(''))
    ).toEqual([
      '.......##....................',
      '........#....................',
      '.###....#....###...###..#.##.',
      '#.......#...#...#.....#.##..#',
      '#.......#...#####..####.#....',
      '#...#...#...#.....#...#.#....',
      '.###...###...###...####.#....',
    ]);
  });
});
