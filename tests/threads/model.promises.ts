// Promises of the device: all of them settle, in the order in which they were asked for, and with the expected errors.
import type { Findings } from './model.findings';

/** Time in which a promise must settle. */
const PATIENCE_MS = 20_000;

interface Awaited {
  readonly what: string;
  readonly settled: Promise<void>;
  isSettled: boolean;
}

export async function patient<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const never = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} does not settle within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([promise, never]);
  } finally {
    clearTimeout(timer);
  }
}

export class FollowedPromises {
  private readonly all: Awaited[] = [];
  /** Numbers of promises in the order of their fulfillment. */
  private readonly order: number[] = [];
  private readonly aborted = new Set<number>();

  constructor(
    private readonly findings: Findings,
    private readonly isLost: () => boolean
  ) {}

  /**
   * Observes a promise, and returns its number. `done` runs in its reaction when it is fulfilled. If `rejected` is
   * given, the promise must be rejected with an error of that name.
   */
  follow(what: string, promise: Promise<unknown>, done: () => void, rejected?: string): number {
    const id = this.all.length;
    const followed: Awaited = {
      what,
      isSettled: false,
      settled: promise
        .then(
          () => {
            followed.isSettled = true;
            this.findings.check(rejected === undefined, () => `${what} should have been rejected: ${rejected}`);
            this.findings.check(
              this.order.length === 0 || this.order.at(-1)! < id,
              () => `${what} (promise ${id}) is kept after promise ${this.order.at(-1)}, which was asked for later`
            );
            this.order.push(id);
            done();
          },
          (error: unknown) => {
            followed.isSettled = true;
            const { name } = error as DOMException;
            const expected = this.aborted.has(id) ? 'AbortError' : (rejected ?? 'AbortError');
            this.findings.check(
              name === expected,
              () => `${what} is rejected with ${String(error)}, not with ${expected}`
            );
            if (rejected === undefined)
              this.findings.check(
                this.aborted.has(id) || this.isLost(),
                () => `${what} is aborted without a reason: ${String(error)}`
              );
          }
        )
        .catch((error: unknown) => this.findings.fail(error)),
    };
    this.all.push(followed);
    return id;
  }

  /** Expects a promise to be rejected, because its mapping ended before it was ready. */
  abort(id: number): void {
    this.aborted.add(id);
  }

  /** Waits for the oldest promise that has not settled, if any. */
  async oldestSettled(): Promise<void> {
    const oldest = this.all.find(({ isSettled }) => !isSettled);
    if (oldest) await patient(oldest.settled, oldest.what);
  }

  async everySettled(): Promise<void> {
    // Reactions may map more buffers.
    for (let i = 0; i < this.all.length; i++) await patient(this.all[i]!.settled, this.all[i]!.what);
  }
}
