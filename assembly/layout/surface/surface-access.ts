// SURFACE ACCESS: a load from or a store to a surface by the four lanes of a quad. v128 each.

@unmanaged
export class SurfaceAccess {
  /** Lanes that take part. */
  get lanes(): usize {
    return changetype<usize>(this);
  }
  /** i32 pixel coordinates. */
  get x(): usize {
    return this.lanes + 16;
  }
  get y(): usize {
    return this.x + 16;
  }
  /** Bit mask of the samples asked for. */
  get mask(): usize {
    return this.y + 16;
  }
  /** Four channels. */
  get texel(): usize {
    return this.mask + 16;
  }
  /** Loads: samples that hold the texel, and SURFACE_* of the pixel's values (surface/unit.ts, stateOf). */
  get known(): usize {
    return this.texel + 4 * 16;
  }
  get state(): usize {
    return this.known + 16;
  }
  /** Operands and results of surfaceLoad and surfaceStore for one lane. */
  get scratch(): usize {
    return this.state + 16;
  }
  get past(): usize {
    return this.scratch + 32;
  }
}
