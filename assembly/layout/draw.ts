// DRAW: one draw call, complete: what the vertex side, setup and the pixel side need. Written by src/render, read by the kernels.
// "register" fields are register numbers of the program's register file, -1 where the program has none.
//
// Varyings: scalars between vertex and fragment program, in the fragment program's input order; varying i is fragment register i.
// They are grouped: perspective (center, centroid, sample), linear (center, centroid, sample), flat; DRAW_VARYING_GROUPS has the seven counts.

export const DRAW_VERTEX_PROGRAM = 0;
export const DRAW_VERTEX_UNIFORMS = 4;
export const DRAW_VERTEX_RESOURCES = 8;
/** 0: no fragment stage (depth only). */
export const DRAW_FRAGMENT_PROGRAM = 12;
export const DRAW_FRAGMENT_UNIFORMS = 16;
export const DRAW_FRAGMENT_RESOURCES = 20;
/** The same word in draws whose fragments are shaded alike (program, resources, uniforms, varyings, targets), which may share a warp; 0 in a draw that is like no other. */
export const DRAW_SHADING = 24;
/** DRAW_FLAG_*. */
export const DRAW_FLAGS = 28;

/** Entries at DRAW_ATTRIBUTES. */
export const DRAW_ATTRIBUTE_COUNT = 32;
export const DRAW_ATTRIBUTES = 36;
export const DRAW_VERTEX_INDEX_REGISTER = 40;
export const DRAW_INSTANCE_INDEX_REGISTER = 44;
/** First of four consecutive output registers x, y, z, w. */
export const DRAW_POSITION_REGISTER = 48;
/** Scalars, 0 … MAX_VARYINGS. */
export const DRAW_VARYING_COUNT = 52;
/** Address of DRAW_VARYING_COUNT i32: vertex output register of each varying. */
export const DRAW_VARYING_SOURCES = 56;
/** Seven u32. */
export const DRAW_VARYING_GROUPS = 60;

/** TOPOLOGY_*. */
export const DRAW_TOPOLOGY = 88;
/** Bytes an index: 0 (not indexed), 2, 4. */
export const DRAW_INDEX_BYTES = 92;
/** Address of the first index, and the indices that are readable from it; reads beyond give index 0 … a draw that WebGPU would reject never comes here. */
export const DRAW_INDEX_ADDRESS = 96;
export const DRAW_INDEX_LIMIT = 100;
/** Vertices or indices of each instance. */
export const DRAW_COUNT = 104;
/** Added to indices (i32), or the first vertex (u32) when not indexed. */
export const DRAW_BASE_VERTEX = 108;
export const DRAW_FIRST_INSTANCE = 112;
export const DRAW_INSTANCE_COUNT = 116;

/** Viewport: f32 x, y, width, height, minDepth, maxDepth. */
export const DRAW_VIEWPORT = 120;
/** Scissor within the pass: i32 x0, y0, x1, y1 (exclusive). */
export const DRAW_SCISSOR = 144;
/** CULL_*. */
export const DRAW_CULL = 160;
/** 1: clockwise is front. */
export const DRAW_FRONT_CW = 164;
/** i32, f32, f32. */
export const DRAW_DEPTH_BIAS = 168;
export const DRAW_DEPTH_BIAS_SLOPE = 172;
export const DRAW_DEPTH_BIAS_CLAMP = 176;

/** COMPARE_* (texture.ts); ALWAYS without depth attachment. */
export const DRAW_DEPTH_COMPARE = 180;
export const DRAW_DEPTH_WRITE = 184;
/** Two STENCIL_FACE records: front, back. */
export const DRAW_STENCIL_FRONT = 188;
export const DRAW_STENCIL_BACK = 204;
export const DRAW_STENCIL_READ_MASK = 220;
export const DRAW_STENCIL_WRITE_MASK = 224;
export const DRAW_STENCIL_REFERENCE = 228;
export const DRAW_SAMPLE_MASK = 232;

export const DRAW_TARGET_COUNT = 236;
/** Four f32. */
export const DRAW_BLEND_CONSTANT = 240;

export const DRAW_FRAGMENT_POSITION_X = 256;
export const DRAW_FRAGMENT_POSITION_Y = 260;
export const DRAW_FRAGMENT_POSITION_Z = 264;
export const DRAW_FRAGMENT_POSITION_W = 268;
/** Lanes all ones where front facing. */
export const DRAW_FRONT_FACING_REGISTER = 272;
export const DRAW_SAMPLE_INDEX_REGISTER = 276;
export const DRAW_SAMPLE_MASK_IN_REGISTER = 280;
export const DRAW_FRAG_DEPTH_REGISTER = 284;
export const DRAW_SAMPLE_MASK_OUT_REGISTER = 288;
/** Indexed triangle lists whose indices leave few numbers out: the least index, and how many follow it up to the greatest; 0: shaded in batches. */
export const DRAW_RANGE_FIRST = 292;
export const DRAW_RANGE_COUNT = 296;
/** How many different indices the draw has; 0: not known. */
export const DRAW_DISTINCT = 300;
/** MAX_COLOR_TARGETS TARGET records. */
export const DRAW_TARGETS = 304;
/** 304 + 8·64. */
export const DRAW_BYTES = 816;

/** TARGET: how one colour attachment is written. */
export const TARGET_FORMAT = 0;
/** Bits 0 … 3: r, g, b, a. 0: not written. */
export const TARGET_WRITE_MASK = 4;
/** 0: no blending; BLENDS. */
export const TARGET_BLEND = 8;
export const TARGET_COLOR_OP = 12;
export const TARGET_COLOR_SRC = 16;
export const TARGET_COLOR_DST = 20;
export const TARGET_ALPHA_OP = 24;
export const TARGET_ALPHA_SRC = 28;
export const TARGET_ALPHA_DST = 32;
/** Four output registers, -1 where the program writes none. */
export const TARGET_REGISTERS = 36;
export const TARGET_BYTES = 64;

/** Opaque, all channels written, no discard, depth export or sample mask output: shaded once per visible pixel. Otherwise shaded as it comes. */
export const DRAW_FLAG_DEFERRED = 1;
/** Discard, frag_depth, sample_mask output or alpha-to-coverage: depth and stencil take effect after the program. */
export const DRAW_FLAG_LATE_DEPTH = 2;
/** One invocation a sample (sample_index, sample interpolation). */
export const DRAW_FLAG_PER_SAMPLE = 4;
export const DRAW_FLAG_STENCIL = 8;
export const DRAW_FLAG_ALPHA_TO_COVERAGE = 16;
/** No near/far clipping; depth is clamped to the viewport's range. */
export const DRAW_FLAG_UNCLIPPED_DEPTH = 32;

/** The fragment program loads from surfaces or stores to them. */
export const DRAW_FLAG_SURFACES = 64;

/** ATTRIBUTE: one vertex attribute. */
export const ATTRIBUTE_ADDRESS = 0;
/** Bytes readable from ATTRIBUTE_ADDRESS (buffer binding's end − this attribute's offset); elements beyond read zeros. */
export const ATTRIBUTE_LIMIT = 4;
export const ATTRIBUTE_STRIDE = 8;
/** 1: advances per instance. */
export const ATTRIBUTE_PER_INSTANCE = 12;
/** VERTEX_* (formats.ts). */
export const ATTRIBUTE_FORMAT = 16;
/** Four registers: x, y, z, w; -1 where not read. Missing components are 0, 0, 0, 1 in the format's type. */
export const ATTRIBUTE_REGISTERS = 20;
export const ATTRIBUTE_BYTES = 48;

export const STENCIL_COMPARE = 0;
export const STENCIL_FAIL = 4;
export const STENCIL_DEPTH_FAIL = 8;
export const STENCIL_PASS = 12;
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

/** TARGET_BLEND: any state, or premultiplied over on all channels of four linear bytes, which is known beforehand because particles are that. */
export const BLENDS = 1;
export const BLENDS_OVER = 2;
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
