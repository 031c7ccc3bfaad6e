// Uniformity analysis (WGSL §15.2 "Uniformity"): whether all invocations of a workgroup reach each barrier, all pixels
// of a draw call reach operations that need derivatives, and all invocations of a subgroup reach its operations. The
// last is the language feature subgroup_uniformity.
//
// The analysis executes an entry point abstractly. For each value it knows whether the value may differ between
// invocations, and why. Variables of functions are tracked from assignment to assignment, and calls are analysed at
// each call site. The operations that need uniformity, and their messages, are in uniformity-rules.ts.

import { unreachable } from '../../../base/assert';
import type { Span } from '../../../base/diagnostics';
import { isOfSubgroup } from '../../builtin-table';
import type { EntryPoint, Expr, FunctionDef, Place, Stmt } from '../../hir';
import {
  isBarrier,
  isDerivative,
  isSame,
  isUniformInput,
  reportBarrier,
  reportDerivative,
  reportSubgroup,
  type Cause,
  type Control,
  type UniformityCheck,
  type UniformityScope,
  type Value,
} from './uniformity-rules';
import { below, EMPTY, get, merged, set, type Meter, type State as StateOf } from './uniformity-state';

/** The target of a pointer: the number of a variable in some call, or the uniformity of a global. */
interface Pointer {
  readonly target: number | Value;
  readonly index: Value;
  /** Whether the target is the whole variable, so that a store replaces its previous value completely. */
  readonly isWhole: boolean;
}
const NOWHERE: Pointer = { target: null, index: null, isWhole: false };

/** For each variable that is not uniform, the cause. */
type State = StateOf<Cause>;

/** A loop or switch around the current point. */
interface Around {
  /** Why some invocations have left it, or the current iteration. */
  broken: Control;
  continued: Control;
  readonly atBreak: State[];
  readonly atContinue: State[];
}

interface Frame {
  readonly fn: FunctionDef;
  /** Number of its first variable. Variables of functions that it calls follow. */
  readonly first: number;
  readonly values: Map<number, Value>;
  readonly pointers: Map<number, Pointer>;
  /** For parameters of an entry point: the values of the members. */
  readonly members: Map<number, readonly Value[]>;
  returned: Control;
  result: Value;
  around: Around | null;
  readonly atReturn: State[];
}

/**
 * Maximum number of statements, values and compared parts of states that are visited for a module's entry points; takes
 * half a second. Larger modules are not checked further.
 */
const MAX_STEPS = 3_000_000;

/**
 * Reports barriers of a compute entry point outside uniform control flow, operations of a fragment entry point that
 * need derivatives there, and subgroup operations of both.
 */
export function checkUniformity(check: UniformityCheck, scope: UniformityScope, entry: EntryPoint): void {
  new Uniformity(check, scope).run(entry);
}

/** As checkUniformity, for a function that no entry point reaches. Its arguments are assumed to be uniform. */
export function checkUnreached(check: UniformityCheck, scope: UniformityScope, fn: number): void {
  new Uniformity(check, scope).runAlone(fn);
}

class Uniformity {
  private state: State = EMPTY;
  private control: Control = null;
  private frame!: Frame;
  private readonly meter: Meter;

  constructor(
    private readonly check: UniformityCheck,
    private readonly scope: UniformityScope
  ) {
    this.meter = check.meter;
  }

  run(entry: EntryPoint): void {
    const members = new Map<number, Value[]>();
    const values = new Map<number, Value>();
    for (const { name, parameter, member, io } of entry.inputs) {
      const what = io.builtin === undefined ? `the input '${name}'` : `the built-in value '${io.builtin}'`;
      const isUniform = isUniformInput(io.builtin, entry.stage, this.scope);
      const cause: Value = isUniform ? null : { purpose: what, span: entry.span, isInput: true };
      if (member < 0) values.set(parameter, cause);
      else {
        const list = members.get(parameter) ?? [];
        list[member] = cause;
        members.set(parameter, list);
        values.set(parameter, values.get(parameter) ?? cause);
      }
    }
    this.call(entry.fn, values, new Map(), members);
  }

  runAlone(fn: number): void {
    this.call(fn, new Map(), new Map());
  }

  /** Analyses a call; returns whether its result is uniform. */
  private call(
    index: number,
    values: Map<number, Value>,
    pointers: Map<number, Pointer>,
    members: Map<number, readonly Value[]> = new Map()
  ): Value {
    const outer: Frame | undefined = this.frame;
    const { control } = this;
    const fn = this.check.functions[index]!;
    const first = outer === undefined ? 0 : outer.first + outer.fn.locals.length;
    this.frame = { fn, first, values, pointers, members, returned: null, result: null, around: null, atReturn: [] };
    const ends = this.stmts(fn.body);
    const { result, atReturn } = this.frame;
    // The variables of the call end here. Otherwise a loop that contains the call would accumulate them in each
    // iteration.
    this.state = below(this.joined(ends ? atReturn : [...atReturn, this.state]), first);
    this.frame = outer!;
    // All invocations return from the call.
    this.control = control;
    return result;
  }

  // ── statements ──

  /** Returns whether control never reaches the end. */
  private stmts(list: readonly Stmt[]): boolean {
    for (const stmt of list) if (++this.meter.steps > MAX_STEPS || this.stmt(stmt)) return true;
    return false;
  }

  private stmt(stmt: Stmt): boolean {
    const { frame } = this;
    switch (stmt.kind) {
      case 'let':
        if (stmt.value.type.kind === 'pointer') frame.pointers.set(stmt.local, this.pointer(stmt.value));
        else frame.values.set(stmt.local, this.value(stmt.value));
        return false;
      case 'var':
        this.assign(this.variable(stmt.local), stmt.value === null ? null : this.value(stmt.value));
        return false;
      case 'assign':
        this.assignment(stmt);
        return false;
      case 'evaluate':
        this.argument(stmt.value);
        return false;
      case 'if':
        return this.conditional(stmt);
      case 'switch':
        return this.switch(stmt);
      case 'loop':
        this.loop(stmt);
        return false;
      case 'block':
        return this.stmts(stmt.body);
      case 'break':
      case 'continue':
        this.jump(stmt.kind);
        return true;
      case 'return':
        this.return(stmt.value);
        return true;
      case 'discard':
        return false;
    }
  }

  private variable(local: number): number {
    return this.frame.first + local;
  }

  private assign(variable: number, value: Value): void {
    this.state = set(this.state, variable, value ?? this.control?.cause ?? null);
  }

  private joined(states: readonly State[]): State {
    return states.length === 0 ? EMPTY : states.reduce((all, state) => merged(all, state, this.meter));
  }

  private assignment({ place, operator, value }: Extract<Stmt, { kind: 'assign' }>): void {
    const { target, index, isWhole } = this.place(place);
    const given = this.value(value);
    if (typeof target !== 'number') return;
    const before = isWhole && operator === null ? null : get(this.state, target);
    this.assign(target, before ?? index ?? given);
  }

  private conditional(stmt: Extract<Stmt, { kind: 'if' }>): boolean {
    const cause = this.value(stmt.condition);
    const { control } = this;
    const before = this.state;
    const states = this.sides([stmt.then, stmt.otherwise], (side) => {
      this.state = before;
      this.control = control ?? (cause && { cause, condition: stmt.condition.span });
      return this.stmts(side);
    });
    return this.meet(control, states);
  }

  /**
   * Analyses alternatives and returns the states at the ends that are reachable. Invocations that leave in one
   * alternative do not affect the control flow of another.
   */
  private sides<T>(sides: readonly T[], ends: (side: T) => boolean): State[] {
    const {
      frame,
      frame: { returned, around },
    } = this;
    const { broken = null, continued = null } = around ?? {};
    const states: State[] = [];
    const after = { returned, broken, continued };
    for (const side of sides) {
      frame.returned = returned;
      if (around !== null) Object.assign(around, { broken, continued });
      if (!ends(side)) states.push(this.state);
      after.returned ??= frame.returned;
      after.broken ??= around?.broken ?? null;
      after.continued ??= around?.continued ?? null;
    }
    frame.returned = after.returned;
    if (around !== null) Object.assign(around, { broken: after.broken, continued: after.continued });
    return states;
  }

  /** Merges the states after a construct. Returns whether control never reaches that point. */
  private meet(control: Control, states: readonly State[]): boolean {
    this.state = this.joined(states);
    this.control = control ?? this.frame.returned ?? this.frame.around?.broken ?? this.frame.around?.continued ?? null;
    return states.length === 0;
  }

  private switch(stmt: Extract<Stmt, { kind: 'switch' }>): boolean {
    const cause = this.value(stmt.selector);
    const { control, frame } = this;
    const before = this.state;
    const outer = frame.around;
    // A `continue` belongs to the enclosing loop.
    const around: Around = { broken: null, continued: null, atBreak: [], atContinue: outer?.atContinue ?? [] };
    frame.around = around;
    const ends = this.sides(stmt.clauses, ({ body }) => {
      this.state = before;
      this.control = control ?? (cause && { cause, condition: stmt.selector.span });
      return this.stmts(body);
    });
    frame.around = outer;
    if (outer !== null) outer.continued ??= around.continued;
    return this.meet(control, [...ends, ...around.atBreak]);
  }

  private loop({ body, continuing, breakIf }: Extract<Stmt, { kind: 'loop' }>): void {
    const { control, frame } = this;
    const outer = frame.around;
    const around: Around = { broken: null, continued: null, atBreak: [], atContinue: [] };
    let start = this.state;
    let known: State | null = null;
    // As in WGSL, invocations that leave an iteration or continue early make the next iteration non-uniform. They only
    // reconverge at the end of the loop.
    const left = (): Control => around.broken ?? around.continued ?? frame.returned;
    for (let parted: Control = null; known !== start || parted !== left();) {
      known = start;
      parted = left();
      frame.around = around;
      around.atContinue.length = 0;
      this.state = start;
      this.control = control ?? parted;
      const ends = this.stmts(body);
      const states = ends ? around.atContinue : [...around.atContinue, this.state];
      this.state = this.joined(states);
      this.control = control ?? left();
      if (states.length > 0) {
        this.stmts(continuing);
        if (breakIf !== null) this.breakIf(breakIf, around);
      }
      start = this.joined([start, this.state]);
      if (this.meter.steps > MAX_STEPS) break;
    }
    frame.around = outer;
    this.meet(control, around.atBreak);
  }

  private breakIf(condition: Expr, around: Around): void {
    const cause = this.value(condition);
    around.broken ??= this.control ?? (cause && { cause, condition: condition.span });
    around.atBreak.push(this.state);
  }

  private jump(kind: 'break' | 'continue'): void {
    const around = this.frame.around ?? unreachable(`wgsl: ${kind} outside a loop`);
    if (kind === 'break') {
      around.broken ??= this.control;
      around.atBreak.push(this.state);
    } else {
      around.continued ??= this.control;
      around.atContinue.push(this.state);
    }
  }

  private return(value: Expr | null): void {
    const { frame } = this;
    const cause = value === null ? null : this.value(value);
    frame.result ??= cause ?? this.control?.cause ?? null;
    frame.returned ??= this.control;
    frame.atReturn.push(this.state);
  }

  // ── values ──

  private value(expr: Expr): Value {
    this.meter.steps++;
    switch (expr.op) {
      case 'const':
      case 'global':
        return null;
      case 'local':
        return this.located(this.frame.values.get(expr.local) ?? null, expr.span);
      case 'load':
        return this.load(expr.place);
      case 'address-of':
        return this.place(expr.place).index;
      case 'unary':
      case 'convert':
      case 'bitcast':
        return this.value(expr.operand);
      case 'binary':
        return this.all([expr.left, expr.right]);
      case 'logical':
        return this.logical(expr);
      case 'construct':
        return this.all(expr.args);
      case 'member':
        return this.member(expr);
      case 'swizzle':
        return this.value(expr.base);
      case 'index':
        return this.all([expr.base, expr.index]);
      case 'call':
        return this.userCall(expr);
      case 'builtin':
        return this.builtin(expr);
    }
  }

  /** Moves the span of an input to the place where it is read. */
  private located(value: Value, span: Span): Value {
    return value?.isInput === true ? { ...value, span } : value;
  }

  private all(exprs: readonly Expr[]): Value {
    let found: Value = null;
    for (const expr of exprs) {
      const value = this.argument(expr);
      found ??= value;
    }
    return found;
  }

  /** An expression of any type. */
  private argument(expr: Expr): Value {
    return expr.type.kind === 'pointer' ? this.pointer(expr).index : this.value(expr);
  }

  private member(expr: Extract<Expr, { op: 'member' }>): Value {
    const members = expr.base.op === 'local' ? this.frame.members.get(expr.base.local) : undefined;
    return members === undefined ? this.value(expr.base) : this.located(members[expr.index] ?? null, expr.span);
  }

  private logical({ left, right }: Extract<Expr, { op: 'logical' }>): Value {
    const cause = this.value(left);
    const { control } = this;
    this.control ??= cause && { cause, condition: left.span };
    const other = this.value(right);
    this.control = control;
    return cause ?? other;
  }

  private load(place: Place): Value {
    const { target, index } = this.place(place);
    if (index !== null) return index;
    return typeof target === 'number' ? get(this.state, target) : target;
  }

  /** The variable that contains a place, and whether all invocations refer to the same part of it. */
  private place({ root, steps, span }: Place): Pointer {
    let index: Value = null;
    for (const step of steps) {
      if (step.step !== 'index') continue;
      const value = this.value(step.index);
      index ??= value;
    }
    const isWhole = steps.length === 0;
    switch (root.root) {
      case 'variable':
        return { target: this.variable(root.local), index, isWhole };
      case 'global':
        return { target: this.global(root.global, span), index, isWhole };
      case 'pointer': {
        const pointer = this.pointer(root.pointer);
        return { target: pointer.target, index: pointer.index ?? index, isWhole: isWhole && pointer.isWhole };
      }
    }
  }

  private global(global: number, span: Span): Value {
    const { name, space, access } = this.check.globals[global]!;
    if (
      space === 'uniform'
      || space === 'immediate'
      || (space === 'storage' && access === 'read')
      || space === 'handle'
    )
      return null;
    const why = space === 'private' ? 'which is private to each invocation' : 'which any invocation may write';
    return { purpose: `variable '${name}', ${why}`, span };
  }

  private pointer(expr: Expr): Pointer {
    if (expr.op === 'address-of') return this.place(expr.place);
    if (expr.op === 'local') return this.frame.pointers.get(expr.local) ?? NOWHERE;
    if (expr.op === 'builtin') {
      const [base, ...by] = expr.args;
      const pointer = this.pointer(base!);
      const cause = this.all(by);
      return { target: pointer.target, index: pointer.index ?? cause, isWhole: false };
    }
    return unreachable(`wgsl: a pointer from ${expr.op}`);
  }

  private userCall({ fn, args }: Extract<Expr, { op: 'call' }>): Value {
    const values = new Map<number, Value>();
    const pointers = new Map<number, Pointer>();
    args.forEach((arg, i) => {
      if (arg.type.kind === 'pointer') pointers.set(i, this.pointer(arg));
      else values.set(i, this.value(arg));
    });
    return this.call(fn, values, pointers);
  }

  /** The cause by which the mask or delta of a shuffle may differ; null for other subgroup operations. */
  private laneOffset({ name, args: [, by] }: Extract<Expr, { op: 'builtin' }>): Value {
    return by !== undefined && /Xor$|Up$|Down$/.test(name) ? this.value(by) : null;
  }

  private builtin(expr: Extract<Expr, { op: 'builtin' }>): Value {
    const { name, args, span } = expr;
    const value = this.all(args);
    const isOfWorkgroup = this.scope === 'workgroup';
    if (isOfWorkgroup && isBarrier(name)) reportBarrier(this.check, this.control, name, span, value);
    if (isDerivative(name)) {
      if (isOfWorkgroup) reportDerivative(this.check, this.control, name, span);
      return value ?? { purpose: `the result of '${name}'`, span };
    }
    if (name === 'workgroupUniformLoad' || name === 'arrayLength' || name === 'bufferLength') return null;
    if (isOfSubgroup(name)) {
      if (!isOfWorkgroup) reportSubgroup(this.check, this.control, name, span, this.laneOffset(expr));
      return !isOfWorkgroup && isSame(name) ? value : { purpose: `the result of '${name}'`, span };
    }
    if (name.startsWith('atomic')) return { purpose: `the result of '${name}'`, span };
    const [texture] = args;
    if (texture?.type.kind === 'storage-texture' && texture.type.access === 'read_write')
      return { purpose: 'a storage texture, which any invocation may write', span };
    return value;
  }
}
