// In any state of a pass and its draw calls, shading rates change only the number of invocations. Colors that are
// constant per primitive, depth, stencil, resolved pictures and queries are the same as without rates. With any shader,
// nothing changes if all rates are 1x1.
// RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countsOf, engines, open } from './kit';
import { RATES } from './rates';
import { finestRates, sharedColors, type StateScene } from './states';
import { StatePainter } from './states.kit';
import { rounds } from '../support/rounds';
import { firstDifference } from '../support/first-difference';

const names = Object.keys(engines);
const SCENES = rounds(240);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 29);

describe.each(Object.entries(engines))('shading rates with passes in any state: %s', (name, options) => {
  let painter: StatePainter;
  beforeAll(async () => {
    painter = new StatePainter(await open(options));
  });
  afterAll(() => painter.device.destroy());

  async function expectSame(scene: StateScene): Promise<void> {
    const found = await painter.draw(scene, true);
    const wanted = await painter.draw(scene, false);
    expect([...found.keys()]).toEqual([...wanted.keys()]);
    for (const [what, bytes] of wanted) {
      const at = firstDifference(bytes, found.get(what)!);
      expect({ what, at }).toEqual({ what, at: -1 });
    }
  }
  const numRuns = Math.ceil(SCENES / names.length / 2);
  const seed = SEED + names.indexOf(name);

  test('rates are invisible if each primitive has one color', async () => {
    await fc.assert(fc.asyncProperty(sharedColors, expectSame), { numRuns, seed });
    const { threads } = countsOf(painter.device);
    for (const rate of RATES) expect(threads[rate], rate).toBeGreaterThan(0);
  }, 120_000);

  test('bundles are drawn at the rate of their pass', async () => {
    const threadsOf = async (scene: StateScene, bundle: boolean): Promise<object> => {
      const before = countsOf(painter.device).threads;
      await painter.draw(
        {
          ...scene,
          passes: scene.passes.map((pass) => ({ ...pass, draws: pass.draws.map((draw) => ({ ...draw, bundle })) })),
        },
        true
      );
      const after = countsOf(painter.device).threads;
      return Object.fromEntries(RATES.map((rate) => [rate, after[rate] - before[rate]]));
    };
    await fc.assert(
      fc.asyncProperty(sharedColors, async (scene) => {
        expect(await threadsOf(scene, true)).toEqual(await threadsOf(scene, false));
      }),
      { numRuns: Math.ceil(numRuns / 4), seed }
    );
  }, 120_000);

  test('rates that are all 1x1 change nothing', async () => {
    await fc.assert(fc.asyncProperty(finestRates, expectSame), { numRuns, seed });
  }, 120_000);
});
