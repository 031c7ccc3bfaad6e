// Codes and sizes of triangle records. Both compilers read this file.

/** The triangle faces the front. */
export const TRI_FLAG_FRONT = 1;
/** Triangle.cover is valid. */
export const TRI_FLAG_SMALL = 2;
/** The plane of 1/w is 1 everywhere, so no division by w is needed. */
export const TRI_FLAG_AFFINE = 4;
/**
 * From this bit on, one bit for each of the first TRI_CONSTANT_BITS varyings: the varying is constant over the
 * triangle.
 */
export const TRI_CONSTANT_SHIFT = 8;
export const TRI_CONSTANT_BITS = 24;
