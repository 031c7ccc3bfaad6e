// Codes and sizes of SHARE records, for both compilers.

/** Workers that a device may have. */
export const MOST_WORKERS = 64;
/**
 * Triangles of a packet at the most, and at the least. Sprites of 16×16 pixels in packets of 16 left warps half empty:
 * 1.6 times the time of one worker alone, by two.
 */
export const MOST_PACKET = 128;
export const LEAST_PACKET = 16;
/** Triangles for which a tile is opened at a time: what says that it pays is looked at again then. */
export const SHARE_TRIANGLES = 4096;
/** Share.missed, bits: a page was missed: the tile is drawn to its end for what else it misses, and run again; */
export const SHARE_MISSED = 1;
/** and a program has not ended on what it found in its place: that is not waited for. */
export const SHARE_ENDED = 2;
