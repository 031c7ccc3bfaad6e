// One row per float operator and builtin function of WGSL: the exact result, the limits of the tables of §15.7.4.1, and
// the error in ULP that this implementation guarantees.
import { halfValueOf, roundToHalf } from './halves';
import * as I from './interval';
import { any, finite, moderate, positive, within, type Pool } from './inputs';
import { type Extra, type FloatRow, type Vector, f, least, most, p, unit } from './float-row';
import { geometry } from './float-geometry';
import { matrices, rearrangements } from './float-matrices';

const NAMES = ['a', 'b', 'c'];

/** Calls with vec4 arguments, with scalars and vec2, and with vec3: their results are the same. */
function callForms(name: string, count: number): string[] {
  const call = (part: string): string =>
    `${name}(${NAMES.slice(0, count)
      .map((argument) => argument + part)
      .join(', ')})`;
  return [call(''), `vec4f(${call('.x')}, ${call('.yz')}, ${call('.w')})`, `vec4f(${call('.xyz')}, ${call('.ww')}.y)`];
}

/** A component-wise function. */
function row(
  name: string,
  pools: readonly Pool[],
  exact: (...x: number[]) => number,
  allowed: ((...x: number[]) => I.Interval) | null,
  extra: Extra = {}
): FloatRow {
  const at = (args: readonly Vector[], c: number): number[] => args.map((v) => v[c]!);
  return {
    name,
    forms: callForms(name, pools.length),
    pools,
    exact: (args, c) => exact(...at(args, c)),
    allowed: allowed && ((args, c) => allowed(...at(args, c))),
    ...extra,
  };
}

function operator(
  symbol: string,
  exact: (x: number, y: number) => number,
  allowed: ((x: number, y: number) => I.Interval) | null
): FloatRow {
  const forms = [
    `(a ${symbol} b)`,
    `vec4f(a.x ${symbol} b.x, a.yz ${symbol} b.yz, a.w ${symbol} b.w)`,
    `vec4f((a.x ${symbol} b.xy).x, (a.yy ${symbol} b.y).y, a.zw ${symbol} b.zw)`,
  ];
  return { ...row(symbol, [any, any], exact, allowed), forms };
}
const limit = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);
const roundEven = (x: number): number =>
  Math.abs(x) >= 2 ** 23 ? x : x < 0 || Object.is(x, -0) ? -(-x + 2 ** 52 - 2 ** 52) : x + 2 ** 52 - 2 ** 52;

const sinh = (x: number): I.Interval => I.mul(I.sub(I.exp(p(x)), I.exp(p(-x))), p(0.5));
const cosh = (x: number): I.Interval => I.mul(I.add(I.exp(p(x)), I.exp(p(-x))), p(0.5));
const circle = (x: number): I.Interval => I.sqrt(I.sub(p(1), I.mul(p(x), p(x))));
const angle = within(-f(Math.PI), f(Math.PI));
const wave =
  (of: (x: number) => number) =>
  (x: number): I.Interval =>
    angle(x) ? I.absolute(of(x), 2 ** -11) : I.ANY;
const logarithm =
  (of: (x: number) => number) =>
  (x: number): I.Interval =>
    x <= 0 ? I.ANY : x >= 0.5 && x <= 2 ? I.absolute(of(x), 2 ** -21) : I.ulps(of(x), 3);
const power = (x: number, y: number): I.Interval => I.exp2(I.mul(p(y), I.log2(p(x))));

const operators: readonly FloatRow[] = [
  operator('+', (x, y) => x + y, null),
  operator('-', (x, y) => x - y, null),
  operator('*', (x, y) => x * y, null),
  {
    ...operator(
      '/',
      (x, y) => x / y,
      (x, y) => I.div(p(x), p(y))
    ),
    ulps: 0.5,
  },
  {
    ...operator(
      '%',
      (x, y) => f(x - f(y * Math.trunc(f(x / y)))),
      (x, y) => {
        const q = I.div(p(x), p(y));
        return I.sub(p(x), I.mul(p(y), [Math.trunc(q[0]), Math.trunc(q[1])]));
      }
    ),
    ulps: 0,
  },
  { ...row('negation', [any], (x) => -x, null), forms: ['(-a)', 'vec4f(-a.x, -a.yz, -a.w)'] },
  {
    ...row(
      'comparisons',
      [any, any],
      (x, y) =>
        Number(x < y)
        + 2 * Number(x <= y)
        + 4 * Number(x > y)
        + 8 * Number(x >= y)
        + 16 * Number(x === y)
        + 32 * Number(x !== y),
      null
    ),
    forms: [
      '(vec4f(a < b) + 2 * vec4f(a <= b) + 4 * vec4f(a > b) + 8 * '
        + 'vec4f(a >= b) + 16 * vec4f(a == b) + 32 * vec4f(a != b))',
    ],
  },
];

const roundings: readonly FloatRow[] = [
  row('abs', [any], Math.abs, null),
  row('ceil', [any], Math.ceil, null),
  row('floor', [any], Math.floor, null),
  row('trunc', [any], Math.trunc, null),
  row('round', [any], roundEven, null),
  row('sign', [finite], (x) => Number(x > 0) - Number(x < 0), null),
  row('saturate', [any], (x) => least(most(0, x), 1), null),
  row('min', [any, any], least, null),
  row('max', [any, any], most, null),
  row('clamp', [any, any, any], (x, low, high) => least(most(low, x), high), null, {
    constant: ([, low, high]) => low!.every((x, k) => x <= high![k]!),
  }),
  row('step', [any, any], (edge, x) => Number(edge <= x), null),
  row(
    'fract',
    [finite],
    (x) => x - Math.floor(x),
    (x) => I.sub(p(x), p(Math.floor(x))),
    { ulps: 0.5 }
  ),
  row('quantizeToF16', [any], (x) => halfValueOf(roundToHalf(x)), null),
  {
    ...row('modf.fract', [finite], (x) => x - Math.trunc(x), null),
    forms: ['modf(a).fract', 'vec4f(modf(a.x).fract, modf(a.yz).fract, modf(a.w).fract)'],
  },
  {
    ...row('modf.whole', [any], Math.trunc, null),
    forms: ['modf(a).whole', 'vec4f(modf(a.x).whole, modf(a.yz).whole, modf(a.w).whole)'],
  },
  {
    ...row('frexp.fract', [finite], (x) => splitFloat(x)[0], null),
    forms: ['frexp(a).fract', 'vec4f(frexp(a.x).fract, frexp(a.yz).fract, frexp(a.w).fract)'],
  },
  {
    ...row('frexp.exp', [finite], (x) => splitFloat(x)[1], null),
    forms: ['vec4f(frexp(a).exp)', 'vec4f(vec4i(frexp(a.x).exp, frexp(a.yz).exp, frexp(a.w).exp))'],
  },
  {
    ...row('ldexp', [any, within(-300, 300)], (x, e) => x * 2 ** (Math.trunc(e) / 2) * 2 ** (Math.trunc(e) / 2), null, {
      constant: ([, e]) => e!.every((x) => x <= 128),
    }),
    forms: ['ldexp(a, vec4i(b))', 'vec4f(ldexp(a.x, i32(b.x)), ldexp(a.yzw, vec3i(b.yzw)))'],
    exact: ([x, e], c) => x![c]! * 2 ** Math.trunc(e![c]!),
  },
];

/** Fraction within ±[0.5, 1) and exponent. */
function splitFloat(x: number): [number, number] {
  if (x === 0) return [x, 0];
  const exponent = Math.floor(Math.log2(Math.abs(x))) + 1;
  const fraction = x * 2 ** -exponent;
  // log2 may miss a power of two by a rounding error.
  return Math.abs(fraction) >= 1
    ? [fraction / 2, exponent + 1]
    : Math.abs(fraction) < 0.5
      ? [fraction * 2, exponent - 1]
      : [fraction, exponent];
}

const transcendentals: readonly FloatRow[] = [
  row(
    'acos',
    [any],
    Math.acos,
    (x) => I.worse(I.absolute(Math.acos(x), 6.77e-5), Math.abs(x) < 1 && x !== 0 ? I.atan2(circle(x), p(x)) : p(NaN)),
    { ulps: 2, domain: [unit] }
  ),
  row('acosh', [any], Math.acosh, (x) => I.log(I.add(p(x), I.sqrt(I.sub(I.mul(p(x), p(x)), p(1))))), {
    ulps: 2,
    domain: [within(1, 1e30)],
  }),
  row(
    'asin',
    [any],
    Math.asin,
    (x) => I.worse(I.absolute(Math.asin(x), 6.81e-5), Math.abs(x) < 1 && x !== 0 ? I.atan2(p(x), circle(x)) : p(NaN)),
    { ulps: 2.5, domain: [unit] }
  ),
  row('asinh', [any], Math.asinh, (x) => I.log(I.add(p(x), I.sqrt(I.add(I.mul(p(x), p(x)), p(1))))), { ulps: 2 }),
  row('atan', [any], Math.atan, (x) => I.ulps(Math.atan(x), 4096), { ulps: 2 }),
  row('atan2', [any, any], Math.atan2, (y, x) => I.atan2(p(y), p(x)), { ulps: 3 }),
  row('atanh', [any], Math.atanh, (x) => I.mul(I.log(I.div(I.add(p(1), p(x)), I.sub(p(1), p(x)))), p(0.5)), {
    ulps: 2,
    domain: [unit],
  }),
  row('cos', [within(-1e5, 1e5)], Math.cos, wave(Math.cos), { ulps: 0, absolute: 1e-7 }),
  row('sin', [within(-1e5, 1e5)], Math.sin, wave(Math.sin), { ulps: 0, absolute: 1e-7 }),
  row('tan', [angle], Math.tan, (x) => I.div(wave(Math.sin)(x), wave(Math.cos)(x)), { ulps: 3 }),
  row('sinh', [any], Math.sinh, sinh, { ulps: 2 }),
  row('cosh', [any], Math.cosh, cosh, { ulps: 2 }),
  row('tanh', [any], Math.tanh, (x) => I.worse(I.absolute(Math.tanh(x), 1e-5), I.div(sinh(x), cosh(x))), { ulps: 2 }),
  row('exp', [any], Math.exp, (x) => I.exp(p(x)), { ulps: 1.1 }),
  row(
    'exp2',
    [any],
    (x) => 2 ** x,
    (x) => I.exp2(p(x)),
    { ulps: 1.4 }
  ),
  row('log', [any], Math.log, logarithm(Math.log), { ulps: 1.2, domain: [positive] }),
  row('log2', [any], Math.log2, logarithm(Math.log2), { ulps: 3.2, domain: [positive] }),
  row(
    'inverseSqrt',
    [(x) => x >= 0],
    (x) => 1 / Math.sqrt(x),
    (x) => I.inverseSqrt(p(x)),
    { ulps: 1.5 }
  ),
  row('sqrt', [any], Math.sqrt, (x) => I.sqrt(p(x)), { ulps: 0.5, domain: [positive] }),
  row('pow', [positive, within(-12.3, 12.3)], (x, y) => x ** y, power, {
    constant: ([, y]) => !y!.some((e) => e === 0.5 || (e >= 1 && Number.isInteger(e))),
  }),
  {
    ...row('pow, constant', [positive], () => 0, null),
    forms: ['vec4f(pow(a.x, 0.5), pow(a.y, 2), pow(a.z, 3), pow(a.w, 1.0))'],
    ulps: 1.6,
    exact: ([x], c) => x![c]! ** [0.5, 2, 3, 1][c]!,
    allowed: ([x], c) => power(x![c]!, [0.5, 2, 3, 1][c]!),
  },
  {
    ...row('pow, constant, on', [positive], () => 0, null),
    forms: ['pow(a, vec4f(4, 5, -1, 7.5))'],
    exact: ([x], c) => x![c]! ** [4, 5, -1, 7.5][c]!,
    allowed: ([x], c) => power(x![c]!, [4, 5, -1, 7.5][c]!),
  },
  {
    ...row('pow, constant, further', [positive], () => 0, null),
    forms: ['pow(a, vec4f(6, 12, 48, 255))'],
    exact: ([x], c) => x![c]! ** [6, 12, 48, 255][c]!,
    allowed: ([x], c) => power(x![c]!, [6, 12, 48, 255][c]!),
  },
  row(
    'degrees',
    [any],
    (x) => x * f(57.29577951308232),
    (x) => I.mul(p(x), I.absolute(57.295779513082322865, 0)),
    { ulps: 0.5 }
  ),
  row(
    'radians',
    [any],
    (x) => x * f(0.017453292519943295),
    (x) => I.mul(p(x), I.absolute(0.017453292519943295474, 0)),
    { ulps: 0.5 }
  ),
];

const mixtures: readonly FloatRow[] = [
  row(
    'fma',
    [any, any, any],
    (x, y, z) => f(f(x * y) + z),
    (x, y, z) => I.add(I.mul(p(x), p(y)), p(z)),
    { ulps: 0 }
  ),
  row(
    'mix',
    [moderate, moderate, moderate],
    (x, y, t) => x * (1 - t) + y * t,
    (x, y, t) => I.add(I.mul(p(x), I.sub(p(1), p(t))), I.mul(p(y), p(t)))
  ),
  {
    ...row('mix by a scalar', [moderate, moderate, moderate], () => 0, null),
    forms: ['mix(a, b, c.x)'],
    exact: ([x, y, t], c) => x![c]! * (1 - t![0]!) + y![c]! * t![0]!,
    allowed: ([x, y, t], c) => I.add(I.mul(p(x![c]!), I.sub(p(1), p(t![0]!))), I.mul(p(y![c]!), p(t![0]!))),
  },
  row(
    'smoothstep',
    [moderate, moderate, moderate],
    (low, high, x) => {
      const t = limit((x - low) / (high - low), 0, 1);
      return t * t * (3 - 2 * t);
    },
    (low, high, x) => {
      const t = I.clamp(I.div(I.sub(p(x), p(low)), I.sub(p(high), p(low))), 0, 1);
      return I.mul(I.mul(t, t), I.sub(p(3), I.mul(p(2), t)));
    },
    { constant: ([low, high]) => low!.every((x, k) => x !== high![k]!) }
  ),
];

export const FLOAT_ROWS: readonly FloatRow[] = [
  ...operators,
  ...roundings,
  ...transcendentals,
  ...mixtures,
  ...geometry,
  ...matrices,
  ...rearrangements,
];
