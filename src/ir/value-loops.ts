// Loops over the values of the fragment's own pixel: those in which samples of it are loaded from a surface. Such a
// loop has a round for each value of the pixel, so that it matters which pixels go through it together.

import { OwnPixel, type Accessing } from './accesses';
import { isAtomic, readsTexture, type OpName } from './ops';
import type { IrNode } from './program';
import { forEachInstruction } from './walk';

export interface ValueLoops {
  /** The resources that are loaded from. */
  readonly surfaces: ReadonlySet<number>;
  /** What the longest of them takes for a round, in simple operations, roughly. */
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

/** Rounds that loops within are taken for: shorter ones are unrolled. */
const ROUNDS = 8;

/** What an invocation takes, in simple operations, roughly. */
export function costOf(nodes: readonly IrNode[]): number {
  return nodes.reduce((sum, node) => {
    switch (node.kind) {
      case 'op': return sum + costOfOperation(node.op);
      case 'if': return sum + costOf(node.then) + costOf(node.otherwise);
      case 'block': return sum + costOf(node.body);
      case 'loop': return sum + ROUNDS * costOf(node.body);
      default: return sum;
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
