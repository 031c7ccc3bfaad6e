// Requests for pages: prefetching, priorities, repetition after failures, and cancellation.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { StreamedTexture, TexturePage, TextureRegion, TextureStream } from '../../src/index';
import { budgetOf, open, streamed, turn, whole, type Open } from './kit';
import { draw, type Scene } from './scenes.kit';
import { bytesOf, Gate, PAGE, SCENE, settled, TEXELS } from './life.kit';

let opened: Open;
let expected: Uint8Array;
beforeAll(async () => {
  opened = await open({ threads: 2 });
  const map = whole(opened.device, TEXELS);
  expected = await draw(opened.device, map, SCENE, 1);
  map.destroy();
});
beforeEach(() => void opened.errors.splice(0));
afterAll(() => opened.device.destroy());

const create = (stream: TextureStream): StreamedTexture =>
  streamed(opened.device, TEXELS, { pageSize: PAGE, ...stream }) as StreamedTexture;
const counts = (): Record<'requested' | 'loaded' | 'cancelled' | 'retried', number> => {
  const { pagesRequested, pagesLoaded, pagesCancelled, pagesRetried } = opened.device.statistics().streams;
  return { requested: pagesRequested, loaded: pagesLoaded, cancelled: pagesCancelled, retried: pagesRetried };
};

test('a pass does not wait for pages that were prefetched', async () => {
  const { device, errors } = opened;
  const map = create({ loadPage: bytesOf });
  const found = [];
  for (let mipLevel = 0; mipLevel < TEXELS.levels; mipLevel++) found.push(await map.prefetch({ mipLevel }));
  expect(found).toEqual([64, 16, 4, 1, 1, 1, 1, 1, 1, 1].map((resident) => ({ resident, missing: 0 })));
  const before = device.statistics().streams;
  expect(Buffer.compare(await draw(device, map, SCENE, 1), expected)).toBe(0);
  expect(device.statistics().streams).toEqual(before);
  expect(errors).toEqual([]);
  map.destroy();
});

test('prefetch() loads the pages that a region touches', async () => {
  const asked: string[] = [];
  const map = create({
    loadPage: (level, x, y, layer) => {
      if (level < 3) asked.push([level, x, y].join());
      return bytesOf(level, x, y, layer);
    },
  });
  expect(await map.prefetch({ mipLevel: 1, origin: [63, 128], size: [2, 64] })).toEqual({ resident: 2, missing: 0 });
  expect(await map.prefetch({ origin: { x: 500, y: 511 } })).toEqual({ resident: 1, missing: 0 });
  expect(asked).toEqual(['1,0,2', '1,1,2', '0,7,7']);
  map.destroy();
});

test('prefetch() loads what the budget holds, and keeps what passes have read', async () => {
  const { device, errors } = opened;
  const map = create({ loadPage: bytesOf, budget: budgetOf(TEXELS, PAGE, 20) });
  expect(await map.prefetch()).toEqual({ resident: 25, missing: 39 });
  expect(Buffer.compare(await draw(device, map, SCENE, 1), expected)).toBe(0);
  const { pagesRequested } = device.statistics().streams;
  const { resident, missing } = await map.prefetch();
  expect(resident + missing).toBe(64);
  expect(Buffer.compare(await draw(device, map, SCENE, 1), expected)).toBe(0);
  // The second pass has found all of its pages.
  expect(device.statistics().streams.pagesRequested - pagesRequested).toBeLessThanOrEqual(25);
  expect(errors).toEqual([]);
  map.destroy();
});

test('prefetch() of a failing page resolves, and so does that of a texture that is destroyed', async () => {
  const gate = new Gate();
  const map = create({
    loadPage: (level, x, y, layer, signal) => {
      if (level === 0 && x === 0) throw new Error('gone');
      return gate.loadPage(level, x, y, layer, signal);
    },
  });
  expect(await map.prefetch({ size: [64, 128] })).toEqual({ resident: 0, missing: 2 });
  const prefetched = map.prefetch({ origin: [64, 0], size: [64, 64] });
  expect(await settled(prefetched)).toBe(false);
  map.destroy();
  expect(await prefetched).toEqual({ resident: 0, missing: 1 });
  await expect(map.prefetch()).rejects.toThrow('[Texture "map"] prefetch: it is destroyed');
});

test.each([
  [{ mipLevel: 10 }, 'mipLevel 10 exceeds the last level 9'],
  [
    { mipLevel: 1, origin: [200, 0], size: [64, 1] },
    'the region of 64×1×1 texels at (200, 0, 0) is not within the 256×256×1 of its level',
  ],
  [{ size: [0, 4] }, 'the region of 0×4×1 texels at (0, 0, 0) is not within the 512×512×1 of its level'],
  [{ origin: [0, 0, 1] }, 'the region of 512×512×0 texels at (0, 0, 1) is not within the 512×512×1 of its level'],
  [{ level: 1 }, 'level'],
])('prefetch(%o) is an error', async (region, message) => {
  const map = create({ loadPage: bytesOf });
  await expect(map.prefetch(region as TextureRegion)).rejects.toThrow(message);
  map.destroy();
});

test('pages with a greater priority are loaded first', async () => {
  const { device } = opened;
  const asked: TexturePage[] = [];
  const gate = new Gate();
  const map = create({
    maxConcurrentLoads: 1,
    priority: ({ level, x, y }) => (level > 2 ? 1000 : -Math.hypot(x - 4, y - 4)),
    loadPage: async (level, x, y, layer, signal) => {
      if (level < 3) asked.push({ level, x, y, layer });
      return gate.loadPage(level, x, y, layer, signal);
    },
  });
  const prefetched = map.prefetch({ mipLevel: 0, origin: [128, 128], size: [320, 320] });
  gate.isOpen = true;
  for (let i = 0; i < 3; i++, await turn()) gate.letGo();
  await prefetched;
  const distances = asked.map(({ x, y }) => Math.hypot(x - 4, y - 4));
  // The first one began before the others were known.
  expect(distances.slice(1)).toEqual(distances.slice(1).toSorted((a, b) => a - b));
  expect(distances).toHaveLength(25);
  expect(Buffer.compare(await draw(device, map, SCENE, 1), expected)).toBe(0);
  map.destroy();
});

test('a pass waits until a failed load has been repeated', async () => {
  const { device, errors } = opened;
  const failures = new Map<string, number>();
  const attempts: number[] = [];
  const before = counts();
  const map = create({
    retry: (attempt, error) => {
      expect((error as Error).message).toBe('503');
      attempts.push(attempt);
      return attempt <= 2 ? attempt : null;
    },
    loadPage: (level, x, y, layer) => {
      const name = [level, x, y].join();
      const failed = failures.get(name) ?? 0;
      failures.set(name, failed + 1);
      if (level < 3 && failed < 2) throw new Error('503');
      return bytesOf(level, x, y, layer);
    },
  });
  expect(Buffer.compare(await draw(device, map, SCENE, 1), expected)).toBe(0);
  expect(errors).toEqual([]);
  expect(new Set(attempts)).toEqual(new Set([1, 2]));
  const after = counts();
  expect(after.retried - before.retried).toBe(attempts.length);
  expect(after.requested - before.requested).toBe(failures.size);
  expect(after.loaded - before.loaded).toBe(failures.size);
  map.destroy();
});

test('the other loads of a pass that has failed are cancelled', async () => {
  const { device, errors } = opened;
  const gate = new Gate();
  const before = counts();
  let count = 0;
  const map = create({
    maxConcurrentLoads: 4,
    loadPage: (level, x, y, layer, signal) => {
      if (level > 2) return bytesOf(level, x, y, layer);
      return ++count === 4 ? Promise.reject(new Error('gone')) : gate.loadPage(level, x, y, layer, signal);
    },
  });
  await draw(device, map, SCENE, 1);
  expect(errors).toEqual([expect.stringContaining('could not be loaded: gone')]);
  expect(gate.waiting.length).toBeGreaterThanOrEqual(3);
  expect(gate.waiting.every(({ signal }) => signal.aborted)).toBe(true);
  expect(counts().cancelled - before.cancelled).toBe(gate.waiting.length);
  errors.length = 0;
  // Their answers come too late, and the pages are requested again.
  gate.letGo();
  gate.isOpen = true;
  expect(Buffer.compare(await draw(device, map, SCENE, 1), expected)).toBe(0);
  expect(errors).toEqual([]);
  map.destroy();
});

test('best-available mode cancels loads that 16 passes did not need', async () => {
  const { device, errors } = opened;
  const gate = new Gate();
  const map = create({
    late: 'resident',
    loadPage: (level, x, y, layer, signal) =>
      level > 2 ? bytesOf(level, x, y, layer) : gate.loadPage(level, x, y, layer, signal),
  });
  const far: Scene = {
    ...SCENE,
    draws: [{ look: { scale: 8, offset: [0, 0], angle: 0 }, blends: false, discards: false }],
  };
  await draw(device, map, SCENE, 1);
  const { waiting } = gate;
  expect(waiting.length).toBeGreaterThan(0);
  for (let passes = 0; passes < 17; passes++) {
    expect(waiting.some(({ signal }) => signal.aborted)).toBe(false);
    await draw(device, map, far, 1);
  }
  expect(waiting.every(({ signal }) => signal.aborted)).toBe(true);
  expect(errors).toEqual([]);
  map.destroy();
});
