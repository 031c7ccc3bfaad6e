// Unrolls loops with a small, known number of iterations. Their counters become constants, and arrays that are indexed
// by them can be split into scalars. iterations.ts counts the iterations.

import type { IrNode, IrProgram, ScalarType, ValueId } from '../program';
import { countNodes, forEachNode, hasLoop, mapArguments } from '../walk';
import type { ConstantMath } from './fold';
import { Execution, forget, knownAtStart, type Known } from './iterations';

const MAX_ROUNDS = 16;
/** Maximum number of nodes of all copies together. */
const MAX_NODES = 640;
/**
 * Maximum size in nodes of a program that grows by unrolling. V8 takes about 18 ms to compile 4 000 operations, and a
 * node becomes about one operation for each pair of quads.
 */
const MAX_PROGRAM_NODES = 1600;

class Unrolling {
  readonly values: ScalarType[];
  private readonly execution: Execution;
  private nextLabel = 0;
  /** Number of nodes that may still be added. */
  private room: number;
  changed = false;

  constructor(
    private readonly program: IrProgram,
    math: ConstantMath
  ) {
    this.execution = new Execution(math);
    this.values = [...program.values];
    this.room = MAX_PROGRAM_NODES - countNodes(program.body);
    forEachNode(program.body, (node) => {
      if (node.kind === 'block' || node.kind === 'loop') this.nextLabel = Math.max(this.nextLabel, node.label + 1);
    });
  }

  run(): IrProgram {
    // Large programs are not unrolled at all.
    if (this.room < 0) return this.program;
    const body = this.list(this.program.body, knownAtStart(this.program));
    return this.changed ? { ...this.program, values: this.values, body } : this.program;
  }

  /** Rebuilds a list. `known` describes the state before the list and is updated to the state after it. */
  private list(nodes: readonly IrNode[], known: Known): IrNode[] {
    return nodes.map((node): IrNode => {
      switch (node.kind) {
        case 'op':
          this.execution.run(node, known);
          return node;
        case 'leave':
          return node;
        case 'if': {
          const then = this.list(node.then, new Map(known));
          const otherwise = this.list(node.otherwise, new Map(known));
          forget(known, node.then);
          forget(known, node.otherwise);
          return { ...node, then, otherwise };
        }
        case 'block': {
          const body = this.list(node.body, new Map(known));
          forget(known, node.body);
          return { ...node, body };
        }
        case 'loop': {
          const entry = new Map(known);
          const inside = new Map(known);
          forget(inside, node.body);
          const body = this.list(node.body, inside);
          forget(known, node.body);
          return this.unrolled({ ...node, body }, entry);
        }
      }
    });
  }

  private unrolled(loop: Extract<IrNode, { kind: 'loop' }>, entry: Known): IrNode {
    const size = countNodes(loop.body);
    if (size * 2 > MAX_NODES) return loop;
    const rounds = this.execution.countRounds(loop.body, entry, Math.min(MAX_ROUNDS, Math.floor(MAX_NODES / size) - 1));
    if (rounds === null || size * (rounds - 1) > this.room) return loop;
    this.room -= size * (rounds - 1);
    this.changed = true;
    const copies = Array.from({ length: rounds }, (_, k) =>
      k === 0 ? [...loop.body] : this.copy(loop.body, loop.label)
    ).flat();
    return { kind: 'block', label: loop.label, body: trimmed(copies) };
  }

  /** A copy with its own values and labels; `outer` is the label of the loop itself. */
  private copy(nodes: readonly IrNode[], outer: number): IrNode[] {
    const ids = new Map<ValueId, ValueId>();
    const labels = new Map<number, number>();
    forEachNode(nodes, (node) => {
      if (node.kind === 'op') for (const id of node.results) ids.set(id, this.values.push(this.values[id]!) - 1);
      else if ((node.kind === 'block' || node.kind === 'loop') && node.label !== outer)
        labels.set(node.label, this.nextLabel++);
    });
    return mapArguments(
      nodes,
      (id) => ids.get(id) ?? id,
      (label) => labels.get(label) ?? label
    );
  }
}

/** Drops the nodes after a Leave. */
function trimmed(nodes: readonly IrNode[]): IrNode[] {
  const leave = nodes.findIndex((node) => node.kind === 'leave');
  return leave < 0 ? [...nodes] : nodes.slice(0, leave + 1);
}

/** Returns the same program if no loop is unrolled. */
export function unroll(program: IrProgram, math: ConstantMath): IrProgram {
  if (!hasLoop(program.body)) return program;
  return new Unrolling(program, math).run();
}
