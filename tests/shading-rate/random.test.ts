// Random scenes at all rates, with all combiners and depth tables, at 1, 4 and 8 samples. Every sample and the number
// of invocations per rate equal the reference, on all engines, any number of workers, and with small arenas.
// RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, expectPicture, open, Painter, runsOnce } from './kit';
import { RATES } from './rates';
import { render, type Picture } from './reference';
import { scenes } from './scenes';
import { rounds } from '../support/rounds';

const names = Object.keys(engines);
const SCENES = rounds(120);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 19);

describe.each(Object.entries(engines))('random scenes: %s', (name, options) => {
  let painter: Painter;
  beforeAll(async () => {
    painter = new Painter(await open(options));
  });
  afterAll(() => painter.device.destroy());

  test('samples and invocations equal the reference', async () => {
    const numRuns = Math.ceil(SCENES / names.length);
    const seed = SEED + names.indexOf(name);
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const wanted = render(scene);
        fc.pre(!wanted.isAmbiguous);
        const drawn = await painter.draw(scene);
        expectPicture(scene, drawn, wanted);
        if (!wanted.isCounted || !runsOnce(options)) return;
        expect({ threads: drawn.threads, pixels: drawn.pixels }).toEqual({
          threads: wanted.threads,
          pixels: wanted.pixels,
        });
      }),
      { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
    );
    if (!options.alwaysShareTiles) return;
    const { tilesShared, tilesJoined } = painter.device.statistics().counters;
    expect(tilesShared).toBeGreaterThan(numRuns / 2);
    expect(tilesJoined).toBeGreaterThan(numRuns / 4);
  }, 120_000);
});

// Justifies the numbers of runs above: each rate occurs in a tenth of the scenes, and in most of them invocations can
// be counted.
test('scenes have invocations at every rate', () => {
  const pictures = fc.sample(scenes, { numRuns: 120, seed: SEED }).map(render);
  const share = (of: (picture: Picture) => boolean): number => pictures.filter(of).length / pictures.length;
  expect(share(({ isAmbiguous }) => isAmbiguous)).toBeLessThan(0.1);
  expect(share(({ isCounted }) => isCounted)).toBeGreaterThan(0.5);
  for (const rate of RATES)
    expect(
      share(({ threads }) => threads[rate] > 0),
      rate
    ).toBeGreaterThan(0.1);
});
