// Loops that wait for themselves: what a round computes goes by way of most of its operations into the next round, so
// that the processor cannot do them side by side.

import { forEachInstruction, forEachNode, type IrNode, type IrProgram, type OpName } from '../../ir';

/** Operations that a processor does in the time of a cycle of a chain, about: of fewer it waits for the chain. */
const BESIDE = 2;
/** Cycles until a result can be used, as processors of today are. */
const LATENCIES: Readonly<Partial<Record<OpName, number>>> = {
  'f32.add': 3, 'f32.sub': 3, 'f32.mul': 3, 'f32.div': 11, 'f32.sqrt': 14, 'f32.fract': 8, 'f32.floor': 6,
  'f32.ceil': 6, 'f32.trunc': 6, 'f32.round': 6, 'int.mul': 8,
};
/** Functions: cycles, and operations. */
const FUNCTION = /^f32\.(inverseSqrt|exp2?|log2?|pow|rem|a?(sin|cos|tan)[h2]?)$/;
const FUNCTION_LATENCY = 40;
const FUNCTION_OPERATIONS = 20;

/** Whether a program has a loop that waits for itself. */
export function hasChain(program: IrProgram): boolean {
  let found = false;
  forEachNode(program.body, (node) => {
    if (node.kind === 'loop' && !found) found = isChain(node.body, program.kind === 'compute');
  });
  return found;
}

/**
 * `alone`: what reads and sets variables is no operation. Of loops of fragment programs, those that just wait for
 * themselves when it does not count take more time in pairs.
 */
function isChain(body: readonly IrNode[], alone: boolean): boolean {
  const set = new Set<number>();
  let operations = 0;
  forEachInstruction(body, ({ op, imm }) => {
    if (op === 'var.set') set.add(imm);
    if (!alone || !op.startsWith('var.')) operations += FUNCTION.test(op) ? FUNCTION_OPERATIONS : 1;
  });
  return [...set].some((variable) => cyclesOf(variable, body) * BESIDE > operations);
}

/** Cycles from what a variable holds at the start of a round to what it holds at its end. */
function cyclesOf(variable: number, body: readonly IrNode[]): number {
  /** By value and by variable: cycles until it is there; what does not depend on the start is not named. */
  const values = new Map<number, number>(), variables = new Map([[variable, 0]]);
  let longest = 0;
  forEachInstruction(body, ({ op, imm, args, results }) => {
    if (op === 'var.get') {
      const cycles = variables.get(imm);
      if (cycles !== undefined) values.set(results[0]!, cycles);
      return;
    }
    let before = -1;
    for (const id of args) before = Math.max(before, values.get(id) ?? -1);
    if (before < 0) return;
    if (op !== 'var.set') for (const id of results) values.set(id, before + latencyOf(op));
    else {
      variables.set(imm, before);
      if (imm === variable) longest = Math.max(longest, before);
    }
  });
  return longest;
}

const latencyOf = (op: OpName): number => (FUNCTION.test(op) ? FUNCTION_LATENCY : LATENCIES[op] ?? 1);
