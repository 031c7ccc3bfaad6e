// Finds texture reads in programs that also write to buffers or textures. A streamed texture may have non-resident
// pages (assembly/layout/texture/texture-stream.ts), and a shader that must run again cannot undo its writes.

import { accessUse } from './accesses';
import { readsTexture, writesOutside } from './ops';
import type { Instruction, IrNode, IrProgram, ValueId } from './program';
import { forEachInstruction } from './walk';

interface StreamedReads {
  /** Resource indices of textures that are read after something may have been written, even by an earlier iteration. */
  readonly afterWrites: ReadonlySet<number>;
  /** Whether texture data controls how often a loop iterates. If reads return zeros, such a loop might never end. */
  readonly endsLoops: boolean;
}

const found = new WeakMap<readonly IrNode[], StreamedReads>();
export function streamedReads(program: Pick<IrProgram, 'body'>): StreamedReads {
  let reads = found.get(program.body);
  if (reads === undefined) {
    reads = { afterWrites: readAfterWrites(program.body), endsLoops: endsLoops(program.body) };
    found.set(program.body, reads);
  }
  return reads;
}

function anyReads(body: readonly IrNode[]): boolean {
  let reads = false;
  forEachInstruction(body, ({ op }) => {
    reads ||= readsTexture(op);
  });
  return reads;
}

/** Whether a fragment program both writes to buffers or textures and reads textures whose pages may be non-resident. */
export const mayMiss = (program: IrProgram): boolean =>
  program.kind === 'fragment' && accessUse(program).writes && anyReads(program.body);

function readAfterWrites(body: readonly IrNode[]): ReadonlySet<number> {
  const textures = new Set<number>();
  /** Whether something may have been written by the end of a list, given whether it has been at the start. */
  const walk = (nodes: readonly IrNode[], before: boolean): boolean => {
    let wrote = before;
    for (const node of nodes) {
      if (node.kind === 'op') {
        if (wrote && readsTexture(node.op)) textures.add(node.texture?.texture ?? node.imm);
        wrote ||= writesOutside(node.op);
        // Divergent lanes run the branches one after the other, but they park together.
      } else if (node.kind === 'if') wrote = walk(node.otherwise, walk(node.then, wrote));
      else if (node.kind === 'block') wrote = walk(node.body, wrote);
      else if (node.kind === 'loop' && walk(node.body, wrote) && !wrote) wrote = walk(node.body, true);
    }
    return wrote;
  };
  walk(body, false);
  return textures;
}

/** Whether lanes leave an iteration or the loop on a condition that depends on texture data. */
function endsLoops(body: readonly IrNode[]): boolean {
  const values = new Set<ValueId>();
  const variables = new Set<number>();
  const arrays = new Set<number>();
  let isFound = false;
  const take = ({ op, imm, args, results }: Instruction, decided: boolean, isTexture: boolean): void => {
    let depends = isTexture || args.some((id) => values.has(id));
    if (op === 'var.set' && (depends || decided)) variables.add(imm);
    else if (op === 'array.store' && (depends || decided)) arrays.add(imm);
    depends ||= (op === 'var.get' && variables.has(imm)) || (op === 'array.load' && arrays.has(imm));
    if (depends) for (const id of results) values.add(id);
  };
  /** `decided`: whether texture data decides which lanes get here. */
  const walk = (nodes: readonly IrNode[], decided: boolean, isInLoop: boolean): void => {
    for (const node of nodes) {
      if (node.kind === 'op') take(node, decided, readsTexture(node.op));
      else if (node.kind === 'leave') isFound ||= decided && isInLoop;
      else if (node.kind === 'if') {
        const isDecided = decided || values.has(node.condition);
        walk(node.then, isDecided, isInLoop);
        walk(node.otherwise, isDecided, isInLoop);
      } else walk(node.body, decided, isInLoop || node.kind === 'loop');
    }
  };
  if (!anyReads(body)) return false;
  // Each iteration sees what the previous one stored, so the walk repeats until nothing changes.
  for (let known = -1; known < variables.size + arrays.size && !isFound;) {
    known = variables.size + arrays.size;
    walk(body, false, false);
  }
  return isFound;
}
