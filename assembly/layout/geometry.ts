// GEOMETRY: state of the vertex side: which draw, how far, and its scratch memory. One per worker.
//
//   geometryBegin(geometry, pass, draw)          then, until STATUS_DONE:
//   geometryRun(geometry, batches) → STATUS_DONE | STATUS_YIELD | STATUS_NEEDS_MEMORY | STATUS_TIMEOUT
//   geometryPart(geometry, pass, segment) in place of geometryBegin takes a part of a draw (job.ts); geometryResume notes where it stopped
//
// The kernel keeps whatever it needs behind GEOMETRY_PRIVATE; the caller allocates geometryBytes(), 16-byte aligned and zeroed once, and sets GEOMETRY_REGISTERS.

export const GEOMETRY_PASS = 0;
export const GEOMETRY_DRAW = 4;
/** A register file that is large enough for the draw's vertex program (its registers · REGISTER_BYTES). */
export const GEOMETRY_REGISTERS = 8;
/** Memory for the vertices of draws with DRAW_RANGE_COUNT, and its bytes; what does not fit is shaded in batches. */
export const GEOMETRY_RANGE = 12;
export const GEOMETRY_RANGE_BYTES = 16;
/** Number of the worker, from 0: which extra vertices of a RANGE (job.ts) are its own. */
export const GEOMETRY_WORKER = 20;
export const GEOMETRY_PRIVATE = 32;
/** Vertices of index ranges that are shaded together where instances have fewer: their packets stay in a second-level cache. */
export const RANGE_VERTICES = 4096;
