// TRIANGLE: what setup writes and tiles read. Positions are pixels, y down, the pixel (0,0) has its centre at (0.5, 0.5).
//
//   header                 edges (24.8 fixed point)             planes (f32)
//   draw, flags, box       E(X,Y) = A·X + B·Y + C, inside ≥ 0   p(x,y) = c + ddx·(x − x0) + ddy·(y − y0)
//
// X, Y are 24.8 sub-pixel positions; C holds the top-left rule (−1 on edges that are neither top nor left), so E ≥ 0 for all three
// means covered, and a shared edge is drawn once. Planes refer to (x0, y0), the snapped position of one vertex; perspective varyings hold the plane
// of a/w, to be divided by the plane of 1/w; a plane is evaluated directly at a position, never accumulated.

/** DRAW record. */
export const TRI_DRAW = 0;
export const TRI_FLAGS = 4;
/** Pixels that may be covered, scissored: i32, minimum inclusive, maximum exclusive. */
export const TRI_MIN_X = 8;
export const TRI_MIN_Y = 12;
export const TRI_MAX_X = 16;
export const TRI_MAX_Y = 20;
/** f32 pixels. */
export const TRI_X0 = 24;
export const TRI_Y0 = 28;
/** Three edges: A i32, B i32, C i64. */
export const TRI_EDGES = 32;
export const TRI_EDGE_A = 0;
export const TRI_EDGE_B = 4;
export const TRI_EDGE_C = 8;
export const TRI_EDGE_BYTES = 16;
/** Depth after viewport and bias: c, ddx, ddy. Clamp to TRI_Z_MIN … TRI_Z_MAX where it is used. */
export const TRI_Z = 80;
export const TRI_Z_DX = 84;
export const TRI_Z_DY = 88;
/** The viewport's depth range. */
export const TRI_Z_MIN = 92;
export const TRI_Z_MAX = 96;
/** 1/w: c, ddx, ddy. */
export const TRI_W = 100;
export const TRI_W_DX = 104;
export const TRI_W_DY = 108;
/** Varyings: c of each, padded to four; then ddx of each; then ddy of each. Flat ones hold their bits in c. */
export const TRI_PLANES = 112;

export const TRI_FLAG_FRONT = 1;
/** 1/w is the same everywhere: perspective equals linear, after division by it. */
export const TRI_FLAG_CONSTANT_W = 2;
