// Algebraic simplifications that preserve every bit for all arguments, including NaN and −0. All NaNs count as one,
// because their bits become canonical wherever they are observable; x · 1 is therefore x.

import { FLOAT_ONE_BITS, floatFromBits } from '../../base/bits';
import type { OpName } from '../ops';
import type { Instruction, ScalarType, ValueId } from '../program';
import { bitsOf } from './fold';

/** The value to use instead, or undefined. */
export type Simplified = ValueId | undefined;
/** What a rule can query and create. */
export interface Facts {
  /** The bits if the value is a constant. */
  bits(id: ValueId): number | undefined;
  /** The instruction that defines the value. */
  definition(id: ValueId): Instruction | undefined;
  type(id: ValueId): ScalarType;
  constant(type: ScalarType, bits: number): ValueId;
  /** Inserts an instruction before the current one; it is itself simplified, folded and shared. */
  emit(op: OpName, type: ScalarType, args: readonly ValueId[]): ValueId;
}

type Rule = (facts: Facts, args: readonly ValueId[], type: ScalarType) => Simplified;

const MINUS_ONE = 0xbf800000;
const TWO = 0x40000000;
const ZERO = 0;
const MINUS_ZERO = 0x80000000;
const ALL = 0xffffffff;

/** The argument of `id`'s definition if that is `op`. */
function inner(facts: Facts, id: ValueId, op: OpName): ValueId | undefined {
  const definition = facts.definition(id);
  return definition?.op === op ? definition.args[0] : undefined;
}

/** The reciprocal of a power of two if both are normal numbers. Multiplication by it then rounds like the division. */
function exactReciprocal(bits: number): number | undefined {
  const exponent = (bits >>> 23) & 255;
  if ((bits & 0x7fffff) !== 0 || exponent < 1 || exponent > 253) return undefined;
  return bitsOf(1 / floatFromBits(bits));
}

const isPowerOfTwo = (x: number): boolean => x !== 0 && (x & (x - 1)) === 0;
const log2 = (x: number): number => 31 - Math.clz32(x);

const add: Rule = (facts, [a, b], type) => {
  // x + −0 is x. x + 0 is not, because −0 + 0 is +0.
  if (facts.bits(b!) === MINUS_ZERO) return a;
  if (facts.bits(a!) === MINUS_ZERO) return b;
  const negatedB = inner(facts, b!, 'f32.neg');
  if (negatedB !== undefined) return facts.emit('f32.sub', type, [a!, negatedB]);
  const negatedA = inner(facts, a!, 'f32.neg');
  return negatedA === undefined ? undefined : facts.emit('f32.sub', type, [b!, negatedA]);
};

const subtract: Rule = (facts, [a, b], type) => {
  if (facts.bits(b!) === ZERO) return a;
  if (facts.bits(b!) === MINUS_ZERO) return facts.emit('f32.add', type, [a!, facts.constant('f32', ZERO)]);
  const negated = inner(facts, b!, 'f32.neg');
  return negated === undefined ? undefined : facts.emit('f32.add', type, [a!, negated]);
};

const multiply: Rule = (facts, [a, b], type) => {
  for (const [x, y] of [
    [a!, b!],
    [b!, a!],
  ] as const) {
    const bits = facts.bits(y);
    if (bits === FLOAT_ONE_BITS) return x;
    if (bits === MINUS_ONE) return facts.emit('f32.neg', type, [x]);
  }
  const negatedA = inner(facts, a!, 'f32.neg');
  const negatedB = inner(facts, b!, 'f32.neg');
  return negatedA !== undefined && negatedB !== undefined
    ? facts.emit('f32.mul', type, [negatedA, negatedB])
    : undefined;
};

const divide: Rule = (facts, [a, b], type) => {
  const bits = facts.bits(b!);
  if (bits === undefined) return undefined;
  if (bits === FLOAT_ONE_BITS) return a;
  const reciprocal = exactReciprocal(bits);
  return reciprocal === undefined ? undefined : facts.emit('f32.mul', type, [a!, facts.constant('f32', reciprocal)]);
};

const same: Rule = (_, [a, b]) => (a === b ? a : undefined);
const idempotent =
  (op: OpName): Rule =>
  (facts, [a]) =>
    inner(facts, a!, op) === undefined ? undefined : a;
/** x ∘ x is a constant. */
const ofSame =
  (bits: number, next?: Rule): Rule =>
  (facts, args, type) =>
    args[0] === args[1] ? facts.constant(type, bits) : next?.(facts, args, type);
const involution =
  (op: OpName): Rule =>
  (facts, [a]) =>
    inner(facts, a!, op);

/** x ∘ identity = x on either side. */
const identity =
  (bits: number, next?: Rule): Rule =>
  (facts, args, type) => {
    if (facts.bits(args[1]!) === bits) return args[0];
    if (facts.bits(args[0]!) === bits) return args[1];
    return next?.(facts, args, type);
  };
/** x ∘ absorbing = absorbing on either side. */
const absorbing =
  (bits: number, next?: Rule): Rule =>
  (facts, args, type) => {
    for (const id of args) if (facts.bits(id) === bits) return id;
    return next?.(facts, args, type);
  };
const rightIdentity =
  (bits: number, next?: Rule): Rule =>
  (facts, args, type) =>
    facts.bits(args[1]!) === bits ? args[0] : next?.(facts, args, type);

const multiplyInt: Rule = (facts, [a, b], type) => {
  for (const [x, y] of [
    [a!, b!],
    [b!, a!],
  ] as const) {
    const bits = facts.bits(y);
    if (bits !== undefined && isPowerOfTwo(bits))
      return facts.emit('int.shl', type, [x, facts.constant('u32', log2(bits))]);
  }
  return undefined;
};

/** (x + c) + d = x + (c + d), so that a byte offset ends in one constant. */
const addInt: Rule = (facts, [a, b], type) => {
  const bits = facts.bits(b!);
  if (bits === undefined) return facts.bits(a!) === undefined ? undefined : facts.emit('int.add', type, [b!, a!]);
  const definition = facts.definition(a!);
  if (definition?.op !== 'int.add') return undefined;
  const innerBits = facts.bits(definition.args[1]!);
  return innerBits === undefined
    ? undefined
    : facts.emit('int.add', type, [definition.args[0]!, facts.constant(type, innerBits + bits)]);
};

/** A square is exactly what the engines compute for the exponent 2. */
const power: Rule = (facts, [x, y], type) =>
  facts.bits(y!) === TWO ? facts.emit('f32.mul', type, [x!, x!]) : undefined;

const divideUnsigned: Rule = (facts, [a, b], type) => {
  const bits = facts.bits(b!);
  return bits !== undefined && isPowerOfTwo(bits)
    ? facts.emit('u32.shr', type, [a!, facts.constant('u32', log2(bits))])
    : undefined;
};
const remainderUnsigned: Rule = (facts, [a, b], type) => {
  const bits = facts.bits(b!);
  return bits !== undefined && isPowerOfTwo(bits)
    ? facts.emit('int.and', type, [a!, facts.constant(type, bits - 1)])
    : undefined;
};

const inverse: Readonly<Partial<Record<OpName, OpName>>> = {
  // Float comparisons other than = and ≠ have no opposite, because NaN makes both false.
  'f32.eq': 'f32.ne',
  'f32.ne': 'f32.eq',
  'int.eq': 'int.ne',
  'int.ne': 'int.eq',
  'bool.eq': 'bool.ne',
  'bool.ne': 'bool.eq',
  'i32.lt': 'i32.ge',
  'i32.ge': 'i32.lt',
  'i32.gt': 'i32.le',
  'i32.le': 'i32.gt',
  'u32.lt': 'u32.ge',
  'u32.ge': 'u32.lt',
  'u32.gt': 'u32.le',
  'u32.le': 'u32.gt',
};

const not: Rule = (facts, [a]) => {
  const definition = facts.definition(a!);
  if (definition?.op === 'bool.not') return definition.args[0];
  const opposite = definition === undefined ? undefined : inverse[definition.op];
  return opposite === undefined ? undefined : facts.emit(opposite, 'bool', definition!.args);
};

/**
 * Comparisons that decide which of two values is less. Non-strict ones only appear for integers, where equal values are
 * identical.
 */
const orders: Readonly<Partial<Record<OpName, { readonly of: 'f32' | 'i32' | 'u32'; readonly isLess: boolean }>>> = {
  'f32.lt': { of: 'f32', isLess: true },
  'f32.gt': { of: 'f32', isLess: false },
  'i32.lt': { of: 'i32', isLess: true },
  'i32.gt': { of: 'i32', isLess: false },
  'i32.le': { of: 'i32', isLess: true },
  'i32.ge': { of: 'i32', isLess: false },
  'u32.lt': { of: 'u32', isLess: true },
  'u32.gt': { of: 'u32', isLess: false },
  'u32.le': { of: 'u32', isLess: true },
  'u32.ge': { of: 'u32', isLess: false },
};

/**
 * A select of the lesser or greater value becomes min or max. For unordered floats it keeps the value that the select
 * would choose.
 */
const chosen: Rule = (facts, [condition, yes, no], type) => {
  const definition = facts.definition(condition!);
  const order = definition && orders[definition.op];
  if (order === undefined) return undefined;
  const [less, greater] = order.isLess ? definition!.args : definition!.args.toReversed();
  if (yes === less && no === greater) return facts.emit(`${order.of}.min`, type, [no!, yes!]);
  return yes === greater && no === less ? facts.emit(`${order.of}.max`, type, [no!, yes!]) : undefined;
};

const select: Rule = (facts, [condition, yes, no], type) => {
  const known = facts.bits(condition!);
  if (known !== undefined) return known === 0 ? no : yes;
  if (yes === no) return yes;
  const negated = inner(facts, condition!, 'bool.not');
  if (negated !== undefined) return facts.emit('select', type, [negated, no!, yes!]);
  if (type === 'f32' && facts.bits(yes!) === FLOAT_ONE_BITS && facts.bits(no!) === ZERO)
    return facts.emit('f32.fromBool', type, [condition!]);
  if (type !== 'bool') return chosen(facts, [condition!, yes!, no!], type);
  if (facts.bits(yes!) === ALL) return facts.emit('bool.or', 'bool', [condition!, no!]);
  if (facts.bits(no!) === 0) return facts.emit('bool.and', 'bool', [condition!, yes!]);
  return undefined;
};

const equalBools: Rule = (facts, [a, b]) => {
  for (const [x, y] of [
    [a!, b!],
    [b!, a!],
  ] as const) {
    const bits = facts.bits(y);
    if (bits !== undefined) return bits === 0 ? facts.emit('bool.not', 'bool', [x]) : x;
  }
  return undefined;
};
const unequalBools: Rule = (facts, [a, b]) => {
  for (const [x, y] of [
    [a!, b!],
    [b!, a!],
  ] as const) {
    const bits = facts.bits(y);
    if (bits !== undefined) return bits === 0 ? x : facts.emit('bool.not', 'bool', [x]);
  }
  return undefined;
};

/** A bool that is converted to a number and compared with 0. */
const comparedBool =
  (isSet: boolean): Rule =>
  (facts, args, type) => {
    for (const [x, y] of [
      [args[0]!, args[1]!],
      [args[1]!, args[0]!],
    ] as const) {
      const source = inner(facts, x, 'int.fromBool');
      if (source !== undefined && facts.bits(y) === 0) return isSet ? source : facts.emit('bool.not', type, [source]);
    }
    return undefined;
  };

/** A cast to the same type, or back to the original type. */
const cast: Rule = (facts, [a], type) => {
  if (facts.type(a!) === type) return a;
  const source = inner(facts, a!, 'int.cast');
  return source !== undefined && facts.type(source) === type ? source : undefined;
};

/** Unsigned minimum of a minimum with two known limits. */
const minUnsigned: Rule = (facts, [a, b], type) => {
  if (a === b) return a;
  if (facts.bits(a!) === 0) return a;
  if (facts.bits(b!) === 0) return b;
  const bits = facts.bits(b!);
  const definition = facts.definition(a!);
  if (bits === undefined || definition === undefined) return undefined;
  // A masked value is at most the mask.
  const limit =
    definition.op === 'int.and' || definition.op === 'u32.min' ? facts.bits(definition.args[1]!) : undefined;
  if (limit === undefined) return undefined;
  if (limit <= bits) return a;
  return definition.op === 'u32.min' ? facts.emit('u32.min', type, [definition.args[0]!, b!]) : undefined;
};

const rules: Readonly<Partial<Record<OpName, Rule>>> = {
  'f32.add': add,
  'f32.sub': subtract,
  'f32.mul': multiply,
  'f32.pow': power,
  'f32.div': divide,
  'f32.min': same,
  'f32.max': same,
  'f32.neg': involution('f32.neg'),
  'f32.abs': (facts, args, type) => {
    const negated = inner(facts, args[0]!, 'f32.neg');
    return negated === undefined ? idempotent('f32.abs')(facts, args, type) : facts.emit('f32.abs', type, [negated]);
  },
  'f32.floor': idempotent('f32.floor'),
  'f32.ceil': idempotent('f32.ceil'),
  'f32.trunc': idempotent('f32.trunc'),
  'f32.round': idempotent('f32.round'),
  'int.add': identity(0, addInt),
  'int.sub': ofSame(0, rightIdentity(0)),
  'int.mul': identity(1, absorbing(0, multiplyInt)),
  'int.and': identity(ALL, absorbing(0, same)),
  'int.or': identity(0, absorbing(ALL, same)),
  'int.xor': ofSame(0, identity(0)),
  'int.shl': rightIdentity(0),
  'i32.shr': rightIdentity(0),
  'u32.shr': rightIdentity(0),
  'i32.div': rightIdentity(1),
  'u32.div': rightIdentity(1, divideUnsigned),
  'u32.rem': remainderUnsigned,
  'i32.min': same,
  'i32.max': same,
  'u32.min': minUnsigned,
  'u32.max': identity(0, same),
  'int.neg': involution('int.neg'),
  'int.not': involution('int.not'),
  'int.cast': cast,
  'bool.and': identity(ALL, absorbing(0, same)),
  'bool.or': identity(0, absorbing(ALL, same)),
  'bool.not': not,
  'bool.eq': ofSame(ALL, equalBools),
  'bool.ne': ofSame(0, unequalBools),
  select: select,
  'int.eq': ofSame(ALL, comparedBool(false)),
  'int.ne': ofSame(0, comparedBool(true)),
  'i32.lt': ofSame(0),
  'i32.gt': ofSame(0),
  'u32.lt': ofSame(0),
  'u32.gt': ofSame(0),
  'i32.le': ofSame(ALL),
  'i32.ge': ofSame(ALL),
  'u32.le': ofSame(ALL),
  'u32.ge': ofSame(ALL),
  'f32.fromBits': (facts, [a]) => inner(facts, a!, 'int.fromF32Bits'),
};

/** A value that equals the instruction's result bit for bit, or undefined. */
export function simplify(facts: Facts, instruction: Instruction): Simplified {
  return rules[instruction.op]?.(facts, instruction.args, facts.type(instruction.results[0]!));
}
