// Compares a picture with reference pictures, and keeps files that show a failure.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decode, encode } from 'fast-png';
import { SIZE } from './scenes';
import type { Scene } from './scenes';

const REFERENCES = new URL('./reference/', import.meta.url);
const FAILED = new URL('../../build/failed/', import.meta.url);

interface Comparison {
  /** The implementation that drew the reference. */
  by: string;
  /** Share of the pixels within the bound in every channel, 0…1. */
  share: number;
  /** The largest difference of a channel, and its pixel. */
  largest: number;
  at: readonly [x: number, y: number];
  /** Indices of the pixels beyond the bound. */
  far: readonly number[];
  /** |difference| × 8 per color channel, opaque. */
  difference: Uint8Array;
}

const placeOf = (pixel: number, width = SIZE): [x: number, y: number] => [pixel % width, Math.floor(pixel / width)];

/**
 * How far a channel of the pixel is outside of the range that `expected` has there and in the eight pixels around it.
 */
export function strayPixelDistance(actual: Uint8Array, expected: Uint8Array, pixel: number): number {
  const [x, y] = placeOf(pixel);
  let stray = 0;
  for (let c = 0; c < 4; c++) {
    let least = 255;
    let most = 0;
    for (let v = Math.max(0, y - 1); v <= Math.min(SIZE - 1, y + 1); v++)
      for (let u = Math.max(0, x - 1); u <= Math.min(SIZE - 1, x + 1); u++) {
        const value = expected[(v * SIZE + u) * 4 + c]!;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    const value = actual[pixel * 4 + c]!;
    stray = Math.max(stray, least - value, value - most);
  }
  return stray;
}

export function compare(actual: Uint8Array, expected: Uint8Array, within: number, by = '', width = SIZE): Comparison {
  const difference = new Uint8Array(actual.length).fill(255);
  const far: number[] = [];
  let largest = 0;
  let worst = 0;
  for (let i = 0; i < actual.length; i += 4) {
    let most = 0;
    for (let c = 0; c < 4; c++) {
      const distance = Math.abs((actual[i + c] ?? 0) - (expected[i + c] ?? 0));
      most = Math.max(most, distance);
      if (c < 3) difference[i + c] = Math.min(255, distance * 8);
    }
    if (most > within) far.push(i / 4);
    if (most > largest) {
      largest = most;
      worst = i / 4;
    }
  }
  return { by, share: 1 - far.length / (actual.length / 4), largest, at: placeOf(worst, width), far, difference };
}

/** The pictures of this scene, each with the implementation that drew it. */
export function references(name: string, folder = REFERENCES): { by: string; pixels: Uint8Array }[] {
  return readdirSync(folder)
    .map((by) => ({ by, file: new URL(`${by}/${name}.png`, folder) }))
    .filter(({ file }) => existsSync(file))
    .map(({ by, file }) => ({ by, pixels: Uint8Array.from(decode(readFileSync(file)).data) }));
}

/** Compares with each implementation that has a picture of this scene, best match first. */
export function compareWithReferences(
  name: string,
  actual: Uint8Array,
  within: number
): (Comparison & { readonly expected: Uint8Array })[] {
  return references(name)
    .map(({ by, pixels }) => ({ ...compare(actual, pixels, within, by), expected: pixels }))
    .sort((a, b) => b.share - a.share || a.largest - b.largest);
}

/** Describes why a picture is not close enough to a reference. */
export function describeMismatch(
  actual: Uint8Array,
  expected: Uint8Array,
  { by, share, far }: Comparison,
  scene: Scene
): string | undefined {
  if (share < scene.share)
    return (
      `${(share * 100).toFixed(2)} % of the pixels are within ${scene.within} of ${by}, not ` + `${scene.share * 100} %`
    );
  const stray = far.find((pixel) => strayPixelDistance(actual, expected, pixel) > scene.stray);
  return stray === undefined
    ? undefined
    : `the pixel at ${placeOf(stray).join(', ')} is ${strayPixelDistance(actual, expected, stray)} `
        + `outside of what ${by} has `
        + `there and around, not ${scene.stray}`;
}

/** Describes what is wrong with the picture, with the paths of files that show it; undefined if it is correct. */
export function judge(name: string, scene: Scene, samples: number, actual: Uint8Array): string | undefined {
  const full = `${name}-${samples}x`;
  const [best] = compareWithReferences(full, actual, scene.within);
  if (!best) return `${full}: there is no reference picture; CONTRIBUTING.md tells how to make one`;
  const wrong = scene.expect?.(actual, samples) ?? describeMismatch(actual, best.expected, best, scene);
  if (!wrong) return undefined;
  return [
    `${full}: ${scene.shows}`,
    wrong,
    `largest difference ${best.largest} at ${best.at.join(', ')}`,
    keepFailed(full, actual, best.difference),
  ].join('\n');
}

/** Writes a wrong picture and its difference for inspection; returns the paths. */
export function keepFailed(full: string, actual: Uint8Array, difference: Uint8Array, width = SIZE): string {
  mkdirSync(FAILED, { recursive: true });
  const write = (what: string, data: Uint8Array): string => {
    const file = new URL(`${full}.${what}.png`, FAILED);
    writeFileSync(file, encode({ width, height: data.length / 4 / width, data, channels: 4 }));
    return fileURLToPath(file);
  };
  return `actual: ${write('actual', actual)}\ndifference × 8: ${write('difference', difference)}`;
}
