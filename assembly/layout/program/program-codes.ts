// Codes and sizes of program records. Both compilers read this file.

/** The shader takes derivatives, so it needs whole quads. */
export const PROGRAM_FLAG_DERIVATIVES = 2;
/** The compiled shader in Program.quadsSlot reads neither Warp.exec nor Warp.killed: its lanes never diverge. */
export const PROGRAM_FLAG_NO_MASKS = 4;
/** Fragment shaders: all pixels of a triangle have the same results, and a run has no side effects. */
export const PROGRAM_FLAG_UNIFORM_RESULTS = 8;
/** An iteration of a loop that loads from Program.surfaces takes longer than packing pixels by their values. */
export const PROGRAM_FLAG_LONG_ITERATIONS = 16;
/**
 * Fragment shaders that write to buffers or textures and read textures afterwards, or in loops whose end depends on
 * such reads. They cannot be run again from their inputs.
 */
export const PROGRAM_FLAG_STOPS = 32;
/**
 * Fragment shaders whose results follow from texels and uniform values alone. Where all texels are equal, so are all
 * results. Coordinates of texels grow or shrink steadily along rows and columns of pixels.
 */
export const PROGRAM_FLAG_TEXEL_RESULTS = 128;
/** With PROGRAM_FLAG_TEXEL_RESULTS: some coordinates are varyings, which are steady if w is 1 all over a triangle. */
export const PROGRAM_FLAG_TEXELS_BY_VARYINGS = 256;
/** Shaders with writes in which the order of quads is visible if the quads of a warp run in lockstep. */
export const PROGRAM_FLAG_QUADS_IN_ORDER = 64;
