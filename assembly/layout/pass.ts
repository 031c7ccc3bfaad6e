// PASS: a render pass as the kernels see it, and the lists through which geometry reaches tiles.
//
//   geometryRun(geometry) ── triangle records ──> arena          bins: one list of triangle addresses per tile and unit of geometry
//   tileRun(context, pass, tile, flags) walks its lists in order, then shades, resolves and stores the tile
//
// Each worker has a copy of the record, with an arena, bins and statistics of its own.
//
// A chunk ends when the arena is full: every tile with a list is run, stored with its depth, and the arena is emptied.

export const PASS_WIDTH = 0;
export const PASS_HEIGHT = 4;
export const PASS_TILES_X = 8;
/** What tiles walk: the address of PASS_LIST_COUNT addresses of arrays of BINs, one array a unit of geometry (job.ts), in the order of the draws. */
export const PASS_LISTS = 12;
/** 1, 2, 4, 8 or 16. */
export const PASS_SAMPLES = 16;
/** Attachments in use: PASS_COLOR0 + i·ATTACHMENT_BYTES for i < this; holes have FORMAT_NONE. */
export const PASS_COLOR_COUNT = 20;
/** Address of one BIN per tile, to which geometry appends. */
export const PASS_BINS = 24;
/** Address of one byte per tile: 0 until the tile was first loaded or cleared in this pass. */
export const PASS_TILE_STATES = 28;
/** ARENA record. */
export const PASS_ARENA = 32;
/** STATISTICS record (u32 counters). */
export const PASS_STATISTICS = 36;
/** Where fragment invocations are counted, a u32 a pixel in rows: address (0 for none) and bytes from row to row. */
export const PASS_COUNTS = 40;
export const PASS_COUNTS_ROW_BYTES = 44;
export const PASS_DEPTH = 48;
export const PASS_STENCIL = 112;
export const PASS_COLOR0 = 176;
/** 176 + 8·64. */
export const PASS_LIST_COUNT = 688;
/** 1: surfaces of several samples are encoded, in memory and in tile contexts; 0: each sample has its texel (surfaceEncoding: false). */
export const PASS_ENCODES = 692;
/** LSU record (unit.ts) of the worker, 0 in a pass that reaches no surface by instructions. */
export const PASS_UNIT = 696;
export const PASS_BYTES = 704;

/** ATTACHMENT. Surfaces of one sample lie in rows; those of several are SURFACEs (surface.ts). */
export const ATTACHMENT_FORMAT = 0;
/** One sample: address of the rows, and bytes from row to row. */
export const ATTACHMENT_ADDRESS = 4;
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
/** Several samples: address of a SURFACE. */
export const ATTACHMENT_SURFACE = 48;
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

/** STATISTICS: u32 counters, added to by the kernels; then the clock of the parts. */
/** Vertices that draws name, each once an instance (DRAW_DISTINCT; where that is not known, once a batch). */
export const STAT_VERTICES_USED = 0;
export const STAT_VERTICES_SHADED = 4;
export const STAT_TRIANGLES_IN = 8;
/** Culled: each triangle that reaches no tile counts for one cause. Facing away; */
export const STAT_TRIANGLES_CULLED_FACE = 12;
/** no area, after rounding to the grid of positions; */
export const STAT_TRIANGLES_CULLED_AREA = 16;
export const STAT_TRIANGLES_CLIPPED = 20;
export const STAT_TRIANGLES_BINNED = 24;
/** Pairs of a triangle and a quad of which it covers a sample. */
export const STAT_QUADS_TESTED = 28;
/** Groups of four lanes run. */
export const STAT_QUADS_SHADED = 32;
/** Lanes run that stood for a covered pixel: fragment invocations, neither helpers nor lanes left empty. */
export const STAT_LANES_SHADED = 36;
export const STAT_WARPS_FRAGMENT = 40;
export const STAT_WARPS_VERTEX = 44;
export const STAT_TILES_RUN = 48;
/** culled: an area, but no sample within it; */
export const STAT_TRIANGLES_CULLED_BETWEEN = 56;
/** outside a side of the clip volume, or outside viewport, scissor and target; */
export const STAT_TRIANGLES_CULLED_OUTSIDE = 60;
/** behind the eye (no vertex with w > 0), or with a position that is not finite or too large. */
export const STAT_TRIANGLES_CULLED_BEHIND = 64;
/** Of the quads tested: those of which no sample passed, one by one or with their block. */
export const STAT_QUADS_HIDDEN = 68;
/** Blocks in which a triangle lay behind all that was there, so that its coverage was not even computed. */
export const STAT_BLOCKS_HIDDEN = 100;
/** 8×8 blocks of the tiles run, by what they hold when their tile is finished, counted with STAT_FLAG_BLOCKS (raster/block-states.ts). */
export const STAT_BLOCKS_CLEAR = 72;
export const STAT_BLOCKS_PLANE = 76;
export const STAT_BLOCKS_PIXEL = 80;
export const STAT_BLOCKS_SAMPLE = 84;
/** The same blocks by where their depths are: the clear value, one triangle's plane, or stored. A pass without depth counts none. */
export const STAT_DEPTH_CLEAR = 88;
export const STAT_DEPTH_PLANE = 92;
export const STAT_DEPTH_STORED = 96;
/** The end of the counters. */
export const STAT_COUNTERS_BYTES = 104;
/** STAT_FLAG_*: what is measured beyond the counters that cost nothing. */
export const STAT_FLAGS = 104;
export const STAT_FLAG_BLOCKS = 1;
/** Times by part (warp/clock.ts). */
export const STAT_FLAG_TIMES = 2;
/** The part under way, PART_*. */
export const STAT_PART = 108;
/** f64, milliseconds: when the part under way began. */
export const STAT_SINCE = 112;
/** f64, milliseconds: one a part, in order. */
export const STAT_TIMES = 120;
/** Not in the kernel. */
export const PART_OUTSIDE = 0;
/** Fetch, index remapping, the vertex program. */
export const PART_VERTEX = 1;
/** Culling, clipping, planes, bins. */
export const PART_SETUP = 2;
/** The walk of a tile's list: coverage, depth, stencil, ids; with it the warps of draws that are shaded in order. */
export const PART_RASTER = 3;
/** A tile's flush: packing, and the warps of what is visible. */
export const PART_SHADE = 4;
/** Loading, resolving and storing tiles. */
export const PART_RESOLVE = 5;
/** WARP TIMES, for warps run in PART_RASTER, then for those in PART_SHADE: f64s. One warp in eight is timed. */
export const STAT_WARP_TIMES = 168;
/** Warps run, and how many of them were timed. */
export const WARP_TIMES_RUN = 0;
export const WARP_TIMES_TIMED = 8;
/** Milliseconds of the timed ones: interpolation and program; from its output to the tile. */
export const WARP_TIMES_PROGRAM = 16;
export const WARP_TIMES_OUTPUT = 24;
export const WARP_TIMES_BYTES = 32;
/** 168 + 2·32. */
export const STAT_BYTES = 232;
