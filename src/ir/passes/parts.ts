// A compute program with barriers becomes one without: it is cut into parts, and is run for one at a time, which its
// input `part` names. Each lane keeps the number of the part that it comes to next, so that a part is run for those
// lanes that wait for it, and lanes that went different ways meet again: the lowest number that any invocation of the
// workgroup has is run next. What lives from part to part is kept in arrays that nobody clears in between; values that
// are the same for the whole dispatch, and inputs, are had anew. Loops that hold barriers are ways from part to part.
//
//   kept array 0: number of the part that is next, at least IrProgram.parts when the invocation is done
//   kept arrays behind it: variables and values that live across, of each type
//   kept: all lane arrays of the program
//
// It is the last pass: arrays of this kind are none that others know.

import type { OpName } from '../ops';
import type { Instruction, IrNode, IrProgram, ScalarType, ValueId } from '../program';
import { forEachInstruction, forEachNode, mapArguments } from '../walk';
import { dropUnused } from './dead';
import { liveAtStarts } from './part-liveness';
import { headsOf, Segments, through, type Segment } from './segments';
import { structure } from './structure';
import { findUniform } from './uniform';

/** The program in parts; as it is, where it has no barrier. */
export function cutAtBarriers(program: IrProgram): IrProgram {
  let found = false;
  forEachInstruction(program.body, ({ op }) => { found ||= op === 'barrier'; });
  return found ? new Cut(program).program() : program;
}

class Cut {
  private readonly values: ScalarType[];
  private readonly variables: { name: string; type: ScalarType }[];
  /** Constants and what is uniform, before all parts. */
  private readonly prelude: IrNode[] = [];
  private readonly constants = new Map<string, ValueId>();
  private readonly inputs = new Map<ValueId, Instruction>();
  private readonly segments: Segments;
  private readonly heads: readonly Segment[];
  private readonly parts: IrNode[][];
  /** Labels from here on are ways to parts, by their number; the last one ends. */
  private readonly ways: number;
  private readonly kept: { name: string; type: ScalarType; length: number; kept: true }[] = [
    { name: 'next part', type: 'u32', length: 1, kept: true },
  ];

  constructor(private readonly source: IrProgram) {
    this.values = [...source.values];
    this.variables = [...source.variables];
    const body = this.withoutUniform(source.body, findUniform(source));
    let labels = 0;
    forEachNode(source.body, (node) => {
      if (node.kind === 'block' || node.kind === 'loop') labels = Math.max(labels, node.label + 1);
    });
    this.ways = labels;
    this.segments = new Segments(body);
    this.heads = headsOf(this.segments);
    this.parts = this.heads.map((head) => this.write(head));
  }

  program(): IrProgram {
    this.parts.forEach((_, index) => this.bringIn(index));
    const { source, heads, kept } = this;
    const { liveAt } = liveAtStarts(this.parts, this.ways);
    const places = this.placesOf(liveAt);
    const bodies = this.parts.map((nodes, index) => this.finished(nodes, index, liveAt, places));
    const part = this.op(this.prelude, 'input', 'u32', [], source.inputs.length);
    const body = [...this.prelude, ...this.choose(part, bodies, 0)];
    const arrays = [
      ...source.arrays.map((array) => (array.constants === undefined ? { ...array, kept: true } : array)), ...kept,
    ];
    const cut = dropUnused(structure({
      ...source, values: this.values, variables: this.variables, arrays,
      inputs: [...source.inputs, { kind: 'builtin', builtin: 'part', type: 'u32' }], body, parts: heads.length,
    }));
    return inOrder(cut);
  }

  /** What is uniform goes to the prelude, and inputs are noted. */
  private withoutUniform(nodes: readonly IrNode[], uniform: ReadonlySet<ValueId>): IrNode[] {
    return nodes.flatMap((node): IrNode[] => {
      switch (node.kind) {
        case 'op':
          if (node.op === 'input') this.inputs.set(node.results[0]!, node);
          else if (node.results.length === 0 || !uniform.has(node.results[0]!)) return [node];
          else this.prelude.push(node);
          return [];
        case 'leave': return [node];
        case 'if':
          return [{
            ...node, then: this.withoutUniform(node.then, uniform),
            otherwise: this.withoutUniform(node.otherwise, uniform),
          }];
        default: return [{ ...node, body: this.withoutUniform(node.body, uniform) }];
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

  /** The nodes of a part. What leaves it names a way. */
  private write(head: Segment): IrNode[] {
    const out: IrNode[] = [];
    const visit = (segment: Segment, to: IrNode[]): void => {
      to.push(...this.withWays(segment.nodes));
      const { end } = segment;
      if (end === null) to.push(this.way(null));
      else if (end.kind === 'go') this.follow(end.to, to, visit);
      else {
        const [then, otherwise] = [end.then, end.otherwise].map((side) => {
          const nodes: IrNode[] = [];
          this.follow(side, nodes, visit);
          return nodes;
        });
        to.push({ kind: 'if', condition: end.condition, then: then!, otherwise: otherwise! });
      }
    };
    visit(head, out);
    return out;
  }

  private follow(target: Segment, out: IrNode[], visit: (segment: Segment, to: IrNode[]) => void): void {
    const to = through(target);
    if (this.heads.includes(to) || isEmpty(to)) out.push(this.way(to));
    else visit(to, out);
  }

  private way(to: Segment | null): IrNode {
    const part = to === null ? -1 : this.heads.indexOf(to);
    return { kind: 'leave', label: this.ways + (part < 0 ? this.heads.length : part) };
  }

  /** Leaves of what was taken apart become ways. */
  private withWays(nodes: readonly IrNode[]): IrNode[] {
    return mapLeaves(nodes, (node) => {
      const exit = this.segments.exits.get(node.label);
      return [exit === undefined ? node : this.way(through(exit))];
    });
  }

  /** Inputs, and values of other parts by way of variables, are had at the start of a part. */
  private bringIn(index: number): void {
    const nodes = this.parts[index]!, own = new Set<ValueId>(), brought = new Map<ValueId, ValueId>();
    const start: IrNode[] = [];
    forEachInstruction(nodes, ({ results }) => { for (const id of results) own.add(id); });
    const ask = (id: ValueId): void => {
      if (own.has(id) || brought.has(id) || this.isEverywhere(id)) return;
      const input = this.inputs.get(id);
      brought.set(id, input === undefined
        ? this.op(start, 'var.get', this.values[id]!, [], this.crossing(id))
        : this.op(start, 'input', this.values[id]!, [], input.imm));
    };
    forEachNode(nodes, (node) => {
      if (node.kind === 'op') node.args.forEach(ask);
      else if (node.kind === 'if') ask(node.condition);
    });
    this.parts[index] = [...start, ...mapArguments(nodes, (id) => brought.get(id) ?? id)];
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
      const set: IrNode = { kind: 'op', op: 'var.set', results: [], args: [id], imm: variable };
      for (let k = 0; k < this.parts.length; k++) this.parts[k] = insertBehind(this.parts[k]!, id, set);
    }
    return variable;
  }

  /** Array and element of each variable that lives across. */
  private placesOf(liveAt: readonly ReadonlySet<number>[]): Map<number, { array: number; element: number }> {
    const places = new Map<number, { array: number; element: number }>();
    const byType = new Map<ScalarType, number>();
    for (const live of liveAt.slice(1)) {
      for (const variable of live) {
        if (places.has(variable)) continue;
        const { type } = this.variables[variable]!;
        let array = byType.get(type);
        if (array === undefined) {
          array = this.kept.push({ name: `kept ${type}`, type, length: 0, kept: true }) - 1;
          byType.set(type, array);
        }
        places.set(variable, { array: this.source.arrays.length + array, element: this.kept[array]!.length++ });
      }
    }
    return places;
  }

  /** Loads at a part's start, stores before its ends. */
  private finished(
    nodes: readonly IrNode[], index: number, liveAt: readonly ReadonlySet<number>[],
    places: ReadonlyMap<number, { array: number; element: number }>
  ): IrNode[] {
    const touched = new Set<number>(), set = new Set<number>(), out: IrNode[] = [];
    forEachInstruction(nodes, ({ op, imm }) => {
      if (op === 'var.get' || op === 'var.set') touched.add(imm);
      if (op === 'var.set') set.add(imm);
    });
    if (index > 0) {
      for (const variable of liveAt[index]!) {
        if (!touched.has(variable)) continue;
        const { array, element } = places.get(variable)!, { type } = this.variables[variable]!;
        const value = this.op(out, 'array.load', type, [this.number(element)], array);
        out.push({ kind: 'op', op: 'var.set', results: [], args: [value], imm: variable });
      }
    }
    const label = this.ways + this.heads.length + 1 + index;
    const leaving = mapLeaves(nodes, (node) => {
      const part = node.label - this.ways;
      if (part < 0) return [node];
      return [...this.stores(liveAt[part] ?? NONE, set, places), this.storeNext(part), { kind: 'leave', label }];
    });
    return [{ kind: 'block', label, body: [...out, ...leaving] }];
  }

  private stores(
    live: ReadonlySet<number>, set: ReadonlySet<number>,
    places: ReadonlyMap<number, { array: number; element: number }>
  ): IrNode[] {
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
      kind: 'op', op: 'array.store', results: [], args: [this.number(0), this.number(part)],
      imm: this.source.arrays.length,
    };
  }

  /** The one of the parts from `first` on that is asked for. */
  private choose(part: ValueId, bodies: readonly (readonly IrNode[])[], first: number): IrNode[] {
    if (bodies.length === 1) return [...bodies[0]!];
    const half = bodies.length >> 1, out: IrNode[] = [];
    const condition = this.op(out, 'u32.lt', 'bool', [part, this.number(first + half)], 0);
    out.push({
      kind: 'if', condition, then: this.choose(part, bodies.slice(0, half), first),
      otherwise: this.choose(part, bodies.slice(half), first + half),
    });
    return out;
  }
}

const NONE: ReadonlySet<number> = new Set();
const isEmpty = ({ nodes, end }: Segment): boolean => nodes.length === 0 && end === null;

function mapLeaves(
  nodes: readonly IrNode[], replace: (node: Extract<IrNode, { kind: 'leave' }>) => IrNode[]
): IrNode[] {
  return nodes.flatMap((node): IrNode[] => {
    switch (node.kind) {
      case 'op': return [node];
      case 'leave': return replace(node);
      case 'if': return [{ ...node, then: mapLeaves(node.then, replace), otherwise: mapLeaves(node.otherwise, replace) }];
      default: return [{ ...node, body: mapLeaves(node.body, replace) }];
    }
  });
}

/** `added` right behind the definition of a value, in whichever list that is. */
function insertBehind(nodes: readonly IrNode[], id: ValueId, added: IrNode): IrNode[] {
  return nodes.flatMap((node): IrNode[] => {
    switch (node.kind) {
      case 'op': return node.results.includes(id) ? [node, added] : [node];
      case 'leave': return [node];
      case 'if':
        return [{
          ...node, then: insertBehind(node.then, id, added), otherwise: insertBehind(node.otherwise, id, added),
        }];
      default: return [{ ...node, body: insertBehind(node.body, id, added) }];
    }
  });
}

/** The array that says which part is next stands first of those that are kept. */
function inOrder(program: IrProgram): IrProgram {
  const next = program.arrays.findIndex(({ name, kept }) => kept && name === 'next part');
  const order = [next, ...program.arrays.keys()].filter((array, k) => k === 0 || array !== next);
  const numbers = new Map(order.map((old, index) => [old, index]));
  const renumber = (nodes: readonly IrNode[]): IrNode[] => nodes.map((node): IrNode => {
    switch (node.kind) {
      case 'op':
        return node.op === 'array.load' || node.op === 'array.store'
          ? { ...node, imm: numbers.get(node.imm)! }
          : node;
      case 'leave': return node;
      case 'if': return { ...node, then: renumber(node.then), otherwise: renumber(node.otherwise) };
      default: return { ...node, body: renumber(node.body) };
    }
  });
  return { ...program, arrays: order.map((array) => program.arrays[array]!), body: renumber(program.body) };
}
