// Programs at coarse rates: those without derivatives, whose coarse pixels are packed one by one, give what those with
// derivatives give, and leave few lanes idle; where centroids lie.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, expectPicture, open, Painter } from './kit';
import { RATES } from './rates';
import { render, TARGETS, type Draw, type Scene } from './reference';
import { drawOf, everywhere, sceneOf, scenes, triangleOf } from './scenes';

const RUNS = Number(process.env['RASTERLOOM_FUZZ'] ?? 30);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 23);

describe.each(['compiled', 'interpreted'])('%s', (name) => {
  let painter: Painter;
  beforeAll(async () => { painter = new Painter(await open(engines[name]!)); });
  afterAll(() => painter.device.destroy());

  test('programs with and without derivatives draw the same with the same threads', async () => {
    const having = (scene: Scene, derivatives: boolean): Scene =>
      ({ ...scene, draws: scene.draws.map((draw) => ({ ...draw, derivatives })) });
    await fc.assert(fc.asyncProperty(scenes, async (scene) => {
      const one = await painter.draw(having(scene, true)), other = await painter.draw(having(scene, false));
      // The last target says what the derivatives are.
      const components = TARGETS * 4;
      const isOther = (value: number, i: number): boolean =>
        i % components < components - 4 && value !== other.texels[i];
      expect(one.texels.findIndex(isOther)).toBe(-1);
      if (!render(scene).isCounted) return;
      expect({ threads: one.threads, pixels: one.pixels }).toEqual({ threads: other.threads, pixels: other.pixels });
    }), { numRuns: RUNS, seed: SEED });
  }, 120_000);

  test.each(RATES)('of small triangles at %s, nine of ten lanes are busy without derivatives', async (rate) => {
    const scene = meshAt(rate), drawn = await painter.draw(scene), wanted = render(scene);
    expectPicture(scene, drawn, wanted);
    expect(drawn.threads).toEqual(wanted.threads);
    expect(drawn.busy).toBeGreaterThanOrEqual(0.9);
  });

  test('centroids are samples nearest to the mean of those that are covered', async () => {
    for (const { scene, x, y, away } of centroids) {
      const drawn = await painter.draw(scene), wanted = render(scene);
      const at = (y * scene.width + x) * scene.samples * TARGETS * 4 + 6;
      expect(wanted.texels[at]).toBe(away);
      expectPicture(scene, drawn, wanted);
    }
  });
});

const MESH = 128, CELL = 3;
/** Two triangles a cell of 3×3 pixels. */
function meshAt(rate: Draw['rate']): Scene {
  const triangles = [];
  for (let y = 0; y < MESH; y += CELL) for (let x = 0; x < MESH; x += CELL) {
    const right = x + CELL, below = y + CELL, rest = { id: (x * 5 + y * 3) % 61, slope: 0 } as const;
    triangles.push(triangleOf([x, y, right, y, x, below], 0.5, rest));
    triangles.push(triangleOf([right, y, right, below, x, below], 0.5, rest));
  }
  return sceneOf(MESH, MESH, [drawOf(triangles, { rate })]);
}

/** In sixteenths of a pixel from the coarse pixel's centre, as the program gives them. */
const awayOf = (x: number, y: number): number => x * 64 + y;
/** With the pixel that is looked at, and where the centroid of its coarse pixel lies. */
const centroids: readonly { scene: Scene; x: number; y: number; away: number }[] = [
  // Three pixels of four: the one that lies between the two others.
  { scene: centroidScene([0, 0, 2.5, 0, 0, 2.5], { rate: '2x2' }), x: 1, y: 0, away: awayOf(-8, -8) },
  // Two side by side, equally near: the first one.
  { scene: centroidScene(everywhere(8, 8), { rate: '2x2', scissor: [0, 1, 8, 1] }), x: 1, y: 1, away: awayOf(-8, 8) },
  // All samples: the centre.
  { scene: centroidScene(everywhere(8, 8), { rate: '4x4' }, 8), x: 1, y: 1, away: 0 },
  // The four pixels in the middle: of four samples equally near, the first is the upper left pixel's last.
  { scene: centroidScene(everywhere(8, 8), { rate: '4x4', scissor: [1, 1, 2, 2] }, 4), x: 2, y: 2, away: awayOf(-6, -2) },
  // A mask that leaves out samples leaves no coarse pixel wholly covered.
  { scene: centroidScene(everywhere(8, 8), { rate: '1x2', mask: 1 }, 4), x: 0, y: 0, away: awayOf(-2, -14) },
];

function centroidScene(corners: readonly number[], draw: Partial<Draw>, samples: Scene['samples'] = 1): Scene {
  return sceneOf(8, 8, [drawOf([triangleOf(corners)], draw)], { samples });
}
