// Interval arithmetic on unsigned numbers. Every bit pattern counts as a number from 0 to 2³² − 1.

import type { OpName } from '../ops';

export interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

const MAX_U32 = 0xffffffff;
const HALF = 0x7fffffff;
export const ANY: Range = { minimum: 0, maximum: MAX_U32 };

export const only = (value: number): Range => ({ minimum: value >>> 0, maximum: value >>> 0 });
export const joined = (a: Range, b: Range): Range =>
  a === b ? a : { minimum: Math.min(a.minimum, b.minimum), maximum: Math.max(a.maximum, b.maximum) };
export const isSame = (a: Range, b: Range): boolean => a.minimum === b.minimum && a.maximum === b.maximum;

/** Sets all bits below the highest set bit. */
const filled = (value: number): number => (value === 0 ? 0 : 2 ** (32 - Math.clz32(value)) - 1);
const within = (least: number, most: number): Range =>
  least < 0 || most > MAX_U32 ? ANY : { minimum: least, maximum: most };
/** Whether neither is negative as a signed number. Signed and unsigned order are then the same. */
const areNatural = (a: Range, b: Range): boolean => a.maximum <= HALF && b.maximum <= HALF;

/** The range of a binary operation's result. */
export function rangeOf(op: OpName, a: Range, b: Range): Range {
  switch (op) {
    case 'int.add':
      return within(a.minimum + b.minimum, a.maximum + b.maximum);
    case 'int.sub':
      return within(a.minimum - b.maximum, a.maximum - b.minimum);
    case 'int.mul':
      return within(a.minimum * b.minimum, a.maximum * b.maximum);
    case 'int.and':
      return { minimum: 0, maximum: Math.min(a.maximum, b.maximum) };
    case 'int.or':
      return { minimum: Math.max(a.minimum, b.minimum), maximum: filled(Math.max(a.maximum, b.maximum)) };
    case 'int.xor':
      return { minimum: 0, maximum: filled(Math.max(a.maximum, b.maximum)) };
    case 'int.shl':
      return b.maximum < 32 ? within(a.minimum * 2 ** b.minimum, a.maximum * 2 ** b.maximum) : ANY;
    case 'u32.shr':
      return b.maximum < 32
        ? { minimum: Math.floor(a.minimum / 2 ** b.maximum), maximum: Math.floor(a.maximum / 2 ** b.minimum) }
        : { minimum: 0, maximum: a.maximum };
    case 'u32.div':
      return b.minimum > 0
        ? { minimum: Math.floor(a.minimum / b.maximum), maximum: Math.floor(a.maximum / b.minimum) }
        : { minimum: 0, maximum: a.maximum };
    // x % 0 is 0.
    case 'u32.rem':
      return a.maximum < b.minimum ? a : { minimum: 0, maximum: Math.min(a.maximum, Math.max(b.maximum, 1) - 1) };
    case 'u32.min':
      return { minimum: Math.min(a.minimum, b.minimum), maximum: Math.min(a.maximum, b.maximum) };
    case 'u32.max':
      return { minimum: Math.max(a.minimum, b.minimum), maximum: Math.max(a.maximum, b.maximum) };
    case 'i32.min':
      return areNatural(a, b) ? rangeOf('u32.min', a, b) : ANY;
    case 'i32.max':
      if (areNatural(a, b)) return rangeOf('u32.max', a, b);
      // The result is at least the operand that is never negative.
      if (a.maximum <= HALF || b.maximum <= HALF)
        return { minimum: (a.maximum <= HALF ? a : b).minimum, maximum: HALF };
      return ANY;
    default:
      return ANY;
  }
}

/** The part of `a` for which `a op b` can hold; null if it is empty. */
export function narrowed(op: OpName, a: Range, b: Range): Range | null {
  if (op.startsWith('i32.') && !areNatural(a, b)) return a;
  switch (op.replace('i32.', 'u32.')) {
    case 'u32.lt':
      return between(a.minimum, Math.min(a.maximum, b.maximum - 1));
    case 'u32.le':
      return between(a.minimum, Math.min(a.maximum, b.maximum));
    case 'u32.gt':
      return between(Math.max(a.minimum, b.minimum + 1), a.maximum);
    case 'u32.ge':
      return between(Math.max(a.minimum, b.minimum), a.maximum);
    case 'int.eq':
      return between(Math.max(a.minimum, b.minimum), Math.min(a.maximum, b.maximum));
    default:
      return a;
  }
}

const between = (least: number, most: number): Range | null =>
  least > most ? null : { minimum: least, maximum: most };

/** The negation of each comparison, and the comparison with its operands swapped. */
export const OPPOSITES: Readonly<Partial<Record<OpName, OpName>>> = {
  'u32.lt': 'u32.ge',
  'u32.ge': 'u32.lt',
  'u32.le': 'u32.gt',
  'u32.gt': 'u32.le',
  'i32.lt': 'i32.ge',
  'i32.ge': 'i32.lt',
  'i32.le': 'i32.gt',
  'i32.gt': 'i32.le',
  'int.ne': 'int.eq',
};
export const MIRRORED: Readonly<Partial<Record<OpName, OpName>>> = {
  'u32.lt': 'u32.gt',
  'u32.gt': 'u32.lt',
  'u32.le': 'u32.ge',
  'u32.ge': 'u32.le',
  'i32.lt': 'i32.gt',
  'i32.gt': 'i32.lt',
  'i32.le': 'i32.ge',
  'i32.ge': 'i32.le',
  'int.eq': 'int.eq',
  'int.ne': 'int.ne',
};
