// Compressed formats: which decoder reads a block. Both compilers read this file. The size of a block is part of the
// same word, width × 2^8 and height × 2^16.

export const BLOCK_BC1 = 1;
export const BLOCK_BC2 = 2;
export const BLOCK_BC3 = 3;
export const BLOCK_BC4_UNORM = 4;
export const BLOCK_BC4_SNORM = 5;
export const BLOCK_BC5_UNORM = 6;
export const BLOCK_BC5_SNORM = 7;
export const BLOCK_BC6_UNSIGNED = 8;
export const BLOCK_BC6_SIGNED = 9;
export const BLOCK_BC7 = 10;
export const BLOCK_ETC2_RGB = 11;
export const BLOCK_ETC2_RGBA1 = 12;
export const BLOCK_ETC2_RGBA8 = 13;
export const BLOCK_EAC_R_UNORM = 14;
export const BLOCK_EAC_R_SNORM = 15;
export const BLOCK_EAC_RG_UNORM = 16;
export const BLOCK_EAC_RG_SNORM = 17;
export const BLOCK_ASTC = 18;
export const BLOCK_ASTC_SRGB = 19;
/** Bits of the code. */
export const BLOCK_CODES = 0xff;
/** Bytes of scratch memory for decoders. */
export const BLOCK_SCRATCH = 4096;
