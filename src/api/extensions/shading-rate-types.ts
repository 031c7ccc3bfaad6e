// Public types of the feature "shading-rate".
import type {
  DepthPosition,
  ShadingRate,
  ShadingRateCombiner,
  ShadingRateCombiners,
  SliceRounding,
} from '../../shading-rate';
import type { Texture, TextureView } from '../idl/declared';

/**
 * Shading rates by the depth of a primitive within an area of 4×4 pixels. The table divides the window depths from
 * `near` to `far` into equal slices. For depths outside this range, and for NaN, the table's rate is 1×1.
 */
export interface DepthShadingRates {
  /**
   * Ends of the depth range. They must be finite and differ as 32-bit floats. With `far < near`, the first slice is the
   * farthest one.
   */
  readonly near: number;
  readonly far: number;
  /** 4, 8 or 16 rates, starting at `near`. Each slice includes its near end; the last one includes both ends. */
  readonly rates: readonly ShadingRate[];
  /**
   * Computes the slice of a depth z, with N slices, at most N − 1. Default: `floor`.
   *
   * - `floor`: floor(N · (z − near) / (far − near)).
   * - `nearest`: the same quotient rounded to the nearest integer, ties to even. The first slice is half as wide.
   *
   * Only `near` and `far` are rounded, to 32-bit floats.
   */
  readonly rounding?: SliceRounding | undefined;
  /**
   * Position within the area at which the depth is taken. Default: `centre`. The centre is clamped to the primitive's
   * bounding box in pixels. The others are the least or greatest depth at the samples that the primitive covers in the
   * area, or the depth at the centroid of these samples.
   */
  readonly at?: DepthPosition | undefined;
}

/** Shading rates by region of the attachments: a texture of codes log2(width) · 4 + log2(height). */
export interface RegionShadingRates {
  /**
   * A 2d texture or view of format r8uint, with usage TEXTURE_BINDING, one mip level and one layer. It has one texel
   * per block: ceil(w / blockSize) × ceil(h / blockSize) texels for attachments of w × h pixels. The pass must not
   * write to it. If a code is no valid rate, its low 4 bits are used; a logarithm of 3 becomes 2, 1×4 becomes 1×2, and
   * 4×1 becomes 2×1.
   */
  readonly view: Texture | TextureView;
  /** Width and height of a block in pixels. Default: 8. */
  readonly blockSize?: 8 | 16 | undefined;
}

/** Additional members of a render pass's descriptor. */
export interface ShadingRatePassMembers {
  /** Further sources of shading rates, in addition to draw calls (`setShadingRate`) and primitives. */
  shadingRates?: {
    /** One table for all viewports, or one for each viewport of `setViewports`. The pass needs no depth attachment. */
    readonly depth?: DepthShadingRates | readonly DepthShadingRates[] | undefined;
    readonly region?: RegionShadingRates | undefined;
  };
}

/** Additional members of render passes. Bundles use the rate of the pass that executes them. */
export interface ShadingRateCommands {
  /**
   * Sets the shading rate of the following draw calls: the number of pixels that one fragment shader invocation covers.
   * The combiners join it with the rates of primitives, then regions, then depths. A new pass has 1×1. Default of each
   * combiner: `coarsest`. A rate that is none of the seven is a validation error.
   */
  setShadingRate(rate: ShadingRate, combiners?: Partial<ShadingRateCombiners>): void;
}

export type { ShadingRate, ShadingRateCombiner, ShadingRateCombiners };
