// Common parts of all records. Fields come first. Arrays and other records, which asc cannot lay out in a class, follow
// them. Each begins where the previous one ends: its accessor names its neighbour, and the number and size of its
// elements: `this.pending + TILE_BLOCKS * sizeof<u16>()`. `past` is the end of the last one.
//
// The optimizer decides what it inlines before it folds constants. So the constants here are @inline, a product within
// a product has a name of its own, such as CHANNELS_BYTES, and accessors are expressions of names. Constants without
// @inline changed the code of hundreds of functions, and so did calls of `after<u16>(this.pending, TILE_BLOCKS)`.

import { WARP_QUADS } from './limits';

/** Lanes of a v128: the pixels of a quad. Also as a shift; and `(x + LANES_PAD) & ~LANES_PAD` is the next multiple. */
// @ts-ignore: decorator
@inline export const LANES = 4;
// @ts-ignore: decorator
@inline export const LANES_SHIFT = 2;
// @ts-ignore: decorator
@inline export const LANES_PAD = 3;
/** Channels of a texel: r, g, b, a. */
// @ts-ignore: decorator
@inline export const CHANNELS = 4;
/** Bytes of a v128. `(x + VECTOR_PAD) & ~VECTOR_PAD` is the next multiple of it. */
// @ts-ignore: decorator
@inline export const VECTOR_BYTES = 16;
// @ts-ignore: decorator
@inline export const VECTOR_PAD = 15;
/** Bytes of a v128 for each channel of four texels, and of a v128 for each lane. */
// @ts-ignore: decorator
@inline export const CHANNELS_BYTES = CHANNELS * VECTOR_BYTES;
// @ts-ignore: decorator
@inline export const LANES_BYTES = LANES * VECTOR_BYTES;
/** Bytes of a v128 for each quad of a warp, which is a register, and of a word for each. */
// @ts-ignore: decorator
@inline export const QUAD_VECTORS_BYTES = WARP_QUADS * VECTOR_BYTES;
// @ts-ignore: decorator
@inline export const QUAD_WORDS_BYTES = WARP_QUADS * sizeof<u32>();
/** Bytes of a cache line, likewise. */
// @ts-ignore: decorator
@inline export const LINE_BYTES = 64;
// @ts-ignore: decorator
@inline export const LINE_PAD = 63;

/** Address of the first array after a record's fields, aligned to VECTOR_BYTES. */
export function pastFields<T>(record: T): usize {
  return changetype<usize>(record) + ((offsetof<T>() + VECTOR_PAD) & ~VECTOR_PAD);
}

/** Size of a record in bytes, including what follows its fields. */
export function sizeOf<T>(): usize {
  if (isDefined(changetype<T>(0).past)) return changetype<T>(0).past;
  return offsetof<T>();
}
