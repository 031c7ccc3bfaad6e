// Codes and sizes of SHARE records. Both compilers read this file.

/** Maximum number of workers of a device. */
export const MAX_WORKERS = 64;
/**
 * Maximum and minimum number of triangles of a packet. Tried: packets of 16; for sprites of 16×16 pixels, warps stayed
 * half empty and two workers took 1.6 times the time of one.
 */
export const MAX_PACKET = 128;
export const MIN_PACKET = 16;
/** Triangles for which a tile is opened at a time. After them, it is checked again whether sharing pays off. */
export const SHARE_TRIANGLES = 4096;
/** Share.missed. A page was missed: the tile is drawn to its end to find other misses, then replayed. */
export const SHARE_MISSED = 1;
/** A shader did not end on the zeros it read in place of the page. The tile is replayed without waiting for it. */
export const SHARE_TIMED_OUT = 2;
