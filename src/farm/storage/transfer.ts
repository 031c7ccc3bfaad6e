// Transfers that are tried again when a cause may go away: another attempt costs less than to render again.
import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from './deadline';
import type { Subject } from './errors';

/** Attempts of one transfer, and the time before the second one, which doubles with each. */
const ATTEMPTS = 3;
const PAUSE_MS = 250;

/** Runs a transfer up to `ATTEMPTS` times, each within the time limit. @throws StorageError, or the signal's reason */
export async function transfer<T>(
  subject: Subject,
  { timeoutMs, signal: parent }: { timeoutMs: number; signal: AbortSignal | undefined },
  act: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const deadline = new Deadline(timeoutMs, parent);
    try {
      return await act(deadline.signal);
    } catch (error) {
      parent?.throwIfAborted();
      const failure = subject.failed(deadline.signal.aborted ? deadline.signal.reason : error);
      if (!failure.retryable || attempt === ATTEMPTS) throw failure;
    } finally {
      deadline.end();
    }
    await sleep(PAUSE_MS * 2 ** (attempt - 1), undefined, { signal: parent });
  }
}
