// COARSE: state of a tile context for draw calls with shading rates (shading-rate.ts): packers of coarse pixels, and
// the quads over which their results are spread.
//
//   COARSE │ quads being gathered │ lanes of a block │ lanes that were discarded │ registers │ COARSE PACKER …
//
// A coarse packer holds the coarse pixels of one rate, for draw calls that are shaded alike. It has an entry for each
// 2×2 coarse pixels (PACKER_QUADS) or for each single coarse pixel (PACKER_PIXELS). An entry's index is that of its
// first fine quad (or pixel). Its mask has a bit for each lane that stands for a visible pixel. The entries are
// followed by FINE ENTRIES: the quads of pixels that the entries stand for, with coverage as in the entries of any
// packer. When the warp has run, its results are copied to registers in the order of these quads, sixteen quads at a
// time, and passed to output.

import { MAX_COLOR_TARGETS, TILE_BLOCKS, WARP_QUADS } from '../limits';
import { Packer } from '../warp/packer';
import { CHANNELS, LANES, pastFields, QUAD_VECTORS_BYTES, sizeOf, VECTOR_BYTES, VECTOR_PAD } from '../record';
import { Triangle } from '../pass/triangle';
import { BLOCK_AREAS } from '../pass/shading-rate-codes';
import { PACKER_QUADS } from './tile-codes';

/** Number of coarse packers of a tile. */
export const COARSE_PACKERS = 8;
/**
 * Number of blocks in which quads of a triangle are gathered at a time. A box of up to 8×8 pixels touches up to four.
 */
export const GATHER_BLOCKS = 4;
/** Maximum number of results: all channels of all targets, depth and sample mask. */
const SPREAD_REGISTERS = MAX_COLOR_TARGETS * CHANNELS + 2;
/**
 * Maximum number of fine quads of a coarse warp: 16 groups of 4×4 quads, or 64 single coarse pixels of 2×2 quads each.
 */
const FINE_ENTRIES = 256;
/**
 * Where the lanes of a fine quad come from (the upper 16 bits of an entry's head). The low four bits are the group of
 * four lanes. The pattern above them has two bits for columns and two for rows. 0: each lane takes its own column
 * (row); 1 or 2: all lanes take column (row) 0 or 1.
 */
export const SOURCE_GROUP = 15;
export const SOURCE_PATTERN_SHIFT = 4;
/** Marks the first of the 16 quads of a block whose samples are all covered. */
export const SOURCE_BLOCK = 256;

/** Bits of FineEntry.head: the quad, and the source. */
// @ts-ignore: decorator
@inline const QUAD_SHIFT: u64 = 32;
// @ts-ignore: decorator
@inline const SOURCE_SHIFT: u64 = 48;
/** A bit for each area of a tile. */
// @ts-ignore: decorator
@inline const AREA_BYTES = (TILE_BLOCKS * BLOCK_AREAS) >> 3;
/** v128 of Coarse.centroids: x and y. */
const CENTROID_VECTORS = 2;
// @ts-ignore: decorator
@inline const CENTROIDS_BYTES = CENTROID_VECTORS * VECTOR_BYTES;

/** FINE ENTRY: a quad of pixels, and the coarse lanes that its results come from. */
@unmanaged
export class FineEntry {
  head: u64;
  mask: u64;


  @inline get source(): i32 {
    return <i32>(this.head >> SOURCE_SHIFT);
  }


  @inline put(triangle: Triangle, quad: i32, source: i32, mask: u64): void {
    this.head = (<u64>changetype<usize>(triangle)) | ((<u64>quad) << QUAD_SHIFT) | ((<u64>source) << SOURCE_SHIFT);
    this.mask = mask;
  }
}

/** What a triangle covers of a block at one rate, while it is packed. */
@unmanaged
export class CoarsePart {
  triangle: Triangle;
  block: i32;
  /** Bit per quad; and a u64 for each quad, by its number: its samples. */
  quads: i32;
  masks: usize;
  rate: i32;
  /** 1: all samples of the block. */
  whole: i32;
}

/** COARSE PACKER: see the top of the file. */
@unmanaged
export class CoarsePacker {
  rate: i32;
  fineCount: i32;
  /** 1: the draw call is shaded in order. */
  ordered: i32;
  /** 1: entries have block masks (fragment/rates/pack-masks.ts) instead of fine entries. */
  hasMasks: i32;
  /** In order: the areas that its entries touch: bit block·4 + area of 256. */
  get areas(): usize {
    return pastFields(this);
  }
  get packer(): Packer {
    return changetype<Packer>(this.areas + AREA_BYTES);
  }
  get fine(): usize {
    return changetype<usize>(this.packer) + changetype<usize>(changetype<Packer>(0).entry(LANES * WARP_QUADS));
  }
  fineEntry(index: usize): FineEntry {
    return changetype<FineEntry>(this.fine + index * sizeOf<FineEntry>());
  }
  /** u64 per entry, in place of fine entries: the pixels of a block (bit quad·4 + pixel) that receive its results. */
  get masks(): usize {
    return this.fine;
  }
  mask(index: usize): u64 {
    return load<u64>(this.masks + index * sizeof<u64>());
  }
  /** Adds an entry with a block mask. */
  @inline putMask(head: u64, wanted: u64, pixels: u64): void {
    const packer = this.packer;
    const count = packer.count;
    packer.entry(count).put(head, wanted);
    store<u64>(this.masks + count * sizeof<u64>(), pixels);
    packer.count = count + 1;
  }
  get past(): usize {
    return this.fine + FINE_ENTRIES * sizeOf<FineEntry>();
  }
}

/** COARSE: see the top of the file. */
@unmanaged
export class Coarse {
  /** The packer to be emptied next when all are taken. */
  next: i32;
  /** The triangle whose quads are being gathered, of a draw call that is shaded in order; 0: none. */
  gathered: Triangle;
  /** The packers of coarse quads and of coarse pixels that were used last for entries with block masks; 0: none. */
  lastQuads: CoarsePacker;
  lastPixels: CoarsePacker;


  @inline last(kind: i32): CoarsePacker {
    return kind == PACKER_QUADS ? this.lastQuads : this.lastPixels;
  }
  setLast(kind: i32, packer: CoarsePacker): void {
    if (kind == PACKER_QUADS) this.lastQuads = packer;
    else this.lastPixels = packer;
  }
  /** GATHER_BLOCKS i32: the blocks that contain these quads; -1: none. */
  get blocks(): usize {
    return pastFields(this);
  }
  /** For each of these blocks, a mask for each quad. */
  get masks(): usize {
    return this.blocks + GATHER_BLOCKS * sizeof<i32>();
  }
  masksOf(index: i32): usize {
    return this.masks + index * (WARP_QUADS * sizeof<u64>());
  }
  /** Masks of the quads of a block that are being packed, of one triangle that is deferred. */
  get own(): usize {
    return this.masks + GATHER_BLOCKS * (WARP_QUADS * sizeof<u64>());
  }
  /** u8 each, for the coarse quads of a block: the lanes that are wanted, and where in its packer each begins. */
  get lanes(): usize {
    return this.own + WARP_QUADS * sizeof<u64>();
  }
  get part(): CoarsePart {
    return changetype<CoarsePart>(this.areas + AREA_BYTES);
  }
  get begins(): usize {
    return this.lanes + WARP_QUADS;
  }
  /** Areas that the entries of the tile's ordered packer touch, for draw calls with rates. */
  get areas(): usize {
    return this.begins + WARP_QUADS;
  }
  /** Warp.killed of coarse pixels. */
  get killed(): usize {
    return changetype<usize>(this.part) + ((sizeOf<CoarsePart>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  /** Pixels for stages that follow coarse ones, from quads that are not entirely represented (coarse-stages.ts). */
  get singles(): Packer {
    return changetype<Packer>(this.registers + SPREAD_REGISTERS * QUAD_VECTORS_BYTES);
  }
  /** x and y of the centroids of four coarse pixels. */
  get centroids(): usize {
    return this.killed + WARP_QUADS * VECTOR_BYTES;
  }
  /** Results in the order of fine quads. */
  get registers(): usize {
    return this.centroids + CENTROIDS_BYTES;
  }
  get packers(): usize {
    return changetype<usize>(this.singles) + changetype<usize>(changetype<Packer>(0).entry(LANES * WARP_QUADS));
  }
  packer(index: usize): CoarsePacker {
    return changetype<CoarsePacker>(this.packers + index * sizeOf<CoarsePacker>());
  }
  get past(): usize {
    return this.packers + COARSE_PACKERS * sizeOf<CoarsePacker>();
  }
}
