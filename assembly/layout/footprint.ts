// Of a flat texture's reads by a warp: runs of quads of one level, and the footprint of each quad (texture/places.ts).
//
//   FOOTPRINT: columns, rows, weights, fractions; a v128 each, a pixel a lane

/** Of a quad in one level: byte offsets of its texels' columns and rows, weights, fractions. */
@unmanaged
export class Footprint {
  get x0(): usize { return changetype<usize>(this) + FOOTPRINT_X0; }
  get x1(): usize { return changetype<usize>(this) + FOOTPRINT_X1; }
  get row0(): usize { return changetype<usize>(this) + FOOTPRINT_ROW0; }
  get row1(): usize { return changetype<usize>(this) + FOOTPRINT_ROW1; }
  get weights(): usize { return changetype<usize>(this) + FOOTPRINT_WEIGHTS; }
  get fx(): usize { return changetype<usize>(this) + FOOTPRINT_FX; }
  get fy(): usize { return changetype<usize>(this) + FOOTPRINT_FY; }
}
export const FOOTPRINT_X0: usize = offsetof<Footprint>();
export const FOOTPRINT_X1: usize = FOOTPRINT_X0 + 16;
export const FOOTPRINT_ROW0: usize = FOOTPRINT_X1 + 16;
export const FOOTPRINT_ROW1: usize = FOOTPRINT_ROW0 + 16;
export const FOOTPRINT_WEIGHTS: usize = FOOTPRINT_ROW1 + 16;
export const FOOTPRINT_FX: usize = FOOTPRINT_WEIGHTS + 16;
export const FOOTPRINT_FY: usize = FOOTPRINT_FX + 16;
export const FOOTPRINT_BYTES: usize = FOOTPRINT_FY + 16;

@unmanaged
export class ReadRun {
  first: u32;
  end: u32;
  level: u32;
  /** RUN_LINEAR: texels are filtered; RUN_MIXES: some quad has a fraction of the next level. */
  flags: u32;
}
export const READ_RUN_BYTES: usize = offsetof<ReadRun>();
