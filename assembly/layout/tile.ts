// TILE CONTEXT: all that a worker needs to run one tile. One record, then the planes, 16-byte aligned.
//
//   fields │ edges │ coverage │ pending quads │ depth terms │ warp │ packers │ block states │ offsets │ output scratch │ pixel packers │ edge terms │ ids, depth, stencil, colours
//   (order of tile.ts)
//
// ids hold, per sample, the address of the TRIANGLE whose colour is still to be computed, or 0. What a plane holds of an 8×8 block may be
// said by the block's state instead: then the plane's bytes there mean nothing until someone asks for them sample by sample.
//   ids      Tile.blockIds: one triangle for all samples
//   depth    DepthBlock.source: the clear value, or the plane of one triangle; with bounds of what is stored, whatever the state
//   colour   Tile.colorBlocks: clear; and pixel by pixel Tile.perSample: one texel for all samples

import { Draw, Target } from './draw';
import { MAX_COLOR_TARGETS, TILE_BLOCKS, WARP_QUADS } from './limits';
import { LoadStoreUnit } from './load-store-unit';
import { ENTRY_BYTES, PACKER_BYTES, Packer } from './packer';
import { BinBlock, Pass } from './pass';
import { PLANE_BYTES, Plane } from './plane';
import { WARP_BYTES, Warp } from './warp';
import { Stage } from './surface';
import { DEFERRED_PACKERS, PIXEL_PACKER_BYTES, POSITION_SHIFT } from './tile-codes';
import { TILE_PIXELS } from './tile-order';

/** One edge of the current triangle, in units of a pixel at one sample and of a sixteenth at four, relative to the tile's corner. */
@unmanaged
export class TileEdge {
  /** i64: value at the corner; least and most that a block's samples add to its corner's value. */
  value: i64;
  least: i64;
  most: i64;
  /** i32: steps in x and y. */
  a: i32;
  b: i32;
}
export const TILE_EDGE_BYTES: usize = offsetof<TileEdge>();

/** Edges of the current triangle for raster/walk-ordered.ts: one edge a lane, the fourth lane 0. */
@unmanaged
export class EdgeWalk {
  /** Value at the corner of the tile's first block in the box; steps from block to block; least and most that a block's samples add. */
  get value(): usize { return changetype<usize>(this) + EDGE_WALK_VALUE; }
  get stepX(): usize { return changetype<usize>(this) + EDGE_WALK_STEP_X; }
  get stepY(): usize { return changetype<usize>(this) + EDGE_WALK_STEP_Y; }
  get least(): usize { return changetype<usize>(this) + EDGE_WALK_LEAST; }
  get most(): usize { return changetype<usize>(this) + EDGE_WALK_MOST; }
  /** Value at the corner of the current block. */
  get now(): usize { return changetype<usize>(this) + EDGE_WALK_NOW; }
}
export const EDGE_WALK_VALUE: usize = offsetof<EdgeWalk>();
export const EDGE_WALK_STEP_X: usize = EDGE_WALK_VALUE + 16;
export const EDGE_WALK_STEP_Y: usize = EDGE_WALK_STEP_X + 16;
export const EDGE_WALK_LEAST: usize = EDGE_WALK_STEP_Y + 16;
export const EDGE_WALK_MOST: usize = EDGE_WALK_LEAST + 16;
export const EDGE_WALK_NOW: usize = EDGE_WALK_MOST + 16;
export const EDGE_WALK_BYTES: usize = EDGE_WALK_NOW + 16;

/** What an edge adds from sample to sample and from quad to quad: splats and lanes. */
@unmanaged
export class EdgeTerms {
  /** Four samples: what the samples of the four pixels add to the quad's corner; what four quads side by side add to a block's; the step to those below; least and most that a quad's samples add. */
  get samples(): usize { return changetype<usize>(this) + EDGE_TERMS_SAMPLES; }
  /** One sample: what the pixels of a quad add to its first, and the steps to the next quads. */
  get pixels(): usize { return changetype<usize>(this) + EDGE_TERMS_PIXELS; }
  get right(): usize { return changetype<usize>(this) + EDGE_TERMS_RIGHT; }
  get down(): usize { return changetype<usize>(this) + EDGE_TERMS_DOWN; }
  get quads(): usize { return changetype<usize>(this) + EDGE_TERMS_QUADS; }
  get below(): usize { return changetype<usize>(this) + EDGE_TERMS_BELOW; }
  get least(): usize { return changetype<usize>(this) + EDGE_TERMS_LEAST; }
  get most(): usize { return changetype<usize>(this) + EDGE_TERMS_MOST; }
}
export const EDGE_TERMS_SAMPLES: usize = offsetof<EdgeTerms>();
export const EDGE_TERMS_QUADS: usize = EDGE_TERMS_SAMPLES + 4 * 16;
export const EDGE_TERMS_BELOW: usize = EDGE_TERMS_QUADS + 16;
export const EDGE_TERMS_LEAST: usize = EDGE_TERMS_BELOW + 16;
export const EDGE_TERMS_MOST: usize = EDGE_TERMS_LEAST + 16;
export const EDGE_TERMS_PIXELS: usize = EDGE_TERMS_SAMPLES;
export const EDGE_TERMS_RIGHT: usize = EDGE_TERMS_SAMPLES + 16;
export const EDGE_TERMS_DOWN: usize = EDGE_TERMS_SAMPLES + 32;
export const EDGE_TERMS_BYTES: usize = EDGE_TERMS_MOST + 16;

/** Four samples of a pixel: in pixels, then in sixteenths. */
@unmanaged
export class SamplePositions {
  get x(): usize { return changetype<usize>(this) + SAMPLE_POSITIONS_X; }
  /** SAMPLE POSITIONS: f32x4 in pixels, x then y; i32x4 in sixteenths, x then y. */
  get y(): usize { return changetype<usize>(this) + SAMPLE_POSITIONS_Y; }
  get x16(): usize { return changetype<usize>(this) + SAMPLE_POSITIONS_X16; }
  get y16(): usize { return changetype<usize>(this) + SAMPLE_POSITIONS_Y16; }
}
export const SAMPLE_POSITIONS_X: usize = offsetof<SamplePositions>();
export const SAMPLE_POSITIONS_Y: usize = SAMPLE_POSITIONS_X + 16;
export const SAMPLE_POSITIONS_X16: usize = SAMPLE_POSITIONS_Y + 16;
export const SAMPLE_POSITIONS_Y16: usize = SAMPLE_POSITIONS_X16 + 16;
export const SAMPLE_POSITIONS_BYTES: usize = SAMPLE_POSITIONS_Y16 + 16;

/** Of a quad of a warp: distance from its triangle's origin, and w. */
@unmanaged
export class WarpOffset {
  get dx(): usize { return changetype<usize>(this) + WARP_OFFSET_DX; }
  get dy(): usize { return changetype<usize>(this) + WARP_OFFSET_DY; }
  get w(): usize { return changetype<usize>(this) + WARP_OFFSET_W; }
}
export const WARP_OFFSET_DX: usize = offsetof<WarpOffset>();
export const WARP_OFFSET_DY: usize = WARP_OFFSET_DX + 16;
export const WARP_OFFSET_W: usize = WARP_OFFSET_DY + 16;
export const WARP_OFFSET_BYTES: usize = WARP_OFFSET_W + 16;

/** Scratch of output and resolve: words are planar, a v128 a channel, four texels in its lanes. */
@unmanaged
export class OutputScratch {
  /** The target that is being written. */
  target: Target;
  /** Samples of a quad, of a layer, that are to be blended. */
  mask: i32;
  /** All samples of a pixel, a bit each. */
  every: i32;
  /** 1: opaque texels make pixels of one texel again. */
  replaces: i32;
  /** Addresses of the target's four source registers, in the order of the texel's bits. */
  get registers(): usize { return changetype<usize>(this) + OUTPUT_SCRATCH_REGISTERS; }
  register(index: i32): usize { return load<usize>(this.registers + (<usize>index << 2)); }
  /** Blend operands: source, destination and constant words; ones; the saturated source alpha. */
  get source(): usize { return changetype<usize>(this) + OUTPUT_SCRATCH_SOURCE; }
  get destination(): usize { return changetype<usize>(this) + OUTPUT_SCRATCH_DESTINATION; }
  get constant(): usize { return changetype<usize>(this) + OUTPUT_SCRATCH_CONSTANT; }
  get ones(): usize { return changetype<usize>(this) + OUTPUT_SCRATCH_ONES; }
  get saturated(): usize { return changetype<usize>(this) + OUTPUT_SCRATCH_SATURATED; }
  /** Four texels as they are to be stored, up to 16 bytes each. */
  get texels(): usize { return changetype<usize>(this) + OUTPUT_SCRATCH_TEXELS; }
  /** What the sources of four pixels come to, for the samples of each; a blend decides how. */
  get terms(): usize { return changetype<usize>(this) + OUTPUT_SCRATCH_TERMS; }
}
export const OUTPUT_SCRATCH_REGISTERS: usize = offsetof<OutputScratch>();
export const OUTPUT_SCRATCH_SOURCE: usize = (OUTPUT_SCRATCH_REGISTERS + 4 * 4 + 15) & ~15;
export const OUTPUT_SCRATCH_DESTINATION: usize = OUTPUT_SCRATCH_SOURCE + 64;
export const OUTPUT_SCRATCH_CONSTANT: usize = OUTPUT_SCRATCH_DESTINATION + 64;
export const OUTPUT_SCRATCH_ONES: usize = OUTPUT_SCRATCH_CONSTANT + 64;
export const OUTPUT_SCRATCH_SATURATED: usize = OUTPUT_SCRATCH_ONES + 16;
export const OUTPUT_SCRATCH_TEXELS: usize = OUTPUT_SCRATCH_SATURATED + 16;
export const OUTPUT_SCRATCH_TERMS: usize = OUTPUT_SCRATCH_TEXELS + 64;
export const OUTPUT_SCRATCH_BYTES: usize = OUTPUT_SCRATCH_TERMS + 64;

@unmanaged
export class DepthBlock {
  /** DEPTH_BLOCK: no stored depth is less than LOW or greater than HIGH (f32). */
  low: f32;
  high: f32;
  /** DEPTH_STORED, DEPTH_CLEAR (all samples hold LOW), or the triangle whose plane all samples hold. */
  source: u32;
  /** Pixels written since LOW and HIGH were last found in the stored depths; with the highest bit, if they ever were (output/depth-blocks.ts). */
  writes: u32;
}
export const DEPTH_BLOCK_BYTES: usize = offsetof<DepthBlock>();

@unmanaged
export class Tile {
  pass: Pass;
  /** Register file for fragment programs. */
  registers: usize;
  layerSamples: i32;
  /** Pixel of the tile's upper left corner, and the pixels that the pass has of the tile. */
  x: i32;
  y: i32;
  width: i32;
  height: i32;
  /** Addresses of the planes: depth (f32), ids (u32), stencil (u8; 0 without one), one per colour attachment (0 for holes). */
  depth: usize;
  ids: usize;
  stencil: usize;
  /** The draw that the fields up to Tile.boundDraw were derived from; 0 for none. */
  draw: Draw;
  /** MODE_*. */
  mode: i32;
  /** EARLY_*. */
  early: i32;
  /** All ones where a depth less than, equal to, greater than the stored one passes. */
  less: i32;
  equal: i32;
  greater: i32;
  depthWrite: i32;
  /** 1: depth is rounded to 16-bit unorm before it is compared and stored. */
  depth16: i32;
  /** The draw whose constants and uniforms are in the register file, as shadingOf (fragment/shade.ts) names it; 0 for none. */
  boundDraw: usize;
  /** The deferred slot last used (its packer of quads), and the number of the next to be emptied when all are taken. */
  packerLast: Packer;
  packerNext: i32;
  /** Box of the current triangle within the tile, pixels. */
  boxX0: i32;
  boxY0: i32;
  boxX1: i32;
  boxY1: i32;
  /** u64: the pipeline's sample mask for a quad: 4 bits at one sample, else 16 a layer. */
  sampleMask: u64;
  /** f32: bounds of the current triangle's depth in the current block. */
  depthLow: f32;
  depthHigh: f32;
  /** TILE_PHASE_*: what of the tile is under way. */
  phase: i32;
  /** Where the walk of the tile's lists goes on: the number of the list (Tile.cursorList), its block, and the entry in it. */
  cursorBlock: BinBlock;
  cursorEntry: u32;
  /** 1: the draw is shaded later, and writes depths that are less than those there: what most draws do, and what the inner loops are made for. */
  defersLess: i32;
  /** u64, with STAT_FLAG_BLOCKS: bit block of the blocks that one triangle covered when the tile's flush began. */
  planeBlocks: u64;
  cursorList: u32;
  /** 1: the draw is shaded in order, and a block that it passes by its bounds goes to the packer as it is (raster/walk-ordered.ts). */
  takesBlocks: i32;
  /** Samples of a pixel: 1, 2, 4, 8 or 16. In Tile.layerSamples those of a layer, as tile.ts says. */
  samples: i32;
  /** Layers: 1, 2 or 4. Tile.ids, Tile.depth, Tile.stencil and Tile.colors are the addresses of the first. */
  layers: i32;
  /** 1: pixels whose samples are equal hold one texel (Tile.perSample). 0: each sample has its own, always. */
  encodes: i32;
  /** LSU record (unit.ts), or 0 where a pass has no multi-sample storage textures. */
  loadStoreUnit: LoadStoreUnit;
  /** Several samples: address of a STAGE (surface.ts), through which planes go to surfaces and come from them. */
  stage: Stage;
  /** Colour targets. */
  plane(index: usize): Plane { return changetype<Plane>(changetype<usize>(this) + TILE_PLANES + index * PLANE_BYTES); }
  /** Three edges, in units of a pixel at one sample and of a sixteenth at four, relative to the tile's corner. */
  get edges(): usize { return changetype<usize>(this) + TILE_EDGES; }
  edge(index: usize): TileEdge { return changetype<TileEdge>(changetype<usize>(this) + TILE_EDGES + index * TILE_EDGE_BYTES); }
  /** Coverage of a block at four samples and more: for each layer 16 u16, one a quad, bit pixel·4 + sample. */
  get cover(): usize { return changetype<usize>(this) + TILE_COVER; }
  /** u16 a block: quads that may hold ids. */
  get pending(): usize { return changetype<usize>(this) + TILE_PENDING; }
  /** Depth terms of a block: a v128 for each column (quads at one sample, pixels at four) and row. */
  get columns(): usize { return changetype<usize>(this) + TILE_COLUMNS; }
  get rows(): usize { return changetype<usize>(this) + TILE_ROWS; }
  /** Scratch, 64 bytes. output/general.ts: source, destination, blend constant, four words each; resolve: texels. */
  get texels(): usize { return changetype<usize>(this) + TILE_TEXELS; }
  /** Edges of the current triangle for raster/walk-ordered.ts, WALK_*: one edge a lane, the fourth lane 0; 112 bytes. */
  get walk(): EdgeWalk { return changetype<EdgeWalk>(changetype<usize>(this) + TILE_WALK); }
  /** For each edge, a TERMS record: splats and lanes. */
  get terms(): usize { return changetype<usize>(this) + TILE_TERMS; }
  edgeTerms(index: usize): EdgeTerms { return changetype<EdgeTerms>(changetype<usize>(this) + TILE_TERMS + index * EDGE_TERMS_BYTES); }
  /** Four samples: what the box, and edges along its sides, leave of the tile's 32 columns of quads (u16 a quad, as in Tile.cover) and of its 32 rows (four times each). */
  get columnMasks(): usize { return changetype<usize>(this) + TILE_COLUMN_MASKS; }
  get rowMasks(): usize { return changetype<usize>(this) + TILE_ROW_MASKS; }
  /** Scratch of output and resolve, OUTPUT_*: words are planar, a v128 a channel, four texels in its lanes. */
  get output(): OutputScratch { return changetype<OutputScratch>(changetype<usize>(this) + TILE_OUTPUT); }
  /** Clear colours as texels, repeated to 16 bytes, one a target. */
  get clearTexels(): usize { return changetype<usize>(this) + TILE_CLEAR_TEXELS; }
  /** u32 a block: the triangle whose id all its samples hold (its quads are pending, its part of the plane is 0), or 0: ids are in the plane. */
  get blockIds(): usize { return changetype<usize>(this) + TILE_BLOCK_IDS; }
  /** A DEPTH_BLOCK record a block. */
  get depthBlocks(): usize { return changetype<usize>(this) + TILE_DEPTH_BLOCKS; }
  depthBlock(index: usize): DepthBlock { return changetype<DepthBlock>(changetype<usize>(this) + TILE_DEPTH_BLOCKS + index * DEPTH_BLOCK_BYTES); }
  /** MAX_COLOR_TARGETS times one byte a block: COLOR_*. */
  get colorBlocks(): usize { return changetype<usize>(this) + TILE_COLOR_BLOCKS; }
  /** WARP record, WARP_BYTES. */
  get warp(): Warp { return changetype<Warp>(changetype<usize>(this) + TILE_WARP); }
  /** DEFERRED_PACKERS of quads, then the one for blocks that one triangle covers. */
  get packers(): usize { return changetype<usize>(this) + TILE_PACKERS; }
  packer(index: usize): Packer { return changetype<Packer>(changetype<usize>(this) + TILE_PACKERS + index * PACKER_BYTES); }
  /** DEFERRED_PACKERS of pixels: slot i is the packer of quads i and the packer of pixels i, for the same draws. */
  get pixelPackers(): usize { return changetype<usize>(this) + TILE_PIXEL_PACKERS; }
  /** The packer for draws that are shaded in order, with room for a block beyond a full warp. */
  get orderedPacker(): Packer { return changetype<Packer>(changetype<usize>(this) + TILE_ORDERED_PACKER); }
  /** For each quad of a warp dx, dy from its triangle's origin and w; a v128 each. */
  get offsets(): usize { return changetype<usize>(this) + TILE_OFFSETS; }
  offset(index: usize): WarpOffset { return changetype<WarpOffset>(changetype<usize>(this) + TILE_OFFSETS + index * WARP_OFFSET_BYTES); }
  /** Two f32 for each quad of the tile: x and y of its first pixel, from the tile's corner. For compiled programs. */
  get quadPositions(): usize { return changetype<usize>(this) + TILE_QUAD_POSITIONS; }
  /** u64, one a target and block: Plane.perSample: bit quad·4 + pixel. At one sample 0. */
  get perSample(): usize { return changetype<usize>(this) + TILE_PER_SAMPLE; }
  /** SAMPLE POSITIONS of each layer. */
  get layerPositions(): usize { return changetype<usize>(this) + TILE_LAYER_POSITIONS; }
  positionsOf(index: usize): SamplePositions { return changetype<SamplePositions>(changetype<usize>(this) + TILE_LAYER_POSITIONS + index * SAMPLE_POSITIONS_BYTES); }
}
export const TILE_PLANES: usize = (offsetof<Tile>() + 15) & ~15;
export const TILE_EDGES: usize = (TILE_PLANES + MAX_COLOR_TARGETS * PLANE_BYTES + 15) & ~15;
export const TILE_COVER: usize = TILE_EDGES + 3 * TILE_EDGE_BYTES;
export const TILE_PENDING: usize = TILE_COVER + 4 * WARP_QUADS * 2;
export const TILE_COLUMNS: usize = TILE_PENDING + TILE_BLOCKS * 2;
export const TILE_ROWS: usize = TILE_COLUMNS + 8 * 16;
export const TILE_TEXELS: usize = TILE_ROWS + 8 * 16;
export const TILE_WALK: usize = TILE_TEXELS + 64;
export const TILE_TERMS: usize = TILE_WALK + EDGE_WALK_BYTES;
export const TILE_COLUMN_MASKS: usize = TILE_TERMS + 3 * EDGE_TERMS_BYTES;
export const TILE_ROW_MASKS: usize = TILE_COLUMN_MASKS + 32 * 2;
export const TILE_OUTPUT: usize = (TILE_ROW_MASKS + 32 * 8 + 15) & ~15;
export const TILE_CLEAR_TEXELS: usize = TILE_OUTPUT + OUTPUT_SCRATCH_BYTES;
export const TILE_BLOCK_IDS: usize = TILE_CLEAR_TEXELS + MAX_COLOR_TARGETS * 16;
export const TILE_DEPTH_BLOCKS: usize = TILE_BLOCK_IDS + TILE_BLOCKS * 4;
export const TILE_COLOR_BLOCKS: usize = TILE_DEPTH_BLOCKS + TILE_BLOCKS * DEPTH_BLOCK_BYTES;
export const TILE_WARP: usize = TILE_COLOR_BLOCKS + MAX_COLOR_TARGETS * TILE_BLOCKS;
export const TILE_PACKERS: usize = TILE_WARP + WARP_BYTES;
export const TILE_PIXEL_PACKERS: usize = TILE_PACKERS + ((DEFERRED_PACKERS + 1) * PACKER_BYTES);
export const TILE_ORDERED_PACKER: usize = TILE_PIXEL_PACKERS + DEFERRED_PACKERS * PIXEL_PACKER_BYTES;
export const TILE_OFFSETS: usize = TILE_ORDERED_PACKER + (PACKER_BYTES + WARP_QUADS * ENTRY_BYTES);
export const TILE_QUAD_POSITIONS: usize = TILE_OFFSETS + WARP_QUADS * WARP_OFFSET_BYTES;
export const TILE_PER_SAMPLE: usize = TILE_QUAD_POSITIONS + ((TILE_PIXELS >> 2) << POSITION_SHIFT);
export const TILE_LAYER_POSITIONS: usize = TILE_PER_SAMPLE + MAX_COLOR_TARGETS * TILE_BLOCKS * 8;
export const TILE_BYTES: usize = (TILE_LAYER_POSITIONS + 4 * SAMPLE_POSITIONS_BYTES + 63) & ~63;
