// Unrolls loops with a small, known number of iterations. Their counters become constants, and arrays that are indexed
// by them can be split into scalars. The pass counts the iterations by executing the body on known values, so any kind
// of counter works.

import { opInfo } from '../ops';
import type { IrNode, IrProgram, ScalarType, ValueId } from '../program';
import { countNodes, forEachNode, hasLoop, mapArguments, variablesSet } from '../walk';
import { fold, type ConstantMath } from './fold';

const MAX_ROUNDS = 16;
/** Maximum number of nodes of all copies together. */
const MAX_NODES = 640;
/**
 * Maximum size in nodes of a program that grows by unrolling. V8 takes about 18 ms to compile 4 000 operations, and a
 * node becomes about one operation for each pair of quads.
 */
const MAX_PROGRAM_NODES = 1600;

/** Variables whose bits are known at a point. */
type Known = Map<number, number>;

class Unrolling {
  readonly values: ScalarType[];
  private readonly constants = new Map<ValueId, number>();
  private nextLabel = 0;
  /** Number of nodes that may still be added. */
  private room: number;
  changed = false;

  constructor(
    private readonly program: IrProgram,
    private readonly math: ConstantMath
  ) {
    this.values = [...program.values];
    this.room = MAX_PROGRAM_NODES - countNodes(program.body);
    forEachNode(program.body, (node) => {
      if (node.kind === 'block' || node.kind === 'loop') this.nextLabel = Math.max(this.nextLabel, node.label + 1);
    });
  }

  run(): IrProgram {
    // Large programs are not unrolled at all.
    if (this.room < 0) return this.program;
    const known: Known = new Map(this.program.variables.map((_, index) => [index, 0]));
    const body = this.list(this.program.body, known);
    return this.changed ? { ...this.program, values: this.values, body } : this.program;
  }

  /** Rebuilds a list. `known` describes the state before the list and is updated to the state after it. */
  private list(nodes: readonly IrNode[], known: Known): IrNode[] {
    return nodes.map((node): IrNode => {
      switch (node.kind) {
        case 'op':
          this.step(node, known, this.constants);
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
    const rounds = this.countRounds(loop.body, entry, Math.min(MAX_ROUNDS, Math.floor(MAX_NODES / size) - 1));
    if (rounds === null || size * (rounds - 1) > this.room) return loop;
    this.room -= size * (rounds - 1);
    this.changed = true;
    const copies = Array.from({ length: rounds }, (_, k) =>
      k === 0 ? [...loop.body] : this.copy(loop.body, loop.label)
    ).flat();
    return { kind: 'block', label: loop.label, body: trimmed(copies) };
  }

  /** Number of iterations until control certainly leaves, including the last one; null if more than `limit` + 1. */
  private countRounds(body: readonly IrNode[], entry: Known, limit: number): number | null {
    const known = new Map(entry);
    for (let round = 1; round <= limit + 1; round++) {
      if (this.simulate(body, known, new Map(), new Set()) !== null) return round;
      if (known.size === 0) return null;
    }
    return null;
  }

  /**
   * Executes nodes on known values. Returns the label that control certainly leaves, or null. `skipped` collects the
   * labels that some lanes may have left earlier, under unknown conditions.
   */
  private simulate(
    nodes: readonly IrNode[],
    known: Known,
    values: Map<ValueId, number>,
    skipped: Set<number>
  ): number | null {
    for (const node of nodes) {
      if (node.kind === 'op') this.step(node, known, values);
      else if (node.kind === 'leave') return node.label;
      else if (node.kind === 'if') {
        const condition = values.get(node.condition) ?? this.constants.get(node.condition);
        if (condition === undefined) {
          for (const branch of [node.then, node.otherwise]) {
            forget(known, branch);
            forEachNode(branch, (inner) => {
              if (inner.kind === 'leave') skipped.add(inner.label);
            });
          }
          continue;
        }
        const left = this.simulate(condition !== 0 ? node.then : node.otherwise, known, values, skipped);
        if (left !== null) return left;
      } else if (node.kind === 'block') {
        const left = this.simulate(node.body, known, values, skipped);
        // Lanes that left the block earlier continue here, and its variables may differ for them.
        if (skipped.has(node.label)) {
          forget(known, node.body);
          // The remaining lanes left for an outer label and do not continue here.
          if (left !== null) skipped.add(left);
        } else if (left !== null && left !== node.label) {
          return left;
        }
      } else {
        forget(known, node.body);
        forEachNode(node.body, (inner) => {
          if (inner.kind === 'leave') skipped.add(inner.label);
        });
      }
    }
    return null;
  }

  private step(node: Extract<IrNode, { kind: 'op' }>, known: Known, values: Map<ValueId, number>): void {
    const bits = (id: ValueId): number | undefined => values.get(id) ?? this.constants.get(id);
    if (node.op === 'const') values.set(node.results[0]!, node.imm);
    else if (node.op === 'var.set') setOrForget(known, node.imm, bits(node.args[0]!));
    else if (node.op === 'var.get') setOrForget(values, node.results[0]!, known.get(node.imm));
    else if (opInfo(node.op).pure && node.results.length === 1) {
      const args = node.args.map(bits);
      const result =
        args.length > 0 && args.every((arg) => arg !== undefined) ? fold(node.op, args, this.math) : undefined;
      setOrForget(values, node.results[0]!, result);
    }
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

function setOrForget(map: Map<number, number>, key: number, bits: number | undefined): void {
  if (bits === undefined) map.delete(key);
  else map.set(key, bits);
}

function forget(known: Known, nodes: readonly IrNode[]): void {
  for (const variable of variablesSet(nodes)) known.delete(variable);
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
