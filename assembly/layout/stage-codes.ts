// Codes of stage records, for both compilers.

/** One invocation a pixel, whose results all its covered samples get. What a vertex stage has. */
export const RATE_PIXEL = 0;
/** One invocation a sample (sample_index, sample interpolation). */
export const RATE_SAMPLE = 1;
