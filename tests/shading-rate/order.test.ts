// Invocations run only for what is visible. At every rate, opaque triangles front to back cost the same as back to
// front, and a coarse pixel that is occluded later costs nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, expectPicture, open, Painter } from './kit';
import { RATES } from './rates';
import { render, type DepthTable, type Scene, type Triangle } from './reference';
import { drawOf, everywhere, sceneOf, triangleOf } from './scenes';

const WIDTH = 101;
const HEIGHT = 75;
const LAYERS = 24;

/** From 0 (inclusive) to 1 (exclusive). */
const scattered = (n: number): number => (((n * 2654435761) >>> 8) & 0xffff) / 65536;
/** Nearest first, in parallel planes: no two share a depth. */
const layers: readonly Triangle[] = Array.from({ length: LAYERS }, (_, layer) => {
  const size = 12 + 12 * (layer % 5);
  const x = scattered(layer * 7) * 90;
  const y = scattered(layer * 7 + 1) * 65;
  const corners = [0, 1, 2, 3, 4, 5].map(
    (k) => Math.round(((k % 2 ? y : x) + (scattered(layer * 7 + k + 1) - 0.3) * size) * 16) / 16
  );
  const depths = [0, 1, 2].map((k) => 0.0625 + layer / 64 + (corners[2 * k]! + 2 * corners[2 * k + 1]!) / 4096);
  return triangleOf(corners, 0, { depths, id: layer + 1, slope: 0 });
});
const TABLE: DepthTable = {
  near: 0.0625,
  far: 0.5,
  count: 8,
  rounding: 'floor',
  at: 'centre',
  rates: ['1x1', '1x2', '2x1', '2x2', '2x4', '4x2', '4x4', '2x2'],
};

let painter: Painter;
beforeAll(async () => {
  painter = new Painter(await open(engines['compiled']!));
});
afterAll(() => painter.device.destroy());

describe.each([1, 4, 8] as const)('at %d samples', (samples) => {
  async function sameEitherWay(scene: (triangles: readonly Triangle[]) => Scene): Promise<void> {
    const forth = scene(layers);
    const back = scene(layers.toReversed());
    const wanted = render(forth);
    const { threads, pixels, lookUps } = wanted;
    for (const one of [forth, back]) {
      const drawn = await painter.draw(one);
      expectPicture(one, drawn, wanted);
      expect(drawn).toMatchObject({ threads, pixels, lookUps });
    }
  }

  test.each(RATES)('draw calls in either order run the same invocations: %s', async (rate) => {
    for (const derivatives of [false, true])
      await sameEitherWay((triangles) =>
        sceneOf(
          WIDTH,
          HEIGHT,
          triangles.map((triangle) => drawOf([triangle], { rate, derivatives })),
          { samples }
        )
      );
  });

  test('triangles of one draw call run the same invocations, and rates are looked up for visible ones', async () => {
    const scene = (triangles: readonly Triangle[]): Scene =>
      sceneOf(WIDTH, HEIGHT, [drawOf(triangles)], { samples, depth: TABLE });
    expect(render(scene(layers)).lookUps).toBeGreaterThan(200);
    await sameEitherWay(scene);
  });
});

const SIZE = 16;
const whole = everywhere(SIZE, SIZE);
test('coarse pixels whose pixels are all occluded later run no invocation', async () => {
  const scene = sceneOf(SIZE, SIZE, [
    drawOf([triangleOf(whole, 0.75)], { rate: '2x4' }),
    drawOf([triangleOf(whole, 0.5)], { rate: '4x4' }),
  ]);
  const { threads, pixels } = await painter.draw(scene);
  expect(threads).toMatchObject({ '2x4': 0, '4x4': (SIZE * SIZE) / 16, '1x1': 0 });
  expect(pixels).toMatchObject({ '2x4': 0, '4x4': SIZE * SIZE });
});

test('a coarse pixel with a single visible pixel runs one invocation', async () => {
  const near = triangleOf(whole, 0.5);
  const rate = '4x4';
  // Everything but the pixel at (5, 6).
  const around = [
    [0, 0, 5, 16],
    [6, 0, 10, 16],
    [5, 0, 1, 6],
    [5, 7, 1, 9],
  ] as const;
  const scene = sceneOf(SIZE, SIZE, [
    drawOf([triangleOf(whole, 0.75)], { rate: '2x2' }),
    ...around.map((scissor) => drawOf([near], { scissor, rate })),
  ]);
  const drawn = await painter.draw(scene);
  const wanted = render(scene);
  expectPicture(scene, drawn, wanted);
  expect(drawn.threads).toEqual(wanted.threads);
  expect(drawn.threads['2x2']).toBe(1);
  expect(drawn.pixels['2x2']).toBe(1);
});
