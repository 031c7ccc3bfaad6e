// The compute examples, run like a reader would, with the built package.
import { expect, test } from 'vitest';
import { run } from './kit';

test('matrix.mjs multiplies like JavaScript', () => {
  expect(run('compute/matrix.mjs', '128').said).toMatch(
    /^128 × 128: \d+ ms, in JavaScript \d+ ms; the products are the same\.\n$/
  );
});

test('sort.mjs sorts', () => {
  expect(run('compute/sort.mjs', '12').said).toMatch(
    /^4096 keys in 10 dispatches: \d+ ms, by Uint32Array.sort \d+ ms\.\n$/
  );
});

test('blur.mjs draws near balls sharp and far ones blurred', () => {
  const { width, height, at } = run('compute/blur.mjs', 'out.png').picture();
  expect([width, height]).toEqual([640, 384]);
  /** The largest step between neighbors in a row. */
  const sharpness = (y: number): number =>
    Math.max(...Array.from({ length: width - 1 }, (_, x) => Math.abs(at(x + 1, y)[1] - at(x, y)[1])));
  expect(sharpness(170)).toBeGreaterThan(60);
  expect(sharpness(124)).toBeLessThan(sharpness(170) / 2);
  const [r, g, b] = at(320, 250);
  expect(r).toBeGreaterThan(1.5 * g);
  expect(r).toBeGreaterThan(1.5 * b);
});

test('boids.mjs draws birds that have formed flocks', () => {
  /** Squares of 16 × 16 pixels that contain a bird. */
  const squares = (steps: string): number => {
    const { width, height, at } = run('compute/boids.mjs', 'out.png', steps).picture();
    const ground = at(0, 0).join();
    let found = 0;
    for (let y = 0; y < height; y += 16)
      for (let x = 0; x < width; x += 16)
        if (Array.from({ length: 256 }, (_, i) => at(x + (i & 15), y + (i >> 4))).some((one) => one.join() !== ground))
          found++;
    return found;
  };
  const before = squares('0');
  const after = squares('120');
  expect(before).toBeGreaterThan(400);
  expect(after).toBeGreaterThan(20);
  expect(after).toBeLessThan(before * 0.6);
});

test('ocean.mjs draws waves below a sun', () => {
  const { width, height, at } = run('compute/ocean.mjs', 'out.png').picture();
  expect([width, height]).toEqual([640, 360]);
  expect(at(425, 20)).toEqual([255, 255, 255, 255]);
  const [skyRed, , skyBlue] = at(50, 70);
  const [seaRed, , seaBlue] = at(100, 300);
  expect(skyRed).toBeGreaterThan(skyBlue);
  expect(seaBlue).toBeGreaterThan(seaRed);
  // Waves: rows of the sea vary in color.
  const reds = Array.from({ length: width }, (_, x) => at(x, 200)[0]);
  expect(Math.max(...reds) - Math.min(...reds)).toBeGreaterThan(40);
});

test('deferred.mjs lights few values of a pixel, with smooth edges', () => {
  const { said, picture } = run('compute/deferred.mjs', 'out.png');
  const [, values] = /: ([\d.]+) values of a pixel were lit/.exec(said)!;
  expect(Number(values)).toBeGreaterThan(0.6);
  expect(Number(values)).toBeLessThan(0.9);
  const { width, height, at } = picture();
  expect([width, height]).toEqual([640, 384]);
  const sky = at(5, 5).join();
  expect(at(600, 60).join()).toBe(sky);
  // From the sky into the middle ball, over a pixel that holds both.
  const column = Array.from({ length: 40 }, (_, i) => at(320, 120 - i));
  const edge = column.findIndex((texel) => texel.join() === sky);
  expect(edge).toBeGreaterThan(0);
  const [inside, mixed, outside] = [edge - 2, edge - 1, edge].map((i) => column[i]![0]);
  expect(mixed).toBeGreaterThan(outside!);
  expect(mixed).toBeLessThan(inside!);
});
