// Vectors and matrices in double precision, column-major as in WGSL. Only + − × ÷ and sqrt are used. They are exact or
// correctly rounded in every engine, so that cameras and lights have the same bits everywhere. (Math.sin, Math.pow and
// Math.hypot are not.)

export type Vec3 = [number, number, number];
/** Sixteen numbers, column-major: element (row, column) is at `column * 4 + row`. */
export type Mat4 = number[];
/** Nine numbers, column-major. */
export type Mat3 = readonly number[];

/** Axes of a view in world space: unit vectors to the right, up, and back towards the eye. */
export interface Axes {
  right: Vec3;
  up: Vec3;
  back: Vec3;
}

export const PI = 3.141592653589793;

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const length = (a: Vec3): number => Math.sqrt(dot(a, a));
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
/** The unit vector along `a`; a zero vector stays zero. */
export function normalize(a: Vec3): Vec3 {
  const l = length(a);
  return l > 0 ? scale(a, 1 / l) : [0, 0, 0];
}

export const identity = (): Mat4 => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The matrix product `a · b`. */
export function multiply(a: Mat4, b: Mat4): Mat4 {
  const out = new Array<number>(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + row] * b[column * 4 + k];
      out[column * 4 + row] = sum;
    }
  }
  return out;
}

/** Translation · rotation (unit quaternion x, y, z, w) · scale, in the order of a glTF node. */
export function compose(t: readonly number[], q: readonly number[], s: readonly number[]): Mat4 {
  const [x, y, z, w] = q;
  return [
    (1 - 2 * (y * y + z * z)) * s[0],
    2 * (x * y + z * w) * s[0],
    2 * (x * z - y * w) * s[0],
    0,
    2 * (x * y - z * w) * s[1],
    (1 - 2 * (x * x + z * z)) * s[1],
    2 * (y * z + x * w) * s[1],
    0,
    2 * (x * z + y * w) * s[2],
    2 * (y * z - x * w) * s[2],
    (1 - 2 * (x * x + y * y)) * s[2],
    0,
    t[0],
    t[1],
    t[2],
    1,
  ];
}

/** Determinant of the upper 3×3 part. It is negative if the transform mirrors. */
export function determinant3(m: Mat4): number {
  return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);
}

/**
 * Cofactors of the upper 3×3 part as three columns of three, which transform normals. They are the inverse transpose
 * times the determinant, so they also exist for singular transforms. The sign is corrected for mirroring transforms.
 */
export function normalMatrix(m: Mat4): number[] {
  const s = determinant3(m) < 0 ? -1 : 1;
  return [
    s * (m[5] * m[10] - m[6] * m[9]),
    s * (m[6] * m[8] - m[4] * m[10]),
    s * (m[4] * m[9] - m[5] * m[8]),
    s * (m[2] * m[9] - m[1] * m[10]),
    s * (m[0] * m[10] - m[2] * m[8]),
    s * (m[1] * m[8] - m[0] * m[9]),
    s * (m[1] * m[6] - m[2] * m[5]),
    s * (m[2] * m[4] - m[0] * m[6]),
    s * (m[0] * m[5] - m[1] * m[4]),
  ];
}

export function transformPoint(m: Mat4, x: number, y: number, z: number): Vec3 {
  return [
    m[0] * x + m[4] * y + m[8] * z + m[12],
    m[1] * x + m[5] * y + m[9] * z + m[13],
    m[2] * x + m[6] * y + m[10] * z + m[14],
  ];
}

/** Sine and cosine of an angle in degrees, by Taylor polynomials on ±45° (error below 1e-15). */
export function sinCosDegrees(degrees: number): { sin: number; cos: number } {
  const turn = degrees % 360;
  const quadrant = Math.floor(turn / 90 + 0.5);
  const x = ((turn - quadrant * 90) * PI) / 180;
  const x2 = x * x;
  let s = 0;
  let c = 0;
  for (let n = 8; n >= 1; n--) {
    s = (1 + s) * (-x2 / (2 * n * (2 * n + 1)));
    c = (1 + c) * (-x2 / (2 * n * (2 * n - 1)));
  }
  const sin = x * (1 + s);
  const cos = 1 + c;
  switch (((quadrant % 4) + 4) % 4) {
    case 0:
      return { sin, cos };
    case 1:
      return { sin: cos, cos: -sin };
    case 2:
      return { sin: -sin, cos: -cos };
    default:
      return { sin: -cos, cos: sin };
  }
}

const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);

/** Bits of the nearest half-precision number (IEEE 754), ties to even. Numbers that are too large become infinity. */
export function halfBits(value: number): number {
  single[0] = value;
  const word = singleBits[0];
  const sign = (word >>> 16) & 0x8000;
  const exponent = (word >>> 23) & 0xff;
  const mantissa = word & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (mantissa !== 0 ? 0x200 : 0);
  const e = exponent - 112;
  if (e >= 31) return sign | 0x7c00;
  if (e < -10) return sign;
  const full = e > 0 ? mantissa : mantissa | 0x800000;
  const shift = e > 0 ? 13 : 14 - e;
  const kept = (e > 0 ? e << 10 : 0) + (full >>> shift);
  const rest = full & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return sign | (kept + (rest > half || (rest === half && (kept & 1) === 1) ? 1 : 0));
}

/** 2^112: the difference of the exponents' biases of single and half precision. */
const REBIAS = 2 ** 112;

/** Converts the bits of a half-precision number. */
export function halfToFloat(bits: number): number {
  const magnitude = bits & 0x7fff;
  singleBits[0] = magnitude << 13;
  const value = magnitude >= 0x7c00 ? (magnitude > 0x7c00 ? NaN : Infinity) : single[0] * REBIAS;
  return bits & 0x8000 ? -value : value;
}

const LN2 = 0.6931471805599453;

/** 2 to the power of x, by a Taylor polynomial (relative error below 1e-15). */
export function exp2(x: number): number {
  const whole = Math.floor(x + 0.5);
  const rest = (x - whole) * LN2;
  let sum = 1;
  for (let n = 14; n >= 1; n--) sum = 1 + (sum * rest) / n;
  return sum * 2 ** whole;
}

/** Binary logarithm of a positive number, by the series of the area tangent (error below 1e-14). */
export function log2(x: number): number {
  let whole = 0;
  let mantissa = x;
  while (mantissa > 1.42) {
    mantissa /= 2;
    whole++;
  }
  while (mantissa < 0.71) {
    mantissa *= 2;
    whole--;
  }
  const t = (mantissa - 1) / (mantissa + 1);
  let sum = 0;
  for (let n = 23; n >= 1; n -= 2) sum = sum * t * t + 1 / n;
  return whole + (2 * t * sum) / LN2;
}
