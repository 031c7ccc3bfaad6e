// Codes of sample sets, for both compilers: what tells the samples of a pixel apart besides what targets hold.

/** The program reads which sample it is, or where it lies: all samples, whatever they hold. */
export const SETS_EACH = 1;
/** Varyings that are interpolated at samples: where their planes slope. */
export const SETS_VARYINGS = 2;
/** The fragment's depth: where its plane slopes. */
export const SETS_DEPTH = 4;
/** Stages of pixels give a sample mask: which samples are left, and so which sets, is known when these have run. */
export const SETS_LEFT = 8;
