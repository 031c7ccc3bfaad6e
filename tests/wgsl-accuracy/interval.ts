// Permitted results by WGSL's tables of accuracy (§15.7.4.1): intervals of f32 values around the exact result.
// "Inherited from" an expression means that expression, each of its operations with its own error. Infinite intervals
// permit any result: intermediate results beyond f32 and arguments outside a domain.

/** From least to greatest. */
export type Interval = readonly [number, number];
export const ANY: Interval = [-Infinity, Infinity];

const GREATEST = 3.4028234663852886e38;
const words = new DataView(new ArrayBuffer(4));

/** The next f32 above (1) or below (−1) an f32. */
export function neighbour(x: number, direction: 1 | -1): number {
  if (x === 0) return direction * 2 ** -149;
  words.setFloat32(0, x);
  words.setInt32(0, words.getInt32(0) + (x > 0 ? direction : -direction));
  return words.getFloat32(0);
}

const below = (x: number): number => (Math.fround(x) <= x ? Math.fround(x) : neighbour(Math.fround(x), -1));
const above = (x: number): number => (Math.fround(x) >= x ? Math.fround(x) : neighbour(Math.fround(x), 1));

/** ulp(x): the smallest distance of two f32 values that enclose x; smaller numbers use that of the denormals. */
export function ulp(x: number): number {
  const size = Math.max(Math.abs(x), 2 ** -126);
  // log2 may miss a power of two by a rounding error.
  let exponent = Math.floor(Math.log2(size));
  if (2 ** exponent > size) exponent--;
  else if (2 ** (exponent + 1) <= size) exponent++;
  if (2 ** exponent === size) exponent--;
  return 2 ** (Math.max(exponent, -126) - 23);
}

/** Correctly rounded: either neighbor of an exact result; denormal results may be flushed. */
function rounded(low: number, high: number): Interval {
  if (!(low >= -GREATEST && high <= GREATEST)) return ANY;
  return [low > 0 && low < 2 ** -126 ? 0 : below(low), high < 0 && high > -(2 ** -126) ? 0 : above(high)];
}

export const point = (x: number): Interval => (Number.isFinite(x) ? [x, x] : ANY);
const isAny = ([low, high]: Interval): boolean => !Number.isFinite(low) || !Number.isFinite(high);
const hull = (values: readonly number[]): Interval => [Math.min(...values), Math.max(...values)];

/** Union of two sets of results. */
export const worse = (a: Interval, b: Interval): Interval => [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
export const absolute = (exact: number, error: number): Interval => rounded(exact - error, exact + error);
export const ulps = (exact: number, count: number): Interval =>
  rounded(exact - count * ulp(exact), exact + count * ulp(exact));

export const add = (a: Interval, b: Interval): Interval =>
  isAny(a) || isAny(b) ? ANY : rounded(a[0] + b[0], a[1] + b[1]);
export const negate = (a: Interval): Interval => [-a[1], -a[0]];
export const sub = (a: Interval, b: Interval): Interval => add(a, negate(b));
export function mul(a: Interval, b: Interval): Interval {
  return isAny(a) || isAny(b) ? ANY : rounded(...hull([a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]]));
}

/** 2.5 ULP for divisors within 2^±126. */
export function div(a: Interval, b: Interval): Interval {
  const size = [Math.abs(b[0]), Math.abs(b[1])];
  if (isAny(a) || isAny(b) || b[0] * b[1] <= 0 || size.some((x) => x < 2 ** -126 || x > 2 ** 126)) return ANY;
  const [low, high] = hull([a[0] / b[0], a[0] / b[1], a[1] / b[0], a[1] / b[1]]);
  return rounded(low - 2.5 * ulp(low), high + 2.5 * ulp(high));
}

/** A monotonically increasing function with its error at either end. */
function rising(a: Interval, of: (x: number) => number, error: (x: number) => number): Interval {
  if (isAny(a)) return ANY;
  const [low, high] = [of(a[0]), of(a[1])];
  return rounded(low - error(a[0]), high + error(a[1]));
}

const expError =
  (of: (x: number) => number) =>
  (x: number): number =>
    (3 + 2 * Math.abs(x)) * ulp(of(x));
const exp2Of = (x: number): number => 2 ** x;
export const exp = (a: Interval): Interval => rising(a, Math.exp, expError(Math.exp));
export const exp2 = (a: Interval): Interval => rising(a, exp2Of, expError(exp2Of));

const logError =
  (of: (x: number) => number) =>
  (x: number): number =>
    x >= 0.5 && x <= 2 ? 2 ** -21 : 3 * ulp(of(x));
export const log = (a: Interval): Interval => (a[0] <= 0 ? ANY : rising(a, Math.log, logError(Math.log)));
export const log2 = (a: Interval): Interval => (a[0] <= 0 ? ANY : rising(a, Math.log2, logError(Math.log2)));

/** 2 ULP. */
export function inverseSqrt(a: Interval): Interval {
  if (isAny(a) || a[0] <= 0) return ANY;
  const [low, high] = [1 / Math.sqrt(a[1]), 1 / Math.sqrt(a[0])];
  return rounded(low - 2 * ulp(low), high + 2 * ulp(high));
}

/** 1.0 / inverseSqrt(x); of zero, zero. */
export function sqrt(a: Interval): Interval {
  if (isAny(a) || a[1] < 0) return ANY;
  if (a[1] === 0) return [0, 0];
  const high = div(point(1), inverseSqrt([a[1], a[1]]));
  return a[0] <= 0 ? [0, high[1]] : [div(point(1), inverseSqrt([a[0], a[0]]))[0], high[1]];
}

/** 4096 ULP for |x| within 2^±126 and a normal y. */
export function atan2(y: Interval, x: Interval): Interval {
  const normal = (v: number): boolean => Math.abs(v) >= 2 ** -126;
  if (
    isAny(x)
    || isAny(y)
    || x[0] * x[1] <= 0
    || !x.every((v) => normal(v) && Math.abs(v) <= 2 ** 126)
    || !y.every(normal)
  )
    return ANY;
  if (x[0] < 0 && y[0] * y[1] < 0) return [-3.1415929, 3.1415929];
  const [low, high] = hull([
    Math.atan2(y[0], x[0]),
    Math.atan2(y[0], x[1]),
    Math.atan2(y[1], x[0]),
    Math.atan2(y[1], x[1]),
  ]);
  return rounded(low - 4096 * ulp(low), high + 4096 * ulp(high));
}

export const clamp = (a: Interval, low: number, high: number): Interval =>
  isAny(a) ? ANY : [Math.min(Math.max(a[0], low), high), Math.min(Math.max(a[1], low), high)];

/** Sum of a[i] · b[i], from the first term to the last. */
export const dot = (a: readonly Interval[], b: readonly Interval[]): Interval =>
  a.map((x, k) => mul(x, b[k]!)).reduce(add);
export const length = (v: readonly Interval[]): Interval => sqrt(dot(v, v));

/** By cofactors of the first column; columns of intervals. */
export function determinant(columns: readonly (readonly Interval[])[]): Interval {
  const [first, ...rest] = columns;
  if (rest.length === 0) return first![0]!;
  return first!
    .map((x, r) => {
      const term = mul(x, determinant(rest.map((column) => column.filter((_, k) => k !== r))));
      return r % 2 === 1 ? negate(term) : term;
    })
    .reduce(add);
}

export const holds = ([low, high]: Interval, x: number): boolean => x >= low && x <= high;
