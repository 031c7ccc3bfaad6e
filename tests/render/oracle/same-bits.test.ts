// Every image scene has the same bits by every path: the interpreter, compiled shaders, the scalar kernel, a chunk
// after every draw call, and small arenas whose chunks end in the middle of draw calls. They are compared with the
// default drawing and with the oracle of the testing build (assembly/oracle/tile.ts), which defers, packs and skips
// nothing.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../../images/open';
import { allCounts, render, scenes, type Scene } from '../../images/scenes';

/** Arena for a few dozen triangles. */
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

/** Variants that are drawn with all sample counts; the others use those that have a reference image, and 8. */
const EVERY_COUNT: readonly string[] = [
  'the oracle',
  'the interpreter',
  'the scalar kernel',
  'chunks in the middle of draws',
];
const countsOf = (variant: string, scene: Scene): readonly number[] =>
  EVERY_COUNT.includes(variant) || !scene.samples.includes(4) ? allCounts(scene) : [...scene.samples, 8];

const hash = (pixels: Uint8Array): string => createHash('sha256').update(pixels).digest('hex');

let byDefault: GPUDevice;
beforeAll(async () => {
  byDefault = await openBuilt();
});
afterAll(() => byDefault.destroy());

/** The expected picture of each scene, drawn once. */
const pictures = new Map<string, Promise<string>>();
function pictureOf(name: string, scene: Scene, samples: number): Promise<string> {
  const key = `${name} ${samples}`;
  const picture = pictures.get(key) ?? render(byDefault, scene, samples).then(hash);
  pictures.set(key, picture);
  return picture;
}

for (const [variant, options] of Object.entries(variants)) {
  describe(`the same bits with ${variant}`, () => {
    let device: GPUDevice;
    beforeAll(async () => {
      device = await openBuilt(options);
    });
    afterAll(() => device.destroy());
    for (const [name, scene] of Object.entries(scenes))
      for (const samples of countsOf(variant, scene)) {
        test(`${name} at ${samples}`, async () => {
          expect(hash(await render(device, scene, samples))).toBe(await pictureOf(name, scene, samples));
        });
      }
  });
}
