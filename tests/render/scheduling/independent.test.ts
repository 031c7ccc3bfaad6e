// Compares out-of-order draw calls with all permitted results: each pixel has one of the results that its own fragments
// can produce. The `shuffle` option makes schedules random.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ALL,
  draw,
  fragmentsAt,
  independent,
  isStrict,
  open,
  received,
  type Layer,
  type Picture,
} from './independent.kit';
import { rounds } from '../../support/rounds';

const WORKERS = [0, 1, 2, 3] as const;
const ENGINES = ['jit', 'interpreter'] as const;

/** Fails if a pixel has a result that is not permitted. Returns how many pixels differ from draw calls in order. */
function check(layers: readonly Layer[], inOrder: Picture, found: Picture): number {
  const known = new Map<string, { readonly first: string; readonly legal: ReadonlySet<string> }>();
  let different = 0;
  for (const [i, pixel] of found.entries()) {
    const fragments = fragmentsAt(layers, i);
    const key = fragments.map(({ layer, z }) => `${layers.indexOf(layer)} ${z}`).join();
    const { first, legal } = known.get(key) ?? { first: received(fragments), legal: independent(fragments) };
    known.set(key, { first, legal });
    const ordered = inOrder[i]!.join();
    const is = pixel.join();
    if (ordered !== first) expect.fail(`in order, pixel ${i} is ${ordered}, not ${first}`);
    if (!legal.has(is)) expect.fail(`pixel ${i} is ${is}, which is none of ${[...legal].join(' | ')}`);
    const isAlone = fragments.length < 2 || fragments.every(({ layer }) => isStrict(layer));
    if (isAlone && is !== ordered) expect.fail(`pixel ${i}, whose order cannot show, is ${is}, not ${ordered}`);
    if (is !== ordered) different++;
  }
  return different;
}

const rectangle = {
  w: 70,
  h: 60,
  compare: 'always',
  writesDepth: false,
  blends: false,
  writeMask: ALL,
  hasHoles: false,
  hasDepth: false,
} as const;
/** Two layers of different materials that overlap across the edge of a tile. */
const two = (parts: Partial<Layer>, second: Partial<Layer> = parts): readonly Layer[] => [
  { ...rectangle, x: 10, y: 20, color: [15, 3, 0], depth: 20, material: 0, ...parts },
  { ...rectangle, x: 40, y: 30, color: [1, 9, 12], depth: 20, material: 1, ...second },
];

describe.each(
  Object.entries({
    'that give the same depth of their own': two({ compare: 'less', writesDepth: true, hasDepth: true }),
    'that discard, at one depth': two({ compare: 'less', writesDepth: true, hasHoles: true }),
    'that write some channels each': two({ writeMask: 3 }, { writeMask: 6 }),
  })
)('two draw calls %s', (_, layers) => {
  test.each(ENGINES)('are sequential in order, and give either result out of order, %s', async (engine) => {
    const inOrder = await open({ engine, threads: 0 });
    const expected = await draw(inOrder, layers, 'received');
    inOrder.destroy();
    let different = 0;
    for (const threads of [0, 2]) {
      for (let shuffle = 1; shuffle <= 3; shuffle++) {
        const device = await open({ engine, threads, shuffle });
        expect(check(layers, expected, await draw(device, layers, 'received'))).toBe(0);
        different += check(layers, expected, await draw(device, layers, 'independent'));
        device.destroy();
      }
    }
    expect(different).toBeGreaterThan(0);
  });
});

test('out-of-order draw calls of all kinds give permitted results', async () => {
  const side = fc.integer({ min: 8, max: 100 });
  const part = fc.nat(15);
  const place = fc.integer({ min: 0, max: 100 });
  const kind = fc.constantFrom<Partial<Layer>>(
    { compare: 'less', writesDepth: true },
    { blends: true },
    { blends: true, compare: 'less' },
    { hasHoles: true, compare: 'less', writesDepth: true },
    { hasHoles: true, blends: true },
    { hasDepth: true, compare: 'less', writesDepth: true },
    { hasDepth: true, hasHoles: true, compare: 'less', writesDepth: true },
    { writeMask: 3 },
    { writeMask: 12, compare: 'less' },
    { writeMask: 5, compare: 'less', writesDepth: true },
    { writeMask: 6, blends: true },
    {}
  );
  const scenes = fc.array(
    fc
      .tuple(
        kind,
        fc.record({
          x: place,
          y: place,
          w: side,
          h: side,
          color: fc.tuple(part, part, part),
          material: fc.nat(2),
          depth: fc.integer({ min: 20, max: 25 }),
        })
      )
      .map(([of, layer]): Layer => ({ ...rectangle, ...layer, ...of })),
    { minLength: 2, maxLength: 7 }
  );
  let different = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        scene: scenes,
        threads: fc.constantFrom(...WORKERS),
        engine: fc.constantFrom(...ENGINES),
        shuffle: fc.integer({ min: 1, max: 0xffff_ffff }),
      }),
      async ({ scene, ...options }) => {
        const device = await open(options);
        different += check(scene, await draw(device, scene, 'received'), await draw(device, scene, 'independent'));
        device.destroy();
      }
    ),
    { numRuns: rounds(16) }
  );
  expect(different).toBeGreaterThan(0);
});
