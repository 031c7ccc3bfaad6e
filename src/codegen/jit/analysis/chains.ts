// Finds programs that wait for a dependency chain: most operations feed the next one, so the processor cannot execute
// them in parallel. The chain is loop-carried, or it is most of a program without control flow.

import type { Instruction, IrNode, IrProgram, OpName } from '../../../ir';

/** Operations that a processor executes, approximately, per cycle of a chain. With fewer, it waits for the chain. */
const OPERATIONS_PER_CYCLE = 2;
/** Latencies in cycles on current processors. */
const LATENCIES: Readonly<Partial<Record<OpName, number>>> = {
  'f32.add': 3,
  'f32.sub': 3,
  'f32.mul': 3,
  'f32.div': 11,
  'f32.sqrt': 14,
  'f32.fract': 8,
  'f32.floor': 6,
  'f32.ceil': 6,
  'f32.trunc': 6,
  'f32.round': 6,
  'int.mul': 8,
};
/** Mathematical functions: latency in cycles, and number of operations. */
const FUNCTION = /^f32\.(inverseSqrt|exp2?|log2?|pow|rem|a?(sin|cos|tan)[h2]?)$/;
const FUNCTION_LATENCY = 40;
const FUNCTION_OPERATIONS = 20;
/** With fewer operations per quad, the processor begins the next quad before the chain of the last one has ended. */
const MIN_STRAIGHT_OPERATIONS = 64;
/**
 * Limits of programs without control flow: the least part of the time without a chain that the chain must take, and the
 * mean number of values that are in use at a time. Two quads share the 16 vector registers of a processor. Their time
 * compared with single quads, with (chain, values): powers (1.0, 3.5) 0.90, sines (1.0, 3.7) 0.80, clamps (0.8, 3.9)
 * 0.67, integers (1.4, 4.6) 0.73, normalized vectors (3.5, 3.7) 0.56, indexed arrays (1.0, 5.2) 0.84; but `mix` (1.2,
 * 6.9) 1.29, multiply-adds of two vectors (0.8, 7.0) 1.37, matrices (0.8, 19) 1.26.
 */
const MIN_STRAIGHT_CHAIN = 0.8;
const MAX_STRAIGHT_VALUES = 6;
const latencyOf = (op: OpName): number => (FUNCTION.test(op) ? FUNCTION_LATENCY : (LATENCIES[op] ?? 1));
const operationsOf = (op: OpName): number => (FUNCTION.test(op) ? FUNCTION_OPERATIONS : 1);
/** Maximum number of instructions that are visited to measure the chains of single variables, per program. */
const MAX_STEPS = 1_000_000;

/** Whether a program has a loop that is limited by such a chain. */
export function hasChain(program: IrProgram): boolean {
  return new Chains(program).isFound;
}

/** Whether a program without control flow is limited by such a chain and has few values at a time. */
export function isStraightChain(program: IrProgram): boolean {
  const instructions: Instruction[] = [];
  for (const node of program.body) {
    if (node.kind !== 'op') return false;
    instructions.push(node);
  }
  const cycles = new Map<number, number>();
  const variables = new Map<number, number>();
  const firsts = new Map<number, number>();
  const lasts = new Map<number, number>();
  let longest = 0;
  let operations = 0;
  let at = 0;
  for (const { op, imm, args, results } of instructions) {
    if (op === 'const') continue;
    let before = op === 'var.get' ? (variables.get(imm) ?? 0) : 0;
    for (const id of args) {
      before = Math.max(before, cycles.get(id) ?? 0);
      lasts.set(id, at);
    }
    if (op === 'var.set') variables.set(imm, before);
    const moves = /^(var\.|input|output)/.test(op);
    const after = before + (moves ? 0 : latencyOf(op));
    if (!moves) operations += operationsOf(op);
    longest = Math.max(longest, after);
    for (const id of results) {
      cycles.set(id, after);
      firsts.set(id, at);
    }
    at++;
  }
  if (operations < MIN_STRAIGHT_OPERATIONS) return false;
  if (longest < (MIN_STRAIGHT_CHAIN * operations) / OPERATIONS_PER_CYCLE) return false;
  let inUse = 0;
  for (const [id, first] of firsts) inUse += (lasts.get(id) ?? first) - first;
  return inUse <= MAX_STRAIGHT_VALUES * at;
}

/** The instructions of a loop's body, from `begin` to before `end` in program order. */
interface Body {
  readonly begin: number;
  readonly end: number;
}

class Chains {
  /** Instructions in loops. */
  private readonly instructions: Instruction[] = [];
  /** Latency in cycles of each instruction's result. */
  private readonly latencies: number[] = [];
  /** Number of operations before each instruction. */
  private readonly operations: number[] = [0];
  /** Inner loops come before outer ones. */
  private readonly loops: Body[] = [];
  /**
   * Whether only other operations count, not reads and sets of variables. True in compute programs. In fragment
   * shaders, variables count as well: loops that exceed the threshold only without them are slower when two quads run
   * together.
   */
  private readonly alone: boolean;
  private steps = 0;

  constructor(program: IrProgram) {
    this.alone = program.kind === 'compute';
    this.list(program.body, false);
  }

  get isFound(): boolean {
    return this.loops.some((loop) => this.isChain(loop));
  }

  private list(nodes: readonly IrNode[], isInLoop: boolean): void {
    for (const node of nodes) {
      switch (node.kind) {
        case 'op': {
          if (!isInLoop) break;
          const counts = !this.alone || !node.op.startsWith('var.');
          this.instructions.push(node);
          this.latencies.push(latencyOf(node.op));
          this.operations.push(this.operations.at(-1)! + (counts ? operationsOf(node.op) : 0));
          break;
        }
        case 'if':
          this.list(node.then, isInLoop);
          this.list(node.otherwise, isInLoop);
          break;
        case 'leave':
          break;
        case 'block':
          this.list(node.body, isInLoop);
          break;
        case 'loop': {
          const begin = this.instructions.length;
          this.list(node.body, true);
          this.loops.push({ begin, end: this.instructions.length });
        }
      }
    }
  }

  private isChain(loop: Body): boolean {
    const least = (this.operations[loop.end]! - this.operations[loop.begin]!) / OPERATIONS_PER_CYCLE;
    const set = this.setIn(loop);
    // The chain of a variable is no longer than the longest one that ends in it, wherever that starts.
    const most = this.cyclesOf(set, loop, true);
    return set.some((variable) => {
      if (most.get(variable)! <= least || this.steps > MAX_STEPS) return false;
      this.steps += loop.end - loop.begin;
      return this.cyclesOf([variable], loop, false).get(variable)! > least;
    });
  }

  private setIn({ begin, end }: Body): readonly number[] {
    const set = new Set<number>();
    for (let i = begin; i < end; i++) {
      const { op, imm } = this.instructions[i]!;
      if (op === 'var.set') set.add(imm);
    }
    return [...set];
  }

  /**
   * For each variable, the maximum latency from the value of any start variable at the beginning of an iteration to a
   * value that it is set to. `longest`: a variable that is set again keeps the longest path to any of its values
   * instead of the path to the last one.
   */
  private cyclesOf(starts: readonly number[], { begin, end }: Body, longest: boolean): ReadonlyMap<number, number> {
    /** Latency of each value and variable; those that do not depend on the start have no entry. */
    const values = new Map<number, number>();
    const variables = new Map(starts.map((variable) => [variable, 0]));
    const most = new Map(variables);
    for (let i = begin; i < end; i++) {
      const { op, imm, args, results } = this.instructions[i]!;
      if (op === 'var.get') {
        const cycles = variables.get(imm);
        if (cycles !== undefined) values.set(results[0]!, cycles);
        continue;
      }
      let before = -1;
      for (const id of args) before = Math.max(before, values.get(id) ?? -1);
      if (before < 0) continue;
      if (op !== 'var.set') for (const id of results) values.set(id, before + this.latencies[i]!);
      else {
        variables.set(imm, longest ? Math.max(before, variables.get(imm) ?? 0) : before);
        if (most.has(imm)) most.set(imm, Math.max(most.get(imm)!, before));
      }
    }
    return most;
  }
}
