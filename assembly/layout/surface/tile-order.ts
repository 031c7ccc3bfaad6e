// Order of pixels in a tile context, and of texels in a stored tile of a multisampled surface.
//
//   tile 64×64 = 8×8 blocks, row by row; block 8×8 = 4×4 quads, row by row; quad = pixels (0,0) (1,0) (0,1) (1,1);
//   pixel = samples in order
//   texel index = ((block · 16 + quad) · 4 + pixel) · samples + sample
//
// So one v128 of a 32-bit plane is a quad at one sample per pixel, and a pixel at four.
//
// Tile contexts store all other sample counts in layers of four samples. 8 and 16 samples take 2 and 4 layers. Each
// layer is a plane of four samples, and the layers follow each other: sample s is sample s & 3 of layer s >> 2. Two
// samples take one layer, in which the last two of the four have the positions of the first two and always hold the
// same values.

export const BLOCK_PIXELS = 64;
export const TILE_PIXELS = 4096;

/**
 * Standard positions of four samples, in sixteenths of a pixel. WebGPU §10.3.4 leaves them to the implementation; these
 * are D3D's and Vulkan's.
 */
export const SAMPLE4_X0 = 6;
export const SAMPLE4_Y0 = 2;
export const SAMPLE4_X1 = 14;
export const SAMPLE4_Y1 = 6;
export const SAMPLE4_X2 = 2;
export const SAMPLE4_Y2 = 10;
export const SAMPLE4_X3 = 10;
export const SAMPLE4_Y3 = 14;
/**
 * Standard positions by layer: x and y of the layer's four samples, in sixteenths of a pixel. Each takes one
 * hexadecimal digit, the first sample the lowest.
 */
export const LAYER2_X = 0x4c4c;
export const LAYER2_Y = 0x4c4c;
export const LAYER4_X = 0xa2e6;
export const LAYER4_Y = 0xea62;
export const LAYER8_X0 = 0x5d79;
export const LAYER8_Y0 = 0x39b5;
export const LAYER8_X1 = 0xfb13;
export const LAYER8_Y1 = 0x1f7d;
export const LAYER16_X0 = 0xc579;
export const LAYER16_Y0 = 0x7a59;
export const LAYER16_X1 = 0xbda3;
export const LAYER16_Y1 = 0x3bd6;
export const LAYER16_X2 = 0x2486;
export const LAYER16_Y2 = 0xc21e;
export const LAYER16_X3 = 0x1ef0;
export const LAYER16_Y3 = 0x0f48;
/** With one sample per pixel, the sample is at the pixel's centre. */
export const SAMPLE1 = 8;
