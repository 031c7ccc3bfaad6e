// SURFACE ACCESS: a load from or a store to a surface by the four lanes of a quad. v128 each.

/** Lanes that take part. */
export const SURFACE_ACCESS_LANES = 0;
/** i32, pixels. */
export const SURFACE_ACCESS_X = 16;
export const SURFACE_ACCESS_Y = 32;
/** Bit sample of the samples asked for. */
export const SURFACE_ACCESS_MASK = 48;
/** Four channels. */
export const SURFACE_ACCESS_TEXEL = 64;
/** Loads: samples known to hold the texel, and SURFACE_* (surface.ts). */
export const SURFACE_ACCESS_KNOWN = 128;
export const SURFACE_ACCESS_STATE = 144;
/** What surfaceLoad and surfaceStore take and give for one lane. */
export const SURFACE_ACCESS_SCRATCH = 160;
export const SURFACE_ACCESS_BYTES = 192;
