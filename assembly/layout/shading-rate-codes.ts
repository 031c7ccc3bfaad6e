// Shading rates, for both compilers: how many fine pixels one thread stands for. A rate's code is log2(width)·4 +
// log2(height), as in Direct3D 12 and Vulkan: shaders, rate textures and the kernels have the same numbers.

export const RATE_1X1 = 0;
export const RATE_1X2 = 1;
export const RATE_2X1 = 4;
export const RATE_2X2 = 5;
export const RATE_2X4 = 6;
export const RATE_4X2 = 9;
export const RATE_4X4 = 10;
/** Rates, which have numbers in this order; and codes that there may be. */
export const RATES = 7;
export const RATE_CODES = 16;
/** A rate is found for each aligned block of so many pixels (an area), and no coarse pixel reaches beyond its own. */
export const AREA_SIZE = 4;
/** Areas of an 8×8 block, row by row. */
export const BLOCK_AREAS = 4;

/**
 * Where in an area a primitive's depth is taken: at its centre; the least, or the most, at the samples that it covers;
 * at the centroid of these.
 */
export const DEPTH_AT_CENTRE = 0;
export const DEPTH_AT_MIN = 1;
export const DEPTH_AT_MAX = 2;
export const DEPTH_AT_CENTROID = 3;
/** Slices of a depth table, at the most. */
export const MOST_SLICES = 16;
