// Shaders at coarse rates. Without derivatives, coarse pixels are packed individually: pictures equal those with
// derivatives, and few lanes are idle. Also tests positions of centroids.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, expectPicture, open, Painter } from './kit';
import { RATES } from './rates';
import { render, TARGETS, type Draw, type Scene } from './reference';
import { drawOf, everywhere, sceneOf, scenes, triangleOf } from './scenes';
import { rounds } from '../support/rounds';

const RUNS = rounds(16);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 23);

describe.each(['compiled', 'interpreted'])('%s', (name) => {
  let painter: Painter;
  beforeAll(async () => {
    painter = new Painter(await open(engines[name]!));
  });
  afterAll(() => painter.device.destroy());

  test('shaders with and without derivatives draw the same with equally many invocations', async () => {
    const having = (scene: Scene, derivatives: boolean): Scene => ({
      ...scene,
      draws: scene.draws.map((draw) => ({ ...draw, derivatives })),
    });
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const one = await painter.draw(having(scene, true));
        const other = await painter.draw(having(scene, false));
        // The last target contains the derivatives.
        const components = TARGETS * 4;
        const isOther = (value: number, i: number): boolean =>
          i % components < components - 4 && value !== other.texels[i];
        expect(one.texels.findIndex(isOther)).toBe(-1);
        if (!render(scene).isCounted) return;
        expect({ threads: one.threads, pixels: one.pixels }).toEqual({ threads: other.threads, pixels: other.pixels });
      }),
      { numRuns: RUNS, seed: SEED }
    );
  }, 120_000);

  test.each(RATES)('with small triangles at %s, nine of ten lanes are busy without derivatives', async (rate) => {
    const scene = meshAt(rate);
    const drawn = await painter.draw(scene);
    const wanted = render(scene);
    expectPicture(scene, drawn, wanted);
    expect(drawn.threads).toEqual(wanted.threads);
    expect(drawn.busy).toBeGreaterThanOrEqual(0.9);
  });

  test('centroids are the samples nearest to the mean of the covered ones', async () => {
    for (const { scene, x, y, away } of centroids) {
      const drawn = await painter.draw(scene);
      const wanted = render(scene);
      const at = (y * scene.width + x) * scene.samples * TARGETS * 4 + 6;
      expect(wanted.texels[at]).toBe(away);
      expectPicture(scene, drawn, wanted);
    }
  });
});

const MESH = 128;
const CELL = 3;
/** Two triangles per cell of 3×3 pixels. */
function meshAt(rate: Draw['rate']): Scene {
  const triangles = [];
  for (let y = 0; y < MESH; y += CELL)
    for (let x = 0; x < MESH; x += CELL) {
      const right = x + CELL;
      const below = y + CELL;
      const rest = { id: (x * 5 + y * 3) % 61, slope: 0 } as const;
      triangles.push(triangleOf([x, y, right, y, x, below], 0.5, rest));
      triangles.push(triangleOf([right, y, right, below, x, below], 0.5, rest));
    }
  return sceneOf(MESH, MESH, [drawOf(triangles, { rate })]);
}

/** In sixteenths of a pixel from the coarse pixel's center, in the shader's encoding. */
const awayOf = (x: number, y: number): number => x * 64 + y;
/** With the pixel that is examined, and the position of its coarse pixel's centroid. */
const centroids: readonly { scene: Scene; x: number; y: number; away: number }[] = [
  // Three of four pixels: the one between the other two.
  { scene: centroidScene([0, 0, 2.5, 0, 0, 2.5], { rate: '2x2' }), x: 1, y: 0, away: awayOf(-8, -8) },
  // Two adjacent pixels at equal distances: the first one.
  { scene: centroidScene(everywhere(8, 8), { rate: '2x2', scissor: [0, 1, 8, 1] }), x: 1, y: 1, away: awayOf(-8, 8) },
  // All samples: the center.
  { scene: centroidScene(everywhere(8, 8), { rate: '4x4' }, 8), x: 1, y: 1, away: 0 },
  // The four pixels in the middle: of four samples at equal distances, the first is the last one of the upper left
  // pixel.
  {
    scene: centroidScene(everywhere(8, 8), { rate: '4x4', scissor: [1, 1, 2, 2] }, 4),
    x: 2,
    y: 2,
    away: awayOf(-6, -2),
  },
  // With a mask that excludes samples, no coarse pixel is fully covered.
  { scene: centroidScene(everywhere(8, 8), { rate: '1x2', mask: 1 }, 4), x: 0, y: 0, away: awayOf(-2, -14) },
];

function centroidScene(corners: readonly number[], draw: Partial<Draw>, samples: Scene['samples'] = 1): Scene {
  return sceneOf(8, 8, [drawOf([triangleOf(corners)], draw)], { samples });
}
