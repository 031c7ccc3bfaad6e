// Interval arithmetic on unsigned numbers. Every bit pattern counts as a number from 0 to 2³² − 1.

import type { OpName } from '../ops';

export interface Range {
  readonly least: number;
  readonly most: number;
}

const MAX_U32 = 0xffffffff;
const HALF = 0x7fffffff;
export const ANY: Range = { least: 0, most: MAX_U32 };

export const only = (value: number): Range => ({ least: value >>> 0, most: value >>> 0 });
export const joined = (a: Range, b: Range): Range =>
  a === b ? a : { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) };
export const isSame = (a: Range, b: Range): boolean => a.least === b.least && a.most === b.most;

/** Sets all bits below the highest set bit. */
const filled = (value: number): number => (value === 0 ? 0 : 2 ** (32 - Math.clz32(value)) - 1);
const within = (least: number, most: number): Range => (least < 0 || most > MAX_U32 ? ANY : { least, most });
/** Whether neither is negative as a signed number. Signed and unsigned order are then the same. */
const areNatural = (a: Range, b: Range): boolean => a.most <= HALF && b.most <= HALF;

/** The range of a binary operation's result. */
export function rangeOf(op: OpName, a: Range, b: Range): Range {
  switch (op) {
    case 'int.add':
      return within(a.least + b.least, a.most + b.most);
    case 'int.sub':
      return within(a.least - b.most, a.most - b.least);
    case 'int.mul':
      return within(a.least * b.least, a.most * b.most);
    case 'int.and':
      return { least: 0, most: Math.min(a.most, b.most) };
    case 'int.or':
      return { least: Math.max(a.least, b.least), most: filled(Math.max(a.most, b.most)) };
    case 'int.xor':
      return { least: 0, most: filled(Math.max(a.most, b.most)) };
    case 'int.shl':
      return b.most < 32 ? within(a.least * 2 ** b.least, a.most * 2 ** b.most) : ANY;
    case 'u32.shr':
      return b.most < 32
        ? { least: Math.floor(a.least / 2 ** b.most), most: Math.floor(a.most / 2 ** b.least) }
        : { least: 0, most: a.most };
    case 'u32.div':
      return b.least > 0
        ? { least: Math.floor(a.least / b.most), most: Math.floor(a.most / b.least) }
        : { least: 0, most: a.most };
    // x % 0 is 0.
    case 'u32.rem':
      return a.most < b.least ? a : { least: 0, most: Math.min(a.most, Math.max(b.most, 1) - 1) };
    case 'u32.min':
      return { least: Math.min(a.least, b.least), most: Math.min(a.most, b.most) };
    case 'u32.max':
      return { least: Math.max(a.least, b.least), most: Math.max(a.most, b.most) };
    case 'i32.min':
      return areNatural(a, b) ? rangeOf('u32.min', a, b) : ANY;
    case 'i32.max':
      if (areNatural(a, b)) return rangeOf('u32.max', a, b);
      // The result is at least the operand that is never negative.
      if (a.most <= HALF || b.most <= HALF) return { least: (a.most <= HALF ? a : b).least, most: HALF };
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
      return between(a.least, Math.min(a.most, b.most - 1));
    case 'u32.le':
      return between(a.least, Math.min(a.most, b.most));
    case 'u32.gt':
      return between(Math.max(a.least, b.least + 1), a.most);
    case 'u32.ge':
      return between(Math.max(a.least, b.least), a.most);
    case 'int.eq':
      return between(Math.max(a.least, b.least), Math.min(a.most, b.most));
    default:
      return a;
  }
}

const between = (least: number, most: number): Range | null => (least > most ? null : { least, most });

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
