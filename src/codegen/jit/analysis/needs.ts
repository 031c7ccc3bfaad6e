// Decides what to emit of a program: which operations are needed, how often each value is used, and which values are
// computed where they are used instead of being kept in a local.

import { opInfo, writesOutside, type OpName, type ValueId } from '../../../ir';
import type { Control, Loop, Operation } from '../../control';
import { isAlias } from '../../operations';

/** Maximum length of a chain of operations without a local. It bounds recursion in this code and in engines. */
const MAX_DEPTH = 40;
/**
 * Maximum distance in nodes at which a value is computed at its use. A longer delay would extend the lifetime of its
 * operands.
 */
const NEAR = 10;

export interface Needs {
  /** By position: 1 for operations with an effect or a needed result. */
  readonly needed: Uint8Array;
  /** By value: number of reads; reads of aliases count for the original value. */
  readonly uses: Int32Array;
  /** By value: nonzero if it is computed at its only use; then the depth of the chain that it ends. */
  readonly inPlace: Uint8Array;
}

/**
 * `given`: by value, not negative if it is available without computation. `kept`: operations whose results are never
 * computed in place.
 */
export function findNeeds({ events, roots }: Control, given: Int32Array, kept: (op: OpName) => boolean): Needs {
  const needed = new Uint8Array(events.length);
  const uses = new Int32Array(roots.length);
  const inPlace = new Uint8Array(roots.length);
  /** By value: position of the first use, which is the only one if there is one. */
  const users = new Int32Array(roots.length);
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!;
    if (event.kind !== 'op') {
      const root = roots[event.condition]!;
      uses[root]!++;
      users[root] = i;
    } else if (isNeeded(event, uses, given)) {
      needed[i] = 1;
      const { args } = event.instruction;
      for (let k = 0; k < args.length; k++) {
        const root = roots[args[k]!]!;
        uses[root]!++;
        users[root] = i;
      }
    }
  }
  for (let i = 0; i < events.length; i++) {
    const event = events[i]!;
    if (event.kind !== 'op' || needed[i] === 0) continue;
    const { op, args, results } = event.instruction;
    if (results.length !== 1 || uses[results[0]!] !== 1) continue;
    const user = users[results[0]!]!;
    if (user - i > NEAR || events[user]!.list !== event.list) continue;
    if (!opInfo(op).pure || op.startsWith('texture.') || kept(op)) continue;
    let depth = 1;
    for (let k = 0; k < args.length; k++) depth = Math.max(depth, 1 + inPlace[roots[args[k]!]!]!);
    if (depth <= MAX_DEPTH) inPlace[results[0]!] = depth;
  }
  return { needed, uses, inPlace };
}

function isNeeded({ instruction: { op, results } }: Operation, uses: Int32Array, given: Int32Array): boolean {
  if (isAlias(op) || op === 'const') return false;
  for (let k = 0; k < results.length; k++) if (uses[results[k]!]! > 0 && given[results[k]!]! < 0) return true;
  return results.length === 0 || writesOutside(op);
}

/**
 * For each loop, the values that are computed before it and used only in it. Engines place pure operations where their
 * results are first read. If that is in the loop, after one of its exits, they would execute in each iteration.
 */
export function findLoopConstants(
  { events, definitions, roots }: Control,
  { needed, uses, inPlace }: Needs
): Map<Loop, ValueId[]> {
  const inside = new Map<Loop, Map<ValueId, number>>();
  const note = (id: ValueId, loops: readonly Loop[]): void => {
    const root = roots[id]!;
    const loop = loops[definitions[root]!.loops.length];
    if (loop === undefined) return;
    let counts = inside.get(loop);
    if (counts === undefined) inside.set(loop, (counts = new Map()));
    counts.set(root, (counts.get(root) ?? 0) + 1);
  };
  for (const event of events) {
    if (event.kind !== 'op') note(event.condition, event.loops);
    else if (needed[event.position] === 1) for (const id of event.instruction.args) note(id, event.loops);
  }
  const found = new Map<Loop, ValueId[]>();
  for (const [loop, counts] of inside) {
    const alone = [...counts]
      .filter(
        ([root, count]) => count === uses[root] && inPlace[root] === 0 && isComputed(definitions[root]!.instruction.op)
      )
      .map(([root]) => root);
    if (alone.length > 0) found.set(loop, alone);
  }
  return found;
}

/** Whether an operation is arithmetic rather than a load. */
const isComputed = (op: OpName): boolean =>
  opInfo(op).pure && !/^(const|input|(buffer|texture|var|surface)\.)/.test(op);
