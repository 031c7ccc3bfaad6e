// Parked warps that are overtaken (assembly/layout/warp/warp.ts) do not change the picture. The testing build parks
// some warps until a number of others have been handed over. Every image scene must have the same bits as when warps
// finish in order. For random frames see ../oracle/immediate.test.ts.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../../src/index';
import { openBuilt, openBuiltWith } from '../../images/open';
import { allCounts, render, scenes, type Scene } from '../../images/scenes';
import { inTurn } from '../../support/combinations';

const variants = {
  'every second, interpreted': { engine: 'interpreter', forcedParking: { every: 2, during: 2, warps: 4 } },
  'every third, interpreted': { engine: 'interpreter', forcedParking: { every: 3, during: 9, warps: 3 } },
  'every seventh, interpreted': { engine: 'interpreter', forcedParking: { every: 7, during: 100, warps: 9 } },
  'all that the pool holds, interpreted': { engine: 'interpreter', forcedParking: { every: 1, during: 100, warps: 4 } },
  'every second, compiled': { engine: 'jit', forcedParking: { every: 2, during: 100, warps: 2 } },
  'every third, compiled': { engine: 'jit', forcedParking: { every: 3, during: 2, warps: 4 } },
  'every seventh, compiled, in chunks': {
    engine: 'jit',
    forcedParking: { every: 7, during: 9, warps: 4 },
    chunkEveryDraw: true,
  },
  'every second, of three workers': { threads: 3, forcedParking: { every: 2, during: 5, warps: 5 } },
} as const;

const hash = (pixels: Uint8Array): string => createHash('sha256').update(pixels).digest('hex');
/** Every variant draws every scene at one of these counts, and the next ones at the other. */
const countsOf = (scene: Scene, turn: number): readonly number[] =>
  inTurn(
    allCounts(scene).filter((count) => count === 1 || count === 4),
    turn
  );

let inOrder: GPUDevice;
const pictures = new Map<string, Promise<string>>();
beforeAll(async () => {
  inOrder = await openBuilt();
});
afterAll(() => inOrder.destroy());

function pictureOf(name: string, scene: Scene, samples: number): Promise<string> {
  const key = `${name} ${samples}`;
  const picture = pictures.get(key) ?? render(inOrder, scene, samples).then(hash);
  pictures.set(key, picture);
  return picture;
}

for (const [v, [variant, options]] of Object.entries(variants).entries()) {
  describe(`the same bits with parked warps, ${variant}`, () => {
    let device: StatisticsDevice;
    beforeAll(async () => {
      device = (await openBuiltWith(['statistics', 'depth-clip-control'], options)) as StatisticsDevice;
    });
    afterAll(() => device.destroy());
    for (const [i, [name, scene]] of Object.entries(scenes).entries())
      for (const samples of countsOf(scene, i + v)) {
        test(`${name} at ${samples}`, async () => {
          expect(hash(await render(device, scene, samples))).toBe(await pictureOf(name, scene, samples));
        });
      }
    test('and some of them were overtaken', () => {
      const { warpsParked, warpsOvertaken, fragmentWarps } = device.statistics().counters;
      expect(warpsParked).toBeGreaterThan(fragmentWarps! / 10);
      expect(warpsOvertaken).toBeGreaterThan(warpsParked! / 10);
    });
  });
}

test('no warp is parked without the option', async () => {
  const device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  await render(device, scenes['blend-order']!, 4);
  expect(device.statistics().counters).toMatchObject({ warpsParked: 0, warpsOvertaken: 0 });
  device.destroy();
});
