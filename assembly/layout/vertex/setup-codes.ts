// Codes and sizes of setup records. Both compilers read this file.

export const POSITION_BYTES = 16;
export const OUTCODE_BYTES = 2;
/** WebGPU's maximum number of clip distances per vertex. */
export const MAX_DISTANCES = 8;
/** Every vertex has room for all of them, f32. */
export const DISTANCE_BYTES = 32;
/** Maximum number of vertices that clipping at one plane adds to a primitive. */
export const CUT_VERTICES = 2;
/**
 * CUT_VERTICES for each of the seven planes of the clip volume and the clip distances, plus four corners of a point or
 * line.
 */
export const EXTRA_VERTICES = 34;

/** Outside the clip volume: x < −w, x > w, y < −w, y > w, z < 0, z > w. */
export const OUTCODE_LEFT = 1;
export const OUTCODE_RIGHT = 2;
export const OUTCODE_BOTTOM = 4;
export const OUTCODE_TOP = 8;
export const OUTCODE_NEAR = 16;
export const OUTCODE_FAR = 32;
/** A primitive is outside if all its vertices share one of the six codes above. */
export const OUTCODE_VOLUME = 63;
/** w is less than MIN_W: the vertex has no screen position. */
export const OUTCODE_BEHIND = 64;
/** Outside the guard band. */
export const OUTCODE_GUARD = 128;
/** A coordinate is infinite or NaN. */
export const OUTCODE_NOT_FINITE = 256;
/** A clip distance is less than 0, or NaN. */
export const OUTCODE_DISTANCE = 512;
/**
 * A triangle with any of these at a vertex is clipped. The four sides of the clip volume need no clipping: the guard
 * band and the scissor take care of them.
 */
export const OUTCODE_CLIP = 752;
/** Maximum number of triangles of a stretch. Tried: 128; 1 % slower on the dragon. */
export const STRETCH_TRIANGLES = 64;
/**
 * Bytes of one value for all triangles of a stretch and four more; shift for the size of PLANE TERMS; shift for the
 * size of the layers' coverage.
 */
export const LIVE_BYTES = (STRETCH_TRIANGLES + 4) * 4;
export const PLANE_TERMS_SHIFT = 5;
export const LIVE_LAYERS_SHIFT = 5;

/**
 * Smallest w in front of the eye. Homogeneous coordinates have no scale, so this is not a distance: it is as small as
 * 1/w and its slopes allow. Geometry at this w is cut by the guard band as well.
 */
export const MIN_W = 1e-20;
