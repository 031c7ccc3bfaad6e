// One walk forwards that folds constants, simplifies, shares equal computations and replaces reads of variables, and of
// elements of arrays at known indices, by the values that were stored there. A value found in an outer list is used in
// inner ones, never the other way round.

import { isArithmetic, named, opInfo, type OpName } from '../ops';
import type { Instruction, IrNode, IrProgram, ScalarType, ValueId } from '../program';
import { arraysStored, ends, variablesSet, withValues } from '../walk';
import { fold, type ConstantMath } from './fold';
import { shareKey, type ShareKey } from './share';
import { simplify, type Facts, type Simplified } from './simplify';

/** Values by variable, and by key of an array's element. */
type State = Map<number, ValueId>;

/** Elements of larger arrays are not followed. */
export const MAX_ELEMENTS = 64;

class Propagation implements Facts {
  private readonly values: ScalarType[];
  private readonly constants: IrNode[] = [];
  private readonly constantIds: Readonly<Record<ScalarType, Map<number, ValueId>>> = {
    bool: new Map(), i32: new Map(), u32: new Map(), f32: new Map(),
  };
  // By value; made as long as there are values, since engines look for entries of arrays with wide gaps.
  private readonly constantBits: (number | undefined)[];
  private readonly definitions: (Instruction | undefined)[];
  private readonly replaced: (ValueId | undefined)[];
  /** Scope in which a value is defined, and the scopes that are open. */
  private readonly scopeOf: number[];
  private readonly open = new Set<number>();
  private scope = 0;
  private scopes = 0;
  private readonly available = new Map<ShareKey, readonly ValueId[]>();
  private added: ShareKey[] = [];
  /** Scopes whose lists are part of the current one. */
  private joined: number[] = [];
  private out: IrNode[] = [];
  private state: State = new Map();
  private reachable = true;
  private readonly leaveStates = new Map<number, State[]>();
  /** Keys of the first elements, below zero and going down; undefined for arrays that are not followed. */
  private readonly firstElements: (number | undefined)[];

  constructor(private readonly program: IrProgram, private readonly math: ConstantMath) {
    const count = program.values.length;
    this.values = [...program.values];
    this.constantBits = new Array<undefined>(count).fill(undefined);
    this.definitions = new Array<undefined>(count).fill(undefined);
    this.replaced = new Array<undefined>(count).fill(undefined);
    this.scopeOf = new Array<number>(count).fill(0);
    let next = -1;
    this.firstElements = program.arrays.map(({ length, constants }) => {
      if (constants !== undefined || length > MAX_ELEMENTS) return undefined;
      next -= length;
      return next + length;
    });
  }

  run(): IrProgram {
    this.open.add(0);
    this.program.variables.forEach((variable, index) => this.state.set(index, this.constant(variable.type, 0)));
    this.program.arrays.forEach(({ type }, array) => this.forEachElement(
      array, (key) => this.state.set(key, this.constant(type, 0))
    ));
    this.nodes(this.program.body);
    return { ...this.program, values: this.values, body: [...this.constants, ...this.out] };
  }

  private forEachElement(array: number, visit: (key: number) => void): void {
    const first = this.firstElements[array];
    if (first !== undefined) for (let k = 0; k < this.program.arrays[array]!.length; k++) visit(first - k);
  }

  /** Key of the element at an index that is known. */
  private element(array: number, index: ValueId): number | undefined {
    const bits = this.bits(index);
    const first = this.firstElements[array];
    return bits === undefined || first === undefined
      ? undefined
      : first - Math.min(bits, this.program.arrays[array]!.length - 1);
  }

  bits(id: ValueId): number | undefined { return this.constantBits[id]; }
  definition(id: ValueId): Instruction | undefined { return this.definitions[id]; }
  type(id: ValueId): ScalarType { return this.values[id]!; }

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
      if (this.replaced[id] !== undefined) return withValues(node, node.results, args.map((one) => this.resolve(one)));
    return node;
  }

  private nodes(nodes: readonly IrNode[]): void {
    for (const node of nodes) {
      if (!this.reachable) return;
      switch (node.kind) {
        case 'op': this.instruction(this.resolved(node)); break;
        case 'if': this.conditional(node); break;
        case 'block': this.block(node); break;
        case 'loop': this.loop(node); break;
        case 'leave': {
          this.out.push(node);
          const states = this.leaveStates.get(node.label);
          if (states === undefined) this.leaveStates.set(node.label, [this.state]);
          else states.push(this.state);
          this.reachable = false;
        }
      }
    }
  }

  /**
   * Walks a nested list in a scope of its own; leaves `state` and `reachable` as they are at its end. `belongs`:
   * whether it turns out to be part of the list around it.
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

  /** What all states agree on, in values that are visible here. */
  private merge(states: readonly State[]): void {
    this.reachable = states.length > 0;
    const [first, ...others] = states;
    this.state = new Map();
    for (const [variable, id] of first ?? []) {
      if (this.open.has(this.scopeOf[id]!) && others.every((state) => state.get(variable) === id))
        this.state.set(variable, id);
    }
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
      const inner = this.nested(nodes, new Map(before));
      if (this.reachable) states.push(this.state);
      return inner;
    };
    const then = branch(node.then);
    const thenState = states[0];
    const otherwise = branch(node.otherwise);
    this.out.push({ kind: 'if', condition, then, otherwise });
    this.merge(states);
    // Two outer values become one by a select: the variable itself is then often dead.
    if (states.length === 2) this.joinBySelect(condition, thenState!, states[1]!);
  }

  private joinBySelect(condition: ValueId, yes: State, no: State): void {
    for (const [variable, a] of yes) {
      const b = no.get(variable);
      if (b === undefined || a === b || !this.open.has(this.scopeOf[a]!) || !this.open.has(this.scopeOf[b]!)) continue;
      this.state.set(variable, this.emit('select', this.type(a), [condition, a, b]));
    }
  }

  private block(node: Extract<IrNode, { kind: 'block' }>): void {
    const { label } = node;
    let straight = false;
    // Left by nothing but its own last node, or not at all: the block is its contents, and what they know is known
    // after it. Loops that were written out end so, and would need a second round otherwise.
    const body = this.nested(node.body, new Map(this.state), (inner) => {
      const left = this.leaveStates.get(label);
      const last = inner[inner.length - 1];
      return (straight = left === undefined || (left.length === 1 && last?.kind === 'leave' && last.label === label));
    });
    const left = this.leaveStates.get(label) ?? [];
    this.leaveStates.delete(label);
    if (straight) {
      if (left.length === 1) {
        body.pop();
        this.state = left[0]!;
        this.reachable = true;
      }
      for (const inner of body) this.out.push(inner);
      return;
    }
    const states = this.reachable ? [...left, this.state] : left;
    this.out.push({ ...node, body });
    this.merge(states);
  }

  private loop(node: Extract<IrNode, { kind: 'loop' }>): void {
    const entry = new Map(this.state);
    for (const variable of variablesSet(node.body)) entry.delete(variable);
    for (const array of arraysStored(node.body)) this.forEachElement(array, (key) => entry.delete(key));
    const body = this.nested(node.body, entry);
    const states = this.leaveStates.get(node.label) ?? [];
    this.leaveStates.delete(node.label);
    // A body whose end is never reached runs once: that is a block.
    this.out.push(ends(body) ? { kind: 'block', label: node.label, body } : { ...node, body });
    this.merge(states);
  }

  private instruction(instruction: Instruction): void {
    const { op, args, results, imm } = instruction;
    if (isArithmetic(op)) return void (this.reduce(instruction) || this.share(instruction));
    switch (op) {
      case 'const': return this.replace(results[0]!, this.constant(this.type(results[0]!), imm));
      case 'var.set': {
        // Storing what is there already has no effect.
        if (this.state.get(imm) === args[0]) return;
        this.state.set(imm, args[0]!);
        return void this.out.push(instruction);
      }
      case 'var.get': {
        const known = this.state.get(imm);
        if (known !== undefined) return this.replace(results[0]!, known);
        this.state.set(imm, results[0]!);
        return this.define(instruction);
      }
      case 'array.load': return this.arrayLoad(instruction);
      case 'array.store': return this.arrayStore(instruction);
    }
    if (!opInfo(op).pure) return this.define(instruction);
    if (results.length === 1 && this.reduce(instruction)) return;
    this.share(instruction);
  }

  /** Folds or simplifies; whether the instruction is gone. */
  private reduce(instruction: Instruction): boolean {
    const { op, args, results } = instruction;
    if (args.length > 0 && this.areConstants(args)) {
      const folded = fold(op, args.map((id) => this.bits(id)!), this.math);
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

  /** Tables can be read at compile time, and reads of them shared. */
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
    const known = key === undefined ? undefined : this.state.get(key);
    if (known !== undefined) return this.replace(result, known);
    if (key !== undefined) this.state.set(key, result);
    this.define(instruction);
  }

  private arrayStore(instruction: Instruction): void {
    const { args, imm } = instruction;
    const key = this.element(imm, args[0]!);
    if (key === undefined) this.forEachElement(imm, (each) => this.state.delete(each));
    else if (this.state.get(key) === args[1]) return;
    else this.state.set(key, args[1]!);
    this.out.push(instruction);
  }

  /** Uses an equal computation that is in sight, or becomes it. */
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

/** Folds, simplifies, shares and forwards, in one walk. */
export function propagate(program: IrProgram, math: ConstantMath): IrProgram {
  return new Propagation(program, math).run();
}
