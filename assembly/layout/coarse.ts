// COARSE: what a tile context has for draws with shading rates (shading-rate.ts): packers of coarse pixels, and the
// quads that their results are spread to.
//
//   COARSE │ quads being gathered │ lanes of a block │ lanes that were discarded │ registers │ COARSE PACKER …
//
// A coarse packer has the threads of one rate and, of draws that are shaded alike, an entry for each 2×2 coarse pixels
// (PACKER_QUADS) or for each coarse pixel alone (PACKER_PIXELS). An entry's index is that of its first fine quad (or
// pixel); its mask has a bit a lane that stands for a visible pixel. Behind the entries lie FINE ENTRIES: the quads of
// pixels that they stand for, with coverage as any packer's entries have it. When the warp has been run, its results go
// into registers as these quads want them, sixteen at a time, and on to output.

import { MAX_COLOR_TARGETS, WARP_QUADS } from './limits';
import { Packer } from './packer';
import { pastFields, sizeOf } from './record';
import { Triangle } from './triangle';

export const COARSE_PACKERS = 8;
/** Blocks of a triangle of which quads are gathered at a time: a box of up to 8×8 pixels meets as many. */
export const GATHER_BLOCKS = 4;
/** At most: all channels of all targets, depth and sample mask. */
export const SPREAD_REGISTERS = MAX_COLOR_TARGETS * 4 + 2;
/** A warp of coarse pixels has at most so many quads: 16 groups of 4×4, or 64 single ones of 2×2 each. */
export const FINE_ENTRIES = 256;
/**
 * Where the lanes of a fine quad come from (the upper 16 bits of an entry's head): from lanes of a group of four, each
 * from its own column (row), or all from column (row) 0 or 1: 0, 1 or 2, of rows times 4.
 */
export const SOURCE_GROUP = 15;
export const SOURCE_PATTERN_SHIFT = 4;
/** The first of the 16 quads of a block, whose samples are all covered. */
export const SOURCE_BLOCK = 256;

@unmanaged
export class FineEntry {
  head: u64;
  mask: u64;
  @inline get source(): i32 { return <i32>(this.head >> 48); }
  @inline put(triangle: Triangle, quad: i32, source: i32, mask: u64): void {
    this.head = <u64>changetype<usize>(triangle) | <u64>quad << 32 | <u64>source << 48;
    this.mask = mask;
  }
}

/** What a triangle has of a block at one rate, while it is packed. */
@unmanaged
export class CoarsePart {
  triangle: Triangle;
  block: i32;
  /** Bit quad; and a u64 each, by the quad's number: its samples. */
  quads: i32;
  masks: usize;
  rate: i32;
  /** 1: all samples of the block. */
  whole: i32;
}

@unmanaged
export class CoarsePacker {
  rate: i32;
  fineCount: i32;
  /** 1: of a draw that is shaded in order. */
  ordered: i32;
  /** Of such, the areas that its entries touch: bit block·4 + area of 256. */
  get areas(): usize { return pastFields(this); }
  get packer(): Packer { return changetype<Packer>(this.areas + 32); }
  get fine(): usize {
    return changetype<usize>(this.packer) + changetype<usize>(changetype<Packer>(0).entry(4 * WARP_QUADS));
  }
  fineEntry(index: usize): FineEntry { return changetype<FineEntry>(this.fine + index * sizeOf<FineEntry>()); }
  get past(): usize { return this.fine + FINE_ENTRIES * sizeOf<FineEntry>(); }
}

@unmanaged
export class Coarse {
  /** The packer to be emptied next when all are taken. */
  next: i32;
  /** The triangle whose quads are being gathered, of a draw that is shaded in order; 0: none. */
  gathered: Triangle;
  /** i32 each: which blocks they lie in; -1: none. */
  get blocks(): usize { return pastFields(this); }
  /** For each of these, a quad's mask each. */
  get masks(): usize { return this.blocks + GATHER_BLOCKS * 4; }
  masksOf(index: i32): usize { return this.masks + index * (WARP_QUADS * 8); }
  /** Masks of the quads of a block that are packed now: of one triangle, shaded later. */
  get own(): usize { return this.masks + GATHER_BLOCKS * (WARP_QUADS * 8); }
  /** u8 each: of the coarse quads of a block, the lanes that are wanted, and where in its packer each begins. */
  get lanes(): usize { return this.own + WARP_QUADS * 8; }
  get part(): CoarsePart { return changetype<CoarsePart>(this.areas + 32); }
  get begins(): usize { return this.lanes + WARP_QUADS; }
  /** Areas that the entries of the tile's ordered packer touch, of draws with rates. */
  get areas(): usize { return this.begins + WARP_QUADS; }
  /** Warp.killed of coarse pixels. */
  get killed(): usize { return changetype<usize>(this.part) + ((sizeOf<CoarsePart>() + 15) & ~15); }
  /** Pixels of stages behind coarse ones, of quads of which they do not stand for all (coarse-stages.ts). */
  get singles(): Packer { return changetype<Packer>(this.registers + SPREAD_REGISTERS * 256); }
  /** x and y of the centroids of four coarse pixels. */
  get centroids(): usize { return this.killed + WARP_QUADS * 16; }
  /** Results as quads have them. */
  get registers(): usize { return this.centroids + 32; }
  get packers(): usize {
    return changetype<usize>(this.singles) + changetype<usize>(changetype<Packer>(0).entry(4 * WARP_QUADS));
  }
  packer(index: usize): CoarsePacker {
    return changetype<CoarsePacker>(this.packers + index * sizeOf<CoarsePacker>());
  }
  get past(): usize { return this.packers + COARSE_PACKERS * sizeOf<CoarsePacker>(); }
}
