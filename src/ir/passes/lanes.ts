// How a program's integers go from lane to lane of a quad, and between which bounds they are: what addresses of buffers
// and of workgroup memory look like.
//
// Both are said of what lanes hold, also of those that are off: whoever reads four words at the first lane's address
// must not meet what such a lane has left behind. So it follows from inputs, which all lanes have, and from variables
// on which lanes agree, which are set for all; of other variables nothing is known.

import { opInfo } from '../ops';
import type { Block, If, Instruction, IrInput, IrNode, IrProgram, Loop, ValueId } from '../program';
import { countNodes, forEachInstruction } from '../walk';
import { invocationsOf } from '../workgroups';
import { either, KnownRanges, Meeting } from './known-ranges';
import { ANY, isSame, joined, MIRRORED, narrowed, only, OPPOSITES, rangeOf, type Range } from './ranges';
import type { Unanimous } from './unanimous';

export interface Lanes {
  /** What is added from a lane to the next one, modulo 2³²: 0 for the same in all lanes; undefined: not known. */
  stepOf(id: ValueId): number | undefined;
  rangeOf(id: ValueId): Range;
  /** Whether a value is the least of two of which the first one always is. */
  isFirst(id: ValueId): boolean;
}

const NOTHING: Lanes = { stepOf: () => undefined, rangeOf: () => ANY, isFirst: () => false };

/** Larger programs are left alone, and those whose loops in loops would be walked through too often. */
const MOST_NODES = 4000;
const MOST_VISITS = 100_000;
/** Rounds of a loop after which bounds that still grow are given up. */
const MOST_ROUNDS = 12;
const WARP_LANES = 64;

export function findLanes(program: IrProgram, agreed: Unanimous): Lanes {
  if (countNodes(program.body) > MOST_NODES || (program.kind !== 'compute' && !findsWords(program))) return NOTHING;
  const walk = new Walk(program, agreed);
  walk.list(program.body);
  return walk.isSettled ? walk : NOTHING;
}

/** Whether a program reads words of buffers at offsets that it computes. */
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
  /** Low bits that are 0 in the first lane, of what has a step. */
  private readonly zeros = new Map<ValueId, number>();
  private readonly firsts = new Set<ValueId>();
  private readonly ends = new Map<number, Meeting>();
  /** At the current point: of variables, and behind them of values beyond their definition. */
  private readonly known: KnownRanges;
  private visits = 0;
  /** Visits of conditions that are made of others. */
  private joint = 0;
  /** Numbers of the program: bounds that grow stop there first. */
  private readonly stops: readonly number[];

  constructor(private readonly program: IrProgram, private readonly agreed: Unanimous) {
    const { variables: { length }, values } = program;
    this.known = new KnownRanges(length + values.length, length, ZERO);
    const stops = new Set<number>();
    forEachInstruction(program.body, (instruction) => {
      for (const id of instruction.results) this.definitions.set(id, instruction);
      if (instruction.op === 'const') stops.add(instruction.imm >>> 0);
    });
    this.stops = [...stops].sort((a, b) => a - b);
  }

  get isSettled(): boolean { return this.visits < MOST_VISITS && this.joint < MOST_VISITS; }

  stepOf(id: ValueId): number | undefined {
    return this.agreed.values.has(id) ? 0 : this.steps.get(id);
  }

  rangeOf(id: ValueId): Range { return this.ranges.get(id) ?? ANY; }
  isFirst(id: ValueId): boolean { return this.firsts.has(id); }

  /** Whether control comes to the end of a list. */
  list(nodes: readonly IrNode[]): boolean {
    for (const node of nodes) {
      if (++this.visits >= MOST_VISITS) return false;
      switch (node.kind) {
        case 'op': this.instruction(node); break;
        case 'leave':
          this.ends.get(node.label)!.add();
          return false;
        default: if (!this.construct(node)) return false;
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

  /** Notes what follows from a condition; false where it cannot be so. */
  private narrow(condition: ValueId, holds: boolean): boolean {
    const { op, args } = this.definitions.get(condition)!;
    if (op === 'bool.not') return this.narrow(args[0]!, !holds);
    if ((op === 'bool.and' && holds) || (op === 'bool.or' && !holds))
      // Conditions that share others are walked through as trees, whose size may double with each of them.
      return ++this.joint < MOST_VISITS && args.every((id) => this.narrow(id, holds));
    const compared = holds ? op : OPPOSITES[op], mirrored = compared && MIRRORED[compared];
    if (compared === undefined || mirrored === undefined) return true;
    const [a, b] = args.map((id) => this.at(id)) as [Range, Range];
    return this.learn(args[0]!, narrowed(compared, a, b))
      && this.learn(args[1]!, narrowed(mirrored, b, a));
  }

  /** Of values on which lanes agree alone: elsewhere it holds in lanes that are on. */
  private learn(id: ValueId, range: Range | null): boolean {
    if (!this.agreed.values.has(id)) return true;
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

  /** What is new at a loop's start, which is at `mark`, when rounds end as at the current point. */
  private grown(mark: number, round: number): Map<number, Range | undefined> {
    const grown = new Map<number, Range | undefined>();
    this.known.forEachChange(mark, (slot, before, now) => {
      if (before === undefined) return;
      const range = either(before, now);
      if (range !== undefined && isSame(before, range)) return;
      // Values are not followed from round to round.
      if (range === undefined || slot >= this.program.variables.length) grown.set(slot, undefined);
      else grown.set(slot, round < MOST_ROUNDS ? this.widened(before, range) : ANY);
    });
    return grown;
  }

  private widened(before: Range, { least, most }: Range): Range {
    return {
      least: least < before.least ? this.stops.findLast((stop) => stop <= least) ?? 0 : least,
      most: most > before.most ? this.stops.find((stop) => stop >= most) ?? ANY.most : most,
    };
  }

  private slotOf(id: ValueId): number { return this.program.variables.length + id; }
  private at(id: ValueId): Range { return this.known.get(this.slotOf(id)) ?? this.rangeOf(id); }

  private instruction(instruction: Instruction): void {
    const { op, args, results, imm } = instruction;
    if (op === 'var.set') {
      if (this.agreed.variables.has(imm)) this.known.set(imm, this.at(args[0]!));
      return;
    }
    const result = results[0];
    if (result === undefined) return;
    if (op === 'var.get') {
      if (this.agreed.variables.has(imm)) this.ranges.set(result, this.known.get(imm)!);
    } else if (op === 'const') {
      this.ranges.set(result, only(imm));
    } else if (op === 'input') {
      this.input(result, this.program.inputs[imm]!);
    } else if (op === 'lanes.index') {
      this.ranges.set(result, { least: 0, most: 3 });
      this.steps.set(result, 1);
      this.zeros.set(result, 2);
    } else if (op === 'lanes.ballot') {
      this.ranges.set(result, { least: 0, most: 15 });
    } else if (opInfo(op).pure) {
      this.ranges.set(result, this.computed(instruction));
      this.steps.delete(result);
      this.step(instruction, result);
    }
  }

  private input(id: ValueId, input: IrInput): void {
    if (input.kind !== 'builtin' || this.program.kind !== 'compute') return;
    const { program, program: { workgroupSize } } = this, invocations = invocationsOf(program);
    // Of smaller groups, a quad holds several.
    const isWhole = invocations > 2, [x, y] = workgroupSize!;
    // Lanes beyond a group's last invocation go on counting.
    const lanes = WARP_LANES * Math.ceil(invocations / WARP_LANES);
    if (input.builtin === 'local_invocation_index') {
      this.ranges.set(id, { least: 0, most: lanes - 1 });
      if (isWhole) this.climbs(id);
    } else if (input.builtin === 'local_invocation_id' || input.builtin === 'global_invocation_id') {
      const { component } = input, most = [x - 1, y - 1, Math.floor((lanes - 1) / x / y)][component]!;
      if (input.builtin === 'local_invocation_id') this.ranges.set(id, { least: 0, most });
      // Rows of whole quads, along the first axis that has more than one.
      const along = x > 1 ? 0 : y > 1 ? 1 : 2;
      if (component === along && workgroupSize![along]! % 4 === 0) this.climbs(id);
    } else if (input.builtin === 'part') {
      this.ranges.set(id, { least: 0, most: Math.max(program.parts ?? 1, 1) - 1 });
    }
  }

  /** One more from lane to lane, from a multiple of four on. */
  private climbs(id: ValueId): void {
    this.steps.set(id, 1);
    this.zeros.set(id, 2);
  }

  private computed({ op, args, results }: Instruction): Range {
    const [a, b, c] = args.map((id) => this.at(id));
    if (op === 'int.cast') return a!;
    if (op === 'select') return joined(b!, c!);
    if (op === 'int.fromBool') return { least: 0, most: 1 };
    if (op === 'u32.min') {
      // The last round of a loop, of which most is possible, decides.
      if (a!.most <= b!.least) this.firsts.add(results[0]!);
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
    const constant = this.constant(args[1]!), others = this.zerosOf(args[1]!);
    switch (op) {
      case 'int.add': return this.note(result, a + b, Math.min(zeros, others));
      case 'int.sub': return this.note(result, a - b, Math.min(zeros, others));
      case 'int.mul': {
        const factor = constant ?? this.constant(args[0]!);
        if (factor !== undefined) this.note(result, Math.imul(constant === undefined ? b : a, factor), zeros + others);
        return;
      }
      case 'int.shl':
        if (constant !== undefined) this.note(result, a << constant, zeros + (constant & 31));
        return;
      case 'u32.shr': {
        // By as much in all lanes, if the same is shifted; by a constant, the lower bits, in which alone they differ,
        // are shifted out.
        const shift = (constant ?? 0) & 31;
        if (b !== 0 || a < 0 || 3 * a >= 2 ** Math.min(zeros, shift)) return;
        return this.note(result, 0, constant === undefined ? 0 : Math.max(zeros - shift, 0));
      }
      case 'int.and': {
        if (constant === undefined) return;
        // All bits that it can have are kept.
        if ((constant & (constant + 1)) === 0 && this.at(args[0]!).most <= constant >>> 0)
          return this.note(result, a, zeros);
        // Low bits that lanes do not carry out of.
        if (a < 0 || 3 * a >= 2 ** zeros) return;
        const low = 2 ** zeros - 1, kept = (constant & low) >>> 0;
        if (kept === low) this.note(result, a, zeros);
        else if (kept === 0) this.note(result, 0, zeros);
        return;
      }
      case 'u32.rem': case 'u32.min': {
        const [left, right] = args.map((id) => this.at(id)) as [Range, Range];
        if (left.most <= right.least - (op === 'u32.rem' ? 1 : 0)) this.note(result, a, zeros);
        else if (op === 'u32.min' && right.most <= left.least) this.note(result, b, others);
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

