// Prints WebAssembly modules as text (flat form, indented by blocks) and counts the instructions of each kind in their
// functions. For tests, for debugging and for `rasterloom shader`. (WebAssembly Core Specification 2.0, § 6.)

import { valueTypeOf, WasmFormatError } from './cursor';
import { SIMD, type WasmInstruction } from './opcodes';
import {
  functionNames,
  functionTypes,
  decodeModule,
  type InstructionWithOperands,
  type Signature,
  type GlobalType,
  type Limits,
  type TableType,
  type WasmModule,
} from './module';

/**
 * Kinds of instructions. `locals` are reads and writes of locals and globals. `scalar` is arithmetic without SIMD,
 * including `select` and `drop`.
 */
type InstructionGroup = 'simd' | 'scalar' | 'memory' | 'constants' | 'locals' | 'control' | 'calls';
export interface InstructionCounts {
  /** All instructions, including `block`, `else` and `end` but without the function's final `end`. */
  readonly total: number;
  readonly byGroup: Readonly<Record<InstructionGroup, number>>;
}

const CONTROL = /^(unreachable|nop|block|loop|if|else|end|br|br_if|br_table|return)$/;

function groupOf({ name, code, immediate }: WasmInstruction): InstructionGroup {
  switch (immediate) {
    case 'function':
    case 'indirect':
      return 'calls';
    case 'local':
    case 'global':
      return 'locals';
    case 'memory':
    case 'memoryLane':
    case 'pages':
    case 'copy':
    case 'fill':
      return 'memory';
    case 'i32':
    case 'i64':
    case 'f32':
    case 'f64':
    case 'v128':
      return 'constants';
    default:
      return CONTROL.test(name) ? 'control' : code >= SIMD ? 'simd' : 'scalar';
  }
}

/** Instruction counts of each function that the module defines, by its name in the text. @throws WasmFormatError */
export function countInstructions(bytes: Uint8Array): Record<string, InstructionCounts> {
  const module = decodeModule(bytes);
  const names = functionNames(module);
  const first = names.length - module.functions.length;
  return Object.fromEntries(
    module.functions.map(({ body }, k) => {
      const byGroup: Record<InstructionGroup, number> = {
        simd: 0,
        scalar: 0,
        memory: 0,
        constants: 0,
        locals: 0,
        control: 0,
        calls: 0,
      };
      for (const { instruction } of body) byGroup[groupOf(instruction)]++;
      return [names[first + k]!, { total: body.length, byGroup }];
    })
  );
}

const scratch = new DataView(new ArrayBuffer(8));

function f32Text(bits: number): string {
  scratch.setUint32(0, bits);
  const value = scratch.getFloat32(0);
  const sign = bits >>> 31 ? '-' : '';
  if (Number.isNaN(value)) return `${sign}nan:0x${(bits & 0x7fffff).toString(16)}`;
  if (!Number.isFinite(value)) return `${sign}inf`;
  if (value === 0) return `${sign}0`;
  // The shortest decimal text that parses to the same float.
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(value);
}

function f64Text(bits: bigint): string {
  scratch.setBigUint64(0, bits);
  const value = scratch.getFloat64(0);
  const sign = bits >> 63n ? '-' : '';
  if (Number.isNaN(value)) return `${sign}nan:0x${(bits & 0xfffffffffffffn).toString(16)}`;
  if (!Number.isFinite(value)) return `${sign}inf`;
  return value === 0 ? `${sign}0` : String(value);
}

/** Number of bytes that a load or store accesses. The text format assumes this as the alignment if none is given. */
function naturalAlignment(name: string): number {
  const size = /(?:load|store)(\d+)(x\d+)?/.exec(name);
  // i32.load and v128.store access the whole type.
  if (size === null) return Number(/\d+/.exec(name)![0]) / 8;
  return size[2] === undefined ? Number(size[1]) / 8 : 8;
}

function memoryText(name: string, [alignment, offset, lane]: readonly (number | bigint)[]): string {
  const bytes = 2 ** Number(alignment);
  return [
    name,
    ...(Number(offset) === 0 ? [] : [`offset=${offset}`]),
    ...(bytes === naturalAlignment(name) ? [] : [`align=${bytes}`]),
    ...(lane === undefined ? [] : [String(lane)]),
  ].join(' ');
}

const words = (values: readonly (number | bigint)[]): string =>
  values.map((word) => `0x${word.toString(16).padStart(8, '0')}`).join(' ');
const typed = (keyword: string, types: readonly string[]): string =>
  types.length === 0 ? '' : ` (${keyword} ${types.join(' ')})`;
const signature = ({ params, results }: Signature): string => typed('param', params) + typed('result', results);
const limitsText = ({ min, max, shared }: Limits): string =>
  `${min}${max === null ? '' : ` ${max}`}${shared ? ' shared' : ''}`;
const tableText = ({ limits, element }: TableType): string => `${limitsText(limits)} ${element}`;
const globalText = ({ type, mutable }: GlobalType): string => (mutable ? `(mut ${type})` : type);

/** Quoted text; every byte that is not printable ASCII is escaped. */
function quoted(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes)
    text +=
      byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\${byte.toString(16).padStart(2, '0')}`;
  return `"${text}"`;
}
const quotedName = (name: string): string => quoted(new TextEncoder().encode(name));

/** Converts names to unique identifiers of the text format. */
function identifiers(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const named = `$${name.replace(/[^A-Za-z0-9!#$%&'*+\-./:<=>?@\\^_`|~]/g, '_')}`;
    let id = named;
    for (let k = 2; taken.has(id); k++) id = `${named}.${k}`;
    taken.add(id);
    return id;
  });
}

class Printer {
  private readonly lines: string[] = [];
  private readonly types: readonly Signature[];
  private readonly functions: readonly string[];

  constructor(private readonly module: WasmModule) {
    this.types = functionTypes(module);
    this.functions = identifiers(functionNames(module));
  }

  text(): string {
    const { module } = this;
    this.lines.push('(module');
    module.types.forEach((type, k) => this.item(`(type $t${k} (func${signature(type)}))`));
    this.imports();
    module.tables.forEach((table) => this.item(`(table ${tableText(table)})`));
    module.memories.forEach((memory) => this.item(`(memory ${limitsText(memory)})`));
    module.globals.forEach(({ global, value }) => this.item(`(global ${globalText(global)} ${this.constant(value)})`));
    for (const { name, kind, index } of module.exports)
      this.item(`(export ${quotedName(name)} (${kind} ${kind === 'func' ? this.functionId(index) : index}))`);
    if (module.start !== null) this.item(`(start ${this.functionId(module.start)})`);
    for (const { offset, functions } of module.elements)
      this.item(`(elem ${this.constant(offset)}${functions.map((index) => ` ${this.functionId(index)}`).join('')})`);
    module.functions.forEach((_, k) => this.function(k));
    for (const { offset, bytes } of module.data)
      this.item(`(data ${offset === null ? '' : `${this.constant(offset)} `}${quoted(bytes)})`);
    this.lines.push(')');
    return this.lines.join('\n');
  }

  private item(text: string): void {
    this.lines.push(`  ${text}`);
  }

  private functionId(index: number): string {
    const id = this.functions[index];
    if (id === undefined)
      throw new WasmFormatError(
        `The WebAssembly refers to function ${index}, but has only ${this.functions.length} functions.`
      );
    return id;
  }

  private imports(): void {
    let functions = 0;
    for (const one of this.module.imports) {
      const from = `(import ${quotedName(one.module)} ${quotedName(one.name)}`;
      switch (one.kind) {
        case 'func':
          this.item(`${from} (func ${this.functionId(functions++)} (type $t${one.type})))`);
          break;
        case 'table':
          this.item(`${from} (table ${tableText(one.table)}))`);
          break;
        case 'memory':
          this.item(`${from} (memory ${limitsText(one.limits)}))`);
          break;
        case 'global':
          this.item(`${from} (global ${globalText(one.global)}))`);
          break;
      }
    }
  }

  /** A constant expression in folded form. */
  private constant(body: readonly InstructionWithOperands[]): string {
    return body.map((decoded) => `(${this.instruction(decoded, [])})`).join(' ');
  }

  private function(k: number): void {
    const { body, locals, type } = this.module.functions[k]!;
    const index = this.functions.length - this.module.functions.length + k;
    this.item(`(func ${this.functionId(index)} (type $t${type})${signature(this.types[index]!)}`);
    let local = this.types[index]!.params.length;
    for (const run of locals) {
      this.item(
        `  (local${` ${run.type}`.repeat(run.count)}) ;; `
          + `${local}${run.count === 1 ? '' : ` … ${local + run.count - 1}`}`
      );
      local += run.count;
    }
    this.body(body);
    this.item(')');
  }

  private body(body: readonly InstructionWithOperands[]): void {
    /** Labels of the open blocks, the innermost last. */
    const open: string[] = [];
    let labels = 0;
    for (const decoded of body) {
      const { name, immediate } = decoded.instruction;
      if (name === 'end') open.pop();
      const indent = '  '.repeat(open.length + (name === 'else' ? 0 : 1));
      if (immediate === 'block') open.push(`$${name}${labels++}`);
      this.item(indent + this.instruction(decoded, open));
    }
  }

  private label(depth: number | bigint, open: readonly string[]): string {
    // A depth beyond all blocks is the function itself, which has no label.
    return open[open.length - 1 - Number(depth)] ?? String(depth);
  }

  private instruction(
    { instruction: { name, immediate }, operands }: InstructionWithOperands,
    open: readonly string[]
  ): string {
    const [first, second] = operands;
    switch (immediate) {
      case 'none':
        return name;
      case 'block':
        return `${name} ${open[open.length - 1]}${this.blockType(Number(first))}`;
      case 'label':
        return `${name} ${this.label(first!, open)}`;
      case 'labels':
        return `${name} ${operands.map((depth) => this.label(depth, open)).join(' ')}`;
      case 'function':
        return `${name} ${this.functionId(Number(first))}`;
      case 'indirect':
        return `${name}${second === 0 ? '' : ` ${second}`} (type $t${first})`;
      case 'memory':
      case 'memoryLane':
        return memoryText(name, operands);
      case 'pages':
      case 'copy':
      case 'fill':
        return name;
      case 'f32':
        return `${name} ${f32Text(Number(first))}`;
      case 'f64':
        return `${name} ${f64Text(BigInt(first!))}`;
      case 'v128':
        return `${name} i32x4 ${words(operands)}`;
      case 'select':
        return `select${typed(
          'result',
          operands.map((code) => valueTypeOf(Number(code)))
        )}`;
      default:
        return `${name} ${operands.join(' ')}`;
    }
  }

  private blockType(code: number): string {
    if (code === -64) return '';
    return code < 0 ? typed('result', [valueTypeOf(code)]) : ` (type $t${code})`;
  }
}

/**
 * The text of a module: types, imports, exports, and functions with every instruction. Exported functions are called by
 * their export names, and others `$f` with their index. Blocks have labels; locals and globals are numbers.
 * @throws WasmFormatError
 */
export function printModule(bytes: Uint8Array): string {
  return new Printer(decodeModule(bytes)).text();
}
