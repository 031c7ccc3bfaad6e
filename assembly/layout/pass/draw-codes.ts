// Codes and sizes of draw records. Both compilers read this file.

/**
 * Visibility first, colour later: each visible pixel is shaded once. The draw call is opaque, writes all channels
 * (channels that the shader lacks are constants) and has no discard, frag_depth or sample_mask output. Without the
 * flag, fragments are shaded immediately, in the order of the triangles.
 */
export const DRAW_FLAG_DEFERRED = 1;
/**
 * The shader discards or outputs frag_depth or sample_mask, or alpha-to-coverage is on. Depth and stencil take effect
 * after the shader.
 */
export const DRAW_FLAG_LATE_DEPTH = 2;
/**
 * The application declared that the fragments need no order. Draw.independent is then nonzero, too. The renderer may
 * also set only the latter, after its own analysis.
 */
export const DRAW_FLAG_DECLARED_UNORDERED = 4;
export const DRAW_FLAG_STENCIL = 8;
export const DRAW_FLAG_ALPHA_TO_COVERAGE = 16;
/** No near/far clipping; depth is clamped to the viewport's range. */
export const DRAW_FLAG_UNCLIPPED_DEPTH = 32;

/** The fragment shader accesses memory that others write. Helper lanes make no such accesses. */
export const DRAW_FLAG_ACCESSES = 64;
/**
 * The fragment shader writes to buffers or textures, in the order of quads. Depth and stencil take effect after it.
 */
export const DRAW_FLAG_WRITES = 128;
/**
 * Depth and stencil take effect before the shader, whatever it does, and its sample masks are the samples that passed.
 * Never with DRAW_FLAG_DEFERRED. With DRAW_FLAG_LATE_DEPTH, the samples that the shader leaves are written without
 * another test.
 */
export const DRAW_FLAG_EARLY = 256;
/**
 * Framebuffer fetch: the shader reads the targets (DESTINATIONS). Fragments at one position follow each other, and
 * waiting quads claim their positions (Tile.claims). The stage's rate is RATE_SET.
 */
export const DRAW_FLAG_READS = 512;
/** The second part of SAMPLE SETS: values known for the whole pixel arrive through links and are not interpolated. */
export const DRAW_FLAG_SECOND_PART = 1024;
/** With framebuffer fetch: fragments at one position may run in any order, but never at the same time (Tile.held). */
export const DRAW_FLAG_UNORDERED = 2048;
/**
 * Quads need not take turns (PROGRAM_FLAG_QUADS_IN_ORDER): with the bound resources, no two quads access the same data.
 */
export const DRAW_FLAG_DISJOINT_ACCESSES = 4096;
/**
 * With DRAW_FLAG_LATE_DEPTH: no fragment is rejected before the shader. Either lanes of a quad exchange values, so that
 * it is visible which of them run, or part of the shader computes the depth that is tested.
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
/** Topologies with adjacency, for stages that emit and for stream output: four vertices per line, six per triangle. */
export const TOPOLOGY_LINE_LIST_ADJACENCY = 5;
export const TOPOLOGY_TRIANGLE_LIST_ADJACENCY = 6;
export const TOPOLOGY_LINE_STRIP_ADJACENCY = 7;
export const TOPOLOGY_TRIANGLE_STRIP_ADJACENCY = 8;
/** Patch lists: this code plus the number of vertices per patch, 1 to 32. */
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
