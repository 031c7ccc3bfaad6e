// An adversarial caller compared with the sequential model: random submits, writes, copies, maps and destructions,
// without waiting unless necessary. On any number of workers, all bytes read, all errors and the order of all promises
// equal those of a device that does everything at once.
// RASTERLOOM_FUZZ=count runs more programs, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Step } from './model.calls';
import { Renderer } from './model.device';
import { Lockstep } from './model.lockstep';
import { program } from './model.program';
import type { CreateOptions } from '../support/options';
import { open } from './open';
import { rounds } from '../support/rounds';

const PROGRAMS = rounds(12);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 5);
const limits = { seed: SEED, interruptAfterTimeLimit: 60_000 + PROGRAMS * 1000, markInterruptAsFailure: true };
const PATIENCE = 120_000 + PROGRAMS * 1000;

const variants: Readonly<Record<string, CreateOptions>> = {
  'no workers': { threads: 0 },
  'one worker': { threads: 1 },
  'eight workers': { threads: 8 },
  'eight workers, a chunk after every draw, compiled at once': { threads: 8, engine: 'jit', chunkEveryDraw: true },
  'two workers, interpreted, chunks of a triangle or two': { threads: 2, engine: 'interpreter', arenaBytes: 1024 },
};

/** One call per line, so that a counterexample is readable. */
const printed = (steps: readonly Step[]): string => steps.map((step) => JSON.stringify(step)).join('\n');

describe.each(Object.entries(variants))('%s', (_, options) => {
  let renderer: Renderer;
  beforeAll(async () => {
    renderer = new Renderer(await open(options));
  });
  afterAll(() => renderer.device.destroy());

  test(
    'random programs of API calls agree with the sequential model',
    async () => {
      let failed = false;
      await fc.assert(
        fc.asyncProperty(program, async (steps) => {
          // After a failure the state of the device is unknown: shrinking uses new devices.
          if (failed) {
            renderer.device.destroy();
            renderer = new Renderer(await open(options));
          }
          try {
            await new Lockstep(renderer).run(steps);
          } catch (error) {
            failed = true;
            throw new Error(`${(error as Error).message}\n${printed(steps)}`, { cause: error });
          }
        }),
        { numRuns: PROGRAMS, ...limits }
      );
    },
    PATIENCE
  );

  test(
    'destroying a device in the middle settles every promise',
    async () => {
      await fc.assert(
        fc.asyncProperty(program, fc.nat({ max: 1000 }), async (steps, cut) => {
          const at = cut % (steps.length + 1);
          await new Lockstep(new Renderer(await open(options))).runLost(steps.slice(0, at), steps.slice(at));
        }),
        { numRuns: Math.ceil(PROGRAMS / 6), ...limits }
      );
      expect(renderer.device.queue).toBeDefined();
    },
    PATIENCE
  );
});
