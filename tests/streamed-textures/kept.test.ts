// Warps that wait for pages are parked and their tile is retained (`create({ scheduler })`). Shaded fragments are not
// shaded again, and the picture and all other counters equal those of a resident texture.
import { afterEach, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import { immediateSource, counted, delayedSource, open, streamed, whole, type Open, type Texels } from './kit';
import { draw, type Scene } from './scenes.kit';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 1024, height: 1024, layers: 1, levels: 1 };
const PAGE = 64;

/** Nine tiles, each of which reads some 16 pages. */
const scene = (offset: number, layers: number, discards = false): Scene => ({
  width: 180,
  height: 180,
  samples: 1,
  kind: 'implicit',
  sampler: { addressModeU: 'repeat', addressModeV: 'repeat' },
  draws: Array.from({ length: layers }, (_, i) => ({
    look: { scale: 0.3 + 0.01 * i, offset: [offset, 0.4], angle: 0.2 * i },
    blends: i > 0 && !discards,
    discards,
  })),
});

type Counts = Awaited<ReturnType<typeof counted>>;
const ABOUT_WAITING = [
  'warpsParked',
  'warpsOvertaken',
  'warpsReplayed',
  'tilesParked',
  'tilesOverdue',
  'tilesReplayed',
];
const others = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => !ABOUT_WAITING.includes(name)));

let opened: Open | null = null;
afterEach(() => {
  opened?.device.destroy();
  opened = null;
});

/** Returns the counters of a frame for which the previous frame has loaded most pages. Checks its picture, too. */
async function secondFrame(options: CreateOptions, layers: number, discards = false): Promise<Counts> {
  opened = await open(options);
  const { device, errors } = opened;
  const map = streamed(device, TEXELS, {
    pageSize: PAGE,
    maxConcurrentLoads: 50,
    loadPage: delayedSource(TEXELS, PAGE, [0, 1, 3]),
  });
  const first = scene(0.4, layers, discards);
  const second = scene(0.45, layers, discards);
  await draw(device, map, first, 1);
  const all = whole(device, TEXELS);
  let expected = new Uint8Array();
  let found = expected;
  const there = await counted(device, async () => {
    expected = (await draw(device, all, second, 1)) as typeof expected;
  });
  const late = await counted(device, async () => {
    found = (await draw(device, map, second, 1)) as typeof found;
  });
  expect(Buffer.compare(found, expected)).toBe(0);
  expect(others(late)).toEqual(others(there));
  for (const name of ABOUT_WAITING) expect(there[name]).toBe(0);
  expect(errors).toEqual([]);
  return late;
}

const ENGINES: Readonly<Record<string, CreateOptions>> = {
  'the calling thread': { threads: 0, engine: 'jit' },
  'two workers, interpreted': { threads: 2, engine: 'interpreter' },
  'three workers': { threads: 3, engine: 'jit' },
  'the scalar kernel': { threads: 0, simd: false },
};

describe.each(Object.entries(ENGINES))('with %s', (_, options) => {
  test.each([1, 3])('with %i layers, only parked warps run again', async (layers) => {
    const { warpsParked, warpsReplayed, tilesParked, tilesReplayed, fragmentWarps } = await secondFrame(
      { ...options, scheduler: { slots: 16, warps: 512 } },
      layers
    );
    expect(tilesReplayed).toBe(0);
    expect(tilesParked).toBeGreaterThan(1);
    expect(warpsParked).toBeGreaterThan(2);
    expect(warpsParked).toBeLessThan(fragmentWarps! * 0.8);
    // Each warp is replayed once, or more often if its pages arrive one after the other.
    expect(warpsReplayed).toBeGreaterThanOrEqual(warpsParked!);
  });

  test('work that cannot be parked, or would exceed the limits, is replayed with its tile', async () => {
    const few = await secondFrame({ ...options, scheduler: { warps: 1 } }, 3);
    expect(few['tilesReplayed']).toBeGreaterThan(0);
    opened!.device.destroy();
    const late = await secondFrame({ ...options, scheduler: { slots: 16, warps: 512 } }, 2, true);
    expect(late['tilesReplayed']).toBeGreaterThan(0);
  });

  test('with run-to-completion, no warp is parked', async () => {
    expect(await secondFrame({ ...options, scheduler: { runToCompletion: true } }, 3)).toMatchObject({
      warpsParked: 0,
      warpsReplayed: 0,
      tilesParked: 0,
      tilesOverdue: 0,
    });
    expect(
      (await secondFrame({ ...options, scheduler: { runToCompletion: true } }, 3))['tilesReplayed']
    ).toBeGreaterThan(1);
  });
});

test.each([
  ['has its turn before others', 1],
  ['waits until nobody has a turn', 1 << 30],
] as const)(
  'a tile that could run for long %s',
  async (_, timeoutMs) => {
    opened = await open({ threads: 0, engine: 'interpreter', scheduler: { slots: 16, timeoutMs } });
    const { device } = opened;
    const big = { ...scene(0.4, 3), width: 700, height: 700 };
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      maxConcurrentLoads: 50,
      loadPage: immediateSource(TEXELS, PAGE),
    });
    const { tilesParked, tilesOverdue } = await counted(device, () => draw(device, map, big, 1));
    expect(tilesParked).toBeGreaterThan(1);
    if (timeoutMs === 1) expect(tilesOverdue).toBeGreaterThan(0);
    else expect(tilesOverdue).toBe(0);
  },
  60_000
);

test('invalid scheduler options are rejected', async () => {
  const { create } = await builtPackage();
  for (const [scheduler, message] of [
    [3, 'TypeError: create: scheduler must be an object, not 3'],
    [
      { slot: 3 },
      'TypeError: create: scheduler: unknown member "slot"; known members are "slots", "warps", "timeoutMs", '
        + '"budgets", "priority", "lockstepQuads", "runToCompletion"',
    ],
    [{ slots: 33 }, 'RangeError: create: scheduler.slots must be a whole number from 2 to 32, not 33'],
    [
      { slots: 1 },
      'RangeError: create: scheduler.slots must be a whole number from 2 to 32, not 1: while one tile waits, '
        + 'another is drawn. To run each tile to completion, set runToCompletion: true',
    ],
    [{ warps: 0 }, 'RangeError: create: scheduler.warps must be a whole number from 1 to 4096, not 0'],
    [{ timeoutMs: 0 }, 'RangeError: create: scheduler.timeoutMs must be a whole number from 1 to 2147483647, not 0'],
    [{ priority: 'age' }, 'TypeError: create: scheduler.priority must be "pixel", "vertex", not "age"'],
    [{ budgets: 1 }, 'TypeError: create: scheduler.budgets must be an object of numbers of workers, not 1'],
    [
      { budgets: { rows: 1 } },
      'TypeError: create: scheduler.budgets: unknown member "rows"; known members are "vertex", "pixel"',
    ],
    [
      { budgets: { pixel: 0 } },
      'RangeError: create: scheduler.budgets.pixel must be a whole number from 1 to 64, not 0',
    ],
    [
      { budgets: { vertex: -1 } },
      'RangeError: create: scheduler.budgets.vertex must be a whole number from 0 to 64, not -1',
    ],
  ] as const) {
    let said = '';
    try {
      create({ scheduler } as CreateOptions);
    } catch (error) {
      said = String(error);
    }
    expect(said).toBe(message);
  }
});
