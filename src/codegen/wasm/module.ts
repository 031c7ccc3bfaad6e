// Decodes a complete WebAssembly module: every section, and functions instruction by instruction with their operands.
// Throws an error if the bytes are not a module. (WebAssembly Core Specification 2.0, § 5.)

import { Cursor, hex, WasmFormatError, type ValueType } from './cursor';
import { instructionCoded, type Immediate, type WasmInstruction } from './opcodes';

export interface Signature {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}
/** In pages or elements; `max` null means no limit. */
export interface Limits {
  readonly min: number;
  readonly max: number | null;
  readonly shared: boolean;
}
export interface TableType {
  readonly element: ValueType;
  readonly limits: Limits;
}
export interface GlobalType {
  readonly type: ValueType;
  readonly mutable: boolean;
}
type ExternalKind = 'func' | 'table' | 'memory' | 'global';
const EXTERNAL_KINDS: readonly ExternalKind[] = ['func', 'table', 'memory', 'global'];

interface ImportName {
  readonly module: string;
  readonly name: string;
}
type WasmImport = ImportName
  & (
    | { readonly kind: 'func'; /** Index into the types. */ readonly type: number }
    | { readonly kind: 'table'; readonly table: TableType }
    | { readonly kind: 'memory'; readonly limits: Limits }
    | { readonly kind: 'global'; readonly global: GlobalType }
  );

/** An instruction and its operands. */
export interface InstructionWithOperands {
  readonly instruction: WasmInstruction;
  /**
   * The operands by kind of instruction:
   *
   * - Block: its type as encoded (−64 without result, other negative numbers are value types, else a type index).
   * - Memory: log2 of the alignment, offset, and the lane.
   * - Constants: f32 as 32 bits, f64 and i64 as 64 bits, v128 as four words.
   * - Shuffle: sixteen lanes.
   * - Typed select: codes of the types.
   * - Others: indices.
   */
  readonly operands: readonly (number | bigint)[];
  /** Byte range in the module: the first byte, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

export interface WasmFunction {
  /** Index into the types. */
  readonly type: number;
  /** Runs of locals after the parameters. */
  readonly locals: readonly { readonly count: number; readonly type: ValueType }[];
  /** Without the final `end`. @throws WasmFormatError */
  readonly body: readonly InstructionWithOperands[];
}

export interface WasmModule {
  readonly types: readonly Signature[];
  readonly imports: readonly WasmImport[];
  /**
   * Defined functions. Their indices start after the imported ones. The same applies to tables, memories and globals.
   */
  readonly functions: readonly WasmFunction[];
  readonly tables: readonly TableType[];
  readonly memories: readonly Limits[];
  readonly globals: readonly { readonly global: GlobalType; readonly value: readonly InstructionWithOperands[] }[];
  readonly exports: readonly { readonly name: string; readonly kind: ExternalKind; readonly index: number }[];
  readonly start: number | null;
  /** Active segments of table 0. */
  readonly elements: readonly {
    readonly offset: readonly InstructionWithOperands[];
    readonly functions: readonly number[];
  }[];
  /** `offset` null: a passive segment. */
  readonly data: readonly { readonly offset: readonly InstructionWithOperands[] | null; readonly bytes: Uint8Array }[];
}

const SIMD_PREFIX = 0xfd;
const MISC_PREFIX = 0xfc;
const ATOMIC_PREFIX = 0xfe;

const NO_OPERANDS: readonly number[] = [];

function operandsOf(cursor: Cursor, immediate: Immediate): readonly (number | bigint)[] {
  switch (immediate) {
    case 'none':
      return NO_OPERANDS;
    case 'block':
      return [cursor.s33()];
    case 'label':
    case 'function':
    case 'local':
    case 'global':
      return [cursor.u32()];
    case 'labels':
      return [...cursor.list(() => cursor.u32()), cursor.u32()];
    case 'indirect':
    case 'memory':
      return [cursor.u32(), cursor.u32()];
    case 'memoryLane':
      return [cursor.u32(), cursor.u32(), cursor.byte()];
    case 'pages':
    case 'fill':
    case 'lane':
      return [cursor.byte()];
    case 'copy':
      return [cursor.byte(), cursor.byte()];
    case 'i32':
      return [cursor.s32()];
    case 'i64':
      return [cursor.s64()];
    case 'f32':
      return [cursor.bits32()];
    case 'f64':
      return [cursor.bits64()];
    case 'v128':
      return [cursor.bits32(), cursor.bits32(), cursor.bits32(), cursor.bits32()];
    case 'shuffle':
      return Array.from(cursor.take(16));
    case 'select':
      return cursor.list(() => cursor.byte());
  }
}

function decode(cursor: Cursor): InstructionWithOperands {
  const at = cursor.at;
  const first = cursor.byte();
  const prefixed = first === SIMD_PREFIX || first === MISC_PREFIX || first === ATOMIC_PREFIX;
  const number = prefixed ? cursor.u32() : first;
  const instruction = number > 0xff ? undefined : instructionCoded(prefixed ? (first << 8) + number : first);
  if (instruction === undefined)
    throw new WasmFormatError(
      `The instruction at byte ${at} of the WebAssembly, ${prefixed ? `${hex(first)} ${number}` : hex(first)}, `
        + 'is not in the table.'
    );
  const operands = operandsOf(cursor, instruction.immediate);
  return { instruction, operands, from: at, to: cursor.at };
}

/** Instructions up to the matching `end`. */
function expression(cursor: Cursor): InstructionWithOperands[] {
  const body: InstructionWithOperands[] = [];
  for (let depth = 0; ;) {
    const decoded = decode(cursor);
    const { name, immediate } = decoded.instruction;
    if (immediate === 'block') depth++;
    if (name === 'end' && depth-- === 0) return body;
    body.push(decoded);
  }
}

function limits(cursor: Cursor): Limits {
  const flags = cursor.byte();
  if (flags > 3)
    throw new WasmFormatError(
      `The limits at byte ${cursor.at - 1} of the WebAssembly are of an unknown kind, ${hex(flags)}.`
    );
  return { min: cursor.u32(), max: flags & 1 ? cursor.u32() : null, shared: (flags & 2) !== 0 };
}
const tableType = (cursor: Cursor): TableType => ({ element: cursor.valueType(), limits: limits(cursor) });
const globalType = (cursor: Cursor): GlobalType => ({ type: cursor.valueType(), mutable: cursor.byte() !== 0 });

function externalKind(cursor: Cursor): ExternalKind {
  const code = cursor.byte();
  const kind = EXTERNAL_KINDS[code];
  if (kind === undefined)
    throw new WasmFormatError(
      `Byte ${cursor.at - 1} of the WebAssembly, ${hex(code)}, is not a kind of import or export.`
    );
  return kind;
}

function signature(cursor: Cursor): Signature {
  const form = cursor.byte();
  if (form !== 0x60)
    throw new WasmFormatError(`Byte ${cursor.at - 1} of the WebAssembly, ${hex(form)}, is not a function type.`);
  return { params: cursor.list(() => cursor.valueType()), results: cursor.list(() => cursor.valueType()) };
}

function importOf(cursor: Cursor): WasmImport {
  const names = { module: cursor.name(), name: cursor.name() };
  const kind = externalKind(cursor);
  switch (kind) {
    case 'func':
      return { ...names, kind, type: cursor.u32() };
    case 'table':
      return { ...names, kind, table: tableType(cursor) };
    case 'memory':
      return { ...names, kind, limits: limits(cursor) };
    case 'global':
      return { ...names, kind, global: globalType(cursor) };
  }
}

/**
 * A function whose instructions are decoded on first access. Callers that need only a few functions do not wait for the
 * others.
 */
class LazyFunction implements WasmFunction {
  type = 0;
  private read: Pick<WasmFunction, 'locals' | 'body'> | null = null;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly from: number,
    private readonly to: number
  ) {}

  get locals(): WasmFunction['locals'] {
    return this.decoded.locals;
  }
  get body(): WasmFunction['body'] {
    return this.decoded.body;
  }

  private get decoded(): Pick<WasmFunction, 'locals' | 'body'> {
    if (this.read !== null) return this.read;
    const cursor = new Cursor(this.bytes, this.from, this.to);
    const locals = cursor.list(() => ({ count: cursor.u32(), type: cursor.valueType() }));
    const body = expression(cursor);
    if (!cursor.done)
      throw new WasmFormatError(`A function of the WebAssembly ends at byte ${cursor.at} instead of ${this.to}.`);
    return (this.read = { locals, body });
  }
}

function functionOf(cursor: Cursor, bytes: Uint8Array): LazyFunction {
  const size = cursor.u32();
  cursor.take(size);
  return new LazyFunction(bytes, cursor.at - size, cursor.at);
}

function elementsOf(cursor: Cursor): WasmModule['elements'][number] {
  const flags = cursor.u32();
  if (flags !== 0)
    throw new WasmFormatError(
      `The elements at byte ${cursor.at - 1} of the WebAssembly are of an unsupported kind, ${flags}.`
    );
  return { offset: expression(cursor), functions: cursor.list(() => cursor.u32()) };
}

function dataOf(cursor: Cursor): WasmModule['data'][number] {
  const flags = cursor.u32();
  if (flags > 1)
    throw new WasmFormatError(
      `The data at byte ${cursor.at - 1} of the WebAssembly are of an unsupported kind, ${flags}.`
    );
  return { offset: flags === 0 ? expression(cursor) : null, bytes: cursor.take(cursor.u32()) };
}

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/**
 * Decodes a module without validating it. Skips custom sections. The instructions of a function are decoded on access
 * and may throw then.
 * @throws WasmFormatError
 */
export function decodeModule(bytes: Uint8Array): WasmModule {
  if (!HEADER.every((byte, at) => bytes[at] === byte))
    throw new WasmFormatError('These bytes are not a WebAssembly module.');
  const file = new Cursor(bytes, HEADER.length, bytes.length);
  const found: { -readonly [K in keyof WasmModule]: WasmModule[K] } = {
    types: [],
    imports: [],
    functions: [],
    tables: [],
    memories: [],
    globals: [],
    exports: [],
    start: null,
    elements: [],
    data: [],
  };
  let typesOfFunctions: readonly number[] = [];
  let functions: readonly LazyFunction[] = [];
  const sections: Readonly<Record<number, (cursor: Cursor) => void>> = {
    1: (c) => {
      found.types = c.list(() => signature(c));
    },
    2: (c) => {
      found.imports = c.list(() => importOf(c));
    },
    3: (c) => {
      typesOfFunctions = c.list(() => c.u32());
    },
    4: (c) => {
      found.tables = c.list(() => tableType(c));
    },
    5: (c) => {
      found.memories = c.list(() => limits(c));
    },
    6: (c) => {
      found.globals = c.list(() => ({ global: globalType(c), value: expression(c) }));
    },
    7: (c) => {
      found.exports = c.list(() => ({ name: c.name(), kind: externalKind(c), index: c.u32() }));
    },
    8: (c) => {
      found.start = c.u32();
    },
    9: (c) => {
      found.elements = c.list(() => elementsOf(c));
    },
    10: (c) => {
      functions = c.list(() => functionOf(c, bytes));
    },
    11: (c) => {
      found.data = c.list(() => dataOf(c));
    },
    // The number of data segments, for single-pass validators.
    12: (c) => {
      c.u32();
    },
  };
  while (!file.done) {
    const id = file.byte();
    const size = file.u32();
    const start = file.at;
    file.take(size);
    if (id === 0) continue;
    const read = sections[id];
    if (read === undefined)
      throw new WasmFormatError(`The section at byte ${start} of the WebAssembly has an unknown kind, ${id}.`);
    const cursor = new Cursor(bytes, start, file.at);
    read(cursor);
    if (!cursor.done)
      throw new WasmFormatError(`Section ${id} of the WebAssembly ends at byte ${cursor.at} instead of ${file.at}.`);
  }
  if (functions.length !== typesOfFunctions.length)
    throw new WasmFormatError(
      `The WebAssembly declares ${typesOfFunctions.length} functions but contains ${functions.length}.`
    );
  functions.forEach((one, k) => {
    one.type = typesOfFunctions[k]!;
  });
  found.functions = functions;
  return found;
}

/** The type of each function, imported ones first. */
export function functionTypes(module: WasmModule): Signature[] {
  const indices = [
    ...module.imports.flatMap((one) => (one.kind === 'func' ? [one.type] : [])),
    ...module.functions.map(({ type }) => type),
  ];
  return indices.map((index) => {
    const type = module.types[index];
    if (type === undefined)
      throw new WasmFormatError(`The WebAssembly refers to type ${index}, but has only ${module.types.length} types.`);
    return type;
  });
}

/** The name of each function, imported ones first: its export name, its import name, or its index. */
export function functionNames(module: WasmModule): string[] {
  const imported = module.imports.flatMap((one) => (one.kind === 'func' ? [`${one.module}.${one.name}`] : []));
  const names = [...imported, ...module.functions.map((_, k) => `f${imported.length + k}`)];
  const exported = new Set<number>();
  for (const { kind, name, index } of module.exports) {
    if (kind !== 'func' || exported.has(index) || index >= names.length) continue;
    exported.add(index);
    names[index] = name;
  }
  return names;
}
