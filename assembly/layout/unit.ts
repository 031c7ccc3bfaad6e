// LSU: the load/store unit of a tile context. It stands between the instructions that load and store samples of a multi-sample storage
// texture and the texture's stored tiles (surface.ts), and belongs to one worker.
//
//   store ──> GATHERED blocks (the coalescer) ──flush──> WORKING tiles (a write-back cache) ──write-back──> stored tiles
//   load  <── what is gathered, over what the cached tile holds <──────────────────────────────decode──── stored tiles
//
//   fields, scratch, counters │ GATHERED_BLOCKS × GATHERED │ WORKING_TILES × WORKING │ a WORKING to spare │ STAGE (surface.ts)
//
// A pixel takes `pixel bytes`: those of its samples, but of two samples those of four (tile.ts). The record is made for surfaces of up to
// LSU_PIXEL_BYTES.

/** Blocks of 8×8 pixels of a surface that are gathered at a time; why so many: surface/coalesce.ts. */
export const GATHERED_BLOCKS = 8;
/** Tiles of 64×64 pixels of a surface that are cached at a time; why so many: surface/cache.ts. */
export const WORKING_TILES = 4;

/** Most bytes of a pixel of the surfaces that are reached through the unit, and bytes of a WORKING record for that. */
export const LSU_PIXEL_BYTES = 0;
export const LSU_WORKING_BYTES = 4;
/** STATUS_DONE, or what went wrong with a write-back since the last surfaceFlush. */
export const LSU_STATUS = 8;
/** Counts uses, for what was used least recently. */
export const LSU_CLOCK = 12;
/** GATHERED and WORKING record that were used last; 0 for none. */
export const LSU_LAST_GATHERED = 16;
export const LSU_LAST_WORKING = 20;
/** The first WORKING record; the spare one is behind the last. */
export const LSU_WORKING = 24;
/** FAULT_* of the uppermost, leftmost access that could not be made, its surface, pixel and mask; and how many there were (u32). */
export const LSU_FAULT = 28;
export const LSU_FAULT_SURFACE = 32;
export const LSU_FAULT_X = 36;
export const LSU_FAULT_Y = 40;
export const LSU_FAULT_MASK = 44;
export const LSU_FAULTS = 48;
/** The STAGE through which tiles are loaded and stored. */
export const LSU_STAGE = 52;
/** Scratch: a texel as it is stored; two texels decoded to words. */
export const LSU_TEXEL = 64;
export const LSU_WORDS = 80;
export const LSU_OTHER_WORDS = 96;
/** What a flush found, TALLY_*. */
export const LSU_TALLY = 112;
/** u64: pixels of the flush that hold one value, a value each sample, and others. */
export const TALLY_ONE = 0;
export const TALLY_FULL = 8;
export const TALLY_SUBSETS = 16;
/** u32: entries of all pixels, entries of TALLY_SUBSETS' pixels, samples, 1 if some pixel is not whole. */
export const TALLY_ENTRIES = 24;
export const TALLY_SUBSET_ENTRIES = 28;
export const TALLY_SAMPLES = 32;
export const TALLY_PARTIAL = 36;
/** COUNTERS u64. */
export const LSU_COUNTERS = 192;

export const FAULT_NONE = 0;
/** Coordinates outside of the surface. */
export const FAULT_OUTSIDE = 1;
/** A mask without samples. */
export const FAULT_EMPTY_MASK = 2;
/** A mask that names samples which the surface does not have. */
export const FAULT_FOREIGN_MASK = 3;

/** Counters, by number. Flushes of the coalescer by cause: a block was covered, room was needed, a sample came with another value, the end of the tile. */
export const COUNT_FLUSHES_FULL = 0;
export const COUNT_FLUSHES_ROOM = 1;
export const COUNT_FLUSHES_CONFLICT = 2;
export const COUNT_FLUSHES_END = 3;
/** Flushes by form: FORM_*. */
export const COUNT_FORMS = 4;
/** Bytes that flushes of each form moved: values, masks, states and tile masks. */
export const COUNT_FORM_BYTES = 9;
/** What they would have moved as a value for each sample. */
export const COUNT_PLAIN_BYTES = 14;
/** Stores that joined an entry of their pixel that was equal; that took a near value of their pixel; that came again and were dropped. */
export const COUNT_MERGED_EXACT = 15;
export const COUNT_MERGED_NEAR = 16;
export const COUNT_DISCARDED = 17;
/** Pixels that came sample by sample and were analysed; those of them in which samples were equal. */
export const COUNT_ANALYSED = 18;
export const COUNT_ANALYSED_JOINED = 19;
/** Accesses to cached tiles, tiles decoded, tiles written back, and of these those that another worker had changed meanwhile. */
export const COUNT_HITS = 20;
export const COUNT_MISSES = 21;
export const COUNT_WRITE_BACKS = 22;
export const COUNT_OVERTAKEN = 23;
/** Accesses. */
export const COUNT_LOADS = 24;
export const COUNT_STORES = 25;
export const COUNTERS = 26;

/** Forms of a flush. All pixels in one state. */
export const FORM_ONE_STATE = 0;
/** Each value replicated for its samples. */
export const FORM_REPLICATED = 1;
/** Every pixel as values with masks. */
export const FORM_SUBSETS = 2;
/** A flush for each state, with a tile mask each. */
export const FORM_SUB_FLUSHES = 3;
/** A state with each pixel. */
export const FORM_PER_PIXEL = 4;
export const FORMS = 5;

/** The first GATHERED record. */
export const LSU_GATHERED = 448;

/** GATHERED: stores to a block. Its surface (0: free) and place (tile · 64 + block); LSU_CLOCK when it was used last. */
export const GATHERED_SURFACE = 0;
export const GATHERED_PLACE = 4;
export const GATHERED_USED = 8;
/** u64, bit pixel: pixels of which samples are there, pixels that are whole, pixels that came sample by sample and were not compared; pixels within the surface. */
export const GATHERED_TOUCHED = 16;
export const GATHERED_WHOLE = 24;
export const GATHERED_SINGLES = 32;
export const GATHERED_EXISTING = 40;
/** u16 a pixel: samples that are there; places of its entries. An entry (a value and its samples) lies at one of its samples, so that no two meet. */
export const GATHERED_COVERAGE = 64;
export const GATHERED_PLACES = 192;
/** u16 an entry, 16 a pixel: its samples. */
export const GATHERED_MASKS = 320;
/** A texel an entry, LSU_PIXEL_BYTES or less a pixel. */
export const GATHERED_VALUES = 2368;

/** WORKING: a tile, decoded. Its surface (0: free) and number; LSU_CLOCK when it was used last; SURFACE_TILE_LOCK when it was decoded. */
export const WORKING_SURFACE = 0;
export const WORKING_TILE = 4;
export const WORKING_USED = 8;
export const WORKING_VERSION = 12;
/** u64: blocks that were written. */
export const WORKING_DIRTY = 16;
/** The clear value, repeated to 16 bytes. */
export const WORKING_CLEAR = 32;
/** u8 a block, as STAGE_STATES: 1 where it is clear and its texels mean nothing. */
export const WORKING_BLOCKS = 64;
/** u64 a block, as STAGE_SEVERAL. */
export const WORKING_SEVERAL = 128;
/** u16 a pixel, of dirty blocks: samples written. */
export const WORKING_WRITTEN = 640;
/** Texels, one a pixel; behind them, at LSU_PIXEL_BYTES · 1024, those of samples, layer after layer: both in the order of tile.ts. */
export const WORKING_PIXELS = 8832;
