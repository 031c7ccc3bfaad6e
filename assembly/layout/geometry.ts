// GEOMETRY: state of the vertex side: which draw, how far, and its scratch memory. One per worker.
//
//   geometryBegin(geometry, pass, draw)          then, until STATUS_DONE:
//   geometryRun(geometry, batches) → STATUS_DONE | STATUS_YIELD | STATUS_NEEDS_MEMORY | STATUS_TIMEOUT
//
// The kernel keeps whatever it needs behind GEOMETRY_PRIVATE; the caller allocates geometryBytes(), 16-byte aligned and zeroed once, and sets GEOMETRY_REGISTERS.

export const GEOMETRY_PASS = 0;
export const GEOMETRY_DRAW = 4;
/** A register file that is large enough for the draw's vertex program (its registers · REGISTER_BYTES). */
export const GEOMETRY_REGISTERS = 8;
export const GEOMETRY_PRIVATE = 16;
