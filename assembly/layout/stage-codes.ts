// Codes of stage records, for both compilers.

/** One invocation a pixel, whose results all its covered samples get. What a vertex stage has. */
export const RATE_PIXEL = 0;
/** One invocation a sample (sample_index, sample interpolation). */
export const RATE_SAMPLE = 1;
/** One invocation a coarse pixel, which may be a pixel (Draw.rates); of fragment stages. */
export const RATE_COARSE = 2;
/**
 * A part of it is run for sets of samples of a pixel, of which all that this part reads is equal (sample-sets.ts); of
 * fragment stages.
 */
export const RATE_SET = 3;

/** A stage is run for vertices (and those of pixels, for pixels), or for primitives, and emits others. */
export const STAGE_VERTEX = 0;
export const STAGE_GEOMETRY = 1;
/** No program: the sink of a table, a buffer that its vertices go to. */
export const STAGE_BUFFER = 2;
/** No programs, in tables that fork: the sink that is setup, and what hands a packet to several stages. */
export const STAGE_SETUP = 3;
export const STAGE_FORK = 4;
/**
 * The pair that tessellates: the first is run for patches and gives levels, the second for the vertices that come of
 * them.
 */
export const STAGE_TESS_CONTROL = 5;
export const STAGE_TESS_EVALUATION = 6;
/**
 * Run for primitives, of which it says which go on, to which viewport, and at which rate; their vertices pass it as a
 * fork.
 */
export const STAGE_PRIMITIVE = 7;
/** No program: the sink that is setup, where stages before it choose viewports, or rates. */
export const STAGE_VIEWPORTS = 8;
