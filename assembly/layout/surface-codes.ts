// Codes and sizes of surface records, for both compilers.

export const SURFACE_CLEAR = 0;
export const SURFACE_1SPP = 1;
export const SURFACE_SUBSET = 2;
export const SURFACE_FULL = 3;

/** Beside the number of a resource, of which it is no bit: nobody wants the states that a load of a quad finds. */
export const SURFACE_WITHOUT_STATES = 0x10000;

/**
 * POOL: pages of one size for all surfaces of a device, in a stack without locks. Links lie outside, so that a page
 * that was never used takes no memory.
 */
export const PAGE_SHIFT = 12;
export const PAGE_SIZE = 4096;
