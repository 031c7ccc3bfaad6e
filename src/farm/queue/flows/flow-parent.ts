// The chunks of a flow in Redis: children of the flow's own job, as BullMQ calls them. The flow adds them when its turn
// comes, and only those that were not drawn before; docs/decisions/animation-chunks.md says why.
import { QueueError } from '../errors';
import { readFailure, type QueueCode } from '../failures';
import type { BullJob, JobQueue } from '../job-queue';
import type { FlowRegistry } from './flow-registry';
import { chunkId, describeRange, readChunkId, type FrameRange } from './flow';

/** Chunks that are sent to Redis together. */
const BATCH = 200;
/** Starts of a flow in which its chunks may turn out to be missing. */
const MAX_STARTS = 3;

/** A flow waits for its chunks. It is started again when they are drawn, or when one of them has failed. */
export class WaitsForChunks extends Error {}

export class FlowParent {
  readonly #job: BullJob;
  readonly #queue: JobQueue;
  readonly #token: string;
  readonly #flows: FlowRegistry;

  constructor(job: BullJob, queue: JobQueue, token: string, flows: FlowRegistry) {
    this.#job = job;
    this.#queue = queue;
    this.#token = token;
    this.#flows = flows;
  }

  /** Why a chunk was quarantined, if one was. Those that have not started are removed then. */
  async failure(): Promise<{ code: QueueCode; message: string } | undefined> {
    const [first] = Object.entries(await this.#job.getIgnoredChildrenFailures());
    if (first === undefined) return undefined;
    await this.#job.removeUnprocessedChildren();
    const [key, reason] = first;
    const chunk = readChunkId(key.slice(key.lastIndexOf(':') + 1));
    const { code, message } = readFailure(reason);
    return { code, message: `The ${chunk ? describeRange(chunk.range) : 'chunk'} failed: ${message}` };
  }

  /**
   * Lets workers draw chunks, and waits for all that are in Redis. It returns if there is nothing to wait for.
   * @throws WaitsForChunks, or QueueError if what other workers have drawn is not here
   */
  async drawMissing(ranges: readonly FrameRange[]): Promise<void> {
    const lost = this.#job.attemptsStarted > MAX_STARTS ? await this.#lostOf(ranges) : undefined;
    if (lost)
      throw new QueueError(
        'output',
        `The ${describeRange(lost)} were drawn, but are not where this worker looks for them; `
          + 'all workers of a queue need the same output'
      );
    if (ranges.length > 0) await this.#flows.remember(this.#job.id!, this.#job.data.version);
    // The first chunk is added last: each one goes to the head of the queue.
    const reversed = [...ranges].reverse();
    for (let at = 0; at < reversed.length; at += BATCH)
      await this.#queue.addBulk(reversed.slice(at, at + BATCH).map((range) => this.#childOf(range)));
    if (await this.#job.moveToWaitingChildren(this.#token)) throw new WaitsForChunks();
    // They have ended since they were added.
    if (ranges.length > 0) return this.#startAgain();
  }

  /** A chunk that another worker has drawn. */
  async #lostOf(ranges: readonly FrameRange[]): Promise<FrameRange | undefined> {
    const drawn = await this.#job.getChildrenValues();
    return ranges.find((range) => this.#queue.toKey(chunkId(this.#job.id!, range)) in drawn);
  }

  async #startAgain(): Promise<never> {
    await this.#job.moveToWait(this.#token);
    throw new WaitsForChunks();
  }

  #childOf(range: FrameRange): Parameters<JobQueue['addBulk']>[0][number] {
    const { id, data, opts } = this.#job;
    return {
      name: 'chunk',
      data,
      opts: {
        jobId: chunkId(id!, range),
        parent: { id: id!, queue: this.#job.queueQualifiedName },
        // The flow then fails with the reason of the chunk.
        continueParentOnFailure: true,
        attempts: opts.attempts ?? 1,
        ...(opts.backoff === undefined ? {} : { backoff: opts.backoff }),
        // They run before jobs that were added after the flow.
        ...(opts.priority ? { priority: opts.priority } : { lifo: true }),
        // A flow is one job for users.
        removeOnComplete: true,
        removeOnFail: true,
      },
    };
  }
}
