// Codes of stage records. Both compilers read this file.

/** Stage.rate. One invocation per pixel, whose results go to all covered samples. Vertex stages have this rate. */
export const RATE_PIXEL = 0;
/** One invocation per sample (sample_index, sample interpolation). */
export const RATE_SAMPLE = 1;
/** Fragment stages: one invocation per coarse pixel, which may be a single pixel (Draw.rates). */
export const RATE_COARSE = 2;
/**
 * Fragment stages: part of the shader runs once per set of a pixel's samples that are equal in everything that this
 * part reads (sample-sets.ts).
 */
export const RATE_SET = 3;

/** Stage.kind. A shader that runs once per vertex, or once per pixel if it is a fragment stage. */
export const STAGE_VERTEX = 0;
export const STAGE_GEOMETRY = 1;
/** Without a shader: a table's sink for stream output, the buffer that its vertices go to. */
export const STAGE_BUFFER = 2;
/** Without a shader, in tables that fork: setup as a sink, and the fork that hands a packet to several stages. */
export const STAGE_SETUP = 3;
export const STAGE_FORK = 4;
/** The tessellation pair: control runs on patches and gives levels; evaluation runs on the vertices that result. */
export const STAGE_TESS_CONTROL = 5;
export const STAGE_TESS_EVALUATION = 6;
/**
 * Runs on primitives and decides which continue, to which viewport, and at which rate. Their vertices pass it as they
 * pass a fork.
 */
export const STAGE_PRIMITIVE = 7;
/** Without a shader: setup as a sink, where earlier stages choose viewports or shading rates. */
export const STAGE_VIEWPORTS = 8;
