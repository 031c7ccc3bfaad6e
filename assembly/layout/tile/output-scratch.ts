// OUTPUT SCRATCH: the working memory in which output and resolve blend and encode texels.
//
//   fields │ registers │ blend operands │ four texels │ terms │ entries of a warp that need a slower path

import { WARP_QUADS } from '../limits';
import { Target } from '../pass/draw';
import { CHANNELS, CHANNELS_BYTES, LANES_BYTES, VECTOR_BYTES, VECTOR_PAD } from '../record';

/** OUTPUT SCRATCH: see the top of the file. Words are planar: one v128 per channel, with four texels in its lanes. */
@unmanaged
export class OutputScratch {
  /** The target that is being written. */
  target: Target;
  /** Samples of a quad, in one layer, that are to be blended. */
  mask: i32;
  /** Mask of all samples of a pixel. */
  every: i32;
  /** As `every`, if an opaque texel written to all samples turns the pixel back into one texel; else 0. */
  whole: i32;
  /** Addresses of the target's four source registers, in the order of the texel's bits. */
  get registers(): usize {
    return changetype<usize>(this) + offsetof<OutputScratch>();
  }
  register(index: i32): usize {
    return load<usize>(this.registers + (index << alignof<usize>()));
  }
  /** Blend operands: words of source, destination and constant; ones; the saturated source alpha. */
  get source(): usize {
    return this.registers + ((CHANNELS * sizeof<usize>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  get destination(): usize {
    return this.source + CHANNELS_BYTES;
  }
  get constant(): usize {
    return this.destination + CHANNELS_BYTES;
  }
  get ones(): usize {
    return this.constant + CHANNELS_BYTES;
  }
  get saturated(): usize {
    return this.ones + VECTOR_BYTES;
  }
  /** Four texels in their stored form, up to 16 bytes each. */
  get texels(): usize {
    return this.saturated + VECTOR_BYTES;
  }
  /**
   * Source terms of the blend for four pixels, in a form that the blend chooses. They serve all samples of each pixel.
   */
  get terms(): usize {
    return this.texels + LANES_BYTES;
  }
  /** Entries of a warp that need a slower path, one after the other: a word each; four texels each. */
  get words(): usize {
    return this.terms + CHANNELS_BYTES;
  }
  get wordTexels(): usize {
    return this.words + WARP_QUADS * sizeof<u32>();
  }
  get past(): usize {
    return this.wordTexels + WARP_QUADS * VECTOR_BYTES;
  }
}
