// A pool of warm workers: each does one work at a time, ends alone, and is replaced.
import type { Start } from './executor';
import { MemoryGuard } from './memory-guard';
import { WarmWorker, type Outcome } from './warm-worker';

/** What a pool consists of. */
interface PoolShape extends Start {
  /** Number of workers. */
  readonly size: number;
  /** Limit for the resident memory of the process tree in bytes; undefined: none. */
  readonly memoryBytes: number | undefined;
}

/** What holds for one work. */
interface RunOptions {
  /** Time limit in milliseconds from when a worker is ready; undefined: none. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lets work begin that waits for a worker, or refuses it. */
interface Waiting {
  begin(): void;
  refuse(reason: unknown): void;
}

/** Share of `memoryBytes` for the budgets of all workers. The rest is for Node itself. */
export const BUDGET_SHARE = 0.8;

export class TaskPool<Work, Answer> {
  readonly #shape: PoolShape;
  readonly #workers = new Set<WarmWorker<Work, Answer>>();
  readonly #idle: WarmWorker<Work, Answer>[] = [];
  /** Works that wait for a worker. */
  readonly #waiting: Waiting[] = [];
  readonly #guard: MemoryGuard | undefined;
  #busy = 0;
  #isClosed = false;

  constructor(shape: PoolShape) {
    this.#shape = shape;
    if (shape.memoryBytes !== undefined) this.#guard = new MemoryGuard(shape.memoryBytes);
  }

  /** Most works that are done at the same time. */
  get size(): number {
    return this.#shape.size;
  }

  /** Works that are being done. */
  get busy(): number {
    return this.#busy;
  }

  /**
   * Does one work, as soon as a worker is free.
   * @throws the signal's reason if it is aborted, or an Error if the pool is closed
   */
  async run(work: Work, { timeoutMs, signal }: RunOptions = {}): Promise<Outcome<Answer>> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed();
    if (this.#busy >= this.size) await this.#turn(signal);
    else this.#busy++;
    const worker = this.#take();
    const cancel = (): void => worker.stop('cancelled');
    signal?.addEventListener('abort', cancel);
    const release = this.#guard?.watch(worker);
    try {
      const outcome = await worker.run(work, timeoutMs);
      if (signal?.aborted) await worker.ended;
      signal?.throwIfAborted();
      if ('ended' in outcome && outcome.ended === 'cancelled') throw closed();
      return outcome;
    } finally {
      release?.();
      signal?.removeEventListener('abort', cancel);
      this.#give(worker);
    }
  }

  /** Ends all workers, also those that are busy, and waits until they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { refuse } of this.#waiting.splice(0)) refuse(closed());
    const workers = [...this.#workers];
    for (const worker of workers) worker.stop('cancelled');
    await Promise.all(workers.map((worker) => worker.ended));
    this.#guard?.close();
  }

  /** Waits until another work has ended, whose place it takes. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    let leave: (() => void) | undefined;
    try {
      await new Promise<void>((begin, refuse) => {
        const waiting = { begin, refuse };
        leave = () => {
          this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
          refuse(signal!.reason as Error);
        };
        this.#waiting.push(waiting);
        signal?.addEventListener('abort', leave);
      });
    } finally {
      signal?.removeEventListener('abort', leave!);
    }
  }

  #take(): WarmWorker<Work, Answer> {
    for (let worker = this.#idle.pop(); worker; worker = this.#idle.pop()) if (worker.isUsable) return worker;
    return this.#start();
  }

  /** Lets the next work begin, and keeps the worker for it. */
  #give(worker: WarmWorker<Work, Answer>): void {
    if (worker.isUsable && this.#isOversized(worker)) worker.stop('cancelled');
    // One that has ended is replaced before the next work comes, unless it is its start that fails.
    if (worker.isUsable) this.#idle.push(worker);
    else if (!this.#isClosed && worker.hasStarted) this.#idle.push(this.#start());
    const next = this.#waiting.shift();
    if (next) next.begin();
    else this.#busy--;
  }

  /** Whether an idle worker holds more memory than its share, which other jobs need. */
  #isOversized(worker: WarmWorker<Work, Answer>): boolean {
    const { memoryBytes, size } = this.#shape;
    return memoryBytes !== undefined && (worker.residentBytes ?? 0) > (BUDGET_SHARE * memoryBytes) / size;
  }

  #start(): WarmWorker<Work, Answer> {
    const worker = new WarmWorker<Work, Answer>(this.#shape);
    this.#workers.add(worker);
    void worker.ended.then(() => this.#workers.delete(worker));
    return worker;
  }
}

const closed = (): Error => new Error('The pool is closed; make another one');
