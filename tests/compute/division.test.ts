// Division where lanes have one divisor, a power of two or none, and where each has its own.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from './kit';

const words = (count: number): Uint32Array<ArrayBuffer> => Uint32Array.from(
  { length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1)
);
/** Divisors of eight lanes. */
const DIVISORS: readonly (readonly number[])[] = [
  Array(8).fill(1), Array(8).fill(2), Array(8).fill(64), Array(8).fill(0x80000000), Array(8).fill(0), Array(8).fill(10),
  Array(8).fill(0xffffffff), [4, 4, 4, 8, 16, 16, 16, 16], [0, 1, 2, 3, 4, 5, 6, 7], [8, 8, 8, 0, 7, 7, 7, 7],
];

describe.each(Object.keys(engines))('%s', (name) => {
  test('quotients and remainders of unsigned numbers', async () => {
    for (const divisors of DIVISORS) {
      const numbers = words(8), [quotients, , remainders] = await run(await deviceOf(name), {
        wgsl: `
          @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
          @group(0) @binding(1) var<storage, read_write> divisors: array<u32>;
          @group(0) @binding(2) var<storage, read_write> remainders: array<u32>;
          @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
            remainders[id.x] = numbers[id.x] % divisors[id.x];
            numbers[id.x] = numbers[id.x] / divisors[id.x];
          }`,
        buffers: [numbers, Uint32Array.from(divisors), new Uint32Array(8)], groups: [1],
      });
      // x ÷ 0 is x, and x % 0 is 0.
      expect(quotients).toEqual(numbers.map((x, i) => (divisors[i] === 0 ? x : Math.floor(x / divisors[i]!))));
      expect(remainders).toEqual(numbers.map((x, i) => (divisors[i] === 0 ? 0 : x % divisors[i]!)));
    }
  });
});
