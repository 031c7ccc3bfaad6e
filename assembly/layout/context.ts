// TILE CONTEXT: all that a worker needs to run one tile. One record, then the planes, 16-byte aligned.
//
//   fields │ edges │ coverage │ pending quads │ depth terms │ warp │ packers │ block states │ offsets │ output scratch │ pixel packers │ edge terms │ ids, depth, stencil, colours
//   (order of tile.ts)
//
// ids hold, per sample, the address of the TRIANGLE whose colour is still to be computed, or 0. What a plane holds of an 8×8 block may be
// said by the block's state instead: then the plane's bytes there mean nothing until someone asks for them sample by sample.
//   ids      CTX_BLOCK_IDS: one triangle for all samples
//   depth    DEPTH_BLOCK_SOURCE: the clear value, or the plane of one triangle; with bounds of what is stored, whatever the state
//   colour   CTX_COLOR_BLOCKS: clear; and pixel by pixel CTX_SEVERAL: one texel for all samples

export const CTX_PASS = 0;
/** Register file for fragment programs. */
export const CTX_REGISTERS = 4;
export const CTX_SAMPLES = 8;
/** Pixel of the tile's upper left corner. */
export const CTX_TILE_X = 12;
export const CTX_TILE_Y = 16;
/** Addresses of the planes: depth (f32), ids (u32), stencil (u8; 0 without one), one per colour attachment (0 for holes). */
export const CTX_DEPTH = 20;
export const CTX_IDS = 24;
export const CTX_STENCIL = 28;
export const CTX_COLORS = 32;
/** The draw that the fields up to CTX_BOUND_DRAW were derived from; 0 for none. */
export const CTX_DRAW = 64;
/** MODE_*. */
export const CTX_MODE = 68;
/** EARLY_*. */
export const CTX_EARLY = 72;
/** All ones where a depth less than, equal to, greater than the stored one passes. */
export const CTX_LESS = 76;
export const CTX_EQUAL = 80;
export const CTX_GREATER = 84;
export const CTX_DEPTH_WRITE = 88;
/** 1: depth is rounded to 16-bit unorm before it is compared and stored. */
export const CTX_DEPTH_16 = 92;
/** The draw whose constants and uniforms are in the register file, as shadingOf (fragment/shade.ts) names it; 0 for none. */
export const CTX_BOUND_DRAW = 100;
/** The deferred slot last used (its packer of quads), and the number of the next to be emptied when all are taken. */
export const CTX_PACKER_LAST = 104;
export const CTX_PACKER_NEXT = 108;
/** Box of the current triangle within the tile, pixels. */
export const CTX_BOX_X0 = 112;
export const CTX_BOX_Y0 = 116;
export const CTX_BOX_X1 = 120;
export const CTX_BOX_Y1 = 124;

/** Three edges, in units of a pixel at one sample and of a sixteenth at four, relative to the tile's corner. */
export const CTX_EDGES = 128;
/** i64: value at the corner; least and most that a block's samples add to its corner's value. */
export const EDGE_VALUE = 0;
export const EDGE_LEAST = 8;
export const EDGE_MOST = 16;
/** i32: steps in x and y. */
export const EDGE_A = 24;
export const EDGE_B = 28;
export const EDGE_BYTES = 32;

/** u64: the pipeline's sample mask for a quad: 4 bits at one sample, else 16 a layer. */
export const CTX_SAMPLE_MASK = 224;
/** u16 a block: quads that may hold ids. */
export const CTX_PENDING = 256;
/** Depth terms of a block: a v128 for each column (quads at one sample, pixels at four) and row. */
export const CTX_COLUMNS = 384;
export const CTX_ROWS = 512;
/** Scratch, 64 bytes. output/general.ts: source, destination, blend constant, four words each; resolve: texels. */
export const CTX_TEXELS = 640;
/** WARP record, WARP_BYTES. */
export const CTX_WARP = 704;
/** DEFERRED_PACKERS of quads, then the one for blocks that one triangle covers. */
export const CTX_PACKERS = 6240;
export const DEFERRED_PACKERS = 4;
/** u32 a block: the triangle whose id all its samples hold (its quads are pending, its part of the plane is 0), or 0: ids are in the plane. */
export const CTX_BLOCK_IDS = 7872;
/** A DEPTH_BLOCK record a block. */
export const CTX_DEPTH_BLOCKS = 8128;
/** MAX_COLOR_TARGETS times one byte a block: COLOR_*. */
export const CTX_COLOR_BLOCKS = 9152;
/** Clear colours as texels, repeated to 16 bytes, one a target. */
export const CTX_CLEAR_TEXELS = 9664;
/** For each quad of a warp dx, dy from its triangle's origin and w; a v128 each. */
export const CTX_OFFSETS = 9792;
export const OFFSET_DY = 16;
export const OFFSET_W = 32;
export const OFFSET_BYTES = 48;
/** f32: bounds of the current triangle's depth in the current block. */
export const CTX_DEPTH_LOW = 10560;
export const CTX_DEPTH_HIGH = 10564;
/** TILE_PHASE_*: what of the tile is under way. */
export const CTX_PHASE = 10568;
/** Where the walk of the tile's lists goes on: the number of the list (CTX_CURSOR_LIST), its block, and the entry in it. */
export const CTX_CURSOR_BLOCK = 10572;
export const CTX_CURSOR_ENTRY = 10576;
/** 1: the draw is shaded later, and writes depths that are less than those there: what most draws do, and what the inner loops are made for. */
export const CTX_USUAL = 10580;
/** u64, with STAT_FLAG_BLOCKS: bit block of the blocks that one triangle covered when the tile's flush began. */
export const CTX_PLANE_BLOCKS = 10584;
export const CTX_CURSOR_LIST = 10592;
/** Scratch of output and resolve, OUTPUT_*: words are planar, a v128 a channel, four texels in its lanes. */
export const CTX_OUTPUT = 10624;
/** DEFERRED_PACKERS of pixels: slot i is the packer of quads i and the packer of pixels i, for the same draws. */
export const CTX_PIXEL_PACKERS = 11072;
/** 1: the draw is shaded in order, and a block that it passes by its bounds goes to the packer as it is (raster/walk-ordered.ts). */
export const CTX_PLAIN = 15232;
/** Edges of the current triangle for raster/walk-ordered.ts, WALK_*: one edge a lane, the fourth lane 0; 112 bytes. */
export const CTX_WALK = 15248;
/** Value at the corner of the tile's first block in the box; steps from block to block; least and most that a block's samples add. */
export const WALK_VALUE = 0;
export const WALK_STEP_X = 16;
export const WALK_STEP_Y = 32;
export const WALK_LEAST = 48;
export const WALK_MOST = 64;
/** Value at the corner of the current block. */
export const WALK_NOW = 80;
/** For each edge, a TERMS record: splats and lanes. */
export const CTX_TERMS = 15360;
/** One sample: what the pixels of a quad add to its first, and the steps to the next quads. */
export const TERMS_PIXELS = 0;
export const TERMS_RIGHT = 16;
export const TERMS_DOWN = 32;
/** Four samples: what the samples of the four pixels add to the quad's corner; what four quads side by side add to a block's; the step to those below; least and most that a quad's samples add. */
export const TERMS_SAMPLES = 0;
export const TERMS_QUADS = 64;
export const TERMS_BELOW = 80;
export const TERMS_LEAST = 96;
export const TERMS_MOST = 112;
export const TERMS_SHIFT = 7;
/** Four samples: what the box, and edges along its sides, leave of the tile's 32 columns of quads (u16 a quad, as in CTX_COVER) and of its 32 rows (four times each). */
export const CTX_COLUMN_MASKS = 15744;
export const CTX_ROW_MASKS = 15808;
/** The packer for draws that are shaded in order, with room for a block beyond a full warp. */
export const CTX_ORDERED_PACKER = 16064;
/** Two f32 for each quad of the tile: x and y of its first pixel, from the tile's corner. For compiled programs. */
export const CTX_POSITIONS = 16640;
export const POSITION_SHIFT = 3;
/** Samples of a pixel: 1, 2, 4, 8 or 16. In CTX_SAMPLES those of a layer, as tile.ts says. */
export const CTX_SAMPLE_COUNT = 24832;
/** Layers: 1, 2 or 4. CTX_IDS, CTX_DEPTH, CTX_STENCIL and CTX_COLORS are the addresses of the first. */
export const CTX_LAYERS = 24836;
/** 1: pixels whose samples are equal hold one texel (CTX_SEVERAL). 0: each sample has its own, always. */
export const CTX_ENCODES = 24844;
/** Addresses, one a target, of planes of a texel a pixel, in the order of tile.ts; at one sample, those of CTX_COLORS. */
export const CTX_COLOR_PIXELS = 24848;
/** Several samples: address of a STAGE (surface.ts), through which planes go to surfaces and come from them. */
export const CTX_STAGE = 24888;
/** LSU record (unit.ts), or 0 where a pass has no multi-sample storage textures. */
export const CTX_UNIT = 24880;
/** u64, one a target and block: bit quad·4 + pixel of the pixels whose texels are in CTX_COLORS, one a sample; those of the others are in CTX_COLOR_PIXELS. At one sample 0. */
export const CTX_SEVERAL = 24896;
/** u32 for each entry of the packers (CTX_PACKERS … CTX_POSITIONS): what ENTRY_MASK has no room for. */
export const CTX_UPPER_MASKS = 28992;
/** SAMPLE POSITIONS of each layer. */
export const CTX_POSITIONS_OF_LAYERS = 31680;
/** SAMPLE POSITIONS: f32x4 in pixels, x then y; i32x4 in sixteenths, x then y. */
export const SAMPLES_Y = 16;
export const SAMPLES_X16 = 32;
export const SAMPLES_Y16 = 48;
export const SAMPLES_SHIFT = 6;
/** Coverage of a block at four samples and more: for each layer 16 u16, one a quad, bit pixel·4 + sample. */
export const CTX_COVER = 31936;
export const COVER_SHIFT = 5;
/** The end of the above, on a cache line. */
export const CTX_PLANES = 32064;

/** Blend operands: source, destination and constant words; ones; the saturated source alpha. */
export const OUTPUT_SOURCE = 0;
export const OUTPUT_DESTINATION = 64;
export const OUTPUT_CONSTANT = 128;
export const OUTPUT_ONES = 192;
export const OUTPUT_SATURATED = 208;
/** Four texels as they are to be stored, up to 16 bytes each. */
export const OUTPUT_TEXELS = 224;
/** Blend factors (output/factors.ts): colour source, colour destination, alpha source, alpha destination. */
export const OUTPUT_FACTORS = 352;
/** Signs of the colour source and destination, the alpha source and destination: the bit to flip (u32), or the scales (f32) of bytes in fixed point. */
export const OUTPUT_SIGNS = 416;
/** The bits of a texel that a target writes, repeated to 16 bytes. */
export const OUTPUT_WRITTEN = 432;
/** Resolve: the words of a layer's sixteen samples of a quad, 64 bytes a pixel. */
export const OUTPUT_SAMPLES = 0;
/** Resolve: the four means as texels. */
export const OUTPUT_MEANS = 256;

/** Between tiles. */
export const TILE_PHASE_NONE = 0;
export const TILE_PHASE_WALK = 1;
export const TILE_PHASE_FLUSH = 2;

/** DEPTH_BLOCK: no stored depth is less than LOW or greater than HIGH (f32). */
export const DEPTH_BLOCK_LOW = 0;
export const DEPTH_BLOCK_HIGH = 4;
/** DEPTH_STORED, DEPTH_CLEAR (all samples hold LOW), or the triangle whose plane all samples hold. */
export const DEPTH_BLOCK_SOURCE = 8;
/** Pixels written since LOW and HIGH were last found in the stored depths; with the highest bit, if they ever were (output/depth-blocks.ts). */
export const DEPTH_BLOCK_WRITES = 12;
export const DEPTH_BLOCK_SHIFT = 4;
export const DEPTH_STORED = 0;
export const DEPTH_CLEAR = 1;

/** Texels are in the planes: a pixel's in CTX_COLOR_PIXELS, or those of its samples in CTX_COLORS, as its bit in CTX_SEVERAL says. */
export const COLOR_STORED = 0;
/** All samples hold CTX_CLEAR_TEXELS; CTX_SEVERAL is 0. */
export const COLOR_CLEAR = 1;

/** PACKER: quads of one draw on their way into a warp. */
export const PACKER_DRAW = 0;
export const PACKER_COUNT = 4;
/** PACKER_QUADS, PACKER_BLOCK, PACKER_PIXELS or PACKER_SAME: what the entries are. */
export const PACKER_KIND = 8;
/** Deferred packers of quads: address of the slot's packer of pixels, 0 where the program takes derivatives and wants whole quads. */
export const PACKER_FREE = 12;
export const PACKER_ENTRIES = 16;
export const PACKER_BYTES = 272;
/** A packer of pixels, with an entry for each lane of a warp. */
export const PIXEL_PACKER_BYTES = 1040;
/** Quads of any triangles of the draw. */
export const PACKER_QUADS = 0;
/** The 16 quads of a block in order, all samples of one triangle. */
export const PACKER_BLOCK = 1;
/** Pixels of any triangles of the draw, four of them in a group of lanes: entry i is lane i & 3 of group i >> 2. For programs without derivatives. */
export const PACKER_PIXELS = 2;
/** A block of which the results of the first quad hold for all (PROGRAM_FLAG_SAME): its entry and its results alone are there, until someone wants the others. */
export const PACKER_SAME = 3;
/** ENTRY: a quad of a triangle, or (PACKER_PIXELS) a pixel. */
export const ENTRY_TRIANGLE = 0;
/** block·16 + quad. */
export const ENTRY_QUAD = 4;
/** PACKER_PIXELS: (block·16 + quad)·4 + pixel. */
export const ENTRY_PIXEL = 4;
/** Bit pixel·samples + sample; PACKER_PIXELS: bit sample. With layers: 16 bits of layer 0, then 16 of layer 1; those of layers 2 and 3 in CTX_UPPER_MASKS. */
export const ENTRY_MASK = 8;
/** Sample that is shaded, where there is one invocation a sample; else -1. */
export const ENTRY_SAMPLE = 12;
export const ENTRY_SHIFT = 4;

/** Opaque: visibility now, colour later. */
export const MODE_DEFERRED = 0;
/** No fragment program. */
export const MODE_DEPTH_ONLY = 1;
/** Shaded in the order of primitives. */
export const MODE_ORDERED = 2;

/** Every covered sample passes, nothing is written. */
export const EARLY_NONE = 0;
/** Depth is tested and written before the program. */
export const EARLY_DEPTH = 1;
/** Stencil and depth are tested and written before the program. */
export const EARLY_STENCIL = 2;
/** Depth and stencil come after the program, but what fails now fails then: tested, not written. */
export const EARLY_REJECT = 3;
