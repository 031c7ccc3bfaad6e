// Codes and sizes of tessellation, for both compilers.

export const DOMAIN_TRIANGLES = 0;
export const DOMAIN_QUADS = 1;
export const DOMAIN_LINES = 2;

export const SPACING_EQUAL = 0;
export const SPACING_ODD = 1;
export const SPACING_EVEN = 2;

/** Outer levels, then inner ones: what a control stage gives first. */
export const TESS_LEVELS = 6;
/** The highest level that there is, as OpenGL's and Direct3D's. */
export const MOST_LEVEL = 64;
/** Patterns that are kept at a time, and places to look for them: twice as many, so that probes stay short. */
export const MOST_PATTERNS = 32;
export const PATTERN_SLOTS = 64;
/** Parts of patterns in a batch: each takes a quad at least. */
export const BATCH_PARTS = 256;
