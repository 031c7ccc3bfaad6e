// A kernel whose functions are called for rows of arguments without JavaScript between the calls: for benchmarks of
// functions that take less time than a call from JavaScript.
import { ModuleWriter, type WasmType } from '../../src/codegen/wasm/writer';
import { TestKernel } from './kernel';
import { StackWriter } from './stack-writer';

const ROW_WORD = 8;

interface Calls {
  run(): void;
  readonly results: { u32(): Uint32Array };
}

export class LoopKernel extends TestKernel {
  put(address: number, value: number): void {
    this.i32(address, 1)[0] = value;
  }
  putFloat(address: number, value: number): void {
    this.f32(address, 1)[0] = value;
  }
  /** Stores words in memory; returns their address. */
  words(values: ArrayLike<number>): number {
    const address = this.alloc(values.length * 4);
    this.u32(address, values.length).set(values);
    return address;
  }

  /**
   * Calls the function `name` once per row of arguments, from WebAssembly. `i64` takes a number below 2^64 as two words
   * [low, high]. Results are stored as two words per row.
   */
  calls(name: string, params: readonly WasmType[], rows: readonly (readonly number[])[], result?: WasmType): Calls {
    const stride = (params.length + 1) * ROW_WORD;
    const from = this.alloc(rows.length * stride);
    rows.forEach((row, r) => {
      const words = this.u32(from + r * stride, params.length * 2);
      let next = 0;
      params.forEach((type, p) => {
        words[p * 2] = row[next++]!;
        if (type === 'i64') words[p * 2 + 1] = row[next++]!;
      });
    });
    const overRows = this.driver(name, params, result);
    const end = from + rows.length * stride;
    return {
      run: () => {
        overRows(from, end);
      },
      results: {
        u32: () =>
          Uint32Array.from(
            { length: rows.length * 2 },
            (_, i) => this.u32(from + (i >> 1) * stride + params.length * ROW_WORD, 2)[i & 1]!
          ),
      },
    };
  }

  private driver(
    name: string,
    params: readonly WasmType[],
    result: WasmType | undefined
  ): (from: number, end: number) => void {
    const module = new ModuleWriter();
    module.importMemory('env', 'memory', true);
    const results = result ? [result] : [];
    const called = module.importFunction('kernel', name, params, results);
    const writer = new StackWriter(['i32', 'i32'], []);
    writer.begin('loop');
    if (result) writer.get(0);
    params.forEach((type, p) => {
      writer.get(0);
      writer.memory(`${type}.load`, p * ROW_WORD);
    });
    writer.call(called);
    if (result) writer.memory(`${result}.store`, params.length * ROW_WORD);
    writer.get(0);
    writer.i32((params.length + 1) * ROW_WORD);
    writer.op('i32.add');
    writer.tee(0);
    writer.get(1);
    writer.op('i32.lt_u');
    writer.branchIf(0);
    writer.end();
    module.add(writer, 'rows');
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module.bytes()), {
      env: { memory: this.memory },
      kernel: this.functions,
    });
    return exports['rows'] as (from: number, end: number) => void;
  }
}
