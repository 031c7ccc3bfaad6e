// SHADING RATES: the sources that determine how coarsely the pixels of a draw call are shaded. Written by
// src/shading-rate, read when a tile's visible quads are gathered.
//
//   draw ── primitive ──> region ──> depth ──>  rate of a primitive in an area (4×4 pixels)
//           combiner      combiner   combiner
//
// Each step combines the rate so far with the rate of its source, using a table of all pairs of codes. A missing source
// leaves the rate unchanged. The tables also cover values of shaders and textures that are not rates (such as 1×4).

import { MAX_SLICES, RATE_CODES } from './shading-rate-codes';
import { pastFields } from '../record';

/** SHADING RATES: see the top of the file. */
@unmanaged
export class ShadingRates {
  /**
   * Rate of the draw call. If a primitive stage splits the draw call by its rates, already combined with the
   * primitive's.
   */
  rate: i32;
  /** 1: there is no other source. */
  isConstant: i32;
  /** The varying whose plane holds the provoking vertex's code in its first word; -1: none. */
  primitive: i32;
  /**
   * Address of rows of codes, one byte for each block of 2^regionShift (3 or 4) pixels of the pass; 0: none. Then the
   * byte distance between rows.
   */
  region: usize;
  regionRowBytes: u32;
  regionShift: i32;
  /** Slices of the depth table: 4, 8 or 16; 0: none. `at`: DEPTH_AT_*. */
  slices: i32;
  at: i32;
  /** Depth range, both ends included. Outside it, and for NaN, the rate is 1×1. */
  low: f32;
  high: f32;
  /** −1 if the first slice is the farthest (far < near), else 1. */
  direction: f32;
  /**
   * f32: where each slice except the first begins. A depth z is in the slice whose number is the count of starts that
   * are not greater than z · direction.
   */
  get sliceStarts(): usize {
    return pastFields(this);
  }
  /** u8 per slice: codes. */
  get sliceRates(): usize {
    return this.sliceStarts + (MAX_SLICES - 1) * sizeof<f32>();
  }
  /** u8 for each pair, at (rate so far) · RATE_CODES + (rate of the source): for primitive, region and depth. */
  get primitiveCombiner(): usize {
    return this.sliceRates + MAX_SLICES;
  }
  get regionCombiner(): usize {
    return this.primitiveCombiner + RATE_CODES * RATE_CODES;
  }
  get depthCombiner(): usize {
    return this.regionCombiner + RATE_CODES * RATE_CODES;
  }
  get past(): usize {
    return this.depthCombiner + RATE_CODES * RATE_CODES;
  }
}
