// Every arithmetic opcode: the interpreter and its scalar twin against a model in JavaScript.
import { describe, expect, it } from 'vitest';
import * as op from '../../assembly/layout/opcodes';
import { interestingFloats, randomWords } from '../support/floats';
import { bitsOf, floatOf, TestKernel } from '../support/kernel';
import { LANES, pair, TestProgram } from '../support/program';

const f = Math.fround;
const u = (x: number): number => x >>> 0;
const bool = (x: boolean): number => (x ? 0xffffffff : 0);
const float = (model: (...x: number[]) => number) => (...bits: number[]): number => bitsOf(model(...bits.map(floatOf)));
/** The sum of products of pairs, not rounded last. */
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
  ['neg', op.OP_F32_NEG, 1, (a) => a ^ 0x80000000, true], ['abs', op.OP_F32_ABS, 1, (a) => a & 0x7fffffff, true], ['sign', op.OP_F32_SIGN, 1, float((a) => (a > 0 ? 1 : a < 0 ? -1 : 0))],
  ['floor', op.OP_F32_FLOOR, 1, float(Math.floor), true], ['ceil', op.OP_F32_CEIL, 1, float(Math.ceil), true], ['trunc', op.OP_F32_TRUNC, 1, float(Math.trunc), true], ['sqrt', op.OP_F32_SQRT, 1, float(Math.sqrt), true],
  ['fract', op.OP_F32_FRACT, 1, float((a) => a - Math.floor(a)), true], ['inverseSqrt', op.OP_F32_INVERSE_SQRT, 1, float((a) => 1 / f(Math.sqrt(a))), true],
  ['saturate', op.OP_F32_SATURATE, 1, float((a) => clampHigh(clampLow(a, 0), 1)), true],
  ['int.neg', op.OP_INT_NEG, 1, (a) => -a], ['int.not', op.OP_INT_NOT, 1, (a) => ~a], ['i32.abs', op.OP_I32_ABS, 1, (a) => Math.abs(a | 0)], ['i32.sign', op.OP_I32_SIGN, 1, (a) => Math.sign(a | 0)], ['bool.not', op.OP_BOOL_NOT, 1, (a) => ~a],
  ['clz', op.OP_INT_COUNT_LEADING_ZEROS, 1, (a) => Math.clz32(a)], ['ctz', op.OP_INT_COUNT_TRAILING_ZEROS, 1, (a) => (a ? 31 - Math.clz32(a & -a) : 32)],
  ['popcount', op.OP_INT_COUNT_ONE_BITS, 1, (a) => u(a).toString(2).replaceAll('0', '').length], ['reverse', op.OP_INT_REVERSE_BITS, 1, (a) => parseInt([...u(a).toString(2).padStart(32, '0')].reverse().join(''), 2)],
  ['firstLeading i32', op.OP_I32_FIRST_LEADING_BIT, 1, (a) => 31 - Math.clz32(a ^ (a >> 31))], ['firstLeading u32', op.OP_U32_FIRST_LEADING_BIT, 1, (a) => 31 - Math.clz32(a)], ['firstTrailing', op.OP_INT_FIRST_TRAILING_BIT, 1, (a) => (a ? 31 - Math.clz32(a & -a) : -1)],
  ['i32 from f32', op.OP_I32_FROM_F32, 1, (a) => Math.max(-(2 ** 31), Math.min(2147483520, Math.trunc(floatOf(a)) || 0))], ['u32 from f32', op.OP_U32_FROM_F32, 1, (a) => Math.max(0, Math.min(4294967040, Math.trunc(floatOf(a)) || 0))],
  ['f32 from i32', op.OP_F32_FROM_I32, 1, (a) => bitsOf(a | 0)], ['f32 from u32', op.OP_F32_FROM_U32, 1, (a) => bitsOf(u(a))],
  ['int from bool', op.OP_INT_FROM_BOOL, 1, (a) => a >>> 31], ['f32 from bool', op.OP_F32_FROM_BOOL, 1, (a) => a & 0x3f800000],
  ['int from f32 bits', op.OP_INT_FROM_F32_BITS, 1, (a) => (Number.isNaN(floatOf(a)) ? 0x7fc00000 : a)], ['move', op.OP_MOVE, 1, (a) => a],
  ['add', op.OP_F32_ADD, 2, float((a, b) => a + b), true], ['sub', op.OP_F32_SUB, 2, float((a, b) => a - b), true], ['mul', op.OP_F32_MUL, 2, float((a, b) => a * b), true], ['div', op.OP_F32_DIV, 2, float((a, b) => a / b), true],
  ['rem', op.OP_F32_REM, 2, float((a, b) => a - f(b * Math.trunc(f(a / b)))), true],
  ['min', op.OP_F32_MIN, 2, (a, b) => (floatOf(b) < floatOf(a) ? b : a)], ['max', op.OP_F32_MAX, 2, (a, b) => (floatOf(a) < floatOf(b) ? b : a)],
  ['eq', op.OP_F32_EQ, 2, (a, b) => bool(floatOf(a) === floatOf(b))], ['ne', op.OP_F32_NE, 2, (a, b) => bool(floatOf(a) !== floatOf(b))], ['lt', op.OP_F32_LT, 2, (a, b) => bool(floatOf(a) < floatOf(b))], ['le', op.OP_F32_LE, 2, (a, b) => bool(floatOf(a) <= floatOf(b))],
  ['int.add', op.OP_INT_ADD, 2, (a, b) => a + b], ['int.sub', op.OP_INT_SUB, 2, (a, b) => a - b], ['int.mul', op.OP_INT_MUL, 2, (a, b) => Math.imul(a, b)], ['and', op.OP_INT_AND, 2, (a, b) => a & b], ['or', op.OP_INT_OR, 2, (a, b) => a | b], ['xor', op.OP_INT_XOR, 2, (a, b) => a ^ b],
  ['andNot', op.OP_INT_AND_NOT, 2, (a, b) => a & ~b], ['shl', op.OP_INT_SHL, 2, (a, b) => a << b], ['i32.shr', op.OP_I32_SHR, 2, (a, b) => a >> b], ['u32.shr', op.OP_U32_SHR, 2, (a, b) => a >>> b],
  ['int.eq', op.OP_INT_EQ, 2, (a, b) => bool(a === b)], ['int.ne', op.OP_INT_NE, 2, (a, b) => bool(a !== b)],
  ['i32.div', op.OP_I32_DIV, 2, (a, b) => (b === 0 ? a : (a | 0) / (b | 0) | 0)], ['i32.rem', op.OP_I32_REM, 2, (a, b) => (b === 0 ? 0 : (a | 0) % (b | 0))], ['u32.div', op.OP_U32_DIV, 2, (a, b) => (b === 0 ? a : Math.floor(u(a) / u(b)))], ['u32.rem', op.OP_U32_REM, 2, (a, b) => (b === 0 ? 0 : u(a) % u(b))],
  ['i32.min', op.OP_I32_MIN, 2, (a, b) => Math.min(a | 0, b | 0)], ['i32.max', op.OP_I32_MAX, 2, (a, b) => Math.max(a | 0, b | 0)], ['u32.min', op.OP_U32_MIN, 2, (a, b) => Math.min(u(a), u(b))], ['u32.max', op.OP_U32_MAX, 2, (a, b) => Math.max(u(a), u(b))],
  ['i32.lt', op.OP_I32_LT, 2, (a, b) => bool((a | 0) < (b | 0))], ['i32.le', op.OP_I32_LE, 2, (a, b) => bool((a | 0) <= (b | 0))], ['u32.lt', op.OP_U32_LT, 2, (a, b) => bool(u(a) < u(b))], ['u32.le', op.OP_U32_LE, 2, (a, b) => bool(u(a) <= u(b))],
  ['select', op.OP_SELECT, 3, (a, b, c) => (a & b) | (~a & c)], ['madd', op.OP_F32_MUL_ADD, 3, float((a, b, c) => f(a * b) + c), true], ['msub', op.OP_F32_MUL_SUB, 3, float((a, b, c) => f(a * b) - c), true], ['subMul', op.OP_F32_SUB_MUL, 3, float((a, b, c) => c - f(a * b)), true],
  ['mix', op.OP_F32_MIX, 3, float((a, b, c) => f(a * f(1 - c)) + f(b * c)), true], ['clamp', op.OP_F32_CLAMP, 3, float((a, b, c) => clampHigh(clampLow(a, b), c)), true], ['i32.clamp', op.OP_I32_CLAMP, 3, (a, b, c) => Math.min(Math.max(a | 0, b | 0), c | 0)],
  ['extract i32', op.OP_I32_EXTRACT_BITS, 3, (a, b, c) => { const [o, n] = bitField(b, c); return n ? (a << (32 - n - o)) >> (32 - n) : 0; }], ['extract u32', op.OP_U32_EXTRACT_BITS, 3, (a, b, c) => { const [o, n] = bitField(b, c); return n ? (a << (32 - n - o)) >>> (32 - n) : 0; }],
  ['dot2', op.OP_F32_DOT2, 4, float((a, b, c, d) => f(a * b) + f(c * d)), true], ['dot2sub', op.OP_F32_DOT2_SUB, 4, float((a, b, c, d) => f(a * b) - f(c * d)), true],
  ['insert', op.OP_INT_INSERT_BITS, 4, (a, b, c, d) => { const [o, n] = bitField(c, d); const m = n ? (0xffffffff >>> (32 - n)) << o : 0; return (a & ~m) | ((b << o) & m); }],
  ['dot3', op.OP_F32_DOT3, 6, float((...x) => products(x, 3)), true],
  ['dot3add', op.OP_F32_DOT3_ADD, 8, float((...x) => f(products(x, 3)) + x[6]), true],
  ['dot4', op.OP_F32_DOT4, 8, float((...x) => products(x, 4)), true],
];

/** Bit patterns that matter to floats and to integers. */
function fill(program: TestProgram, round: number): void {
  const random = randomWords(round + 1);
  const floats = new Uint32Array(interestingFloats(4096).buffer);
  const small = [0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff];
  for (let register = 0; register < 8; register++) {
    const lanes = program.register(register);
    for (let i = 0; i < LANES; i++) lanes[i] = random() % 4 ? floats[random() % 4096] : random() % 2 ? small[random() % 9] : random();
  }
}

function code(opcode: number, operands: number): number[] {
  const words = [pair(opcode, 8)];
  for (let i = 0; i < operands; i += 2) words.push(pair(i, i + 1 < operands ? i + 1 : 0));
  return [...words, op.OP_END];
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
          else expect(results[i].toString(16), `${engine}, lane ${i}: ${lanes.map((l) => l[i].toString(16))}`).toBe(expected.toString(16));
        }
      }
    }
  });

  it('shifts by a count that is the same in all lanes', () => {
    for (const [opcode, model] of [[op.OP_INT_SHL, (a: number, b: number) => a << b], [op.OP_I32_SHR, (a: number, b: number) => a >> b], [op.OP_U32_SHR, (a: number, b: number) => a >>> b]] as const) {
      for (const count of [0, 1, 31, 32, 35]) {
        const program = new TestProgram([pair(opcode, 2), pair(0, 1), op.OP_END], { inputs: 1, constants: [count], kernel });
        fill(program, count);
        program.register(1).fill(count);
        const before = [...program.register(0)];
        program.run();
        expect([...program.register(2)]).toEqual(before.map((a) => u(model(a, count))));
      }
    }
  });

  it.each([['ddx coarse', op.OP_DDX_COARSE, [1, 0, 1, 0, 1, 0, 1, 0]], ['ddx fine', op.OP_DDX_FINE, [1, 0, 1, 0, 3, 2, 3, 2]], ['ddy coarse', op.OP_DDY_COARSE, [2, 0, 2, 0, 2, 0, 2, 0]], ['ddy fine', op.OP_DDY_FINE, [2, 0, 3, 1, 2, 0, 3, 1]]])('%s', (_, opcode, lanes) => {
    for (const engine of ['interpret', 'interpretScalar'] as const) {
      // In place: a quad is read whole before it is written.
      const program = new TestProgram([pair(opcode, 0), 0, op.OP_END], { kernel });
      program.float(0).forEach((__, i, all) => { all[i] = f(Math.sin(i) * 10); });
      const before = [...program.float(0)];
      program.run(engine);
      expect([...program.float(0)]).toEqual(before.map((__, i) => f(before[(i & ~3) + lanes[(i & 3) * 2]] - before[(i & ~3) + lanes[(i & 3) * 2 + 1]])));
    }
  });

  it('a destination may be an operand', () => {
    const program = new TestProgram([pair(op.OP_F32_ADD, 0), pair(0, 0), op.OP_END], { kernel });
    program.float(0).fill(1.5);
    program.run();
    expect([...program.float(0)]).toEqual(Array<number>(LANES).fill(3));
  });
});
