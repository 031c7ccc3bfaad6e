// The examples of streamed textures, run like a reader would, with the built package.
import { expect, test } from 'vitest';
import { run } from './kit';

test('map.mjs flies over a map, with only a part of it in memory', () => {
  const { said, picture } = run('map.mjs', 'out.png', '--frames', '2', '--size', '480x270');
  const { width, height, at } = picture();
  const found = [...said.matchAll(/^frame \d: (\d+) pages came, .*, (\d+) MB$/gm)].map(([, ...numbers]) =>
    numbers.map(Number)
  );
  expect(found).toHaveLength(2);
  for (const [pages, megabytes] of found) {
    expect(pages).toBeGreaterThan(0);
    expect(megabytes).toBeLessThan(128);
  }
  expect([width, height]).toEqual([480, 270]);
  // The sky, and below it land: green, on the right.
  expect(at(240, 10)[2]).toBeGreaterThan(at(240, 10)[0]);
  expect(at(350, 200)[1]).toBeGreaterThan(at(350, 200)[2]);
});

test('hills.mjs draws hills in front of the sky', () => {
  const { said, picture } = run('hills.mjs', 'out.png', '--frames', '1', '--size', '480x270');
  const { width, height, at } = picture();
  expect(Number(/(\d+) MB\n$/.exec(said)![1])).toBeLessThan(128);
  expect([width, height]).toEqual([480, 270]);
  const [r, g, b] = at(400, 225);
  expect(g).toBeGreaterThan(r);
  expect(g).toBeGreaterThan(b);
  // The horizon is not straight: the sky ends at different heights.
  const skyline = (x: number): number =>
    Array.from({ length: height }, (_, y) => y).findIndex((y) => Math.abs(at(x, y)[0] - at(x, 0)[0]) > 8);
  const lines = Array.from({ length: 30 }, (_, i) => skyline(i * 16));
  expect(Math.max(...lines) - Math.min(...lines)).toBeGreaterThan(2);
});
