// Every image scene has the same bits by every path: the interpreter, compiled shaders, the scalar kernel, a chunk
// after every draw call, and small arenas whose chunks end in the middle of draw calls. They are compared with the
// default drawing and with the oracle of the testing build (assembly/oracle/tile.ts), which defers, packs and skips
// nothing.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../../images/open';
import { allCounts, render, scenes, type Scene } from '../../images/scenes';
import { inTurn } from '../../support/combinations';

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

/** Every variant draws every scene at one sample count, or at two by the oracle; the next ones at the next count. */
const countsOf = (scene: Scene, turn: number, isOracle: boolean): readonly number[] =>
  inTurn(allCounts(scene), turn, isOracle ? 2 : 1);

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

for (const [v, [variant, options]] of Object.entries(variants).entries()) {
  describe(`the same bits with ${variant}`, () => {
    let device: GPUDevice;
    beforeAll(async () => {
      device = await openBuilt(options);
    });
    afterAll(() => device.destroy());
    for (const [i, [name, scene]] of Object.entries(scenes).entries())
      for (const samples of countsOf(scene, i + v, 'immediate' in options)) {
        test(`${name} at ${samples}`, async () => {
          expect(hash(await render(device, scene, samples))).toBe(await pictureOf(name, scene, samples));
        });
      }
  });
}
