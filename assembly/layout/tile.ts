// TILE CONTEXT: all that a worker needs to run one tile. One record, then the planes, 16-byte aligned.
//
//   fields │ edges │ coverage │ pending quads │ depth terms │ packers │ block states │ offsets
//   │ output scratch │ pixel packers │ edge terms │ ids, depth, stencil, colours
//   (order of tile.ts)
//
// ids hold, per sample, the address of the TRIANGLE whose colour is still to be computed, or 0. What a plane holds of
// an 8×8 block may be said by the block's state instead: then the plane's bytes there mean nothing until someone asks
// for them sample by sample.
//   ids      Tile.blockIds: one triangle for all samples
//   depth    DepthBlock.source: the clear value, or the plane of one triangle; with bounds of what is stored, whatever
//            the state
//   stencil  Tile.stencilBlocks: one value for all samples
//   colour   Tile.colorBlocks: clear; and pixel by pixel Tile.perSample: one texel for all samples, or two

import { Coarse } from './coarse';
import { Draw, Target } from './draw';
import { MAX_COLOR_TARGETS, TILE_BLOCKS, WARP_QUADS } from './limits';
import { LoadStoreUnit } from './load-store-unit';
import { Entry, Packer } from './packer';
import { ParkedWarps } from './parked';
import { BinBlock, Pass } from './pass';
import { Plane } from './plane';
import { pastFields, sizeOf } from './record';
import { SetRoom } from './sample-sets';
import { Staging } from './surface';
import { COVER_SHIFT, DEFERRED_PACKERS, INDEPENDENT_PACKERS, POSITION_SHIFT } from './tile-codes';
import { TILE_PIXELS } from './tile-order';
import { Triangle } from './triangle';
import { Warp, WarpPool } from './warp';

/**
 * One edge of the current triangle, in units of a pixel at one sample and of a sixteenth at four, relative to the
 * tile's corner.
 */
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

/** Edges of the current triangle for raster/walk-ordered.ts: one edge a lane, the fourth lane 0. */
@unmanaged
export class EdgeWalk {
  /**
   * Value at the corner of the tile's first block in the box; steps from block to block; least and most that a block's
   * samples add.
   */
  get value(): usize { return changetype<usize>(this); }
  get stepX(): usize { return this.value + 16; }
  get stepY(): usize { return this.stepX + 16; }
  get least(): usize { return this.stepY + 16; }
  get most(): usize { return this.least + 16; }
  /** Value at the corner of the current block. */
  get now(): usize { return this.most + 16; }
  get past(): usize { return this.now + 16; }
}

/** What an edge adds from sample to sample and from quad to quad: splats and lanes. */
@unmanaged
export class EdgeTerms {
  /**
   * Four samples: what the samples of the four pixels add to the quad's corner; what four quads side by side add to a
   * block's; the step to those below; least and most that a quad's samples add.
   */
  get samples(): usize { return changetype<usize>(this); }
  /** One sample: what the pixels of a quad add to its first, and the steps to the next quads. */
  get pixels(): usize { return this.samples; }
  get right(): usize { return this.samples + 16; }
  get quads(): usize { return this.samples + 4 * 16; }
  get below(): usize { return this.quads + 16; }
  get least(): usize { return this.below + 16; }
  get most(): usize { return this.least + 16; }
  get past(): usize { return this.most + 16; }
}

/** Four samples of a pixel: in pixels, then in sixteenths. */
@unmanaged
export class SamplePositions {
  get x(): usize { return changetype<usize>(this); }
  /** SAMPLE POSITIONS: f32x4 in pixels, x then y; i32x4 in sixteenths, x then y. */
  get y(): usize { return this.x + 16; }
  get x16(): usize { return this.y + 16; }
  get y16(): usize { return this.x16 + 16; }
  get past(): usize { return this.y16 + 16; }
}

/** Of a quad of a warp: distance from its triangle's origin, and w. */
@unmanaged
export class WarpOffset {
  get dx(): usize { return changetype<usize>(this); }
  get dy(): usize { return this.dx + 16; }
  get w(): usize { return this.dy + 16; }
  get past(): usize { return this.w + 16; }
}

/** Of a warp of single pixels: the group of four lanes that is being interpolated. It lies at Tile.offsets. */
@unmanaged
export class PixelGroup {
  /** The first of its entries; lane 0 of its register 0; Draw.planeStride. */
  entry: Entry;
  out: usize;
  stride: usize;
  /** Four registers on their way. */
  get columns(): usize { return pastFields(this); }
  get past(): usize { return this.columns + 64; }
  /** Triangle of lane `lane`. */
  triangle(lane: usize): Triangle {
    return changetype<Entry>(changetype<usize>(this.entry) + lane * sizeOf<Entry>()).triangle;
  }
}

/** Scratch of output and resolve: words are planar, a v128 a channel, four texels in its lanes. */
@unmanaged
export class OutputScratch {
  /** The target that is being written. */
  target: Target;
  /** Samples of a quad, of a layer, that are to be blended. */
  mask: i32;
  /** All samples of a pixel, a bit each. */
  every: i32;
  /** The same where an opaque texel to all of them makes a pixel of one texel again, else 0. */
  whole: i32;
  /** Addresses of the target's four source registers, in the order of the texel's bits. */
  get registers(): usize { return changetype<usize>(this) + offsetof<OutputScratch>(); }
  register(index: i32): usize { return load<usize>(this.registers + (index << 2)); }
  /** Blend operands: source, destination and constant words; ones; the saturated source alpha. */
  get source(): usize { return this.registers + ((4 * 4 + 15) & ~15); }
  get destination(): usize { return this.source + 64; }
  get constant(): usize { return this.destination + 64; }
  get ones(): usize { return this.constant + 64; }
  get saturated(): usize { return this.ones + 16; }
  /** Four texels as they are to be stored, up to 16 bytes each. */
  get texels(): usize { return this.saturated + 16; }
  /** What the sources of four pixels come to, for the samples of each; a blend decides how. */
  get terms(): usize { return this.texels + 64; }
  /** Entries of a warp that want more than the others, one after the other: a word each; four texels each. */
  get words(): usize { return this.terms + 64; }
  get wordTexels(): usize { return this.words + WARP_QUADS * 4; }
  get past(): usize { return this.wordTexels + WARP_QUADS * 16; }
}

@unmanaged
export class DepthBlock {
  /** DEPTH_BLOCK: no stored depth is less than LOW or greater than HIGH (f32). */
  low: f32;
  high: f32;
  /** DEPTH_STORED, DEPTH_CLEAR (all samples hold LOW), or the triangle whose plane all samples hold. */
  source: u32;
  /**
   * Pixels written since LOW and HIGH were last found in the stored depths; with the highest bit, if they ever were
   * (tile/depth-blocks.ts).
   */
  writes: u32;
}

@unmanaged
export class Tile {
  pass: Pass;
  /** Where its warps come from, and the one that is bound and run next. While the tile is run. */
  pool: WarpPool;
  warp: Warp;
  /** Its register file, and what it is bound to: asked for every warp, without a way by it. */
  registers: usize;
  bound: usize;
  /** Its warps that are put aside: how many, and which; 0: none can be. */
  aside: u32;
  parked: ParkedWarps;
  /** 1: warps that read pages which are not there are put aside; 0: the tile is given up. */
  parks: i32;
  /** 1: those have to be taken up before it goes on where it stands (Misses.keeps). */
  stalls: i32;
  layerSamples: i32;
  /** Which tile of the pass it is, row by row. */
  number: i32;
  /** Pixel of the tile's upper left corner, and the pixels that the pass has of the tile. */
  x: i32;
  y: i32;
  width: i32;
  height: i32;
  /**
   * Addresses of the planes: depth (f32), ids (u32), stencil (u8; 0 without one), one per colour attachment (0 for
   * holes).
   */
  depth: usize;
  ids: usize;
  stencil: usize;
  /** The draw that the fields up to Tile.depth16 were derived from; 0 for none. */
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
  /** The deferred slot last used (its packer of quads), and the number of the next to be emptied when all are taken. */
  packerLast: Packer;
  packerNext: i32;
  /** 0: nothing is in the deferred packers. */
  holdsDeferred: i32;
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
  /**
   * Where the walk of the tile's lists goes on: the number of the list (Tile.cursorList), its block, and the entry in
   * it.
   */
  cursorBlock: BinBlock;
  cursorEntry: u32;
  /**
   * 1: the draw is shaded later, and writes depths that are less than those there: what most draws do, and what the
   * inner loops are made for.
   */
  defersLess: i32;
  /** u64, with STAT_FLAG_BLOCKS: bit block of the blocks that one triangle covered when the tile's flush began. */
  planeBlocks: u64;
  cursorList: u32;
  /**
   * 1: the draw is shaded in order, and a block that it passes by its bounds goes to the packer as it is
   * (raster/walk-ordered.ts).
   */
  takesBlocks: i32;
  /** Quads of which a sample had passed when the walk of a draw with a query began (raster/query.ts). */
  queryBase: u32;
  /** Samples of a pixel: 1, 2, 4, 8 or 16. In Tile.layerSamples those of a layer, as tile.ts says. */
  samples: i32;
  /** Layers: 1, 2 or 4. Tile.ids, Tile.depth, Tile.stencil and Tile.colors are the addresses of the first. */
  layers: i32;
  /** 1: pixels whose samples are equal hold one texel (Tile.perSample). 0: each sample has its own, always. */
  encodes: i32;
  /** Colour targets that are stored and resolved, while the tile is finished. */
  finished: i32;
  /** LSU record (load-store-unit.ts), or 0 where a pass has no multi-sample storage textures. */
  loadStoreUnit: LoadStoreUnit;
  /** What draws with shading rates need; 0 in a pass that has none. */
  coarse: Coarse;
  /** Pixels of a block whose quads are not held (raster/walk-ordered.ts): bit quad·4 + pixel. */
  uncovered: u64;
  /** 1: Tile.claims may not be empty. */
  hasClaims: i32;
  /** Code of the rate at which a warp is being run (shading-rate-codes.ts); between warps RATE_1X1. */
  rate: i32;
  /** Multisampled: address of a STAGING (surface.ts), through which planes go to surfaces and come from them. */
  staging: Staging;
  /** Where quads go of the draw that is walked, if it is shaded in order: receivedPacker, or its independent one. */
  orderedPacker: Packer;
  /** Bits: whether quads wait in independent packers (fragment/independent.ts); the next one to be emptied. */
  holdsIndependent: i32;
  independentNext: u32;
  /** STATUS_* of who has no other way to say it. */
  status: i32;
  /**
   * While others are at the tile, too (share.ts): the block that the worker was in last. Without order: of the packet
   * under way, the blocks that are left (u64, bit block); the number of its first triangle, and where that is.
   */
  shareBlock: i32;
  packetBlocks: u64;
  packetFirst: u32;
  packetList: u32;
  packetBlock: BinBlock;
  packetEntry: u32;
  /**
   * Pixels of the tile that are drawn. 1 in `isPart`: only these, and only some entries of the lists, as LateTile.part
   * has it; else the box is all of the tile.
   */
  partX0: i32;
  partY0: i32;
  partX1: i32;
  partY1: i32;
  isPart: i32;
  partFirst: u32;
  partEnd: u32;
  /** LateTile.entryCount and byQuads. */
  entryCount: u32;
  byQuads: u32;
  /** Where the walk of a part ends; 0: at the end of the lists. */
  endBlock: BinBlock;
  endEntry: u32;
  /** LateTile.narrow and served. */
  narrow: u32;
  served: u32;
  /** A warp becomes the one that is bound and run next. */
  use(warp: Warp): void {
    this.warp = warp;
    this.registers = warp.registers;
    this.bound = warp.bound;
  }
  /** Colour targets. */
  get planes(): usize { return pastFields(this); }
  plane(index: usize): Plane { return changetype<Plane>(this.planes + index * sizeOf<Plane>()); }
  /** Three edges, in units of a pixel at one sample and of a sixteenth at four, relative to the tile's corner. */
  get edges(): usize { return this.planes + ((MAX_COLOR_TARGETS * sizeOf<Plane>() + 15) & ~15); }
  edge(index: usize): TileEdge { return changetype<TileEdge>(this.edges + index * sizeOf<TileEdge>()); }
  /** Coverage of a block at four samples and more: for each layer 16 u16, one a quad, bit pixel·4 + sample. */
  get cover(): usize { return this.edges + 3 * sizeOf<TileEdge>(); }
  coverOf(layer: i32): usize { return this.cover + (layer << COVER_SHIFT); }
  /** u16 a block: quads that may hold ids. */
  get pending(): usize { return this.cover + 4 * WARP_QUADS * 2; }
  /** Depth terms of a block: a v128 for each column (quads at one sample, pixels at four) and row. */
  get columns(): usize { return this.pending + TILE_BLOCKS * 2; }
  get rows(): usize { return this.columns + 8 * 16; }
  /** Scratch of resolve and of the oracle, 64 bytes. */
  get texels(): usize { return this.rows + 8 * 16; }
  /** Edges of the current triangle for raster/walk-ordered.ts: one edge a lane, the fourth lane 0. */
  get walk(): EdgeWalk { return changetype<EdgeWalk>(this.texels + 64); }
  /** For each edge, a TERMS record: splats and lanes. */
  get terms(): usize { return changetype<usize>(this.walk) + sizeOf<EdgeWalk>(); }
  edgeTerms(index: usize): EdgeTerms { return changetype<EdgeTerms>(this.terms + index * sizeOf<EdgeTerms>()); }
  /**
   * Four samples: what the box, and edges along its sides, leave of the tile's 32 columns of quads (u16 a quad, as in
   * Tile.cover) and of its 32 rows (four times each).
   */
  get columnMasks(): usize { return this.terms + 3 * sizeOf<EdgeTerms>(); }
  get rowMasks(): usize { return this.columnMasks + 32 * 2; }
  /** Scratch of output and resolve, OUTPUT_*: words are planar, a v128 a channel, four texels in its lanes. */
  get output(): OutputScratch { return changetype<OutputScratch>(this.rowMasks + ((32 * 8 + 15) & ~15)); }
  /** Clear colours as texels, repeated to 16 bytes, one a target. */
  get clearTexels(): usize { return changetype<usize>(this.output) + sizeOf<OutputScratch>(); }
  /**
   * u32 a block: the triangle whose id all its samples hold (its quads are pending, its part of the plane is 0), or 0:
   * ids are in the plane.
   */
  get blockIds(): usize { return this.clearTexels + MAX_COLOR_TARGETS * 16; }
  /** A DEPTH_BLOCK record a block. */
  get depthBlocks(): usize { return this.blockIds + TILE_BLOCKS * 4; }
  depthBlock(index: usize): DepthBlock {
    return changetype<DepthBlock>(this.depthBlocks + index * sizeOf<DepthBlock>());
  }
  /** MAX_COLOR_TARGETS times one byte a block: COLOR_*. */
  get colorBlocks(): usize { return this.depthBlocks + TILE_BLOCKS * sizeOf<DepthBlock>(); }
  /** u16 a block: the stencil of all its samples, or STENCIL_STORED. */
  get stencilBlocks(): usize { return this.colorBlocks + MAX_COLOR_TARGETS * TILE_BLOCKS; }
  /** DEFERRED_PACKERS of quads, then the one for blocks that one triangle covers. */
  get packers(): usize { return this.stencilBlocks + TILE_BLOCKS * 2; }
  packer(index: usize): Packer { return changetype<Packer>(this.packers + index * sizeOf<Packer>()); }
  /** DEFERRED_PACKERS of pixels: slot i is the packer of quads i and the packer of pixels i, for the same draws. */
  get pixelPackers(): usize { return this.packers + (DEFERRED_PACKERS + 1) * sizeOf<Packer>(); }
  /** They have an entry for each lane of a warp. */
  pixelPacker(slot: usize): Packer {
    const past = changetype<usize>(changetype<Packer>(0).entry(4 * WARP_QUADS));
    return changetype<Packer>(this.pixelPackers + slot * past);
  }
  /** The packer for draws that are shaded in order, with room for a block beyond a full warp. */
  get receivedPacker(): Packer { return this.pixelPacker(DEFERRED_PACKERS); }
  /** INDEPENDENT_PACKERS for draws that need not follow each other, of the same size. */
  independentPacker(index: usize): Packer {
    const bytes = sizeOf<Packer>() + WARP_QUADS * sizeOf<Entry>();
    return changetype<Packer>(changetype<usize>(this.receivedPacker) + (index + 1) * bytes);
  }
  /** For each quad of a warp dx, dy from its triangle's origin and w; a v128 each. */
  get offsets(): usize {
    return (changetype<usize>(this.independentPacker(INDEPENDENT_PACKERS)) + 15) & ~15;
  }
  offset(index: usize): WarpOffset { return changetype<WarpOffset>(this.offsets + index * sizeOf<WarpOffset>()); }
  /** Two f32 for each quad of the tile: x and y of its first pixel, from the tile's corner. For compiled programs. */
  get quadPositions(): usize { return this.offsets + WARP_QUADS * sizeOf<WarpOffset>(); }
  /**
   * f32x4 each: x and y of the centres of a quad's four pixels, of one at the tile's corner; while a coarse warp is
   * run, those of its coarse pixels.
   */
  get centresX(): usize { return this.quadPositions + ((TILE_PIXELS >> 2) << POSITION_SHIFT); }
  get centresY(): usize { return this.centresX + 16; }
  /** u64, one a target and block: Plane.perSample: bit quad·4 + pixel. At one sample 0. */
  get perSample(): usize { return this.centresY + 16; }
  /** The same: Plane.paired. */
  get paired(): usize { return this.perSample + MAX_COLOR_TARGETS * TILE_BLOCKS * 8; }
  /** SAMPLE POSITIONS of each layer. */
  get layerPositions(): usize { return this.paired + MAX_COLOR_TARGETS * TILE_BLOCKS * 8; }
  positionsOf(index: usize): SamplePositions {
    return changetype<SamplePositions>(this.layerPositions + index * sizeOf<SamplePositions>());
  }
  /**
   * u64 a block: quads that wait in the ordered packer, of a draw that reads what is there: bit quad, at one sample bit
   * 4·quad.
   */
  get claims(): usize { return this.layerPositions + 4 * sizeOf<SamplePositions>(); }
  get setRoom(): SetRoom { return changetype<SetRoom>(this.claims + TILE_BLOCKS * 8); }
  /** Quads that may not be in the ordered packer's warp, of a draw without order; and their claims. */
  get held(): Packer { return changetype<Packer>((changetype<usize>(this.setRoom) + sizeOf<SetRoom>() + 15) & ~15); }
  get heldClaims(): usize { return changetype<usize>(this.held) + sizeOf<Packer>(); }
  get past(): usize { return (this.heldClaims + TILE_BLOCKS * 8 + 63) & ~63; }
}
