// TRIANGLE: what setup writes and tiles read. Positions are pixels, y down, the pixel (0,0) has its centre at (0.5, 0.5).
//
//   depths, edges (24.8 fixed point)     header             planes (f32)
//   E(X,Y) = A·X + B·Y + C, inside ≥ 0   draw, flags, box   p(x,y) = c + ddx·(x − x0) + ddy·(y − y0)
//
// A triangle of at most 4×4 pixels (TRI_FLAG_SMALL) has its coverage in place of edges: the bytes before TRI_COVER are not its
// own.
//
// X, Y are 24.8 sub-pixel positions; C holds the top-left rule (−1 on edges that are neither top nor left), so E ≥ 0 for all three
// means covered, and a shared edge is drawn once. Planes refer to (x0, y0), the snapped position of one vertex; perspective varyings hold the plane
// of a/w, to be multiplied by the reciprocal of the plane of 1/w; a plane is evaluated directly at a position, never accumulated.

/** f32: no sample of the triangle is nearer (less) or farther than these, depth bias and rounding included. */
export const TRI_NEAR = 0;
export const TRI_FAR = 4;
/** Three edges: A i32, B i32, C i64. */
export const TRI_EDGES = 16;
export const TRI_EDGE_A = 0;
export const TRI_EDGE_B = 4;
export const TRI_EDGE_C = 8;
export const TRI_EDGE_BYTES = 16;
/** u64 in place of the last edge: samples of the 4×4 pixels from the box's minimum, bit (y·4 + x)·samples + sample; with layers, of each, 8 bytes before that of the one before it. */
export const TRI_COVER = 48;
/** DRAW record. */
export const TRI_DRAW = 64;
/** TRI_FLAG_*. */
export const TRI_FLAGS = 68;
/** Pixels that may be covered, scissored: i32, minimum inclusive, maximum exclusive. */
export const TRI_MIN_X = 72;
export const TRI_MIN_Y = 76;
export const TRI_MAX_X = 80;
export const TRI_MAX_Y = 84;
/** f32 pixels. */
export const TRI_X0 = 88;
export const TRI_Y0 = 92;
/** Depth after viewport and bias: c, ddx, ddy. Clamp to TRI_Z_MIN … TRI_Z_MAX where it is used. */
export const TRI_Z = 96;
export const TRI_Z_DX = 100;
export const TRI_Z_DY = 104;
/** The viewport's depth range. */
export const TRI_Z_MIN = 108;
export const TRI_Z_MAX = 112;
/** 1/w: c, ddx, ddy. */
export const TRI_W = 116;
export const TRI_W_DX = 120;
export const TRI_W_DY = 124;
/** Varyings: c of each, padded to four; then ddx of each; then ddy of each. Flat ones hold their bits in c. */
export const TRI_PLANES = 128;

export const TRI_FLAG_FRONT = 1;
/** TRI_COVER holds. */
export const TRI_FLAG_SMALL = 2;
/** The plane of 1/w is 1 everywhere: nothing need be multiplied by its reciprocal. */
export const TRI_FLAG_AFFINE = 4;
/** From this bit on, one bit a varying, for the first TRI_CONSTANT_BITS of them: its plane is its value everywhere. */
export const TRI_CONSTANT_SHIFT = 8;
export const TRI_CONSTANT_BITS = 24;
