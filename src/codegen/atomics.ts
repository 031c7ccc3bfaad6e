// Maps atomic instructions to operations on a word.

import {
  ATOMIC_ADD,
  ATOMIC_AND,
  ATOMIC_COMPARE_EXCHANGE,
  ATOMIC_EXCHANGE,
  ATOMIC_MAX_I32,
  ATOMIC_MAX_U32,
  ATOMIC_MIN_I32,
  ATOMIC_MIN_U32,
  ATOMIC_OR,
  ATOMIC_XOR,
} from '../../assembly/layout/program/atomic-codes';

/** ATOMIC_* by operation. */
export const atomicCodes: Readonly<Partial<Record<string, number>>> = {
  'atomic.add': ATOMIC_ADD,
  'atomic.and': ATOMIC_AND,
  'atomic.or': ATOMIC_OR,
  'atomic.xor': ATOMIC_XOR,
  'atomic.exchange': ATOMIC_EXCHANGE,
  'atomic.minI32': ATOMIC_MIN_I32,
  'atomic.maxI32': ATOMIC_MAX_I32,
  'atomic.minU32': ATOMIC_MIN_U32,
  'atomic.maxU32': ATOMIC_MAX_U32,
  'atomic.compareExchange': ATOMIC_COMPARE_EXCHANGE,
};
