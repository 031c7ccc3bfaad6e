// One picture, however it is come by: every image scene drawn by the interpreter, by compiled programs, by the scalar
// kernel, with a chunk after every draw, with an arena so small that chunks end in the middle of draws, and by the
// oracle of the testing build (assembly/oracle/tile.ts), which defers, packs and skips nothing, has the bits of a
// drawing as it is by default.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../images/open';
import { allCounts, render, scenes, type Scene } from '../images/scenes';

/** Arena of a few dozen triangles. */
const SMALL_ARENA = 16 * 1024;
const variants = {
  'the oracle': { immediate: true },
  'the interpreter': { engine: 'interpreter' },
  'compiled programs': { engine: 'jit' },
  'compiled programs, in chunks': { engine: 'jit', arenaBytes: SMALL_ARENA },
  'the scalar kernel': { simd: false },
  'a chunk after every draw': { chunkEveryDraw: true },
  'chunks in the middle of draws': { arenaBytes: SMALL_ARENA },
  'surfaces that hold every sample': { surfaceEncoding: false },
  'surfaces that hold every sample, a chunk after every draw': { surfaceEncoding: false, chunkEveryDraw: true },
} as const;

/** Variants that are drawn at all numbers of samples; the others at those that have a reference, and at 8. */
const EVERY_COUNT: readonly string[] = [
  'the oracle', 'the interpreter', 'the scalar kernel', 'chunks in the middle of draws',
];
const countsOf = (variant: string, scene: Scene): readonly number[] => EVERY_COUNT.includes(variant)
  || !scene.samples.includes(4)
  ? allCounts(scene)
  : [...scene.samples, 8];

const hash = (pixels: Uint8Array): string => createHash('sha256').update(pixels).digest('hex');

let byDefault: GPUDevice;
beforeAll(async () => { byDefault = await openBuilt(); });
afterAll(() => byDefault.destroy());

/** What every variant is held to, drawn once. */
const pictures = new Map<string, Promise<string>>();
function pictureOf(name: string, scene: Scene, samples: number): Promise<string> {
  const key = `${name} ${samples}`, picture = pictures.get(key) ?? render(byDefault, scene, samples).then(hash);
  pictures.set(key, picture);
  return picture;
}

for (const [variant, options] of Object.entries(variants)) {
  describe(`the same bits by ${variant}`, () => {
    let device: GPUDevice;
    beforeAll(async () => { device = await openBuilt(options); });
    afterAll(() => device.destroy());
    for (const [name, scene] of Object.entries(scenes)) for (const samples of countsOf(variant, scene)) {
      test(`${name} at ${samples}`, async () => {
        expect(hash(await render(device, scene, samples))).toBe(await pictureOf(name, scene, samples));
      });
    }
  });
}
