// PLANE: the values of a tile's pixels, in the form that tile contexts, the load/store unit and the staging of stored
// tiles use.
//
//   block of 8×8 pixels ──> clear: it has no texels, all samples hold the clear value
//                      └──> stored: each pixel is in one of four forms
//                             one texel    in `pixels`, for all samples
//                             per sample   bit in `perSample`: a texel for each sample in `samples`, layer after layer
//                                          (tile-order.ts)
//                             two texels   bits in `perSample` and `paired`: one in `pixels`, and one in `secondTexels`
//                                          that the samples in `masks` hold. Sample 0 holds the first
//                             list         bits in `perSample` and `listed`: the first value in `pixels`, the others
//                                          and the masks of the samples that hold them in the block's PACKED record
//                                          (surface/lists.ts)

import { Packed, packedBytes } from './packed';
import { TILE_PIXELS } from './tile-order';

/** Samples of a layer, as a number, a shift and a mask; maximum number of layers. */
// @ts-ignore: decorator
@inline const LAYER_SAMPLES = 4;
// @ts-ignore: decorator
@inline export const LAYER_SHIFT = 2;
// @ts-ignore: decorator
@inline export const LAYER_MASK = 3;
// @ts-ignore: decorator
@inline export const MAX_LAYERS = 4;

/** Bytes from one layer of samples to the next, for texels of `texelBytes` bytes. */
export function bytesOfLayer(texelBytes: i32): usize {
  return TILE_PIXELS * LAYER_SAMPLES * texelBytes;
}

/** bytesOfLayer(4). */
export const LAYER_WORDS: usize = TILE_PIXELS * 16;

/** PLANE: see the top of the file. */
@unmanaged
export class Plane {
  /** Texels, one per sample; 0: there is no such plane. */
  samples: usize;
  /** Texels, one per pixel; 0: none, all pixels are in `samples`. At one sample per pixel, the same as `samples`. */
  pixels: usize;
  /** u8 per block: 1 if it is clear, whatever its texels are. */
  states: usize;
  /** u64 per block: a bit per pixel. */
  perSample: usize;
  /** u64 per block: a bit per pixel, undefined for pixels whose bit in `perSample` is not set. */
  paired: usize;
  /** As `paired`, for lists. No pixel has both bits set. */
  listed: usize;
  /** A PACKED record for each block; undefined without `secondTexels` and for texels that do not have four bytes. */
  records: usize;
  /** The second texels, one per pixel; 0: no pixel has two, or a list. */
  secondTexels: usize;
  /** u16 per pixel: sample mask in storage order. At two samples, the last two of four repeat the first two. */
  masks: usize;
  /** The clear value, repeated to 16 bytes. */
  clear: usize;
  /**
   * Bit per block: it was not loaded yet, so its texels, states and bits are undefined. Only for colours of tiles; all
   * blocks are loaded before one is read (tile/attachments.ts).
   */
  unloaded: u64;
  /** Bytes of a texel: 1, 2, 4, 8 or 16. */
  texelBytes: i32;
  layers: i32;
  /** Bytes from one layer of `samples` to the next. */
  @inline get layerBytes(): usize {
    return bytesOfLayer(this.texelBytes);
  }


  @inline isClear(block: i32): bool {
    return load<u8>(this.states + block) != 0;
  }
  /** Address of a block's bits in `perSample`. */
  @inline bits(block: i32): usize {
    return this.perSample + (block << alignof<u64>());
  }
  /** Whether a pixel (block·64 + quad·4 + pixel) of a stored block has its bit in `perSample`. */
  @inline isPerSample(pixel: i32): bool {
    return ((load<u64>(this.bits(pixel >> 6)) >> (<u64>(pixel & 63))) & 1) != 0;
  }
  /** Pixels of a quad (block·16 + quad) of a stored block whose bit in `perSample` is set: four bits. */
  @inline perSampleOf(quad: i32): i32 {
    return (load<u8>(this.perSample + ((<usize>quad) >> 1)) >> ((quad & 1) << 2)) & 15;
  }
  /** Pixels of a stored block that have two texels. */
  @inline pairsOf(block: i32): u64 {
    return this.secondTexels ? load<u64>(this.bits(block)) & load<u64>(this.paired + (block << alignof<u64>())) : 0;
  }
  /** Pixels of a quad (block·16 + quad) of a stored block that have two texels: four bits. */
  @inline pairsOfQuad(quad: i32): i32 {
    return (load<u8>(this.paired + ((<usize>quad) >> 1)) >> ((quad & 1) << 2)) & this.perSampleOf(quad);
  }
  /** Pixels of a stored block that hold a list. */
  @inline listedOf(block: i32): u64 {
    return this.secondTexels ? load<u64>(this.bits(block)) & load<u64>(this.listed + (block << alignof<u64>())) : 0;
  }
  /** Pixels of a quad (block·16 + quad) of a stored block that hold a list: four bits. */
  @inline listedOfQuad(quad: i32): i32 {
    return (load<u8>(this.listed + ((<usize>quad) >> 1)) >> ((quad & 1) << 2)) & this.perSampleOf(quad);
  }
  /** Makes the pixels of a quad of a stored block hold one texel each, in `pixels`. */
  @inline joinSamples(quad: i32): void {
    this.divide(quad, 0);
  }
  /** Marks those of a quad's pixels that are in `pixels` (four bits) as stored per sample, the others as one texel. */
  @inline divide(quad: i32, pixels: i32): void {
    const at = this.perSample + ((<usize>quad) >> 1);
    const shift = (quad & 1) << 2;
    store<u8>(at, ((<i32>load<u8>(at)) & ~(15 << shift)) | (pixels << shift));
  }
  /** Address of a pixel's one texel, or of the first of several. */
  @inline texel(pixel: i32): usize {
    return this.pixels + pixel * this.texelBytes;
  }
  /** Address of the second texel. */
  @inline second(pixel: i32): usize {
    return this.secondTexels + pixel * this.texelBytes;
  }
  /** Address of the mask of the samples that hold the second texel. */
  @inline maskAt(pixel: i32): usize {
    return this.masks + (pixel << 1);
  }
  /** The record of a block's lists. */
  @inline packed(block: i32): Packed {
    return changetype<Packed>(this.records + <usize>block * packedBytes(this.layers));
  }
  /** Address of a pixel's first sample. */
  @inline sample(pixel: i32): usize {
    return this.samples + pixel * LAYER_SAMPLES * this.texelBytes;
  }
  /** Address of a sample, given the address of the pixel's first sample. */
  @inline sampleAt(first: usize, sample: i32): usize {
    return first + (sample >> LAYER_SHIFT) * this.layerBytes + (sample & LAYER_MASK) * this.texelBytes;
  }
}
