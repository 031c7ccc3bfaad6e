// PARKED WARPS of a tile (warp.ts): what each is run from again, in the order in which they were put aside.
//
//   fields │ PACKER: the entries of the one that is run again │ PACKER: some of them │ PARKED WARP │ PARKED WARP │ …
//                                                                fields, PACKER with no more entries than it has

import { WARP_QUADS } from './limits';
import { Packer } from './packer';
import { pastFields } from './record';
import { PageEntry } from './texture-stream';

@unmanaged
export class ParkedWarp {
  /** The tile's blocks in which it has entries: bit block. */
  blocks: u64;
  /** A page that it has read and that was not there; 0: none. */
  page: PageEntry;
  /** The warps that the statistics had counted. */
  since: u32;
  /** All of it, a multiple of 8. */
  length: u32;
  get packer(): Packer { return changetype<Packer>(pastFields(this)); }
  get past(): usize { return this.packer.past; }
}

@unmanaged
export class ParkedWarps {
  /** Those of all of them. */
  blocks: u64;
  /** Bytes that they take, and may take. */
  taken: u32;
  room: u32;
  /** 1: one of them is run again. */
  runs: i32;
  /** With room for pixels. */
  get packer(): Packer { return changetype<Packer>(pastFields(this)); }
  /** The quads that a warp puts aside of those that it was run on. */
  get rest(): Packer { return changetype<Packer>(this.packer.entry(4 * WARP_QUADS)); }
  get past(): usize { return this.rest.past; }
}
