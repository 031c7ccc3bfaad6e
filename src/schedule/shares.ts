// Tiles at which several workers are (assembly/layout/share.ts), as one of them sees it: it opens a tile of its own
// where others have none, or joins one; and closes its own when the others have left.
import { clockMs } from '../base/clock';
import { JOB_FLAG_OPENS } from '../../assembly/layout/job-codes';
import { STATUS_DONE } from '../../assembly/layout/status';
import { Job, Share } from '../../build/layout';
import type { KernelExports } from '../kernels';
import type { JobView } from './job-view';
import { LateShares } from './late-shares';

/** How long a worker sleeps that waits for another at a block, and was not let in for a while. */
const PAUSE_MS = 0.05;
/** For tests (JOB_FLAG_OPENS): how long a tile that was opened waits for somebody. */
const COMPANY_MS = 2;
export class Shares {
  /** The SHARE of the tile that it works at, 0: at none; and the context in which it does, or did last. */
  private share = 0;
  context = 0;
  /** Job.sequence of the job that the worker has left, and in which it still looks for tiles; null: of none. */
  private away: number | null = null;
  private readonly late: LateShares;

  /** `leave`: leaves the job, which may be over by that. */
  constructor(
    private readonly exports: KernelExports, private readonly job: JobView, private readonly leaveJob: () => void
  ) {
    this.late = new LateShares(job);
  }

  /** Whether the worker is at a tile that is open. */
  get isAtOne(): boolean { return this.share !== 0; }

  /** Whether the job that the worker is at, or was at last, does not wait for it. */
  get isAway(): boolean { return this.away !== null; }

  /** The job was given up. */
  giveUp(): void { this.share = 0; }

  /** Opens the tile that a context has under way, if that helps anybody. Returns STATUS_*, as tileOpen does. */
  open(context: number): number {
    const { job } = this;
    const always = job.of(Job.flags) & JOB_FLAG_OPENS;
    if (!always && job.of(Job.idle) === 0) return STATUS_DONE;
    const share = job.of(Job.shares) + job.index * Share.bytes;
    const status = this.exports.tileOpen(context, share, job.of(Job.shareCount), always);
    if (status !== STATUS_DONE || job.get(share + Share.users) === 0) return status;
    this.share = share;
    this.context = context;
    job.ring();
    if (always) this.awaitCompany();
    return status;
  }

  private awaitCompany(): void {
    for (const until = clockMs() + COMPANY_MS; clockMs() < until; this.pause())
      if (this.job.get(this.share + Share.users) > 1) return;
  }

  /** The worker takes up a job. */
  start(): void { this.away = null; }

  /** A worker has no tile of its own, and looks for others. */
  begin(): void { Atomics.add(this.job.words, (this.job.address + Job.idle) >>> 2, 1); }

  /**
   * Joins a tile, in a context that has none, when there is one; false: there will be none. Until there is one, the job
   * does not wait for this worker: when it is over, those who sleep would have to wake up first, which takes some
   * 0.05 ms of each pass. Who is at a tile that is open keeps the job from being over.
   */
  join(context: number): boolean {
    const { exports, job } = this, words = job.words, left = (job.address + Job.left) >>> 2;
    for (let share = this.findOpen(); ; share = 0) {
      if (share === 0) {
        this.goAway();
        // Who sleeps then finds that out when the next job begins.
        const isOver = (): boolean => this.isElsewhere || this.job.of(Job.left) === 0;
        if (!job.wait(() => isOver() || (share = this.findOpen()) !== 0) || share === 0) return false;
      }
      if (!this.enter(share)) continue;
      if (this.isElsewhere) {
        Atomics.sub(words, (share + Share.users) >>> 2, 1);
        job.ring();
        return false;
      }
      if (this.isAway) Atomics.add(words, left, 1);
      this.away = null;
      Atomics.sub(words, (job.address + Job.idle) >>> 2, 1);
      this.late.join();
      exports.tileJoin(context, share);
      this.share = share;
      this.context = context;
      job.ring();
      return true;
    }
  }

  private goAway(): void {
    if (this.isAway) return;
    this.away = this.job.of(Job.sequence);
    this.leaveJob();
  }

  /** Whether another job has begun since. */
  private get isElsewhere(): boolean { return this.isAway && this.job.of(Job.sequence) !== this.away; }

  /** A tile that is open, and of which more is left than its workers have; 0: there is none. */
  private findOpen(): number {
    const first = this.job.of(Job.shares), count = this.job.of(Job.shareCount);
    for (let share = first; share < first + count * Share.bytes; share += Share.bytes) {
      const users = this.job.get(share + Share.users);
      if (users > 0 && (this.job.get(share + Share.left) | 0) > users) return share;
    }
    return 0;
  }

  /** False: the tile was closed meanwhile. */
  private enter(share: number): boolean {
    const words = this.job.words, users = (share + Share.users) >>> 2;
    for (;;) {
      const there = Atomics.load(words, users);
      if (there === 0) return false;
      if (Atomics.compareExchange(words, users, there, there + 1) === there) return true;
    }
  }

  /** Works at the tile. Returns STATUS_*, as tileShare does. */
  run(): number { return this.exports.tileShare(this.context, this.share, this.job.index); }

  /** Lets others have the core for a moment: they have to go on first. */
  pause(): void {
    const words = this.job.words, bell = (this.job.address + Job.bell) >>> 2;
    Atomics.wait(words, bell, Atomics.load(words, bell), PAUSE_MS);
  }

  /**
   * Leaves the tile, in which there is nothing left to be taken. STATUS_*, as tileClose has it: it is the worker's own,
   * and closed, all others have left it, too. Null: it is not, or the job was given up meanwhile.
   */
  leave(): number | null {
    const { exports, job, share } = this, words = job.words, users = (share + Share.users) >>> 2;
    this.share = 0;
    if (share !== this.job.of(Job.shares) + job.index * Share.bytes) {
      exports.tileLeave(this.context);
      this.late.leave(share);
      Atomics.sub(words, users, 1);
      job.ring();
      return null;
    }
    do if (!job.wait(() => Atomics.load(words, users) === 1)) return null;
    while (Atomics.compareExchange(words, users, 1, 0) !== 1);
    this.late.close(share);
    return exports.tileClose(this.context, share);
  }
}
