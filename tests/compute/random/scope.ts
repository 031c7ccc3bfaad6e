// What an expression of a random shader can read at its position, and how the invocations of a workgroup divide its
// memory there. Between barriers, an array is either read by all, or each element belongs to one invocation.
import {
  bitsOf,
  bitsOfFloat,
  chance,
  floatOf,
  literal,
  operation,
  pick,
  seen,
  type Choices,
  type Expr,
  type Invocation,
  type Type,
  type Value,
} from './values';

export const INPUT_WORDS = 64;
/** Words of `own` per invocation. */
export const OWN_WORDS = 6;

export interface Variable {
  readonly name: string;
  readonly type: Type;
  readonly number: number;
  readonly isUniform: boolean;
  readonly canChange: boolean;
  /** Whether it is a `let` of a constant, or of another such `let`. */
  readonly isKnown: boolean;
}

/** A private array of an invocation. */
interface OwnArray {
  readonly name: string;
  readonly type: Type;
  readonly number: number;
  readonly length: number;
}

/** An array that the invocations of a workgroup share. */
export interface Store {
  readonly number: number;
  readonly type: Type;
  readonly space: 'workgroup' | 'storage';
  readonly perInvocation: number;
  element(index: string): string;
  /** Which of its own elements the invocation accesses with `k`; null: all invocations read. */
  mode: Placement | null;
}
export interface Placement {
  text(k: number): string;
  of(at: Invocation, k: number): number;
}

/** A counter that all change by one operation. */
export interface Tally {
  readonly name: string;
  readonly number: number;
  readonly type: 'u32' | 'i32';
  readonly space: 'workgroup' | 'storage';
  readonly operations: readonly Counting[];
  /** Whether it is changed or read. */
  mode: 'update' | 'read';
}
export interface Counting {
  readonly call: string;
  of(before: number, value: number): number;
}

export interface Helper {
  readonly name: string;
  readonly takes: readonly Type[];
  readonly gives: Type;
  call(at: Invocation, args: readonly Value[]): Value;
}

export class Scope {
  variables: Variable[] = [];
  arrays: OwnArray[] = [];
  stores: Store[] = [];
  tallies: Tally[] = [];
  helpers: Helper[] = [];
  /** Counter for names and numbers in the shader. */
  count = 0;

  constructor(
    readonly choices: Choices,
    readonly size: number,
    readonly isHelper = false
  ) {}

  variable(type: Type, isUniform: boolean, canChange: boolean, isKnown = false): Variable {
    const number = this.count++;
    const made = { name: `v${number}`, type, number, isUniform, canChange, isKnown };
    this.variables.push(made);
    return made;
  }

  /** Declarations in `write` end with it. */
  inside<T>(write: () => T): T {
    const { variables, arrays } = this;
    this.variables = [...variables];
    this.arrays = [...arrays];
    const made = write();
    this.variables = variables;
    this.arrays = arrays;
    return made;
  }

  /** Returns an expression with at most `depth` nested operations. */
  expr(type: Type, depth: number, uniform = false): Expr {
    const { choices } = this;
    if (depth <= 0 || chance(choices, 25))
      return chance(choices, 30) ? literal(type, choices) : this.leaf(type, uniform);
    if (!uniform && chance(choices, 30)) return this.read(type, depth - 1);
    return operation(
      type,
      choices,
      (operand) => this.expr(operand, depth - 1, uniform),
      (operand) => this.leaf(operand, uniform)
    );
  }

  /** Nothing that WGSL evaluates. */
  leaf(type: Type, uniform = false): Expr {
    const { choices } = this;
    const found = this.variables.filter((variable) => variable.type === type && (variable.isUniform || !uniform));
    if (found.length > 0 && !chance(choices, 30)) return reading(pick(choices, found));
    return this.fromInput(type, this.word(uniform));
  }

  /** A u32 made from variables only. */
  private word(uniform: boolean): Expr {
    return reading(
      pick(
        this.choices,
        this.variables.filter((variable) => variable.type === 'u32' && (variable.isUniform || !uniform))
      )
    );
  }

  private fromInput(type: Type, index: Expr): Expr {
    const word = `input[${index.text} % ${INPUT_WORDS}u]`;
    const { isUniform } = index;
    const of = (at: Invocation): number => at.input[Number(index.of(at)) % INPUT_WORDS]!;
    switch (type) {
      case 'u32':
        return { text: word, type, isUniform, of };
      case 'i32':
        return { text: `bitcast<i32>(${word})`, type, isUniform, of: (at) => of(at) | 0 };
      case 'f32':
        return { text: `bitcast<f32>(${word})`, type, isUniform, of: (at) => seen(at, floatOf(of(at))) };
      case 'bool':
        return { text: `(${word} < 0x80000000u)`, type, isUniform, of: (at) => of(at) < 0x80000000 };
    }
  }

  /** Reads from an array, a store, a tally, vectors, or a function. */
  private read(type: Type, depth: number): Expr {
    const { choices } = this;
    const ways = [() => this.fromInput(type, this.expr('u32', depth))];
    const ofType = (one: { readonly type: Type }): boolean => one.type === type;
    for (const array of this.arrays.filter(ofType)) ways.push(() => this.fromArray(array, depth));
    for (const store of this.stores.filter(ofType)) ways.push(() => this.fromStore(store, depth));
    for (const tally of this.tallies.filter(ofType)) if (tally.mode === 'read') ways.push(() => this.fromTally(tally));
    for (const helper of this.helpers) if (helper.gives === type) ways.push(() => this.fromHelper(helper, depth));
    if (type === 'u32') {
      ways.push(() => this.fromVector(depth));
      if (!this.isHelper) ways.push(() => this.fromOwn());
    }
    return pick(choices, ways)();
  }

  private fromArray({ name, number, length, type }: OwnArray, depth: number): Expr {
    const index = this.expr('u32', depth);
    return {
      text: `${name}[${index.text} % ${length}u]`,
      type,
      isUniform: false,
      of: (at) => at.arrays[number]![Number(index.of(at)) % length]!,
    };
  }

  private fromStore(store: Store, depth: number): Expr {
    const { mode, type, number, perInvocation } = store;
    const length = this.size * perInvocation;
    if (mode !== null) {
      const k = this.choices.below(perInvocation);
      return {
        text: store.element(mode.text(k)),
        type,
        isUniform: false,
        of: (at) => at.memory.stores[number]![mode.of(at, k)]!,
      };
    }
    const index = this.expr('u32', depth);
    return {
      text: store.element(`${index.text} % ${length}u`),
      type,
      isUniform: false,
      of: (at) => at.memory.stores[number]![Number(index.of(at)) % length]!,
    };
  }

  private fromTally({ name, number, operations, type }: Tally): Expr {
    const k = this.choices.below(operations.length);
    return { text: `atomicLoad(&${name}[${k}])`, type, isUniform: false, of: (at) => at.memory.stores[number]![k]! };
  }

  private fromHelper({ name, takes, gives, call }: Helper, depth: number): Expr {
    const args = takes.map((type) => this.expr(type, depth - 1));
    return {
      text: `${name}(${args.map(({ text }) => text).join(', ')})`,
      type: gives,
      isUniform: false,
      of: (at) =>
        call(
          at,
          args.map((arg) => arg.of(at))
        ),
    };
  }

  private fromVector(depth: number): Expr {
    const index = this.expr('u32', depth);
    const added = this.expr('u32', depth - 1);
    const c = this.choices.below(4);
    return {
      text: `(vectors[${index.text} % 16u] + vec4u(${added.text})).${'xyzw'[c]}`,
      type: 'u32',
      isUniform: false,
      of: (at) => (at.input[(Number(index.of(at)) % 16) * 4 + c]! + Number(added.of(at))) >>> 0,
    };
  }

  private fromOwn(): Expr {
    const k = this.choices.below(OWN_WORDS);
    return {
      text: `own[id * ${OWN_WORDS}u + ${k}u]`,
      type: 'u32',
      isUniform: false,
      of: (at) => at.memory.own[at.id * OWN_WORDS + k]!,
    };
  }
}

const reading = ({ name, type, number, isUniform, isKnown }: Variable): Expr => ({
  text: name,
  type,
  isUniform,
  isKnown,
  of: (at) => at.values[number]!,
});

/** The word that holds a value in a buffer. */
export const wordOf = (type: Type, value: Value): number =>
  type === 'f32' ? bitsOfFloat(value as number) : bitsOf(value);
export const asWord = ({ text, type }: Expr): string =>
  type === 'u32' ? text : type === 'bool' ? `u32(${text})` : `bitcast<u32>(${text})`;
