// SHADING RATES: who has a say in how coarsely the pixels of a draw are shaded (design §7). Written by
// src/shading-rate, read where the tile's visible quads are gathered.
//
//   draw ── primitive ──> region ──> depth ──>  rate of a primitive in an area (4×4 pixels)
//           combiner      combiner   combiner
//
// Each step joins what came before it with what its source says, by a table of all pairs of codes; a source that is not
// there leaves what came. Values of shaders and textures that are no rates (the code 1×4, say) are in the tables, too.

import { MOST_SLICES, RATE_CODES } from './shading-rate-codes';
import { pastFields } from './record';

@unmanaged
export class ShadingRates {
  /** The draw's rate; of draws that a primitive stage divides by its rates, joined with the primitive's. */
  rate: i32;
  /** 1: nothing else has a say. */
  isConstant: i32;
  /** The varying that holds the provoking vertex's code in its plane's first word; -1: none. */
  primitive: i32;
  /**
   * Rows of codes, a byte each, for blocks of 2^regionShift (3 or 4) pixels, as many as the pass has; 0: none. Bytes
   * from row to row.
   */
  region: usize;
  regionRowBytes: u32;
  regionShift: i32;
  /** Slices of the depth table: 4, 8 or 16; 0: none. DEPTH_AT_*. */
  slices: i32;
  at: i32;
  /** The range, both ends within; outside it (and of NaN) the rate is 1×1. */
  low: f32;
  high: f32;
  /** −1 where the first slice is the farthest (far < near), else 1. */
  direction: f32;
  /**
   * f32: where each slice but the first begins. z lies in the slice whose number is the count of those that z ·
   * direction is not less than.
   */
  get sliceStarts(): usize { return pastFields(this); }
  /** u8 a slice: codes. */
  get sliceRates(): usize { return this.sliceStarts + (MOST_SLICES - 1) * 4; }
  /** u8 for each pair, what came before · RATE_CODES + what the source says: for primitive, region and depth. */
  get primitiveCombiner(): usize { return this.sliceRates + MOST_SLICES; }
  get regionCombiner(): usize { return this.primitiveCombiner + RATE_CODES * RATE_CODES; }
  get depthCombiner(): usize { return this.regionCombiner + RATE_CODES * RATE_CODES; }
  get past(): usize { return this.depthCombiner + RATE_CODES * RATE_CODES; }
}
