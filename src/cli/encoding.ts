// The picture of --pass encoding: how the samples of each pixel of the colour attachment are stored, as colours with a
// legend, and its figures.
import type { EncodingStateCounts, SurfaceStatistics } from '../index';
import { share, formatBytes, sizeOfAll, type Row } from './format-figures';
import { drawWithLegend, type LegendEntry, type LegendPicture } from './legend';

/** Contents of the colour attachment after drawing. */
export interface EncodingReport {
  format: string;
  samples: number;
  /** Bytes in whole pages, and the bytes with a texel for each sample. */
  bytesHeld: number;
  bytesUncompressed: number;
  pixels: EncodingStateCounts;
  /**
   * Parts of bytesHeld: pixels with one value, and pixels with one value per sample. `rest` contains pixels with
   * subsets, pixels beyond the picture's edge, and unused parts of the last pages.
   */
  bytes: { clear: 0; onePerPixel: number; full: number; rest: number };
}

/** Colours by the numbers of device.encodingStates; lighter colours stand for more memory. */
export const STATES: readonly LegendEntry[] = [
  { label: 'clear', color: 0x000000 },
  { label: 'one value', color: 0x3e4989 },
  { label: 'subsets', color: 0x35b779 },
  { label: 'full', color: 0xfde725 },
];
const TILE_PIXELS = 64 * 64;

/** Computes the figures of a surface. */
export function summarizeEncoding({
  format,
  sampleCount,
  bytesHeld,
  bytesUncompressed,
  pixels,
  tiles,
}: SurfaceStatistics): EncodingReport {
  const tileCount = tiles.clear + tiles.onePerPixel + tiles.subset + tiles.full;
  const pixelBytes = bytesUncompressed / tileCount / TILE_PIXELS;
  const one = pixels.onePerPixel * (pixelBytes / sampleCount);
  const full = pixels.full * pixelBytes;
  return {
    format,
    samples: sampleCount,
    bytesHeld,
    bytesUncompressed,
    pixels,
    bytes: { clear: 0, onePerPixel: one, full, rest: bytesHeld - one - full },
  };
}

/** Draws states in rows of `width` as a picture with a legend below. */
export function drawEncoding(states: Uint8Array, width: number): LegendPicture {
  return drawWithLegend(
    Uint32Array.from(states, (state) => STATES[state].color),
    width,
    STATES
  );
}

/** Formats the figures for people. */
export function describeEncoding({
  format,
  samples,
  bytesHeld,
  bytesUncompressed,
  pixels,
  bytes,
}: EncodingReport): Row[] {
  const all = pixels.clear + pixels.onePerPixel + pixels.subset + pixels.full;
  const counts = [pixels.clear, pixels.onePerPixel, pixels.subset, pixels.full];
  return [
    ['encoding', `${format}, ${samples} samples per pixel: ${sizeOfAll(bytesHeld, bytesUncompressed)}`],
    ['pixels', STATES.map(({ label }, state) => `${share(counts[state] / all)} ${label}`).join(', ')],
    [
      'bytes',
      `none for clear, ${formatBytes(bytes.onePerPixel)} for one value, ${formatBytes(bytes.full)} for full, `
        + `${formatBytes(bytes.rest)} for subsets, pixels beyond the edge and unused page memory`,
    ],
  ];
}
