// Counts the iterations of loops by executing their bodies on known values, so any kind of counter works.

import { opInfo } from '../ops';
import type { IrNode, IrProgram, ValueId } from '../program';
import { forEachNode, hasLoop, variablesSet } from '../walk';
import { fold, type ConstantMath } from './fold';

type Loop = Extract<IrNode, { kind: 'loop' }>;

/** Variables whose bits are known at a point. */
export type Known = Map<number, number>;

/** What is known before a program: all variables are zero. */
export const knownAtStart = ({ variables }: IrProgram): Known => new Map(variables.map((_, index) => [index, 0]));

export function forget(known: Known, nodes: readonly IrNode[]): void {
  for (const variable of variablesSet(nodes)) known.delete(variable);
}

/** Executes instructions of a program on known values. */
export class Execution {
  private readonly constants = new Map<ValueId, number>();
  /** Number of instructions that were executed within loops. */
  private steps = 0;

  constructor(private readonly math: ConstantMath) {}

  /** Executes an instruction that runs once, and remembers its result. `known` is updated. */
  run(node: Extract<IrNode, { kind: 'op' }>, known: Known): void {
    this.step(node, known, this.constants);
  }

  /**
   * Number of iterations until control certainly leaves, including the last one; null if more than `limit` + 1. `entry`
   * is the state before the loop.
   */
  countRounds(body: readonly IrNode[], entry: Known, limit: number): number | null {
    const known = new Map(entry);
    for (let round = 1; round <= limit + 1; round++) {
      if (this.simulate(body, known, new Map(), new Set()) !== null) return round;
      if (known.size === 0) return null;
    }
    return null;
  }

  /**
   * Number of iterations of a loop, or a lower bound when `maxSteps` instructions have been executed; null if it
   * depends on values that are not known.
   */
  minRounds({ body, label }: Loop, entry: Known, maxSteps: number): number | null {
    const known = new Map(entry);
    const end = this.steps + maxSteps;
    for (let round = 1; ; round++) {
      const skipped = new Set<number>();
      if (this.simulate(body, known, new Map(), skipped) !== null) return round;
      if (skipped.has(label) || known.size === 0) return null;
      if (this.steps > end) return round;
    }
  }

  /** Whether all lanes that enter a loop certainly begin a second iteration. */
  repeats({ body }: Loop, entry: Known): boolean {
    const left = new Set<number>();
    if (this.simulate(body, new Map(entry), new Map(), left) !== null) return false;
    forEachNode(body, (inner) => {
      if (inner.kind === 'block' || inner.kind === 'loop') left.delete(inner.label);
    });
    return left.size === 0;
  }

  /**
   * Executes nodes on known values. Returns the label that control certainly leaves, or null. `skipped` collects the
   * labels that some lanes may have left earlier, under unknown conditions.
   */
  private simulate(
    nodes: readonly IrNode[],
    known: Known,
    values: Map<ValueId, number>,
    skipped: Set<number>
  ): number | null {
    for (const node of nodes) {
      if (node.kind === 'op') this.step(node, known, values);
      else if (node.kind === 'leave') return node.label;
      else if (node.kind === 'if') {
        const condition = values.get(node.condition) ?? this.constants.get(node.condition);
        if (condition === undefined) {
          for (const branch of [node.then, node.otherwise]) {
            forget(known, branch);
            forEachNode(branch, (inner) => {
              if (inner.kind === 'leave') skipped.add(inner.label);
            });
          }
          continue;
        }
        const left = this.simulate(condition !== 0 ? node.then : node.otherwise, known, values, skipped);
        if (left !== null) return left;
      } else if (node.kind === 'block') {
        const left = this.simulate(node.body, known, values, skipped);
        // Lanes that left the block earlier continue here, and its variables may differ for them.
        if (skipped.has(node.label)) {
          forget(known, node.body);
          // The remaining lanes left for an outer label and do not continue here.
          if (left !== null) skipped.add(left);
        } else if (left !== null && left !== node.label) {
          return left;
        }
      } else {
        forget(known, node.body);
        forEachNode(node.body, (inner) => {
          if (inner.kind === 'leave') skipped.add(inner.label);
        });
      }
    }
    return null;
  }

  private step(node: Extract<IrNode, { kind: 'op' }>, known: Known, values: Map<ValueId, number>): void {
    this.steps++;
    const bits = (id: ValueId): number | undefined => values.get(id) ?? this.constants.get(id);
    if (node.op === 'const') values.set(node.results[0]!, node.imm);
    else if (node.op === 'var.set') setOrForget(known, node.imm, bits(node.args[0]!));
    else if (node.op === 'var.get') setOrForget(values, node.results[0]!, known.get(node.imm));
    else if (opInfo(node.op).pure && node.results.length === 1) {
      const args = node.args.map(bits);
      const result =
        args.length > 0 && args.every((arg) => arg !== undefined) ? fold(node.op, args, this.math) : undefined;
      setOrForget(values, node.results[0]!, result);
    }
  }
}

function setOrForget(map: Map<number, number>, key: number, bits: number | undefined): void {
  if (bits === undefined) map.delete(key);
  else map.set(key, bits);
}

/** Maximum number of instructions that loopRounds executes for a loop; about 1 ms. */
const MAX_STEPS = 4000;

/** The known numbers of iterations of a program's loops; lower bounds for long ones. */
export function loopRounds(program: IrProgram, math: ConstantMath): ReadonlyMap<IrNode, number> {
  const rounds = new Map<IrNode, number>();
  visitLoops(program, math, (loop, entry, execution) => {
    const count = execution.minRounds(loop, entry, MAX_STEPS);
    if (count !== null) rounds.set(loop, count);
  });
  return rounds;
}

/** The loops of which all lanes that enter them certainly begin a second iteration. */
export function repeatingLoops(program: IrProgram, math: ConstantMath): ReadonlySet<IrNode> {
  const found = new Set<IrNode>();
  visitLoops(program, math, (loop, entry, execution) => {
    if (execution.repeats(loop, entry)) found.add(loop);
  });
  return found;
}

/** Calls `visit` for each loop, with what is known before it. */
function visitLoops(
  program: IrProgram,
  math: ConstantMath,
  visit: (loop: Loop, entry: Known, execution: Execution) => void
): void {
  if (!hasLoop(program.body)) return;
  const execution = new Execution(math);
  const walk = (nodes: readonly IrNode[], known: Known): void => {
    for (const node of nodes) {
      if (node.kind === 'op') execution.run(node, known);
      else if (node.kind === 'if') {
        walk(node.then, new Map(known));
        walk(node.otherwise, new Map(known));
      } else if (node.kind === 'loop') {
        visit(node, known, execution);
        const inside = new Map(known);
        forget(inside, node.body);
        walk(node.body, inside);
      } else if (node.kind === 'block') walk(node.body, new Map(known));
      if (node.kind !== 'op') forget(known, [node]);
    }
  };
  walk(program.body, knownAtStart(program));
}
