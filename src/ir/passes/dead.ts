// Dead code elimination: removes instructions with unused results, variables and lane arrays that are never read,
// stores that are overwritten, and unused inputs. Renumbers ids and recomputes the flags of the program.

import { isArithmetic, readsQuadLanes, writesOutside } from '../ops';
import type { If, Instruction, IrNode, IrProgram, Loop, ScalarType, ValueId } from '../program';
import { withValues } from '../walk';
import { LoopLiveness } from './loop-liveness';

interface Needs {
  /** 1 for each value that is needed. */
  readonly values: Uint8Array;
  readonly variables: Set<number>;
  readonly arrays: Set<number>;
}

function isNeeded(instruction: Instruction, needs: Needs): boolean {
  if (isArithmetic(instruction.op)) return needs.values[instruction.results[0]!] === 1;
  switch (instruction.op) {
    case 'var.set':
      return needs.variables.has(instruction.imm);
    case 'array.store':
      return needs.arrays.has(instruction.imm);
    case 'output':
    case 'discard':
    case 'emit':
    case 'cut':
    case 'dispatch':
      return true;
    default:
      for (const id of instruction.results) if (needs.values[id] === 1) return true;
      return writesOutside(instruction.op);
  }
}

/**
 * Marks needed values from the last node to the first. A definition precedes its uses, so one walk covers all values.
 */
function mark(nodes: readonly IrNode[], needs: Needs): boolean {
  let kept = false;
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    switch (node.kind) {
      case 'op':
        if (!isNeeded(node, needs)) break;
        kept = true;
        for (const id of node.args) needs.values[id] = 1;
        if (isArithmetic(node.op)) break;
        if (node.op === 'var.get') needs.variables.add(node.imm);
        if (node.op === 'array.load') needs.arrays.add(node.imm);
        break;
      case 'if': {
        const then = mark(node.then, needs);
        const otherwise = mark(node.otherwise, needs);
        if (!then && !otherwise) break;
        kept = true;
        needs.values[node.condition] = 1;
        break;
      }
      case 'block':
        kept = mark(node.body, needs) || kept;
        break;
      // A loop is never dropped, because it may be endless.
      case 'loop':
        mark(node.body, needs);
        kept = true;
        break;
      case 'leave':
        kept = true;
    }
  }
  return kept;
}

/** Maps the old indices of the used entries to new indices, in order. */
function compaction(used: ReadonlySet<number>): Map<number, number> {
  return new Map([...used].sort((a, b) => a - b).map((old, index) => [old, index]));
}

const pick = <T>(list: readonly T[], kept: ReadonlyMap<number, number>): T[] =>
  [...kept.keys()].map((old) => list[old]!);

/** The remaining nodes of a program, the entries that they use, and the flags that follow from them. */
class Sweep {
  readonly variables = new Set<number>();
  readonly arrays = new Set<number>();
  readonly inputs = new Set<number>();
  readonly values: ScalarType[] = [];
  /** Maps old ids to new ids. */
  readonly ids: Int32Array;
  usesDiscard = false;
  usesDerivatives = false;

  constructor(
    private readonly program: IrProgram,
    private readonly needs: Needs
  ) {
    this.ids = new Int32Array(program.values.length);
  }

  list(nodes: readonly IrNode[]): IrNode[] {
    const kept: IrNode[] = [];
    for (const node of nodes) {
      switch (node.kind) {
        case 'op':
          if (!isNeeded(node, this.needs)) break;
          this.note(node);
          kept.push(node);
          break;
        case 'if': {
          const then = this.list(node.then);
          const otherwise = this.list(node.otherwise);
          if (then.length > 0 || otherwise.length > 0) kept.push({ ...node, then, otherwise });
          break;
        }
        case 'block': {
          const body = this.list(node.body);
          if (body.length > 0) kept.push({ ...node, body });
          break;
        }
        case 'loop':
          kept.push({ ...node, body: this.list(node.body) });
          break;
        case 'leave':
          kept.push(node);
      }
    }
    return kept;
  }

  private note({ op, imm, results, texture }: Instruction): void {
    for (const id of results) this.ids[id] = this.values.push(this.program.values[id]!) - 1;
    if (isArithmetic(op)) return;
    switch (op) {
      case 'var.get':
      case 'var.set':
        this.variables.add(imm);
        break;
      case 'array.load':
      case 'array.store':
        this.arrays.add(imm);
        break;
      case 'input':
        this.inputs.add(imm);
        break;
      case 'discard':
        this.usesDiscard = true;
        break;
      case 'ddx.coarse':
      case 'ddx.fine':
      case 'ddy.coarse':
      case 'ddy.fine':
        this.usesDerivatives = true;
        break;
    }
    if (texture?.mode === 'implicit' || texture?.mode === 'bias' || readsQuadLanes(op)) this.usesDerivatives = true;
  }
}

/** The program without unneeded nodes, with renumbered ids. */
function swept(program: IrProgram, stored: readonly IrNode[], needs: Needs): IrProgram {
  const sweep = new Sweep(program, needs);
  const body = sweep.list(stored);
  const variables = compaction(sweep.variables);
  const arrays = compaction(sweep.arrays);
  const inputs = compaction(sweep.inputs);
  const immediate = ({ op, imm }: Instruction): number => {
    if (isArithmetic(op)) return imm;
    switch (op) {
      case 'var.get':
      case 'var.set':
        return variables.get(imm)!;
      case 'array.load':
      case 'array.store':
        return arrays.get(imm)!;
      case 'input':
        return inputs.get(imm)!;
      default:
        return imm;
    }
  };
  const { ids } = sweep;
  const value = (id: ValueId): ValueId => ids[id]!;
  const remap = (nodes: readonly IrNode[]): IrNode[] =>
    nodes.map((node): IrNode => {
      switch (node.kind) {
        case 'op':
          return withValues(node, node.results.map(value), node.args.map(value), immediate(node));
        case 'if':
          return {
            ...node,
            condition: value(node.condition),
            then: remap(node.then),
            otherwise: remap(node.otherwise),
          };
        case 'leave':
          return node;
        default:
          return { ...node, body: remap(node.body) };
      }
    });
  return {
    ...program,
    values: sweep.values,
    variables: pick(program.variables, variables),
    arrays: pick(program.arrays, arrays),
    inputs: pick(program.inputs, inputs),
    body: remap(body),
    usesDiscard: sweep.usesDiscard,
    usesDerivatives: sweep.usesDerivatives,
  };
}

/** Variables that are read before they are set again. */
export interface LiveVariables {
  readonly after: ReadonlyMap<IrNode, ReadonlySet<number>>;
  /** At the start of the `else` branch. */
  readonly atOtherwise: ReadonlyMap<If, ReadonlySet<number>>;
}

/** Removes stores to variables that are overwritten or end before they are read. */
class DeadStores {
  private readonly liveAtLeave = new Map<number, ReadonlySet<number>>();
  private readonly loops = new LoopLiveness();
  /** Filled only when recording. */
  readonly after = new Map<IrNode, ReadonlySet<number>>();
  readonly atOtherwise = new Map<If, ReadonlySet<number>>();

  constructor(private readonly recording = false) {}

  /**
   * Rebuilds `nodes`. On entry, `live` holds the variables that are read after them; on return, those read from their
   * start.
   */
  list(nodes: readonly IrNode[], live: Set<number>): IrNode[] {
    const kept: IrNode[] = [];
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = this.node(nodes[i]!, live);
      if (node !== null) kept.push(node);
    }
    return kept.reverse();
  }

  private node(node: IrNode, live: Set<number>): IrNode | null {
    if (this.recording && node.kind !== 'op') this.after.set(node, new Set(live));
    switch (node.kind) {
      case 'op':
        if (node.op === 'var.get') live.add(node.imm);
        if (node.op !== 'var.set') return node;
        return live.delete(node.imm) ? node : null;
      case 'if': {
        const after = new Set(live);
        const then = this.list(node.then, live);
        const otherwise = this.list(node.otherwise, after);
        if (this.recording) this.atOtherwise.set(node, new Set(after));
        for (const variable of after) live.add(variable);
        return { ...node, then, otherwise };
      }
      case 'block': {
        this.liveAtLeave.set(node.label, new Set(live));
        return { ...node, body: this.list(node.body, live) };
      }
      case 'loop':
        return this.loop(node, live);
      case 'leave':
        live.clear();
        for (const variable of this.liveAtLeave.get(node.label)!) live.add(variable);
        return node;
    }
  }

  /** Variables that are live at the start of the body are live at its end, too. */
  private loop(node: Loop, live: Set<number>): IrNode {
    this.liveAtLeave.set(node.label, new Set(live));
    const start = this.loops.liveAtStart(node, (label) => this.liveAtLeave.get(label)!);
    const body = this.list(node.body, new Set(start));
    live.clear();
    for (const variable of start) live.add(variable);
    return { ...node, body };
  }
}

/** The program without code that has no effect. */
export function dropUnused(program: IrProgram): IrProgram {
  const stored: readonly IrNode[] =
    program.variables.length === 0 ? program.body : new DeadStores().list(program.body, new Set());
  // Later parts read the arrays that are kept between parts.
  const kept = [...program.arrays.keys()].filter((array) => program.arrays[array]!.kept);
  const needs: Needs = { values: new Uint8Array(program.values.length), variables: new Set(), arrays: new Set(kept) };
  for (let known = -1; known !== needs.variables.size + needs.arrays.size;) {
    known = needs.variables.size + needs.arrays.size;
    mark(stored, needs);
  }
  return swept(program, stored, needs);
}

/** Variables that may be read before they are set, so that their initial zero is visible. */
export function variablesReadAtStart(program: IrProgram): ReadonlySet<number> {
  const live = new Set<number>();
  if (program.variables.length > 0) new DeadStores().list(program.body, live);
  return live;
}

/** The variables that are live after each `if`, block and loop, and at the start of each `else` branch. */
export function liveVariables(program: IrProgram): LiveVariables {
  const stores = new DeadStores(true);
  stores.list(program.body, new Set());
  return stores;
}
