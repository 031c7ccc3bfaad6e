// Misses and counters of workers that join a shared tile (layout/job/share.ts) in a pass that reads streamed textures.
// All of them are handed to the worker that owns the tile. It may have to replay the tile once pages are resident, and
// must then be able to undo the counters (tile-runs.ts).
import { MAX_MISSES } from '../../assembly/layout/late/work-codes';
import { ExecutorRecord, Job, Misses, Pass, Share, Statistics, WarpPool } from '../../build/layout';
import type { JobView } from '../schedule/job-view';

/** Number of words in STATISTICS that are counters. */
const COUNTERS = Statistics.flags >>> 2;

export class SharedMisses {
  /** The worker's counters when it joined the tile. */
  private counters = new Int32Array(0);
  private stages = new Int32Array(0);

  constructor(private readonly job: JobView) {}

  /** Called when the worker joins a tile: clears its misses and notes its counters. */
  join(): void {
    if (!this.isLate) return;
    const { misses } = this;
    const words = this.job.words;
    for (const field of [Misses.waits, Misses.awaited, Misses.count]) words[(misses + field) >>> 2] = 0;
    this.counters = this.ownCounters.slice();
    this.stages = this.ownStages.slice();
  }

  /** Called when the worker leaves the tile: adds its misses and counters to the SHARE. */
  leave(share: number): void {
    if (!this.isLate) return;
    const words = this.job.words;
    const { misses } = this;
    const count = this.job.get(misses + Misses.count);
    const first = Atomics.add(words, (share + Share.missCount) >>> 2, count);
    for (let i = 0; i < count && first + i < MAX_MISSES; i++)
      Atomics.store(words, ((share + Share.entries) >>> 2) + first + i, words[((misses + Misses.entries) >>> 2) + i]!);
    const to = this.job.get(share + Share.counted) >>> 2;
    const give = (own: Int32Array, before: Int32Array, at: number): void => {
      before.forEach((value, i) => {
        if (own[i] !== value) Atomics.add(words, at + i, own[i]! - value);
      });
      own.set(before);
    };
    give(this.ownCounters, this.counters, to);
    give(this.ownStages, this.stages, to + COUNTERS);
  }

  /**
   * Called by the tile's owner after all others have left: takes over their misses and counters. Pages beyond
   * MAX_MISSES are dropped; the replay misses them again.
   */
  close(share: number): void {
    if (!this.isLate) return;
    const words = this.job.words;
    const { misses } = this;
    const first = this.job.get(misses + Misses.count);
    const count = Math.min(this.job.get(share + Share.missCount), MAX_MISSES - first);
    const from = (share + Share.entries) >>> 2;
    words.copyWithin(((misses + Misses.entries) >>> 2) + first, from, from + count);
    words[(misses + Misses.count) >>> 2] = first + count;
    const { ownCounters, ownStages } = this;
    const at = this.job.get(share + Share.counted) >>> 2;
    const counted = words.subarray(at, at + COUNTERS + ownStages.length);
    counted.forEach((value, i) => {
      if (i < COUNTERS) ownCounters[i]! += value;
      else ownStages[i - COUNTERS]! += value;
    });
    counted.fill(0);
  }

  private get isLate(): boolean {
    return this.job.of(Job.late) !== 0;
  }
  private get misses(): number {
    return this.job.get(this.job.own(ExecutorRecord.pool) + WarpPool.misses);
  }
  private get ownCounters(): Int32Array {
    const at = this.job.own(ExecutorRecord.statistics) >>> 2;
    return this.job.words.subarray(at, at + COUNTERS);
  }
  private get ownStages(): Int32Array {
    const pass = this.job.own(ExecutorRecord.pass);
    const at = this.job.get(pass + Pass.stageRuns) >>> 2;
    return this.job.words.subarray(at, at + this.job.get(pass + Pass.stageRunCount));
  }
}
