// Functions on abstract floats, which are doubles (WGSL §6.2.1). They use only + − × ÷ and sqrt, because the Math
// functions of JavaScript differ between engines and an image may depend on them. The error is below 1e-14 relative to
// the value, or to the largest intermediate value in case of cancellation. WGSL only requires the accuracy of f32.

// ln 2 in two parts. The first ends with 20 zero bits, so that its integer multiples are exact.
const LN2_HIGH = 0.69314718036912381649;
const LN2_LOW = 1.90821492927058770002e-10;
const LN2 = 0.6931471805599453;
// π/2 in three parts of 33 bits each.
const HALF_PI_1 = 1.57079632673412561417;
const HALF_PI_2 = 6.0771005063039659766e-11;
const HALF_PI_3 = 2.02226624879595063154e-21;
const HALF_PI = Math.PI / 2;

/** Σ xᵏ·c(k), from the highest k down. */
function series(x: number, terms: number, coefficient: (k: number) => number): number {
  let sum = 0;
  for (let k = terms - 1; k >= 0; k--) sum = sum * x + coefficient(k);
  return sum;
}

const INVERSE_FACTORIALS: readonly number[] = (() => {
  const list = [1];
  for (let k = 1; k < 24; k++) list.push(list[k - 1]! / k);
  return list;
})();

/** x · 2^e. Steps of 2^±1000 keep every power finite; only the last one rounds. */
export function scaleByPower(x: number, exponent: number): number {
  let value = x;
  let rest = Math.max(-4200, Math.min(4200, exponent));
  for (; rest > 1000; rest -= 1000) value *= 2 ** 1000;
  for (; rest < -1000; rest += 1000) value *= 2 ** -1000;
  return value * 2 ** rest;
}

/** Fraction in ±[0.5, 1), and exponent, as frexp returns them. */
export function splitFloat(x: number): [number, number] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  let fraction = x;
  let exponent = 0;
  for (; Math.abs(fraction) >= 1; exponent++) fraction /= 2;
  for (; Math.abs(fraction) < 0.5; exponent--) fraction *= 2;
  return [fraction, exponent];
}

/** e^r for |r| ≤ 0.35. */
const smallExp = (r: number): number => series(r, 16, (k) => INVERSE_FACTORIALS[k]!);

function exp(x: number): number {
  if (Number.isNaN(x)) return NaN;
  if (x > 710) return Infinity;
  if (x < -750) return 0;
  const k = Math.floor(x / LN2 + 0.5);
  return scaleByPower(smallExp(x - k * LN2_HIGH - k * LN2_LOW), k);
}

function exp2(x: number): number {
  if (Number.isNaN(x)) return NaN;
  const bounded = Math.max(-1100, Math.min(1100, x));
  const k = Math.floor(bounded + 0.5);
  return scaleByPower(smallExp((bounded - k) * LN2), k);
}

/** [e, ln m] with x = m · 2^e and m from √½ to √2. */
function logParts(x: number): [number, number] {
  const [fraction, exponent] = splitFloat(x);
  const low = fraction < Math.SQRT1_2;
  const m = low ? fraction * 2 : fraction;
  const s = (m - 1) / (m + 1);
  return [low ? exponent - 1 : exponent, 2 * s * series(s * s, 13, (k) => 1 / (2 * k + 1))];
}

function log(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN;
  if (x === Infinity) return x;
  const [e, m] = logParts(x);
  return e * LN2_HIGH + (e * LN2_LOW + m);
}

function log2(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN;
  const [e, m] = logParts(x);
  return e + m / LN2;
}

function pow(x: number, y: number): number {
  if (x === 0) return y > 0 ? 0 : NaN;
  return exp2(y * log2(x));
}

/** [sin, cos]. */
function sinCos(x: number): [number, number] {
  if (!Number.isFinite(x)) return [NaN, NaN];
  // For larger values, first subtracts full turns exactly, using the double closest to 2π.
  const near = Math.abs(x) < 1e6 ? x : x % (2 * Math.PI);
  const k = Math.floor(near / HALF_PI + 0.5);
  const r = near - k * HALF_PI_1 - k * HALF_PI_2 - k * HALF_PI_3;
  const z = -(r * r);
  const sine = r * series(z, 10, (n) => INVERSE_FACTORIALS[2 * n + 1]!);
  const cosine = series(z, 10, (n) => INVERSE_FACTORIALS[2 * n]!);
  const quadrant = ((k % 4) + 4) % 4;
  return quadrant === 0
    ? [sine, cosine]
    : quadrant === 1
      ? [cosine, -sine]
      : quadrant === 2
        ? [-sine, -cosine]
        : [-cosine, sine];
}

function atan(x: number): number {
  const size = Math.abs(x);
  if (size > 1) return (x < 0 ? -1 : 1) * (HALF_PI - atan(1 / size));
  // Applies tan(a/2) = t / (1 + √(1 + t²)) twice.
  const halved = x / (1 + Math.sqrt(1 + x * x));
  const t = halved / (1 + Math.sqrt(1 + halved * halved));
  return 4 * t * series(-(t * t), 14, (k) => 1 / (2 * k + 1));
}

function atan2(y: number, x: number): number {
  if (x === 0 && y === 0) return 0;
  if (x === 0) return y > 0 ? HALF_PI : -HALF_PI;
  const angle = atan(y / x);
  return x > 0 ? angle : angle + (y < 0 ? -Math.PI : Math.PI);
}

function sinh(x: number): number {
  if (Math.abs(x) < 1) return x * series(x * x, 11, (k) => INVERSE_FACTORIALS[2 * k + 1]!);
  const half = exp(Math.abs(x) / 2);
  const value = half * 0.5 * half - 0.5 / half / half;
  return x < 0 ? -value : value;
}

function cosh(x: number): number {
  const half = exp(Math.abs(x) / 2);
  return half * 0.5 * half + 0.5 / half / half;
}

function tanh(x: number): number {
  if (Math.abs(x) < 1) return sinh(x) / cosh(x);
  const rest = exp(-2 * Math.abs(x));
  return ((x < 0 ? -1 : 1) * (1 - rest)) / (1 + rest);
}

/** ln(1 + x) for x ≥ 0. */
function log1p(x: number): number {
  const s = x / (2 + x);
  return x < 0.5 ? 2 * s * series(s * s, 14, (k) => 1 / (2 * k + 1)) : log(1 + x);
}

function asinh(x: number): number {
  const size = Math.abs(x);
  // Computes x + √(x² + 1) − 1 without the subtraction.
  const value = size > 1e150 ? log(size) + LN2 : log1p(size + (size * size) / (1 + Math.sqrt(size * size + 1)));
  return x < 0 ? -value : value;
}

function acosh(x: number): number {
  if (!(x >= 1)) return NaN;
  const above = x - 1;
  return x > 1e150 ? log(x) + LN2 : log1p(above + Math.sqrt(above * (x + 1)));
}

function atanh(x: number): number {
  const size = Math.abs(x);
  if (!(size < 1)) return NaN;
  const value = 0.5 * log1p((2 * size) / (1 - size));
  return x < 0 ? -value : value;
}

const inUnit = (x: number): boolean => Math.abs(x) <= 1;

const UNARY: Readonly<Record<string, (x: number) => number>> = {
  exp,
  exp2,
  log,
  log2,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  sin: (x) => sinCos(x)[0],
  cos: (x) => sinCos(x)[1],
  tan: (x) => {
    const [sine, cosine] = sinCos(x);
    return sine / cosine;
  },
  asin: (x) => (x === 0 ? x : inUnit(x) ? atan2(x, Math.sqrt((1 - x) * (1 + x))) : NaN),
  acos: (x) => (inUnit(x) ? 2 * atan2(Math.sqrt(1 - x), Math.sqrt(1 + x)) : NaN),
  inverseSqrt: (x) => (x > 0 ? 1 / Math.sqrt(x) : NaN),
};

/**
 * Mathematics of constants in double precision, with the names of ConstantMath (hir.ts). Undefined or ambiguous results
 * are not finite.
 */
export const doubleMath = {
  unary: (name: string, x: number): number => UNARY[name]!(x),
  binary: (name: string, x: number, y: number): number => (name === 'pow' ? pow(x, y) : atan2(x, y)),
};
