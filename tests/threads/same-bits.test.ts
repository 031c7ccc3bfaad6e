// The same bits and counts with any number of workers: every image scene and random frames, on both engines. Arenas are
// so small that chunks end in the middle of draw calls, or large enough for everything.
// RASTERLOOM_FUZZ=count draws more frames, RASTERLOOM_SEED=number others.
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { render, scenes } from '../images/scenes';
import { difference, FrameDrawer } from '../render/oracle/immediate.draw';
import { frame } from '../render/oracle/immediate.frames';
import { openReady } from './open';
import { inTurn } from '../support/combinations';
import { rounds } from '../support/rounds';

const FRAMES = rounds(8);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 11);
/** None, one, a usual number, one that divides nothing, and more than there are cores. */
const THREADS = [0, 1, 2, 3, 8] as const;
/** Arenas of a few dozen triangles, and of one or two. */
const SMALL_ARENA = 16 * 1024;
const MIN_ARENA_BYTES = 1024;

const hash = (pixels: Uint8Array): string => createHash('sha256').update(pixels).digest('hex');

interface Counted {
  readonly threads: number;
  readonly device: StatisticsDevice; /** The device's counters so far. */
  counters: Readonly<Record<string, number>>;
}
/** Returns what was counted since the last call. */
function counted(each: Counted): Record<string, number> {
  const before = each.counters;
  each.counters = each.device.statistics().counters;
  return Object.fromEntries(Object.entries(each.counters).map(([name, count]) => [name, count - before[name]!]));
}
const openAll = (options: object): Promise<Counted[]> =>
  Promise.all(
    THREADS.map(async (threads) => {
      const device = await openReady({ ...options, threads });
      return { threads, device, counters: device.statistics().counters };
    })
  );

const variants = {
  compiled: { engine: 'jit' },
  interpreted: { engine: 'interpreter' },
  'compiled, in small chunks': { engine: 'jit', arenaBytes: SMALL_ARENA },
  'interpreted, in small chunks': { engine: 'interpreter', arenaBytes: SMALL_ARENA },
} as const;

/** The picture of the first variant, by scene and samples. Engines and chunks may affect counters, but not pictures. */
const pictures = new Map<string, string>();

// Each engine and each arena once. tests/render/oracle/same-bits.test.ts checks that every engine draws the same with
// every arena; random frames below combine all of them with all numbers of workers.
// They draw every scene at one sample count, and take turns.
describe.each([
  ['compiled', 0],
  ['interpreted, in small chunks', 1],
] as const)('every scene %s', (variant, turn) => {
  const options = variants[variant];
  let all: Counted[];
  beforeAll(async () => {
    all = await openAll(options);
  });
  afterAll(() => {
    for (const { device } of all) device.destroy();
  });
  for (const [i, [name, scene]] of Object.entries(scenes).entries())
    for (const samples of inTurn(scene.samples, i + turn)) {
      test(`${name} at ${samples}`, async () => {
        const drawn = await Promise.all(
          all.map(async (each) => ({
            threads: each.threads,
            picture: hash(await render(each.device, scene, samples)),
            counters: counted(each),
          }))
        );
        const key = `${name} ${samples}`;
        const [first] = drawn;
        if (!pictures.has(key)) pictures.set(key, first!.picture);
        for (const each of drawn)
          expect(each, `by ${each.threads} workers`).toEqual({
            threads: each.threads,
            picture: pictures.get(key),
            counters: first!.counters,
          });
      });
    }
});

describe.each(
  Object.entries({
    ...variants,
    'in chunks of a triangle or two': { engine: 'jit', arenaBytes: MIN_ARENA_BYTES },
    'with a chunk after every draw': { engine: 'jit', chunkEveryDraw: true },
  } as const)
)('random frames %s', (_, options) => {
  let all: (Counted & { readonly drawer: FrameDrawer })[];
  beforeAll(async () => {
    all = (await openAll(options)).map((each) => ({ ...each, drawer: new FrameDrawer(each.device) }));
  });
  afterAll(() => {
    for (const { device } of all) device.destroy();
  });

  test(
    'have the same bytes and counts',
    async () => {
      await fc.assert(
        fc.asyncProperty(frame, async (drawn) => {
          const [expected, ...others] = await Promise.all(
            all.map(async (each) => ({
              threads: each.threads,
              planes: await each.drawer.draw(drawn),
              counters: counted(each),
            }))
          );
          for (const { threads, planes, counters } of others) {
            const found = difference(planes, expected!.planes);
            if (found !== undefined) throw new Error(`by ${threads} workers, ${found}`);
            expect(counters, `by ${threads} workers`).toEqual(expected!.counters);
          }
        }),
        { numRuns: FRAMES, seed: SEED, interruptAfterTimeLimit: 60_000 + FRAMES * 1000, markInterruptAsFailure: true }
      );
    },
    90_000 + FRAMES * 1000
  );
});
