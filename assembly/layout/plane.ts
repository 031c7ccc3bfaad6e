// PLANE: the values of a tile's pixels, as a tile in work, the load/store unit and the staging of a stored tile have
// them.
//
//   block of 8×8 pixels ──> clear: it lies nowhere, all samples hold the clear value
//                      └──> stored: each pixel has one texel in `pixels` for all its samples; or, where its bit in
//                           `perSample` is set, a texel a sample in `samples`, layer behind layer (tile-order.ts); or,
//                           where its bit in `paired` is set too, two texels: that in `pixels`, and that in `further`,
//                           which its samples of `masks` hold; sample 0 holds the first

import { TILE_PIXELS } from './tile-order';

/** Bytes from a layer of samples to the next, for texels of so many bytes. */
export function bytesOfLayer(texelBytes: i32): usize { return TILE_PIXELS * 4 * texelBytes; }

/** bytesOfLayer(4). */
export const LAYER_WORDS: usize = TILE_PIXELS * 16;

@unmanaged
export class Plane {
  /** Texels, one a sample; 0: there is no such plane. */
  samples: usize;
  /** Texels, one a pixel; 0: there are none, and all pixels lie in `samples`. At one sample, as `samples`. */
  pixels: usize;
  /** u8 a block: 1 where it is clear, whatever the texels are. */
  states: usize;
  /** u64 a block: bit pixel. */
  perSample: usize;
  /** u64 a block: bit pixel; of those whose bit in `perSample` is not set it means nothing. */
  paired: usize;
  /** The second texels, one a pixel; 0: no pixel has two. */
  further: usize;
  /** u16 a pixel: bits of samples as they lie, of two samples the last two of four are the first two again. */
  masks: usize;
  /** The clear value, repeated to 16 bytes. */
  clear: usize;
  /** 1, 2, 4, 8 or 16. */
  texelBytes: i32;
  layers: i32;
  /** Bytes from a layer of `samples` to the next. */
  @inline get layerBytes(): usize { return bytesOfLayer(this.texelBytes); }
  @inline isClear(block: i32): bool { return load<u8>(this.states + block) != 0; }
  /** Address of a block's bits. */
  @inline bits(block: i32): usize { return this.perSample + (block << 3); }
  /** Whether a pixel (block·64 + quad·4 + pixel) of a stored block lies in `samples`. */
  @inline isPerSample(pixel: i32): bool { return (load<u64>(this.bits(pixel >> 6)) >> <u64>(pixel & 63) & 1) != 0; }
  /** Which pixels of a quad (block·16 + quad) of a stored block lie in `samples`: four bits. */
  @inline perSampleOf(quad: i32): i32 {
    return load<u8>(this.perSample + (<usize>quad >> 1)) >> ((quad & 1) << 2) & 15;
  }
  /** Which pixels of a stored block have two texels. */
  @inline pairsOf(block: i32): u64 {
    return this.further ? load<u64>(this.bits(block)) & load<u64>(this.paired + (block << 3)) : 0;
  }
  /** Which pixels of a quad (block·16 + quad) of a stored block have two texels: four bits. */
  @inline pairsOfQuad(quad: i32): i32 {
    return load<u8>(this.paired + (<usize>quad >> 1)) >> ((quad & 1) << 2) & this.perSampleOf(quad);
  }
  /** The pixels of a quad of a stored block lie in `pixels`. */
  @inline joinSamples(quad: i32): void { this.divide(quad, 0); }
  /** Of a quad's pixels, those of `pixels` (four bits) lie in `samples`, the others in Plane.pixels. */
  @inline divide(quad: i32, pixels: i32): void {
    const at = this.perSample + (<usize>quad >> 1);
    const shift = (quad & 1) << 2;
    store<u8>(at, (<i32>load<u8>(at) & ~(15 << shift)) | pixels << shift);
  }
  /** Where a pixel's one texel lies, or the first of two. */
  @inline texel(pixel: i32): usize { return this.pixels + pixel * this.texelBytes; }
  /** Where the second lies. */
  @inline second(pixel: i32): usize { return this.further + pixel * this.texelBytes; }
  /** Samples of a pixel of two texels that hold the second, at so many bytes. */
  @inline maskAt(pixel: i32): usize { return this.masks + (pixel << 1); }
  /** Where a pixel's first sample lies. */
  @inline sample(pixel: i32): usize { return this.samples + pixel * 4 * this.texelBytes; }
  /** Where a sample lies of the pixel whose first sample lies at `first`. */
  @inline sampleAt(first: usize, sample: i32): usize {
    return first + (sample >> 2) * this.layerBytes + (sample & 3) * this.texelBytes;
  }
}
