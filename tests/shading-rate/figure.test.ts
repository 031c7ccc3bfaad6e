// The triangle of the second figure in the description of depth-based shading rate: within 6×6 pixels it covers 23
// pixels, and 8 of the nine 2×2 blocks.
import { describe, expect, test } from 'vitest';
import { engines, expectPicture, open, Painter } from './kit';
import { RATES } from './rates';
import { render } from './reference';
import { drawOf, sceneOf, triangleOf } from './scenes';

const SIZE = 10;
/** In the pixels from 2 to 7. The vertices extend beyond, but only as far as no other pixel's center is covered. */
const CORNERS = [8.5, 2.5, 1.75, 2, 3.25, 8.25];
const THREADS = { '1x1': 23, '1x2': 13, '2x1': 14, '2x2': 8, '2x4': 6, '4x2': 6, '4x4': 4 } as const;

const sceneAt = (rate: (typeof RATES)[number]): ReturnType<typeof sceneOf> =>
  sceneOf(SIZE, SIZE, [drawOf([triangleOf(CORNERS)], { rate })]);

test('the triangle covers pixels within 6×6 only', () => {
  const { texels } = render(sceneAt('1x1'));
  const xs = new Set<number>();
  const ys = new Set<number>();
  for (let pixel = 0; pixel < SIZE * SIZE; pixel++) {
    if (texels[pixel * 12] === 0) continue;
    xs.add(pixel % SIZE);
    ys.add(Math.floor(pixel / SIZE));
  }
  for (const lines of [xs, ys]) expect([...lines].sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7]);
});

describe.each(['compiled', 'interpreted', 'the scalar kernel'])('%s', (name) => {
  test('runs 23 invocations at 1×1 and 8 at 2×2', async () => {
    const painter = new Painter(await open(engines[name]!));
    for (const rate of RATES) {
      const scene = sceneAt(rate);
      const drawn = await painter.draw(scene);
      expectPicture(scene, drawn, render(scene));
      expect(drawn.threads, rate).toMatchObject({ [rate]: THREADS[rate] });
      expect(
        Object.values(drawn.threads).reduce((all, count) => all + count),
        rate
      ).toBe(THREADS[rate]);
      expect(drawn.pixels[rate], rate).toBe(23);
    }
    painter.device.destroy();
  });
});
