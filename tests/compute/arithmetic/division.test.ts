// Division with a divisor common to all lanes (a power of two or not), with a divisor per lane, and by constants.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from '../kit';

const words = (count: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
/** Divisors of eight lanes. */
const DIVISORS: readonly (readonly number[])[] = [
  Array(8).fill(1),
  Array(8).fill(2),
  Array(8).fill(64),
  Array(8).fill(0x80000000),
  Array(8).fill(0),
  Array(8).fill(10),
  Array(8).fill(0xffffffff),
  [4, 4, 4, 8, 16, 16, 16, 16],
  [0, 1, 2, 3, 4, 5, 6, 7],
  [8, 8, 8, 0, 7, 7, 7, 7],
];

describe.each(Object.keys(engines))('%s', (name) => {
  test('quotients and remainders of unsigned integers', async () => {
    for (const divisors of DIVISORS) {
      const numbers = words(8);
      const [quotients, , remainders] = await run(await deviceOf(name), {
        wgsl: `
          @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
          @group(0) @binding(1) var<storage, read_write> divisors: array<u32>;
          @group(0) @binding(2) var<storage, read_write> remainders: array<u32>;
          @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
            remainders[id.x] = numbers[id.x] % divisors[id.x];
            numbers[id.x] = numbers[id.x] / divisors[id.x];
          }`,
        buffers: [numbers, Uint32Array.from(divisors), new Uint32Array(8)],
        groups: [1],
      });
      // x ÷ 0 is x, and x % 0 is 0.
      expect(quotients).toEqual(numbers.map((x, i) => (divisors[i] === 0 ? x : Math.floor(x / divisors[i]!))));
      expect(remainders).toEqual(numbers.map((x, i) => (divisors[i] === 0 ? 0 : x % divisors[i]!)));
    }
  });

  test('by constants: unsigned', async () => {
    const device = await deviceOf(name);
    const divisors = [...SMALL, ...LARGE];
    for (const some of chunksOf(divisors, 17)) {
      const numbers = Uint32Array.from(divisors.flatMap(around));
      const results = new Uint32Array(numbers.length * some.length * 2);
      const [, found] = await run(device, {
        wgsl: byConstants(
          'u32',
          some.map((divisor) => `${divisor}u`)
        ),
        buffers: [numbers, results],
        groups: [Math.ceil(numbers.length / 64)],
      });
      const wanted = some.flatMap((divisor) => [
        ...numbers.map((x) => Math.floor(x / divisor)),
        ...numbers.map((x) => x % divisor),
      ]);
      expect(found).toEqual(Uint32Array.from(wanted));
    }
  });

  test('by constants: signed', async () => {
    const device = await deviceOf(name);
    const positive = [...SMALL, ...LARGE].filter((divisor) => divisor < 2 ** 31);
    const divisors = [...positive, ...positive.map((divisor) => -divisor), -(2 ** 31)];
    for (const some of chunksOf(divisors, 17)) {
      const numbers = Int32Array.from(divisors.flatMap(around));
      const results = new Int32Array(numbers.length * some.length * 2);
      const [, found] = await run(device, {
        wgsl: byConstants(
          'i32',
          some.map((divisor) => `i32(${divisor})`)
        ),
        buffers: [numbers, results],
        groups: [Math.ceil(numbers.length / 64)],
      });
      // The most negative number divided by −1 is itself.
      const wanted = some.flatMap((divisor) => [
        ...numbers.map((x) => Math.trunc(x / divisor)),
        ...numbers.map((x) => x % divisor),
      ]);
      expect(found).toEqual(Uint32Array.from(wanted));
    }
  });

  test('by constants: numbers known to be small', async () => {
    const results = new Uint32Array(256 * SMALL.length);
    const [found] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> results: array<u32>;
        @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i: u32) {
          ${SMALL.map(
            (divisor, k) => `results[${256 * k}u + i] = ((i / ${divisor}u) << 16u) | (i % ${divisor}u);`
          ).join('\n')}
        }`,
      buffers: [results],
      groups: [1],
    });
    expect(found).toEqual(
      results.map((_, i) => {
        const divisor = SMALL[i >> 8]!;
        const x = i & 255;
        return (Math.floor(x / divisor) << 16) | (x % divisor);
      })
    );
  });
});

/** Every kind of reciprocal, of 32 and 33 bits, with and without a shift. */
const SMALL: readonly number[] = [1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 19, 25, 28, 64, 100, 160, 255, 320];
const LARGE: readonly number[] = [
  641, 1000, 65535, 65537, 102400, 0x7fffff, 0x1000003, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
  0xffffffff,
];

/** Numbers at which quotients change, at the ends of the range and near a divisor. */
function around(divisor: number): number[] {
  const last = Math.floor(0xffffffff / divisor) * divisor;
  const middle = Math.floor(0x7fffffff / divisor) * divisor;
  return [divisor, last, middle, 0, 0x80000000, Math.imul(divisor, 0x9e3779b1) >>> 0].flatMap((x) => [x - 1, x, x + 1]);
}

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, k) => all.slice(k * size, (k + 1) * size));

/** All quotients by the first divisor, all remainders, then those of the second. */
const byConstants = (type: string, divisors: readonly string[]): string => `
  @group(0) @binding(0) var<storage, read_write> numbers: array<${type}>;
  @group(0) @binding(1) var<storage, read_write> results: array<${type}>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let count = arrayLength(&numbers);
    if (id.x >= count) { return; }
    let x = numbers[id.x];
    ${divisors
      .map(
        (divisor, k) => `
    results[${2 * k}u * count + id.x] = x / ${divisor};
    results[${2 * k + 1}u * count + id.x] = x % ${divisor};`
      )
      .join('')}
  }`;
