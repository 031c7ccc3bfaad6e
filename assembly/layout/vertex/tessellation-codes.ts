// Codes and sizes of tessellation. Both compilers read this file.

export const DOMAIN_TRIANGLES = 0;
export const DOMAIN_QUADS = 1;
export const DOMAIN_LINES = 2;

export const SPACING_EQUAL = 0;
export const SPACING_ODD = 1;
export const SPACING_EVEN = 2;

/** Outer levels, then inner ones: the first outputs of a control stage. */
export const TESS_LEVELS = 6;
/** The highest level, as in OpenGL and Direct3D. */
export const MAX_LEVEL = 64;
/**
 * Maximum number of stored patterns, and slots of the hash table that finds them: twice as many, so that probe
 * sequences stay short.
 */
export const MAX_PATTERNS = 32;
export const PATTERN_SLOTS = 64;
/** Maximum number of pattern parts in a batch: each takes at least one quad. */
export const BATCH_PARTS = 256;
