// Hoists loop-invariant code. All pure operations are total, so it is not observable if a hoisted operation runs that
// no iteration would have reached. Derivatives and texture reads stay in place, because they depend on the active
// lanes.

import { opInfo, type OpName } from '../ops';
import type { IrNode, IrProgram, ValueId } from '../program';
import { hasLoop } from '../walk';

function movable(op: OpName): boolean {
  return opInfo(op).pure && !op.startsWith('texture.') && !op.startsWith('ddx') && !op.startsWith('ddy');
}

/** Rebuilds a list, moves invariant nodes out of each loop to just before it, and adds them to `moved`. */
function list(nodes: readonly IrNode[], moved: IrNode[]): IrNode[] {
  return nodes.flatMap((node): IrNode[] => {
    switch (node.kind) {
      case 'op':
      case 'leave':
        return [node];
      case 'if':
        return [{ ...node, then: list(node.then, moved), otherwise: list(node.otherwise, moved) }];
      case 'block':
        return [{ ...node, body: list(node.body, moved) }];
      case 'loop': {
        const hoisted: IrNode[] = [];
        const body = split(list(node.body, moved), new Set(), hoisted);
        moved.push(...hoisted);
        return [...hoisted, { ...node, body }];
      }
    }
  });
}

/** Takes movable nodes out of a loop's body, but not out of its branches, which may never run. */
function split(nodes: readonly IrNode[], inside: Set<ValueId>, hoisted: IrNode[]): IrNode[] {
  const kept: IrNode[] = [];
  for (const node of nodes) {
    if (node.kind === 'op') {
      if (movable(node.op) && !node.args.some((id) => inside.has(id))) {
        hoisted.push(node);
        continue;
      }
      for (const id of node.results) inside.add(id);
    }
    // A block's body runs whenever the block does.
    kept.push(node.kind === 'block' ? { ...node, body: split(node.body, inside, hoisted) } : node);
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
export function hoistInvariants(program: IrProgram): IrProgram {
  if (!hasLoop(program.body)) return program;
  const moved: IrNode[] = [];
  const body = list(program.body, moved);
  return moved.length > 0 ? { ...program, body } : program;
}
