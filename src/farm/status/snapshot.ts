// What the status page shows, collected from the queue.
import type { StatusError, StatusJob, StatusPicture, StatusQueue, StatusSnapshot, StatusSource } from './types';
import { thrown } from '../../base/printable';
import { redacted } from '../redact';

/** Most failed jobs and pictures on the page. */
const MAX_FAILED = 50;
const MAX_PICTURES = 24;
/** Milliseconds over which the speed is computed. */
const SPAN_MS = 30_000;

export class Snapshots {
  readonly #source: StatusSource;
  readonly #pictures: (outputs: readonly string[]) => Promise<StatusPicture[]>;
  readonly #history: { at: number; ended: number }[] = [];

  /** @param pictures finds the outputs that may be shown */
  constructor(source: StatusSource, pictures: (outputs: readonly string[]) => Promise<StatusPicture[]>) {
    this.#source = source;
    this.#pictures = pictures;
  }

  /** Never rejects: a queue that does not answer is part of what the page shows. */
  async take(): Promise<StatusSnapshot | StatusError> {
    try {
      const [queue, failed, outputs] = await Promise.all([
        this.#source.status(),
        first(this.#source.failed(), MAX_FAILED),
        this.#source.finishedOutputs(MAX_PICTURES),
      ]);
      return { queue, failed, pictures: await this.#pictures(outputs), jobsPerSecond: this.#speed(queue) };
    } catch (error) {
      return { error: redacted(thrown(error)) };
    }
  }

  #speed({ counts }: StatusQueue): number {
    const now = { at: Date.now(), ended: counts.completed + counts.failed };
    this.#history.push(now);
    while (now.at - this.#history[0].at > SPAN_MS) this.#history.shift();
    const [before] = this.#history;
    // Redis removes old jobs, so the count may fall.
    return now.at > before.at ? Math.max(0, ((now.ended - before.ended) * 1000) / (now.at - before.at)) : 0;
  }
}

async function first(jobs: AsyncIterable<StatusJob>, most: number): Promise<StatusJob[]> {
  const found: StatusJob[] = [];
  for await (const { identity, name, code, message, attempts, failedAt } of jobs) {
    found.push({ identity, name, code, message: redacted(message), attempts, failedAt });
    if (found.length === most) break;
  }
  return found;
}
