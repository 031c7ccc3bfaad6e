// Writes and runs small modules.
import { type ConstantWriter, type Words } from '../../src/codegen/wasm/inlines';
import { ModuleWriter } from '../../src/codegen/wasm/writer';
import { StackWriter } from '../support/stack-writer';

const bytesOf = (word: number): number[] => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24];
export const pushWords = (writer: StackWriter, words: Words): void =>
  writer.op('v128.const', ...words.flatMap(bytesOf));
/** Constants as immediate operands. */
export const inCode = (writer: StackWriter): ConstantWriter => ({ push: (words) => pushWords(writer, words) });

/** The operation that a loop over memory applies: its arguments are on the stack, where it leaves its result. */
type Apply = (writer: StackWriter) => void;

/** (dst, a, b, c, d, bytes): applies a function to all vectors from the addresses a … on. */
export function loop(arity: number, apply: Apply): StackWriter {
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
export function applied(writer: StackWriter, args: readonly Uint32Array[]): Uint32Array {
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
