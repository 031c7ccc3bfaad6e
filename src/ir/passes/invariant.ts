// Hoists loop-invariant code. All pure operations are total, so it is not observable if a hoisted operation runs that
// no iteration would have reached. Texture reads leave loops that certainly repeat: elsewhere, a page of a streamed
// texture might be requested that no lane needs. Derivatives stay in place.

import { opInfo, type OpName } from '../ops';
import type { IrNode, IrProgram, ValueId } from '../program';
import { forEachInstruction, hasLoop } from '../walk';
import type { ConstantMath } from './fold';
import { repeatingLoops } from './iterations';

const isTextureRead = (op: OpName): boolean => op.startsWith('texture.');

function movable(op: OpName): boolean {
  return opInfo(op).pure && !isTextureRead(op) && !op.startsWith('ddx') && !op.startsWith('ddy');
}

class Hoisting {
  /** Whether a node has left a loop. */
  changed = false;

  /** `repeating`: loops whose first iteration all lanes complete. */
  constructor(private readonly repeating: ReadonlySet<IrNode>) {}

  /** Rebuilds a list, and moves invariant nodes out of each loop to just before it. */
  list(nodes: readonly IrNode[]): IrNode[] {
    return nodes.flatMap((node): IrNode[] => {
      switch (node.kind) {
        case 'op':
        case 'leave':
          return [node];
        case 'if':
          return [{ ...node, then: this.list(node.then), otherwise: this.list(node.otherwise) }];
        case 'block':
          return [{ ...node, body: this.list(node.body) }];
        case 'loop': {
          const hoisted: IrNode[] = [];
          const body = split(this.list(node.body), new Set(), hoisted, this.repeating.has(node));
          this.changed ||= hoisted.length > 0;
          return [...hoisted, { ...node, body }];
        }
      }
    });
  }
}

/**
 * Takes movable nodes out of a loop's body, but not out of its branches, which may never run. `all`: whether all lanes
 * that enter the loop run all nodes of the list, so that texture reads are movable, too.
 */
function split(nodes: readonly IrNode[], inside: Set<ValueId>, hoisted: IrNode[], all: boolean): IrNode[] {
  const kept: IrNode[] = [];
  for (const node of nodes) {
    if (node.kind === 'op') {
      const moves = movable(node.op) || (all && isTextureRead(node.op) && opInfo(node.op).pure);
      if (moves && !node.args.some((id) => inside.has(id))) {
        hoisted.push(node);
        continue;
      }
      for (const id of node.results) inside.add(id);
    }
    // A block's body runs whenever the block does, but lanes may leave it early.
    kept.push(node.kind === 'block' ? { ...node, body: split(node.body, inside, hoisted, false) } : node);
    if (node.kind === 'if' || node.kind === 'loop')
      defined(node.kind === 'if' ? [...node.then, ...node.otherwise] : node.body, inside);
  }
  return kept;
}

function defined(nodes: readonly IrNode[], into: Set<ValueId>): void {
  for (const node of nodes) {
    if (node.kind === 'op') for (const id of node.results) into.add(id);
    else if (node.kind === 'if') defined([...node.then, ...node.otherwise], into);
    else if (node.kind !== 'leave') defined(node.body, into);
  }
}

/** Returns the same program if there is nothing to hoist. */
export function hoistInvariants(program: IrProgram, math: ConstantMath): IrProgram {
  if (!hasLoop(program.body)) return program;
  let reads = false;
  forEachInstruction(program.body, ({ op }) => {
    reads ||= isTextureRead(op);
  });
  const hoisting = new Hoisting(reads ? repeatingLoops(program, math) : new Set());
  const body = hoisting.list(program.body);
  return hoisting.changed ? { ...program, body } : program;
}
