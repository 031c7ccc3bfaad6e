// Atomic operations on a word of a buffer. All return the old value.

export const ATOMIC_ADD = 0;
export const ATOMIC_AND = 1;
export const ATOMIC_OR = 2;
export const ATOMIC_XOR = 3;
export const ATOMIC_EXCHANGE = 4;
export const ATOMIC_MIN_I32 = 5;
export const ATOMIC_MAX_I32 = 6;
export const ATOMIC_MIN_U32 = 7;
export const ATOMIC_MAX_U32 = 8;
/** Exchanges if the word equals the comparand. */
export const ATOMIC_COMPARE_EXCHANGE = 9;
