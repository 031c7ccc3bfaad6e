// Arguments for tests of arithmetic: edge cases first, then random values; the same in every run.
import { randomWords } from '../support/floats';
import { bitsOf, floatOf } from '../support/kernel';
import type { Arguments } from './engine';
import { neighbour } from './interval';

/**
 * Zeros, denormals, the limits of normal numbers and half floats, powers of two with their neighbors, domain limits,
 * infinities and NaN.
 */
const EDGES: readonly number[] = [
  0,
  2 ** -149,
  2 ** -126 - 2 ** -149,
  2 ** -126,
  2 ** -60,
  2 ** -25,
  2 ** -24,
  2 ** -14,
  0.25,
  0.5,
  1 - 2 ** -24,
  1,
  1 + 2 ** -23,
  1.5,
  2,
  2.5,
  3.5,
  Math.fround(Math.PI / 2),
  Math.fround(Math.PI),
  8388607.5,
  8388608,
  16777215,
  65504,
  65519.996,
  65520,
  2147483520,
  2147483648,
  4294967040,
  4294967296,
  2 ** 60,
  2 ** 126,
  3.4028234663852886e38,
  Infinity,
]
  .flatMap((x) => [x, -x])
  .concat(NaN);

const POWERS: readonly number[] = Array.from({ length: 277 }, (_, k) => 2 ** (k - 149)).flatMap((x) => [
  x,
  neighbour(x, 1),
  neighbour(x, -1),
  -x,
  -neighbour(x, 1),
  -neighbour(x, -1),
]);

/** Values of an argument: all floats, floats of moderate size, or only those of a domain. */
export type Pool = (x: number) => boolean;
export const any: Pool = () => true;
export const finite: Pool = Number.isFinite;
export const positive: Pool = (x) => x > 0 && x < Infinity;
export const moderate: Pool = (x) => x === 0 || (Math.abs(x) >= 2 ** -30 && Math.abs(x) <= 2 ** 30);
export const within =
  (low: number, high: number): Pool =>
  (x) =>
    x >= low && x <= high;

/** Edge cases and powers of two in a pool, then `count` random floats: of all exponents, and of moderate size. */
function pool(allowed: Pool, count: number, seed: number): number[] {
  const random = randomWords(seed);
  const values = [...EDGES, ...POWERS].filter(allowed);
  const scale = [1, 0.5, Math.PI, 8, 128, 2 ** 20];
  for (let tries = 0, left = count; left > 0 && tries < 400 * count; tries++) {
    const moderate = Math.fround((random() / 2 ** 31 - 1) * scale[random() % scale.length]!);
    const x = tries % 3 === 0 ? floatOf(random()) : moderate;
    if (!allowed(x)) continue;
    values.push(x);
    left--;
  }
  return values;
}

const isEdge = new Set(EDGES.map(bitsOf));

/** For an argument: values to use, and the edge cases among them. Most rows share their pools. */
const lists = new Map<string, { readonly values: readonly number[]; readonly edges: readonly number[] }>();
const names = new Map<Pool, number>();
function listOf(
  allowed: Pool,
  argument: number
): { readonly values: readonly number[]; readonly edges: readonly number[] } {
  if (!names.has(allowed)) names.set(allowed, names.size);
  const key = `${names.get(allowed)!} ${argument}`;
  if (!lists.has(key)) {
    const values = pool(allowed, 3000, 77 + argument);
    lists.set(key, { values, edges: values.filter((x) => isEdge.has(bitsOf(x))) });
  }
  return lists.get(key)!;
}

/**
 * Vectors of arguments: all pairs of edge cases for two arguments, all edge cases for one, then mixtures, `count` in
 * total.
 */
export function floatSets(pools: readonly Pool[], count: number): Arguments[] {
  const all = pools.map(listOf);
  const random = randomWords(4242);
  const pairs =
    pools.length === 2 ? all[0]!.edges.length * all[1]!.edges.length : pools.length === 1 ? all[0]!.values.length : 0;
  const value = (argument: number, index: number): number => {
    const { values: list, edges: few } = all[argument]!;
    if (index < pairs && pools.length === 1) return list[index]!;
    if (index < pairs) return argument === 0 ? few[index % few.length]! : few[Math.floor(index / few.length)]!;
    return few.length > 0 && random() % 4 === 0 ? few[random() % few.length]! : list[random() % list.length]!;
  };
  return Array.from({ length: count }, (_, n) =>
    pools.map((__, k) => [0, 1, 2, 3].map((c) => bitsOf(value(k, n * 4 + c))))
  );
}

/** Words: small, large, powers of two and random. */
export function wordSets(argumentCount: number, count: number): Arguments[] {
  const random = randomWords(99);
  const edges = [
    0, 1, 2, 3, 7, 31, 32, 33, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001,
    0xffffff80, 0xfffffffe, 0xffffffff, 0x55555555,
  ];
  const word = (): number =>
    random() % 3 === 0
      ? edges[random() % edges.length]!
      : random() % 3 === 0
        ? (1 << (random() % 32)) >>> 0
        : random() % 2
          ? random()
          : random() % 40;
  const all = edges.flatMap((x) => edges.map((y) => [x, y]));
  return Array.from({ length: count }, (_, n) =>
    Array.from({ length: argumentCount }, (__, k) => [0, 1, 2, 3].map((c) => all[n * 4 + c]?.[k] ?? word()))
  );
}
