// Shared tiles (assembly/layout/job/share.ts) from the point of view of one worker. The worker opens its own tile while
// others are idle, or joins an open one. It closes its own tile after the others have left.
import { clockMs } from '../base/clock';
import { JOB_FLAG_ALWAYS_SHARES } from '../../assembly/layout/job/job-codes';
import { STATUS_DONE } from '../../assembly/layout/status';
import { Job, Share } from '../../build/layout';
import type { KernelExports } from '../kernels';
import type { JobView } from './job-view';
import { SharedMisses } from '../late/shared-misses';

/** Milliseconds for which a worker sleeps when other workers have held the blocks that it needs for a while. */
const PAUSE_MS = 0.05;
/** For tests (JOB_FLAG_ALWAYS_SHARES): milliseconds for which an opened tile waits for another worker. */
const COMPANY_MS = 2;
export class TileSharing {
  /** Address of the SHARE of the current tile, 0 for none; the context used for it, or for the last one. */
  private share = 0;
  context = 0;
  /** Job.sequence of the job that the worker has left while it still looks for open tiles in it; null for none. */
  private leftSequence: number | null = null;
  private readonly late: SharedMisses;

  /** `leaveJob` counts the worker out of the job, which may end the job. */
  constructor(
    private readonly exports: KernelExports,
    private readonly job: JobView,
    private readonly leaveJob: () => void
  ) {
    this.late = new SharedMisses(job);
  }

  /** Whether the worker is at an open tile. */
  get hasOpenTile(): boolean {
    return this.share !== 0;
  }

  /** Whether the current or last job does not wait for this worker. */
  get hasLeftJob(): boolean {
    return this.leftSequence !== null;
  }

  /** Called when the job was aborted. */
  discardShare(): void {
    this.share = 0;
  }

  /** Opens the current tile of a context if idle workers could help. Returns STATUS_*, like tileOpen. */
  open(context: number): number {
    const { job } = this;
    const always = job.of(Job.flags) & JOB_FLAG_ALWAYS_SHARES;
    if (!always && job.of(Job.idle) === 0) return STATUS_DONE;
    const share = job.of(Job.shares) + job.index * Share.bytes;
    const status = this.exports.tileOpen(context, share, job.of(Job.shareCount), always);
    if (status !== STATUS_DONE || job.get(share + Share.users) === 0) return status;
    this.share = share;
    this.context = context;
    job.wakeWorkers();
    if (always) this.awaitCompany();
    return status;
  }

  private awaitCompany(): void {
    for (const until = clockMs() + COMPANY_MS; clockMs() < until; this.pause())
      if (this.job.get(this.share + Share.users) > 1) return;
  }

  /** Called when the worker starts a job. */
  start(): void {
    this.leftSequence = null;
  }

  /** Called when the worker has finished its own tiles and looks for open ones. */
  begin(): void {
    Atomics.add(this.job.words, (this.job.address + Job.idle) >>> 2, 1);
  }

  /**
   * Joins an open tile, using a context that holds no tile. Returns false if there will be none. While the worker
   * looks, the job does not wait for it: sleeping workers would first have to wake up, which takes about 0.05 ms per
   * pass. A worker at an open tile keeps the job from ending.
   */
  join(context: number): boolean {
    const { exports, job } = this;
    const words = job.words;
    const left = (job.address + Job.left) >>> 2;
    for (let share = this.findOpen(); ; share = 0) {
      if (share === 0) {
        this.leaveJobEarly();
        // A worker that sleeps through the end of the job notices it when the next job begins.
        const isOver = (): boolean => this.hasNewJob || this.job.of(Job.left) === 0;
        if (!job.wait(() => isOver() || (share = this.findOpen()) !== 0) || share === 0) return false;
      }
      if (!this.enter(share)) continue;
      if (this.hasNewJob) {
        Atomics.sub(words, (share + Share.users) >>> 2, 1);
        job.wakeWorkers();
        return false;
      }
      if (this.hasLeftJob) Atomics.add(words, left, 1);
      this.leftSequence = null;
      Atomics.sub(words, (job.address + Job.idle) >>> 2, 1);
      this.late.join();
      exports.tileJoin(context, share);
      this.share = share;
      this.context = context;
      job.wakeWorkers();
      return true;
    }
  }

  private leaveJobEarly(): void {
    if (this.hasLeftJob) return;
    this.leftSequence = this.job.of(Job.sequence);
    this.leaveJob();
  }

  /** Whether another job has begun since the worker left this one. */
  private get hasNewJob(): boolean {
    return this.hasLeftJob && this.job.of(Job.sequence) !== this.leftSequence;
  }

  /** Finds an open tile with more work left than its workers can take; 0 if there is none. */
  private findOpen(): number {
    const first = this.job.of(Job.shares);
    const count = this.job.of(Job.shareCount);
    for (let share = first; share < first + count * Share.bytes; share += Share.bytes) {
      const users = this.job.get(share + Share.users);
      if (users > 0 && (this.job.get(share + Share.left) | 0) > users) return share;
    }
    return 0;
  }

  /** Adds the worker to the tile's users. Returns false if the tile has been closed meanwhile. */
  private enter(share: number): boolean {
    const words = this.job.words;
    const users = (share + Share.users) >>> 2;
    for (;;) {
      const there = Atomics.load(words, users);
      if (there === 0) return false;
      if (Atomics.compareExchange(words, users, there, there + 1) === there) return true;
    }
  }

  /** Works at the tile. Returns STATUS_*, like tileShare. */
  run(): number {
    return this.exports.tileShare(this.context, this.share, this.job.index);
  }

  /** Yields the core for a moment to workers that have to proceed first. */
  pause(): void {
    const words = this.job.words;
    const changeCounter = (this.job.address + Job.changeCounter) >>> 2;
    Atomics.wait(words, changeCounter, Atomics.load(words, changeCounter), PAUSE_MS);
  }

  /**
   * Leaves the tile, which has no work left to take. If the tile is the worker's own, waits for the others to leave,
   * closes it and returns STATUS_*, like tileClose. Returns null if it is another worker's tile, or if the job was
   * aborted meanwhile.
   */
  leave(): number | null {
    const { exports, job, share } = this;
    const words = job.words;
    const users = (share + Share.users) >>> 2;
    this.share = 0;
    if (share !== this.job.of(Job.shares) + job.index * Share.bytes) {
      exports.tileLeave(this.context);
      this.late.leave(share);
      Atomics.sub(words, users, 1);
      job.wakeWorkers();
      return null;
    }
    do if (!job.wait(() => Atomics.load(words, users) === 1)) return null;
    while (Atomics.compareExchange(words, users, 1, 0) !== 1);
    this.late.close(share);
    return exports.tileClose(this.context, share);
  }
}
