// Inlines functions of a module into functions that are being written. The kernel's mathematics
// (assembly/warp/inlines.ts) becomes part of emitted code, so both engines compute the same bits with the same
// instructions. Each body is read once: its calls are inlined, its constants collected, and its labels resolved.
// Emitting it then only copies bytes and renumbers locals.

import { assert, unreachable } from '../../base/assert';
import { Bytes } from './bytes';
import type { ValueType } from './cursor';
import {
  functionTypes,
  decodeModule,
  type InstructionWithOperands,
  type Signature,
  type WasmFunction,
  type WasmModule,
} from './module';
import { TYPE_BYTES, type FunctionWriter, type WasmType } from './writer';

/** Four 32-bit lanes. */
export type Words = readonly [number, number, number, number];
/** Leaves constants on the stack. Constants with one value are one object per function. */
export interface ConstantWriter {
  push(words: Words): void;
}

export interface Inlines {
  has(name: string): boolean;
  readonly names: readonly string[];
  /** Whether `common(name)` exists too. */
  hasCommon(name: string): boolean;
  /**
   * Writes the body of `name`, an operation in src/ir/ops.ts or its `common` variant. Its arguments are the topmost
   * values of the stack, in order, and its result is left there.
   * @throws InternalError if the function cannot be inlined.
   */
  emit(writer: FunctionWriter, name: string, constants: ConstantWriter): void;
}

/**
 * Name of the function that computes only the common case of an operation. It sets all bits of a lane in which the
 * common case does not apply.
 */
export const common = (name: string): string => `${name}_common`;
/** The `common` variant of pow for exponents above 0 and up to MAX_MODERATE_EXPONENT. */
export const POW_MODERATE = 'f32.pow_moderate';
export const MAX_MODERATE_EXPONENT = 16;
const isOperation = (name: string): boolean => !name.includes('_');

/** Reads the module of assembly/warp/inlines.ts. @throws WasmFormatError if the bytes are not a module. */
export function parseInlines(bytes: Uint8Array): Inlines {
  const module = decodeModule(bytes);
  const source: Source = { bytes, module, types: functionTypes(module) };
  const functions = new Map(
    module.exports.filter(({ kind }) => kind === 'func').map(({ name, index }) => [name.replace('_', '.'), index])
  );
  // Programs use few of the functions, so each body is created on first use.
  const bodies = new Map<string, Body>();
  const bodyOf = (name: string): Body => {
    const body = new Flattener(source).flatten(
      functions.get(name) ?? unreachable(`codegen: no function ${name} to take in`)
    );
    bodies.set(name, body);
    return body;
  };
  return {
    has: (name) => functions.has(name),
    names: [...functions.keys()].filter(isOperation),
    hasCommon: (name) => functions.has(common(name)),
    emit: (writer, name, constants) => emitBody(bodies.get(name) ?? bodyOf(name), writer, constants),
  };
}

/** Kinds of steps in a body. Each step is two numbers: its kind, and a slot, an index or a byte count. */
const BYTES = 0;
const GET = 1;
const SET = 2;
const TEE = 3;
const CONSTANT = 4;
const LOCAL_GET = 0x20;

/** A function with all calls inlined. */
interface Body {
  readonly params: number;
  /** Types of the locals, parameters first. */
  readonly slots: readonly WasmType[];
  /** Pairs of a kind and an operand. */
  readonly steps: Int32Array;
  /** The bytes that BYTES steps copy, in order. */
  readonly code: Uint8Array;
  readonly constants: readonly Words[];
  /** Number of instructions, without constants. */
  readonly count: number;
  /** FunctionWriter.meetings. */
  readonly meetings: number;
}

function emitBody(body: Body, writer: FunctionWriter, constants: ConstantWriter): void {
  const { steps, code } = body;
  const locals = body.slots.map((type) => writer.local(type));
  for (let i = body.params - 1; i >= 0; i--) writer.keep(locals[i]!);
  const out = writer.code;
  let from = 0;
  for (let i = 0; i < steps.length; i += 2) {
    const what = steps[i]!;
    const operand = steps[i + 1]!;
    if (what === BYTES) {
      out.part(code, from, from + operand);
      from += operand;
    } else if (what === CONSTANT) constants.push(body.constants[operand]!);
    else {
      out.byte(LOCAL_GET + what - GET);
      out.unsigned(locals[operand]!.index);
    }
  }
  writer.count += body.count;
  writer.meetings += body.meetings;
  for (const local of locals) writer.release(local);
}

/** The module from which bodies are taken. */
interface Source {
  readonly bytes: Uint8Array;
  readonly module: WasmModule;
  /** By function index. */
  readonly types: readonly Signature[];
}

/** Maximum call depth; detects recursion. */
const MAX_CALLS = 16;
/** Immediates that would tie a body to the module that it comes from. */
const FOREIGN: ReadonlySet<string> = new Set(['memory', 'memoryLane', 'pages', 'copy', 'fill', 'global', 'indirect']);
const BLOCK = 0x02;
const END = 0x0b;
const BRANCH = 0x0c;
const ZEROS: Readonly<Record<WasmType, readonly number[]>> = {
  i32: [0x41, 0],
  i64: [0x42, 0],
  f32: [0x43, ...Array<number>(4).fill(0)],
  f64: [0x44, ...Array<number>(8).fill(0)],
  v128: [0xfd, 12, ...Array<number>(16).fill(0)],
};

/** Builds one body from a function and those that it calls. */
class Flattener {
  private readonly slots: WasmType[] = [];
  private readonly unused: number[] = [];
  private readonly steps: number[] = [];
  private readonly code = new Bytes();
  private readonly constants = new Map<string, { readonly index: number; readonly words: Words }>();
  private count = 0;
  private meetings = 0;
  private calls = 0;

  constructor(private readonly source: Source) {}

  flatten(index: number): Body {
    const params = this.source.types[index]!.params;
    this.inline(
      index,
      params.map((type) => this.slot(type))
    );
    return {
      params: params.length,
      slots: this.slots,
      steps: Int32Array.from(this.steps),
      code: this.code.written,
      constants: [...this.constants.values()].map(({ words }) => words),
      count: this.count,
      meetings: this.meetings,
    };
  }

  /** A slot that no function in progress uses. */
  private slot(type: ValueType): number {
    assert(type !== 'funcref' && type !== 'externref', 'inlines: a local that is a reference');
    const free = this.unused.findIndex((slot) => this.slots[slot] === type);
    return free >= 0 ? this.unused.splice(free, 1)[0]! : this.slots.push(type) - 1;
  }

  /** Writes a function whose arguments are in the slots `params`. */
  private inline(index: number, params: readonly number[]): void {
    const { body, locals } = this.defined(index);
    const results = this.source.types[index]!.results;
    const result = results[0];
    assert(
      results.length === 1 && result !== 'funcref' && result !== 'externref' && result !== undefined,
      `inlines: function ${index} has one result, a number or vector`
    );
    const slots = [
      ...params,
      ...locals.flatMap(({ count, type }) => Array.from({ length: count }, () => this.slot(type))),
    ];
    for (const local of readBeforeWritten(body, params.length)) this.zero(slots[local]!);
    const leaves = leavesEarly(body);
    if (leaves) this.bytes([BLOCK, TYPE_BYTES[result]]);
    this.instructions(body, slots);
    if (leaves) this.bytes([END]);
    this.unused.push(...slots);
  }

  private defined(index: number): WasmFunction {
    const { module, types } = this.source;
    return (
      module.functions[index - (types.length - module.functions.length)]
      ?? unreachable(`inlines: function ${index} is imported`)
    );
  }

  private instructions(body: readonly InstructionWithOperands[], slots: readonly number[]): void {
    let depth = 0;
    for (let i = 0; i < body.length; i++) {
      const next = body[i]!;
      const { immediate, name } = next.instruction;
      const constant = this.constantAt(next, body[i + 1]);
      if (constant !== null) {
        this.step(CONSTANT, constant);
        // All constants except v128.const take two instructions.
        if (immediate !== 'v128') i++;
        continue;
      }
      this.instruction(next, slots, depth);
      if (immediate === 'block') depth++;
      if (name === 'end') depth--;
      if (immediate === 'block' || immediate === 'label') this.meetings++;
    }
  }

  private instruction(
    { instruction: { name, immediate }, operands, from, to }: InstructionWithOperands,
    slots: readonly number[],
    depth: number
  ): void {
    assert(!FOREIGN.has(immediate), `inlines: ${name} would need the memory, table or globals of the module`);
    const operand = Number(operands[0]);
    if (immediate === 'local')
      this.local(name === 'local.get' ? GET : name === 'local.set' ? SET : TEE, slots[operand]!);
    else if (immediate === 'function') this.call(operand);
    else if (name === 'return') {
      assert(depth < 0x80, 'inlines: a return out of more than 127 constructs');
      this.bytes([BRANCH, depth]);
    } else {
      assert(immediate !== 'block' || operand < 0, 'inlines: a block with parameters or more than one result');
      this.copied(to - from);
      this.code.part(this.source.bytes, from, to);
    }
  }

  private call(index: number): void {
    assert(++this.calls <= MAX_CALLS, 'inlines: functions call each other in a circle');
    const params = this.source.types[index]!.params.map((type) => this.slot(type));
    for (const slot of params.toReversed()) this.local(SET, slot);
    this.inline(index, params);
    this.calls--;
  }

  /**
   * Index of the constant that an instruction, alone or with the next one, leaves on the stack; null if it does not.
   */
  private constantAt(
    { instruction: { name, immediate }, operands }: InstructionWithOperands,
    next: InstructionWithOperands | undefined
  ): number | null {
    if (immediate === 'v128') return this.constant(operands as Words);
    // Binaryen converts a splat of a constant to v128.const, so this pattern only occurs for table entries (splatFrom).
    if (name !== 'i32.const' || next?.instruction.name !== 'v128.load32_splat') return null;
    const word = this.wordAt(Number(operands[0]) + Number(next.operands[1]));
    return this.constant([word, word, word, word]);
  }

  /** A word of the module's read-only data. */
  private wordAt(address: number): number {
    for (const { offset, bytes } of this.source.module.data) {
      const start =
        offset?.length === 1 && offset[0]!.instruction.name === 'i32.const' ? Number(offset[0]!.operands[0]) : Infinity;
      if (address >= start && address + 4 <= start + bytes.length)
        return new DataView(bytes.buffer, bytes.byteOffset).getUint32(address - start, true);
    }
    return unreachable(`inlines: a load from ${address}, where no table lies`);
  }

  private constant(words: Words): number {
    const key = words.join();
    const known = this.constants.get(key);
    if (known !== undefined) return known.index;
    const index = this.constants.size;
    this.constants.set(key, { index, words });
    return index;
  }

  // The instructions rely on locals that start as zero.
  private zero(slot: number): void {
    this.bytes(ZEROS[this.slots[slot]!]);
    this.local(SET, slot);
  }

  private local(what: number, slot: number): void {
    this.step(what, slot);
    this.count++;
  }

  /** Appends one instruction. */
  private bytes(bytes: readonly number[]): void {
    this.copied(bytes.length);
    for (const byte of bytes) this.code.byte(byte);
  }

  /** Records an instruction of `length` bytes. */
  private copied(length: number): void {
    const last = this.steps.length - 2;
    if (this.steps[last] === BYTES) this.steps[last + 1]! += length;
    else this.step(BYTES, length);
    this.count++;
  }

  private step(what: number, operand: number): void {
    this.steps.push(what, operand);
  }
}

/** Whether a `return`, or a branch to the function's own label, ends it before its last instruction. */
function leavesEarly(body: readonly InstructionWithOperands[]): boolean {
  let depth = 0;
  return body.some(({ instruction: { name, immediate }, operands }) => {
    if (immediate === 'block') depth++;
    if (name === 'end') depth--;
    return (
      name === 'return'
      || ((immediate === 'label' || immediate === 'labels') && operands.some((label) => Number(label) >= depth))
    );
  });
}

/**
 * Locals, except parameters, that may be read before they are written. A write counts only until the end of its
 * construct, so the result may contain too many locals but never too few.
 */
function readBeforeWritten(body: readonly InstructionWithOperands[], params: number): ReadonlySet<number> {
  const found = new Set<number>();
  /** By local: nesting depth of the outermost write in the constructs around the current point. */
  const depths: number[] = [];
  let depth = 0;
  for (let i = 0; i < body.length; i++) {
    const {
      instruction: { name, immediate },
      operands,
    } = body[i]!;
    if (name === 'end' || name === 'else') {
      depth--;
      for (let k = params; k < depths.length; k++) if (depths[k]! > depth) depths[k] = Infinity;
    }
    if (immediate === 'block' || name === 'else') depth++;
    const local = Number(operands[0]);
    if (immediate !== 'local' || local < params) continue;
    const known = depths[local] ?? Infinity;
    if (name !== 'local.get') depths[local] = Math.min(known, depth);
    else if (known === Infinity) found.add(local);
  }
  return found;
}
