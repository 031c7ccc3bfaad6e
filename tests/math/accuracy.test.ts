// Arithmetic of the kernels compared with double precision, within WGSL's table (§15.7.4), and SIMD compared with
// scalar bits.
import { describe, expect, it } from 'vitest';
import {
  OP_F16_PACK,
  OP_F16_UNPACK,
  OP_F32_ACOS,
  OP_F32_ACOSH,
  OP_F32_ADD,
  OP_F32_ASIN,
  OP_F32_ASINH,
  OP_F32_ATAN,
  OP_F32_ATAN2,
  OP_F32_ATANH,
  OP_F32_COS,
  OP_F32_COSH,
  OP_F32_EXP,
  OP_F32_EXP2,
  OP_F32_FRACT,
  OP_F32_FREXP_FRACTION,
  OP_F32_INVERSE_SQRT,
  OP_F32_LDEXP,
  OP_F32_LOG,
  OP_F32_LOG2,
  OP_F32_NEG,
  OP_F32_POW,
  OP_F32_QUANTIZE_F16,
  OP_F32_ROUND,
  OP_F32_SIGN,
  OP_F32_SIN,
  OP_F32_SINH,
  OP_F32_SQRT,
  OP_F32_TAN,
  OP_F32_TANH,
  OP_I32_DIV,
  OP_INT_AND_NOT,
  OP_INT_REVERSE_BITS,
} from '../../assembly/layout/program/opcodes';
import { interestingFloats } from '../support/floats';
import { ArrayMath } from '../support/math';

const math = new ArrayMath();
const inputs = interestingFloats(60_000);

/** Distance between the f32 neighbors of an exact result; denormals use that of the smallest normal. */
const ulp = (exact: number): number => 2 ** (Math.max(Math.floor(Math.log2(Math.abs(exact) || 2 ** -126)), -126) - 23);

interface Row {
  readonly name: string;
  readonly opcode: number;
  readonly reference: (x: number) => number;
  /** Largest error in ULP of the exact result; an absolute error, if given, suffices as well. */
  readonly ulps: number | ((x: number) => number);
  readonly absolute?: number | ((x: number) => number);
  /** Inputs to which the bounds apply; outside, only SIMD and scalar are compared. */
  readonly domain?: (x: number) => boolean;
}

const within =
  (limit: number) =>
  (x: number): boolean =>
    Math.abs(x) <= limit;
const positive = (x: number): boolean => x > 0;

/** Bounds of WGSL follow each row; ours are documented above the functions. */
const rows: Row[] = [
  { name: 'sqrt', opcode: OP_F32_SQRT, reference: Math.sqrt, ulps: 0.5 },
  { name: 'inverseSqrt', opcode: OP_F32_INVERSE_SQRT, reference: (x) => 1 / Math.sqrt(x), ulps: 1.5 }, // 2 ULP
  { name: 'exp', opcode: OP_F32_EXP, reference: Math.exp, ulps: 1.1 }, // 3 + 2|x| ULP
  { name: 'exp2', opcode: OP_F32_EXP2, reference: (x) => 2 ** x, ulps: 1.4 }, // 3 + 2|x| ULP
  { name: 'log', opcode: OP_F32_LOG, reference: Math.log, ulps: 1.2, domain: positive }, // 3 ULP; 2^-21 in ½…2
  // 3 ULP; 2^-21 in ½…2
  {
    name: 'log2',
    opcode: OP_F32_LOG2,
    reference: Math.log2,
    ulps: (x) => (x > 0.5 && x < 2 ? 3.2 : 1.1),
    domain: positive,
  },
  // 2^-11 in ±π
  {
    name: 'sin',
    opcode: OP_F32_SIN,
    reference: Math.sin,
    ulps: 0,
    absolute: (x) => (Math.abs(x) <= 8192 ? 0.9e-7 : Math.abs(x) <= 2 ** 24 ? 0.9e-7 : 2 ** -21),
    domain: within(2 ** 30),
  },
  {
    name: 'cos',
    opcode: OP_F32_COS,
    reference: Math.cos,
    ulps: 0,
    absolute: (x) => (Math.abs(x) <= 8192 ? 0.9e-7 : Math.abs(x) <= 2 ** 24 ? 0.9e-7 : 2 ** -21),
    domain: within(2 ** 30),
  },
  // sin ÷ cos
  { name: 'tan', opcode: OP_F32_TAN, reference: Math.tan, ulps: 3, absolute: 1e-7, domain: within(Math.PI) },
  { name: 'asin', opcode: OP_F32_ASIN, reference: Math.asin, ulps: 2.5, domain: within(1) }, // 2^-6 absolute
  { name: 'acos', opcode: OP_F32_ACOS, reference: Math.acos, ulps: 1.5, domain: within(1) },
  { name: 'atan', opcode: OP_F32_ATAN, reference: Math.atan, ulps: 1.8 }, // 4096 ULP
  { name: 'sinh', opcode: OP_F32_SINH, reference: Math.sinh, ulps: 2 },
  { name: 'cosh', opcode: OP_F32_COSH, reference: Math.cosh, ulps: 2 },
  { name: 'tanh', opcode: OP_F32_TANH, reference: Math.tanh, ulps: 2 },
  { name: 'asinh', opcode: OP_F32_ASINH, reference: Math.asinh, ulps: 2 },
  { name: 'acosh', opcode: OP_F32_ACOSH, reference: Math.acosh, ulps: 2, domain: (x) => x >= 1 },
  { name: 'atanh', opcode: OP_F32_ATANH, reference: Math.atanh, ulps: 2, domain: within(1) },
  { name: 'fract', opcode: OP_F32_FRACT, reference: (x) => x - Math.floor(x), ulps: 0.5, domain: Number.isFinite },
];

/** Describes the largest error of a row; empty if all results are within bounds. */
function worst(row: Row, x: Float32Array, results: Float32Array): string {
  let most = 0;
  let sentence = '';
  for (let i = 0; i < x.length; i++) {
    const input = x[i];
    if (Number.isNaN(input) || (row.domain && !row.domain(input))) continue;
    const exact = row.reference(input);
    const got = results[i];
    if (Object.is(got, Math.fround(exact)) || (Number.isNaN(exact) && Number.isNaN(got))) continue;
    const error = Math.abs(got - exact);
    const ulps = typeof row.ulps === 'number' ? row.ulps : row.ulps(input);
    const absolute = typeof row.absolute === 'function' ? row.absolute(input) : (row.absolute ?? 0);
    const excess = error / Math.max(ulps * ulp(exact), absolute);
    if (!(excess <= Math.max(most, 1))) {
      most = excess;
      sentence = `${row.name}(${input}) = ${got}, exactly ${exact}: ${error / ulp(exact)} ULP, ${error} absolute`;
    }
  }
  return sentence;
}

describe('accuracy against double precision', () => {
  for (const row of rows) {
    it(row.name, () => expect(worst(row, inputs, math.unary('interpret', row.opcode, inputs))).toBe(''));
  }

  it('pow within exp2(y · log2 x)', () => {
    const x = inputs.filter((v) => v > 2 ** -100 && v < 2 ** 100).slice(0, 20_000);
    const y = x.map((_, i) => ((i * 7919) % 400) / 20 - 10);
    const results = math.binary('interpret', OP_F32_POW, x, y);
    for (let i = 0; i < x.length; i++) {
      const exact = x[i] ** y[i];
      // Three ULP of log2, two roundings, then 3 + 2·|exponent| ULP of exp2 (WGSL §15.7.4.1).
      const exponent = Math.abs(y[i] * Math.log2(x[i]));
      if (exponent > 125) continue;
      expect(Math.abs(results[i] - exact) / ulp(exact), `pow(${x[i]}, ${y[i]})`).toBeLessThanOrEqual(4 + 4 * exponent);
    }
  });

  it('atan2 in all quadrants', () => {
    const y = inputs.slice(0, 40_000);
    const x = y.map((_, i) => inputs[(i * 31 + 17) % 40_000]);
    const results = math.binary('interpret', OP_F32_ATAN2, y, x);
    for (let i = 0; i < y.length; i++) {
      const exact = Math.atan2(y[i], x[i]);
      if (Number.isNaN(exact)) expect(results[i]).toBeNaN();
      else if (!Object.is(results[i], Math.fround(exact)))
        expect(Math.abs(results[i] - exact) / ulp(exact), `atan2(${y[i]}, ${x[i]})`).toBeLessThanOrEqual(3);
    }
  });
});

describe('edge cases', () => {
  const cases: [string, number, number, number][] = [
    ['exp2(0)', OP_F32_EXP2, 0, 1],
    ['exp2(-149)', OP_F32_EXP2, -149, 2 ** -149],
    ['exp2(-151)', OP_F32_EXP2, -151, 0],
    ['exp2(128)', OP_F32_EXP2, 128, Infinity],
    ['exp2(-inf)', OP_F32_EXP2, -Infinity, 0],
    ['exp(-inf)', OP_F32_EXP, -Infinity, 0],
    ['exp(inf)', OP_F32_EXP, Infinity, Infinity],
    ['log2(0)', OP_F32_LOG2, 0, -Infinity],
    ['log2(-0)', OP_F32_LOG2, -0, -Infinity],
    ['log2(-1)', OP_F32_LOG2, -1, NaN],
    ['log2(inf)', OP_F32_LOG2, Infinity, Infinity],
    ['log2(2^-149)', OP_F32_LOG2, 2 ** -149, -149],
    ['log(1)', OP_F32_LOG, 1, 0],
    ['sin(0)', OP_F32_SIN, 0, 0],
    ['sin(inf)', OP_F32_SIN, Infinity, NaN],
    ['cos(0)', OP_F32_COS, 0, 1],
    ['asin(1.5)', OP_F32_ASIN, 1.5, NaN],
    ['acos(1)', OP_F32_ACOS, 1, 0],
    ['acosh(0.5)', OP_F32_ACOSH, 0.5, NaN],
    ['acosh(-3)', OP_F32_ACOSH, -3, NaN],
    ['atanh(-1)', OP_F32_ATANH, -1, -Infinity],
    ['atanh(2)', OP_F32_ATANH, 2, NaN],
    ['tanh(-inf)', OP_F32_TANH, -Infinity, -1],
    ['sinh(inf)', OP_F32_SINH, Infinity, Infinity],
    ['sign(-0)', OP_F32_SIGN, -0, 0],
    ['round(2.5)', OP_F32_ROUND, 2.5, 2],
    ['round(3.5)', OP_F32_ROUND, 3.5, 4],
    ['inverseSqrt(0)', OP_F32_INVERSE_SQRT, 0, Infinity],
    ['frexp(12).fract', OP_F32_FREXP_FRACTION, 12, 0.75],
    ['frexp(2^-149).fract', OP_F32_FREXP_FRACTION, 2 ** -149, 0.5],
    ['quantize(65519)', OP_F32_QUANTIZE_F16, 65519, 65504],
    ['quantize(2^-25)', OP_F32_QUANTIZE_F16, 2 ** -25, 0],
    ['quantize(1.00049)', OP_F32_QUANTIZE_F16, 1.00049, 1.0009765625],
  ];
  it.each(cases)('%s', (_, opcode, x, expected) =>
    expect(math.unary('interpret', opcode, Float32Array.of(x))[0]).toBe(expected)
  );

  it.each([
    [2, 0, 1],
    [0, 0, 1],
    [0, 2, 0],
    [0, -1, Infinity],
    [-2, 2, 4],
    [-2, 3, NaN],
    [1e-30, 2, 0],
    [NaN, 2, NaN],
    [NaN, 1, NaN],
    [1, NaN, NaN],
  ])('pow(%d, %d) = %d', (x, y, expected) => {
    expect(math.binary('interpret', OP_F32_POW, Float32Array.of(x), Float32Array.of(y))[0]).toBe(expected);
  });

  it.each(['interpret', 'interpretScalar'] as const)(
    'atan2 of an infinity and any NaN is NaN, of two infinities it is an angle: %s',
    (engine) => {
      const nans = [...new Float32Array(Uint32Array.of(0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff).buffer)];
      for (const x of [Infinity, -Infinity, 0, 1]) {
        const others = Float32Array.from(nans, () => x);
        for (const angles of [
          math.binary(engine, OP_F32_ATAN2, others, Float32Array.from(nans)),
          math.binary(engine, OP_F32_ATAN2, Float32Array.from(nans), others),
        ])
          expect([...angles]).toEqual([NaN, NaN, NaN, NaN]);
      }
      expect(math.binary(engine, OP_F32_ATAN2, Float32Array.of(-Infinity), Float32Array.of(Infinity))[0]).toBeCloseTo(
        -Math.PI / 4,
        6
      );
    }
  );

  it.each(['interpret', 'interpretScalar'] as const)(
    'a NaN packs as 7e00, whatever its sign and payload: %s',
    (engine) => {
      const nans = new Float32Array(Uint32Array.of(0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff).buffer);
      expect([...new Uint32Array(math.unary(engine, OP_F16_PACK, nans).buffer)]).toEqual([
        0x7e00, 0x7e00, 0x7e00, 0x7e00,
      ]);
    }
  );

  it('ldexp rounds once, from denormals to infinity', () => {
    const x = inputs.slice(0, 20_000);
    const e = Int32Array.from(x, (_, i) => ((i * 7) % 620) - 310);
    const results = math.binary('interpret', OP_F32_LDEXP, x, new Float32Array(e.buffer));
    // The product is exact in double precision.
    for (let i = 0; i < x.length; i++) expect(results[i]).toBe(Math.fround(x[i] * 2 ** e[i]));
  });

  it('half floats: all 65536, to f32 and back', () => {
    const halves = Uint32Array.from({ length: 65536 }, (_, i) => i);
    const values = math.unary('interpret', OP_F16_UNPACK, new Float32Array(halves.buffer));
    for (let h = 0; h < 65536; h++) {
      const exponent = (h >> 10) & 31;
      const mantissa = h & 1023;
      const magnitude =
        exponent === 31
          ? mantissa
            ? NaN
            : Infinity
          : exponent
            ? (1 + mantissa / 1024) * 2 ** (exponent - 15)
            : mantissa * 2 ** -24;
      expect(values[h]).toBe(h & 0x8000 ? -magnitude : magnitude);
    }
    const packed = new Uint32Array(math.unary('interpret', OP_F16_PACK, values).buffer);
    for (let h = 0; h < 65536; h++) if (!Number.isNaN(values[h])) expect(packed[h]).toBe(h);
  });
});

describe('SIMD and scalar give the same bits', () => {
  const many = interestingFloats(400_000);
  for (let opcode = OP_F32_NEG; opcode <= OP_F16_UNPACK; opcode++) {
    it(`one operand, opcode ${opcode}`, () => expect(math.difference(opcode, many)).toBe(''));
  }
  const second = many.map((_, i) => many[(i * 7919 + 13) % many.length]);
  for (let opcode = OP_F32_ADD; opcode <= OP_INT_AND_NOT; opcode++) {
    it(`two operands, opcode ${opcode}`, () => expect(math.difference(opcode, many, second)).toBe(''));
  }
});

describe('constant folding', () => {
  it('gives the interpreter’s bits, NaN canonical', () => {
    for (const opcode of [OP_F32_EXP, OP_F32_SIN, OP_F32_TANH, OP_F32_LOG2]) {
      const results = math.unary('interpret', opcode, inputs.subarray(0, 2000));
      for (let i = 0; i < 2000; i++) expect(math.kernel.call.mathUnary(opcode, inputs[i])).toBe(results[i]);
    }
    expect(math.kernel.call.mathBinary(OP_F32_POW, 2, 0.5)).toBe(
      math.binary('interpret', OP_F32_POW, Float32Array.of(2), Float32Array.of(0.5))[0]
    );
    expect(math.kernel.call.evaluateUnary(OP_INT_REVERSE_BITS, 1) >>> 0).toBe(0x80000000);
    expect(math.kernel.call.evaluateBinary(OP_I32_DIV, -7, 2)).toBe(-3);
  });
});
