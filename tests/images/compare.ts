// Compares a picture with reference pictures and keeps what a person wants to see when it fails.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decode, encode } from 'fast-png';
import { SIZE } from './scenes';
import type { Scene } from './scenes';

const REFERENCES = new URL('./reference/', import.meta.url), FAILED = new URL('../../build/failed/', import.meta.url);

export interface Comparison {
  /** The implementation that drew the reference. */
  by: string;
  /** Share of the pixels within the bound in every channel, 0…1. */
  share: number;
  /** The largest difference of a channel, and the pixel where it is. */
  largest: number;
  at: readonly [x: number, y: number];
  /** |difference| × 8 per colour channel, opaque. */
  difference: Uint8Array;
}

export function compare(actual: Uint8Array, expected: Uint8Array, within: number, by = ''): Comparison {
  const difference = new Uint8Array(actual.length).fill(255);
  let near = 0, largest = 0, worst = 0;
  for (let i = 0; i < actual.length; i += 4) {
    let most = 0;
    for (let c = 0; c < 4; c++) {
      const distance = Math.abs((actual[i + c] ?? 0) - (expected[i + c] ?? 0));
      most = Math.max(most, distance);
      if (c < 3) difference[i + c] = Math.min(255, distance * 8);
    }
    if (most <= within) near++;
    if (most > largest) { largest = most; worst = i / 4; }
  }
  return { by, share: near / (actual.length / 4), largest, at: [worst % SIZE, Math.floor(worst / SIZE)], difference };
}

/** Against each implementation that has a picture of this scene, best first. */
export function compareWithReferences(name: string, actual: Uint8Array, within: number): Comparison[] {
  return readdirSync(REFERENCES)
    .map((by) => ({ by, file: new URL(`${by}/${name}.png`, REFERENCES) }))
    .filter(({ file }) => existsSync(file))
    .map(({ by, file }) => compare(actual, Uint8Array.from(decode(readFileSync(file)).data), within, by))
    .sort((a, b) => b.share - a.share || a.largest - b.largest);
}

/** What is wrong with the picture, with the places of the files that show it; nothing when it is right. */
export function judge(name: string, scene: Scene, samples: number, actual: Uint8Array): string | undefined {
  const full = `${name}-${samples}x`, [best] = compareWithReferences(full, actual, scene.within);
  if (!best) return `${full}: there is no reference picture; CONTRIBUTING.md tells how to make one`;
  const exact = scene.expect?.(actual, samples);
  if (!exact && best.share >= scene.share) return undefined;
  mkdirSync(FAILED, { recursive: true });
  const write = (what: string, data: Uint8Array): string => {
    const file = new URL(`${full}.${what}.png`, FAILED);
    writeFileSync(file, encode({ width: SIZE, height: SIZE, data, channels: 4 }));
    return fileURLToPath(file);
  };
  return [
    `${full}: ${scene.shows}`,
    exact ?? `${(best.share * 100).toFixed(2)} % of the pixels are within ${scene.within} of ${best.by}, not ${scene.share * 100} %`,
    `largest difference ${best.largest} at ${best.at.join(', ')}`,
    `actual: ${write('actual', actual)}`, `difference × 8: ${write('difference', best.difference)}`,
  ].join('\n');
}
