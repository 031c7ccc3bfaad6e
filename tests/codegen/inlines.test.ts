// Kernel math functions inlined into emitted code: the bits of the interpreter, for every function. NaN results of f32
// functions count as equal: which operand's payload a machine propagates matters only where bits are observable.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { encodeBytecode } from '../../src/codegen';
import { MAX_MODERATE_EXPONENT, parseInlines, POW_MODERATE, common, type Words } from '../../src/codegen/wasm/inlines';
import type { Local } from '../../src/codegen/wasm/expression';
import { opInfo, type IrProgram, type OpName, type ScalarType } from '../../src/ir';
import { inlinesOf } from '../../src/kernels';
import { interestingFloats, mulberry32 } from '../support/floats';
import { StackWriter } from '../support/stack-writer';
import { LANES, WarpRunner } from './warp';
import { applied, inCode, loop, pushWords } from './inlines.kit';

const build = (name: string): WebAssembly.Module =>
  new WebAssembly.Module(readFileSync(new URL(`../../build/${name}.wasm`, import.meta.url)));
const inlines = parseInlines(inlinesOf(build('testing'))!);

/** A program with one operation. */
function programOf(op: OpName): IrProgram {
  const concrete = (type: string): ScalarType => (type === 'int' ? 'u32' : (type as ScalarType));
  const { args, results } = opInfo(op);
  const types = args.map(concrete);
  const result = concrete(results[0]!);
  const inputs = types.map((type, component) => ({ kind: 'attribute' as const, location: 0, component, type }));
  const instruction = (name: OpName, results: number[], args: number[], imm = 0) => ({
    kind: 'op' as const,
    op: name,
    results,
    args,
    imm,
  });
  return {
    name: op,
    kind: 'vertex',
    usesDiscard: false,
    usesDerivatives: false,
    values: [...types, result],
    variables: [],
    arrays: [],
    resources: [],
    inputs,
    outputs: [{ kind: 'varying', location: 0, component: 0, type: result, interpolation: 'flat', sampling: 'center' }],
    body: [
      ...types.map((_, k) => instruction('input', [k], [], k)),
      instruction(
        op,
        [types.length],
        types.map((_, k) => k)
      ),
      instruction('output', [], [types.length]),
    ],
  };
}

const runner = new WarpRunner();
function interpreted(op: OpName, args: readonly Uint32Array[]): Uint32Array {
  const encoded = encodeBytecode(programOf(op));
  const out = new Uint32Array(args[0]!.length);
  for (let i = 0; i < out.length; i += LANES) {
    const { status, outputs } = runner.run(
      encoded,
      args.map((words) => [...words.subarray(i, i + LANES)]),
      new Map()
    );
    expect(status).toBe(0);
    out.set(outputs[0]!, i);
  }
  return out;
}

const EDGES = [
  0, 1, 2, 5, 30, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x0000fc00, 0x00007c01, 0x00007e00,
  0x000003ff,
];
/** NaNs, quiet and signaling, of both signs. */
const NANS = [0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0x7fa12345, 0xffd54321];
const COUNT = 64 * LANES;
const floats = new Uint32Array(interestingFloats(COUNT).buffer);

/** `COUNT` words. `k` determines the order, so that arguments differ. */
function inputs(type: string, k: number): Uint32Array {
  const random = mulberry32(0xbeef + 77 * k);
  return Uint32Array.from({ length: COUNT }, (_, i) => {
    const kind = random() % 16;
    if (kind === 0) return NANS[random() % NANS.length]!;
    // A vector has common and rare lanes, or only common ones.
    if (kind < 3) return EDGES[random() % EDGES.length]!;
    if (kind < 5) return random();
    if (type === 'f32')
      return (i >>> 2) % 3 ? floats[(i * (2 * k + 1) + k) % COUNT]! : floats[45 + 2 * (random() % 1000)]!;
    return kind < 11 ? random() % 40 : random() >>> (random() % 32);
  });
}

const hex = (bits: number): string => bits.toString(16).padStart(8, '0');
const isNaNBits = (bits: number): boolean => (bits & 0x7fffffff) > 0x7f800000;

function expectSame(op: OpName, args: readonly Uint32Array[], actual: Uint32Array, expected: Uint32Array): void {
  const float = opInfo(op).results[0] === 'f32';
  for (let i = 0; i < actual.length; i++) {
    if (actual[i] === expected[i] || (float && isNaNBits(actual[i]!) && isNaNBits(expected[i]!))) continue;
    throw new Error(
      `${op}(${args.map((words) => hex(words[i]!)).join(', ')}), lane ${i % 4}: ${hex(actual[i]!)} taken in, `
        + `${hex(expected[i]!)} by the interpreter`
    );
  }
}

describe('inlined functions', () => {
  test('are part of every SIMD kernel, and identical in all', () => {
    const [testing, kernel] = ['testing', 'kernel'].map((name) => Buffer.from(inlinesOf(build(name))!));
    expect(Buffer.compare(kernel!, testing!)).toBe(0);
    expect(inlinesOf(build('kernel.scalar'))).toBeNull();
  });

  test('are named like operations', () => {
    expect(inlines.names.length).toBeGreaterThan(40);
    for (const name of inlines.names) expect(opInfo(name as OpName), name).toBeDefined();
    expect(inlines.has('f32.pow')).toBe(true);
    expect(inlines.has('f32.add')).toBe(false);
  });

  for (const name of inlines.names as readonly OpName[]) {
    test(`${name}: the interpreter's bits`, () => {
      const { args } = opInfo(name);
      const words = args.map((type, k) => inputs(type, k));
      const writer = loop(args.length, (w) => inlines.emit(w, name, inCode(w)));
      expectSame(name, words, applied(writer, words), interpreted(name, words));
    });
  }

  const withCommon = (inlines.names as readonly OpName[]).filter((name) => inlines.hasCommon(name));
  test('some have a separate common case', () => {
    expect(withCommon).toEqual(expect.arrayContaining(['f32.pow', 'f32.exp2', 'f32.log2', 'f32.sin', 'f32.cos']));
  });

  for (const name of withCommon) {
    const commonLanes = (words: readonly Uint32Array[]): Uint32Array =>
      applied(
        loop(words.length, (w) => inlines.emit(w, common(name), inCode(w))),
        words
      );

    test(`${name}, common case: the interpreter's bits, or all bits set`, () => {
      const words = opInfo(name).args.map((type, k) => inputs(type, k));
      const expected = interpreted(name, words);
      const actual = commonLanes(words);
      const rare = actual.filter((bits) => bits === 0xffffffff).length;
      expect(rare).toBeGreaterThan(0);
      expectSame(
        name,
        words,
        actual.map((bits, i) => (bits === 0xffffffff ? expected[i]! : bits)),
        expected
      );
    });

    test(`${name}, common case: covers all common operands, also black and the far sides of highlights`, () => {
      const at = (from: number, to: number, step: number): Uint32Array =>
        new Uint32Array(
          Float32Array.from({ length: COUNT }, (_, i) => from + ((to - from) * ((i * step) % COUNT)) / COUNT).buffer
        );
      const operands: Readonly<Record<string, readonly (readonly Uint32Array[])[]>> = {
        'f32.pow': [
          [at(0, 1, 1), at(0.25, 8, 37)],
          [at(0, 0.9, 1), at(1200, 4000, 37)],
        ],
        'f32.exp2': [[at(-2000, -152, 1)], [at(-125, 125, 1)]],
        'f32.log2': [[at(0.001, 1000, 1)]],
        'f32.sin': [[at(-8192, 8192, 1)]],
        'f32.cos': [[at(-8192, 8192, 1)]],
      };
      for (const words of operands[name]!) expect(commonLanes(words)).not.toContain(0xffffffff);
    });
  }

  test('pow with a moderate exponent: the bits of pow, or all bits set; covers common operands', () => {
    const [x, anyY] = [inputs('f32', 0), inputs('f32', 1)];
    const y = new Uint32Array(
      Float32Array.from(
        { length: COUNT },
        (_, i) => (i % 5 === 0 ? MAX_MODERATE_EXPONENT : 2.2) - ((anyY[i]! >>> 8) / 2 ** 24) * 2.15
      ).buffer
    );
    const emitted = loop(2, (w) => inlines.emit(w, POW_MODERATE, inCode(w)));
    const expected = interpreted('f32.pow', [x, y]);
    const actual = applied(emitted, [x, y]);
    expectSame(
      'f32.pow',
      [x, y],
      actual.map((bits, i) => (bits === 0xffffffff ? expected[i]! : bits)),
      expected
    );
    expect(actual.filter((bits) => bits === 0xffffffff).length).toBeGreaterThan(0);
    const colours = new Uint32Array(Float32Array.from({ length: COUNT }, (_, i) => i / COUNT).buffer);
    expect(applied(emitted, [colours, y.map(() => 0x400ccccd)])).not.toContain(0xffffffff);
  });

  test("reuse each other's locals, with the same bits", () => {
    const words = [inputs('f32', 0), inputs('f32', 1)];
    const twice = loop(2, (w) => {
      inlines.emit(w, 'f32.pow', inCode(w));
      const locals = w.locals.length;
      inlines.emit(w, 'f32.exp2', inCode(w));
      expect(w.locals.length).toBe(locals);
      inlines.emit(w, 'f32.log', inCode(w));
    });
    const one = (op: OpName, args: readonly Uint32Array[]): Uint32Array => interpreted(op, args);
    expectSame('f32.log', words, applied(twice, words), one('f32.log', [one('f32.exp2', [one('f32.pow', words)])]));
  });

  test('read constants from where the caller stores them', () => {
    const words = [inputs('f32', 0), inputs('f32', 1)];
    const constants = new Map<Words, Local | null>();
    const find = new StackWriter(['v128', 'v128'], ['v128']);
    inlines.emit(find, 'f32.pow', {
      push: (constant) => {
        constants.set(constant, null);
        find.op('nop');
      },
    });
    const keys = new Set([...constants.keys()].map(String));
    expect(keys.size).toBe(constants.size);
    expect(keys).toContain([0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000].join());
    const writer = loop(2, (w) => {
      for (const constant of constants.keys()) {
        const local = w.local('v128');
        constants.set(constant, local);
        pushWords(w, constant);
        w.set(local);
      }
      inlines.emit(w, 'f32.pow', { push: (constant) => w.get(constants.get(constant)!) });
    });
    expectSame('f32.pow', words, applied(writer, words), interpreted('f32.pow', words));
  });

  test('count as many instructions as they write', () => {
    const writer = new StackWriter(['v128'], ['v128']);
    writer.get(0);
    const before = writer.count;
    inlines.emit(writer, 'f32.fract', inCode(writer));
    // local.set, twice local.get, floor, sub.
    expect(writer.count - before).toBe(5);
  });
});
