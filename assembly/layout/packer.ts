// PACKER: quads of one draw on their way into a warp, and its entries.
//
//   draw, count, kind │ ENTRY │ ENTRY │ …

import { Draw } from './draw';
import { WARP_QUADS } from './limits';
import { Triangle } from './triangle';

@unmanaged
export class Entry {
  /** ENTRY: a quad of a triangle, or (PACKER_PIXELS) a pixel. */
  triangle: Triangle;
  /** block·16 + quad. */
  quad: i32;
  /** Bit pixel·samples + sample; PACKER_PIXELS: bit sample. With layers: 16 bits of layer 0, then 16 of layer 1; those of layers 2 and 3 in Tile.upperMasks. */
  mask: u32;
  /** Sample that is shaded, where there is one invocation a sample; else -1. */
  sample: i32;
}
export const ENTRY_BYTES: usize = offsetof<Entry>();

@unmanaged
export class Packer {
  /** PACKER: quads of one draw on their way into a warp. */
  draw: Draw;
  count: i32;
  /** PACKER_QUADS, PACKER_BLOCK, PACKER_PIXELS or PACKER_SAME: what the entries are. */
  kind: i32;
  /** Deferred packers of quads: address of the slot's packer of pixels, 0 where the program takes derivatives and wants whole quads. */
  free: Packer;
  get entries(): usize { return changetype<usize>(this) + PACKER_ENTRIES; }
  entry(index: usize): Entry { return changetype<Entry>(changetype<usize>(this) + PACKER_ENTRIES + index * ENTRY_BYTES); }
}
export const PACKER_ENTRIES: usize = (offsetof<Packer>() + 15) & ~15;
export const PACKER_BYTES: usize = PACKER_ENTRIES + WARP_QUADS * ENTRY_BYTES;
