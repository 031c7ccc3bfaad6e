// Writes WebAssembly binaries: functions instruction by instruction, and the module around them.
// (WebAssembly Core Specification 2.0, § 5.)

import { assert, unreachable } from '../../base/assert';
import { instructionNamed } from './opcodes';

export type WasmType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128';
/** Codes of the value types, and the types by code. */
export const TYPE_BYTES: Readonly<Record<WasmType, number>> = {
  i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b,
};
export const WASM_TYPES: ReadonlyMap<number, WasmType> = new Map(Object.entries(TYPE_BYTES)
  .map(([type, code]) => [code, type as WasmType]));
const NO_RESULT = 0x40;

/** Unsigned LEB128. */
export function pushUnsigned(out: number[], value: number): void {
  let rest = value >>> 0;
  while (rest >= 0x80) {
    out.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  out.push(rest);
}

/** Signed LEB128 of 32 bits. */
export function pushSigned(out: number[], value: number): void {
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
      out.push(low);
      return;
    }
    out.push(low | 0x80);
  }
}

/** Index of a local of the function that made it. */
export type Local = number;

/** Writes one function: instructions in order, on the stack machine. */
export class FunctionWriter {
  /** The body's instructions, without locals and the last `end`. */
  readonly code: number[] = [];
  /** Instructions written. */
  count = 0;
  private readonly types: WasmType[] = [];
  private readonly unused = new Map<WasmType, Local[]>();

  constructor(readonly params: readonly WasmType[], readonly results: readonly WasmType[]) {}

  /** A local that nobody uses: with any contents if it was used before. */
  local(type: WasmType): Local {
    const free = this.unused.get(type)?.pop();
    return free ?? this.lasting(type);
  }

  /** A local that nobody used before: it holds zero at the start, and what it holds outlasts loops. */
  lasting(type: WasmType): Local {
    return this.params.length + this.types.push(type) - 1;
  }

  /** Gives a local back. */
  release(local: Local): void {
    const type = this.types[local - this.params.length] ?? unreachable('codegen: a parameter is not given back');
    const list = this.unused.get(type);
    if (list === undefined) this.unused.set(type, [local]);
    else list.push(local);
  }

  /** Types of the locals behind the parameters. */
  get locals(): readonly WasmType[] { return this.types; }

  /** An instruction without immediates. */
  op(name: string): void {
    this.opcode(name);
  }

  get(local: Local): void { this.opcode('local.get'); pushUnsigned(this.code, local); }
  set(local: Local): void { this.opcode('local.set'); pushUnsigned(this.code, local); }
  tee(local: Local): void { this.opcode('local.tee'); pushUnsigned(this.code, local); }
  globalGet(index: number): void { this.opcode('global.get'); pushUnsigned(this.code, index); }
  i32(value: number): void { this.opcode('i32.const'); pushSigned(this.code, value); }

  /** A load or store; `offset` in bytes is added to the address on the stack. */
  memory(name: string, offset: number): void {
    this.opcode(name);
    // Alignment is a hint: one byte promises nothing.
    pushUnsigned(this.code, 0);
    pushUnsigned(this.code, offset);
  }

  /** A load or store of one lane. */
  memoryLane(name: string, offset: number, lane: number): void {
    this.memory(name, offset);
    this.code.push(lane);
  }

  /** An instruction with a lane number: extract_lane, replace_lane. */
  lane(name: string, lane: number): void { this.opcode(name); this.code.push(lane); }

  /** `bytes`: sixteen, 0 … 15 of the first operand, 16 … 31 of the second. */
  shuffle(bytes: readonly number[]): void {
    assert(bytes.length === 16, 'codegen: a shuffle has sixteen bytes');
    this.opcode('i8x16.shuffle');
    this.code.push(...bytes);
  }

  /** Shuffle of 32-bit lanes: 0 … 3 of the first operand, 4 … 7 of the second. */
  shuffleWords(a: number, b: number, c: number, d: number): void {
    this.shuffle([a, b, c, d].flatMap((lane) => [4 * lane, 4 * lane + 1, 4 * lane + 2, 4 * lane + 3]));
  }

  /** Starts a block, loop or if, which leaves `result` on the stack. */
  begin(name: 'block' | 'loop' | 'if', result?: WasmType): void {
    this.opcode(name);
    this.code.push(result === undefined ? NO_RESULT : TYPE_BYTES[result]);
  }

  else(): void { this.opcode('else'); }
  end(): void { this.opcode('end'); }
  /** `depth`: how many constructs lie between. */
  branch(depth: number): void { this.opcode('br'); pushUnsigned(this.code, depth); }
  branchIf(depth: number): void { this.opcode('br_if'); pushUnsigned(this.code, depth); }
  call(index: number): void { this.opcode('call'); pushUnsigned(this.code, index); }
  /** Calls through table 0. */
  callIndirect(type: number): void { this.opcode('call_indirect'); pushUnsigned(this.code, type); this.code.push(0); }

  /** Writes an instruction's opcode alone: its immediates are the caller's. */
  opcode(name: string): void {
    const { code } = instructionNamed(name) ?? unreachable(`codegen: no instruction '${name}'`);
    this.count++;
    if (code < 0x100) this.code.push(code);
    else {
      this.code.push(code >> 8);
      pushUnsigned(this.code, code & 0xff);
    }
  }
}

export interface FunctionType { readonly params: readonly WasmType[]; readonly results: readonly WasmType[] }

/** A module that imports its memory and, where asked, functions, globals and a table; and exports functions. */
export class ModuleWriter {
  private readonly types: FunctionType[] = [];
  private readonly imports: number[][] = [];
  private importedFunctions = 0;
  private importedGlobals = 0;
  private readonly functions: FunctionWriter[] = [];
  private readonly exports: { readonly name: string; readonly index: number }[] = [];

  /** Index of a type. */
  type(params: readonly WasmType[], results: readonly WasmType[]): number {
    const found = this.types.findIndex((type) => type.params.join() === params.join()
      && type.results.join() === results.join());
    return found >= 0 ? found : this.types.push({ params, results }) - 1;
  }

  /** A memory of up to 65536 pages. */
  importMemory(module: string, name: string, shared: boolean): void {
    this.import(module, name, [2, shared ? 3 : 1, 1, ...unsigned(65536)]);
  }

  importTable(module: string, name: string): void { this.import(module, name, [1, 0x70, 0, 1]); }

  /** An i32 that does not change; its index. */
  importGlobal(module: string, name: string): number {
    this.import(module, name, [3, TYPE_BYTES.i32, 0]);
    return this.importedGlobals++;
  }

  /** Index of the function. All imports come before the first function. */
  importFunction(module: string, name: string, params: readonly WasmType[], results: readonly WasmType[]): number {
    assert(this.functions.length === 0, 'codegen: imports come before functions');
    this.import(module, name, [0, ...unsigned(this.type(params, results))]);
    return this.importedFunctions++;
  }

  /** Adds a finished function; its index. */
  add(writer: FunctionWriter, exported?: string): number {
    this.type(writer.params, writer.results);
    const index = this.importedFunctions + this.functions.push(writer) - 1;
    if (exported !== undefined) this.exports.push({ name: exported, index });
    return index;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const out: number[] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
    const section = (id: number, entries: readonly (readonly number[])[]): void => {
      if (entries.length === 0) return;
      const body = unsigned(entries.length);
      for (const entry of entries) append(body, entry);
      out.push(id);
      pushUnsigned(out, body.length);
      append(out, body);
    };
    const types = (list: readonly WasmType[]): number[] => [
      ...unsigned(list.length), ...list.map((type) => TYPE_BYTES[type]),
    ];
    section(1, this.types.map(({ params, results }) => [0x60, ...types(params), ...types(results)]));
    section(2, this.imports);
    section(3, this.functions.map((writer) => unsigned(this.type(writer.params, writer.results))));
    section(7, this.exports.map(({ name, index }) => [...text(name), 0, ...unsigned(index)]));
    section(10, this.functions.map(functionBytes));
    return Uint8Array.from(out);
  }

  private import(module: string, name: string, description: readonly number[]): void {
    this.imports.push([...text(module), ...text(name), ...description]);
  }
}

function unsigned(value: number): number[] {
  const out: number[] = [];
  pushUnsigned(out, value);
  return out;
}

const text = (name: string): number[] => [
  ...unsigned(name.length), ...Array.from(name, (character) => character.charCodeAt(0)),
];

// Argument lists have limits: long arrays go in one by one.
function append(out: number[], more: readonly number[]): void {
  for (const byte of more) out.push(byte);
}

/** Size, locals in runs of one type, instructions, end. */
function functionBytes(writer: FunctionWriter): number[] {
  const runs: { readonly type: WasmType; count: number }[] = [];
  for (const type of writer.locals) {
    const last = runs[runs.length - 1];
    if (last?.type === type) last.count++;
    else runs.push({ type, count: 1 });
  }
  const body = unsigned(runs.length);
  for (const { type, count } of runs) append(body, [...unsigned(count), TYPE_BYTES[type]]);
  append(body, writer.code);
  body.push(0x0b);
  const out = unsigned(body.length);
  append(out, body);
  return out;
}
