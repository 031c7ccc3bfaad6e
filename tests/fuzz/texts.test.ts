// A short part of `npm run fuzz -- texts`, by a fixed seed.
import { expect, test } from 'vitest';
import { simpleMath } from '../wgsl/simple-math';
import { mistakeWith } from './texts';

test('the front end takes a thousand mutated texts', () => {
  const found = Array.from({ length: 1000 }, (_, seed) => ({ seed, mistake: mistakeWith(seed, simpleMath) }));
  expect(found.filter(({ mistake }) => mistake !== null)).toEqual([]);
});
