// Pictures of streamed textures are bit-identical to those of resident textures: with any kind of read, any engine and
// number of workers, and in whichever order pages are loaded and evicted.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHARED_TILES, sourceInTurns, open, pages, SETTINGS, streaming, whole, type Open, type Texels } from './kit';
import { draw, kinds, type Scene } from './scenes.kit';
import { rounds } from '../support/rounds';

const FORMATS: readonly (readonly [GPUTextureFormat, number])[] = [
  ['rgba8unorm', 4],
  ['rgba8unorm-srgb', 4],
  ['bgra8unorm', 4],
  ['rg8unorm', 2],
  ['r8unorm', 1],
  ['rgba16float', 8],
  ['rgba8snorm', 4],
];

const texelsOf = fc
  .record({
    format: fc.constantFrom(...FORMATS),
    width: fc.integer({ min: 20, max: 300 }),
    height: fc.integer({ min: 20, max: 300 }),
    layers: fc.integer({ min: 1, max: 3 }),
    levels: fc.integer({ min: 1, max: 8 }),
  })
  .map(({ format: [format, texelBytes], width, height, layers, levels }): Texels => ({
    format,
    texelBytes,
    width,
    height,
    layers,
    levels: Math.min(levels, 32 - Math.clz32(Math.max(width, height))),
  }));
const look = fc.record({
  scale: fc.double({ min: 0.05, max: 2, noNaN: true }),
  angle: fc.double({ min: 0, max: 6, noNaN: true }),
  offset: fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })),
});
const address = fc.constantFrom<GPUAddressMode>('clamp-to-edge', 'repeat', 'mirror-repeat');
const filter = fc.constantFrom<GPUFilterMode>('nearest', 'linear');
const sampler = fc
  .record({
    addressModeU: address,
    addressModeV: address,
    magFilter: filter,
    minFilter: filter,
    mipmapFilter: filter,
    maxAnisotropy: fc.constantFrom(1, 1, 4),
  })
  .map((d) =>
    d.maxAnisotropy > 1 ? ({ ...d, magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' } as const) : d
  );
const scenes = fc.record({
  width: fc.integer({ min: 20, max: 150 }),
  height: fc.integer({ min: 20, max: 150 }),
  samples: fc.constantFrom(1, 1, 4),
  kind: fc.constantFrom(...kinds),
  sampler,
  draws: fc.array(fc.record({ look, blends: fc.boolean(), discards: fc.boolean() }), { minLength: 1, maxLength: 3 }),
});
/** The budget holds the pages of one tile but not those of all tiles, so pages are evicted. */
const EVICTS = [
  { format: 'rgba8unorm', texelBytes: 4, width: 300, height: 300, layers: 1, levels: 1 },
  {
    width: 150,
    height: 150,
    samples: 1,
    kind: 'implicit',
    sampler: { magFilter: 'nearest', minFilter: 'nearest', mipmapFilter: 'nearest' },
    draws: [{ look: { scale: 0.5, angle: 0, offset: [0.5, 0.5] }, blends: false, discards: false }],
  },
  16,
  { maxConcurrentLoads: 8, room: 12, delays: [-1] },
] as const;
/** What waits, and for how long. */
const SCHEDULERS: typeof SETTINGS = {
  'one worker, many tiles in work': { threads: 1, scheduler: { slots: 32, warps: 1000, timeoutMs: 1 } },
  'three workers, two tiles of few warps': { threads: 3, engine: 'jit', scheduler: { slots: 2, warps: 3 } },
  'two workers, to completion': { threads: 2, scheduler: { runToCompletion: true } },
  'three at every tile, interpreted': { ...SHARED_TILES, engine: 'interpreter' },
  'two at every tile, with little room': { ...SHARED_TILES, threads: 2, scheduler: { slots: 2, warps: 3 } },
};

describe.each(Object.entries({ ...SETTINGS, ...SCHEDULERS }))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(() => opened.device.destroy());

  test('pictures do not depend on residency', async () => {
    const { device } = opened;
    const pageSizes = fc.constantFrom(16, 16, 32);
    await fc.assert(
      fc.asyncProperty(texelsOf, scenes, pageSizes, pages(12), async (texels, scene, pageSize, from) => {
        const all = whole(device, texels);
        const frame = (map: GPUTexture): Promise<Uint8Array> => draw(device, map, scene as Scene, texels.layers);
        const expected = await frame(all);
        let most = 0;
        const source = (): ReturnType<typeof sourceInTurns> => {
          const load = sourceInTurns(texels, pageSize, from.delays);
          let under = 0;
          return async (...page) => {
            most = Math.max(most, ++under);
            const bytes = await load(...page);
            under--;
            return bytes;
          };
        };
        const found = await streaming(
          opened,
          texels,
          pageSize,
          from,
          async (map) => [await frame(map), await frame(map)],
          source
        );
        for (const one of found) expect(Buffer.compare(one, expected)).toBe(0);
        await device.queue.onSubmittedWorkDone();
        expect(most).toBeLessThanOrEqual(from.maxConcurrentLoads);
        all.destroy();
      }),
      { numRuns: rounds(6), examples: [EVICTS as never] }
    );
    const { counters, streams } = device.statistics();
    expect(counters['tilesReplayed']! + counters['tilesParked']!).toBeGreaterThan(10);
    // Warps of a shared tile are not parked.
    if (options.alwaysShareTiles) {
      expect(counters['tilesShared']).toBeGreaterThan(20);
      expect(counters['tilesJoined']).toBeGreaterThan(20);
    } else if (!options.scheduler?.runToCompletion) expect(counters['warpsReplayed']).toBeGreaterThan(2);
    expect(streams.pagesEvicted).toBeGreaterThan(0);
    expect(streams.pageBytes).toBe(0);
  }, 120_000);
});
