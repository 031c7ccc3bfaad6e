// SampleSets.apart: what distinguishes the samples of a pixel besides the targets. Both compilers read this file.

/** The shader reads the sample index or position: every sample is distinct. */
export const SETS_EVERY_SAMPLE = 1;
/** Varyings that are interpolated at samples: distinct where their planes slope. */
export const SETS_VARYINGS = 2;
/** The fragment's depth: distinct where its plane slopes. */
export const SETS_DEPTH = 4;
/** Pixel stages output a sample mask: the remaining samples, and so the sets, are known only after these have run. */
export const SETS_SAMPLE_MASK = 8;
