// `rasterloom compare` as a process: pictures that are equal, nearly equal, different, and of other sizes.
import { encode } from 'fast-png';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workshop } from './program';

const SIZE = 32;

/** A gradient with a white square of some pixels. */
function picture(width: number, square: number): Uint8Array {
  const data = new Uint8Array(width * SIZE * 4).fill(255);
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < width; x++) if (x >= square || y >= square) data.set([x * 4, y * 4, 90], (y * width + x) * 4);
  return encode({ width, height: SIZE, data, channels: 4 });
}

describe('rasterloom compare', () => {
  let workshop: Workshop;
  beforeAll(() => {
    workshop = new Workshop();
    workshop.write('a.png', picture(SIZE, 0));
    workshop.write('b.png', picture(SIZE, 8));
    workshop.write('wide.png', picture(SIZE + 1, 0));
    workshop.write('text.png', 'a story');
  });
  afterAll(() => workshop.remove());

  it('finds equal pictures alike', async () => {
    const { code, out } = await workshop.run('compare', 'a.png', 'a.png', '--min-ssim', '1');
    expect([code, out]).toEqual([
      0,
      'different pixels  0 (0.00 %)\nSSIM              1.0000\nThe pictures are alike.\n',
    ]);
  });

  it('counts different pixels, draws them, and ends with 1 beyond the limit', async () => {
    const { code, out } = await workshop.run('compare', 'a.png', 'b.png', '-o', 'difference.png', '--json');
    expect(code).toBe(1);
    const report = JSON.parse(out) as Record<string, number>;
    expect(report).toMatchObject({ same: false, width: SIZE, height: SIZE });
    expect(report.differentPixels).toBeGreaterThan(40);
    expect(report.differentPixels).toBeLessThanOrEqual(64);
    expect(report.differentShare).toBe(report.differentPixels! / SIZE ** 2);
    expect(report.ssim).toBeLessThan(0.99);
    expect(readFileSync(workshop.path('difference.png')).subarray(1, 4).toString()).toBe('PNG');
    expect((await workshop.run('compare', 'a.png', 'b.png', '--max-different', '0.07')).code).toBe(0);
    expect((await workshop.run('compare', 'a.png', 'b.png', '--max-different', '1', '--min-ssim', '0.99')).code).toBe(
      1
    );
  });

  it('says that sizes differ, and refuses what is no picture', async () => {
    expect(await workshop.run('compare', 'a.png', 'wide.png')).toMatchObject({
      code: 1,
      out: 'The pictures have different sizes, 32×32 and 33×32 pixels.\n',
    });
    expect(await workshop.run('compare', 'a.png', 'gone.png')).toMatchObject({
      code: 3,
      err: 'rasterloom: The picture "gone.png" does not exist.\n',
    });
    expect((await workshop.run('compare', 'a.png', 'text.png')).code).toBe(3);
    expect((await workshop.run('compare', 'a.png')).code).toBe(2);
    expect((await workshop.run('compare', 'a.png', 'b.png', '--threshold', '2')).code).toBe(2);
  });
});
