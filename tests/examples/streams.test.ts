// The examples of streamed textures, run like a reader would, with the built package.
import { expect, test } from 'vitest';
import { run } from './kit';

test('map.mjs flies over a map, with only a part of it in memory', () => {
  const { said, picture } = run('map.mjs', 'out.png', '--frames', '2');
  const { width, height, at } = picture();
  const found = [...said.matchAll(/^frame \d: (\d+) pages came, .*, (\d+) MB$/gm)].map(([, ...numbers]) =>
    numbers.map(Number)
  );
  expect(found).toHaveLength(2);
  for (const [pages, megabytes] of found) {
    expect(pages).toBeGreaterThan(0);
    expect(megabytes).toBeLessThan(128);
  }
  expect([width, height]).toEqual([960, 540]);
  // The sky, and below it land: green, on the right.
  expect(at(480, 20)[2]).toBeGreaterThan(at(480, 20)[0]);
  expect(at(700, 400)[1]).toBeGreaterThan(at(700, 400)[2]);
});

test('hills.mjs draws hills in front of the sky', () => {
  const { said, picture } = run('hills.mjs', 'out.png', '--frames', '1');
  const { width, height, at } = picture();
  expect(Number(/(\d+) MB\n$/.exec(said)![1])).toBeLessThan(128);
  expect([width, height]).toEqual([960, 540]);
  const [r, g, b] = at(800, 450);
  expect(g).toBeGreaterThan(r);
  expect(g).toBeGreaterThan(b);
  // The horizon is not straight: the sky ends at different heights.
  const skyline = (x: number): number =>
    Array.from({ length: height }, (_, y) => y).findIndex((y) => Math.abs(at(x, y)[0] - at(x, 0)[0]) > 8);
  const lines = Array.from({ length: 30 }, (_, i) => skyline(i * 32));
  expect(Math.max(...lines) - Math.min(...lines)).toBeGreaterThan(5);
});
