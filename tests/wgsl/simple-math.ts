// A ConstantMath for tests of the front end: JavaScript's functions, rounded to f32. The kernel's own functions are
// tested elsewhere.

import type { ConstantMath } from '../../src/wgsl';

const UNARY: Readonly<Record<string, (x: number) => number>> = {
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  cos: Math.cos,
  cosh: Math.cosh,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  inverseSqrt: (x) => 1 / Math.sqrt(x),
  log: Math.log,
  log2: Math.log2,
  sin: Math.sin,
  sinh: Math.sinh,
  tan: Math.tan,
  tanh: Math.tanh,
};
const BINARY: Readonly<Record<string, (x: number, y: number) => number>> = { atan2: Math.atan2, pow: Math.pow };

export const simpleMath: ConstantMath = {
  unary: (name, x) => Math.fround(UNARY[name]!(x)),
  binary: (name, x, y) => Math.fround(BINARY[name]!(x, y)),
};
