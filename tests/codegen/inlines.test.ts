// Kernel math functions inlined into emitted code: the bits of the interpreter, for every function. NaN results of f32
// functions count as equal: which operand's payload a machine propagates matters only where bits are observable.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { encodeBytecode } from '../../src/codegen';
import {
  MAX_MODERATE_EXPONENT,
  parseInlines,
  POW_MODERATE,
  common,
  type ConstantWriter,
  type Words,
} from '../../src/codegen/wasm/inlines';
import type { Local } from '../../src/codegen/wasm/expression';
import { ModuleWriter, type WasmType } from '../../src/codegen/wasm/writer';
import { opInfo, type IrProgram, type OpName, type ScalarType } from '../../src/ir';
import { inlinesOf } from '../../src/kernels';
import { interestingFloats, mulberry32 } from '../support/floats';
import { StackWriter } from '../support/stack-writer';
import { LANES, WarpRunner } from './warp';

const build = (name: string): WebAssembly.Module =>
  new WebAssembly.Module(readFileSync(new URL(`../../build/${name}.wasm`, import.meta.url)));
const inlines = parseInlines(inlinesOf(build('testing'))!);

const bytesOf = (word: number): number[] => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24];
const pushWords = (writer: StackWriter, words: Words): void => writer.op('v128.const', ...words.flatMap(bytesOf));
/** Constants as immediate operands. */
const inCode = (writer: StackWriter): ConstantWriter => ({ push: (words) => pushWords(writer, words) });

/** The operation that a loop over memory applies: its arguments are on the stack, where it leaves its result. */
type Apply = (writer: StackWriter) => void;

/** (dst, a, b, c, d, bytes): applies a function to all vectors from the addresses a … on. */
function loop(arity: number, apply: Apply): StackWriter {
  const writer = new StackWriter(['i32', 'i32', 'i32', 'i32', 'i32', 'i32'], []);
  const at = writer.local('i32');
  const [dst, bytes] = [0, 5];
  writer.begin('loop');
  const address = (base: number): void => {
    writer.get(base);
    writer.get(at);
    writer.op('i32.add');
  };
  address(dst);
  for (let k = 0; k < arity; k++) {
    address(1 + k);
    writer.memory('v128.load', 0);
  }
  apply(writer);
  writer.memory('v128.store', 0);
  writer.get(at);
  writer.i32(16);
  writer.op('i32.add');
  writer.tee(at);
  writer.get(bytes);
  writer.op('i32.lt_u');
  writer.branchIf(0);
  writer.end();
  return writer;
}

/** Runs a loop over arrays of words, all of one length. */
function applied(writer: StackWriter, args: readonly Uint32Array[]): Uint32Array {
  const module = new ModuleWriter();
  module.importMemory('env', 'memory', true);
  module.add(writer, 'run');
  const bytes = args[0]!.byteLength;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((bytes * 5) / 65536), maximum: 65536, shared: true });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(module.bytes()), { env: { memory } });
  args.forEach((words, k) => new Uint32Array(memory.buffer, (1 + k) * bytes, words.length).set(words));
  (instance.exports.run as (...numbers: number[]) => void)(0, bytes, 2 * bytes, 3 * bytes, 4 * bytes, bytes);
  return new Uint32Array(memory.buffer, 0, bytes / 4).slice();
}

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
    const [testing, ...others] = ['testing', 'kernel', 'kernel.unshared'].map((name) => inlinesOf(build(name))!);
    for (const other of others) expect(Buffer.compare(Buffer.from(other), Buffer.from(testing!))).toBe(0);
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

/** A module with one function `f32_x`, and what `more` adds before it. */
function moduleOf(params: readonly WasmType[], write: (writer: StackWriter, module: ModuleWriter) => void): Uint8Array {
  const module = new ModuleWriter();
  module.importMemory('env', 'memory', false);
  const writer = new StackWriter(params, ['v128']);
  write(writer, module);
  module.add(writer, 'f32_x');
  return module.bytes();
}

/** Inlines f32.x of a module into a loop over vectors. */
function run(bytes: Uint8Array, args: readonly (readonly number[])[]): number[] {
  const own = parseInlines(bytes);
  return [
    ...applied(
      loop(args.length, (w) => own.emit(w, 'f32.x', inCode(w))),
      args.map((words) => Uint32Array.from(words))
    ),
  ];
}

describe('inlined function bodies', () => {
  test('may return early, from any depth', () => {
    const bytes = moduleOf(['v128'], (w) => {
      w.begin('block');
      w.begin('block');
      w.get(0);
      w.op('v128.any_true');
      w.branchIf(0);
      w.get(0);
      w.op('v128.not');
      w.op('return');
      w.end();
      // The lowest lane decides whether to branch to the function's own label.
      w.get(0);
      w.get(0);
      w.op('i32x4.extract_lane', 0);
      w.i32(7);
      w.op('i32.eq');
      w.branchIf(1);
      w.op('i32x4.neg');
      w.op('return');
      w.end();
      w.op('unreachable');
    });
    expect(() => run(bytes, [[0, 0, 0, 0]])).not.toThrow();
    expect(run(bytes, [[0, 0, 0, 0, 1, 2, 3, 4]])).toEqual([
      0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xfffffffe, 0xfffffffd, 0xfffffffc,
    ]);
  });

  test('have zeroed locals in every iteration, like functions', () => {
    const bytes = moduleOf(['v128'], (w) => {
      const [sum, only] = [w.local('v128'), w.local('v128')];
      w.get(0);
      w.op('v128.any_true');
      w.begin('if');
      w.get(0);
      w.set(only);
      w.end();
      w.get(sum);
      w.get(only);
      w.op('i32x4.add');
      w.get(0);
      w.op('i32x4.add');
      w.tee(sum);
    });
    expect(run(bytes, [[1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8]])).toEqual([2, 4, 6, 8, 0, 0, 0, 0, 10, 12, 14, 16]);
  });

  test('inline what they call, arguments in order', () => {
    const bytes = moduleOf(['v128', 'v128'], (w, module) => {
      const inner = new StackWriter(['v128', 'i32', 'v128'], ['v128']);
      // (a << n) − b; b if n is 0.
      inner.get(1);
      inner.op('i32.eqz');
      inner.begin('if');
      inner.get(2);
      inner.op('return');
      inner.end();
      inner.get(0);
      inner.get(1);
      inner.op('i32x4.shl');
      inner.get(2);
      inner.op('i32x4.sub');
      const f = module.add(inner);
      const outer = new StackWriter(['v128', 'v128'], ['v128']);
      outer.get(0);
      outer.i32(4);
      outer.get(1);
      outer.call(f);
      const g = module.add(outer);
      w.get(0);
      w.i32(0);
      w.get(0);
      w.get(1);
      w.call(g);
      w.call(f);
    });
    expect(
      run(bytes, [
        [1, 2, 3, 4],
        [1, 1, 1, 1],
      ])
    ).toEqual([15, 31, 47, 63]);
  });

  test('keep the labels of their loops and tables', () => {
    const bytes = moduleOf(['v128'], (w) => {
      const left = w.local('i32');
      w.get(0);
      w.op('i32x4.extract_lane', 0);
      w.set(left);
      w.begin('block');
      w.begin('loop');
      w.get(left);
      w.op('i32.eqz');
      w.branchIf(1);
      w.get(0);
      w.get(0);
      w.op('i32x4.add');
      w.set(0);
      w.get(left);
      w.i32(-1);
      w.op('i32.add');
      w.set(left);
      w.branch(0);
      w.end();
      w.end();
      w.begin('block', 'v128');
      w.get(0);
      w.get(0);
      w.op('i32x4.extract_lane', 3);
      w.i32(8);
      w.op('i32.and');
      // 0: out of the block; otherwise: out of the function.
      w.op('br_table', 1, 0, 1);
      w.end();
      w.op('v128.not');
    });
    // Doubled as many times as the first lane says.
    expect(run(bytes, [[1, 2, 3, 4, 2, 1, 1, 1, 0, 5, 6, 7]])).toEqual([
      2,
      4,
      6,
      8,
      ...[8, 4, 4, 4, 0, 5, 6, 7].map((word) => ~word >>> 0),
    ]);
  });
});

describe('functions that cannot be inlined', () => {
  const fails = (bytes: Uint8Array, name = 'f32.x'): unknown => {
    try {
      parseInlines(bytes).emit(new StackWriter([], []), name, { push: () => undefined });
    } catch (error) {
      return (error as Error).message.replace(/^internal error \(.*?\): /, '');
    }
    return 'taken in';
  };

  test('bytes that are not a module', () => {
    expect(() => parseInlines(Uint8Array.of(1, 2, 3))).toThrow('These bytes are not a WebAssembly module.');
  });

  test('a name that the module does not have', () => {
    expect(
      fails(
        moduleOf(['v128'], (w) => w.get(0)),
        'f32.y'
      )
    ).toBe('codegen: no function f32.y to take in');
  });

  test('a load from an indexed table, or from an address outside of tables', () => {
    expect(
      fails(
        moduleOf(['i32'], (w) => {
          w.get(0);
          w.memory('v128.load32_splat', 0);
        })
      )
    ).toBe('inlines: v128.load32_splat would need the memory, table or globals of the module');
    expect(
      fails(
        moduleOf([], (w) => {
          w.i32(1024);
          w.memory('v128.load32_splat', 8);
        })
      )
    ).toBe('inlines: a load from 1032, where no table lies');
  });

  test('recursive calls', () => {
    expect(
      fails(
        moduleOf(['v128'], (w) => {
          w.get(0);
          w.call(0);
        })
      )
    ).toBe('inlines: functions call each other in a circle');
  });

  test('an imported function', () => {
    expect(
      fails(
        moduleOf(['v128'], (w, module) => {
          w.get(0);
          w.call(module.importFunction('env', 'f', ['v128'], ['v128']));
        })
      )
    ).toBe('inlines: function 0 is imported');
  });
});
