// Pixels of passes as the samples of a PNG file, with 8 or 16 bits each.
import { ModelError } from '../errors';
import { rowsOfSamples, pngRows, type PngRows } from '../images/png-writer';
import { isOfColours, type PassPicture } from './kinds';
import { idColour } from './legend';

export type PngDepth = 8 | 16;

/** How the samples of a PNG file stand for values. */
export interface PngFigures {
  /** The distances that the samples 0 and one below the largest stand for. */
  readonly depthRange?: readonly [near: number, far: number];
  /** Steps of a sample per pixel of motion. */
  readonly motionScale?: number;
}

/** Steps per pixel of motion in files with 16 bits, as in those of KITTI. */
const MOTION_STEPS = 64;

/** @param range of distances; undefined: the nearest and the farthest of the picture */
export function pngSamples(
  picture: PassPicture,
  bits: PngDepth,
  range?: readonly [near: number, far: number]
): { rows: PngRows; figures: PngFigures } {
  const { pass, width, height } = picture;
  const rows = (channels: 1 | 3 | 4, samples: Uint8Array | Uint16Array): PngRows =>
    rowsOfSamples(samples, width, height, channels);
  if (isOfColours(pass)) {
    const { pixels } = picture;
    return { rows: pixels instanceof Uint8Array ? pngRows(pixels, width, height) : deepRows(picture), figures: {} };
  }
  const pixels = picture.pixels as Float32Array | Uint32Array;
  const most = bits === 8 ? 255 : 65535;
  const make = (length: number): Uint8Array | Uint16Array =>
    bits === 8 ? new Uint8Array(length) : new Uint16Array(length);
  if (pass === 'depth') {
    const [near, far] = range ?? depthRange(pixels);
    const samples = make(pixels.length);
    const factor = far > near ? (most - 1) / (far - near) : 0;
    pixels.forEach((distance, i) => {
      samples[i] =
        distance === Infinity ? most : Math.round(Math.min(most - 1, Math.max(0, (distance - near) * factor)));
    });
    return { rows: rows(1, samples), figures: { depthRange: [near, far] } };
  }
  if (pass === 'ao')
    return {
      rows: rows(
        1,
        make(pixels.length).map((_, i) => Math.round(pixels[i] * most))
      ),
      figures: {},
    };
  if (pass === 'normal') return { rows: rows(4, normalSamples(pixels, most, make)), figures: {} };
  if (pass === 'motion') {
    const scale = bits === 8 ? 127 / (largestOf(pixels) || 1) : MOTION_STEPS;
    return { rows: rows(3, motionSamples(pixels, scale, make)), figures: { motionScale: scale } };
  }
  return { rows: bits === 8 ? rows(3, idColours(pixels)) : rows(1, idNumbers(pixels)), figures: {} };
}

/** RGBA with 16 bits; alpha is left out if every pixel is opaque. */
function deepRows({ pixels, width, height }: PassPicture): PngRows {
  const samples = pixels as Uint16Array;
  for (let i = 3; i < samples.length; i += 4) if (samples[i] < 65535) return rowsOfSamples(samples, width, height, 4);
  return rowsOfSamples(
    samples.filter((_, i) => (i & 3) < 3),
    width,
    height,
    3
  );
}

/** The nearest and the farthest distance; 0 and 1 if there is only background. */
export function depthRange(distances: ArrayLike<number>): [near: number, far: number] {
  let [near, far] = [Infinity, -Infinity];
  for (let i = 0; i < distances.length; i++) {
    const distance = distances[i];
    if (distance === Infinity) continue;
    near = Math.min(near, distance);
    far = Math.max(far, distance);
  }
  return near <= far ? [near, far] : [0, 1];
}

/** The range of −1 to 1 as samples; transparent where there is no normal. */
function normalSamples(
  normals: ArrayLike<number>,
  most: number,
  make: (length: number) => Uint8Array | Uint16Array
): Uint8Array | Uint16Array {
  const samples = make((normals.length / 3) * 4);
  for (let i = 0, o = 0; i < normals.length; i += 3, o += 4) {
    if (normals[i] === 0 && normals[i + 1] === 0 && normals[i + 2] === 0) continue;
    for (let c = 0; c < 3; c++)
      samples[o + c] = Math.round((Math.min(1, Math.max(-1, normals[i + c])) + 1) * (most / 2));
    samples[o + 3] = most;
  }
  return samples;
}

function largestOf(motion: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < motion.length; i += 3) most = Math.max(most, Math.abs(motion[i]), Math.abs(motion[i + 1]));
  return most;
}

/** Red and green are the motion, blue is 1 where there is a surface. */
function motionSamples(
  motion: ArrayLike<number>,
  scale: number,
  make: (length: number) => Uint8Array | Uint16Array
): Uint8Array | Uint16Array {
  const samples = make(motion.length);
  const zero = samples.BYTES_PER_ELEMENT === 1 ? 128 : 32768;
  const code = (pixels: number): number => Math.min(2 * zero - 1, Math.max(0, Math.round(zero + pixels * scale)));
  for (let i = 0; i < motion.length; i += 3) {
    if (motion[i + 2] === 0) continue;
    samples[i] = code(motion[i]);
    samples[i + 1] = code(motion[i + 1]);
    samples[i + 2] = 1;
  }
  return samples;
}

function idColours(ids: ArrayLike<number>): Uint8Array {
  const samples = new Uint8Array(ids.length * 3);
  const colours = new Map<number, number>();
  for (let i = 0; i < ids.length; i++) {
    let colour = colours.get(ids[i]);
    if (colour === undefined) colours.set(ids[i], (colour = idColour(ids[i])));
    samples[3 * i] = colour >> 16;
    samples[3 * i + 1] = (colour >> 8) & 255;
    samples[3 * i + 2] = colour & 255;
  }
  return samples;
}

function idNumbers(ids: ArrayLike<number>): Uint16Array {
  const samples = Uint16Array.from(ids);
  if (samples.some((id, i) => id !== ids[i]))
    throw new ModelError('A PNG file with 16 bits has no ids above 65535; use an .exr file, or 8 bits.', {
      code: 'too-large',
    });
  return samples;
}
