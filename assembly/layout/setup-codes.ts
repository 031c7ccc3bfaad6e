// Codes and sizes of setup records, for both compilers.

export const POSITION_BYTES = 16;
export const OUTCODE_BYTES = 2;
/** WebGPU's clip distances of a vertex, at the most. */
export const MOST_DISTANCES = 8;
/** A vertex has room for all of them, f32. */
export const DISTANCE_BYTES = 32;
/** Vertices that a plane may make of one primitive. */
export const CUT_VERTICES = 2;
/** Those of seven planes of the clip volume and of the distances, and the four corners of a point or line. */
export const EXTRA_VERTICES = 34;

/** Outside the clip volume: x < −w, x > w, y < −w, y > w, z < 0, z > w. */
export const OUTCODE_LEFT = 1;
export const OUTCODE_RIGHT = 2;
export const OUTCODE_BOTTOM = 4;
export const OUTCODE_TOP = 8;
export const OUTCODE_NEAR = 16;
export const OUTCODE_FAR = 32;
/** Any of the six above at all vertices: outside. */
export const OUTCODE_VOLUME = 63;
/** w below W_MINIMUM: no screen position. */
export const OUTCODE_BEHIND = 64;
/** Outside the guard band. */
export const OUTCODE_GUARD = 128;
/** A coordinate is infinite or NaN. */
export const OUTCODE_WILD = 256;
/** A clip distance is below 0, or NaN. */
export const OUTCODE_DISTANCE = 512;
/**
 * Any of these at one vertex: the triangle is clipped. (Left … top need no clipping: the guard band and the scissor see
 * to it.)
 */
export const OUTCODE_CLIP = 752;
/** Triangles of a stretch at the most. Tried 128: 1 % slower on the dragon. */
export const STRETCH_TRIANGLES = 64;
/** Bytes of a value of each of them, and of four more; of PLANE_TERMS; of what layers have. */
export const LIVE_BYTES = (STRETCH_TRIANGLES + 4) * 4;
export const PLANE_TERMS_SHIFT = 5;
export const LIVE_LAYERS_SHIFT = 5;

/**
 * Smallest w in front of the eye. Homogeneous coordinates have no scale, so this is no distance: it is as small as 1/w
 * and its slopes allow. What lies at it is cut by the guard band as well.
 */
export const W_MINIMUM = 1e-20;
