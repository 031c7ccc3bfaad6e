// PARKED WARPS: the parked warps of a tile (layout/warp/warp.ts), with everything needed to resume them, in the order
// in which they were parked.
//
//   fields │ PACKER: the entries of the one being resumed │ PACKER: some of them │ STOPPED WARP │ scoreboard
//   │ code │ PARKED WARP │ PARKED WARP │ …
//     fields, PACKER with exactly its entries │ in warps that stop: STOPPED WARP │ for its quads, 16 bytes each: lanes
//     that run, discarded lanes (Warp.exec, Warp.killed), and each register except constants and uniforms

import { WARP_QUADS } from '../limits';
import { Packer } from '../warp/packer';
import { LANES, pastFields } from '../record';
import { PageEntry } from '../texture/texture-stream';
import { MAX_PENDING, RUN_AHEAD_BYTES, SCOREBOARD_BITS } from './work-codes';

/** Bits of a byte, as a shift. */
// @ts-ignore: decorator
@inline const BYTE_SHIFT = 3;
/** Bytes of an end instruction, padded. */
// @ts-ignore: decorator
@inline const END_BYTES = 16;

/** PARKED WARP: one parked warp. */
@unmanaged
export class ParkedWarp {
  /** Blocks of the tile in which it has entries: bit per block. */
  blocks: u64;
  /** A non-resident page that it has read; 0: none. */
  page: PageEntry;
  /** Statistics.warpsFragment when it was parked. */
  since: u32;
  /** Size of the record in bytes, a multiple of 8. */
  length: u32;
  /** WORK_PARKED: it resumes where its shader stopped; WORK_UNDONE: it runs from its inputs again; or WORK_RUNNING. */
  state: u32;
  /** 1: no warp may overtake it in its blocks; 0: warps of unordered draw calls may. */
  ordered: u32;
  get packer(): Packer {
    return changetype<Packer>(pastFields(this));
  }
  get past(): usize {
    return this.packer.past;
  }
}

/** STOPPED WARP: where a shader stopped, and the reads that it waits for. */
@unmanaged
export class StoppedWarp {
  /** Address of the instruction with which it continues. */
  code: usize;
  /** Number of pending texture reads. */
  count: u32;
  /** Addresses of these instructions. */
  get pending(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.pending + sizeof<usize>() * MAX_PENDING;
  }
}

/** PARKED WARPS: see the top of the file. */
@unmanaged
export class ParkedWarps {
  /** Blocks of all parked warps; blocks of those that no warp may overtake. */
  blocks: u64;
  ordered: u64;
  /** Bytes that the parked warps take, and the bytes available for them. */
  taken: u32;
  room: u32;
  /** The warp being resumed; 0: none. */
  resumedWarp: ParkedWarp;
  /** 1: the warp that ran last has stopped, as `stop` says; or the one that is being resumed had stopped. */
  hasStopped: i32;
  /**
   * 1: quads that would otherwise take turns (PROGRAM_FLAG_QUADS_IN_ORDER) run together, because pages are
   * non-resident.
   */
  quadsInLockstep: u32;
  /**
   * Bytes that may be needed at once, for the output of one triangle and the contents of packers
   * (Misses.keepsProgress).
   */
  minRoom: u32;
  /** With room for single pixels. */
  get packer(): Packer {
    return changetype<Packer>(pastFields(this));
  }
  /** The quads that a warp parks, out of those that it ran on. */
  get rest(): Packer {
    return changetype<Packer>(this.packer.entry(LANES * WARP_QUADS));
  }
  /** For the current warp; and the scoreboard of registers that its pending reads name. */
  get stop(): StoppedWarp {
    return changetype<StoppedWarp>(this.rest.past);
  }
  get scoreboard(): usize {
    return this.stop.past;
  }
  /** Instructions that it runs ahead, and an end instruction. */
  get code(): usize {
    return this.scoreboard + (SCOREBOARD_BITS >> BYTE_SHIFT);
  }
  get past(): usize {
    return this.code + RUN_AHEAD_BYTES + END_BYTES;
  }
}
