// Keeps integers on which all lanes agree as one word instead of four. Loop counters and addresses that all lanes read
// consist of such values. A comparison of two words can be used directly as a branch condition, whereas the result of a
// vector comparison must first be extracted. Quads that run together share the words. Lanes broadcast a word where they
// read it.

import type { Instruction, IrProgram, Lanes, OpName, ScalarType, QuadUniform, ValueId } from '../../ir';
import { bitsOf, type Control } from '../control';
import { i32, type I32, type Local } from '../wasm/expression';
import { codeOf } from '../wasm/opcodes';
import type { FunctionWriter } from '../wasm/writer';
import type { Needs } from './analysis/needs';

/** Operations that map directly to one instruction; bools are 0 or 1. */
const DIRECT: Readonly<Partial<Record<OpName, number>>> = Object.fromEntries(
  Object.entries({
    'int.add': 'add',
    'int.sub': 'sub',
    'int.mul': 'mul',
    'int.and': 'and',
    'int.or': 'or',
    'int.xor': 'xor',
    'int.shl': 'shl',
    'i32.shr': 'shr_s',
    'u32.shr': 'shr_u',
    'int.eq': 'eq',
    'int.ne': 'ne',
    'i32.lt': 'lt_s',
    'i32.le': 'le_s',
    'i32.gt': 'gt_s',
    'i32.ge': 'ge_s',
    'u32.lt': 'lt_u',
    'u32.le': 'le_u',
    'u32.gt': 'gt_u',
    'u32.ge': 'ge_u',
    'bool.and': 'and',
    'bool.or': 'or',
    'bool.eq': 'eq',
    'bool.ne': 'ne',
  }).map(([op, name]) => [op, codeOf(`i32.${name}`)])
);
/** The comparison for which the first operand is chosen. */
const CHOSEN: Readonly<Partial<Record<OpName, number>>> = {
  'u32.min': codeOf('i32.lt_u'),
  'u32.max': codeOf('i32.gt_u'),
  'i32.min': codeOf('i32.lt_s'),
  'i32.max': codeOf('i32.gt_s'),
};
const OTHERS: ReadonlySet<OpName> = new Set(['int.neg', 'int.not', 'bool.not', 'int.fromBool', 'var.get']);
const SELECT = codeOf('select');
const SPLAT = codeOf('i32x4.splat');
const SUB = codeOf('i32.sub');
const XOR = codeOf('i32.xor');
const IS_ZERO = codeOf('i32.eqz');
const INTEGERS: ReadonlySet<ScalarType> = new Set(['i32', 'u32', 'bool']);

const isWord = (op: OpName): boolean => op in DIRECT || op in CHOSEN || OTHERS.has(op);

export interface Scalars {
  /** By value: number of reads when `width` quads run together; 0 if the value is not a word. */
  readonly uses: Int32Array;
  readonly variables: ReadonlySet<number>;
}

interface Known {
  readonly program: IrProgram;
  readonly quadUniform: QuadUniform;
  readonly control: Control;
  readonly needs: Needs;
  /** By value: not negative if it is available without computation. */
  readonly given: Int32Array;
  readonly width: 1 | 2;
}

/** Candidates for words. */
interface Found {
  readonly values: Set<ValueId>;
  readonly variables: Set<number>;
}

/**
 * Maximum number of rounds of the analysis. If it still finds changes after that, no value of the program is kept as a
 * single word. More than one round is needed because variables may depend on each other.
 */
const MAX_ROUNDS = 16;

/** Repeats a step that only adds or only removes entries until nothing changes. Returns false after too many rounds. */
function reachesFixpoint({ values, variables }: Found, round: () => void): boolean {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const before = values.size + variables.size;
    round();
    if (values.size + variables.size === before) return true;
  }
  return false;
}

/** Decides which values become words: conditions, addresses, and values from which these are computed. */
export function findScalars(known: Known): Scalars {
  const possible = findPossible(known);
  const useful = possible && findUseful(known, possible);
  return useful
    ? { uses: countUses(known, useful), variables: useful.variables }
    : { uses: new Int32Array(known.control.roots.length), variables: new Set() };
}

/** Values on which all lanes agree and whose operands are words, except for one at most. */
function findPossible({ program, quadUniform, control, needs, given }: Known): Found | null {
  const { events, roots } = control;
  const values = new Set<ValueId>();
  const variables = new Set<number>();
  program.variables.forEach(({ type }, variable) => {
    if (quadUniform.variables.has(variable) && INTEGERS.has(type)) variables.add(variable);
  });
  const isGiven = (id: ValueId): boolean => given[roots[id]!]! >= 0 || bitsOf(control, id) !== undefined;
  const isKnown = (id: ValueId): boolean => isGiven(id) || values.has(roots[id]!);
  for (const event of events) {
    if (event.kind !== 'op' || needs.needed[event.position] === 0) continue;
    const {
      op,
      results: [result],
    } = event.instruction;
    if (isWord(op) && quadUniform.values.has(result!) && !isGiven(result!)) values.add(result!);
  }
  const found = { values, variables };
  return reachesFixpoint(found, () => {
    for (const event of events) {
      if (event.kind !== 'op') continue;
      const {
        op,
        args,
        results: [result],
        imm,
      } = event.instruction;
      if (op === 'var.set') {
        if (!isKnown(args[0]!)) variables.delete(imm);
      } else if (values.has(result!)) {
        const isOther = op === 'var.get' ? !variables.has(imm) : args.filter((id) => !isKnown(id)).length > 1;
        if (isOther) values.delete(result!);
      }
    }
  })
    ? found
    : null;
}

/** The subset that is read as a word. */
function findUseful({ control: { events, roots }, needs }: Known, possible: Found): Found | null {
  const values = new Set<ValueId>();
  const variables = new Set<number>();
  const found = { values, variables };
  const use = (id: ValueId): void => {
    if (possible.values.has(roots[id]!)) values.add(roots[id]!);
  };
  return reachesFixpoint(found, () => {
    for (let i = events.length - 1; i >= 0; i--) {
      const event = events[i]!;
      if (event.kind === 'if') use(event.condition);
      if (event.kind !== 'op' || needs.needed[i] === 0) continue;
      const {
        op,
        args,
        results: [result],
        imm,
      } = event.instruction;
      if (op === 'buffer.load' || op === 'storage.load') use(args[0]!);
      else if (op === 'var.set' ? variables.has(imm) : values.has(result!)) args.forEach(use);
      if (op !== 'var.get') continue;
      if (values.has(result!)) variables.add(imm);
      else if (variables.has(imm)) use(result!);
    }
  })
    ? found
    : null;
}

/** By value: number of reads. */
function countUses({ control: { events, roots }, needs, width }: Known, { values, variables }: Found): Int32Array {
  const uses = new Int32Array(roots.length);
  const count = (id: ValueId, times: number): void => {
    if (values.has(roots[id]!)) uses[roots[id]!]! += times;
  };
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!;
    if (event.kind !== 'op') count(event.condition, event.kind === 'if' && !event.divides ? 1 : width);
    else if (needs.needed[i] === 1) {
      const {
        op,
        args,
        results: [result],
        imm,
      } = event.instruction;
      const isOnce = op === 'var.set' ? variables.has(imm) : values.has(result!) && needs.inPlace[result!] === 0;
      // A value that is computed in place reads its operands at each of its uses.
      const times = isOnce ? 1 : values.has(result!) ? uses[result!]! : width;
      for (const id of args) count(id, times);
    }
  }
  return uses;
}

interface Kept {
  readonly local: Local<'i32'>;
  /** Number of loops around the point where it was computed. */
  readonly loops: number;
  /** Remaining uses. */
  left: number;
}

interface WordFacts {
  readonly scalars: Scalars;
  readonly program: IrProgram;
  readonly control: Control;
  readonly lanes: Lanes;
}

/** The quad that provides all other values. */
interface Reader {
  readonly loops: number;
  word(id: ValueId): I32;
}

/** The words of an iteration, which all its quads read. */
export class Words {
  private readonly locals = new Map<ValueId, Kept>();
  private readonly variables = new Map<number, Local<'i32'>>();

  private readonly scalars: Scalars;
  private readonly program: IrProgram;
  private readonly control: Control;
  private readonly lanes: Lanes;

  constructor(
    known: WordFacts,
    private readonly writer: FunctionWriter
  ) {
    ({ scalars: this.scalars, program: this.program, control: this.control, lanes: this.lanes } = known);
  }

  has(root: ValueId): boolean {
    return this.scalars.uses[root]! > 0;
  }
  /** Whether an instruction computes a word. */
  computes({ op, results: [result], imm }: Instruction): boolean {
    return op === 'var.set' ? this.isVariable(imm) : result !== undefined && this.has(result);
  }

  isVariable(index: number): boolean {
    return this.scalars.variables.has(index);
  }
  isKept(root: ValueId): boolean {
    return this.locals.has(root);
  }

  /** Variables are zero at the start. */
  clear(index: number): void {
    this.writer.set(this.variable(index), i32.constant(0));
  }

  private variable(index: number): Local<'i32'> {
    let local = this.variables.get(index);
    if (local === undefined) this.variables.set(index, (local = this.writer.persistentLocal('i32')));
    return local;
  }

  /** Computes and keeps a word, or sets a variable. */
  write(reader: Reader, instruction: Instruction): void {
    const {
      op,
      args,
      results: [result],
      imm,
    } = instruction;
    if (op === 'var.set') return this.writer.set(this.variable(imm), this.operand(reader, args[0]!));
    if (this.locals.has(result!)) return;
    const local = this.writer.local('i32');
    this.compute(reader, instruction);
    this.writer.keep(local);
    this.locals.set(result!, { local, loops: reader.loops, left: this.scalars.uses[result!]! });
  }

  /** Leaves a word on the stack; a bool as 0 or 1. */
  push(reader: Reader, root: ValueId): void {
    const kept = this.locals.get(root);
    if (kept === undefined) return this.compute(reader, this.control.definitions[root]!.instruction);
    this.writer.get(kept.local);
    // A value from before a loop is read again in the next iteration.
    if (--kept.left > 0 || kept.loops !== reader.loops) return;
    this.writer.release(kept.local);
    this.locals.delete(root);
  }

  /** Leaves the word in all lanes. */
  spread(reader: Reader, root: ValueId): void {
    const isBool = this.program.values[root] === 'bool';
    if (isBool) this.writer.i32(0);
    this.push(reader, root);
    if (isBool) this.writer.opcode(SUB);
    this.writer.opcode(SPLAT);
  }

  /** An operand of a word. Other bools use any nonzero value for true, so they are converted to 0 or 1. */
  private operand(reader: Reader, id: ValueId): I32 {
    const word = reader.word(id);
    return this.program.values[id] !== 'bool' || this.has(this.control.roots[id]!)
      ? word
      : i32.isZero(i32.isZero(word));
  }

  private compute(reader: Reader, { op, args, results: [result], imm }: Instruction): void {
    const { writer } = this;
    if (op === 'var.get') return writer.get(this.variable(imm));
    if (op === 'int.neg') writer.i32(0);
    const operands = args.map((id) => this.operand(reader, id));
    const chosen = CHOSEN[op];
    if (this.lanes.isFirst(result!)) return operands[0]!.write(writer);
    if (chosen !== undefined) return this.choose(operands[0]!, operands[1]!, chosen);
    for (const operand of operands) operand.write(writer);
    if (op === 'int.neg') writer.opcode(SUB);
    else if (op === 'bool.not') writer.opcode(IS_ZERO);
    else if (op === 'int.not') {
      writer.i32(-1);
      writer.opcode(XOR);
    } else if (op !== 'int.fromBool') writer.opcode(DIRECT[op]!);
  }

  private choose(first: I32, second: I32, comparison: number): void {
    const { writer } = this;
    const a = writer.kept('i32', first);
    const b = writer.kept('i32', second);
    for (const local of [a, b, a, b]) writer.get(local);
    writer.opcode(comparison);
    writer.opcode(SELECT);
    writer.release(a);
    writer.release(b);
  }
}
