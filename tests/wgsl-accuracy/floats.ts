// One row per float operator and builtin function of WGSL: the exact result, the limits of the tables of §15.7.4.1, and
// the error in ULP that this implementation guarantees.
import { halfValueOf, roundToHalf } from './halves';
import * as I from './interval';
import { any, finite, moderate, positive, within, type Pool } from './inputs';

type Vector = readonly number[];

export interface FloatRow {
  readonly name: string;
  /** vec4f expressions in a, b, c and d. All have the same value; the first may have a separate form per component. */
  readonly forms: readonly string[];
  readonly pools: readonly Pool[];
  /** Per component, in double precision. NaN: the result is a NaN. */
  readonly exact: (args: readonly Vector[], component: number) => number;
  /** WGSL's limits; null: the exact result, rounded to nearest. */
  readonly allowed: ((args: readonly Vector[], component: number) => I.Interval) | null;
  /** Guaranteed ULP of the exact result; omitted where terms may cancel. An absolute error suffices as well. */
  readonly ulps?: number;
  readonly absolute?: number;
  /** Arguments within the domain, if `pools` exceed it. */
  readonly domain?: readonly Pool[];
  /** Rules for the arguments of const-expressions. */
  readonly constant?: (args: readonly Vector[]) => boolean;
}

const NAMES = ['a', 'b', 'c'];

/** Calls with vec4 arguments, with scalars and vec2, and with vec3: their results are the same. */
function callForms(name: string, count: number): string[] {
  const call = (part: string): string =>
    `${name}(${NAMES.slice(0, count)
      .map((argument) => argument + part)
      .join(', ')})`;
  return [call(''), `vec4f(${call('.x')}, ${call('.yz')}, ${call('.w')})`, `vec4f(${call('.xyz')}, ${call('.ww')}.y)`];
}

type Extra = Partial<Pick<FloatRow, 'ulps' | 'absolute' | 'constant' | 'domain'>>;

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

/** A function of whole vectors, or a product of matrices. */
function whole(
  name: string,
  form: string,
  pools: readonly Pool[],
  exact: FloatRow['exact'],
  allowed: FloatRow['allowed'],
  extra: Extra = {}
): FloatRow {
  return { name, forms: [form], pools, exact, allowed, ...extra };
}

const { point: p } = I;
const ps = (v: Vector): I.Interval[] => v.map(p);
const f = Math.fround;
const dot = (a: Vector, b: Vector): number => a.reduce((sum, x, k) => sum + x * b[k]!, 0);
const size = (v: Vector): number => Math.sqrt(dot(v, v));
/** Of four components, the first four, three, two and one. */
const cut = (v: Vector, c: number): Vector => v.slice(0, 4 - c);
const minus = (a: Vector, b: Vector): Vector => a.map((x, k) => x - b[k]!);
const limit = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);
const roundEven = (x: number): number =>
  Math.abs(x) >= 2 ** 23 ? x : x < 0 || Object.is(x, -0) ? -(-x + 2 ** 52 - 2 ** 52) : x + 2 ** 52 - 2 ** 52;
/** §17.5: the choice of every engine between a NaN or a zero and another value. */
const least = (x: number, y: number): number => (y < x ? y : x);
const most = (x: number, y: number): number => (x < y ? y : x);

const sinh = (x: number): I.Interval => I.mul(I.sub(I.exp(p(x)), I.exp(p(-x))), p(0.5));
const cosh = (x: number): I.Interval => I.mul(I.add(I.exp(p(x)), I.exp(p(-x))), p(0.5));
const circle = (x: number): I.Interval => I.sqrt(I.sub(p(1), I.mul(p(x), p(x))));
const unit = within(-1, 1);
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

const geometry: readonly FloatRow[] = [
  whole(
    'length',
    'vec4f(length(a), length(a.xyz), length(a.xy), length(a.x))',
    [any],
    ([a], c) => size(cut(a!, c)),
    ([a], c) => I.length(ps(cut(a!, c)))
  ),
  whole(
    'length of moderate vectors',
    'vec4f(length(a), length(a.xyz), length(a.xy), length(a.x))',
    [moderate],
    ([a], c) => size(cut(a!, c)),
    ([a], c) => I.length(ps(cut(a!, c))),
    { ulps: 2.5 }
  ),
  whole(
    'distance',
    'vec4f(distance(a, b), distance(a.xyz, b.xyz), distance(a.xy, b.xy), distance(a.x, b.x))',
    [moderate, moderate],
    ([a, b], c) => size(minus(cut(a!, c), cut(b!, c))),
    ([a, b], c) => I.length(cut(a!, c).map((x, k) => I.sub(p(x), p(b![k]!))))
  ),
  whole(
    'dot',
    'vec4f(dot(a, b), dot(a.xyz, b.xyz), dot(a.xy, b.xy), dot(a.xx, b.xy))',
    [moderate, moderate],
    ([a, b], c) => (c === 3 ? a![0]! * b![0]! + a![0]! * b![1]! : dot(cut(a!, c), b!)),
    ([a, b], c) => (c === 3 ? I.dot(ps([a![0]!, a![0]!]), ps(b!)) : I.dot(ps(cut(a!, c)), ps(b!)))
  ),
  whole(
    'cross',
    'vec4f(cross(a.xyz, b.xyz), cross(b.xyz, a.xyz).x)',
    [moderate, moderate],
    ([a, b], c) => {
      const [i, j] = [(c + 1) % 3, (c + 2) % 3];
      return c === 3 ? b![1]! * a![2]! - b![2]! * a![1]! : a![i]! * b![j]! - a![j]! * b![i]!;
    },
    ([a, b], c) => {
      const [i, j] = [(c + 1) % 3, (c + 2) % 3];
      const [u, v, m, n] = c === 3 ? ([b!, a!, 1, 2] as const) : ([a!, b!, i, j] as const);
      return I.sub(I.mul(p(u[m]!), p(v[n]!)), I.mul(p(u[n]!), p(v[m]!)));
    }
  ),
  ...([4, 3, 2] as const).map((n) =>
    whole(
      `normalize vec${n}`,
      n === 4 ? 'normalize(a)' : `vec4f(normalize(a.${'xyz'.slice(0, n)})${', 0'.repeat(4 - n)})`,
      [moderate],
      ([a], c) => (c < n ? a![c]! / size(a!.slice(0, n)) : 0),
      ([a], c) => (c < n ? I.div(p(a![c]!), I.length(ps(a!.slice(0, n)))) : p(0)),
      { ulps: 4 }
    )
  ),
  whole(
    'reflect',
    'reflect(a, b)',
    [moderate, moderate],
    ([a, b], c) => a![c]! - 2 * dot(b!, a!) * b![c]!,
    ([a, b], c) => I.sub(p(a![c]!), I.mul(I.mul(p(2), I.dot(ps(b!), ps(a!))), p(b![c]!)))
  ),
  whole('refract', 'refract(a, b, c.x)', [within(-1, 1), within(-1, 1), within(0, 2)], refractExactly, refractAllowed),
  whole(
    'faceForward',
    'faceForward(a, b, c)',
    [any, moderate, moderate],
    ([a, b, n], c) => (dot(b!, n!) < 0 ? a![c]! : -a![c]!),
    ([a, b, n], c) => {
      const [low, high] = I.dot(ps(b!), ps(n!));
      return high < 0 ? p(a![c]!) : low >= 0 ? p(-a![c]!) : [-Math.abs(a![c]!), Math.abs(a![c]!)];
    }
  ),
];

const refraction = ([a, b, r]: readonly Vector[]): number => {
  const cosine = dot(b!, a!);
  return 1 - r![0]! ** 2 * (1 - cosine * cosine);
};
function refractExactly(args: readonly Vector[], c: number): number {
  const [a, b, r] = args as [Vector, Vector, Vector];
  const k = refraction(args);
  return k < 0 ? 0 : r[0]! * a[c]! - (r[0]! * dot(b, a) + Math.sqrt(k)) * b[c]!;
}
function refractAllowed([a, b, r]: readonly Vector[], c: number): I.Interval {
  const [ratio, cosine] = [p(r![0]!), I.dot(ps(b!), ps(a!))];
  const k = I.sub(p(1), I.mul(I.mul(ratio, ratio), I.sub(p(1), I.mul(cosine, cosine))));
  const bent = I.sub(I.mul(ratio, p(a![c]!)), I.mul(I.add(I.mul(ratio, cosine), I.sqrt(k)), p(b![c]!)));
  return k[1] < 0 ? p(0) : k[0] >= 0 ? bent : I.worse(bent, p(0));
}

const columns = (args: readonly Vector[], n: number): I.Interval[][] =>
  n === 2 ? [ps(args[0]!.slice(0, 2)), ps(args[0]!.slice(2, 4))] : args.slice(0, n).map((v) => ps(v.slice(0, n)));
/**
 * The middle of an interval computed from doubles is not the exact value; terms may cancel, so only the interval is
 * compared.
 */
const exactDeterminant = (m: readonly Vector[]): number =>
  m.length === 1
    ? m[0]![0]!
    : m[0]!.reduce(
        (sum, x, r) => sum + (r % 2 ? -x : x) * exactDeterminant(m.slice(1).map((v) => v.filter((_, k) => k !== r))),
        0
      );
const four = [moderate, moderate, moderate, moderate];
const M = 'mat4x4f(a, b, c, d)';

const matrices: readonly FloatRow[] = [
  // WGSL gives no limit; this is the error of the cofactor formula.
  whole(
    'determinant',
    `vec4f(determinant(mat2x2f(a.xy, a.zw)), determinant(mat3x3f(a.xyz, b.xyz, c.xyz)), determinant(${M}), 1)`,
    four,
    (m, c) =>
      c === 0
        ? exactDeterminant([m[0]!.slice(0, 2), m[0]!.slice(2)])
        : c === 3
          ? 1
          : exactDeterminant(m.slice(0, c + 2).map((v) => v.slice(0, c + 2))),
    (m, c) => (c === 3 ? p(1) : I.determinant(columns(m, c + 2)))
  ),
  whole(
    'transpose',
    `vec4f(transpose(${M})[1].xy, transpose(mat2x3f(a.xyz, b.xyz))[2].y, `
      + 'transpose(mat4x2f(a.xy, a.zw, b.xy, b.zw))[1].w)',
    [any, any, any, any],
    ([a, b], c) => [a![1]!, b![1]!, b![2]!, b![3]!][c]!,
    null
  ),
  whole('transpose, on', `transpose(${M})[3]`, [any, any, any, any], (m, c) => m[c]![3]!, null),
  whole(
    'matrix · vector',
    `(mat3x4f(a, b, c) * d.xyz)`,
    four,
    ([a, b, m, v], c) => dot([a![c]!, b![c]!, m![c]!], v!),
    ([a, b, m, v], c) => I.dot(ps([a![c]!, b![c]!, m![c]!]), ps(v!))
  ),
  whole(
    'vector · matrix',
    `(d * ${M})`,
    four,
    (m, c) => dot(m[3]!, m[c]!),
    (m, c) => I.dot(ps(m[3]!), ps(m[c]!))
  ),
  whole(
    'matrix · matrix',
    `(mat2x4f(a, b) * mat2x2f(c.xy, d.xy))[1]`,
    four,
    ([a, b, , d], c) => a![c]! * d![0]! + b![c]! * d![1]!,
    ([a, b, , d], c) => I.dot(ps([a![c]!, b![c]!]), ps(d!.slice(0, 2)))
  ),
  whole(
    'matrix sums and scalings',
    `(mat2x4f(a, b) - mat2x4f(c, d) * a.x)[1]`,
    four,
    ([a, b, , d], c) => b![c]! - d![c]! * a![0]!,
    ([a, b, , d], c) => I.sub(p(b![c]!), I.mul(p(d![c]!), p(a![0]!)))
  ),
];

/**
 * A formula whose every step is rounded separately: passes and instruction selection must keep it, and similar ones.
 */
const exactly = (form: string, exact: (a: number, b: number, c: number, d: number) => number, pools = four): FloatRow =>
  whole(form, form, pools, (args, c) => exact(...(args.map((v) => v[c]!) as [number, number, number, number])), null);
const all = [any, any, any, any];

const rearrangements: readonly FloatRow[] = [
  exactly('(a + 0.0)', (a) => a + 0, all),
  exactly('(a + -0.0)', (a) => a + -0, all),
  exactly('(a - 0.0)', (a) => a - 0, all),
  exactly('(0.0 - a)', (a) => 0 - a, all),
  exactly('(a * 1.0)', (a) => a, all),
  exactly('(a * -1.0)', (a) => -a, all),
  exactly('(a * 0.0)', (a) => a * 0, all),
  exactly('(a - (-b))', (a, b) => a + b, all),
  exactly('((-a) + b)', (a, b) => b - a, all),
  exactly('((-a) * (-b))', (a, b) => a * b, all),
  exactly('(a / 8.0)', (a) => a / 8, all),
  exactly('(a / 1.5)', (a) => a / 1.5, all),
  exactly('(a / -3.0)', (a) => a / -3, all),
  exactly('(a / 1e38)', (a) => a / f(1e38), all),
  exactly('(a / 1e-38)', (a) => a / f(1e-38), [unit, any, any, any]),
  exactly('clamp(a, vec4f(0), vec4f(1))', (a) => least(most(0, a), 1), all),
  exactly('clamp(a, vec4f(0.25), vec4f(1))', (a) => least(most(0.25, a), 1), all),
  exactly('clamp(a, vec4f(0), vec4f(2))', (a) => least(most(0, a), 2), all),
  exactly('min(vec4f(1), max(a, b))', (a, b) => least(1, most(a, b)), all),
  exactly('max(min(a, b), c)', (a, b, c) => most(least(a, b), c), all),
  exactly('(a * b + c)', (a, b, c) => f(a * b) + c),
  exactly('(c + a * b)', (a, b, c) => f(a * b) + c),
  exactly('(a * b - c)', (a, b, c) => f(a * b) - c),
  exactly('(c - a * b)', (a, b, c) => c - f(a * b)),
  exactly('(a * b + c * d)', (a, b, c, d) => f(a * b) + f(c * d)),
  exactly('(a * b - c * d)', (a, b, c, d) => f(a * b) - f(c * d)),
  exactly('((a * b + c * d) + a * c)', (a, b, c, d) => f(f(a * b) + f(c * d)) + f(a * c)),
  exactly('(a * c + (a * b + c * d))', (a, b, c, d) => f(f(a * b) + f(c * d)) + f(a * c)),
  exactly('(a * c + (b + c * d))', (a, b, c, d) => f(b + f(c * d)) + f(a * c)),
  exactly('(((a * b + c * d) + a * c) + b * d)', (a, b, c, d) => f(f(f(a * b) + f(c * d)) + f(a * c)) + f(b * d)),
  exactly('((a * b + c * d) + (a * c + b * d))', (a, b, c, d) => f(f(a * b) + f(c * d)) + f(f(a * c) + f(b * d))),
  exactly('(((a * b + c * d) + a * c) + b)', (a, b, c, d) => f(f(f(a * b) + f(c * d)) + f(a * c)) + b),
  exactly('(a * (1.0 - c) + b * c)', (a, b, c) => f(a * f(1 - c)) + f(b * c)),
  exactly('(a * (2.0 - c) + b * c)', (a, b, c) => f(a * f(2 - c)) + f(b * c)),
  exactly('(a * (1.0 - c) + b * d)', (a, b, c, d) => f(a * f(1 - c)) + f(b * d)),
  exactly('(a * (c - 1.0) + b * c)', (a, b, c) => f(a * f(c - 1)) + f(b * c)),
  exactly('(c * b + (1.0 - c) * a)', (a, b, c) => f(c * b) + f(f(1 - c) * a)),
  exactly('(c * a + (1.0 - c) * c)', (a, _, c) => f(c * a) + f(f(1 - c) * c)),
  exactly('select(a, b, !(c < d))', (a, b, c, d) => (c < d ? a : b), all),
  exactly('select(a, b, !(c == d))', (a, b, c, d) => (c === d ? a : b), all),
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
