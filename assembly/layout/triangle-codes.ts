// Codes and sizes of triangle records, for both compilers.

export const TRI_FLAG_FRONT = 1;
/** Triangle.cover holds. */
export const TRI_FLAG_SMALL = 2;
/** The plane of 1/w is 1 everywhere: nothing need be multiplied by its reciprocal. */
export const TRI_FLAG_AFFINE = 4;
/** From this bit on, one bit a varying, for the first TRI_CONSTANT_BITS of them: its plane is its value everywhere. */
export const TRI_CONSTANT_SHIFT = 8;
export const TRI_CONSTANT_BITS = 24;
