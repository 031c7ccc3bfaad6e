// Flows as users see them: each is one job with the progress of its chunks.
import type { Connection } from '../connection';
import type { JobData, QueuedRender } from '../job-data';
import type { JobQueue } from '../job-queue';
import { chunksOf, isChunkId } from './flow';

/** A flow whose chunks are being drawn. */
export interface FlowStatus {
  readonly identity: string;
  readonly version: string;
  readonly name: string | undefined;
  readonly output: string;
  /** Number of its chunks. */
  readonly chunks: number;
  /** Chunks that are drawn. */
  readonly drawn: number;
}

/** Flows and chunks among the jobs of a queue. */
interface ChunkCounts {
  /** Flows that wait for their chunks. */
  readonly flows: number;
  /** Chunks by their state. */
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
}

/** Most flows that are described. */
const MAX_SHOWN = 100;

/** Ids of the flows that wait for chunks. */
export const flowIdsOf = ({ client }: Connection, queue: JobQueue): Promise<string[]> =>
  client.zrange(queue.toKey('waiting-children'), '0', '-1');

export async function countChunks(connection: Connection, queue: JobQueue): Promise<ChunkCounts> {
  const { client } = connection;
  const flows = await flowIdsOf(connection, queue);
  const missing = client.pipeline();
  for (const flow of flows) missing.scard(queue.toKey(`${flow}:dependencies`));
  const open = ((await missing.exec()) ?? []).reduce((sum, [, count]) => sum + Number(count), 0);
  const active = (await client.lrange(queue.toKey('active'), 0, -1)).filter(isChunkId).length;
  let delayed = 0;
  for (let cursor: string | undefined; cursor !== '0';) {
    const [next, found] = await client.zscan(queue.toKey('delayed'), cursor ?? '0', 'MATCH', '*.*', 'COUNT', 1000);
    delayed += found.length / 2;
    cursor = next;
  }
  return { flows: flows.length, waiting: Math.max(0, open - active - delayed), delayed, active };
}

/** Describes flows, those first that have waited longest. */
export async function describeFlows({ client }: Connection, queue: JobQueue, version: string): Promise<FlowStatus[]> {
  const found: FlowStatus[] = [];
  for (const job of await queue.getJobs(['waiting-children'], 0, MAX_SHOWN - 1, true)) {
    const { name, job: what, flow } = job.data as Partial<JobData>;
    const { output } = (what ?? {}) as Partial<QueuedRender>;
    const chunks = countOf(what as QueuedRender, flow);
    if (chunks === 0 || typeof output !== 'string') continue;
    const open = await client.scard(queue.toKey(`${job.id}:dependencies`));
    found.push({ identity: job.id!, version, name, output, chunks, drawn: Math.max(0, chunks - open) });
  }
  return found;
}

/** Number of chunks. Programs with access to Redis may have written anything. */
function countOf(job: QueuedRender, flow: JobData['flow']): number {
  try {
    return flow ? chunksOf(job, flow).length : 0;
  } catch {
    return 0;
  }
}
