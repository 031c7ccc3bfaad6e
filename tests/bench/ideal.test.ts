// The number of lanes that quads of fine and coarse pixels can keep busy.
import { expect, test } from 'vitest';
import { idealLanes } from '../../bench/render/ideal.mjs';

/** 6 × 3 pixels with one sample: two triangles, and nothing. */
const ids = Uint32Array.of(1, 1, 1, 0, 0, 2, 1, 1, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0);
const shape = { width: 6, height: 3, samples: 1 };

test('fine pixels: each triangle in a quad costs four lanes', () => {
  expect(idealLanes(ids, shape)).toEqual({ pixels: 9, quads: 4, busy: 9 / 16 });
});

test.each([
  // Two coarse pixels and one below them of the first triangle, in one quad; one of the second, in the next.
  [[2, 2], { pixels: 4, quads: 2, busy: 4 / 8 }],
  // The first triangle has the left pixel, the second the right one, of one quad.
  [[4, 4], { pixels: 2, quads: 2, busy: 2 / 8 }],
  [[2, 1], { pixels: 6, quads: 3, busy: 6 / 12 }],
] as const)('coarse pixels of %j', (rate, expected) => {
  expect(idealLanes(ids, { ...shape, rate })).toEqual(expected);
});

test('samples of a pixel with several triangles cost a lane each', () => {
  const two = Uint32Array.of(1, 2, 1, 1);
  expect(idealLanes(two, { width: 2, height: 1, samples: 2 })).toEqual({ pixels: 3, quads: 2, busy: 3 / 8 });
});
