// Work that may wait for non-resident pages: its state, and the pages that it misses.
//
//   job ──> LATE WORK (tile 0) │ LATE WORK (tile 1) │ … │ LATE WORK (geometry) │ LATE WORK (dry run)
//   a worker's warps ──> MISSES: fields │ page, page, …     copied to the LATE WORK when the tile's run ends

import { pastFields } from '../record';
import { PageEntry } from '../texture/texture-stream';
import { MAX_MISSES } from './work-codes';

/**
 * MISSES: non-resident pages that were read by a tile, or by a worker's part of the geometry or workgroups of a job.
 */
@unmanaged
export class Misses {
  /** 1: the work cannot be finished without the missing pages. */
  waits: u32;
  /** The page for which `waits` was last set. */
  awaited: PageEntry;
  /** Number of pages noted. Others are found when the work is replayed. */
  count: u32;
  /** Set to 1 by each miss, whether newly noted or already present. */
  anyMiss: u32;
  /** Maximum number of pages noted. */
  limit: u32;
  /** 1: dry run. Tiles run only to find the pages that they miss, and change nothing (streamed-pass.ts). */
  isDryRun: u32;
  /**
   * 1: tiles keep their progress. Fragment shaders write to memory while the tile runs, so no tile that was begun may
   * be replayed from its beginning. All its warps can be parked, and its walk stops between two triangles if these must
   * be resumed first.
   */
  keepsProgress: u32;
  /** Numbers of the PAGE ENTRIES. No number repeats within the last MAX_MISSES. */
  get entries(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.entries + MAX_MISSES * sizeof<u32>();
  }
}

/** LATE WORK: the state of one tile, of a chunk's geometry, of a dry run, or of a job of workgroups. */
@unmanaged
export class LateWork {
  /** WORK_*. Changed only by transitions (late/states.ts in src/). */
  state: i32;
  /** Number of pages at `entries` that its last run has missed; MISSES_READ: the main thread knows them. */
  count: i32;
  /**
   * The context in which a tile is parked: 1 + the context's number + MAX_SLOTS · the number of its worker; 0: none.
   */
  context: i32;
  /**
   * The part of the tile that runs: x0, y0, x1 and y1 of its box in pixels of the tile, a byte each, the first one
   * lowest; 0: the whole tile.
   */
  part: u32;
  /** Range of the entries of the tile's lists that run in this part. */
  first: u32;
  end: u32;
  /** 1: other parts of the tile follow. */
  hasMore: u32;
  /** After a part has run: number of entries in the tile's lists. */
  entryCount: u32;
  /** After a part has run: 1: the first entry's triangle is walked quad by quad. */
  byQuads: u32;
  /**
   * Tiles that keep their progress: maximum number of a warp's entries that are resumed at a time, one warp after the
   * other; 0: all warps are resumed, undivided.
   */
  maxResumedEntries: u32;
  /** Number of warps whose results have reached output since the tile was resumed. */
  warpsCompleted: u32;
  /** As in Misses. */
  get entries(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.entries + MAX_MISSES * sizeof<u32>();
  }
}
