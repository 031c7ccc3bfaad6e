// Reads of a 2d texture by a warp: runs of quads that use the same level, and the footprint of each quad
// (texture/taps.ts).
//
//   FOOTPRINT: columns, rows, weights, fractions; a v128 each, one pixel per lane

import { VECTOR_BYTES } from '../record';

/** FOOTPRINT: for a quad in one level, byte offsets of its texels' columns and rows, weights, fractions. */
@unmanaged
export class Footprint {
  get x0(): usize {
    return changetype<usize>(this);
  }
  get x1(): usize {
    return this.x0 + VECTOR_BYTES;
  }
  get row0(): usize {
    return this.x1 + VECTOR_BYTES;
  }
  get row1(): usize {
    return this.row0 + VECTOR_BYTES;
  }
  get weights(): usize {
    return this.row1 + VECTOR_BYTES;
  }
  get fx(): usize {
    return this.weights + VECTOR_BYTES;
  }
  get fy(): usize {
    return this.fx + VECTOR_BYTES;
  }
  get past(): usize {
    return this.fy + VECTOR_BYTES;
  }
  /** This record shifted by `i` lanes, so that the values of pixel i come first. */
  lane(i: usize): Footprint {
    return changetype<Footprint>(changetype<usize>(this) + (i << alignof<u32>()));
  }
}

/** READ RUN: consecutive quads that read the same level. */
@unmanaged
export class ReadRun {
  first: u32;
  end: u32;
  level: u32;
  /** RUN_LINEAR: texels are filtered; RUN_MIXES: some quad has a fraction of the next level. */
  flags: u32;
}
