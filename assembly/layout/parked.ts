// PARKED WARPS of a tile (warp.ts): what each is run from again, in the order in which they were put aside.
//
//   fields │ PACKER: the entries of the one that is run again │ PACKER: some of them │ STOPPED WARP │ scoreboard
//   │ code │ PARKED WARP │ PARKED WARP │ …
//     fields, PACKER with no more entries than it has │ STOPPED WARP │ of its quads, 16 bytes each, lanes that run and
//                                                       those discarded (Warp.exec, Warp.killed), and of each register
//                                                       but constants and uniforms: of those that stop

import { WARP_QUADS } from './limits';
import { Packer } from './packer';
import { pastFields } from './record';
import { PageEntry } from './texture-stream';
import { MOST_PENDING, RUN_ON_BYTES, SCOREBOARD_BITS } from './warp-codes';

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
  /** 1: it has been run up to where it stopped. */
  stopped: u32;
  /** 1: nobody may overtake it in its blocks; 0: others without order may. */
  ordered: u32;
  get packer(): Packer { return changetype<Packer>(pastFields(this)); }
  get past(): usize { return this.packer.past; }
}

/** STOPPED WARP: where a program stopped, and why. */
@unmanaged
export class StoppedWarp {
  /** The instruction with which it goes on. */
  code: usize;
  /** Texture reads that are pending. */
  count: u32;
  /** Their addresses. */
  get pending(): usize { return pastFields(this); }
  get past(): usize { return this.pending + 4 * MOST_PENDING; }
}

@unmanaged
export class ParkedWarps {
  /** Those of all of them; of those that nobody may overtake in their blocks. */
  blocks: u64;
  ordered: u64;
  /** Bytes that they take, and may take. */
  taken: u32;
  room: u32;
  /** 1: one of them is run again. */
  runs: i32;
  /** That one. */
  again: ParkedWarp;
  /** 1: the warp that was run last has stopped, as `stop` says. */
  hasStopped: i32;
  /** 1: quads go together that take turns elsewhere (PROGRAM_FLAG_TURNS), since pages are not there. */
  synchronises: u32;
  /** Bytes that may be needed at once: for what comes of a triangle, and what packers hold (Misses.keeps). */
  least: u32;
  /** With room for pixels. */
  get packer(): Packer { return changetype<Packer>(pastFields(this)); }
  /** The quads that a warp puts aside of those that it was run on. */
  get rest(): Packer { return changetype<Packer>(this.packer.entry(4 * WARP_QUADS)); }
  /** Of the warp that is run, and which registers its pending reads name. */
  get stop(): StoppedWarp { return changetype<StoppedWarp>(this.rest.past); }
  get scoreboard(): usize { return this.stop.past; }
  /** Instructions that it runs on, and an end. */
  get code(): usize { return this.scoreboard + (SCOREBOARD_BITS >> 3); }
  get past(): usize { return this.code + RUN_ON_BYTES + 16; }
}
