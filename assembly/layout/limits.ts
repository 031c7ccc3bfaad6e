// Sizes and caps, once, with their reasons.

/** Quads (2×2 pixels or 4 vertices) in a warp: an 8×8 block of pixels, or 64 vertices. */
export const WARP_QUADS = 16;
/** Bytes of one register of a warp: one v128 a quad. */
export const REGISTER_BYTES = 256;
/** A screen tile is 64×64 pixels: depth and colour of four samples stay in a second-level cache. */
export const TILE_SIZE = 64;
export const TILE_SHIFT = 6;
export const BLOCK_SIZE = 8;
export const TILE_BLOCKS = 64;
/** WebGPU's maxColorAttachments. */
export const MAX_COLOR_TARGETS = 8;
/** Scalars between vertex and fragment program: maxInterStageShaderVariables 16 × 4. */
export const MAX_VARYINGS = 64;
/**
 * Vertices may lie this far outside, in pixels, before triangles are clipped at the guard band: 24.8 edges stay within
 * i64, and within i32 for small boxes.
 */
export const GUARD_BAND = 16384;
/**
 * What one call of tileRun does at the most, so that the caller can look at the clock: triangles walked, warps shaded.
 * A tile that takes more goes on in the next call.
 */
export const TILE_CALL_TRIANGLES = 2048;
export const TILE_CALL_WARPS = 128;
/** Loop back edges between two looks at the clock. */
export const LOOP_CHECK_INTERVAL = 65536;
