// What is counted while passes wait for pages: queries, invocations and statistics.
import { afterEach, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../support/options';
import { SHARING_COUNTERS, counted, delayedSource, open, streamed, turn, whole, type Open } from './kit';
import { draw, type Scene } from './scenes.kit';
import { GPUTextureUsage } from '../support/flags';
import { Gate, PAGE, SCENE, SETTINGS, TEXELS } from './life.kit';

describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open | null = null;
  const start = async (more: CreateOptions = {}): Promise<Open> => (opened = await open({ ...options, ...more }));
  afterEach(() => {
    opened?.device.destroy();
    opened = null;
  });

  test('occlusion queries and counters equal those of a resident texture', async () => {
    const { device } = await start();
    const [first] = SCENE.draws;
    const scene = { ...SCENE, draws: [first!, { ...first!, discards: true, blends: true }] };
    const count = (map: GPUTexture): ReturnType<typeof counted> => counted(device, () => draw(device, map, scene, 1));
    const plain = await count(whole(device, TEXELS));
    expect(plain['fragment fs']).toBe(plain['fragmentWarps']);
    const map = streamed(device, TEXELS, { loadPage: delayedSource(TEXELS, PAGE, [1]), pageSize: PAGE });
    const found = await count(map);
    expect(found['tilesReplayed']! + found['tilesParked']!).toBeGreaterThan(0);
    const waiting = ['tilesReplayed', 'tilesParked', 'tilesOverdue', 'warpsParked', 'warpsOvertaken', 'warpsReplayed'];
    for (const name of waiting) expect(plain[name]).toBe(0);
    for (const name of [...waiting, ...SHARING_COUNTERS]) expect(found[name]).toBeGreaterThanOrEqual(0);
    if (options.alwaysShareTiles) expect(found['tilesShared']).toBe(plain['tilesShared']);
    const without = (counts: typeof plain): object =>
      Object.fromEntries(Object.entries(counts).filter(([name]) => ![...waiting, ...SHARING_COUNTERS].includes(name)));
    expect(without(found)).toEqual(without(plain));
  }, 30_000);

  test('invocation counts exclude discarded invocations', async () => {
    const { device } = await start();
    const drawn = async (map: GPUTexture): Promise<Uint8Array> => {
      const counts = device.createTexture({
        size: [SCENE.width, SCENE.height],
        format: 'r32uint',
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
      });
      const [first] = SCENE.draws;
      return draw(
        device,
        map,
        {
          ...SCENE,
          draws: [
            { ...first!, blends: true },
            { ...first!, blends: true },
          ],
          invocationCounts: counts,
        },
        1
      );
    };
    const loadPage = delayedSource(TEXELS, PAGE, [1]);
    const expectedCounts = await drawn(whole(device, TEXELS));
    const before = device.statistics().streams.parked;
    const found = await drawn(streamed(device, TEXELS, { loadPage, pageSize: PAGE }));
    expect(Buffer.compare(found, expectedCounts)).toBe(0);
    expect(new Set(new Uint32Array(expectedCounts.buffer))).toContain(2);
    expect(device.statistics().streams.parked).toBeGreaterThan(before);
  }, 30_000);

  test('statistics count waiting work and the pages that it waits for', async () => {
    const { device } = await start();
    const gate = new Gate();
    const scene: Scene = {
      ...SCENE,
      width: 128,
      height: 64,
      kind: 'level',
      sampler: {},
      draws: [{ look: { scale: 0.4, offset: [0.5, 0.5], angle: 0 }, blends: false, discards: false }],
    };
    const flat = { ...TEXELS, levels: 1 };
    const map = streamed(device, flat, { loadPage: gate.loadPage, pageSize: PAGE, maxConcurrentLoads: 100 });
    const picture = draw(device, map, scene, 1);
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await turn(1);
    };
    const streams = (): ReturnType<typeof device.statistics>['streams'] => device.statistics().streams;
    await until(() => streams().stalls.source === 1);
    const { length } = gate.waiting;
    // Two tiles wait for all pages that they read; none has arrived.
    expect(streams()).toMatchObject({
      pagesRequested: length,
      pagesLoaded: 0,
      pagesFailed: 0,
      pagesCancelled: 0,
      pagesRetried: 0,
      pagesEvicted: 0,
      parked: 2,
      replayed: 0,
      waiting: 2,
      stalls: { source: 1, loadLimit: 0, room: 0 },
    });
    gate.letGo();
    await picture;
    expect(streams()).toMatchObject({
      pagesRequested: length,
      pagesLoaded: length,
      parked: 2,
      replayed: 2,
      waiting: 0,
      stalls: { source: 1, loadLimit: 0, room: 0 },
    });
    // The same with four loads at a time: other pages take the loads until the last ones are in flight.
    const slow = streamed(device, flat, { loadPage: gate.loadPage, pageSize: PAGE, maxConcurrentLoads: 4 });
    const later = draw(device, slow, scene, 1);
    await until(() => streams().stalls.loadLimit === 1);
    expect(gate.waiting).toHaveLength(4);
    expect(streams().waiting).toBe(2);
    gate.isOpen = true;
    gate.letGo();
    expect(Buffer.compare(await later, await picture)).toBe(0);
    expect(streams()).toMatchObject({ parked: 4, replayed: 4, waiting: 0, pagesLoaded: 2 * length });
  }, 30_000);
});
