// PACKER: quads of one draw call on their way into a warp, and its entries.
//
//   draw, count, kind │ ENTRY │ ENTRY │ …

import { Draw } from '../pass/draw';
import { WARP_QUADS } from '../limits';
import { pastFields, sizeOf } from '../record';
import { Triangle } from '../pass/triangle';

/** ENTRY: one quad or pixel of a triangle. */
@unmanaged
export class Entry {
  /** The triangle of a quad, or of a pixel (PACKER_PIXELS). */
  triangle: Triangle;
  /** block·16 + quad; with PACKER_PIXELS (block·16 + quad)·4 + pixel. */
  index: u16;
  /** The sample that is shaded, if there is one invocation per sample; else -1. */
  only: i8;
  /** Coverage: bit pixel·samples + sample; with layers, 16 bits per layer. PACKER_PIXELS: bit per sample. */
  mask: u64;


  @inline get quad(): i32 {
    return this.index;
  }


  @inline get pixel(): i32 {
    return this.index;
  }


  @inline get sample(): i32 {
    return this.only;
  }
  /** Writes the entry as two words; `head` comes from entryHead. */
  @inline put(head: u64, mask: u64): void {
    store<u64>(changetype<usize>(this), head);
    this.mask = mask;
  }
}
/** The part of an entry that is not coverage. */
export function entryHead(triangle: Triangle, index: i32, sample: i32): u64 {
  return (<u64>changetype<usize>(triangle)) | ((<u64>index) << 32) | ((<u64>(sample & 0xff)) << 48);
}

/** PACKER: see the top of the file. */
@unmanaged
export class Packer {
  draw: Draw;
  count: i32;
  /** PACKER_*: what the entries are. */
  kind: i32;
  /**
   * Deferred packers of quads: address of the slot's packer of pixels; 0 if the shader takes derivatives and needs
   * whole quads.
   */
  free: Packer;
  /**
   * 1: the entries are pixels that hold several values, for a shader that loops over them (fragment/divided-pixels.ts).
   */
  divided: i32;
  /** Address of the texels of PACKER_TEXELS. */
  texels: usize;
  get entries(): usize {
    return pastFields(this);
  }
  entry(index: usize): Entry {
    return changetype<Entry>(this.entries + index * sizeOf<Entry>());
  }
  get past(): usize {
    return this.entries + WARP_QUADS * sizeOf<Entry>();
  }
}
