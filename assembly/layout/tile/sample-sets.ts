// SAMPLE SETS: a fragment shader that runs one part for sets of samples. A set consists of the samples of a pixel that
// are equal in everything that the part reads. There is one record per draw call. If pixels have one sample, the shader
// runs undivided; otherwise it is in two parts:
//
//   DRAW: the part for pixels, and in the same run that for a pixel's first set ── SAMPLE SETS ──> DRAW: further sets
//         (if sets differ in more than the targets: only the part for pixels)                       (or all of them)
//
// The second part receives values of the first through links: output registers of the first part, input registers of
// the second. The second DRAW record equals the first, but has its own registers. Written by
// src/render/pipeline/sample-sets.ts.
//
// SET ROOM: state of a tile while a warp of the first part runs, and then those of the second (fragment/sets/sets.ts).
// Further sets may wait here until later warps add theirs (fragment/sets/waiting-sets.ts).
//
//   fields │ unread │ samples left │ from │ PACKER of further sets │ from │ lanes │ masks │ lanes │ claims │ results
//   PACKER_TEXELS

import { Draw } from '../pass/draw';
import { MAX_COLOR_TARGETS, REGISTER_BYTES, TILE_BLOCKS, WARP_QUADS } from '../limits';
import { Packer } from '../warp/packer';
import { Plane } from '../surface/plane';
import { CHANNELS, LANES, pastFields, VECTOR_BYTES } from '../record';

/** SAMPLE SETS: see the top of the file. */
@unmanaged
export class SampleSets {
  /** DRAW of the second part; 0: the shader is undivided. */
  secondPart: Draw;
  /** SETS_*: what distinguishes samples besides the targets; 0: nothing. If nonzero, the first part runs no set. */
  apart: i32;
  /** First link register of the first part, and of the second part, and the number of links. */
  linkFrom: i32;
  linkTo: i32;
  linkCount: i32;
  /** Number of results that both parts have, in the same order, in each part's first output registers. */
  results: i32;
  /**
   * Output register of the first part: lanes all ones where pixel stages have discarded their pixel or left no sample
   * of it; -1: they never do.
   */
  killedRegister: i32;
  /**
   * Output register of the first part: mask of the samples that pixel stages leave; -1: all. Only if the first part
   * runs no set.
   */
  maskRegister: i32;
  /** 1: further sets run as quads (derivatives, late tests, blended targets). 0: as single lanes. */
  byQuads: i32;
  /**
   * 1: the order in which the second part runs for a pixel's sets is visible. Sets then run as quads, one after the
   * other in compiled shaders; the interpreter gets one quad at a time.
   */
  needsQuadOrder: i32;
  /** Number of dispatches among the results of a part; 1: the shader sends none. */
  dispatches: i32;
  /** Registers of each dispatch. The last one is its mask. 0: the shader sends none. */
  dispatchStride: i32;
}

/** SET ROOM: see the top of the file. */
@unmanaged
export class SetRoom {
  /** Entries of the first part's packer with samples whose sets have not run: bit per entry. */
  some: u64;
  /** 1: the samples of the current entry are distinct, whatever the targets hold. */
  apart: i32;
  /** The only target that is read, if its texels are words (output/word-sets.ts); else 0. */
  words: Plane;
  /** 1: the first part has run for the single pixels of its quads, in the lanes of `pixelLanes`. */
  packed: i32;
  /** SAMPLE SETS whose further sets wait in `packer`, with their links in the second warp; 0: none. */
  waiting: SampleSets;
  /** A register for channels of targets that the shader does not read. */
  get unread(): usize {
    return pastFields(this);
  }
  /** u64 per entry of `some`: samples whose sets have not run. */
  get left(): usize {
    return this.unread + WARP_QUADS * VECTOR_BYTES;
  }
  samplesLeft(entry: usize): u64 {
    return load<u64>(this.left + (entry << alignof<u64>()));
  }
  /** u8 per lane of the first part: the sample whose values represent its set. */
  get from(): usize {
    return this.left + LANES * WARP_QUADS * sizeof<u64>();
  }
  /** Further sets, as quads or pixels. */
  get packer(): Packer {
    return changetype<Packer>(this.from + LANES * WARP_QUADS);
  }
  /** As `from`, for the further sets. */
  get secondFrom(): usize {
    return changetype<usize>(this.packer) + changetype<usize>(changetype<Packer>(0).entry(LANES * WARP_QUADS));
  }
  /** u8 per entry of `packer`: lane of the first part, or its entry if sets run as quads. */
  get lanes(): usize {
    return this.secondFrom + LANES * WARP_QUADS;
  }
  lane(entry: usize): i32 {
    return load<u8>(this.lanes + entry);
  }
  /** u64 per quad: sample masks of a warp that sends several dispatches (fragment/sets/dispatches.ts). */
  get masks(): usize {
    return this.lanes + LANES * WARP_QUADS;
  }
  /** u8 per pixel of the first part's quads: the lane of each covered pixel. */
  get pixelLanes(): usize {
    return this.masks + WARP_QUADS * sizeof<u64>();
  }
  pixelLane(pixel: usize): i32 {
    return load<u8>(this.pixelLanes + pixel);
  }
  /** u64 per block: quads of sets that wait, bit per quad. */
  get claims(): usize {
    return this.pixelLanes + LANES * WARP_QUADS;
  }
  claimsOf(block: i32): usize {
    return this.claims + (block << alignof<u64>());
  }
  /** Registers for all channels of all targets: for each set that waits, the results of its pixel's first set. */
  get results(): usize {
    return this.claims + TILE_BLOCKS * sizeof<u64>();
  }
  /** PACKER_TEXELS, without room for entries. */
  get inPlace(): Packer {
    return changetype<Packer>(this.results + MAX_COLOR_TARGETS * CHANNELS * REGISTER_BYTES);
  }
  get past(): usize {
    return this.inPlace.entries;
  }
}
