// Codes and sizes of program records, for both compilers.

export const PROGRAM_FLAG_DERIVATIVES = 2;
/** The compiled program in Program.quadsSlot does not look at Warp.exec and Warp.killed: no lanes part. */
export const PROGRAM_FLAG_NO_MASKS = 4;
/** Fragment programs: all pixels of a triangle have the same results, and running one leaves nothing else. */
export const PROGRAM_FLAG_SAME = 8;
/** A round of a loop that loads from Program.surfaces takes longer than packing pixels by their values. */
export const PROGRAM_FLAG_LONG_ROUNDS = 16;
/**
 * Fragment programs that write to buffers or textures, and read textures behind that, or in loops that end by what is
 * read: they cannot be run again from their inputs.
 */
export const PROGRAM_FLAG_STOPS = 32;
/** Such programs in which the order of quads can be seen, if a warp's go through it together. */
export const PROGRAM_FLAG_TURNS = 64;
