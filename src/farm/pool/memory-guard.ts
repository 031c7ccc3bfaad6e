// Keeps the resident memory of the process tree below a limit, by ending the worker that has taken most.
import { descendantsOf, residentBytes } from './process-tree';
import type { StopReason } from './warm-worker';

/** What the guard knows of a worker. */
interface Watched {
  readonly pid: number | undefined;
  readonly ended: Promise<unknown>;
  stop(reason: StopReason): void;
}

/** Milliseconds between two samples, and when the next one could be above the limit. */
const INTERVAL_MS = 100;
const CLOSE_INTERVAL_MS = 10;

export class MemoryGuard {
  readonly #limit: number;
  /** Busy workers with the memory of the tree when their work began. */
  readonly #watched = new Map<Watched, number>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  /** The worker that is being ended. */
  #ending: Watched | undefined;

  /** @param limit in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Watches a worker while it is busy. @returns what ends that */
  watch(worker: Watched): () => void {
    this.#watched.set(worker, this.#last);
    this.#timer ??= setTimeout(this.#sample, INTERVAL_MS);
    return () => {
      this.#watched.delete(worker);
      if (this.#watched.size === 0) this.close();
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #sample = (): void => {
    const total = residentTotal();
    const growth = Math.max(0, total - this.#last);
    this.#last = total;
    if (total > this.#limit && !this.#ending) this.#endLargest();
    const isClose = total + growth > this.#limit;
    this.#timer = setTimeout(this.#sample, isClose ? CLOSE_INTERVAL_MS : INTERVAL_MS);
  };

  /** Ends the largest process; of threads, which share their memory, the one since whose start most was added. */
  #endLargest(): void {
    let most = -Infinity;
    for (const [worker, before] of this.#watched) {
      const bytes = worker.pid === undefined ? this.#last - before : treeBytes(worker.pid);
      if (bytes <= most) continue;
      most = bytes;
      this.#ending = worker;
    }
    this.#ending?.stop('memory');
    // The system takes memory back with a delay. Until then, no other worker is ended.
    void this.#ending?.ended.then(() => setTimeout(() => (this.#ending = undefined), INTERVAL_MS).unref());
  }
}

/** Resident memory of a process and of all that it has started, in bytes. */
const treeBytes = (pid: number): number =>
  [pid, ...descendantsOf(pid)].reduce((sum, each) => sum + (residentBytes(each) ?? 0), 0);

/** Resident memory in bytes of this process and of all that it has started; without /proc, only of this process. */
export const residentTotal = (): number =>
  residentBytes(process.pid) === undefined ? process.memoryUsage.rss() : treeBytes(process.pid);
