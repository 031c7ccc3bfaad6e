// Sizes and limits, with their reasons.

/** Quads (2×2 pixels or 4 vertices) of a warp: an 8×8 block of pixels, or 64 vertices. */
export const WARP_QUADS = 16;
/** Bytes of one register of a warp: one v128 per quad. */
export const REGISTER_BYTES = 256;
/** A screen tile is 64×64 pixels: depth and colour of four samples fit a second-level cache. */
export const TILE_SIZE = 64;
export const TILE_SHIFT = 6;
export const BLOCK_SIZE = 8;
export const TILE_BLOCKS = 64;
/** WebGPU's maxColorAttachments. */
export const MAX_COLOR_TARGETS = 8;
/** Scalars passed from vertex to fragment shader: maxInterStageShaderVariables 16 × 4. */
export const MAX_VARYINGS = 64;
/**
 * Vertices may be this far outside, in pixels, before triangles are clipped at the guard band: 24.8 edges then fit i64,
 * and i32 for small boxes.
 */
export const GUARD_BAND = 16384;
/**
 * Maximum work of one call of tileRun, so that the caller can look at the clock: triangles walked, warps shaded. A tile
 * that needs more continues in the next call.
 */
export const TILE_CALL_TRIANGLES = 2048;
export const TILE_CALL_WARPS = 128;
/** Loop back edges between two looks at the clock. */
export const LOOP_CHECK_INTERVAL = 65536;
