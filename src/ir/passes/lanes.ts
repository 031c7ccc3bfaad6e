// Finds how a program's integers progress from lane to lane of a quad, and their ranges. Code generators use this to
// recognise the address patterns of buffer and workgroup memory accesses.
//
// Both properties must also hold in inactive lanes: a code generator that reads four words at the first lane's address
// must not meet stale values there. They therefore follow from inputs, which all lanes have, and from variables on
// which lanes agree, which are set for all lanes. Nothing is known about other variables.

import { opInfo } from '../ops';
import type { Block, If, Instruction, IrInput, IrNode, IrProgram, Loop, ValueId } from '../program';
import { countNodes, forEachInstruction } from '../walk';
import { invocationsOf } from '../workgroups';
import { either, KnownRanges, Meeting } from './known-ranges';
import { ANY, isSame, joined, MIRRORED, narrowed, only, OPPOSITES, rangeOf, type Range } from './ranges';
import type { QuadUniform } from './quad-uniform';

export interface Lanes {
  /** Difference between adjacent lanes, modulo 2³²: 0 if all lanes are equal, undefined if unknown. */
  stepOf(id: ValueId): number | undefined;
  rangeOf(id: ValueId): Range;
  /** Whether the value is a minimum of two that always equals the first operand. */
  isFirst(id: ValueId): boolean;
}

const NOTHING: Lanes = { stepOf: () => undefined, rangeOf: () => ANY, isFirst: () => false };

/** Larger programs are not analysed, nor are those with deeply nested loops that would need too many visits. */
const MAX_NODES = 4000;
const MAX_VISITS = 100_000;
/** Iterations over a loop after which bounds that still grow are given up. */
const MAX_ROUNDS = 12;
const WARP_LANES = 64;

export function findLanes(program: IrProgram, quadUniform: QuadUniform): Lanes {
  if (countNodes(program.body) > MAX_NODES || (program.kind !== 'compute' && !findsWords(program))) return NOTHING;
  const walk = new Walk(program, quadUniform);
  walk.list(program.body);
  return walk.isSettled ? walk : NOTHING;
}

/** Whether a program accesses words of buffers at computed offsets. */
function findsWords({ body }: IrProgram): boolean {
  const constants = new Set<ValueId>();
  let found = false;
  forEachInstruction(body, ({ op, args, results }) => {
    if (op === 'const') constants.add(results[0]!);
    else if (op === 'buffer.load' || op.startsWith('storage.')) found ||= !constants.has(args[0]!);
  });
  return found;
}

const ZERO = only(0);

class Walk implements Lanes {
  private readonly definitions = new Map<ValueId, Instruction>();
  private readonly steps = new Map<ValueId, number>();
  private readonly ranges = new Map<ValueId, Range>();
  /** For values with a known step: the number of low bits that are 0 in the first lane. */
  private readonly zeros = new Map<ValueId, number>();
  private readonly firsts = new Set<ValueId>();
  private readonly ends = new Map<number, Meeting>();
  /**
   * Ranges at the current point: first of variables, then of values that are known more narrowly than by their
   * definition.
   */
  private readonly known: KnownRanges;
  private visits = 0;
  /** Number of visits of compound conditions. */
  private joint = 0;
  /** Constants of the program. A bound that grows is first widened to the next of these. */
  private readonly stops: readonly number[];

  constructor(
    private readonly program: IrProgram,
    private readonly quadUniform: QuadUniform
  ) {
    const {
      variables: { length },
      values,
    } = program;
    this.known = new KnownRanges(length + values.length, length, ZERO);
    const stops = new Set<number>();
    forEachInstruction(program.body, (instruction) => {
      for (const id of instruction.results) this.definitions.set(id, instruction);
      if (instruction.op === 'const') stops.add(instruction.imm >>> 0);
    });
    this.stops = [...stops].sort((a, b) => a - b);
  }

  get isSettled(): boolean {
    return this.visits < MAX_VISITS && this.joint < MAX_VISITS;
  }

  stepOf(id: ValueId): number | undefined {
    return this.quadUniform.values.has(id) ? 0 : this.steps.get(id);
  }

  rangeOf(id: ValueId): Range {
    return this.ranges.get(id) ?? ANY;
  }
  isFirst(id: ValueId): boolean {
    return this.firsts.has(id);
  }

  /** Whether control reaches the end of a list. */
  list(nodes: readonly IrNode[]): boolean {
    for (const node of nodes) {
      if (++this.visits >= MAX_VISITS) return false;
      switch (node.kind) {
        case 'op':
          this.instruction(node);
          break;
        case 'leave':
          this.ends.get(node.label)!.add();
          return false;
        default:
          if (!this.construct(node)) return false;
      }
    }
    return true;
  }

  private construct(node: If | Block | Loop): boolean {
    const end = new Meeting(this.known);
    if (node.kind === 'if') {
      const { mark } = this.known;
      if (this.narrow(node.condition, true) && this.list(node.then)) end.add();
      this.known.goBack(mark);
      if (this.narrow(node.condition, false) && this.list(node.otherwise)) end.add();
    } else {
      this.ends.set(node.label, end);
      if (node.kind === 'loop') this.rounds(node);
      else if (this.list(node.body)) end.add();
    }
    return end.finish();
  }

  /** Records what follows from a condition; false if the condition cannot have this value. */
  private narrow(condition: ValueId, holds: boolean): boolean {
    const { op, args } = this.definitions.get(condition)!;
    if (op === 'bool.not') return this.narrow(args[0]!, !holds);
    if ((op === 'bool.and' && holds) || (op === 'bool.or' && !holds))
      // Conditions with shared operands are walked as trees, whose size may double at each level.
      return ++this.joint < MAX_VISITS && args.every((id) => this.narrow(id, holds));
    const compared = holds ? op : OPPOSITES[op];
    const mirrored = compared && MIRRORED[compared];
    if (compared === undefined || mirrored === undefined) return true;
    const [a, b] = args.map((id) => this.at(id)) as [Range, Range];
    return this.learn(args[0]!, narrowed(compared, a, b)) && this.learn(args[1]!, narrowed(mirrored, b, a));
  }

  /** Applies only to values on which lanes agree. For others the condition holds in active lanes alone. */
  private learn(id: ValueId, range: Range | null): boolean {
    if (!this.quadUniform.values.has(id)) return true;
    if (range === null) return false;
    this.known.set(this.slotOf(id), range);
    return true;
  }

  private rounds({ body }: Loop): void {
    for (let round = 0; ; round++) {
      const { mark } = this.known;
      if (!this.list(body)) return;
      const grown = this.grown(mark, round);
      if (grown.size === 0) return;
      this.known.goBack(mark);
      for (const [slot, range] of grown) this.known.set(slot, range);
    }
  }

  /** Ranges that grow at a loop's start (at `mark`) if an iteration ends in the current state. */
  private grown(mark: number, round: number): Map<number, Range | undefined> {
    const grown = new Map<number, Range | undefined>();
    this.known.forEachChange(mark, (slot, before, now) => {
      if (before === undefined) return;
      const range = either(before, now);
      if (range !== undefined && isSame(before, range)) return;
      // Values are not tracked from one iteration to the next.
      if (range === undefined || slot >= this.program.variables.length) grown.set(slot, undefined);
      else grown.set(slot, round < MAX_ROUNDS ? this.widened(before, range) : ANY);
    });
    return grown;
  }

  private widened(before: Range, { minimum: least, maximum: most }: Range): Range {
    return {
      minimum: least < before.minimum ? (this.stops.findLast((stop) => stop <= least) ?? 0) : least,
      maximum: most > before.maximum ? (this.stops.find((stop) => stop >= most) ?? ANY.maximum) : most,
    };
  }

  private slotOf(id: ValueId): number {
    return this.program.variables.length + id;
  }
  private at(id: ValueId): Range {
    return this.known.get(this.slotOf(id)) ?? this.rangeOf(id);
  }

  private instruction(instruction: Instruction): void {
    const { op, args, results, imm } = instruction;
    if (op === 'var.set') {
      if (this.quadUniform.variables.has(imm)) this.known.set(imm, this.at(args[0]!));
      return;
    }
    const result = results[0];
    if (result === undefined) return;
    if (op === 'var.get') {
      if (this.quadUniform.variables.has(imm)) this.ranges.set(result, this.known.get(imm)!);
    } else if (op === 'const') {
      this.ranges.set(result, only(imm));
    } else if (op === 'input') {
      this.input(result, this.program.inputs[imm]!);
    } else if (op === 'lanes.index') {
      this.ranges.set(result, { minimum: 0, maximum: 3 });
      this.steps.set(result, 1);
      this.zeros.set(result, 2);
    } else if (op === 'lanes.ballot') {
      this.ranges.set(result, { minimum: 0, maximum: 15 });
    } else if (opInfo(op).pure) {
      this.ranges.set(result, this.computed(instruction));
      this.steps.delete(result);
      this.step(instruction, result);
    }
  }

  private input(id: ValueId, input: IrInput): void {
    if (input.kind !== 'builtin' || this.program.kind !== 'compute') return;
    const {
      program,
      program: { workgroupSize },
    } = this;
    const invocations = invocationsOf(program);
    // A quad contains several workgroups if they are smaller.
    const isWhole = invocations > 2;
    const [x, y] = workgroupSize!;
    // Lanes after the last invocation of a workgroup continue to count.
    const lanes = WARP_LANES * Math.ceil(invocations / WARP_LANES);
    if (input.builtin === 'local_invocation_index') {
      this.ranges.set(id, { minimum: 0, maximum: lanes - 1 });
      if (isWhole) this.climbs(id);
    } else if (input.builtin === 'local_invocation_id' || input.builtin === 'global_invocation_id') {
      const { component } = input;
      const most = [x - 1, y - 1, Math.floor((lanes - 1) / x / y)][component]!;
      if (input.builtin === 'local_invocation_id') this.ranges.set(id, { minimum: 0, maximum: most });
      // Rows consist of whole quads, along the first axis with more than one invocation.
      const along = x > 1 ? 0 : y > 1 ? 1 : 2;
      if (component === along && workgroupSize![along]! % 4 === 0) this.climbs(id);
    } else if (input.builtin === 'part') {
      this.ranges.set(id, { minimum: 0, maximum: Math.max(program.parts ?? 1, 1) - 1 });
    }
  }

  /** Records a value that increases by one per lane, starting at a multiple of four. */
  private climbs(id: ValueId): void {
    this.steps.set(id, 1);
    this.zeros.set(id, 2);
  }

  private computed({ op, args, results }: Instruction): Range {
    const [a, b, c] = args.map((id) => this.at(id));
    if (op === 'int.cast') return a!;
    if (op === 'select') return joined(b!, c!);
    if (op === 'int.fromBool') return { minimum: 0, maximum: 1 };
    if (op === 'u32.min') {
      // Loop bodies are analysed repeatedly. The last pass, which has the widest ranges, decides.
      if (a!.maximum <= b!.minimum) this.firsts.add(results[0]!);
      else this.firsts.delete(results[0]!);
    }
    return args.length === 2 ? rangeOf(op, a!, b!) : ANY;
  }

  private step({ op, args }: Instruction, result: ValueId): void {
    const [a, b] = args.map((id) => this.stepOf(id)) as [number | undefined, number | undefined];
    if (a === undefined) return;
    const zeros = this.zerosOf(args[0]!);
    if (op === 'int.cast') return this.note(result, a, zeros);
    if (op === 'int.neg') return this.note(result, -a, zeros);
    if (b === undefined) return;
    const constant = this.constant(args[1]!);
    const others = this.zerosOf(args[1]!);
    switch (op) {
      case 'int.add':
        return this.note(result, a + b, Math.min(zeros, others));
      case 'int.sub':
        return this.note(result, a - b, Math.min(zeros, others));
      case 'int.mul': {
        const factor = constant ?? this.constant(args[0]!);
        if (factor !== undefined) this.note(result, Math.imul(constant === undefined ? b : a, factor), zeros + others);
        return;
      }
      case 'int.shl':
        if (constant !== undefined) this.note(result, a << constant, zeros + (constant & 31));
        return;
      case 'u32.shr': {
        // Shifting equal values gives equal steps. With a constant shift, the low bits are shifted out, and these are
        // the only bits in which the lanes differ.
        const shift = (constant ?? 0) & 31;
        if (b !== 0 || a < 0 || 3 * a >= 2 ** Math.min(zeros, shift)) return;
        return this.note(result, 0, constant === undefined ? 0 : Math.max(zeros - shift, 0));
      }
      case 'int.and': {
        if (constant === undefined) return;
        // The mask keeps all bits that the value can have.
        if ((constant & (constant + 1)) === 0 && this.at(args[0]!).maximum <= constant >>> 0)
          return this.note(result, a, zeros);
        // The lanes differ only in low bits that do not carry.
        if (a < 0 || 3 * a >= 2 ** zeros) return;
        const low = 2 ** zeros - 1;
        const kept = (constant & low) >>> 0;
        if (kept === low) this.note(result, a, zeros);
        else if (kept === 0) this.note(result, 0, zeros);
        return;
      }
      case 'u32.rem':
      case 'u32.min': {
        const [left, right] = args.map((id) => this.at(id)) as [Range, Range];
        if (left.maximum <= right.minimum - (op === 'u32.rem' ? 1 : 0)) this.note(result, a, zeros);
        else if (op === 'u32.min' && right.maximum <= left.minimum) this.note(result, b, others);
      }
    }
  }

  private constant(id: ValueId): number | undefined {
    const { op, imm } = this.definitions.get(id)!;
    return op === 'const' ? imm : undefined;
  }

  private zerosOf(id: ValueId): number {
    const constant = this.constant(id);
    if (constant !== undefined) return constant === 0 ? 32 : 31 - Math.clz32(constant & -constant);
    return this.zeros.get(id) ?? 0;
  }

  private note(id: ValueId, step: number, zeros: number): void {
    this.steps.set(id, step | 0);
    this.zeros.set(id, Math.min(zeros, 32));
  }
}
