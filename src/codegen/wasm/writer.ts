// Writes WebAssembly binaries: functions instruction by instruction, directly into bytes, and the module around them.
// Operands are expressions (expression.ts). (WebAssembly Core Specification 2.0, § 5.)

import { assert } from '../../base/assert';
import { Bytes } from './bytes';
import { codeOf } from './opcodes';

export type WasmType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128';
/** Codes of the value types, and the types by code. */
export const TYPE_BYTES: Readonly<Record<WasmType, number>> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
};
export const WASM_TYPES: ReadonlyMap<number, WasmType> = new Map(
  Object.entries(TYPE_BYTES).map(([type, code]) => [code, type as WasmType])
);

const BLOCK = codeOf('block');
const LOOP = codeOf('loop');
const IF = codeOf('if');
const ELSE = codeOf('else');
const END = codeOf('end');
const CONSTRUCTS = { block: BLOCK, loop: LOOP, if: IF } as const;
const BRANCH = codeOf('br');
const BRANCH_IF = codeOf('br_if');
const RETURN = codeOf('return');
const CALL = codeOf('call');
const GET = codeOf('local.get');
const SET = codeOf('local.set');
const TEE = codeOf('local.tee');
const GLOBAL_GET = codeOf('global.get');
const I32_CONST = codeOf('i32.const');
const I32_STORE = codeOf('i32.store');
const V128_STORE = codeOf('v128.store');
const STORE_LANE = codeOf('v128.store32_lane');
const STORE_HALF_LANE = codeOf('v128.store16_lane');
const NO_RESULT = 0x40;

/** Code that leaves a value of type T on the stack. */
export abstract class Expression<T extends WasmType = WasmType> {
  /** For type checks only. */
  declare protected readonly leaves: T;
  abstract write(to: FunctionWriter): void;
}
export type I32 = Expression<'i32'>;
export type V128 = Expression<'v128'>;

/** A local of the function that created it. */
export class Local<T extends WasmType = WasmType> extends Expression<T> {
  constructor(
    readonly type: T,
    readonly index: number
  ) {
    super();
  }
  write(to: FunctionWriter): void {
    to.get(this);
  }
}

/** A branch target; `at` is its depth once it has begun. */
export interface Label {
  at: number;
}

/** Writes one function: instructions in order, for the stack machine. */
export class FunctionWriter {
  /** The instructions of the body, without the declarations of locals and the last `end`. */
  code = new Bytes();
  /** Number of instructions written. */
  count = 0;
  /**
   * Number of places where control flow splits or merges. Engines record the location of every local at each of them.
   */
  meetings = 0;
  readonly parameters: readonly Local[];
  /** Number of constructs around the current point. */
  depth = 0;
  private readonly types: WasmType[] = [];
  private readonly unused: Record<WasmType, Local[]> = { i32: [], i64: [], f32: [], f64: [], v128: [] };

  constructor(
    readonly params: readonly WasmType[],
    readonly results: readonly WasmType[]
  ) {
    this.parameters = params.map((type, index) => new Local(type, index));
  }

  /** An unused local. Its contents are undefined if it was used before. */
  local<T extends WasmType>(type: T): Local<T> {
    return (this.unused[type].pop() as Local<T> | undefined) ?? this.persistentLocal(type);
  }

  /** A new local, never used before. It is zero at the start, and its contents persist across loop iterations. */
  persistentLocal<T extends WasmType>(type: T): Local<T> {
    return new Local(type, this.params.length + this.types.push(type) - 1);
  }

  /** Returns a local for reuse. */
  release(local: Local): void {
    this.unused[local.type].push(local);
  }

  /** Types of the locals after the parameters. */
  get locals(): readonly WasmType[] {
    return this.types;
  }

  // ── statements ──

  set<T extends WasmType>(local: Local<T>, value: Expression<T>): void {
    value.write(this);
    this.keep(local);
  }

  /** Stores a value in an unused local. */
  kept<T extends WasmType>(type: T, value: Expression<T>): Local<T> {
    value.write(this);
    const local = this.local(type);
    this.keep(local);
    return local;
  }

  store(address: I32, value: V128, offset = 0): void {
    address.write(this);
    value.write(this);
    this.memory(V128_STORE, offset);
  }

  storeWord(address: I32, value: I32, offset = 0): void {
    address.write(this);
    value.write(this);
    this.memory(I32_STORE, offset);
  }

  storeLane(address: I32, value: V128, offset: number, lane: number): void {
    address.write(this);
    value.write(this);
    this.memory(STORE_LANE, offset);
    this.code.byte(lane);
  }

  /** `lane`: index of one of eight lanes. */
  storeHalfLane(address: I32, value: V128, lane: number): void {
    address.write(this);
    value.write(this);
    this.memory(STORE_HALF_LANE, 0);
    this.code.byte(lane);
  }

  if(condition: I32, then: () => void, otherwise?: () => void): void {
    condition.write(this);
    this.begin('if');
    then();
    if (otherwise !== undefined) {
      this.else();
      otherwise();
    }
    this.end();
  }

  /** A block or loop with a label. A branch to it goes to the end of a block or to the start of a loop. */
  construct(name: 'block' | 'loop', label: Label, body: () => void): void {
    label.at = this.begin(name);
    body();
    this.end();
  }

  branch(label: Label): void {
    this.meetings++;
    this.opcode(BRANCH);
    this.code.unsigned(this.depth - label.at);
  }

  branchIf(condition: I32, label: Label): void {
    condition.write(this);
    this.meetings++;
    this.opcode(BRANCH_IF);
    this.code.unsigned(this.depth - label.at);
  }

  /** Calls a function. */
  run(index: number, ...args: readonly Expression[]): void {
    for (const arg of args) arg.write(this);
    this.call(index);
  }

  return(value: Expression): void {
    value.write(this);
    this.opcode(RETURN);
  }

  // ── single instructions with operands on the stack ──

  get(local: Local): void {
    this.indexed(GET, local.index);
  }
  /** Pops a value into the local. */
  keep(local: Local): void {
    this.indexed(SET, local.index);
  }
  tee(local: Local): void {
    this.indexed(TEE, local.index);
  }
  globalGet(index: number): void {
    this.indexed(GLOBAL_GET, index);
  }
  call(index: number): void {
    this.indexed(CALL, index);
  }

  i32(value: number): void {
    this.opcode(I32_CONST);
    this.code.signed(value);
  }

  /** A load or store; `offset` in bytes is added to the address on the stack. */
  memory(code: number, offset: number): void {
    this.opcode(code);
    // The alignment is a hint; 1 byte promises nothing.
    this.withNumber(0, offset);
  }

  /** An atomic access to a word, with its operands on the stack. For atomics, the alignment must be the natural one. */
  atomicWord(code: number): void {
    this.opcode(code);
    this.code.pair(2, 0);
  }

  /** Starts a block, loop or if that leaves `result` on the stack. Returns its depth. */
  begin(name: 'block' | 'loop' | 'if', result?: WasmType): number {
    this.meetings++;
    this.opcode(CONSTRUCTS[name]);
    this.code.byte(result === undefined ? NO_RESULT : TYPE_BYTES[result]);
    return ++this.depth;
  }

  else(): void {
    this.opcode(ELSE);
  }

  end(): void {
    this.opcode(END);
    this.depth--;
  }

  /** Writes only the opcode; the caller writes its immediates. */
  opcode(code: number): void {
    this.count++;
    if (code < 0x100) this.code.byte(code);
    else this.withNumber(code >> 8, code & 0xff);
  }

  private indexed(code: number, index: number): void {
    this.count++;
    this.withNumber(code, index);
  }

  private withNumber(byte: number, value: number): void {
    if (value < 0x80) return this.code.pair(byte, value);
    this.code.byte(byte);
    this.code.unsigned(value);
  }

  /** Returns the code written so far and continues with an empty buffer, so that other code can be placed before it. */
  takeCode(): Bytes {
    const { code } = this;
    this.code = new Bytes();
    return code;
  }
}

interface FunctionType {
  readonly params: readonly WasmType[];
  readonly results: readonly WasmType[];
}

/** A module that imports its memory and optionally functions, globals and a table, and that exports functions. */
export class ModuleWriter {
  private readonly types: FunctionType[] = [];
  private readonly imports = new Bytes();
  private importCount = 0;
  private importedFunctions = 0;
  private importedGlobals = 0;
  private readonly functions: FunctionWriter[] = [];
  private readonly exports = new Bytes();
  private exportCount = 0;

  /** Index of a function type. */
  type(params: readonly WasmType[], results: readonly WasmType[]): number {
    const found = this.types.findIndex(
      (type) => type.params.join() === params.join() && type.results.join() === results.join()
    );
    return found >= 0 ? found : this.types.push({ params, results }) - 1;
  }

  /** A memory of up to 65536 pages. */
  importMemory(module: string, name: string, shared: boolean): void {
    this.import(module, name, 2, shared ? 3 : 1);
    this.imports.byte(1);
    this.imports.unsigned(65536);
  }

  importTable(module: string, name: string): void {
    this.import(module, name, 1, 0x70);
    this.imports.byte(0);
    this.imports.byte(1);
  }

  /** An immutable i32 global; returns its index. */
  importGlobal(module: string, name: string): number {
    this.import(module, name, 3, TYPE_BYTES.i32);
    this.imports.byte(0);
    return this.importedGlobals++;
  }

  /** Returns the function's index. All imports come before the first function. */
  importFunction(module: string, name: string, params: readonly WasmType[], results: readonly WasmType[]): number {
    assert(this.functions.length === 0, 'codegen: imports come before functions');
    this.import(module, name, 0, this.type(params, results));
    return this.importedFunctions++;
  }

  /** Adds a finished function; returns its index. */
  add(writer: FunctionWriter, exported?: string): number {
    this.type(writer.params, writer.results);
    const index = this.importedFunctions + this.functions.push(writer) - 1;
    if (exported !== undefined) {
      this.exportCount++;
      this.exports.name(exported);
      this.exports.byte(0);
      this.exports.unsigned(index);
    }
    return index;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const out = new Bytes();
    for (const byte of [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]) out.byte(byte);
    const types = new Bytes();
    for (const { params, results } of this.types) {
      types.byte(0x60);
      writeTypes(types, params);
      writeTypes(types, results);
    }
    section(out, 1, this.types.length, types);
    section(out, 2, this.importCount, this.imports);
    const signatures = new Bytes();
    const bodies = new Bytes();
    for (const writer of this.functions) {
      signatures.unsigned(this.type(writer.params, writer.results));
      writeFunction(bodies, writer);
    }
    section(out, 3, this.functions.length, signatures);
    section(out, 7, this.exportCount, this.exports);
    section(out, 10, this.functions.length, bodies);
    return out.written.slice();
  }

  private import(module: string, name: string, kind: number, description: number): void {
    this.importCount++;
    this.imports.name(module);
    this.imports.name(name);
    this.imports.byte(kind);
    this.imports.unsigned(description);
  }
}

function section(out: Bytes, id: number, count: number, entries: Bytes): void {
  if (count === 0) return;
  const start = new Bytes(8);
  start.unsigned(count);
  out.byte(id);
  out.unsigned(start.length + entries.length);
  out.bytes(start.written);
  out.bytes(entries.written);
}

function writeTypes(out: Bytes, types: readonly WasmType[]): void {
  out.unsigned(types.length);
  for (const type of types) out.byte(TYPE_BYTES[type]);
}

/** Writes the size, the locals in runs of one type, the instructions, and the end. */
function writeFunction(out: Bytes, { locals, code }: FunctionWriter): void {
  const runs = new Bytes();
  let count = 0;
  for (let from = 0; from < locals.length;) {
    let to = from;
    while (to < locals.length && locals[to] === locals[from]) to++;
    runs.unsigned(to - from);
    runs.byte(TYPE_BYTES[locals[from]!]);
    count++;
    from = to;
  }
  const start = new Bytes(8);
  start.unsigned(count);
  out.unsigned(start.length + runs.length + code.length + 1);
  out.bytes(start.written);
  out.bytes(runs.written);
  out.bytes(code.written);
  out.byte(END);
}
