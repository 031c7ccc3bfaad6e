// Removes barriers from a compute program. The pass cuts the program into parts and adds the input `part`, which
// selects the part to run. If the invocations of a workgroup always proceed from part to part together (lockstep.ts),
// each part runs for all of them. Otherwise each lane stores the number of the part that it needs next, and a part runs
// for the lanes that wait for it. The lowest number of any invocation in the workgroup runs next, so lanes that
// diverged meet again.
//
// Variables and values that are live between parts are kept in arrays that the caller does not clear in between.
// Inputs, values that are uniform for the dispatch, and values that are cheap to compute from those are recomputed.
// Loops that contain barriers become transitions from part to part.
//
// The arrays (kept-arrays.ts):
//
//   kept array 0: number of the next part; at least IrProgram.parts when the invocation has finished
//   following kept arrays: live variables and values, per type; separate arrays for those that are quad-uniform
//   kept: all lane arrays of the program
//
// This must be the last pass, because other passes do not know this kind of array.

import type { OpName } from '../../ops';
import type { Instruction, IrNode, IrProgram, ScalarType, ValueId } from '../../program';
import { definitionsOf, forEachInstruction, forEachNode, mapArguments, type Definitions } from '../../walk';
import { dropUnused } from '../dead';
import { nextPartFirst, nonUniformVariables, placeVariables, type KeptVariables } from './kept-arrays';
import { liveAtStarts } from './part-liveness';
import { headsOf, crossesBarrier, Segments, through, type Segment } from './segments';
import { structure } from '../structure';
import { isLockstep, type PartTransition } from './lockstep';
import { findUniform } from '../uniform';

/**
 * Cuts a program into parts; returns it unchanged if it has no barrier. Tests set `allowLockstep` to cover both cases.
 */
export function cutAtBarriers(program: IrProgram, allowLockstep = true): IrProgram {
  let found = false;
  forEachInstruction(program.body, ({ op }) => {
    found ||= op === 'barrier';
  });
  return found ? new PartSplitter(program, allowLockstep).program() : program;
}

/** Integer operations that are cheaper to repeat than to keep, and the maximum number of them per value. */
const CHEAP = new RegExp(
  `^(${[
    'int\\.(add|sub|mul|shl|and|or|xor|neg|not|cast|eq|ne|fromBool)',
    '[iu]32\\.(shr|lt|le|gt|ge|min|max)',
    'bool\\.(and|or|not)',
    'select',
  ].join('|')})$`
);
const MAX_CHEAP_OPERATIONS = 8;
/** Maximum number of rounds to find the kept values that are quad-uniform, that is, equal in all lanes of a quad. */
const MAX_ROUNDS = 6;

class PartSplitter {
  private readonly values: ScalarType[];
  private readonly variables: { name: string; type: ScalarType }[];
  /** Constants and uniform values, before all parts. */
  private readonly prelude: IrNode[] = [];
  private readonly constants = new Map<string, ValueId>();
  private readonly inputs = new Map<ValueId, Instruction>();
  private readonly segments: Segments;
  private readonly heads: readonly Segment[];
  /** The index of the part that starts with each head. */
  private readonly numbers: ReadonlyMap<Segment, number>;
  private readonly parts: IrNode[][];
  /** Labels from here on are transitions to the part of that number; the last one ends the program. */
  private readonly ways: number;
  private labels: number;
  private readonly partTransitions: readonly PartTransition[][];
  private readonly together: boolean;
  private readonly definitions: Definitions;

  constructor(
    private readonly source: IrProgram,
    allowLockstep: boolean
  ) {
    this.values = [...source.values];
    this.variables = [...source.variables];
    const body = this.withoutUniform(source.body, findUniform(source));
    let labels = 0;
    forEachNode(source.body, (node) => {
      if (node.kind === 'block' || node.kind === 'loop') labels = Math.max(labels, node.label + 1);
    });
    this.definitions = definitionsOf(body);
    this.ways = labels;
    this.segments = new Segments(body);
    this.heads = headsOf(this.segments);
    this.numbers = new Map(this.heads.map((head, index) => [head, index]));
    this.labels = labels + this.heads.length + 1;
    this.partTransitions = this.heads.map(() => []);
    this.parts = this.heads.map((head, index) => this.write(head, this.partTransitions[index]!));
    this.together = allowLockstep && isLockstep(this.partTransitions);
  }

  program(): IrProgram {
    this.parts.forEach((_, index) => this.importValues(index));
    if (this.carriers.size > 0)
      this.parts.forEach((nodes, index) => {
        this.parts[index] = this.carried(nodes);
      });
    const { liveAt } = liveAtStarts(this.parts, this.ways);
    // Assume agreement on all variables, then remove those for which it fails.
    const quadUniform = new Set(this.together ? liveAt.slice(1).flatMap((live) => [...live]) : []);
    for (let round = 0; ; round++) {
      const kept = placeVariables(liveAt, this.variables, this.source.arrays.length, quadUniform);
      const program = this.assembled(liveAt, kept);
      const broken = quadUniform.size === 0 ? [] : nonUniformVariables(program, kept, this.source.arrays.length);
      if (broken.length === 0) return nextPartFirst(dropUnused(program));
      if (round === MAX_ROUNDS) quadUniform.clear();
      for (const variable of broken) quadUniform.delete(variable);
    }
  }

  /** The program with its live variables stored in the kept arrays. */
  private assembled(liveAt: readonly ReadonlySet<number>[], kept: KeptVariables): IrProgram {
    const { source, heads, together } = this;
    const outside = { values: this.values.length, prelude: this.prelude.length };
    const bodies = this.parts.map((nodes, index) => this.finished(nodes, index, liveAt, kept.places));
    const part = this.op(this.prelude, 'input', 'u32', [], source.inputs.length);
    const body = [...this.prelude, ...this.choose(part, bodies, 0)];
    const arrays = [
      ...source.arrays.map((array) => (array.constants === undefined ? { ...array, kept: true } : array)),
      ...kept.arrays,
    ];
    const assembled = structure({
      ...source,
      values: [...this.values],
      variables: this.variables,
      arrays,
      inputs: [...source.inputs, { kind: 'builtin', builtin: 'part', type: 'u32' }],
      body,
      parts: heads.length,
      ...(together && { partsInLockstep: true }),
    });
    // The next round starts from the same state.
    this.values.length = outside.values;
    this.prelude.length = outside.prelude;
    this.constants.clear();
    return assembled;
  }

  /** Moves uniform values into the prelude and collects the inputs. */
  private withoutUniform(nodes: readonly IrNode[], uniform: ReadonlySet<ValueId>): IrNode[] {
    return nodes.flatMap((node): IrNode[] => {
      switch (node.kind) {
        case 'op':
          if (node.op === 'input') this.inputs.set(node.results[0]!, node);
          else if (node.results.length === 0 || !uniform.has(node.results[0]!)) return [node];
          else this.prelude.push(node);
          return [];
        case 'leave':
          return [node];
        case 'if':
          return [
            {
              ...node,
              then: this.withoutUniform(node.then, uniform),
              otherwise: this.withoutUniform(node.otherwise, uniform),
            },
          ];
        default:
          return [{ ...node, body: this.withoutUniform(node.body, uniform) }];
      }
    });
  }

  private op(out: IrNode[], op: OpName, type: ScalarType, args: readonly ValueId[], imm: number): ValueId {
    const result = this.values.push(type) - 1;
    out.push({ kind: 'op', op, results: [result], args, imm });
    return result;
  }

  private number(value: number): ValueId {
    const key = `${value}`;
    let id = this.constants.get(key);
    if (id === undefined) this.constants.set(key, (id = this.op(this.prelude, 'const', 'u32', [], value)));
    return id;
  }

  /** The nodes of a part. Each exit from it is labelled as a transition. */
  private write(head: Segment, ways: PartTransition[]): IrNode[] {
    const out: IrNode[] = [];
    const visit = (segment: Segment, to: IrNode[]): void => {
      to.push(...this.withWays(segment.nodes, ways));
      const { end } = segment;
      if (end === null) to.push(this.way(null, ways));
      else if (end.kind === 'go') this.follow(end.to, to, ways, visit);
      else {
        const [then, otherwise] = [end.then, end.otherwise].map((side) => {
          const nodes: IrNode[] = [];
          this.follow(side, nodes, ways, visit);
          return nodes;
        });
        to.push({ kind: 'if', condition: end.condition, then: then!, otherwise: otherwise! });
      }
    };
    visit(head, out);
    return out;
  }

  private follow(
    target: Segment,
    out: IrNode[],
    ways: PartTransition[],
    visit: (segment: Segment, to: IrNode[]) => void
  ): void {
    const to = through(target);
    if (this.numbers.has(to) || isEmpty(to)) out.push(this.way(target, ways));
    else visit(to, out);
  }

  private way(target: Segment | null, ways: PartTransition[]): IrNode {
    const to = (target === null ? undefined : this.numbers.get(through(target))) ?? this.heads.length;
    ways.push({ to, crossesBarrier: target !== null && crossesBarrier(target) });
    return { kind: 'leave', label: this.ways + to };
  }

  /** Turns each Leave of a construct that was taken apart into a transition. */
  private withWays(nodes: readonly IrNode[], ways: PartTransition[]): IrNode[] {
    return mapLeaves(nodes, (node) => {
      const exit = this.segments.exits.get(node.label);
      return [exit === undefined ? node : this.way(exit, ways)];
    });
  }

  /** Makes inputs, and values of other parts (through variables), available at the start of a part. */
  private importValues(index: number): void {
    const nodes = this.parts[index]!;
    const own = new Set<ValueId>();
    const brought = new Map<ValueId, ValueId>();
    const start: IrNode[] = [];
    forEachInstruction(nodes, ({ results }) => {
      for (const id of results) own.add(id);
    });
    const bring = (id: ValueId): ValueId => {
      ask(id);
      return brought.get(id) ?? id;
    };
    const ask = (id: ValueId): void => {
      if (own.has(id) || brought.has(id) || this.isEverywhere(id)) return;
      const input = this.inputs.get(id);
      const type = this.values[id]!;
      if (input !== undefined) brought.set(id, this.op(start, 'input', type, [], input.imm));
      else if (this.costOf(id) <= MAX_CHEAP_OPERATIONS) {
        const { op, args, imm } = this.definitions.get(id)!;
        brought.set(id, this.op(start, op, type, args.map(bring), imm));
      } else brought.set(id, this.op(start, 'var.get', type, [], this.crossing(id)));
    };
    forEachNode(nodes, (node) => {
      if (node.kind === 'op') node.args.forEach(ask);
      else if (node.kind === 'if') ask(node.condition);
    });
    this.parts[index] = [...start, ...mapArguments(nodes, (id) => brought.get(id) ?? id)];
  }

  private readonly costs = new Map<ValueId, number>();
  /** Number of operations to recompute a value from inputs and values available in all parts; large if impossible. */
  private costOf(id: ValueId): number {
    if (this.isEverywhere(id) || this.inputs.has(id)) return 0;
    let cost = this.costs.get(id);
    if (cost === undefined) {
      const definition = this.definitions.get(id);
      cost = Infinity;
      if (definition !== undefined && CHEAP.test(definition.op))
        cost = definition.args.reduce((sum, arg) => (sum > MAX_CHEAP_OPERATIONS ? sum : sum + this.costOf(arg)), 1);
      this.costs.set(id, cost);
    }
    return cost;
  }

  private everywhere: ReadonlySet<ValueId> | null = null;
  private isEverywhere(id: ValueId): boolean {
    this.everywhere ??= new Set(this.prelude.flatMap((node) => (node.kind === 'op' ? node.results : [])));
    return this.everywhere.has(id);
  }

  /** The variable that carries a value from its part to others. */
  private readonly carriers = new Map<ValueId, number>();
  private crossing(id: ValueId): number {
    let variable = this.carriers.get(id);
    if (variable === undefined) {
      variable = this.variables.push({ name: `%${id}`, type: this.values[id]! }) - 1;
      this.carriers.set(id, variable);
    }
    return variable;
  }

  /** The nodes of a part. A set of the carrier follows each definition of a carried value. */
  private carried(nodes: readonly IrNode[]): IrNode[] {
    return nodes.flatMap((node): IrNode[] => {
      switch (node.kind) {
        case 'op':
          return [node, ...this.setsBehind(node)];
        case 'leave':
          return [node];
        case 'if':
          return [{ ...node, then: this.carried(node.then), otherwise: this.carried(node.otherwise) }];
        default:
          return [{ ...node, body: this.carried(node.body) }];
      }
    });
  }

  /** Among several results, the carrier that was created last is set first. */
  private setsBehind({ results }: Instruction): IrNode[] {
    return results
      .filter((id) => this.carriers.has(id))
      .sort((a, b) => this.carriers.get(b)! - this.carriers.get(a)!)
      .map((id) => ({ kind: 'op', op: 'var.set', results: [], args: [id], imm: this.carriers.get(id)! }));
  }

  /** Adds loads at the start of a part and stores before its exits. */
  private finished(
    nodes: readonly IrNode[],
    index: number,
    liveAt: readonly ReadonlySet<number>[],
    places: KeptVariables['places']
  ): IrNode[] {
    const touched = new Set<number>();
    const set = new Set<number>();
    const out: IrNode[] = [];
    forEachInstruction(nodes, ({ op, imm }) => {
      if (op === 'var.get' || op === 'var.set') touched.add(imm);
      if (op === 'var.set') set.add(imm);
    });
    if (index > 0) {
      for (const variable of liveAt[index]!) {
        if (!touched.has(variable)) continue;
        const { array, element } = places.get(variable)!;
        const { type } = this.variables[variable]!;
        const value = this.op(out, 'array.load', type, [this.number(element)], array);
        out.push({ kind: 'op', op: 'var.set', results: [], args: [value], imm: variable });
      }
    }
    const label = this.labels++;
    const leave = (part: number): IrNode[] => [
      ...this.stores(liveAt[part] ?? NONE, set, places),
      this.storeNext(part),
      { kind: 'leave', label },
    ];
    return [
      {
        kind: 'block',
        label,
        body: [...out, ...(this.together ? this.gathered(nodes, index, leave) : this.parted(nodes, leave))],
      },
    ];
  }

  /** Lanes branch to their next parts directly. */
  private parted(nodes: readonly IrNode[], leave: (part: number) => readonly IrNode[]): IrNode[] {
    return mapLeaves(nodes, (node) => {
      const part = node.label - this.ways;
      return part < 0 ? [node] : leave(part);
    });
  }

  /** Lanes with the same next part converge first. */
  private gathered(nodes: readonly IrNode[], index: number, leave: (part: number) => readonly IrNode[]): IrNode[] {
    const labels = new Map(
      [...new Set(this.partTransitions[index]!.map(({ to }) => to))].map((to) => [to, this.labels++])
    );
    let body = mapLeaves(nodes, (node) => {
      const label = labels.get(node.label - this.ways);
      return [label === undefined ? node : { kind: 'leave', label }];
    });
    for (const [to, label] of labels) body = [{ kind: 'block', label, body }, ...leave(to)];
    return body;
  }

  private stores(live: ReadonlySet<number>, set: ReadonlySet<number>, places: KeptVariables['places']): IrNode[] {
    const out: IrNode[] = [];
    for (const variable of live) {
      if (!set.has(variable)) continue;
      const { array, element } = places.get(variable)!;
      const value = this.op(out, 'var.get', this.variables[variable]!.type, [], variable);
      out.push({ kind: 'op', op: 'array.store', results: [], args: [this.number(element), value], imm: array });
    }
    return out;
  }

  private storeNext(part: number): IrNode {
    return {
      kind: 'op',
      op: 'array.store',
      results: [],
      args: [this.number(0), this.number(part)],
      imm: this.source.arrays.length,
    };
  }

  /** Selects one of the parts from `first` on by binary search. */
  private choose(part: ValueId, bodies: readonly (readonly IrNode[])[], first: number): IrNode[] {
    if (bodies.length === 1) return [...bodies[0]!];
    const half = bodies.length >> 1;
    const out: IrNode[] = [];
    const condition = this.op(out, 'u32.lt', 'bool', [part, this.number(first + half)], 0);
    out.push({
      kind: 'if',
      condition,
      then: this.choose(part, bodies.slice(0, half), first),
      otherwise: this.choose(part, bodies.slice(half), first + half),
    });
    return out;
  }
}

const NONE: ReadonlySet<number> = new Set();
const isEmpty = ({ nodes, end }: Segment): boolean => nodes.length === 0 && end === null;

function mapLeaves(
  nodes: readonly IrNode[],
  replace: (node: Extract<IrNode, { kind: 'leave' }>) => readonly IrNode[]
): IrNode[] {
  return nodes.flatMap((node): readonly IrNode[] => {
    switch (node.kind) {
      case 'op':
        return [node];
      case 'leave':
        return replace(node);
      case 'if':
        return [{ ...node, then: mapLeaves(node.then, replace), otherwise: mapLeaves(node.otherwise, replace) }];
      default:
        return [{ ...node, body: mapLeaves(node.body, replace) }];
    }
  });
}
