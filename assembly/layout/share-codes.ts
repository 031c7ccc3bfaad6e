// Codes and sizes of SHARE records, for both compilers.

/** Workers that a device may have. */
export const MOST_WORKERS = 64;
/** Triangles of a packet. */
export const PACKET_TRIANGLES = 16;
/** Triangles for which a tile is opened at a time: what says that it pays is looked at again then. */
export const SHARE_TRIANGLES = 4096;
