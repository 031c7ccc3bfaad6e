import { expect, test } from 'vitest';
import { adjacencyIndices } from '../../../src/api/extensions/adjacency';

test('the adjacent vertex across an edge belongs to the triangle with the edge reversed', () => {
  // 2 ── 3
  // │ \  │
  // 0 ── 1
  expect([...adjacencyIndices([0, 1, 2, 2, 1, 3])]).toEqual([0, 2, 1, 3, 2, 1, 2, 0, 1, 2, 3, 1]);
});

test("the adjacent vertex of an unshared edge is the triangle's own", () => {
  expect([...adjacencyIndices(Uint16Array.of(7, 8, 9))]).toEqual([7, 9, 8, 7, 9, 8]);
  // Triangles of opposite orientation are not neighbors.
  expect([...adjacencyIndices([0, 1, 2, 0, 1, 3])]).toEqual([0, 2, 1, 0, 2, 1, 0, 3, 1, 0, 3, 1]);
});

test('anything but an array is a TypeError', () => {
  for (const value of [null, undefined, 3, 'abc', {}, () => 1, Symbol('x')])
    expect(() => adjacencyIndices(value as never)).toThrow(TypeError);
  expect(() => adjacencyIndices([1, 2])).toThrow(RangeError);
  expect([...adjacencyIndices([])]).toEqual([]);
});

test('of several triangles at an edge, the first one counts', () => {
  const found = adjacencyIndices([0, 1, 2, 1, 0, 3, 1, 0, 4]);
  expect([...found.subarray(0, 2)]).toEqual([0, 3]);
  expect([found[13], found[7]]).toEqual([2, 2]);
});

test('the result equals a plain search, in a mesh with holes and any numbers', () => {
  const SIZE = 20;
  const mesh: number[] = [];
  const number = (x: number, y: number): number => ((y * 7919 + x) * 104729) % 0xffffffff;
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) {
      if ((x * y) % 7 === 3) continue;
      const [a, b, c, d] = [number(x, y), number(x + 1, y), number(x, y + 1), number(x + 1, y + 1)];
      mesh.push(a, b, c, c, b, d);
    }
  const wanted: number[] = [];
  for (let first = 0; first < mesh.length; first += 3)
    for (let k = 0; k < 3; k++) {
      const [a, b, c] = [0, 1, 2].map((i) => mesh[first + ((k + i) % 3)]!);
      let across = c!;
      for (let other = mesh.length - 1; other >= 0; other--) {
        const begin = other - (other % 3);
        const next = mesh[begin + ((other + 1) % 3)];
        if (mesh[other] === b && next === a) across = mesh[begin + ((other + 2) % 3)]!;
      }
      wanted.push(a!, across);
    }
  expect([...adjacencyIndices(Uint32Array.from(mesh))]).toEqual(wanted);
});

test('the indices must be whole triangles', () => {
  expect(adjacencyIndices([])).toEqual(new Uint32Array(0));
  expect(() => adjacencyIndices([0, 1, 2, 3])).toThrow(
    new RangeError('adjacencyIndices: 4 indices are not a list of triangles; each triangle needs three')
  );
});
