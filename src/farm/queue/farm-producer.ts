// A producer as a library.
import { resolve } from 'node:path';
import { packageVersion } from './package-version';
import type { QueueJob } from './prepare';
import { Producer, type Added, type AddOptions, type ProducerOptions, type QueueOutcome } from './producer';

/**
 * Adds jobs to a queue in Redis, for workers on any number of machines.
 *
 *     const producer = await FarmProducer.open({ queue: 'thumbnails' });
 *     for await (const result of producer.results(jobs)) console.log(result.id, result.code ?? result.output);
 *     await producer.close();
 *
 * The id of a job in Redis is its identity: the hash of its inputs, its options and the version of this package. So a
 * job is run once, however often it is added, and jobs that Redis has lost are repaired by adding all of them again.
 */
export class FarmProducer {
  readonly #producer: Producer;

  private constructor(producer: Producer) {
    this.#producer = producer;
  }

  /** @throws QueueError if Redis does not answer */
  static async open({ queue = 'default', redis, input = '.', ...access }: ProducerOptions = {}): Promise<FarmProducer> {
    return new FarmProducer(
      await Producer.open(queue, redis, { version: packageVersion(), input: resolve(input), access })
    );
  }

  /** Adds one job. @throws QueueError if it is wrong */
  add(job: QueueJob, options?: AddOptions): Promise<Added> {
    return this.#producer.addAll([job], options);
  }

  /**
   * Adds jobs, in batches. What Redis has already is left as it is, so that this can be repeated.
   * @throws QueueError if one of them is wrong; those before it may have been added
   */
  addAll(jobs: Iterable<QueueJob> | AsyncIterable<QueueJob>, options?: AddOptions): Promise<Added> {
    return this.#producer.addAll(jobs, options);
  }

  /**
   * Adds jobs, and yields what became of each, in the order in which they end. At most 2,000 of them are in Redis at a
   * time. Jobs that Redis loses meanwhile are added again. Failures are results; they do not end the iteration.
   * @throws QueueError if a job is wrong
   */
  results(
    jobs: Iterable<QueueJob> | AsyncIterable<QueueJob>,
    options?: AddOptions
  ): AsyncGenerator<QueueOutcome, void, void> {
    return this.#producer.results(jobs, options);
  }

  /** Ends the connection. Jobs stay in Redis. */
  close(): Promise<void> {
    return this.#producer.close();
  }
}
