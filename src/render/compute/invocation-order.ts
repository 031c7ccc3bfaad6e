// What a compute shader leaves in memory, and whether the order of its invocations can be observed there.
import { forEachInstruction, isAtomic, maxOperations, usedValues, writesOutside, type IrProgram } from '../../ir';

/** Whether a shader writes to memory that outlives its workgroups, or may never end. */
export function changesOrStays(program: IrProgram): boolean {
  let writes = false;
  forEachInstruction(program.body, ({ op, imm }) => {
    writes ||= op !== 'barrier' && writesOutside(op) && program.resources[imm]!.kind !== 'workgroup';
  });
  return writes || maxOperations(program) === Infinity;
}

/** Operations whose result in memory does not depend on their order. */
const COMMUTING = /^atomic\.(add|and|or|xor|min|max)/;

/**
 * Whether the order of invocations can be observed in the results of atomic operations, or in the words that they
 * change. Plain accesses do not matter, because races between them are not allowed. `counts`: whether a resource is
 * considered.
 */
export function ordersInvocations(program: IrProgram, counts: (resource: number) => boolean): boolean {
  const touched = new Set<number>();
  const used = usedValues(program.body);
  /** The only operation used on each resource so far. */
  const operations = new Map<number, string>();
  let ordered = false;
  forEachInstruction(program.body, ({ op, imm, results }) => {
    if (op === 'image.load') ordered = true;
    else if (op.startsWith('storage.')) touched.add(imm);
    else if (isAtomic(op) && counts(imm)) {
      ordered ||= !COMMUTING.test(op) || results.some((id) => used.has(id)) || (operations.get(imm) ?? op) !== op;
      operations.set(imm, op);
    }
  });
  return ordered || [...operations.keys()].some((resource) => touched.has(resource));
}
