// Jobs whose workers were lost, with a real Redis: a worker of BullMQ takes them, and is never heard of again.
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import type { Connection } from '../../../src/farm/queue/connection';
import type { BullJob, JobQueue } from '../../../src/farm/queue/job-queue';
import { MAX_LOST_WORKERS, pauseAfterLoss } from '../../../src/farm/queue/lost-workers';
import { FarmEvents, type JobEvent } from '../../../src/farm/telemetry/events';
import { FlowTest, FrameRenderer, until } from './flow-kit';

let server: RedisServer;
let client: Redis;
let kit: FlowTest;

beforeAll(async () => {
  server = await RedisServer.start();
  client = new Redis(server.url, { maxRetriesPerRequest: null });
});
afterAll(async () => {
  client.disconnect();
  await server.close();
});
beforeEach(() => {
  kit = new FlowTest(server, 'lost');
});
afterEach(() => kit.close());

test('a job goes on after one lost worker, pauses after more, and is quarantined after ten', async () => {
  const producer = await kit.produce();
  const losses = { first: 0, second: 1, tenth: 9 };
  await producer.addAll(
    Object.keys(losses).map((id, i) => ({ id, input: 'a.glb', output: `${id}.png`, size: `${i + 1}x1` }))
  );
  const connection = { connection: client, prefix: 'rasterloom' };
  const lost = new Worker('lost@1.0.0', undefined, { ...connection, autorun: false, lockDuration: 100 });
  const queue = new Queue('lost@1.0.0', connection);
  for (const count of Object.values(losses)) {
    const job = (await lost.getNextJob('token'))!;
    await client.hset(queue.toKey(job.id!), 'stc', count);
  }
  await lost.close(true);

  const renderer = new FrameRenderer();
  const events = new FarmEvents();
  const ended: Partial<JobEvent>[] = [];
  events.on((event) => {
    if (event.type === 'job' && event.state !== 'active') ended.push(event);
  });
  await kit.work(renderer, { events });
  await until(() => ended.length === 3);
  const of = (name: string): Partial<JobEvent> => ended.find((event) => event.name === name)!;
  expect(of('first')).toMatchObject({ state: 'completed', attempt: 1 });
  const message = '2 workers that ran the job were lost.';
  expect(of('second')).toMatchObject({ state: 'delayed', attempt: 1, code: 'worker-lost', message });
  expect(of('tenth')).toMatchObject({ state: 'failed', code: 'worker-lost' });
  expect(await kit.failed()).toMatchObject([{ name: 'tenth', code: 'worker-lost' }]);
  expect(renderer.runs.length).toBe(1);

  // The pause ends early.
  const [second] = await queue.getDelayed();
  expect(second.data).toMatchObject({ name: 'second' });
  expect(second.delay).toBeGreaterThan(2000);
  expect(second.delay).toBeLessThanOrEqual(5000);
  await second.promote();
  await until(() => ended.length === 4);
  expect(ended[3]).toMatchObject({ name: 'second', state: 'completed', attempt: 1 });
  // A retry forgets the losses.
  expect(await (await kit.open()).retry({ ids: ['tenth'] })).toBe(1);
  await until(() => ended.length === 5);
  expect(ended[4]).toMatchObject({ name: 'tenth', state: 'completed' });
  await queue.close();
});

test('pauses double up to five minutes, are random, and are taken once', async () => {
  const stored = new Map<string, number>();
  const connection = {
    client: {
      hget: (key: string) => Promise.resolve(stored.get(key)?.toString() ?? null),
      hset: (key: string, _: string, value: number) => Promise.resolve(void stored.set(key, value)),
    },
  } as unknown as Connection;
  const queue = { toKey: (id: string) => id } as JobQueue;
  const pause = (id: string, lost: number): Promise<number> =>
    pauseAfterLoss({ id, stalledCounter: lost } as BullJob, queue, connection);
  const most = [0, 0, 5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1000);
  expect(most.length).toBe(MAX_LOST_WORKERS + 1);
  for (const [lost, limit] of most.entries()) {
    const pauses: number[] = [];
    for (let i = 0; i < 40; i++) {
      pauses.push(await pause(`job-${i}`, lost));
      expect(await pause(`job-${i}`, lost)).toBe(0);
    }
    expect(Math.max(...pauses)).toBeLessThanOrEqual(limit);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(limit / 2);
    expect(new Set(pauses).size > 1).toBe(limit > 0);
  }
});
