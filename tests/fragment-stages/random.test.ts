// Random scenes of draw calls with framebuffer fetch from two targets, mixed with others, at 1 to 16 samples. Every
// sample equals the reference, which processes fragments in sequence, on all engines and any number of workers.
// RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../shading-rate/kit';
import { open, Painter } from './kit';
import { COMPONENTS, render, scenes } from './reference';
import { rounds } from '../support/rounds';
import { firstDifference } from '../support/first-difference';

const names = Object.keys(engines);
const SCENES = rounds(80);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20);

describe.each(Object.entries(engines))('random scenes: %s', (name, options) => {
  let painter: Painter;
  beforeAll(async () => {
    painter = new Painter(await open(options));
  });
  afterAll(() => painter.device.destroy());

  test.each(['whole', 'stages', 'coarse stages'] as const)(
    '%s: every sample equals the reference',
    async (kind) => {
      const numRuns = Math.ceil(SCENES / names.length);
      const seed = SEED + names.indexOf(name);
      await fc.assert(
        fc.asyncProperty(scenes(kind), async (scene) => {
          const wanted = render(scene);
          const drawn = await painter.draw(scene);
          const at = firstDifference(drawn, wanted);
          if (at < 0) return;
          const first = at - (at % COMPONENTS);
          const sample = first / COMPONENTS;
          const pixel = Math.floor(sample / scene.samples);
          const where = { x: pixel % scene.width, y: Math.floor(pixel / scene.width), sample: sample % scene.samples };
          const of = (texels: ArrayLike<number>): number[] =>
            Array.from({ length: COMPONENTS }, (_, i) => texels[first + i]!);
          expect({ ...where, values: of(drawn) }).toEqual({ ...where, values: of(wanted) });
        }),
        { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
      );
    },
    120_000
  );
});
