// TILE CONTEXT: everything that a worker needs to run one tile. The record comes first, then the planes, 16-byte
// aligned.
//
//   fields │ edges │ pending quads │ depth terms │ packers │ block states │ offsets
//   │ output scratch │ pixel packers │ edge terms │ work items │ ids, depth, stencil, colours
//   (order: tile-order.ts)
//
// For every sample, the ids plane holds the address of the TRIANGLE whose colour is still to be computed, or 0. The
// state of an 8×8 block can replace what a plane holds for the block. The plane's bytes for that block are then
// undefined until something needs them sample by sample:
//   ids      Tile.blockIds: one triangle for all samples
//   depth    DepthBlock.source: the clear value, or the plane of one triangle. Bounds of the depths hold in every state
//   stencil  Tile.stencilBlocks: one value for all samples
//   colour   Tile.colorBlocks: clear. Otherwise Tile.perSample, per pixel: one texel for all samples, or two

import { Coarse } from './coarse';
import { Draw } from '../pass/draw';
import { BLOCK_SIZE, MAX_COLOR_TARGETS, TILE_BLOCKS, TILE_SIZE, WARP_QUADS } from '../limits';
import { LoadStoreUnit } from '../surface/load-store-unit';
import { OutputScratch } from './output-scratch';
import { Entry, Packer } from '../warp/packer';
import { ParkedWarps } from '../late/parked';
import { BinBlock, Pass } from '../pass/pass';
import { MAX_LAYERS, Plane } from '../surface/plane';
import { LANES, LANES_BYTES, LANES_SHIFT, LINE_PAD, pastFields, sizeOf, VECTOR_BYTES, VECTOR_PAD } from '../record';
import { SetRoom } from './sample-sets';
import { Staging } from '../surface/surface';
import { COVER_SHIFT, DEFERRED_PACKERS, UNORDERED_PACKERS, POSITION_SHIFT } from './tile-codes';
import { TILE_PIXELS } from '../surface/tile-order';
import { EDGES, Triangle } from '../pass/triangle';
import { Warp, WarpPool } from '../warp/warp';
import { WorkItem } from './work';

/**
 * One edge of the current triangle, relative to the tile's corner. Units: a pixel at one sample, a sixteenth of a pixel
 * at four and more.
 */
@unmanaged
export class TileEdge {
  /** Value at the corner; minimum and maximum that a block's samples add to the value at the block's corner. */
  value: i64;
  minDelta: i64;
  maxDelta: i64;
  /** Steps in x and y. */
  a: i32;
  b: i32;
}

/**
 * Edges of the current triangle for raster/walk-lanes.ts, 16 bytes per field. Each edge is in one lane; the fourth
 * lane is 0.
 */
@unmanaged
export class EdgeWalk {
  /**
   * Value at the corner of the tile's first block in the box; steps from block to block; minimum and maximum that a
   * block's samples add.
   */
  get value(): usize {
    return changetype<usize>(this);
  }
  get stepX(): usize {
    return this.value + VECTOR_BYTES;
  }
  get stepY(): usize {
    return this.stepX + VECTOR_BYTES;
  }
  get minDelta(): usize {
    return this.stepY + VECTOR_BYTES;
  }
  get maxDelta(): usize {
    return this.minDelta + VECTOR_BYTES;
  }
  /** Value at the corner of the current block. */
  get now(): usize {
    return this.maxDelta + VECTOR_BYTES;
  }
  get past(): usize {
    return this.now + VECTOR_BYTES;
  }
}

/** What an edge adds from sample to sample and from quad to quad, at four samples. A v128 per field unless noted. */
@unmanaged
export class EdgeTerms {
  /** What the samples of a quad's four pixels add to the value at the quad's corner, a v128 per pixel. */
  get samples(): usize {
    return changetype<usize>(this);
  }
  /** What four quads side by side add to the value at the block's corner. */
  get quads(): usize {
    return this.samples + LANES * VECTOR_BYTES;
  }
  /** The step to the quads below. */
  get below(): usize {
    return this.quads + VECTOR_BYTES;
  }
  /** Minimum and maximum that a quad's samples add. */
  get minDelta(): usize {
    return this.below + VECTOR_BYTES;
  }
  get maxDelta(): usize {
    return this.minDelta + VECTOR_BYTES;
  }
  get past(): usize {
    return this.maxDelta + VECTOR_BYTES;
  }
}

/** SAMPLE POSITIONS: the four samples of a layer within a pixel. */
@unmanaged
export class SamplePositions {
  /** f32x4 in pixels: x, then y. */
  get x(): usize {
    return changetype<usize>(this);
  }
  get y(): usize {
    return this.x + VECTOR_BYTES;
  }
  /** i32x4 in sixteenths of a pixel: x, then y. */
  get x16(): usize {
    return this.y + VECTOR_BYTES;
  }
  get y16(): usize {
    return this.x16 + VECTOR_BYTES;
  }
  get past(): usize {
    return this.y16 + VECTOR_BYTES;
  }
}

/** For one quad of a warp, a v128 each: distance from the triangle's origin, and w. */
@unmanaged
export class WarpOffset {
  get dx(): usize {
    return changetype<usize>(this);
  }
  get dy(): usize {
    return this.dx + VECTOR_BYTES;
  }
  get w(): usize {
    return this.dy + VECTOR_BYTES;
  }
  get past(): usize {
    return this.w + VECTOR_BYTES;
  }
}

/** In a warp of single pixels: the group of four lanes that is being interpolated. Located at Tile.offsets. */
@unmanaged
export class PixelGroup {
  /** The group's first entry; address of the group's part of register 0; Draw.planeStride. */
  entry: Entry;
  out: usize;
  stride: usize;
  /** Four registers before they are transposed. */
  get columns(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.columns + LANES_BYTES;
  }
  /** Triangle of one lane. */
  triangle(lane: usize): Triangle {
    return changetype<Entry>(changetype<usize>(this.entry) + lane * sizeOf<Entry>()).triangle;
  }
}

/** DEPTH BLOCK: what is known about the depths of an 8×8 block. */
@unmanaged
export class DepthBlock {
  /** No stored depth is less than `low` or greater than `high`. */
  low: f32;
  high: f32;
  /** DEPTH_STORED, DEPTH_CLEAR (all samples hold `low`), or the triangle whose plane gives all depths. */
  source: u32;
  /**
   * Pixels written since `low` and `high` were last computed from the stored depths. The highest bit is set if they
   * ever were (tile/depth-blocks.ts).
   */
  writes: u32;
}

/** Columns of a block, and rows. */
// @ts-ignore: decorator
@inline const BLOCK_COLUMNS = BLOCK_SIZE;
/** Columns of quads of a tile. */
// @ts-ignore: decorator
@inline const QUAD_COLUMNS = TILE_SIZE >> 1;

/** TILE CONTEXT: see the top of the file. */
@unmanaged
export class Tile {
  pass: Pass;
  /** While the tile runs: the pool of its warps, and the warp that is bound and run next. */
  pool: WarpPool;
  warp: Warp;
  /** Copies of the warp's `registers` and `bound`, which are read for every warp. They save an indirection. */
  registers: usize;
  bound: usize;
  /** Number of parked warps of the tile. */
  parkedCount: u32;
  /** PARKED WARPS of the tile; 0: its warps cannot be parked. */
  parked: ParkedWarps;
  /** 1: warps that read non-resident pages are parked; 0: the tile is replayed instead. */
  parks: i32;
  /** 1: the walk has stopped until the parked warps are resumed (Misses.keepsProgress). */
  stalls: i32;
  /** Samples per pixel of a layer: 1 at one sample per pixel, else 4 (tile-order.ts). */
  layerSamples: i32;
  /** Number of the tile in the pass, row by row. */
  number: i32;
  /** The tile's upper left corner in pixels, and its extent within the pass. */
  x: i32;
  y: i32;
  width: i32;
  height: i32;
  /**
   * Addresses of the first layer of the planes: depth (f32), ids (u32) and stencil (u8; 0 without stencil). Colour
   * planes are at Tile.planes.
   */
  depth: usize;
  ids: usize;
  stencil: usize;
  /** The draw call from which the fields up to Tile.depth16 were derived; 0: none. */
  draw: Draw;
  /** MODE_*. */
  mode: i32;
  /** EARLY_*. */
  early: i32;
  /** All ones where a depth that is less than, equal to or greater than the stored one passes; else 0. */
  less: i32;
  equal: i32;
  greater: i32;
  depthWrite: i32;
  /** 1: depth is rounded to 16-bit unorm before it is compared and stored. */
  depth16: i32;
  /** The packer of quads of the deferred slot that was used last. */
  packerLast: Packer;
  /** Number of the deferred slot to be emptied next when all are taken. */
  packerNext: i32;
  /** 0: the deferred packers are empty. */
  holdsDeferred: i32;
  /** Box of the current triangle within the tile, in pixels. */
  boxX0: i32;
  boxY0: i32;
  boxX1: i32;
  boxY1: i32;
  /** The pipeline's sample mask for a quad: 4 bits at one sample, else 16 per layer. */
  sampleMask: u64;
  /** Bounds of the current triangle's depth in the current block. */
  depthLow: f32;
  depthHigh: f32;
  /** TILE_PHASE_*: which phase of the tile is in progress. */
  phase: i32;
  /** Where the walk of the tile's lists continues: the list block and the entry in it (list: Tile.cursorList). */
  cursorBlock: BinBlock;
  cursorEntry: u32;
  /**
   * 1: the draw call is deferred, compares with LESS and writes depth. Most draw calls are like this, and the inner
   * loops are specialised for them.
   */
  defersLess: i32;
  /**
   * With STAT_FLAG_BLOCKS: bit per block, set for blocks that a single triangle covered when the tile's flush began.
   */
  planeBlocks: u64;
  cursorList: u32;
  /**
   * 1: the draw call is shaded in order, and a block that passes by its bounds goes straight to the packer
   * (fragment/pack-items.ts).
   */
  packsWholeBlocks: i32;
  /** Count of quads with a visible sample when the walk reached a draw call with a query (loop/query.ts). */
  queryBase: u32;
  /** Samples per pixel: 1, 2, 4, 8 or 16. */
  samples: i32;
  /** Layers: 1, 2 or 4. Plane addresses are those of the first layer. */
  layers: i32;
  /** 1: a pixel whose samples are equal holds one texel (Tile.perSample). 0: each sample always has its own. */
  encodes: i32;
  /** While the tile is being finished: number of colour targets that are already stored and resolved. */
  finished: i32;
  /** LSU record (load-store-unit.ts); 0 in a pass whose shaders access no multisampled storage textures. */
  loadStoreUnit: LoadStoreUnit;
  /** State of draw calls with shading rates (coarse.ts); 0 in a pass that has none. */
  coarse: Coarse;
  /** Pixels of a block whose quads are not held back (fragment/pack-items.ts): bit quad·4 + pixel. */
  uncovered: u64;
  /** 1: Tile.claims may not be empty. */
  hasClaims: i32;
  /** Code of the rate at which the current warp runs (shading-rate-codes.ts); RATE_1X1 between warps. */
  rate: i32;
  /** Multisampled: address of a STAGING (surface.ts), through which planes are loaded from and stored to surfaces. */
  staging: Staging;
  /**
   * Packer for quads of the draw call being walked, if it is shaded in order: inOrderPacker, or an independent packer.
   */
  orderedPacker: Packer;
  /** Bit per independent packer in which quads wait (fragment/unordered.ts). */
  holdsUnordered: i32;
  /** The independent packer to be emptied next. */
  unorderedNext: u32;
  /** STATUS_* from helpers whose return value is not a status. */
  status: i32;
  /** While the tile is shared (share.ts): the block that this worker was last in, or -1. */
  shareBlock: i32;
  /** Shared out of order: bit per block that the current packet has not been drawn in yet. */
  packetBlocks: u64;
  /** Shared out of order: number of the current packet's first triangle, and its place in the lists. */
  packetFirst: u32;
  packetList: u32;
  packetBlock: BinBlock;
  packetEntry: u32;
  /** Box of the pixels that are drawn, relative to the tile's corner. */
  partX0: i32;
  partY0: i32;
  partX1: i32;
  partY1: i32;
  /** 1: only this box and only some entries of the lists are drawn (LateWork.part). 0: the box is the whole tile. */
  isPart: i32;
  /** LateWork.first and LateWork.end. */
  partFirst: u32;
  partEnd: u32;
  /** LateWork.entryCount and LateWork.byQuads. */
  entryCount: u32;
  byQuads: u32;
  /** Where the walk of a part ends; 0: at the end of the lists. */
  endBlock: BinBlock;
  endEntry: u32;
  /** LateWork.maxResumedEntries and LateWork.warpsCompleted. */
  maxResumedEntries: u32;
  warpsCompleted: u32;
  /** The queue of work items: past its last item, where rasterisation writes the next one. */
  workEnd: WorkItem;
  /** WorkItem.samples of the item that is being written or processed. */
  cover: usize;
  /** One sample: bit per block that was loaded with one depth (tile/depth-rows.ts). */
  flatDepths: u64;
  /** Makes a warp the one that is bound and run next. */
  use(warp: Warp): void {
    this.warp = warp;
    this.registers = warp.registers;
    this.bound = warp.bound;
  }
  /** PLANE records of the colour targets; `samples` is 0 for holes. */
  get planes(): usize {
    return pastFields(this);
  }
  plane(index: usize): Plane {
    return changetype<Plane>(this.planes + index * sizeOf<Plane>());
  }
  /** A TILE EDGE for each edge. */
  get edges(): usize {
    return this.planes + ((MAX_COLOR_TARGETS * sizeOf<Plane>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  edge(index: usize): TileEdge {
    return changetype<TileEdge>(this.edges + index * sizeOf<TileEdge>());
  }
  /** Tile.cover of a layer. */
  coverOf(layer: i32): usize {
    return this.cover + (layer << COVER_SHIFT);
  }
  /** u16 per block: quads that may hold ids. */
  get pending(): usize {
    return this.edges + EDGES * sizeOf<TileEdge>();
  }
  /** Depth terms of a block: a v128 for each column (of quads at one sample, of pixels at four) and row. */
  get columns(): usize {
    return this.pending + TILE_BLOCKS * sizeof<u16>();
  }
  get rows(): usize {
    return this.columns + BLOCK_COLUMNS * VECTOR_BYTES;
  }
  /** Scratch of resolve and of the oracle, 64 bytes. */
  get texels(): usize {
    return this.rows + BLOCK_COLUMNS * VECTOR_BYTES;
  }
  get walk(): EdgeWalk {
    return changetype<EdgeWalk>(this.texels + LANES_BYTES);
  }
  /** An EDGE TERMS record for each edge. */
  get terms(): usize {
    return changetype<usize>(this.walk) + sizeOf<EdgeWalk>();
  }
  edgeTerms(index: usize): EdgeTerms {
    return changetype<EdgeTerms>(this.terms + index * sizeOf<EdgeTerms>());
  }
  /**
   * Four samples: for each of the tile's 32 columns of quads, the samples that are inside the box and the edges along
   * its sides (a u16 per quad, as in Tile.cover). Then the same for its 32 rows of quads, repeated four times each.
   */
  get columnMasks(): usize {
    return this.terms + EDGES * sizeOf<EdgeTerms>();
  }
  get rowMasks(): usize {
    return this.columnMasks + QUAD_COLUMNS * sizeof<u16>();
  }
  get output(): OutputScratch {
    return changetype<OutputScratch>(this.rowMasks + ((QUAD_COLUMNS * sizeof<u64>() + VECTOR_PAD) & ~VECTOR_PAD));
  }
  /** Clear colours as texels, one per target, repeated to 16 bytes. */
  get clearTexels(): usize {
    return changetype<usize>(this.output) + sizeOf<OutputScratch>();
  }
  /**
   * u32 per block: the triangle whose id all samples hold, or 0 if the ids are in the plane. With a triangle, the
   * block's quads are pending and its part of the plane is 0.
   */
  get blockIds(): usize {
    return this.clearTexels + MAX_COLOR_TARGETS * VECTOR_BYTES;
  }
  /** A DEPTH BLOCK record per block. */
  get depthBlocks(): usize {
    return this.blockIds + TILE_BLOCKS * sizeof<u32>();
  }
  depthBlock(index: usize): DepthBlock {
    return changetype<DepthBlock>(this.depthBlocks + index * sizeOf<DepthBlock>());
  }
  /** For each of MAX_COLOR_TARGETS targets, a byte per block: COLOR_*. */
  get colorBlocks(): usize {
    return this.depthBlocks + TILE_BLOCKS * sizeOf<DepthBlock>();
  }
  /** u16 per block: the stencil value of all samples, or STENCIL_STORED. */
  get stencilBlocks(): usize {
    return this.colorBlocks + MAX_COLOR_TARGETS * TILE_BLOCKS;
  }
  /** DEFERRED_PACKERS packers of quads, then one for blocks that a single triangle covers. */
  get packers(): usize {
    return this.stencilBlocks + TILE_BLOCKS * sizeof<u16>();
  }
  packer(index: usize): Packer {
    return changetype<Packer>(this.packers + index * sizeOf<Packer>());
  }
  /**
   * DEFERRED_PACKERS packers of single pixels. Slot i consists of packer of quads i and packer of pixels i, for the
   * same draw calls.
   */
  get pixelPackers(): usize {
    return this.packers + (DEFERRED_PACKERS + 1) * sizeOf<Packer>();
  }
  /** A packer of pixels has one entry for each lane of a warp. */
  pixelPacker(slot: usize): Packer {
    const past = changetype<usize>(changetype<Packer>(0).entry(LANES * WARP_QUADS));
    return changetype<Packer>(this.pixelPackers + slot * past);
  }
  /** The packer for draw calls that are shaded in order. It has room for a block beyond a full warp. */
  get inOrderPacker(): Packer {
    return this.pixelPacker(DEFERRED_PACKERS);
  }
  /** UNORDERED_PACKERS packers for unordered draw calls, of the same size. */
  unorderedPacker(index: usize): Packer {
    const bytes = sizeOf<Packer>() + WARP_QUADS * sizeOf<Entry>();
    return changetype<Packer>(changetype<usize>(this.inOrderPacker) + (index + 1) * bytes);
  }
  /** A WARP OFFSET for each quad of a warp. */
  get offsets(): usize {
    return (changetype<usize>(this.unorderedPacker(UNORDERED_PACKERS)) + VECTOR_PAD) & ~VECTOR_PAD;
  }
  offset(index: usize): WarpOffset {
    return changetype<WarpOffset>(this.offsets + index * sizeOf<WarpOffset>());
  }
  /**
   * Two f32 for each quad of the tile: x and y of its first pixel, relative to the tile's corner. Compiled shaders read
   * them.
   */
  get quadPositions(): usize {
    return this.offsets + WARP_QUADS * sizeOf<WarpOffset>();
  }
  /**
   * f32x4 each: x and y of the centres of a quad's four pixels, for the quad at the tile's corner. While a coarse warp
   * runs, the centres of its coarse pixels.
   */
  get centresX(): usize {
    return this.quadPositions + ((TILE_PIXELS >> LANES_SHIFT) << POSITION_SHIFT);
  }
  get centresY(): usize {
    return this.centresX + VECTOR_BYTES;
  }
  /** u64 per target and block: Plane.perSample, bit quad·4 + pixel. 0 at one sample. */
  get perSample(): usize {
    return this.centresY + VECTOR_BYTES;
  }
  /** u64 per target and block: Plane.paired. */
  get paired(): usize {
    return this.perSample + MAX_COLOR_TARGETS * TILE_BLOCKS * sizeof<u64>();
  }
  /** u64 per target and block: Plane.listed. */
  get listed(): usize {
    return this.paired + MAX_COLOR_TARGETS * TILE_BLOCKS * sizeof<u64>();
  }
  /** SAMPLE POSITIONS of each layer. */
  get layerPositions(): usize {
    return this.listed + MAX_COLOR_TARGETS * TILE_BLOCKS * sizeof<u64>();
  }
  positionsOf(index: usize): SamplePositions {
    return changetype<SamplePositions>(this.layerPositions + index * sizeOf<SamplePositions>());
  }
  /**
   * Framebuffer fetch: u64 per block, the quads that wait in the ordered packer. Bit quad; at one sample, bit 4·quad.
   */
  get claims(): usize {
    return this.layerPositions + MAX_LAYERS * sizeOf<SamplePositions>();
  }
  get setRoom(): SetRoom {
    return changetype<SetRoom>(this.claims + TILE_BLOCKS * sizeof<u64>());
  }
  /**
   * Unordered framebuffer fetch: quads that must not join the ordered packer's warp, because it already contains a quad
   * at their position; and their claims.
   */
  get held(): Packer {
    return changetype<Packer>((changetype<usize>(this.setRoom) + sizeOf<SetRoom>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  get heldClaims(): usize {
    return changetype<usize>(this.held) + sizeOf<Packer>();
  }
  /**
   * The queue of work items of one triangle (work.ts), up to Tile.workEnd. It is last because asc adds offsets from
   * 1024 on at run time: teapots take 2 % longer if Tile.pending is behind it.
   */
  get work(): usize {
    return (this.heldClaims + TILE_BLOCKS * sizeof<u64>() + LINE_PAD) & ~LINE_PAD;
  }
  get past(): usize {
    return (this.work + TILE_BLOCKS * sizeOf<WorkItem>() + LINE_PAD) & ~LINE_PAD;
  }
}
