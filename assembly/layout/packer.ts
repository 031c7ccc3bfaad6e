// PACKER: quads of one draw on their way into a warp, and its entries.
//
//   draw, count, kind │ ENTRY │ ENTRY │ …

import { Draw } from './draw';
import { WARP_QUADS } from './limits';
import { pastFields, sizeOf } from './record';
import { Triangle } from './triangle';

@unmanaged
export class Entry {
  /** The triangle of a quad, or (PACKER_PIXELS) of a pixel. */
  triangle: Triangle;
  /** block·16 + quad; PACKER_PIXELS: (block·16 + quad)·4 + pixel. */
  index: u16;
  /** Sample that is shaded, where there is one invocation a sample; else -1. */
  only: i8;
  /** Coverage: bit pixel·samples + sample, with layers 16 bits a layer; PACKER_PIXELS: bit sample. */
  mask: u64;
  @inline get quad(): i32 { return this.index; }
  @inline get pixel(): i32 { return this.index; }
  @inline get sample(): i32 { return this.only; }
  /** Writes all of it, two words at a time; `head`: entryHead. */
  @inline put(head: u64, mask: u64): void {
    store<u64>(changetype<usize>(this), head);
    this.mask = mask;
  }
}
/** What of an entry is not coverage. */
export function entryHead(triangle: Triangle, index: i32, sample: i32): u64 {
  return <u64>changetype<usize>(triangle) | <u64>index << 32 | <u64>(sample & 0xff) << 48;
}

@unmanaged
export class Packer {
  /** PACKER: quads of one draw on their way into a warp. */
  draw: Draw;
  count: i32;
  /** PACKER_QUADS, PACKER_BLOCK, PACKER_PIXELS or PACKER_SAME: what the entries are. */
  kind: i32;
  /**
   * Deferred packers of quads: address of the slot's packer of pixels, 0 where the program takes derivatives and wants
   * whole quads.
   */
  free: Packer;
  /** 1: of pixels that hold several values where the program comes back to them (fragment/divided.ts). */
  divided: i32;
  get entries(): usize { return pastFields(this); }
  entry(index: usize): Entry { return changetype<Entry>(this.entries + index * sizeOf<Entry>()); }
  get past(): usize { return this.entries + WARP_QUADS * sizeOf<Entry>(); }
}
