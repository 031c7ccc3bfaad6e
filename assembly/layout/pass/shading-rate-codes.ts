// Shading rates: the number of fine pixels for which one fragment invocation stands. Both compilers read this file. A
// rate's code is log2(width)·4 + log2(height), as in Direct3D 12 and Vulkan. Shaders, rate textures and kernels use the
// same codes.

export const RATE_1X1 = 0;
export const RATE_1X2 = 1;
export const RATE_2X1 = 4;
export const RATE_2X2 = 5;
export const RATE_2X4 = 6;
export const RATE_4X2 = 9;
export const RATE_4X4 = 10;
/** Number of rates, which are numbered in this order; and number of possible codes. */
export const RATES = 7;
export const RATE_CODES = 16;
/**
 * Size of an area in pixels. A rate is determined for each aligned area, and no coarse pixel reaches beyond its area.
 */
export const AREA_SIZE = 4;
/** Areas of an 8×8 block, row by row. */
export const BLOCK_AREAS = 4;

/**
 * Where in an area a primitive's depth is taken: at its centre; the minimum or maximum at the samples that it covers;
 * at the centroid of these samples.
 */
export const DEPTH_AT_CENTRE = 0;
export const DEPTH_AT_MIN = 1;
export const DEPTH_AT_MAX = 2;
export const DEPTH_AT_CENTROID = 3;
/** Maximum number of slices of a depth table. */
export const MAX_SLICES = 16;
