// PASS: a render pass as the kernels see it, and the lists through which geometry reaches tiles.
//
//   geometryRun(geometry) ── triangle records ──> arena          bins: one list of triangle addresses per tile
//   tileRun(context, pass, tile, flags) walks its list in order, then shades, resolves and stores the tile
//
// A chunk ends when the arena is full: every tile with a list is run, stored with its depth, and the arena is emptied.

export const PASS_WIDTH = 0;
export const PASS_HEIGHT = 4;
export const PASS_TILES_X = 8;
/** 1 or 4. */
export const PASS_SAMPLES = 16;
/** Attachments in use: PASS_COLOR0 + i·ATTACHMENT_BYTES for i < this; holes have FORMAT_NONE. */
export const PASS_COLOR_COUNT = 20;
/** Address of one BIN per tile. */
export const PASS_BINS = 24;
/** Address of one byte per tile: 0 until the tile was first loaded or cleared in this pass. */
export const PASS_TILE_STATES = 28;
/** ARENA record. */
export const PASS_ARENA = 32;
/** STATISTICS record (u32 counters). */
export const PASS_STATISTICS = 36;
export const PASS_DEPTH = 48;
export const PASS_STENCIL = 112;
export const PASS_COLOR0 = 176;
/** 176 + 8·64. */
export const PASS_BYTES = 688;

/** ATTACHMENT. Surfaces of one sample lie in rows; multi-sample surfaces lie in tiles, each in the order of a tile context (TILE_SIZE² · samples texels). */
export const ATTACHMENT_FORMAT = 0;
export const ATTACHMENT_ADDRESS = 4;
/** One sample: bytes from row to row. */
export const ATTACHMENT_ROW_BYTES = 8;
/** 1: clear, 0: load. */
export const ATTACHMENT_CLEAR = 12;
/** 1: store, 0: discard. */
export const ATTACHMENT_STORE = 16;
/** 1: read-only depth or stencil. */
export const ATTACHMENT_READ_ONLY = 20;
/** Four f32 (or i32/u32 bits for integer formats); depth: f32; stencil: u32. */
export const ATTACHMENT_CLEAR_VALUE = 24;
/** Single-sample surface of the same format in rows; address 0 for none. */
export const ATTACHMENT_RESOLVE_ADDRESS = 40;
export const ATTACHMENT_RESOLVE_ROW_BYTES = 44;
export const ATTACHMENT_BYTES = 64;

/** BIN: list of a tile. Blocks come from the arena. */
export const BIN_HEAD = 0;
export const BIN_TAIL = 4;
export const BIN_BYTES = 8;
export const BIN_BLOCK_NEXT = 0;
export const BIN_BLOCK_COUNT = 4;
/** Addresses of TRIANGLE records. */
export const BIN_BLOCK_ENTRIES = 8;
export const BIN_BLOCK_CAPACITY = 30;
export const BIN_BLOCK_BYTES = 128;

/** ARENA: bump allocation, 16-byte aligned; the caller sets both, and empties it by setting the cursor back. */
export const ARENA_END = 4;
export const ARENA_CURSOR = 8;
export const ARENA_BYTES = 16;

/** tileRun flags. */
export const TILE_FLAG_LAST = 1;

/** STATISTICS: u32 counters, added to by the kernels. */
export const STAT_VERTICES_USED = 0;
export const STAT_VERTICES_SHADED = 4;
export const STAT_TRIANGLES_IN = 8;
export const STAT_TRIANGLES_CULLED_FACE = 12;
/** Zero area, between samples, outside, or not finite. */
export const STAT_TRIANGLES_CULLED_OTHER = 16;
export const STAT_TRIANGLES_CLIPPED = 20;
export const STAT_TRIANGLES_BINNED = 24;
export const STAT_QUADS_TESTED = 28;
export const STAT_QUADS_SHADED = 32;
export const STAT_LANES_SHADED = 36;
export const STAT_WARPS_FRAGMENT = 40;
export const STAT_WARPS_VERTEX = 44;
export const STAT_TILES_RUN = 48;
export const STAT_CHUNKS = 52;
export const STAT_BYTES = 64;
