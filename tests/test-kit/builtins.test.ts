// WGSL's numeric built-in functions, called by the kit, against the accuracy that the specification requires
// (WGSL §15.7.4 "Floating Point Accuracy"). Functions that it defines by others get the sum of their errors.
import { describe, expect, test } from 'vitest';
import { wgsl } from '../../src/test-kit/testing';

/** Distance of the 32-bit floats at a value. */
function ulp(value: number): number {
  const size = Math.abs(Math.fround(value));
  if (size < 2 ** -126) return 2 ** -149;
  const bits = new Uint32Array(Float32Array.of(size).buffer);
  return 2 ** ((bits[0]! >>> 23) - 150);
}

type Reference = (...values: number[]) => number;
/** Largest error at a result and its arguments. */
type Allowed = (result: number, ...values: number[]) => number;
const exact: Allowed = () => 0;
const ulps =
  (count: number): Allowed =>
  (result) =>
    count * ulp(result);
const absolute =
  (error: number): Allowed =>
  () =>
    error;
const exponential: Allowed = (result, x) => (3 + 2 * Math.abs(x!)) * ulp(result);
const logarithm: Allowed = (result, x) => (x! >= 0.5 && x! <= 2 ? 2 ** -21 : 3 * ulp(result));
/** Of (exp(x) ± exp(-x)) / 2. */
const hyperbolic: Allowed = (_, x) => (4 + 2 * Math.abs(x!)) * ulp(Math.exp(Math.abs(x!)));

/** Some numbers from `least` to `most`, with the ends. */
const range = (least: number, most: number, count = 301): number[] =>
  Array.from({ length: count }, (_, i) => Math.fround(least + ((most - least) * i) / (count - 1)));
const pairs = (a: readonly number[], b: readonly number[]): number[][] => a.map((x, i) => [x, b[(i * 7) % b.length]!]);
const single = (values: readonly number[]): number[][] => values.map((x) => [x]);
const triples = (values: readonly number[]): number[][] =>
  values.map((x, i) => [x, values[(i * 5 + 3) % values.length]!, values[(i * 11 + 7) % values.length]!]);
const some = range(-37.5, 41.25);
const turn = range(-Math.PI, Math.PI);
const positive = [...range(1e-6, 4), ...range(4, 1e6)];
const inner = range(-1, 1);
const roundEven = (x: number): number => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));
const f = Math.fround;

const FLOATS: readonly (readonly [string, Reference, readonly number[][], Allowed])[] = [
  ['abs', Math.abs, single(some), exact],
  ['acos', Math.acos, single(inner), absolute(6.77e-5)],
  ['acosh', Math.acosh, single(range(1, 500)), absolute(6.77e-5)],
  ['asin', Math.asin, single(inner), absolute(6.77e-5)],
  ['asinh', Math.asinh, single(some), absolute(6.77e-5)],
  ['atan', Math.atan, single(some), ulps(4096)],
  ['atan2', Math.atan2, pairs(some, range(-9, 9, 41)), ulps(4096)],
  ['atanh', Math.atanh, single(range(-0.99, 0.99)), absolute(6.77e-5)],
  ['ceil', Math.ceil, single(some), exact],
  ['clamp', (x, a, b) => Math.min(Math.max(x!, a!), b!), some.map((x) => [x, -5, 9.5]), exact],
  ['cos', Math.cos, single(turn), absolute(2 ** -11)],
  ['cosh', Math.cosh, single(range(-20, 20)), hyperbolic],
  ['degrees', (x) => (x! * 180) / Math.PI, single(some), ulps(2)],
  ['exp', Math.exp, single(range(-80, 80)), exponential],
  ['exp2', (x) => 2 ** x!, single(range(-120, 120)), exponential],
  ['floor', Math.floor, single(some), exact],
  ['fma', (a, b, c) => a! * b! + c!, triples(some), (_, a, b) => ulp(a! * b!) + ulp(1500)],
  ['fract', (x) => f(x! - Math.floor(x!)), single(some), exact],
  ['inverseSqrt', (x) => 1 / Math.sqrt(x!), single(positive), ulps(2)],
  ['log', Math.log, single(positive), logarithm],
  ['log2', Math.log2, single(positive), logarithm],
  ['max', Math.max, pairs(some, inner), exact],
  ['min', Math.min, pairs(some, inner), exact],
  ['mix', (a, b, t) => a! * (1 - t!) + b! * t!, triples(inner), absolute(4 * 2 ** -23)],
  [
    'pow',
    (x, y) => x! ** y!,
    pairs(range(0.1, 9), range(-3, 3, 41)),
    (r, x, y) => (3 + 8 * Math.abs(y! * Math.log2(x!)) + 16) * ulp(r),
  ],
  ['radians', (x) => (x! * Math.PI) / 180, single(some), ulps(2)],
  ['round', roundEven, single([...some, 0.5, 1.5, 2.5, -0.5, -1.5]), exact],
  ['saturate', (x) => Math.min(Math.max(x!, 0), 1), single(inner), exact],
  ['sign', Math.sign, single(some), exact],
  ['sin', Math.sin, single(turn), absolute(2 ** -11)],
  ['sinh', Math.sinh, single(range(-20, 20)), hyperbolic],
  [
    'smoothstep',
    (a, b, x) => {
      const t = Math.min(Math.max((x! - a!) / (b! - a!), 0), 1);
      return t * t * (3 - 2 * t);
    },
    range(-1, 3).map((x) => [0.25, 1.75, x]),
    absolute(8 * 2 ** -23),
  ],
  ['sqrt', Math.sqrt, single(positive), ulps(3)],
  ['step', (edge, x) => Number(edge! <= x!), pairs(inner, inner), exact],
  ['tan', Math.tan, single(range(-1.2, 1.2)), (r, x) => (2 ** -11 * (1 + Math.abs(r))) / Math.cos(x!)],
  ['tanh', Math.tanh, single(some), absolute(1e-5)],
  ['trunc', Math.trunc, single(some), exact],
];

test.each(FLOATS)('%s has the accuracy that WGSL requires', async (name, reference, sets, allowed) => {
  const names = sets[0]!.map((_, i) => `p${i}`);
  const code = `fn called(${names.map((each) => `${each}: f32`).join()}) -> f32 { return ${name}(${names.join()}); }`;
  const results = await wgsl(code).function<number>('called').batch(sets);
  const wrong = sets.flatMap((values, i) => {
    const expected = reference(...values);
    const most = allowed(expected, ...values) + (allowed === exact ? 0 : ulp(expected) / 2);
    return Math.abs(results[i]! - expected) <= most ? [] : [{ values, result: results[i], expected, most }];
  });
  expect(wrong.slice(0, 5)).toEqual([]);
});

describe('functions of vectors', () => {
  const vectors = triples(range(-3, 3.5, 101));
  const others = triples(range(5, -2, 101));
  const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const module = wgsl(`
    fn d(a: vec3f, b: vec3f) -> f32 { return dot(a, b); }
    fn l(a: vec3f) -> f32 { return length(a); }
    fn far(a: vec3f, b: vec3f) -> f32 { return distance(a, b); }
    fn n(a: vec3f) -> vec3f { return normalize(a); }
    fn c(a: vec3f, b: vec3f) -> vec3f { return cross(a, b); }
    fn r(a: vec3f, b: vec3f) -> vec3f { return reflect(a, b); }`);
  const two = vectors.map((a, i) => [a, others[i]!]);
  const within = (given: readonly number[], expected: readonly number[], most: number): void => {
    given.forEach((x, i) => expect(Math.abs(x - expected[i]!)).toBeLessThanOrEqual(most));
  };
  test('dot, length and distance', async () => {
    const at = <T>(map: (a: number[], b: number[]) => T): T[] => two.map(([a, b]) => map(a!, b!));
    within(await module.function('d').batch(two), at(dot), 6 * ulp(60));
    within(
      await module.function('l').batch(vectors.map((a) => [a])),
      at((a) => Math.sqrt(dot(a, a))),
      6 * ulp(6)
    );
    const far = at((a, b) => Math.sqrt(a.reduce((sum, x, i) => sum + (x - b[i]!) ** 2, 0)));
    within(await module.function('far').batch(two), far, 6 * ulp(16));
  });
  test('normalize, cross and reflect', async () => {
    const n = await module.function<number[]>('n').batch(vectors.map((a) => [a]));
    const c = await module.function<number[]>('c').batch(two);
    const r = await module.function<number[]>('r').batch(two);
    two.forEach(([a, b], i) => {
      const length = Math.sqrt(dot(a!, a!));
      within(
        n[i]!,
        a!.map((x) => x / length),
        6 * ulp(1)
      );
      const [x = 0, y = 0, z = 0] = a!;
      const [u = 0, v = 0, w = 0] = b!;
      within(c[i]!, [y * w - z * v, z * u - x * w, x * v - y * u], 3 * ulp(40));
      within(
        r[i]!,
        a!.map((p, k) => p - 2 * dot(b!, a!) * b![k]!),
        8 * ulp(500)
      );
    });
  });
});

const bits = (x: number): string => (x >>> 0).toString(2).padStart(32, '0');
const INTEGERS: readonly (readonly [string, 'i32' | 'u32', (x: number) => number])[] = [
  ['abs', 'i32', (x) => Math.abs(x) | 0],
  ['sign', 'i32', Math.sign],
  ['countLeadingZeros', 'u32', Math.clz32],
  ['countOneBits', 'u32', (x) => bits(x).replaceAll('0', '').length],
  ['countTrailingZeros', 'u32', (x) => (x === 0 ? 32 : 31 - bits(x).lastIndexOf('1'))],
  ['firstLeadingBit', 'u32', (x) => (x === 0 ? 2 ** 32 - 1 : 31 - Math.clz32(x))],
  ['firstTrailingBit', 'u32', (x) => (x === 0 ? 2 ** 32 - 1 : 31 - bits(x).lastIndexOf('1'))],
  ['reverseBits', 'u32', (x) => parseInt([...bits(x)].reverse().join(''), 2)],
];

test.each(INTEGERS)('%s of %s is exact', async (name, type, reference) => {
  const inputs = [0, 1, 2, 3, 0x55, 0x8000, 0x7fff_ffff, 0x8000_0000, 0xdead_beef, 0xffff_ffff].map((x) =>
    type === 'i32' ? x | 0 : x
  );
  const results = await wgsl(`fn called(x: ${type}) -> ${type} { return ${name}(x); }`)
    .function('called')
    .batch(inputs.map((x) => [x]));
  expect(results).toEqual(inputs.map(reference));
});
