// SURFACE ACCESS: a load from or a store to a surface by the four lanes of a quad. v128 each.

@unmanaged
export class SurfaceAccess {
  /** Lanes that take part. */
  get lanes(): usize { return changetype<usize>(this) + SURFACE_ACCESS_LANES; }
  /** i32, pixels. */
  get x(): usize { return changetype<usize>(this) + SURFACE_ACCESS_X; }
  get y(): usize { return changetype<usize>(this) + SURFACE_ACCESS_Y; }
  /** Bit sample of the samples asked for. */
  get mask(): usize { return changetype<usize>(this) + SURFACE_ACCESS_MASK; }
  /** Four channels. */
  get texel(): usize { return changetype<usize>(this) + SURFACE_ACCESS_TEXEL; }
  /** Loads: samples known to hold the texel, and SURFACE_* (surface.ts). */
  get known(): usize { return changetype<usize>(this) + SURFACE_ACCESS_KNOWN; }
  get state(): usize { return changetype<usize>(this) + SURFACE_ACCESS_STATE; }
  /** What surfaceLoad and surfaceStore take and give for one lane. */
  get scratch(): usize { return changetype<usize>(this) + SURFACE_ACCESS_SCRATCH; }
}
export const SURFACE_ACCESS_LANES: usize = offsetof<SurfaceAccess>();
export const SURFACE_ACCESS_X: usize = SURFACE_ACCESS_LANES + 16;
export const SURFACE_ACCESS_Y: usize = SURFACE_ACCESS_X + 16;
export const SURFACE_ACCESS_MASK: usize = SURFACE_ACCESS_Y + 16;
export const SURFACE_ACCESS_TEXEL: usize = SURFACE_ACCESS_MASK + 16;
export const SURFACE_ACCESS_KNOWN: usize = SURFACE_ACCESS_TEXEL + 4 * 16;
export const SURFACE_ACCESS_STATE: usize = SURFACE_ACCESS_KNOWN + 16;
export const SURFACE_ACCESS_SCRATCH: usize = SURFACE_ACCESS_STATE + 16;
export const SURFACE_ACCESS_BYTES: usize = SURFACE_ACCESS_SCRATCH + 32;
