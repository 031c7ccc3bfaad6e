// Codes of stage records, for both compilers.

/** One invocation a pixel, whose results all its covered samples get. What a vertex stage has. */
export const RATE_PIXEL = 0;
/** One invocation a sample (sample_index, sample interpolation). */
export const RATE_SAMPLE = 1;

/** A stage is run for vertices (and those of pixels, for pixels), or for primitives, and emits others. */
export const STAGE_VERTEX = 0;
export const STAGE_GEOMETRY = 1;
/** No program: the sink of a table, a buffer that its vertices go to. */
export const STAGE_BUFFER = 2;
/**
 * The pair that tessellates: the first is run for patches and gives levels, the second for the vertices that come of
 * them. Numbers with a gap before them, for what else may have no program.
 */
export const STAGE_TESS_CONTROL = 16;
export const STAGE_TESS_EVALUATION = 17;
