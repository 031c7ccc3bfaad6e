// Which flows have intermediate files: a set in Redis, by which workers find flows that nobody waits for any more,
// because they were drained or cleaned, or because Redis has trimmed them.
import type { Connection } from '../connection';
import { bullQueue, flowsKey, KEY_PREFIX } from '../names';
import { versionsOf } from '../queues';
import type { ChunkStore } from './chunk-store';

export class FlowRegistry {
  readonly #connection: Connection;
  readonly #queue: string;

  constructor(connection: Connection, queue: string) {
    this.#connection = connection;
    this.#queue = queue;
  }

  /** A flow begins, or a chunk of it was drawn after its end. */
  async remember(flow: string, version: string): Promise<void> {
    await this.#connection.client.sadd(flowsKey(this.#queue), `${version} ${flow}`);
  }

  /** A flow has its output. */
  async forget(flow: string, version: string): Promise<void> {
    await this.#connection.client.srem(flowsKey(this.#queue), `${version} ${flow}`);
  }

  /** Whether the job of a flow is in Redis. */
  async has(flow: string, version: string): Promise<boolean> {
    return (await this.#connection.client.exists(keyOf(this.#queue, flow, version))) === 1;
  }

  /** Removes the files of flows whose jobs are not in Redis. */
  async sweep(chunks: ChunkStore): Promise<void> {
    const { client } = this.#connection;
    for (const member of await client.smembers(flowsKey(this.#queue))) {
      const [version, flow] = member.split(' ');
      // It comes from Redis, and is the name of a folder.
      if (!/^[0-9a-f]{64}$/.test(flow ?? '')) await client.srem(flowsKey(this.#queue), member);
      else if (!(await this.has(flow, version))) {
        await chunks.remove(flow);
        await this.forget(flow, version);
      }
    }
  }

  /** Removes what flows have left of which Redis knows nothing, after a day. */
  async sweepOld(chunks: ChunkStore): Promise<void> {
    const versions = await versionsOf(this.#connection, this.#queue);
    await chunks.sweep(async (flow) => {
      for (const version of versions) if (await this.has(flow, version)) return true;
      return false;
    });
  }
}

const keyOf = (queue: string, flow: string, version: string): string =>
  `${KEY_PREFIX}:${bullQueue(queue, version)}:${flow}`;
