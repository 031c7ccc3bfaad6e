// SAMPLE SETS: a fragment program of which a part is run for sets of samples: those of a pixel of which all that the
// part reads is equal. One record a draw; the program is in one piece where pixels have one sample, else in two:
//
//   DRAW: the part of pixels, and in the same run that of a pixel's first set ── SAMPLE SETS ──> DRAW: further sets
//         (where sets differ by more than targets: the part of pixels alone)                       (or all of them)
//
// What the second part needs of the first are links: output registers of the one, input registers of the other. The
// second DRAW record is as the first, with registers of its own. Written by src/render (src/render/sample-sets.ts).
//
// SET ROOM: what a tile keeps while a warp of the first part is run, and then those of the second (fragment/sets.ts).
// Further sets may wait here for those of later warps (fragment/waiting.ts).
//
//   fields │ unread │ samples left │ from │ PACKER of further sets │ from │ lanes │ masks │ lanes │ claims │ results

import { Draw } from './draw';
import { MAX_COLOR_TARGETS, REGISTER_BYTES, TILE_BLOCKS, WARP_QUADS } from './limits';
import { Packer } from './packer';
import { Plane } from './plane';
import { pastFields } from './record';

@unmanaged
export class SampleSets {
  /** Of the second part; 0: the program is in one piece. */
  further: Draw;
  /** What tells samples apart besides targets, SETS_*; 0: nothing does. The first part then has no set. */
  apart: i32;
  /** First register of the first part's links, of the second part's, and how many there are. */
  linkFrom: i32;
  linkTo: i32;
  linkCount: i32;
  /** Results that both parts have, in the same order, each their first output registers. */
  results: i32;
  /**
   * Output register of the first part: lanes all ones where stages of pixels have discarded their pixel, or left no
   * sample of it; -1: they do not.
   */
  killedRegister: i32;
  /** The same: the samples that they leave, a mask; -1: all. Only where the first part has no set. */
  maskRegister: i32;
  /** 1: further sets go by quads (derivatives, late tests, targets that are blended), else one a lane. */
  byQuads: i32;
  /**
   * 1: the order shows in which the second part runs for the sets of a pixel. They go by quads then, which compiled
   * programs take one after the other; interpreted programs get one quad at a time.
   */
  takesTurns: i32;
  /** Dispatches that a part's results are, and registers of each, the last one its mask; 1, 0: it sends none. */
  dispatches: i32;
  dispatchStride: i32;
}

@unmanaged
export class SetRoom {
  /** Entries of the first part's packer with samples whose sets have not been run: bit entry. */
  some: u64;
  /** 1: the samples of the entry in hand are apart, whatever targets hold. */
  apart: i32;
  /** The one target that is read, where its texels are words (output/word-sets.ts); 0: it is not. */
  words: Plane;
  /** 1: the first part has run for the single pixels of its quads, in the lanes of `pixelLanes`. */
  packed: i32;
  /** Whose further sets wait in `packer`, with their links in the second warp; 0: none do. */
  waiting: SampleSets;
  /** A register for channels of targets that the program does not read. */
  get unread(): usize { return pastFields(this); }
  /** u64 an entry of `some`: samples whose sets have not been run. */
  get left(): usize { return this.unread + WARP_QUADS * 16; }
  samplesLeft(entry: usize): u64 { return load<u64>(this.left + (entry << 3)); }
  /** u8 a lane of the first part: the sample whose values stand for those of its set. */
  get from(): usize { return this.left + 4 * WARP_QUADS * 8; }
  /** Further sets, quads or pixels. */
  get packer(): Packer { return changetype<Packer>(this.from + 4 * WARP_QUADS); }
  /** The same of them. */
  get furtherFrom(): usize {
    return changetype<usize>(this.packer) + changetype<usize>(changetype<Packer>(0).entry(4 * WARP_QUADS));
  }
  /** u8 an entry of theirs: the first part's lane, or entry where they go by quads. */
  get lanes(): usize { return this.furtherFrom + 4 * WARP_QUADS; }
  lane(entry: usize): i32 { return load<u8>(this.lanes + entry); }
  /** u64 a quad: samples of a warp that sends several times (fragment/dispatches.ts). */
  get masks(): usize { return this.lanes + 4 * WARP_QUADS; }
  /** u8 a pixel of the first part's quads: the lane of those that are covered. */
  get pixelLanes(): usize { return this.masks + WARP_QUADS * 8; }
  pixelLane(pixel: usize): i32 { return load<u8>(this.pixelLanes + pixel); }
  /** u64 a block: quads of sets that wait, bit quad. */
  get claims(): usize { return this.pixelLanes + 4 * WARP_QUADS; }
  claimsOf(block: i32): usize { return this.claims + (block << 3); }
  /** Registers, as many as all targets have channels: for each set that waits, the results of its pixel's first one. */
  get results(): usize { return this.claims + TILE_BLOCKS * 8; }
  get past(): usize { return this.results + MAX_COLOR_TARGETS * 4 * REGISTER_BYTES; }
}
