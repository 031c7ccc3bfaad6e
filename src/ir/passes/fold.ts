// Folds operations whose arguments are all constants. The bits are those that the engines compute. Exact operations are
// computed here with fround; all others call the kernel's own functions through ConstantMath. A NaN folds to 7fc00000.

import { FLOAT_ONE_BITS, floatBits, floatFromBits } from '../../base/bits';
import type { OpName } from '../ops';

/**
 * The kernel's functions on f32 values, by the names of WGSL's builtin functions ('sin', 'exp2', 'inverseSqrt', 'pow',
 * 'atan2' …).
 */
export interface ConstantMath {
  unary(name: string, x: number): number;
  binary(name: string, x: number, y: number): number;
}

const CANONICAL_NAN = 0x7fc00000;

/** The bits of a result. All NaNs have the same bits. */
export function bitsOf(x: number): number {
  return x !== x ? CANONICAL_NAN : floatBits(x);
}
const bool = (condition: boolean): number => (condition ? 0xffffffff : 0);

/** Nearest integer; ties round to even. */
function roundEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest < 0.5) return rest === 0 ? x : floor === 0 && x < 0 ? -0 : floor;
  const rounded = rest > 0.5 || floor % 2 !== 0 ? floor + 1 : floor;
  return rounded === 0 && x < 0 ? -0 : rounded;
}

function sign(x: number): number {
  if (x > 0) return 1;
  return x < 0 ? -1 : 0;
}

/**
 * Converts f32 bits to a half (5 bits of exponent, 10 bits of fraction). Ties round to even; large values become
 * infinity.
 */
function packHalf(bits: number): number {
  const signBit = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7e00;
  if (magnitude >= 0x47800000) return signBit | 0x7c00;
  // Scales the value in double precision to units of the half's last bit and rounds it to an integer. A carry
  // moves on into the exponent.
  const x = floatFromBits(magnitude);
  const exponent = Math.max(magnitude >>> 23, 113) - 127;
  const steps = roundEven(x * 2 ** (10 - exponent));
  return signBit | (steps + (exponent === -14 ? 0 : (exponent + 14) << 10));
}

function unpackHalf(half: number): number {
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  const scale = half & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? scale * Infinity : NaN;
  return scale * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

function frexp(x: number): [number, number] {
  if (x === 0 || x !== x || Math.abs(x) === Infinity) return [x, 0];
  let exponent = 0;
  let fraction = x;
  while (Math.abs(fraction) >= 1) {
    fraction /= 2;
    exponent++;
  }
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2;
    exponent--;
  }
  return [fraction, exponent];
}

const f1 =
  (compute: (x: number) => number) =>
  (a: number): number =>
    bitsOf(compute(floatFromBits(a)));
const f2 =
  (compute: (x: number, y: number) => number) =>
  (a: number, b: number): number =>
    bitsOf(compute(floatFromBits(a), floatFromBits(b)));
const compare =
  (test: (x: number, y: number) => boolean) =>
  (a: number, b: number): number =>
    bool(test(floatFromBits(a), floatFromBits(b)));
const signedCompare =
  (test: (x: number, y: number) => boolean) =>
  (a: number, b: number): number =>
    bool(test(a | 0, b | 0));
const unsignedCompare =
  (test: (x: number, y: number) => boolean) =>
  (a: number, b: number): number =>
    bool(test(a >>> 0, b >>> 0));

function extract(value: number, offset: number, count: number, signed: boolean): number {
  const o = Math.min(offset, 32);
  const c = Math.min(count, 32 - o);
  if (c === 0) return 0;
  const left = value << (32 - c - o);
  return signed ? left >> (32 - c) : left >>> (32 - c);
}

function insert(value: number, inserted: number, offset: number, count: number): number {
  const o = Math.min(offset, 32);
  const c = Math.min(count, 32 - o);
  if (c === 0) return value;
  const mask = (c === 32 ? 0xffffffff : (1 << c) - 1) << o;
  return (value & ~mask) | ((inserted << o) & mask);
}

function reverse(value: number): number {
  let reversed = 0;
  for (let i = 0; i < 32; i++) if ((value >>> i) & 1) reversed |= 1 << (31 - i);
  return reversed;
}

function countOnes(value: number): number {
  let count = 0;
  for (let rest = value >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count++;
  return count;
}
const trailingZeros = (value: number): number => (value === 0 ? 32 : 31 - Math.clz32(value & -value));

function toInt(x: number, low: number, high: number): number {
  if (x !== x) return 0;
  return Math.min(Math.max(Math.trunc(x), low), high);
}

type Fold = (...args: number[]) => number;
const folds: Readonly<Partial<Record<OpName, Fold>>> = {
  'f32.add': f2((x, y) => Math.fround(x + y)),
  'f32.sub': f2((x, y) => Math.fround(x - y)),
  'f32.mul': f2((x, y) => Math.fround(x * y)),
  'f32.div': f2((x, y) => Math.fround(x / y)),
  'f32.rem': f2((x, y) => Math.fround(x - Math.fround(y * Math.trunc(Math.fround(x / y))))),
  'f32.min': (a, b) => (floatFromBits(b) < floatFromBits(a) ? b : a),
  'f32.max': (a, b) => (floatFromBits(a) < floatFromBits(b) ? b : a),
  'f32.neg': (a) => a ^ 0x80000000,
  'f32.abs': (a) => a & 0x7fffffff,
  'f32.sign': f1(sign),
  'f32.floor': f1(Math.floor),
  'f32.ceil': f1(Math.ceil),
  'f32.trunc': f1(Math.trunc),
  'f32.round': f1(roundEven),
  'f32.fract': f1((x) => Math.fround(x - Math.floor(x))),
  'f32.sqrt': f1((x) => Math.fround(Math.sqrt(x))),
  'f32.ldexp': (a, e) => bitsOf(ldexp(floatFromBits(a), e | 0)),
  'f32.frexpFraction': f1((x) => frexp(x)[0]),
  'f32.frexpExponent': (a) => frexp(floatFromBits(a))[1],
  'f32.quantizeToF16': (a) => bitsOf(unpackHalf(packHalf(a))),
  'f32.eq': compare((x, y) => x === y),
  'f32.ne': compare((x, y) => x !== y),
  'f32.lt': compare((x, y) => x < y),
  'f32.le': compare((x, y) => x <= y),
  'f32.gt': compare((x, y) => x > y),
  'f32.ge': compare((x, y) => x >= y),
  'int.add': (a, b) => a + b,
  'int.sub': (a, b) => a - b,
  'int.mul': Math.imul,
  'int.and': (a, b) => a & b,
  'int.or': (a, b) => a | b,
  'int.xor': (a, b) => a ^ b,
  'int.neg': (a) => -a,
  'int.not': (a) => ~a,
  'int.shl': (a, b) => a << b,
  'i32.shr': (a, b) => a >> b,
  'u32.shr': (a, b) => a >>> b,
  'int.eq': (a, b) => bool(a === b),
  'int.ne': (a, b) => bool(a !== b),
  'i32.div': (a, b) => ((b | 0) === 0 ? a : (a | 0) / (b | 0)),
  'i32.rem': (a, b) => ((b | 0) === 0 ? 0 : (a | 0) % (b | 0)),
  'u32.div': (a, b) => (b === 0 ? a : Math.floor(a / b)),
  'u32.rem': (a, b) => (b === 0 ? 0 : a % b),
  'i32.min': (a, b) => Math.min(a | 0, b | 0),
  'i32.max': (a, b) => Math.max(a | 0, b | 0),
  'u32.min': (a, b) => Math.min(a, b),
  'u32.max': (a, b) => Math.max(a, b),
  'i32.abs': (a) => Math.abs(a | 0),
  'i32.sign': (a) => sign(a | 0),
  'i32.lt': signedCompare((x, y) => x < y),
  'i32.le': signedCompare((x, y) => x <= y),
  'i32.gt': signedCompare((x, y) => x > y),
  'i32.ge': signedCompare((x, y) => x >= y),
  'u32.lt': unsignedCompare((x, y) => x < y),
  'u32.le': unsignedCompare((x, y) => x <= y),
  'u32.gt': unsignedCompare((x, y) => x > y),
  'u32.ge': unsignedCompare((x, y) => x >= y),
  'int.countLeadingZeros': Math.clz32,
  'int.countTrailingZeros': trailingZeros,
  'int.countOneBits': countOnes,
  'int.reverseBits': reverse,
  'i32.firstLeadingBit': (a) => 31 - Math.clz32((a | 0) < 0 ? ~a : a),
  'u32.firstLeadingBit': (a) => 31 - Math.clz32(a),
  'int.firstTrailingBit': (a) => (a === 0 ? -1 : trailingZeros(a)),
  'i32.extractBits': (v, o, c) => extract(v, o, c, true),
  'u32.extractBits': (v, o, c) => extract(v, o, c, false),
  'int.insertBits': insert,
  'bool.and': (a, b) => a & b,
  'bool.or': (a, b) => a | b,
  'bool.eq': (a, b) => bool(a === b),
  'bool.ne': (a, b) => bool(a !== b),
  'bool.not': (a) => ~a,
  select: (condition, yes, no) => (condition === 0 ? no : yes),
  // The bounds are representable as f32 (WGSL §15.7.6).
  'i32.fromF32': (a) => toInt(floatFromBits(a), -0x80000000, 2147483520),
  'u32.fromF32': (a) => toInt(floatFromBits(a), 0, 4294967040),
  'f32.fromI32': (a) => bitsOf(Math.fround(a | 0)),
  'f32.fromU32': (a) => bitsOf(Math.fround(a)),
  'int.fromBool': (a) => a & 1,
  'f32.fromBool': (a) => (a === 0 ? 0 : FLOAT_ONE_BITS),
  'int.cast': (a) => a,
  'int.fromF32Bits': (a) => bitsOf(floatFromBits(a)),
  'f32.fromBits': (a) => a,
  'f16.pack': packHalf,
  'f16.unpack': (a) => bitsOf(unpackHalf(a & 0xffff)),
};

function ldexp(x: number, exponent: number): number {
  // For an f32, the product with 2^±300 is exact in double precision. Beyond that, the result is 0 or infinite anyway.
  return Math.fround(x * 2 ** Math.min(Math.max(exponent, -300), 300));
}

const kernelUnary = new Set([
  'inverseSqrt',
  'exp',
  'exp2',
  'log',
  'log2',
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'asinh',
  'acosh',
  'atanh',
]);
const kernelBinary = new Set(['pow', 'atan2']);

/**
 * Bits (u32) of the result of a pure operation on constant bits, or undefined if it cannot be computed at compile time.
 */
export function fold(op: OpName, args: readonly number[], math: ConstantMath): number | undefined {
  const found = folds[op];
  if (found !== undefined) return found(...args) >>> 0;
  const name = op.slice(op.indexOf('.') + 1);
  if (kernelUnary.has(name)) return bitsOf(math.unary(name, floatFromBits(args[0]!)));
  if (kernelBinary.has(name)) return bitsOf(math.binary(name, floatFromBits(args[0]!), floatFromBits(args[1]!)));
  return undefined;
}
