// Order of pixels in a tile context, and of texels in a stored tile of a multi-sample surface.
//
//   tile 64×64 = 8×8 blocks, row by row; block 8×8 = 4×4 quads, row by row; quad = pixels (0,0) (1,0) (0,1) (1,1); pixel = samples in order
//   texel index = ((block · 16 + quad) · 4 + pixel) · samples + sample
//
// So one v128 of a 32-bit plane is a quad at one sample, and a pixel at four.

export const BLOCK_PIXELS = 64;
export const TILE_PIXELS = 4096;

/** Standard positions of four samples, in sixteenths of a pixel (WebGPU §10.3.4 leaves them to the implementation; these are D3D's and Vulkan's). */
export const SAMPLE4_X0 = 6; export const SAMPLE4_Y0 = 2;
export const SAMPLE4_X1 = 14; export const SAMPLE4_Y1 = 6;
export const SAMPLE4_X2 = 2; export const SAMPLE4_Y2 = 10;
export const SAMPLE4_X3 = 10; export const SAMPLE4_Y3 = 14;
/** The single sample of a pixel is its centre. */
export const SAMPLE1 = 8;
