import { describe, expect, test } from 'vitest';
import { parseInlines } from '../../src/codegen/wasm/inlines';
import { ModuleWriter, type WasmType } from '../../src/codegen/wasm/writer';
import { StackWriter } from '../support/stack-writer';
import { applied, inCode, loop } from './inlines.kit';

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
