// Building blocks of random compute shaders: WGSL expressions together with their evaluation in plain TypeScript. This
// code is independent of the project's front end, IR and engines.
import type { Tickets } from './tickets';

export type Type = 'u32' | 'i32' | 'f32' | 'bool';
/** u32 from 0, i32 signed, f32 rounded. */
export type Value = number | boolean;

/** The source of randomness for the shape of a shader. */
export interface Choices {
  /** Returns an integer from 0 (inclusive) to n (exclusive). */
  below(n: number): number;
  /** Excludes floats, some of whose bits WGSL leaves to implementations (NaNs, denormals, contraction). */
  readonly isExact?: boolean;
  /** Stores atomic results in variables: the final results depend on their order. */
  readonly usesResults?: boolean;
}
/** The types that shaders may use. */
export const allowed = <T extends Type>({ isExact }: Choices, types: readonly T[]): readonly T[] =>
  isExact ? types.filter((type) => type !== 'f32') : types;
export const chance = (choices: Choices, percent: number): boolean => choices.below(100) >= 100 - percent;
export const pick = <T>(choices: Choices, list: readonly T[]): T => list[choices.below(list.length)]!;

/** An invocation in progress. */
export interface Invocation {
  readonly index: number;
  readonly localX: number;
  readonly localY: number;
  /** Number of the invocation, and of its workgroup, in the dispatch. */
  readonly id: number;
  readonly group: number;
  readonly input: Uint32Array;
  /** Variables by number, private arrays by number. */
  readonly values: Value[];
  readonly arrays: Value[][];
  readonly memory: Memory;
}

/** Memory that invocations share: elements by store. */
export interface Memory {
  readonly stores: Value[][];
  readonly own: Uint32Array;
  readonly tickets: Tickets;
  /**
   * Whether no float occurred that implementations may treat differently: a NaN, an infinity, or one too close to zero.
   */
  isClear: boolean;
}

export interface Expr {
  readonly text: string;
  readonly type: Type;
  /** Uniform across the workgroup by WGSL's analysis. */
  readonly isUniform: boolean;
  /** WGSL evaluates it, and rejects overflows. */
  readonly isConstant?: boolean;
  /** A constant, or a `let` of one. */
  readonly isKnown?: boolean;
  of(at: Invocation): Value;
}

const view = new DataView(new ArrayBuffer(4));
/** The stored bits of a value; all NaNs have the same ones. */
export function bitsOf(value: Value): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value >>> 0;
}
export function bitsOfFloat(value: number): number {
  if (Number.isNaN(value)) return 0x7fc00000;
  view.setFloat32(0, value);
  return view.getUint32(0);
}
export function floatOf(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}
/** Records that a float has occurred. */
export function seen({ memory }: Invocation, value: Value): Value {
  const far = Math.abs(value as number);
  if (!(far < Infinity) || (far > 0 && far < 2 ** -126)) memory.isClear = false;
  return value;
}
/** Rounds towards zero and clamps to the type's range; NaN and −0 become 0. */
const truncated = (value: number, least: number, most: number): number =>
  Number.isNaN(value) ? 0 : Math.max(least, Math.min(most, Math.trunc(value))) + 0;

/** By the types that have an expression of each: its WGSL, its operands, and its result. */
interface Operation {
  readonly takes: readonly Type[];
  write(...texts: string[]): string;
  of(...values: never[]): Value;
  /** Operand that WGSL rejects if it is known to be 0, or too large. */
  readonly refuses?: 'zero' | 'shift';
  /** A known operand counts as the first one: it decides between two zeros and against a NaN. */
  readonly putsKnownFirst?: boolean;
}
const infix =
  (symbol: string) =>
  (a: string, b: string): string =>
    `(${a} ${symbol} ${b})`;
const called =
  (name: string) =>
  (...texts: string[]): string =>
    `${name}(${texts.join(', ')})`;
const { fround, imul, clz32 } = Math;

type Two = (a: number, b: number) => number;
const integer = (type: 'u32' | 'i32', wrap: (value: number) => number): Operation[] => {
  const two = (symbol: string, of: Two, refuses?: 'zero'): Operation => ({
    takes: [type, type],
    write: infix(symbol),
    of: (a: number, b: number) => wrap(of(a, b)),
    ...(refuses && { refuses }),
  });
  const shift = (symbol: string, of: Two): Operation => ({
    takes: [type, 'u32'],
    write: infix(symbol),
    of: (a: number, b: number) => wrap(of(a, b)),
    refuses: 'shift',
  });
  return [
    two('+', (a, b) => a + b),
    two('-', (a, b) => a - b),
    two('*', imul),
    two('/', (a, b) => (b === 0 ? a : Math.trunc(a / b)), 'zero'),
    two('%', (a, b) => (b === 0 ? 0 : a % b), 'zero'),
    two('&', (a, b) => a & b),
    two('|', (a, b) => a | b),
    two('^', (a, b) => a ^ b),
    shift('<<', (a, b) => a << (b & 31)),
    shift('>>', (a, b) => (type === 'u32' ? a >>> (b & 31) : a >> (b & 31))),
    { takes: [type, type], write: called('min'), of: (a: number, b: number) => Math.min(a, b) },
    { takes: [type, type], write: called('max'), of: (a: number, b: number) => Math.max(a, b) },
    { takes: [type, type, 'bool'], write: called('select'), of: (a: number, b: number, c: boolean) => (c ? b : a) },
    { takes: [type], write: (a) => `(~${a})`, of: (a: number) => wrap(~a) },
    {
      takes: [type],
      write: called('countOneBits'),
      of: (a: number) => {
        let count = 0;
        for (let bits = a >>> 0; bits > 0; bits = (bits & (bits - 1)) >>> 0) count++;
        return count;
      },
    },
    { takes: [type], write: called('countLeadingZeros'), of: (a: number) => clz32(a) },
    { takes: ['bool'], write: called(type), of: (a: boolean) => (a ? 1 : 0) },
  ];
};

const OPERATIONS: Readonly<Record<Type, readonly Operation[]>> = {
  u32: [
    ...integer('u32', (value) => value >>> 0),
    { takes: ['i32'], write: called('u32'), of: (a: number) => a >>> 0 },
    { takes: ['f32'], write: called('u32'), of: (a: number) => truncated(a, 0, 0xffffff00) },
    { takes: ['f32'], write: called('bitcast<u32>'), of: (a: number) => bitsOfFloat(a) },
  ],
  i32: [
    ...integer('i32', (value) => value | 0),
    { takes: ['u32'], write: called('i32'), of: (a: number) => a | 0 },
    { takes: ['f32'], write: called('i32'), of: (a: number) => truncated(a, -0x80000000, 0x7fffff80) },
    { takes: ['i32'], write: called('abs'), of: (a: number) => Math.abs(a) | 0 },
    { takes: ['i32'], write: (a) => `(-${a})`, of: (a: number) => -a | 0 },
  ],
  f32: [
    { takes: ['f32', 'f32'], write: infix('+'), of: (a: number, b: number) => fround(a + b) },
    { takes: ['f32', 'f32'], write: infix('-'), of: (a: number, b: number) => fround(a - b) },
    { takes: ['f32', 'f32'], write: infix('*'), of: (a: number, b: number) => fround(a * b) },
    { takes: ['f32', 'f32'], write: infix('/'), of: (a: number, b: number) => fround(a / b), refuses: 'zero' },
    {
      takes: ['f32', 'f32'],
      write: called('min'),
      of: (a: number, b: number) => (b < a ? b : a),
      putsKnownFirst: true,
    },
    {
      takes: ['f32', 'f32'],
      write: called('max'),
      of: (a: number, b: number) => (a < b ? b : a),
      putsKnownFirst: true,
    },
    { takes: ['f32', 'f32', 'bool'], write: called('select'), of: (a: number, b: number, c: boolean) => (c ? b : a) },
    { takes: ['f32'], write: called('abs'), of: (a: number) => Math.abs(a) },
    { takes: ['f32'], write: called('floor'), of: (a: number) => Math.floor(a) },
    { takes: ['f32'], write: called('trunc'), of: (a: number) => Math.trunc(a) },
    { takes: ['f32'], write: called('sqrt'), of: (a: number) => fround(Math.sqrt(a)) },
    { takes: ['f32'], write: (a) => `(-${a})`, of: (a: number) => -a },
    { takes: ['u32'], write: called('f32'), of: (a: number) => fround(a) },
    { takes: ['i32'], write: called('f32'), of: (a: number) => fround(a) },
    { takes: ['u32'], write: called('bitcast<f32>'), of: (a: number) => floatOf(a) },
  ],
  bool: [
    ...(['u32', 'i32', 'f32'] as const).flatMap((type): Operation[] => [
      { takes: [type, type], write: infix('<'), of: (a: number, b: number) => a < b },
      { takes: [type, type], write: infix('>='), of: (a: number, b: number) => a >= b },
      { takes: [type, type], write: infix('=='), of: (a: number, b: number) => a === b },
      { takes: [type, type], write: infix('!='), of: (a: number, b: number) => a !== b },
    ]),
    { takes: ['bool'], write: (a) => `(!${a})`, of: (a: boolean) => !a },
    { takes: ['bool', 'bool'], write: infix('&&'), of: (a: boolean, b: boolean) => a && b },
    { takes: ['bool', 'bool'], write: infix('||'), of: (a: boolean, b: boolean) => a || b },
    { takes: ['bool', 'bool'], write: infix('&'), of: (a: boolean, b: boolean) => a && b },
    { takes: ['u32'], write: called('bool'), of: (a: number) => a !== 0 },
  ],
};

export function literal(type: Type, choices: Choices): Expr {
  const made = (text: string, value: Value): Expr => ({
    text,
    type,
    isUniform: true,
    isConstant: true,
    isKnown: true,
    of: () => value,
  });
  switch (type) {
    case 'bool': {
      const value = choices.below(2) === 1;
      return made(`${value}`, value);
    }
    case 'u32': {
      const value = pick(choices, [0, 1, 2, 3, 7, 13, 31, 64, 1000, 0x9e3779b1, 0xffffffff]);
      return made(`${value}u`, value);
    }
    case 'i32': {
      const value = pick(choices, [0, 1, -1, 2, 5, -7, 31, 1000, 0x7fffffff]);
      return made(value < 0 ? `(${value}i)` : `${value}i`, value);
    }
    case 'f32': {
      const value = pick(choices, [0, 1, -1, 0.5, 3, -2.25, 1024, 16777216]);
      return made(value < 0 ? `(${value}f)` : `${value}f`, value);
    }
  }
}

/** A number other than 0, and below 32. */
const small = (type: Type, value: number): Expr => ({
  text: type === 'u32' ? `${value}u` : type === 'i32' ? `${value}i` : `${value}f`,
  type,
  isUniform: true,
  isConstant: true,
  isKnown: true,
  of: () => value,
});

/**
 * An operation of `type`; `operand` supplies its operands. WGSL must not evaluate it: not all operands are constant.
 */
export function operation(
  type: Type,
  choices: Choices,
  operand: (type: Type) => Expr,
  varying: (type: Type) => Expr
): Expr {
  const operations = OPERATIONS[type].filter(({ takes }) => allowed(choices, takes).length === takes.length);
  const { takes, write, of, refuses, putsKnownFirst } = pick(choices, operations);
  const args = takes.map(operand);
  if (args.every(({ isConstant }) => isConstant)) args[0] = varying(takes[0]!);
  const last = args.length - 1;
  if (refuses !== undefined && args[last]!.isConstant) args[last] = small(takes[last]!, 1 + choices.below(30));
  const run = of as unknown as (...values: Value[]) => Value;
  const evaluated = putsKnownFirst && args[1]!.isKnown && !args[0]!.isKnown ? [args[1]!, args[0]!] : args;
  return {
    text: write(...args.map(({ text }) => text)),
    type,
    isUniform: args.every(({ isUniform }) => isUniform),
    of: (at) => {
      const value = run(...evaluated.map((arg) => arg.of(at)));
      return type === 'f32' ? seen(at, value) : value;
    },
  };
}
