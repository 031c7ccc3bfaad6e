// Finds loops over the distinct values of the fragment's own pixel, that is, loops that load its samples from a
// surface. Such a loop iterates once per value, so performance depends on which pixels execute it together.

import { OwnPixel, type Accessing } from './accesses';
import { isAtomic, readsTexture, type OpName } from './ops';
import type { IrNode } from './program';
import { forEachInstruction } from './walk';

interface ValueLoops {
  /** Resource indices of the surfaces that such loops load from. */
  readonly surfaces: ReadonlySet<number>;
  /** Estimated cost per iteration of the most expensive such loop, in simple operations. */
  readonly cost: number;
}

export function valueLoops(program: Accessing): ValueLoops {
  const surfaces = new Set<number>();
  let cost = 0;
  if (!program.resources.some(({ kind }) => kind === 'surface')) return { surfaces, cost };
  const own = new OwnPixel(program);
  const find = (nodes: readonly IrNode[]): void => {
    for (const node of nodes) {
      if (node.kind === 'if') {
        find(node.then);
        find(node.otherwise);
      } else if (node.kind === 'block') {
        find(node.body);
      } else if (node.kind === 'loop') {
        let isOne = false;
        forEachInstruction(node.body, ({ op, args, imm }) => {
          if (op !== 'surface.load' || !own.isAcross(args)) return;
          isOne = true;
          surfaces.add(imm);
        });
        if (isOne) cost = Math.max(cost, costOf(node.body));
      }
    }
  };
  find(program.body);
  return { surfaces, cost };
}

/** Assumed number of iterations of nested loops; shorter loops are unrolled. */
const ROUNDS = 8;

/** Estimated cost of an invocation, in simple operations. */
export function costOf(nodes: readonly IrNode[]): number {
  return nodes.reduce((sum, node) => {
    switch (node.kind) {
      case 'op':
        return sum + costOfOperation(node.op);
      case 'if':
        return sum + costOf(node.then) + costOf(node.otherwise);
      case 'block':
        return sum + costOf(node.body);
      case 'loop':
        return sum + ROUNDS * costOf(node.body);
      default:
        return sum;
    }
  }, 0);
}

const SERIES = /^f32\.(exp2?|log2?|pow|a?(sin|cos|tan)h?|atan2)$/;
function costOfOperation(op: OpName): number {
  if (op === 'const' || op === 'input' || op.startsWith('var.')) return 0;
  if (op === 'f32.div' || op === 'f32.sqrt' || op === 'f32.inverseSqrt') return 4;
  if (SERIES.test(op)) return 12;
  return readsTexture(op) || isAtomic(op) ? 64 : 1;
}
