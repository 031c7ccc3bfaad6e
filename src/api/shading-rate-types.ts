// Types of the feature "shading-rate", for those who use it.
import type {
  DepthPlace, ShadingRate, ShadingRateCombiner, ShadingRateCombiners, SliceRounding,
} from '../shading-rate';
import type { Texture, TextureView } from './declared';

/**
 * Rates by the depth at which a primitive lies in an area of 4×4 pixels: a table of equal slices from `near` to `far`,
 * in window depth. Outside of that, and for depths that are not numbers, the rate that joins is 1×1.
 */
export interface DepthShadingRates {
  /**
   * Finite numbers that differ as 32-bit floats. With `far < near` the first slice is the farthest.
   */
  readonly near: number;
  readonly far: number;
  /** 4, 8 or 16 of them, from `near` on. A slice has its near end, and the last one both. */
  readonly rates: readonly ShadingRate[];
  /**
   * The slice of a depth z, with N slices: `floor` (default), floor(N · (z − near)/(far − near)); `nearest`, the number
   * nearest to that, ties to even, so that the first slice is half as wide. At most N − 1. Nothing is rounded but
   * `near` and `far`, to 32-bit floats.
   */
  readonly rounding?: SliceRounding | undefined;
  /**
   * Where in the area: at its centre (default), no farther out than the primitive's box of pixels; the least or the
   * most at the samples that the primitive covers there; or at the centroid of these samples.
   */
  readonly at?: DepthPlace | undefined;
}

/** Rates by where on the attachments: a texture of codes, log2(width) · 4 + log2(height). */
export interface RegionShadingRates {
  /**
   * 2d, r8uint, of one level and one layer, with usage TEXTURE_BINDING, of a texel for each block: of attachments of
   * w × h pixels, ceil(w / blockSize) × ceil(h / blockSize). The pass may not write to it. Of codes that are no rates,
   * the low 4 bits count; a logarithm of 3 is 2, 1×4 is 1×2, and 4×1 is 2×1.
   */
  readonly view: Texture | TextureView;
  /** Pixels that a block has in each direction. Default: 8. */
  readonly blockSize?: 8 | 16 | undefined;
}

/** What a render pass's descriptor has besides. */
export interface ShadingRatePassMembers {
  /** Who has a say in the rate of each draw, besides the draw (`setShadingRate`) and its primitives. */
  shadingRates?: {
    /** One table for all viewports, or one for each of those of `setViewports`. The pass needs no depth attachment. */
    readonly depth?: DepthShadingRates | readonly DepthShadingRates[] | undefined;
    readonly region?: RegionShadingRates | undefined;
  };
}

/** What passes have besides; bundles are drawn at their pass's rate. */
export interface ShadingRateCommands {
  /**
   * How many pixels a run of the fragment program stands for in draws from now on, and how what else has a say joins
   * that: primitives first, then regions, then depth. A new pass has 1×1. Default of each combiner: `coarsest`. A rate
   * that is none of the seven is a validation error.
   */
  setShadingRate(rate: ShadingRate, combiners?: Partial<ShadingRateCombiners>): void;
}

export type { ShadingRate, ShadingRateCombiner, ShadingRateCombiners };
