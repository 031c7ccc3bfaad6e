// Every arithmetic opcode: the interpreter and its scalar twin compared with a model in JavaScript.
import { describe, expect, it } from 'vitest';
import {
  OP_BOOL_NOT,
  OP_DDX_COARSE,
  OP_DDX_FINE,
  OP_DDY_COARSE,
  OP_DDY_FINE,
  OP_END,
  OP_F32_ABS,
  OP_F32_ADD,
  OP_F32_CEIL,
  OP_F32_CLAMP,
  OP_F32_DIV,
  OP_F32_DOT2,
  OP_F32_DOT2_SUB,
  OP_F32_DOT3,
  OP_F32_DOT3_ADD,
  OP_F32_DOT4,
  OP_F32_EQ,
  OP_F32_FLOOR,
  OP_F32_FRACT,
  OP_F32_FROM_BOOL,
  OP_F32_FROM_I32,
  OP_F32_FROM_U32,
  OP_F32_INVERSE_SQRT,
  OP_F32_LE,
  OP_F32_LT,
  OP_F32_MAX,
  OP_F32_MIN,
  OP_F32_MIX,
  OP_F32_MUL,
  OP_F32_MUL_ADD,
  OP_F32_MUL_SUB,
  OP_F32_NE,
  OP_F32_NEG,
  OP_F32_REM,
  OP_F32_SATURATE,
  OP_F32_SIGN,
  OP_F32_SQRT,
  OP_F32_SUB,
  OP_F32_SUB_MUL,
  OP_F32_TRUNC,
  OP_I32_ABS,
  OP_I32_CLAMP,
  OP_I32_DIV,
  OP_I32_EXTRACT_BITS,
  OP_I32_FIRST_LEADING_BIT,
  OP_I32_FROM_F32,
  OP_I32_LE,
  OP_I32_LT,
  OP_I32_MAX,
  OP_I32_MIN,
  OP_I32_REM,
  OP_I32_SHR,
  OP_I32_SIGN,
  OP_INT_ADD,
  OP_INT_AND,
  OP_INT_AND_NOT,
  OP_INT_COUNT_LEADING_ZEROS,
  OP_INT_COUNT_ONE_BITS,
  OP_INT_COUNT_TRAILING_ZEROS,
  OP_INT_EQ,
  OP_INT_FIRST_TRAILING_BIT,
  OP_INT_FROM_BOOL,
  OP_INT_FROM_F32_BITS,
  OP_INT_INSERT_BITS,
  OP_INT_MUL,
  OP_INT_NE,
  OP_INT_NEG,
  OP_INT_NOT,
  OP_INT_OR,
  OP_INT_REVERSE_BITS,
  OP_INT_SHL,
  OP_INT_SUB,
  OP_INT_XOR,
  OP_MOVE,
  OP_SELECT,
  OP_U32_DIV,
  OP_U32_EXTRACT_BITS,
  OP_U32_FIRST_LEADING_BIT,
  OP_U32_FROM_F32,
  OP_U32_LE,
  OP_U32_LT,
  OP_U32_MAX,
  OP_U32_MIN,
  OP_U32_REM,
  OP_U32_SHR,
} from '../../assembly/layout/program/opcodes';
import { interestingFloats, randomWords } from '../support/floats';
import { bitsOf, floatOf, TestKernel } from '../support/kernel';
import { LANES, pair, TestProgram } from '../support/program';

const f = Math.fround;
const u = (x: number): number => x >>> 0;
const bool = (x: boolean): number => (x ? 0xffffffff : 0);
const float =
  (model: (...x: number[]) => number) =>
  (...bits: number[]): number =>
    bitsOf(model(...bits.map(floatOf)));
/** The sum of products of pairs, without the final rounding. */
const products = (x: readonly number[], pairs: number): number => {
  let sum = f(x[0] * x[1]);
  for (let k = 1; k < pairs; k++) sum = f(sum) + f(x[2 * k] * x[2 * k + 1]);
  return sum;
};
const clampLow = (x: number, y: number): number => (x < y ? y : x);
const clampHigh = (x: number, y: number): number => (y < x ? y : x);
const bitField = (offset: number, count: number): [number, number] => {
  const o = Math.min(u(offset), 32);
  return [o, Math.min(u(count), 32 - o)];
};

/** Opcode, operands, model on bits. NaN results may have any bits. */
type Model = [name: string, opcode: number, operands: number, model: (...bits: number[]) => number, isFloat?: boolean];
const models: Model[] = [
  ['neg', OP_F32_NEG, 1, (a) => a ^ 0x80000000, true],
  ['abs', OP_F32_ABS, 1, (a) => a & 0x7fffffff, true],
  ['sign', OP_F32_SIGN, 1, float((a) => (a > 0 ? 1 : a < 0 ? -1 : 0))],
  ['floor', OP_F32_FLOOR, 1, float(Math.floor), true],
  ['ceil', OP_F32_CEIL, 1, float(Math.ceil), true],
  ['trunc', OP_F32_TRUNC, 1, float(Math.trunc), true],
  ['sqrt', OP_F32_SQRT, 1, float(Math.sqrt), true],
  ['fract', OP_F32_FRACT, 1, float((a) => a - Math.floor(a)), true],
  ['inverseSqrt', OP_F32_INVERSE_SQRT, 1, float((a) => 1 / f(Math.sqrt(a))), true],
  ['saturate', OP_F32_SATURATE, 1, float((a) => clampHigh(clampLow(0, a), 1)), true],
  ['int.neg', OP_INT_NEG, 1, (a) => -a],
  ['int.not', OP_INT_NOT, 1, (a) => ~a],
  ['i32.abs', OP_I32_ABS, 1, (a) => Math.abs(a | 0)],
  ['i32.sign', OP_I32_SIGN, 1, (a) => Math.sign(a | 0)],
  ['bool.not', OP_BOOL_NOT, 1, (a) => ~a],
  ['clz', OP_INT_COUNT_LEADING_ZEROS, 1, (a) => Math.clz32(a)],
  ['ctz', OP_INT_COUNT_TRAILING_ZEROS, 1, (a) => (a ? 31 - Math.clz32(a & -a) : 32)],
  ['popcount', OP_INT_COUNT_ONE_BITS, 1, (a) => u(a).toString(2).replaceAll('0', '').length],
  ['reverse', OP_INT_REVERSE_BITS, 1, (a) => parseInt([...u(a).toString(2).padStart(32, '0')].reverse().join(''), 2)],
  ['firstLeading i32', OP_I32_FIRST_LEADING_BIT, 1, (a) => 31 - Math.clz32(a ^ (a >> 31))],
  ['firstLeading u32', OP_U32_FIRST_LEADING_BIT, 1, (a) => 31 - Math.clz32(a)],
  ['firstTrailing', OP_INT_FIRST_TRAILING_BIT, 1, (a) => (a ? 31 - Math.clz32(a & -a) : -1)],
  ['i32 from f32', OP_I32_FROM_F32, 1, (a) => Math.max(-(2 ** 31), Math.min(2147483520, Math.trunc(floatOf(a)) || 0))],
  ['u32 from f32', OP_U32_FROM_F32, 1, (a) => Math.max(0, Math.min(4294967040, Math.trunc(floatOf(a)) || 0))],
  ['f32 from i32', OP_F32_FROM_I32, 1, (a) => bitsOf(a | 0)],
  ['f32 from u32', OP_F32_FROM_U32, 1, (a) => bitsOf(u(a))],
  ['int from bool', OP_INT_FROM_BOOL, 1, (a) => a >>> 31],
  ['f32 from bool', OP_F32_FROM_BOOL, 1, (a) => a & 0x3f800000],
  ['int from f32 bits', OP_INT_FROM_F32_BITS, 1, (a) => (Number.isNaN(floatOf(a)) ? 0x7fc00000 : a)],
  ['move', OP_MOVE, 1, (a) => a],
  ['add', OP_F32_ADD, 2, float((a, b) => a + b), true],
  ['sub', OP_F32_SUB, 2, float((a, b) => a - b), true],
  ['mul', OP_F32_MUL, 2, float((a, b) => a * b), true],
  ['div', OP_F32_DIV, 2, float((a, b) => a / b), true],
  ['rem', OP_F32_REM, 2, float((a, b) => a - f(b * Math.trunc(f(a / b)))), true],
  ['min', OP_F32_MIN, 2, (a, b) => (floatOf(b) < floatOf(a) ? b : a)],
  ['max', OP_F32_MAX, 2, (a, b) => (floatOf(a) < floatOf(b) ? b : a)],
  ['eq', OP_F32_EQ, 2, (a, b) => bool(floatOf(a) === floatOf(b))],
  ['ne', OP_F32_NE, 2, (a, b) => bool(floatOf(a) !== floatOf(b))],
  ['lt', OP_F32_LT, 2, (a, b) => bool(floatOf(a) < floatOf(b))],
  ['le', OP_F32_LE, 2, (a, b) => bool(floatOf(a) <= floatOf(b))],
  ['int.add', OP_INT_ADD, 2, (a, b) => a + b],
  ['int.sub', OP_INT_SUB, 2, (a, b) => a - b],
  ['int.mul', OP_INT_MUL, 2, (a, b) => Math.imul(a, b)],
  ['and', OP_INT_AND, 2, (a, b) => a & b],
  ['or', OP_INT_OR, 2, (a, b) => a | b],
  ['xor', OP_INT_XOR, 2, (a, b) => a ^ b],
  ['andNot', OP_INT_AND_NOT, 2, (a, b) => a & ~b],
  ['shl', OP_INT_SHL, 2, (a, b) => a << b],
  ['i32.shr', OP_I32_SHR, 2, (a, b) => a >> b],
  ['u32.shr', OP_U32_SHR, 2, (a, b) => a >>> b],
  ['int.eq', OP_INT_EQ, 2, (a, b) => bool(a === b)],
  ['int.ne', OP_INT_NE, 2, (a, b) => bool(a !== b)],
  ['i32.div', OP_I32_DIV, 2, (a, b) => (b === 0 ? a : ((a | 0) / (b | 0)) | 0)],
  ['i32.rem', OP_I32_REM, 2, (a, b) => (b === 0 ? 0 : (a | 0) % (b | 0))],
  ['u32.div', OP_U32_DIV, 2, (a, b) => (b === 0 ? a : Math.floor(u(a) / u(b)))],
  ['u32.rem', OP_U32_REM, 2, (a, b) => (b === 0 ? 0 : u(a) % u(b))],
  ['i32.min', OP_I32_MIN, 2, (a, b) => Math.min(a | 0, b | 0)],
  ['i32.max', OP_I32_MAX, 2, (a, b) => Math.max(a | 0, b | 0)],
  ['u32.min', OP_U32_MIN, 2, (a, b) => Math.min(u(a), u(b))],
  ['u32.max', OP_U32_MAX, 2, (a, b) => Math.max(u(a), u(b))],
  ['i32.lt', OP_I32_LT, 2, (a, b) => bool((a | 0) < (b | 0))],
  ['i32.le', OP_I32_LE, 2, (a, b) => bool((a | 0) <= (b | 0))],
  ['u32.lt', OP_U32_LT, 2, (a, b) => bool(u(a) < u(b))],
  ['u32.le', OP_U32_LE, 2, (a, b) => bool(u(a) <= u(b))],
  ['select', OP_SELECT, 3, (a, b, c) => (a & b) | (~a & c)],
  ['madd', OP_F32_MUL_ADD, 3, float((a, b, c) => f(a * b) + c), true],
  ['msub', OP_F32_MUL_SUB, 3, float((a, b, c) => f(a * b) - c), true],
  ['subMul', OP_F32_SUB_MUL, 3, float((a, b, c) => c - f(a * b)), true],
  ['mix', OP_F32_MIX, 3, float((a, b, c) => f(a * f(1 - c)) + f(b * c)), true],
  ['clamp', OP_F32_CLAMP, 3, float((a, b, c) => clampHigh(clampLow(b, a), c)), true],
  ['i32.clamp', OP_I32_CLAMP, 3, (a, b, c) => Math.min(Math.max(a | 0, b | 0), c | 0)],
  [
    'extract i32',
    OP_I32_EXTRACT_BITS,
    3,
    (a, b, c) => {
      const [o, n] = bitField(b, c);
      return n ? (a << (32 - n - o)) >> (32 - n) : 0;
    },
  ],
  [
    'extract u32',
    OP_U32_EXTRACT_BITS,
    3,
    (a, b, c) => {
      const [o, n] = bitField(b, c);
      return n ? (a << (32 - n - o)) >>> (32 - n) : 0;
    },
  ],
  ['dot2', OP_F32_DOT2, 4, float((a, b, c, d) => f(a * b) + f(c * d)), true],
  ['dot2sub', OP_F32_DOT2_SUB, 4, float((a, b, c, d) => f(a * b) - f(c * d)), true],
  [
    'insert',
    OP_INT_INSERT_BITS,
    4,
    (a, b, c, d) => {
      const [o, n] = bitField(c, d);
      const m = n ? (0xffffffff >>> (32 - n)) << o : 0;
      return (a & ~m) | ((b << o) & m);
    },
  ],
  ['dot3', OP_F32_DOT3, 6, float((...x) => products(x, 3)), true],
  ['dot3add', OP_F32_DOT3_ADD, 8, float((...x) => f(products(x, 3)) + x[6]), true],
  ['dot4', OP_F32_DOT4, 8, float((...x) => products(x, 4)), true],
];

/** Bit patterns that matter to floats and to integers. */
function fill(program: TestProgram, round: number): void {
  const random = randomWords(round + 1);
  const floats = new Uint32Array(interestingFloats(4096).buffer);
  const small = [0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff];
  for (let register = 0; register < 8; register++) {
    const lanes = program.register(register);
    for (let i = 0; i < LANES; i++)
      lanes[i] = random() % 4 ? floats[random() % 4096] : random() % 2 ? small[random() % 9] : random();
  }
}

function code(opcode: number, operands: number): number[] {
  const words = [pair(opcode, 8)];
  for (let i = 0; i < operands; i += 2) words.push(pair(i, i + 1 < operands ? i + 1 : 0));
  return [...words, OP_END];
}

describe('arithmetic opcodes', () => {
  const kernel = new TestKernel();
  it.each(models)('%s', (_, opcode, operands, model, isFloat = false) => {
    const program = new TestProgram(code(opcode, operands), { kernel });
    for (let round = 0; round < 12; round++) {
      fill(program, round);
      const lanes = Array.from({ length: operands }, (__, i) => [...program.register(i)]);
      for (const engine of ['interpret', 'interpretScalar'] as const) {
        program.register(8).fill(0);
        expect(program.run(engine)).toBe(0);
        const results = program.register(8);
        for (let i = 0; i < LANES; i++) {
          const expected = u(model(...lanes.map((l) => l[i])));
          if (isFloat && Number.isNaN(floatOf(expected))) expect(floatOf(results[i])).toBeNaN();
          else
            expect(results[i].toString(16), `${engine}, lane ${i}: ${lanes.map((l) => l[i].toString(16))}`).toBe(
              expected.toString(16)
            );
        }
      }
    }
  });

  it('shifts by a uniform count', () => {
    for (const [opcode, model] of [
      [OP_INT_SHL, (a: number, b: number) => a << b],
      [OP_I32_SHR, (a: number, b: number) => a >> b],
      [OP_U32_SHR, (a: number, b: number) => a >>> b],
    ] as const) {
      for (const count of [0, 1, 31, 32, 35]) {
        const program = new TestProgram([pair(opcode, 2), pair(0, 1), OP_END], {
          inputs: 1,
          constants: [count],
          kernel,
        });
        fill(program, count);
        program.register(1).fill(count);
        const before = [...program.register(0)];
        program.run();
        expect([...program.register(2)]).toEqual(before.map((a) => u(model(a, count))));
      }
    }
  });

  it.each([
    ['ddx coarse', OP_DDX_COARSE, [1, 0, 1, 0, 1, 0, 1, 0]],
    ['ddx fine', OP_DDX_FINE, [1, 0, 1, 0, 3, 2, 3, 2]],
    ['ddy coarse', OP_DDY_COARSE, [2, 0, 2, 0, 2, 0, 2, 0]],
    ['ddy fine', OP_DDY_FINE, [2, 0, 3, 1, 2, 0, 3, 1]],
  ])('%s', (_, opcode, lanes) => {
    for (const engine of ['interpret', 'interpretScalar'] as const) {
      // In place: a quad is read entirely before it is written.
      const program = new TestProgram([pair(opcode, 0), 0, OP_END], { kernel });
      program.float(0).forEach((__, i, all) => {
        all[i] = f(Math.sin(i) * 10);
      });
      const before = [...program.float(0)];
      program.run(engine);
      expect([...program.float(0)]).toEqual(
        before.map((__, i) => f(before[(i & ~3) + lanes[(i & 3) * 2]] - before[(i & ~3) + lanes[(i & 3) * 2 + 1]]))
      );
    }
  });

  it('a destination may be an operand', () => {
    const program = new TestProgram([pair(OP_F32_ADD, 0), pair(0, 0), OP_END], { kernel });
    program.float(0).fill(1.5);
    program.run();
    expect([...program.float(0)]).toEqual(Array<number>(LANES).fill(3));
  });
});
