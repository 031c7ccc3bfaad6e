// The process-wide limit on worker threads. A device that is dropped without destroy() keeps its threads until a
// garbage collection runs, and the engine does not collect while it sees no garbage. Without a limit, 500 such devices
// had 407 threads and 2.9 GB; with it they have 35 threads and 0.4 GB. A device that asks for threads beyond the limit
// gets those of the device that has been idle longest. While all devices are busy, its calling thread does the work.
import { clockMs } from '../base/clock';

/** The workers of one device. */
export interface ThreadOwner {
  /** Number of threads that the member needs. */
  readonly wanted: number;
  /** `clockMs()` when its last job ended; Infinity while it must keep its threads. */
  readonly idleSince: number;
  /** Asks for threads again, because there may be room now. */
  startThreads(): void;
  /** Ends its threads. The member calls `threadEnded` for each thread that has ended. */
  releaseThreads(): void;
}

/**
 * Limit for the threads of all devices. A Node process has a dozen other threads, and 40 are acceptable on a
 * server.
 */
const MOST_THREADS = 24;
/**
 * A device that had a job within this many milliseconds counts as busy, because its next job is likely to come soon.
 */
const IDLE_MS = 200;

export class ThreadLimit {
  private readonly members = new Set<ThreadOwner>();
  private threads = 0;
  /**
   * Members that found no room, oldest request first. The references are weak, so that dropped devices can be
   * collected.
   */
  private readonly waiting: WeakRef<ThreadOwner>[] = [];
  private readonly isWaiting = new WeakSet<ThreadOwner>();

  constructor(private readonly now = clockMs) {}

  /**
   * Whether the member may start its threads now. If there is no room, idle members are dismissed, and `startThreads`
   * runs once their threads have ended.
   */
  admit(member: ThreadOwner): boolean {
    if (this.threads + member.wanted > this.limitFor(member)) {
      this.makeRoom(member);
      // Platforms that report the end of a thread report it later, so the room may not be free yet.
      if (this.threads + member.wanted > this.limitFor(member)) {
        if (!this.isWaiting.has(member)) this.waiting.push(new WeakRef(member));
        this.isWaiting.add(member);
        return false;
      }
    }
    this.isWaiting.delete(member);
    this.members.add(member);
    this.threads += member.wanted;
    return true;
  }

  /** Called when the member has ended its threads or is about to. */
  leave(member: ThreadOwner): void {
    this.members.delete(member);
    this.isWaiting.delete(member);
  }

  threadEnded(): void {
    this.threads--;
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const member = next.deref();
      if (member && this.isWaiting.has(member)) {
        if (this.threads + member.wanted > this.limitFor(member)) return;
        this.isWaiting.delete(member);
        this.waiting.shift();
        member.startThreads();
      } else this.waiting.shift();
    }
  }

  /** Two devices always fit side by side, even if each has as many workers as a large machine has cores. */
  private limitFor(member: ThreadOwner): number {
    return Math.max(MOST_THREADS, 2 * member.wanted);
  }

  private makeRoom(member: ThreadOwner): void {
    let room = this.limitFor(member) - this.threads;
    const before = this.now() - IDLE_MS;
    const idle = [...this.members]
      .filter(({ idleSince }) => idleSince < before)
      .sort((a, b) => a.idleSince - b.idleSince);
    for (const other of idle) {
      if (room >= member.wanted) return;
      room += other.wanted;
      this.members.delete(other);
      other.releaseThreads();
    }
  }
}

/** The limit of this process, or of this page. */
export const threadLimit = new ThreadLimit();
