// Built-in functions on constants. Formulas and rounding steps are those of lower/builtins.ts, so that folding changes
// no bits. Functions without an exact formula use ConstantMath, which is the kernel's own code. Those on abstract
// floats, which are doubles, use double-math.ts.

import { bool, foldBinary, FoldFailure, showLeaf, toHalf } from './constant';
import type { ConstData, Leaf } from './constant';
import { evaluateBitBuiltin } from './const-bits';
import type { ConstantMath } from './hir';
import { doubleMath, scaleByPower, splitFloat } from './double-math';
import { rounded } from './half';
import { powerByProducts } from './power';
import { isFloat, leafCount, scalarOf } from './type-store';
import type { Scalar, Type } from './types';

interface ConstantCall {
  readonly name: string;
  readonly types: readonly Type[];
  readonly args: readonly ConstData[];
  readonly math: ConstantMath;
}

type Floats = readonly number[];

/**
 * Arithmetic of one float type. For f32, every step is rounded. An abstract-float is a double. For f16, steps are
 * computed in f32 and the result is rounded at the end, but it is invalid if any step is outside the range of f16.
 */
class FloatRules {
  /**
   * Whether some step has left the type's range. The function then has no value (WGSL §15.7.2), even if its last step
   * has one.
   */
  overflows = false;
  private readonly math: ConstantMath;

  constructor(
    private readonly scalar: Scalar,
    math: ConstantMath
  ) {
    this.math = scalar === 'abstract-float' ? doubleMath : math;
  }

  readonly round = (value: number): number => {
    const step = this.scalar === 'abstract-float' ? value : Math.fround(value);
    this.overflows ||= !Number.isFinite(rounded(this.scalar, step));
    return step;
  };

  unary(name: string, x: number): number {
    return this.round(this.math.unary(name, x));
  }

  binary(name: string, x: number, y: number): number {
    return this.round(this.math.binary(name, x, y));
  }

  /** The exponent as frexp returns it: i32 for f32, an abstract integer for an abstract float. */
  exponent(value: number): Leaf {
    return this.scalar === 'abstract-float' ? BigInt(value) : value;
  }

  /** Negative bases, and powers of 0 with an exponent that is not positive, have no value. */
  pow(x: number, y: number): number {
    if (x < 0 || (x === 0 && y <= 0)) return this.round(NaN);
    if (y === 0.5) return this.round(Math.sqrt(x));
    return powerByProducts(y, x, (a, b) => this.round(a * b)) ?? this.binary('pow', x, y);
  }

  dot(a: Floats, b: Floats): number {
    let sum = this.round(a[0]! * b[0]!);
    for (let i = 1; i < a.length; i++) sum = this.round(sum + this.round(a[i]! * b[i]!));
    return sum;
  }

  length(v: Floats): number {
    return v.length === 1 ? Math.abs(v[0]!) : this.round(Math.sqrt(this.dot(v, v)));
  }

  mix(x: number, y: number, t: number): number {
    const { round } = this;
    return round(round(x * round(1 - t)) + round(y * t));
  }

  smoothstep(low: number, high: number, x: number): number {
    const { round } = this;
    const t = clamp(round(round(x - low) / round(high - low)), 0, 1);
    return round(round(t * t) * round(3 - round(2 * t)));
  }

  normalize(v: Floats): Floats {
    const scale = this.unary('inverseSqrt', this.dot(v, v));
    return v.map((x) => this.round(x * scale));
  }

  reflect(incident: Floats, normal: Floats): Floats {
    const twice = this.round(2 * this.dot(normal, incident));
    return incident.map((x, k) => this.round(x - this.round(twice * normal[k]!)));
  }

  refract(incident: Floats, normal: Floats, ratio: number): Floats {
    const { round } = this;
    const cosine = this.dot(normal, incident);
    const k = round(1 - round(round(ratio * ratio) * round(1 - round(cosine * cosine))));
    if (k < 0) return incident.map(() => 0);
    const along = round(round(ratio * cosine) + round(Math.sqrt(k)));
    return incident.map((x, i) => round(round(ratio * x) - round(along * normal[i]!)));
  }

  private difference(a: number, b: number, c: number, d: number): number {
    return this.round(this.round(a * b) - this.round(c * d));
  }

  cross(a: Floats, b: Floats): Floats {
    return [0, 1, 2].map((k) => this.difference(a[(k + 1) % 3]!, b[(k + 2) % 3]!, a[(k + 2) % 3]!, b[(k + 1) % 3]!));
  }

  /** Expands along the first column. */
  determinant(size: number, m: Floats): number {
    if (size === 2) return this.difference(m[0]!, m[3]!, m[2]!, m[1]!);
    let sum = 0;
    for (let r = 0; r < size; r++) {
      const minor = m.slice(size).filter((_, at) => at % size !== r);
      const term = this.round(m[r]! * this.determinant(size - 1, minor));
      sum = r === 0 ? term : this.round(r % 2 === 1 ? sum - term : sum + term);
    }
    return sum;
  }
}

/** `b < a ? b : a` and its mirror image: for two zeros, the first on every engine. `clamp` passes `low` first. */
const minimum = <T extends Leaf>(a: T, b: T): T => (b < a ? b : a);
const maximum = <T extends Leaf>(a: T, b: T): T => (a < b ? b : a);
const clamp = <T extends Leaf>(x: T, low: T, high: T): T => minimum(maximum(low, x), high);

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  const rounded = up ? floor + 1 : floor;
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}

type ComponentRule = (rules: FloatRules, ...args: readonly number[]) => number;

const viaMath =
  (name: string): ComponentRule =>
  (rules, x) =>
    rules.unary(name, x!);

const FLOAT_COMPONENTS: ReadonlyMap<string, ComponentRule> = new Map<string, ComponentRule>([
  ...[
    'acos',
    'acosh',
    'asin',
    'asinh',
    'atan',
    'atanh',
    'cos',
    'cosh',
    'exp',
    'exp2',
    'inverseSqrt',
    'log',
    'log2',
    'sin',
    'sinh',
    'tan',
    'tanh',
  ].map((name): [string, ComponentRule] => [name, viaMath(name)]),
  ['atan2', (rules, y, x) => rules.binary('atan2', y!, x!)],
  ['ceil', (_, x) => Math.ceil(x!)],
  ['floor', (_, x) => Math.floor(x!)],
  ['trunc', (_, x) => Math.trunc(x!)],
  ['round', (_, x) => roundHalfEven(x!)],
  ['sqrt', (rules, x) => rules.round(Math.sqrt(x!))],
  ['fract', (rules, x) => rules.round(x! - Math.floor(x!))],
  ['saturate', (_, x) => clamp(x!, 0, 1)],
  ['degrees', (rules, x) => rules.round(x! * rules.round(57.29577951308232))],
  ['radians', (rules, x) => rules.round(x! * rules.round(0.017453292519943295))],
  ['pow', (rules, x, y) => rules.pow(x!, y!)],
  ['mix', (rules, x, y, t) => rules.mix(x!, y!, t!)],
  ['smoothstep', (rules, low, high, x) => rules.smoothstep(low!, high!, x!)],
  ['step', (_, edge, x) => bool(edge! <= x!)],
  ['fma', (rules, x, y, z) => rules.round(rules.round(x! * y!) + z!)],
  ['ldexp', (rules, x, e) => rules.round(scaleByPower(x!, e!))],
]);

type WholeRule = (rules: FloatRules, ...args: Floats[]) => Floats;

const FLOAT_WHOLES: ReadonlyMap<string, WholeRule> = new Map<string, WholeRule>([
  ['length', (rules, v) => [rules.length(v!)]],
  ['distance', (rules, a, b) => [rules.length(a!.map((x, k) => rules.round(x - b![k]!)))]],
  ['normalize', (rules, v) => rules.normalize(v!)],
  ['cross', (rules, a, b) => rules.cross(a!, b!)],
  ['reflect', (rules, incident, normal) => rules.reflect(incident!, normal!)],
  ['refract', (rules, incident, normal, ratio) => rules.refract(incident!, normal!, ratio![0]!)],
  ['faceForward', (rules, v, incident, normal) => (rules.dot(normal!, incident!) < 0 ? v! : v!.map((x) => -x))],
  ['modf', (rules, v) => [...v!.map((x) => rules.round(x - Math.trunc(x))), ...v!.map((x) => Math.trunc(x))]],
]);

function components(args: readonly ConstData[], rule: (...values: Leaf[]) => Leaf): Leaf[] {
  const count = Math.max(...args.map((arg) => arg.length));
  return Array.from({ length: count }, (_, k) => rule(...args.map((arg) => (arg.length === 1 ? arg[0]! : arg[k]!))));
}

/** Functions on any number type, and on bools. */
function evaluateCommon(call: ConstantCall, scalar: Scalar): ConstData | FoldFailure | null {
  const { name, args } = call;
  switch (name) {
    case 'min':
      return components(args, (a, b) => minimum(a!, b!));
    case 'max':
      return components(args, (a, b) => maximum(a!, b!));
    case 'clamp':
      return components(args, (x, low, high) => clamp(x!, low!, high!));
    case 'abs':
      return components(args, (x) => absolute(scalar, x!));
    case 'sign':
      return components(args, (x) =>
        typeof x === 'bigint' ? BigInt(Number(x > 0n) - Number(x < 0n)) : Number(x! > 0) - Number(x! < 0)
      );
    case 'dot':
      return dot(scalar, args[0]!, args[1]!);
    case 'select':
      return components([args[0]!, args[1]!, args[2]!], (ifFalse, ifTrue, condition) =>
        condition === 1 ? ifTrue! : ifFalse!
      );
    case 'all':
      return [bool(args[0]!.every((leaf) => leaf === 1))];
    case 'any':
      return [bool(args[0]!.some((leaf) => leaf === 1))];
    default:
      return null;
  }
}

function absolute(scalar: Scalar, x: Leaf): Leaf {
  // The most negative number has no positive counterpart and stays as it is.
  if (typeof x === 'bigint') return BigInt.asIntN(64, x < 0n ? -x : x);
  return scalar === 'i32' ? Math.abs(x) | 0 : Math.abs(x);
}

function dot(scalar: Scalar, a: ConstData, b: ConstData): ConstData | FoldFailure {
  let sum: Leaf | null = null;
  const step = scalar === 'f16' ? 'f32' : scalar;
  for (let k = 0; k < a.length; k++) {
    const product = foldBinary('*', step, a[k]!, b[k]!);
    if (product instanceof FoldFailure) return product;
    const next: Leaf | FoldFailure = sum === null ? product : foldBinary('+', step, sum, product);
    if (next instanceof FoldFailure) return next;
    sum = next;
  }
  const result = scalar === 'f16' ? toHalf(sum as number) : sum!;
  return result instanceof FoldFailure ? result : [result];
}

/** For ldexp: one more than the largest exponent of the type. */
const MAX_EXPONENT = { f32: 128, f16: 16, 'abstract-float': 1024 } as const;

/** Rules about arguments of const-expressions (WGSL §17). Returns a text that says which rule is violated. */
function brokenRule({ name, types, args }: ConstantCall): string | null {
  const pairs = (low: number, high: number): boolean => args[low]!.some((leaf, k) => leaf > args[high]![k]!);
  switch (name) {
    case 'clamp':
      return pairs(1, 2) ? 'the low bound is greater than the high bound' : null;
    case 'smoothstep':
      return args[0]!.some((leaf, k) => leaf === args[1]![k]) ? 'the low edge is equal to the high edge' : null;
    case 'ldexp': {
      const most = MAX_EXPONENT[scalarOf(types[0]!) as 'f32'];
      return args[1]!.some((leaf) => leaf > most) ? `the exponent is greater than ${most}` : null;
    }
    case 'extractBits':
      return Number(args[1]![0]) + Number(args[2]![0]) > 32 ? 'offset + count is greater than 32' : null;
    case 'insertBits':
      return Number(args[2]![0]) + Number(args[3]![0]) > 32 ? 'offset + count is greater than 32' : null;
    default:
      return null;
  }
}

/** The arguments to which each rule applies. */
const PARTIAL_RULES: ReadonlyMap<string, readonly number[]> = new Map([
  ['clamp', [1, 2]],
  ['smoothstep', [0, 1]],
  ['ldexp', [1]],
  ['extractBits', [1, 2]],
  ['insertBits', [2, 3]],
]);
export const hasPartialRule = (name: string): boolean => PARTIAL_RULES.has(name);

/**
 * Checks the known arguments when others are unknown. A constant that violates a rule of the function is an error in
 * any expression. Unknown arguments are null.
 */
export function brokenPartialRule(
  name: string,
  types: readonly Type[],
  args: readonly (ConstData | null)[],
  math: ConstantMath
): string | null {
  const indices = PARTIAL_RULES.get(name);
  if (indices === undefined || indices.some((index) => args[index] === null)) return null;
  return brokenRule({ name, types, args: args.map((arg) => arg ?? []), math });
}

/** The value of a call; null if the function has no constant value (textures, derivatives). */
export function evaluateBuiltin(call: ConstantCall): ConstData | FoldFailure | null {
  const { name, types, args } = call;
  const broken = brokenRule(call);
  if (broken !== null) return new FoldFailure('invalid-constant-arguments', `${name}: ${broken}`);
  const scalar = args.length === 0 ? null : scalarOf(types[0]!);
  if (scalar === null) return null;
  const data = evaluateCommon(call, scalar) ?? evaluateBitBuiltin(name, scalar, args) ?? evaluateFloat(call, scalar);
  if (data === null || data instanceof FoldFailure) return data;
  const bad = data.find((leaf) => typeof leaf === 'number' && !Number.isFinite(leaf));
  return bad === undefined ? data : notFinite(call, scalar);
}

const notFinite = ({ name, args }: ConstantCall, scalar: Scalar): FoldFailure =>
  new FoldFailure('not-finite', `${name}(${args.map((arg) => showArgument(arg, scalar)).join(', ')})`);

function showArgument(data: ConstData, scalar: Scalar): string {
  const shown = data.map((leaf) => showLeaf(leaf, scalar)).join(', ');
  return data.length === 1 ? shown : `(${shown})`;
}

function evaluateFloat(call: ConstantCall, scalar: Scalar): ConstData | FoldFailure | null {
  if (!isFloat(scalar)) return null;
  const rules = new FloatRules(scalar, call.math);
  const data = floatValue(call, rules);
  if (data === null) return null;
  if (rules.overflows) return notFinite(call, scalar);
  return scalar === 'f16' ? data.map((leaf) => rounded('f16', leaf as number)) : data;
}

function floatValue({ name, types, args }: ConstantCall, rules: FloatRules): ConstData | null {
  const component = FLOAT_COMPONENTS.get(name);
  if (component !== undefined) return components(args, (...values) => component(rules, ...values.map(Number)));
  const floats = args.map((arg) => arg as Floats);
  if (name === 'frexp') {
    const parts = floats[0]!.map(splitFloat);
    return [...parts.map(([fraction]) => fraction), ...parts.map(([, exponent]) => rules.exponent(exponent))];
  }
  const whole = FLOAT_WHOLES.get(name);
  if (whole !== undefined) return whole(rules, ...floats);
  const type = types[0]!;
  if (type.kind !== 'matrix') return null;
  if (name === 'determinant') return [rules.determinant(type.columns, floats[0]!)];
  if (name !== 'transpose') return null;
  return Array.from(
    { length: leafCount(type) },
    (_, at) => floats[0]![(at % type.columns) * type.rows + Math.floor(at / type.columns)]!
  );
}
