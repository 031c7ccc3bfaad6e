// Codes and sizes of surface records. Both compilers read this file.

/** Encoding states of tiles and blocks (surface.ts). */
export const SURFACE_CLEAR = 0;
export const SURFACE_1SPP = 1;
export const SURFACE_SUBSET = 2;
export const SURFACE_FULL = 3;
/** All pixels hold one value. Reported as SURFACE_1SPP. */
export const SURFACE_UNIFORM = 4;
/** Blocks of depth: all samples lie in the plane of one triangle. Reported as SURFACE_FULL. */
export const SURFACE_PLANE = 5;

/** Flag next to a resource number: the states that a quad's load finds are not needed. */
export const SURFACE_WITHOUT_STATES = 0x10000;

/**
 * Size of the pages of a POOL. All surfaces of a device take pages from one lock-free stack. The links of the stack are
 * stored outside the pages, so a page that was never used takes no memory.
 */
export const PAGE_SHIFT = 12;
export const PAGE_SIZE = 4096;
