// SURFACE ACCESS: a load from or a store to a surface by the four lanes of a quad. v128 each.

import { CHANNELS, VECTOR_BYTES } from '../record';

/** v128 of SurfaceAccess.scratch. */
const SCRATCH_VECTORS = 2;


@unmanaged
export class SurfaceAccess {
  /** Lanes that take part. */
  get lanes(): usize {
    return changetype<usize>(this);
  }
  /** i32 pixel coordinates. */
  get x(): usize {
    return this.lanes + VECTOR_BYTES;
  }
  get y(): usize {
    return this.x + VECTOR_BYTES;
  }
  /** Bit mask of the samples asked for. */
  get mask(): usize {
    return this.y + VECTOR_BYTES;
  }
  /** Four channels. */
  get texel(): usize {
    return this.mask + VECTOR_BYTES;
  }
  /** Loads: samples that hold the texel, and SURFACE_* of the pixel's values (surface/unit.ts, stateOf). */
  get known(): usize {
    return this.texel + CHANNELS * VECTOR_BYTES;
  }
  get state(): usize {
    return this.known + VECTOR_BYTES;
  }
  /** Operands and results of surfaceLoad and surfaceStore for one lane. */
  get scratch(): usize {
    return this.state + VECTOR_BYTES;
  }
  get past(): usize {
    return this.scratch + SCRATCH_VECTORS * VECTOR_BYTES;
  }
}
