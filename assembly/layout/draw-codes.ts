// Codes and sizes of draw records, for both compilers.

/**
 * Opaque, all channels written (those that the program lacks are constants), no discard, depth export or sample mask
 * output: shaded once per visible pixel. Otherwise shaded as it comes.
 */
export const DRAW_FLAG_DEFERRED = 1;
/** Discard, frag_depth, sample_mask output or alpha-to-coverage: depth and stencil take effect after the program. */
export const DRAW_FLAG_LATE_DEPTH = 2;
/** Somebody has said that its fragments need no order: with Draw.independent, which may have been found out, too. */
export const DRAW_FLAG_FREE = 4;
export const DRAW_FLAG_STENCIL = 8;
export const DRAW_FLAG_ALPHA_TO_COVERAGE = 16;
/** No near/far clipping; depth is clamped to the viewport's range. */
export const DRAW_FLAG_UNCLIPPED_DEPTH = 32;

/** The fragment program accesses what others write: helpers take no part in that. */
export const DRAW_FLAG_ACCESSES = 64;
/** It writes to buffers or textures, in the order of quads: depth and stencil take effect after it. */
export const DRAW_FLAG_WRITES = 128;
/**
 * Depth and stencil take effect before the program, whatever it does, and its sample masks are what passed: not with
 * DRAW_FLAG_DEFERRED. With DRAW_FLAG_LATE_DEPTH only what the program leaves of the samples is asked afterwards.
 */
export const DRAW_FLAG_EARLY = 256;
/**
 * It reads what the targets hold (DESTINATIONS): fragments at a position follow each other, and what waits there is
 * claimed (Tile.claims). Its stage's rate is RATE_SET.
 */
export const DRAW_FLAG_READS = 512;
/** Of a SAMPLE SETS' second part: what is known of a pixel comes by links, and is not interpolated. */
export const DRAW_FLAG_FURTHER = 1024;
/**
 * Fragments that read what the targets hold need not follow each other in order at a position, only not be there at
 * once (Tile.held).
 */
export const DRAW_FLAG_UNORDERED = 2048;
/** Its quads need take no turns (PROGRAM_FLAG_TURNS): with what is bound, what each of them accesses is its own. */
export const DRAW_FLAG_APART = 4096;
/**
 * With DRAW_FLAG_LATE_DEPTH: nothing is rejected before the program. Lanes of a quad ask each other, so that it shows
 * which of them run; or some part of the program gives the depth that is tested.
 */
export const DRAW_FLAG_RUNS_ALL = 8192;
/** GPUStencilOperation in the order of the specification. */
export const STENCIL_KEEP = 0;
export const STENCIL_ZERO = 1;
export const STENCIL_REPLACE = 2;
export const STENCIL_INVERT = 3;
export const STENCIL_INCREMENT_CLAMP = 4;
export const STENCIL_DECREMENT_CLAMP = 5;
export const STENCIL_INCREMENT_WRAP = 6;
export const STENCIL_DECREMENT_WRAP = 7;

export const CULL_NONE = 0;
export const CULL_FRONT = 1;
export const CULL_BACK = 2;

export const TOPOLOGY_TRIANGLE_LIST = 0;
export const TOPOLOGY_TRIANGLE_STRIP = 1;
export const TOPOLOGY_LINE_LIST = 2;
export const TOPOLOGY_LINE_STRIP = 3;
export const TOPOLOGY_POINT_LIST = 4;
/** For stages that emit, and buffers: four and six vertices a primitive. */
export const TOPOLOGY_LINE_LIST_ADJACENCY = 5;
export const TOPOLOGY_TRIANGLE_LIST_ADJACENCY = 6;
export const TOPOLOGY_LINE_STRIP_ADJACENCY = 7;
export const TOPOLOGY_TRIANGLE_STRIP_ADJACENCY = 8;
/** And as many vertices as are added to it, 1 to 32: lists of patches. */
export const TOPOLOGY_PATCH_LIST = 32;

export const BLEND_ADD = 0;
export const BLEND_SUBTRACT = 1;
export const BLEND_REVERSE_SUBTRACT = 2;
export const BLEND_MIN = 3;
export const BLEND_MAX = 4;
export const FACTOR_ZERO = 0;
export const FACTOR_ONE = 1;
export const FACTOR_SRC = 2;
export const FACTOR_ONE_MINUS_SRC = 3;
export const FACTOR_SRC_ALPHA = 4;
export const FACTOR_ONE_MINUS_SRC_ALPHA = 5;
export const FACTOR_DST = 6;
export const FACTOR_ONE_MINUS_DST = 7;
export const FACTOR_DST_ALPHA = 8;
export const FACTOR_ONE_MINUS_DST_ALPHA = 9;
export const FACTOR_SRC_ALPHA_SATURATED = 10;
export const FACTOR_CONSTANT = 11;
export const FACTOR_ONE_MINUS_CONSTANT = 12;
