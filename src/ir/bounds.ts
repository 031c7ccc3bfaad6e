// Finds an upper bound for the run time of an invocation from the program alone. The bound is finite if every loop
// steps a variable by a constant until it reaches a constant.

import type { Instruction, IrNode, IrProgram, Loop, ScalarType, ValueId } from './program';
import { forEachInstruction, forEachNode, variablesSet } from './walk';

/** The maximum number of nodes that an invocation executes; Infinity if a loop has no constant bound. */
export function maxOperations({ body, values, variables }: Pick<IrProgram, 'body' | 'values' | 'variables'>): number {
  return new Bounds(values).of(body, new Map(variables.map((_, index) => [index, 0])));
}

/** Variables whose bits are known at a point. */
type Known = Map<number, number>;
/** A value in a loop: what a variable held at the start of the iteration, plus a constant. */
interface Counted {
  readonly variable: number;
  readonly offset: number;
}
type Order = 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne';

const MIRRORED: Readonly<Record<Order, Order>> = { lt: 'gt', gt: 'lt', le: 'ge', ge: 'le', eq: 'eq', ne: 'ne' };
const OPPOSITE: Readonly<Record<Order, Order>> = { lt: 'ge', ge: 'lt', gt: 'le', le: 'gt', eq: 'ne', ne: 'eq' };
const COMPARISON = /^(?:i32|u32|int)\.(lt|le|gt|ge|eq|ne)$/;

class Bounds {
  private readonly constants = new Map<ValueId, number>();

  constructor(private readonly values: readonly ScalarType[]) {}

  /** Walks a list. `known` describes the state before the list and is updated to the state after it. */
  of(nodes: readonly IrNode[], known: Known): number {
    let sum = 0;
    for (const node of nodes) {
      sum++;
      if (node.kind === 'op') this.step(node, known);
      else if (node.kind === 'if') {
        sum += this.of(node.then, new Map(known)) + this.of(node.otherwise, new Map(known));
        forget(known, node.then);
        forget(known, node.otherwise);
      } else if (node.kind === 'block') {
        sum += this.of(node.body, new Map(known));
        forget(known, node.body);
      } else if (node.kind === 'loop') {
        const entry = new Map(known);
        forget(known, node.body);
        const round = 1 + this.of(node.body, new Map(known));
        sum += round * new Rounds(node, entry, this.constants, this.values).most;
      }
    }
    return sum;
  }

  private step({ op, args, imm, results }: Instruction, known: Known): void {
    if (op === 'const') this.constants.set(results[0]!, imm);
    else if (op === 'var.set') {
      const bits = this.constants.get(args[0]!);
      if (bits === undefined) known.delete(imm);
      else known.set(imm, bits);
    }
  }
}

function forget(known: Known, nodes: readonly IrNode[]): void {
  for (const variable of variablesSet(nodes)) known.delete(variable);
}

/**
 * Counts the iterations of one loop. Considers only nodes that every lane still in the loop executes in each iteration.
 */
class Rounds {
  /** The maximum number of iterations that a lane starts. */
  readonly most: number;
  private readonly counted = new Map<ValueId, Counted>();
  private readonly definitions = new Map<ValueId, Instruction>();
  /** Number of var.set instructions in the loop for each variable. */
  private readonly sets = new Map<number, number>();
  /** The step per iteration of each variable that the loop sets once. */
  private readonly steps = new Map<number, number>();
  /** Conditions under which lanes leave the loop, each with the value that makes them leave. */
  private readonly exits: { readonly condition: ValueId; readonly value: boolean }[] = [];
  /** Labels of the blocks inside the loop that enclose the current nodes. */
  private readonly around: number[] = [];
  private isOnce = false;

  constructor(
    loop: Loop,
    private readonly entry: ReadonlyMap<number, number>,
    private readonly constants: ReadonlyMap<ValueId, number>,
    private readonly values: readonly ScalarType[]
  ) {
    forEachInstruction(loop.body, ({ op, imm }) => {
      if (op === 'var.set') this.sets.set(imm, (this.sets.get(imm) ?? 0) + 1);
    });
    this.walk(loop.body);
    const rounds = this.exits.map(({ condition, value }) => this.until(condition, value));
    this.most = this.isOnce ? 1 : Math.min(Infinity, ...rounds);
  }

  /** Walks a list up to the last node that every lane still in the loop reaches. */
  private walk(nodes: readonly IrNode[]): void {
    for (const node of nodes) {
      if (node.kind === 'op') this.step(node);
      else if (node.kind === 'leave') {
        this.isOnce ||= !this.around.includes(node.label);
        return;
      } else if (node.kind === 'if') {
        if (this.isExit(node.then)) this.exits.push({ condition: node.condition, value: true });
        if (this.isExit(node.otherwise)) this.exits.push({ condition: node.condition, value: false });
      } else if (node.kind === 'block') {
        this.around.push(node.label);
        this.walk(node.body);
        this.around.pop();
      }
      if (node.kind !== 'op' && this.skipsRestOfBlock([node])) return;
    }
  }

  /** Whether all lanes that enter the list leave the loop. */
  private isExit(nodes: readonly IrNode[]): boolean {
    const last = nodes.at(-1);
    return last?.kind === 'leave' && !this.skipsRestOfBlock(nodes);
  }

  /** Whether lanes may skip the rest of a block inside the loop while they stay in the loop. */
  private skipsRestOfBlock(nodes: readonly IrNode[]): boolean {
    let found = false;
    if (this.around.length > 0)
      forEachNode(nodes, (node) => {
        found ||= node.kind === 'leave' && this.around.includes(node.label);
      });
    return found;
  }

  private step(node: Instruction): void {
    const { op, args, imm, results } = node;
    const [result] = results;
    if (op === 'var.set') {
      const counted = this.counted.get(args[0]!);
      if (counted?.variable === imm) this.steps.set(imm, counted.offset);
    } else if (op === 'var.get') {
      if (this.sets.get(imm) === 1) this.counted.set(result!, { variable: imm, offset: this.steps.get(imm) ?? 0 });
    } else if (op === 'int.add' || op === 'int.sub') {
      const counted = this.added(op, args[0]!, args[1]!);
      if (counted) this.counted.set(result!, counted);
    } else if (results.length === 1) this.definitions.set(result!, node);
  }

  private added(op: 'int.add' | 'int.sub', a: ValueId, b: ValueId): Counted | null {
    const left = this.counted.get(a);
    const right = this.constants.get(b);
    if (left && right !== undefined)
      return { variable: left.variable, offset: (op === 'int.add' ? left.offset + right : left.offset - right) | 0 };
    return op === 'int.add' && this.counted.has(b) && this.constants.has(a) ? this.added(op, b, a) : null;
  }

  /** Number of iterations that a lane starts until the condition has the given value. */
  private until(condition: ValueId, value: boolean): number {
    const definition = this.definitions.get(condition);
    if (!definition) return Infinity;
    const { op, args } = definition;
    if (op === 'bool.not') return this.until(args[0]!, !value);
    if (op === (value ? 'bool.or' : 'bool.and'))
      return Math.min(this.until(args[0]!, value), this.until(args[1]!, value));
    const order = COMPARISON.exec(op)?.[1] as Order | undefined;
    if (order === undefined) return Infinity;
    const goesOn = value ? OPPOSITE[order] : order;
    const [a, b] = [args[0]!, args[1]!];
    return this.counted.has(a) ? this.while(goesOn, a, b) : this.while(MIRRORED[goesOn], b, a);
  }

  /** Number of iterations that a lane starts until `value order limit` is false. */
  private while(order: Order, value: ValueId, limit: ValueId): number {
    const counted = this.counted.get(value);
    const bits = this.constants.get(limit);
    const step = counted && this.steps.get(counted.variable);
    if (!counted || bits === undefined || step === undefined || step === 0) return Infinity;
    const isSigned = this.values[value] === 'i32';
    const number = (word: number): number => (isSigned ? word | 0 : word >>> 0);
    const start = this.entry.get(counted.variable);
    const first = start === undefined ? null : number(start + counted.offset);
    const range = isSigned ? { least: -(2 ** 31), most: 2 ** 31 - 1 } : { least: 0, most: 2 ** 32 - 1 };
    return roundsOf(order, { first, step, end: number(bits), ...range });
  }
}

interface Count {
  /** The value in the first iteration, or null if it may be anything from `least` to `most`. */
  readonly first: number | null;
  readonly step: number;
  readonly end: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Number of iterations until a number that advances by `step` no longer satisfies the order relative to `end`. Returns
 * Infinity if the number may skip past the end.
 */
function roundsOf(order: Order, count: Count): number {
  const { first, step, end, least, most } = count;
  switch (order) {
    case 'le':
      return roundsOf('lt', { ...count, end: end + 1 });
    case 'lt':
      return step < 0 || end + step - 1 > most ? Infinity : upTo(end - (first ?? least), step);
    // Negating all numbers reduces these cases to the ones above.
    case 'ge':
    case 'gt':
      return roundsOf(order === 'ge' ? 'le' : 'lt', {
        first: first === null ? null : -first,
        step: -step,
        end: -end,
        least: -most,
        most: -least,
      });
    case 'eq':
      return 2;
    case 'ne':
      return first !== null && (end - first) / step >= 0 && (end - first) % step === 0
        ? upTo(end - first, step)
        : Infinity;
  }
}

const upTo = (distance: number, step: number): number => 1 + Math.max(0, Math.ceil(distance / step));
