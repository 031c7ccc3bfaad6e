// What of a program is emitted: which operations are needed, how often each value is used, and which values are
// computed where they are used instead of being kept in a local.

import { opInfo, writesOutside, type OpName, type ValueId } from '../../ir';
import type { Control, Loop, Operation } from '../control';
import { isAlias } from '../operations';

/**
 * A chain of operations that is longer than this is cut by a local: neither this code nor an engine recurses deeper.
 */
const DEEPEST = 40;
/** A value is computed at its use only if that is so near: what waits longer keeps its own operands waiting. */
const NEAR = 10;

export interface Needs {
  /** By position: 1 for operations with an effect, or a result that is needed. */
  readonly needed: Uint8Array;
  /** By value: how often it is read; aliases count for what they stand for. */
  readonly uses: Int32Array;
  /** By value: not 0 where it is computed at its only use; how deep a chain it is the end of. */
  readonly inPlace: Uint8Array;
}

/**
 * `given`: by value, whether it is had without computing it (not negative); `kept`: operations whose results are never
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
    if (depth <= DEEPEST) inPlace[results[0]!] = depth;
  }
  return { needed, uses, inPlace };
}

function isNeeded({ instruction: { op, results } }: Operation, uses: Int32Array, given: Int32Array): boolean {
  if (isAlias(op) || op === 'const') return false;
  for (let k = 0; k < results.length; k++) if (uses[results[k]!]! > 0 && given[results[k]!]! < 0) return true;
  return results.length === 0 || writesOutside(op);
}

/**
 * By loop: what is computed before it for the loop alone. Engines put pure operations where their results are first
 * read, also into a loop, where that is behind one of its exits: there they would be done in each round.
 */
export function findLoopConstants(
  { events, definitions, roots }: Control, { needed, uses, inPlace }: Needs
): Map<Loop, ValueId[]> {
  const inside = new Map<Loop, Map<ValueId, number>>();
  const note = (id: ValueId, loops: readonly Loop[]): void => {
    const root = roots[id]!, loop = loops[definitions[root]!.loops.length];
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
    const alone = [...counts].filter(([root, count]) => count === uses[root] && inPlace[root] === 0
      && isComputed(definitions[root]!.instruction.op)).map(([root]) => root);
    if (alone.length > 0) found.set(loop, alone);
  }
  return found;
}

/** Whether an operation is arithmetic, and no load. */
const isComputed = (op: OpName): boolean => opInfo(op).pure
  && !/^(const|input|(buffer|texture|var|surface)\.)/.test(op);
