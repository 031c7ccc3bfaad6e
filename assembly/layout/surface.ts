// SURFACE: a plane (colour, depth or stencil) of a texture of several samples, as memory holds it: encoded, tile by tile.
//
//   SURFACE ──> a SURFACE TILE for each 64×64 pixels ──> pages of the POOL, as many as what the tile holds needs
//
// What a tile holds, by its state:
//   SURFACE_CLEAR   nothing: all samples hold SURFACE_TILE_CLEAR
//   SURFACE_1SPP    a texel a pixel, in the order of tile.ts (4096 texels)
//   SURFACE_SUBSET  blocks of any state, one after the other, as the tile's block states and offsets say
//   SURFACE_FULL    a texel a sample: 64 blocks as they are when full
//
// What a block of 8×8 pixels holds, by its state:
//   SURFACE_CLEAR   nothing
//   SURFACE_1SPP    64 texels
//   SURFACE_SUBSET  a SUBSETS record
//   SURFACE_FULL    a texel a sample, layer by layer (tile.ts): 64 pixels of 4 samples for each; of two samples, 64 pixels of 2
//
// A block's bytes may go on from one page to the next; a texel, or a part of 16 bytes, never does. All records are written and read by one worker
// at a time: that of the tile, or who holds SURFACE_TILE_LOCK.

/** FORMAT_*; depth of 32 bits as FORMAT_DEPTH32FLOAT, stencil as FORMAT_STENCIL8. */
export const SURFACE_FORMAT = 0;
/** Bytes of a texel: 1, 2, 4, 8 or 16. */
export const SURFACE_BYTES_TEXEL = 4;
/** 2, 4, 8 or 16. */
export const SURFACE_SAMPLES = 8;
/** Pixels. */
export const SURFACE_WIDTH = 12;
export const SURFACE_HEIGHT = 16;
export const SURFACE_TILES_X = 20;
export const SURFACE_TILES = 24;
/** Address of the first SURFACE TILE, and bytes from one to the next. */
export const SURFACE_TILES_ADDRESS = 28;
export const SURFACE_TILE_STRIDE = 32;
/** POOL record. */
export const SURFACE_POOL = 36;
/** 0: every tile that was stored is SURFACE_FULL (surfaceEncoding: false). */
export const SURFACE_ENCODES = 40;
/** f32, per channel: samples of a pixel that are stored together are held as one when no channel differs by more; 0: when they are equal bit for bit. */
export const SURFACE_THRESHOLD = 44;
/** u32 counters, added to atomically: pages held; u64 in two words each: bytes moved by loads and by stores, and what they would be if every sample moved. */
export const SURFACE_PAGES_HELD = 48;
export const SURFACE_MOVED = 56;
export const SURFACE_MOVED_PLAIN = 64;
export const SURFACE_RECORD_BYTES = 80;

export const SURFACE_CLEAR = 0;
export const SURFACE_1SPP = 1;
export const SURFACE_SUBSET = 2;
export const SURFACE_FULL = 3;

/** SURFACE TILE. */
export const SURFACE_TILE_STATE = 0;
/** Held by who changes or reads the tile in a pass that reaches it by instructions; 0: free. */
export const SURFACE_TILE_LOCK = 4;
/** Pages held, and bytes in them that mean something. */
export const SURFACE_TILE_PAGE_COUNT = 8;
export const SURFACE_TILE_BYTES = 12;
/** The clear value as a texel, repeated to 16 bytes. */
export const SURFACE_TILE_CLEAR = 16;
/** SURFACE_SUBSET: u8 a block, SURFACE_*. */
export const SURFACE_TILE_BLOCK_STATES = 32;
/** SURFACE_SUBSET: u16 a block, where its bytes begin, in 16 bytes. */
export const SURFACE_TILE_BLOCK_OFFSETS = 96;
/** u32: addresses of the pages held. */
export const SURFACE_TILE_PAGES = 224;

/** SUBSETS: bit pixel of the pixels that hold more than one value (u64); how many further values there are (u32); 4 bytes of nothing. Then, each part up to
 * 16 bytes: a texel a pixel (the value of sample 0); u16 for each such pixel, in order: its first further value's number, and one more at the end;
 * u16 for each further value: its samples; the further values. Samples in no mask hold the pixel's first value. */
export const SUBSETS_SEVERAL = 0;
export const SUBSETS_COUNT = 8;
export const SUBSETS_TEXELS = 16;

/** POOL: pages of one size for all surfaces of a device, in a stack without locks. Links lie outside, so that a page that was never used takes no memory. */
export const PAGE_SHIFT = 12;
export const PAGE_SIZE = 4096;
/** u64: the address of the first free page (0: none), and above it a number that grows with each change. */
export const POOL_HEAD = 0;
/** Address of a u32 for each 4096 bytes of memory: the next free page behind the one that lies there. */
export const POOL_LINKS = 8;
/** Free pages. */
export const POOL_FREE = 12;
/** Address of the SURFACE for which a page was missing; 0: none. */
export const POOL_MISSED = 16;
/** Scratch of countStates: eight u32. */
export const POOL_COUNTS = 32;
export const POOL_BYTES = 64;

/** STAGE: a tile's planes as they go to a surface or come from it. Planes are laid out as tile.ts says, a layer of four samples behind the other. */
/** Address of the plane of samples; of the plane of a texel a pixel, 0 where there is none and every pixel has its samples in the first. */
export const STAGE_SAMPLES = 0;
export const STAGE_PIXELS = 4;
/** Address of a byte a block: 1 where all its samples hold the clear value, whatever the planes hold. */
export const STAGE_STATES = 8;
/** Address of a u64 a block: bit pixel of those whose texels are in the plane of samples. */
export const STAGE_SEVERAL = 12;
/** Address of the clear value, 16 bytes. */
export const STAGE_CLEAR = 16;
/** What a store finds, for each block: state (u8), bytes (u32), pixels of several values (u64), further values (u32). */
export const STAGE_FOUND_STATES = 64;
export const STAGE_FOUND_BYTES = 128;
export const STAGE_FOUND_COUNTS = 384;
export const STAGE_FOUND_SEVERAL = 640;
/** States and pixels for planes that have none of their own. */
export const STAGE_OWN_STATES = 1152;
export const STAGE_OWN_SEVERAL = 1216;
export const STAGE_OWN_CLEAR = 1728;
/** The texels of one pixel's samples as four words each, and their masks: for merging. */
export const STAGE_WORDS = 1744;
/** A block as memory holds it. */
export const STAGE_BLOCK = 2048;
/** 64 pixels, 16 samples, 16 bytes. */
export const STAGE_BYTES = 18432;
