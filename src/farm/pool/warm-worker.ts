// One warm process or thread of a pool: starting → idle ⇄ busy → ending → ended.
//
//   starting ──ready──▶ idle ──run──▶ busy ──answer──▶ idle
//       │                │              │
//       └──────end───────┴──stop, end───┴──▶ ending ──▶ ended
import { rmSync } from 'node:fs';
import { start, type End, type Executor, type Start } from './executor';
import { GRACE_MS, type Order, type Report } from './messages';

/** Time in milliseconds within which a worker must be ready. */
const START_MS = 60_000;

/** Why a pool ends a worker. */
export type StopReason = 'timeout' | 'memory' | 'cancelled';

/** What became of the work that a worker was given. */
export type Outcome<Answer> =
  | { readonly answer: Answer }
  /** The work cannot be sent to a worker, because it cannot be copied. */
  | { readonly unsent: unknown }
  /** The worker ended. */
  | { readonly ended: StopReason | 'crash' | 'start'; readonly end: End };

export class WarmWorker<Work, Answer> {
  /** Resolves when it has started or ended. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<End>;
  readonly #executor: Executor;
  readonly #temporaryFiles = new Set<string>();
  #isReady = false;
  #hasEnded = false;
  #residentBytes = 0;
  #reason: StopReason | undefined;
  #answered: ((answer: Answer) => void) | undefined;

  constructor(how: Start) {
    let ready!: () => void;
    let ended!: (end: End) => void;
    this.ready = new Promise((resolve) => (ready = resolve));
    this.ended = new Promise((resolve) => (ended = resolve));
    this.#executor = start(how, {
      message: (message) => {
        const report = message as Report<Answer>;
        if ('ready' in report) {
          this.#isReady = true;
          ready();
        } else if ('answer' in report) {
          this.#residentBytes = report.residentBytes;
          this.#answered?.(report.answer);
        } else if (report.isOpen) {
          this.#temporaryFiles.add(report.temporary);
        } else {
          this.#temporaryFiles.delete(report.temporary);
        }
      },
      end: (end) => {
        this.#hasEnded = true;
        for (const file of this.#temporaryFiles) rmSync(file, { force: true });
        ready();
        ended(end);
      },
    });
    // An idle worker does not keep the program running.
    this.#executor.keep(false);
    const late = setTimeout(() => this.#executor.kill(), START_MS).unref();
    void this.ready.then(() => clearTimeout(late));
  }

  /** Whether it can be given work, which it does when it is ready. */
  get isUsable(): boolean {
    return !this.#hasEnded && this.#reason === undefined;
  }

  /** Whether it has started. */
  get hasStarted(): boolean {
    return this.#isReady;
  }

  /** Undefined for a thread. */
  get pid(): number | undefined {
    return this.#executor.pid;
  }

  /** Resident memory of its process in bytes after its last work; undefined for a thread. */
  get residentBytes(): number | undefined {
    return this.pid === undefined ? undefined : this.#residentBytes;
  }

  /**
   * Does the work, after it has started.
   * @param timeoutMs time limit in milliseconds; undefined: none
   */
  async run(work: Work, timeoutMs: number | undefined): Promise<Outcome<Answer>> {
    this.#executor.keep(true);
    await this.ready;
    const answer = new Promise<Outcome<Answer>>((resolve) => {
      this.#answered = (given) => resolve({ answer: given });
    });
    const ended = this.ended.then((end): Outcome<Answer> => ({
      ended: this.#reason ?? (this.#isReady ? 'crash' : 'start'),
      end,
    }));
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.stop('timeout'), timeoutMs);
    try {
      if (this.isUsable) this.#executor.send({ work } satisfies Order<Work>);
      return await Promise.race([answer, ended]);
    } catch (error) {
      return { unsent: error };
    } finally {
      clearTimeout(timer);
      this.#answered = undefined;
      if (this.isUsable) this.#executor.keep(false);
    }
  }

  /** Ends it: after GRACE_MS at the latest, and at once if it exceeds its memory. */
  stop(reason: StopReason): void {
    if (this.#hasEnded || this.#reason !== undefined) return;
    this.#reason = reason;
    // Whoever waits for its end would otherwise be the last thing of the program, which would just end.
    this.#executor.keep(true);
    if (reason === 'memory') {
      this.#executor.kill();
      return;
    }
    this.#executor.send({ cancel: true } satisfies Order<Work>);
    const late = setTimeout(() => this.#executor.kill(), GRACE_MS);
    void this.ended.then(() => clearTimeout(late));
  }
}
