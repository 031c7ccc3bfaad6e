// Compares a picture with its baseline, pixel by pixel.
import pixelmatch from 'pixelmatch';
import type { Pixels } from './png';

/** A rectangle of pixels, from the top left corner of the picture. */
export interface PictureArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Options of `toMatchPicture`. */
export interface PictureOptions {
  /** Largest difference of a channel that counts as equal, 0 to 255. Default: 0. */
  readonly tolerance?: number;
  /** Largest share of pixels that may differ, 0 to 1. Default: 0. */
  readonly maxDifferent?: number;
  /** Areas that are not compared. */
  readonly mask?: readonly PictureArea[];
  /**
   * Compares colours as they are perceived, by the rule of `rasterloom compare --threshold`: 0 to 1, where 0.1 leaves
   * out what is hard to see. Differences by antialiasing do not count. Replaces `tolerance`.
   */
  readonly perceptual?: number;
  /** The device of a texture: `expect(texture).toMatchPicture('name', { device })`. */
  readonly device?: GPUDevice;
}

interface Difference {
  readonly pixels: number;
  /** Largest difference of a channel. */
  readonly largest: number;
  /** Whether the options allow the difference. */
  readonly isAllowed: boolean;
  /** Shows the pixels that differ in red, over the faded baseline. */
  readonly picture: Pixels;
}

/** Compares pictures of the same size. */
export function comparePictures(actual: Pixels, baseline: Pixels, options: PictureOptions): Difference {
  const { tolerance = 0, maxDifferent = 0, mask = [], perceptual } = options;
  const { width, height } = baseline;
  const own = actual.data.slice();
  for (const area of mask) copyArea(baseline, own, area);
  const picture = { width, height, data: new Uint8Array(own.length) };
  let largest = 0;
  let pixels = 0;
  for (let i = 0; i < own.length; i += 4) {
    let difference = 0;
    for (let k = i; k < i + 4; k++) difference = Math.max(difference, Math.abs(own[k]! - baseline.data[k]!));
    largest = Math.max(largest, difference);
    if (difference > tolerance) pixels++;
    drawPixel(picture.data, i, baseline.data, difference > tolerance);
  }
  if (perceptual !== undefined)
    pixels = pixelmatch(own, baseline.data, picture.data, width, height, { threshold: perceptual });
  return { pixels, largest, picture, isAllowed: pixels <= maxDifferent * width * height };
}

function copyArea({ width, height, data }: Pixels, to: Uint8Array, area: PictureArea): void {
  const left = Math.max(0, area.x);
  const right = Math.min(width, area.x + area.width);
  for (let y = Math.max(0, area.y); y < Math.min(height, area.y + area.height) && left < right; y++)
    to.set(data.subarray((y * width + left) * 4, (y * width + right) * 4), (y * width + left) * 4);
}

/** Draws a pixel of the difference picture at out[at]. */
function drawPixel(out: Uint8Array, at: number, baseline: Uint8Array, differs: boolean): void {
  const light = (baseline[at]! + 2 * baseline[at + 1]! + baseline[at + 2]!) / 4;
  const faded = 255 - ((255 - light) * baseline[at + 3]!) / 1020;
  out.set(differs ? [255, 0, 0, 255] : [faded, faded, faded, 255], at);
}

/** Checks the options. @throws TypeError or RangeError if one is unknown or has a wrong value */
export function checkPictureOptions(options: PictureOptions): void {
  const known = ['tolerance', 'maxDifferent', 'mask', 'perceptual', 'device'];
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(`toMatchPicture: unknown option ${name}; options are ${known.join(', ')}`);
  for (const [name, most] of [
    ['tolerance', 255],
    ['maxDifferent', 1],
    ['perceptual', 1],
  ] as const) {
    const value: unknown = options[name];
    if (value !== undefined && !(typeof value === 'number' && value >= 0 && value <= most))
      throw new RangeError(`toMatchPicture: ${name} must be a number from 0 to ${most}, not ${String(value)}`);
  }
  const areas: unknown = options.mask ?? [];
  if (!Array.isArray(areas)) throw new TypeError('toMatchPicture: mask must be an array of areas');
  for (const area of areas as Partial<PictureArea>[])
    if (![area.x, area.y, area.width, area.height].every(Number.isInteger))
      throw new TypeError('toMatchPicture: an area of mask must have integers x, y, width and height');
}
