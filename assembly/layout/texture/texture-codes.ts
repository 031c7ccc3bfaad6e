// Codes and sizes of texture records. Both compilers read this file.

export const DIMENSION_1D = 0;
export const DIMENSION_2D = 1;
export const DIMENSION_2D_ARRAY = 2;
export const DIMENSION_3D = 3;
export const DIMENSION_CUBE = 4;
export const DIMENSION_CUBE_ARRAY = 5;
export const FILTER_NEAREST = 0;
export const FILTER_LINEAR = 1;
export const ADDRESS_CLAMP = 0;
export const ADDRESS_REPEAT = 1;
export const ADDRESS_MIRROR = 2;
/** GPUCompareFunction, from 1. */
export const COMPARE_NEVER = 1;
export const COMPARE_LESS = 2;
export const COMPARE_EQUAL = 3;
export const COMPARE_LESS_EQUAL = 4;
export const COMPARE_GREATER = 5;
export const COMPARE_NOT_EQUAL = 6;
export const COMPARE_GREATER_EQUAL = 7;
export const COMPARE_ALWAYS = 8;

/** Access.mode: texture reads in bytecode. */
export const MODE_IMPLICIT = 0;
export const MODE_BIAS = 1;
export const MODE_LEVEL = 2;
export const MODE_GRAD = 3;
/** Plus the channel: the last mode is 7. */
export const MODE_GATHER = 4;

/** Sources of a view's channels: 0 to 3 for red to alpha, or constants. */
export const SWIZZLE_BITS = 3;
export const SWIZZLE_ZERO = 4;
export const SWIZZLE_SET = 4096;
