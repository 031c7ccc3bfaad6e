// A forward walk that folds constants, simplifies, shares equal computations, and forwards stored values to reads of
// variables and of array elements at known indices. A value from an outer list may be used in inner lists, but not the
// other way round.

import { isArithmetic, named, opInfo, type OpName } from '../ops';
import type { Instruction, IrNode, IrProgram, ScalarType, ValueId } from '../program';
import { arraysStored, ends, variablesSet, withValues } from '../walk';
import { fold, type ConstantMath } from './fold';
import { shareKey, type ShareKey } from './share';
import { simplify, type Facts, type Simplified } from './simplify';

/**
 * The known value of each variable and, after the variables, of each tracked array element; UNKNOWN if none is known.
 * States are copied at each nested list and merged after it, so a state is a flat array. A map was fifty times slower
 * for programs with thousands of variables and branches.
 */
type State = Int32Array;
const UNKNOWN = -1;

/** The merged state of all lanes that have left a label so far. */
interface Left {
  readonly state: State;
  count: number;
}

/** Elements of longer arrays are not tracked. */
export const MAX_ELEMENTS = 64;

class Propagation implements Facts {
  private readonly values: ScalarType[];
  private readonly constants: IrNode[] = [];
  private readonly constantIds: Readonly<Record<ScalarType, Map<number, ValueId>>> = {
    bool: new Map(),
    i32: new Map(),
    u32: new Map(),
    f32: new Map(),
  };
  // Indexed by value. Allocated at full length, because engines treat arrays with large gaps as slow dictionaries.
  private readonly constantBits: (number | undefined)[];
  private readonly definitions: (Instruction | undefined)[];
  private readonly replaced: (ValueId | undefined)[];
  /** The scope in which each value is defined, and the scopes that are open. */
  private readonly scopeOf: number[];
  private readonly open = new Set<number>();
  private scope = 0;
  private scopes = 0;
  private readonly available = new Map<ShareKey, readonly ValueId[]>();
  private added: ShareKey[] = [];
  /** Scopes whose lists have become part of the current one. */
  private joined: number[] = [];
  private out: IrNode[] = [];
  private state: State;
  private reachable = true;
  private readonly leaveStates = new Map<number, Left>();
  /** Index in a state of the first element of each array; undefined for arrays that are not tracked. */
  private readonly firstElements: (number | undefined)[];

  constructor(
    private readonly program: IrProgram,
    private readonly math: ConstantMath
  ) {
    const count = program.values.length;
    this.values = [...program.values];
    this.constantBits = new Array<undefined>(count).fill(undefined);
    this.definitions = new Array<undefined>(count).fill(undefined);
    this.replaced = new Array<undefined>(count).fill(undefined);
    this.scopeOf = new Array<number>(count).fill(0);
    let next = program.variables.length;
    this.firstElements = program.arrays.map(({ length, constants }) => {
      if (constants !== undefined || length > MAX_ELEMENTS) return undefined;
      next += length;
      return next - length;
    });
    this.state = new Int32Array(next).fill(UNKNOWN);
  }

  run(): IrProgram {
    this.open.add(0);
    this.program.variables.forEach(({ type }, index) => {
      this.state[index] = this.constant(type, 0);
    });
    this.program.arrays.forEach(({ type }, array) => {
      const first = this.firstElements[array];
      if (first !== undefined) this.setElements(this.state, array, this.constant(type, 0));
    });
    this.nodes(this.program.body);
    return { ...this.program, values: this.values, body: [...this.constants, ...this.out] };
  }

  private setElements(state: State, array: number, id: ValueId): void {
    const first = this.firstElements[array];
    if (first !== undefined) state.fill(id, first, first + this.program.arrays[array]!.length);
  }

  /** Index in a state of the element at a known array index. */
  private element(array: number, index: ValueId): number | undefined {
    const bits = this.bits(index);
    const first = this.firstElements[array];
    return bits === undefined || first === undefined
      ? undefined
      : first + Math.min(bits, this.program.arrays[array]!.length - 1);
  }

  bits(id: ValueId): number | undefined {
    return this.constantBits[id];
  }
  definition(id: ValueId): Instruction | undefined {
    return this.definitions[id];
  }
  type(id: ValueId): ScalarType {
    return this.values[id]!;
  }

  constant(type: ScalarType, bits: number): ValueId {
    const ids = this.constantIds[type];
    let id = ids.get(bits | 0);
    if (id === undefined) {
      id = this.values.push(type) - 1;
      this.constants.push({ kind: 'op', op: 'const', results: [id], args: [], imm: bits >>> 0, texture: undefined });
      ids.set(bits | 0, id);
      this.constantBits[id] = bits >>> 0;
      this.scopeOf[id] = 0;
    }
    return id;
  }

  emit(op: OpName, type: ScalarType, args: readonly ValueId[]): ValueId {
    const result = this.values.push(type) - 1;
    this.instruction({ kind: 'op', op: named(op), results: [result], args, imm: 0, texture: undefined });
    return this.resolve(result);
  }

  private resolve(id: ValueId): ValueId {
    return this.replaced[id] ?? id;
  }

  private resolved(node: Instruction): Instruction {
    const { args } = node;
    for (const id of args)
      if (this.replaced[id] !== undefined)
        return withValues(
          node,
          node.results,
          args.map((one) => this.resolve(one))
        );
    return node;
  }

  private nodes(nodes: readonly IrNode[]): void {
    for (const node of nodes) {
      if (!this.reachable) return;
      switch (node.kind) {
        case 'op':
          this.instruction(this.resolved(node));
          break;
        case 'if':
          this.conditional(node);
          break;
        case 'block':
          this.block(node);
          break;
        case 'loop':
          this.loop(node);
          break;
        case 'leave': {
          this.out.push(node);
          const left = this.leaveStates.get(node.label);
          if (left === undefined) this.leaveStates.set(node.label, { state: this.state, count: 1 });
          else {
            agree(left.state, this.state);
            left.count++;
          }
          this.reachable = false;
        }
      }
    }
  }

  /**
   * Walks a nested list in its own scope; leaves `state` and `reachable` as they are at its end. `belongs` decides
   * whether the list becomes part of the surrounding one.
   */
  private nested(nodes: readonly IrNode[], state: State, belongs?: (inner: readonly IrNode[]) => boolean): IrNode[] {
    const { out, scope, added, joined } = this;
    this.out = [];
    this.added = [];
    this.joined = [];
    this.scope = ++this.scopes;
    this.open.add(this.scope);
    this.state = state;
    this.reachable = true;
    this.nodes(nodes);
    const inner = this.out;
    if (belongs?.(inner)) {
      added.push(...this.added);
      joined.push(...this.joined, this.scope);
    } else {
      for (const key of this.added) this.available.delete(key);
      for (const each of this.joined) this.open.delete(each);
      this.open.delete(this.scope);
    }
    this.out = out;
    this.added = added;
    this.joined = joined;
    this.scope = scope;
    return inner;
  }

  /** Continues with the values on which all states agree and that are visible here. Reuses the first state. */
  private merge(states: readonly State[]): void {
    const [first, ...others] = states;
    this.reachable = first !== undefined;
    if (first === undefined) return;
    for (const other of others) agree(first, other);
    for (let k = 0; k < first.length; k++) if (!this.isVisible(first[k]!)) first[k] = UNKNOWN;
    this.state = first;
  }

  private isVisible(id: ValueId): boolean {
    return id !== UNKNOWN && this.open.has(this.scopeOf[id]!);
  }

  private conditional(node: Extract<IrNode, { kind: 'if' }>): void {
    const condition = this.resolve(node.condition);
    const known = this.bits(condition);
    if (known !== undefined) return this.nodes(known !== 0 ? node.then : node.otherwise);
    const definition = this.definition(condition);
    if (definition?.op === 'bool.not')
      return this.conditional({ ...node, condition: definition.args[0]!, then: node.otherwise, otherwise: node.then });
    const before = this.state;
    const states: State[] = [];
    const branch = (nodes: readonly IrNode[]): IrNode[] => {
      const inner = this.nested(nodes, before.slice());
      if (this.reachable) states.push(this.state);
      return inner;
    };
    const then = branch(node.then);
    const otherwise = branch(node.otherwise);
    this.out.push({ kind: 'if', condition, then, otherwise });
    const [yes, no] = states;
    if (yes === undefined || no === undefined) this.merge(states);
    else this.joinBySelect(condition, yes, no);
  }

  /**
   * Merges the states after both branches. Two different outer values are combined by a select, which often makes the
   * variable itself dead.
   */
  private joinBySelect(condition: ValueId, yes: State, no: State): void {
    const both = yes.slice();
    this.merge([both, no]);
    for (let k = 0; k < yes.length; k++) {
      const a = yes[k]!;
      const b = no[k]!;
      if (a !== b && this.isVisible(a) && this.isVisible(b))
        this.state[k] = this.emit('select', this.type(a), [condition, a, b]);
    }
  }

  private block(node: Extract<IrNode, { kind: 'block' }>): void {
    const { label } = node;
    let straight = false;
    // If a block is left only by its own last node, or not at all, it is replaced by its contents, and what is known
    // inside remains known after it. Unrolled loops end like this and would otherwise need a second round.
    const body = this.nested(node.body, this.state.slice(), (inner) => {
      const left = this.leaveStates.get(label);
      const last = inner[inner.length - 1];
      return (straight = left === undefined || (left.count === 1 && last?.kind === 'leave' && last.label === label));
    });
    const left = this.leaveStates.get(label);
    this.leaveStates.delete(label);
    if (straight) {
      if (left !== undefined) {
        body.pop();
        this.state = left.state;
        this.reachable = true;
      }
      for (const inner of body) this.out.push(inner);
      return;
    }
    const states = left === undefined ? [] : [left.state];
    if (this.reachable) states.push(this.state);
    this.out.push({ ...node, body });
    this.merge(states);
  }

  private loop(node: Extract<IrNode, { kind: 'loop' }>): void {
    const entry = this.state.slice();
    for (const variable of variablesSet(node.body)) entry[variable] = UNKNOWN;
    for (const array of arraysStored(node.body)) this.setElements(entry, array, UNKNOWN);
    const body = this.nested(node.body, entry);
    const left = this.leaveStates.get(node.label);
    this.leaveStates.delete(node.label);
    // A body whose end is never reached runs once, so the loop becomes a block.
    this.out.push(ends(body) ? { kind: 'block', label: node.label, body } : { ...node, body });
    this.merge(left === undefined ? [] : [left.state]);
  }

  private instruction(instruction: Instruction): void {
    const { op, args, results, imm } = instruction;
    if (isArithmetic(op)) return void (this.reduce(instruction) || this.share(instruction));
    switch (op) {
      case 'const':
        return this.replace(results[0]!, this.constant(this.type(results[0]!), imm));
      case 'var.set': {
        // Storing the current value again has no effect.
        if (this.state[imm] === args[0]) return;
        this.state[imm] = args[0]!;
        return void this.out.push(instruction);
      }
      case 'var.get': {
        const known = this.state[imm]!;
        if (known !== UNKNOWN) return this.replace(results[0]!, known);
        this.state[imm] = results[0]!;
        return this.define(instruction);
      }
      case 'array.load':
        return this.arrayLoad(instruction);
      case 'array.store':
        return this.arrayStore(instruction);
    }
    if (!opInfo(op).pure) return this.define(instruction);
    if (results.length === 1 && this.reduce(instruction)) return;
    this.share(instruction);
  }

  /** Folds or simplifies an instruction; returns whether it is gone. */
  private reduce(instruction: Instruction): boolean {
    const { op, args, results } = instruction;
    if (args.length > 0 && this.areConstants(args)) {
      const folded = fold(
        op,
        args.map((id) => this.bits(id)!),
        this.math
      );
      if (folded !== undefined) {
        this.replace(results[0]!, this.constant(this.type(results[0]!), folded));
        return true;
      }
    }
    const simplified: Simplified = simplify(this, instruction);
    if (simplified === undefined) return false;
    this.replace(results[0]!, simplified);
    return true;
  }

  private areConstants(ids: readonly ValueId[]): boolean {
    for (const id of ids) if (this.constantBits[id] === undefined) return false;
    return true;
  }

  /** Reads of constant tables are folded if the index is known, and shared otherwise. */
  private arrayLoad(instruction: Instruction): void {
    const table = this.program.arrays[instruction.imm]!.constants;
    if (table === undefined) return this.elementLoad(instruction);
    const index = this.bits(instruction.args[0]!);
    if (index === undefined) return this.share(instruction);
    this.replace(
      instruction.results[0]!,
      this.constant(this.type(instruction.results[0]!), table[Math.min(index, table.length - 1)]!)
    );
  }

  private elementLoad(instruction: Instruction): void {
    const result = instruction.results[0]!;
    const key = this.element(instruction.imm, instruction.args[0]!);
    const known = key === undefined ? UNKNOWN : this.state[key]!;
    if (known !== UNKNOWN) return this.replace(result, known);
    if (key !== undefined) this.state[key] = result;
    this.define(instruction);
  }

  private arrayStore(instruction: Instruction): void {
    const { args, imm } = instruction;
    const key = this.element(imm, args[0]!);
    if (key === undefined) this.setElements(this.state, imm, UNKNOWN);
    else if (this.state[key] === args[1]) return;
    else this.state[key] = args[1]!;
    this.out.push(instruction);
  }

  /** Reuses an equal computation in scope, or makes this one available. */
  private share(instruction: Instruction): void {
    const { results } = instruction;
    const key = shareKey(instruction, this.type(results[0]!));
    const found = this.available.get(key);
    if (found !== undefined) return results.forEach((id, k) => this.replace(id, found[k]!));
    this.available.set(key, results);
    this.added.push(key);
    this.define(instruction);
  }

  private define(instruction: Instruction): void {
    for (const id of instruction.results) {
      this.scopeOf[id] = this.scope;
      this.definitions[id] = instruction;
    }
    this.out.push(instruction);
  }

  private replace(id: ValueId, by: ValueId): void {
    this.replaced[id] = by;
  }
}

/** Keeps only what both states agree on; modifies `state`. */
function agree(state: State, other: State): void {
  for (let k = 0; k < state.length; k++) if (state[k] !== other[k]) state[k] = UNKNOWN;
}

/** Folds, simplifies, shares and forwards in one walk. */
export function propagate(program: IrProgram, math: ConstantMath): IrProgram {
  return new Propagation(program, math).run();
}
