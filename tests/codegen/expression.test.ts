// Expressions and the WebAssembly code that they emit, and the buffer for emitted code.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bytes } from '../../src/codegen/wasm/bytes';
import {
  choice,
  f32x4,
  i32,
  i32x4,
  tee,
  v128,
  type I32,
  type Local,
  type V128,
} from '../../src/codegen/wasm/expression';
import { printModule } from '../../src/codegen/wasm/print';
import { FunctionWriter, ModuleWriter, type Label } from '../../src/codegen/wasm/writer';

/** The instructions of a function of an address, local 0, and a vector, local 1. */
function written(write: (writer: FunctionWriter, address: Local<'i32'>, vector: Local<'v128'>) => void): string[] {
  const module = new ModuleWriter();
  module.importMemory('env', 'memory', false);
  const writer = new FunctionWriter(['i32', 'v128'], []);
  write(writer, writer.parameters[0] as Local<'i32'>, writer.parameters[1] as Local<'v128'>);
  module.add(writer);
  const bytes = module.bytes();
  expect(WebAssembly.validate(bytes)).toBe(true);
  return printModule(bytes)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^[a-z]/.test(line));
}

test('operands are emitted in order', () => {
  expect(
    written((writer, address, c) => {
      const ddx = v128.loadSplat(i32.sum(address, i32.constant(-1)));
      writer.store(address, f32x4.sum(f32x4.product(ddx, c), v128.select(c, v128.load(address, 300), c)), 16);
    })
  ).toEqual([
    'local.get 0',
    'local.get 0',
    'i32.const -1',
    'i32.add',
    'v128.load32_splat align=1',
    'local.get 1',
    'f32x4.mul',
    'local.get 1',
    'local.get 0',
    'v128.load offset=300 align=1',
    'local.get 1',
    'v128.bitselect',
    'f32x4.add',
    'v128.store offset=16 align=1',
  ]);
});

test('lanes, selections, and values kept in between', () => {
  expect(
    written((writer, address, vector) => {
      const words = v128.shuffle(vector, vector, [4, 1, 0, 7]);
      const mixed = i32x4.withLane(words, 2, tee(address, i32x4.lane(vector, 3)));
      writer.set(vector, choice(i32.isZero(address), mixed, v128.loadLane(address, v128.zero, 8, 1)));
    })
  ).toEqual([
    'local.get 0',
    'i32.eqz',
    'if $if0 (result v128)',
    'local.get 1',
    'local.get 1',
    'i8x16.shuffle 16 17 18 19 4 5 6 7 0 1 2 3 28 29 30 31',
    'local.get 1',
    'i32x4.extract_lane 3',
    'local.tee 0',
    'i32x4.replace_lane 2',
    'else',
    'local.get 0',
    'v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000',
    'v128.load32_lane offset=8 align=1 1',
    'end',
    'local.set 1',
  ]);
});

test('branches find their targets by nesting depth', () => {
  expect(
    written((writer, address) => {
      const outer: Label = { at: 0 };
      const inner: Label = { at: 0 };
      writer.construct('block', outer, () =>
        writer.construct('loop', inner, () => {
          writer.branchIf(address, outer);
          writer.if(
            address,
            () => writer.branch(inner),
            () => writer.branch(outer)
          );
        })
      );
    })
  ).toEqual([
    'block $block0',
    'loop $loop1',
    'local.get 0',
    'br_if $block0',
    'local.get 0',
    'if $if2',
    'br $loop1',
    'else',
    'br $block0',
    'end',
    'end',
    'end',
  ]);
});

test('an expression of one type is not assignable to another', () => {
  const sum = (a: V128, b: I32): unknown => {
    // @ts-expect-error: a sum of vectors
    f32x4.sum(a, b);
    // @ts-expect-error: a sum of numbers
    return i32.sum(a, b);
  };
  expect(sum).toBeDefined();
});

test('a buffer holds what was written, however it grew', () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 40 }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), parts, (capacity, all) => {
      const buffer = new Bytes(capacity);
      const expected: number[] = [];
      for (const [k, part] of all.entries()) {
        expected.push(...part, k & 255, 7);
        if (k % 2 === 0) buffer.bytes(part);
        else buffer.part(part, 0, part.length);
        buffer.pair(k & 255, 7);
      }
      expect([...buffer.written]).toEqual(expected);
    })
  );
});
