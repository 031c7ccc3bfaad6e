// The text of WebAssembly modules: exact for small ones; for the kernels compared with the engine's information.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Bytes } from '../../src/codegen/wasm/bytes';
import { instructionNamed, instructions } from '../../src/codegen/wasm/opcodes';
import { countInstructions, printModule } from '../../src/codegen/wasm/print';
import { WasmFormatError } from '../../src/codegen/wasm/cursor';
import { functionTypes, decodeModule } from '../../src/codegen/wasm/module';
import { ModuleWriter } from '../../src/codegen/wasm/writer';
import { StackWriter } from '../support/stack-writer';

/** A function with every kind of instruction in emitted code. */
function sample(): { module: ModuleWriter; writer: StackWriter } {
  const module = new ModuleWriter();
  module.importMemory('env', 'memory', true);
  module.importTable('env', 'table');
  module.importGlobal('env', 'constants');
  const expired = module.importFunction('host', 'timeExpired', [], ['i32']);
  const writer = new StackWriter(['i32'], ['i32']);
  const a = writer.local('v128');
  const b = writer.local('v128');
  const n = writer.local('i32');
  writer.globalGet(0);
  writer.memory('v128.load32_splat', 12);
  writer.set(a);
  writer.begin('block');
  writer.begin('loop');
  writer.get(0);
  writer.memory('v128.load', 0);
  writer.get(a);
  writer.op('f32x4.mul');
  writer.tee(b);
  writer.get(b);
  writer.op('i8x16.shuffle', 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  writer.op('i32x4.extract_lane', 3);
  writer.i32(-65);
  writer.op('i32.lt_s');
  writer.branchIf(1);
  writer.get(0);
  writer.get(b);
  writer.op('v128.store32_lane', 0, 16, 2);
  writer.call(expired);
  writer.begin('if', 'i32');
  writer.i32(1);
  writer.else();
  writer.i32(0);
  writer.i32(3);
  writer.callIndirect(module.type(['i32'], ['i32']));
  writer.end();
  writer.set(n);
  writer.branch(0);
  writer.end();
  writer.end();
  writer.get(n);
  module.add(writer, 'fragment');
  return { module, writer };
}

const SAMPLE = `(module
  (type $t0 (func (result i32)))
  (type $t1 (func (param i32) (result i32)))
  (import "env" "memory" (memory 1 65536 shared))
  (import "env" "table" (table 1 funcref))
  (import "env" "constants" (global i32))
  (import "host" "timeExpired" (func $host.timeExpired (type $t0)))
  (export "fragment" (func $fragment))
  (func $fragment (type $t1) (param i32) (result i32)
    (local v128 v128) ;; 1 … 2
    (local i32) ;; 3
    global.get 0
    v128.load32_splat offset=12 align=1
    local.set 1
    block $block0
      loop $loop1
        local.get 0
        v128.load align=1
        local.get 1
        f32x4.mul
        local.tee 2
        local.get 2
        i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
        i32x4.extract_lane 3
        i32.const -65
        i32.lt_s
        br_if $block0
        local.get 0
        local.get 2
        v128.store32_lane offset=16 align=1 2
        call $host.timeExpired
        if $if2 (result i32)
          i32.const 1
        else
          i32.const 0
          i32.const 3
          call_indirect (type $t1)
        end
        local.set 3
        br $loop1
      end
    end
    local.get 3
  )
)`;

/**
 * A function with instructions for which StackWriter has no method. The code, without the last `end`, is given as bytes
 * after an opcode.
 */
function raw(
  results: 'i32' | 'i64' | 'f32' | 'f64' | 'v128',
  ...code: readonly (string | number)[]
): Uint8Array<ArrayBuffer> {
  const module = new ModuleWriter();
  const writer = new StackWriter([], [results]);
  for (const part of code) {
    if (typeof part === 'string') writer.op(part);
    else writer.code.byte(part);
  }
  module.add(writer);
  return module.bytes();
}
const bytesOf = (type: 'Float32' | 'Float64' | 'Uint32' | 'BigUint64', value: number | bigint): number[] => {
  const view = new DataView(new ArrayBuffer(type === 'Float32' || type === 'Uint32' ? 4 : 8));
  (view[`set${type}`] as (at: number, value: number | bigint, little: boolean) => void).call(view, 0, value, true);
  return [...new Uint8Array(view.buffer)];
};
const lastLines = (bytes: Uint8Array<ArrayBuffer>): string[] => {
  expect(WebAssembly.validate(bytes)).toBe(true);
  return printModule(bytes)
    .split('\n')
    .slice(3, -2)
    .map((line) => line.trim());
};

describe('printModule', () => {
  test('prints a whole module', () => {
    const bytes = sample().module.bytes();
    expect(WebAssembly.validate(bytes)).toBe(true);
    expect(printModule(bytes)).toBe(SAMPLE);
  });

  test.each<[number, string]>([
    [0, '0'],
    [-0, '-0'],
    [1, '1'],
    [0.1, '0.1'],
    [-2.5, '-2.5'],
    [1 / 3, '0.33333334'],
    [16777216, '16777216'],
    [3.4028234663852886e38, '3.4028235e+38'],
    [1e-45, '1e-45'],
    [Infinity, 'inf'],
    [-Infinity, '-inf'],
  ])('the float %d is %s', (value, text) => {
    expect(lastLines(raw('f32', 'f32.const', ...bytesOf('Float32', value)))).toEqual([`f32.const ${text}`]);
  });

  test('any float can be parsed again', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const [line] = printModule(raw('f32', 'f32.const', ...bytesOf('Float32', value)))
          .split('\n')
          .slice(3);
        expect(Math.fround(Number(line!.trim().split(' ')[1]))).toBe(value);
      })
    );
  });

  test('NaN keeps its payload and its sign', () => {
    expect(lastLines(raw('f32', 'f32.const', ...bytesOf('Uint32', 0x7fc00000)))).toEqual(['f32.const nan:0x400000']);
    expect(lastLines(raw('f32', 'f32.const', ...bytesOf('Uint32', 0xff800001)))).toEqual(['f32.const -nan:0x1']);
    expect(lastLines(raw('f64', 'f64.const', ...bytesOf('BigUint64', 0xfff8000000000001n)))).toEqual([
      'f64.const -nan:0x8000000000001',
    ]);
  });

  test('other numbers', () => {
    expect(lastLines(raw('f64', 'f64.const', ...bytesOf('Float64', 0.1)))).toEqual(['f64.const 0.1']);
    expect(lastLines(raw('i64', 'i64.const', 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f))).toEqual([
      'i64.const -9223372036854775808',
    ]);
    expect(
      lastLines(raw('v128', 'v128.const', ...[1, 0x80000000, 0xdeadbeef, 0].flatMap((word) => bytesOf('Uint32', word))))
    ).toEqual(['v128.const i32x4 0x00000001 0x80000000 0xdeadbeef 0x00000000']);
    fc.assert(
      fc.property(fc.integer(), (value) => {
        const bytes = new Bytes();
        bytes.signed(value);
        expect(lastLines(raw('i32', 'i32.const', ...bytes.written))).toEqual([`i32.const ${value}`]);
      })
    );
  });

  test('branches out of the function and jump tables', () => {
    expect(
      lastLines(raw('i32', 'block', 0x40, 'i32.const', 7, 'i32.const', 0, 'br_table', 1, 1, 1, 'end', 'i32.const', 1))
    ).toEqual(['block $block0', 'i32.const 7', 'i32.const 0', 'br_table 1 1', 'end', 'i32.const 1']);
  });

  test('a select with a type, and a block with a type of the list', () => {
    expect(lastLines(raw('i32', 'i32.const', 1, 'i32.const', 2, 'i32.const', 3, 'select.typed', 1, 0x7f))).toEqual([
      'i32.const 1',
      'i32.const 2',
      'i32.const 3',
      'select (result i32)',
    ]);
    expect(lastLines(raw('i32', 'block', 0, 'i32.const', 1, 'end'))).toEqual([
      'block $block0 (type $t0)',
      'i32.const 1',
      'end',
    ]);
  });

  test('names become valid, unique identifiers', () => {
    const module = new ModuleWriter();
    for (const name of ['a b', 'a"b', 'ok']) {
      const writer = new StackWriter([], []);
      module.add(writer, name);
    }
    const text = printModule(module.bytes());
    expect(text.match(/^ {2}\(func \S+/gm)).toEqual(['  (func $a_b', '  (func $a_b.2', '  (func $ok']);
    expect(text).toContain('(export "a\\22b" (func $a_b.2))');
  });
});

describe('countInstructions', () => {
  test('counts what the writer counts, by group', () => {
    const { module, writer } = sample();
    const counts = countInstructions(module.bytes());
    expect(counts).toEqual({
      fragment: {
        total: 32,
        byGroup: { simd: 3, scalar: 1, memory: 3, constants: 4, locals: 10, control: 9, calls: 2 },
      },
    });
    expect(counts['fragment']!.total).toBe(writer.count);
  });

  test('assigns every instruction of the table to a group', () => {
    for (const { name, code, immediate } of instructions) {
      if (immediate !== 'none' || name === 'else' || name === 'end') continue;
      const { total, byGroup } = countInstructions(raw('i32', name))['f0']!;
      expect([name, total, Object.values(byGroup).reduce((a, b) => a + b)]).toEqual([name, 1, 1]);
      if (code >= 0xfd00) expect([name, byGroup.simd]).toEqual([name, 1]);
    }
  });
});

describe('the kernels', () => {
  test.each(['kernel', 'kernel.scalar', 'testing'])('%s is printed entirely', (name) => {
    const bytes = readFileSync(new URL(`../../build/${name}.wasm`, import.meta.url));
    const compiled = new WebAssembly.Module(bytes);
    const module = decodeModule(bytes);
    const kinds = (list: readonly { kind: string }[], kind: string): number =>
      list.filter((one) => one.kind === kind).length;
    expect(module.imports.map(({ module: from, name: what }) => [from, what])).toEqual(
      WebAssembly.Module.imports(compiled).map((one) => [one.module, one.name])
    );
    expect(module.exports.map((one) => one.name)).toEqual(WebAssembly.Module.exports(compiled).map((one) => one.name));
    expect(kinds(module.exports, 'func')).toBe(kinds(WebAssembly.Module.exports(compiled), 'function'));
    const text = printModule(bytes);
    const functions = functionTypes(module).length;
    expect(text.match(/^ {2}\(func /gm)).toHaveLength(module.functions.length);
    expect(module.functions.length + kinds(WebAssembly.Module.imports(compiled), 'function')).toBe(functions);
    const counts = Object.values(countInstructions(bytes));
    expect(counts).toHaveLength(module.functions.length);
    // Every instruction is a line: four spaces or more, and no parenthesis.
    expect(text.match(/^ {4,}[a-z]/gm)).toHaveLength(counts.reduce((sum, { total }) => sum + total, 0));
    expect(counts.reduce((sum, { byGroup }) => sum + byGroup.simd, 0) > 5000).toBe(name !== 'kernel.scalar');
  });
});

test("the text of the kernel has the instructions of its compiler's text", () => {
  const read = (name: string): URL => new URL(`../../build/${name}`, import.meta.url);
  const tally = (text: string): Record<string, number> => {
    const counts: Record<string, number> = {};
    // The compiler's text has an `end` for some blocks that the binary lacks.
    for (const [, name] of text.matchAll(/^ {2,}([a-z][a-z0-9_.]*)/gm))
      if (name !== 'end') counts[name!] = (counts[name!] ?? 0) + 1;
    return counts;
  };
  expect(tally(printModule(readFileSync(read('kernel.wasm'))))).toEqual(
    tally(readFileSync(read('kernel.wat'), 'utf8').replace(/^[^]*?(?=^ \(func )/m, ''))
  );
});

describe('invalid modules', () => {
  const bytes = sample().module.bytes();
  const refusal = (broken: Uint8Array): string => {
    try {
      printModule(broken);
    } catch (error) {
      if (error instanceof WasmFormatError) return error.message;
      throw error;
    }
    return '';
  };

  test('are rejected with a message', () => {
    expect(refusal(new Uint8Array())).toBe('These bytes are not a WebAssembly module.');
    expect(refusal(new TextEncoder().encode('(module)'))).toBe('These bytes are not a WebAssembly module.');
    expect(refusal(bytes.subarray(0, bytes.length - 3))).toMatch(
      /^The WebAssembly is cut off at byte \d+: 3 bytes are missing\.$/
    );
    expect(refusal(Uint8Array.from([...bytes, 99, 0]))).toMatch(
      /^The section at byte \d+ of the WebAssembly has an unknown kind, 99\.$/
    );
  });

  test.each([
    ['an opcode that there is not', [0x27], '0x27'],
    ['relaxed SIMD', [0xfd, 0x80, 0x02], '0xfd 256'],
    ['an atomic', [0xfe, 0x03], '0xfe 3'],
    ['a prefix with a large number', [0xfc, 0xff, 0x7f], '0xfc 16383'],
  ])('%s is named', (_, code, named) => {
    expect(refusal(raw('i32', ...code))).toMatch(
      new RegExp(`^The instruction at byte \\d+ of the WebAssembly, ${named}, is not in the table\\.$`)
    );
  });

  test('give only text or a WasmFormatError', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), (at, value) => {
        const broken = Uint8Array.from(bytes);
        broken[at] = value;
        refusal(broken);
      }),
      { numRuns: 2000 }
    );
  });

  test('the table lists each instruction and each code once', () => {
    expect(new Set(instructions.map(({ code }) => code)).size).toBe(instructions.length);
    expect(
      instructions.filter(
        ({ name }) => instructionNamed(name)?.code !== instructions.find((one) => one.name === name)!.code
      )
    ).toEqual([]);
    expect(new Set(instructions.map(({ name }) => name)).size).toBe(instructions.length);
  });
});
