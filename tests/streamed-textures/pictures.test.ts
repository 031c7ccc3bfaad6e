// Pictures of streamed textures are those of textures whose texels are all there, bit for bit: whatever reads them,
// whichever engine and workers run it, and in whichever order pages come, go, and come again.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../../src/index';
import { draw, kinds, open, pageOf, streamed, whole, type Open, type Scene, type Texels } from './kit';

const SETTINGS: Record<string, CreateOptions> = {
  'the calling thread, JIT': { threads: 0, engine: 'jit' },
  'the calling thread, interpreted': { threads: 0, engine: 'interpreter' },
  'the scalar kernel': { threads: 0, simd: false }, 'two workers, JIT': { threads: 2, engine: 'jit' },
  'four workers, interpreted': { threads: 4, engine: 'interpreter' },
};
const FORMATS: readonly (readonly [GPUTextureFormat, number])[] = [
  ['rgba8unorm', 4], ['rgba8unorm-srgb', 4], ['bgra8unorm', 4], ['rg8unorm', 2], ['r8unorm', 1], ['rgba16float', 8],
  ['rgba8snorm', 4],
];

const texelsOf = fc.record({
  format: fc.constantFrom(...FORMATS), width: fc.integer({ min: 20, max: 300 }),
  height: fc.integer({ min: 20, max: 300 }),
  layers: fc.integer({ min: 1, max: 3 }), levels: fc.integer({ min: 1, max: 8 }),
}).map(({ format: [format, texelBytes], width, height, layers, levels }): Texels => ({
  format, texelBytes, width, height, layers, levels: Math.min(levels, 32 - Math.clz32(Math.max(width, height))),
}));
const look = fc.record({
  scale: fc.double({ min: 0.05, max: 2, noNaN: true }), angle: fc.double({ min: 0, max: 6, noNaN: true }),
  offset: fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })),
});
const address = fc.constantFrom<GPUAddressMode>('clamp-to-edge', 'repeat', 'mirror-repeat');
const filter = fc.constantFrom<GPUFilterMode>('nearest', 'linear');
const sampler = fc.record({
  addressModeU: address, addressModeV: address, magFilter: filter, minFilter: filter, mipmapFilter: filter,
  maxAnisotropy: fc.constantFrom(1, 1, 4),
}).map((d) => (d.maxAnisotropy > 1
  ? { ...d, magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' } as const
  : d));
const scenes = fc.record({
  width: fc.integer({ min: 20, max: 150 }), height: fc.integer({ min: 20, max: 150 }),
  samples: fc.constantFrom(1, 1, 4),
  kind: fc.constantFrom(...kinds), sampler,
  draws: fc.array(fc.record({ look, blends: fc.boolean(), discards: fc.boolean() }), { minLength: 1, maxLength: 3 }),
});
const sources = fc.record({
  pageSize: fc.constantFrom(16, 16, 32), outstanding: fc.integer({ min: 1, max: 9 }),
  /** Beside what is always there, in pages, to begin with; and delays of pages, in turn. */
  room: fc.integer({ min: 1, max: 12 }),
  delays: fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 1, maxLength: 5 }),
});

describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => { opened = await open(options); });
  afterAll(() => opened.device.destroy());

  test('pictures do not depend on what is there', async () => {
    const { device, errors } = opened;
    await fc.assert(fc.asyncProperty(texelsOf, scenes, sources, async (texels, scene, source) => {
      const { pageSize, outstanding, room, delays } = source;
      const tail = Array.from({ length: texels.levels }, (__, level) => [texels.width >> level, texels.height >> level])
        .filter(([w, h]) => w! <= pageSize && h! <= pageSize).length * texels.layers;
      const all = whole(device, texels), expected = await draw(device, all, scene as Scene, texels.layers);
      let calls = 0, under = 0, most = 0;
      // As little as one tile gets along with, and some pages more.
      for (let budgetPages = tail + room; ; budgetPages += Math.ceil(budgetPages / 4)) {
        const map = streamed(device, texels, {
          pageSize, outstanding, budget: budgetPages * (pageSize * pageSize * texels.texelBytes + 32),
          loadPage: async (level, x, y, layer) => {
            most = Math.max(most, ++under);
            const delay = delays[calls++ % delays.length]!;
            if (delay >= 0) await new Promise((turn) => setTimeout(turn, delay));
            under--;
            return pageOf(texels, pageSize, level, x, y, layer);
          },
        });
        errors.length = 0;
        let isShort = false;
        for (let frame = 0; frame < 2 && !isShort; frame++) {
          const found = await draw(device, map, scene as Scene, texels.layers);
          isShort = errors.some((message) => message.includes('stream.budget'));
          if (isShort) continue;
          expect(errors).toEqual([]);
          expect(Buffer.compare(found, expected)).toBe(0);
        }
        map.destroy();
        if (!isShort) break;
        most = under = 0;
      }
      await device.queue.onSubmittedWorkDone();
      expect(most).toBeLessThanOrEqual(outstanding);
      all.destroy();
    }), { numRuns: 25 });
    const { counters, streams } = device.statistics();
    expect(counters['tilesAgain']).toBeGreaterThan(25);
    expect(streams.pagesEvicted).toBeGreaterThan(0);
    expect(streams).toMatchObject({ pagesFailed: 0, pageBytes: 0 });
  }, 120_000);
});
