// The queue with a real Redis and a renderer that needs no GPU.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import { parseFarm } from '../../../src/cli/farm/farm-options';
import { FileHashes } from '../../../src/farm/queue/file-hashes';
import type { JobContext, Renderer } from '../../../src/farm/queue/job-run';
import { JOB_OPTIONS } from '../../../src/farm/queue/options';
import { OutputFolder } from '../../../src/farm/queue/outputs';
import { FarmQueue, type FailedJob } from '../../../src/farm/queue/admin';
import { Producer, type QueueOutcome } from '../../../src/farm/queue/producer';
import { QueueWorker, type QueueWorkerOptions } from '../../../src/farm/queue/worker';
import { FarmEvents, type FarmEvent } from '../../../src/farm/telemetry/events';
import type { FarmJob, FarmResult } from '../../../src/farm/types';

let server: RedisServer;
let folder: string;
let number = 0;
let queue: string;
const closing: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-queue-'));
  queue = `test-${number++}`;
  writeFileSync(join(folder, 'a.glb'), 'model a');
});
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const stats = { milliseconds: 1, cpuMilliseconds: 1, residentBytes: 1 };

/** Writes what a job asks for; `size` says how a try ends. */
class FakeRenderer implements Renderer {
  readonly residentBytes = 1000;
  readonly memoryBytes = 2000;
  runs = 0;
  /** Tries that fail before one succeeds. */
  failures = 0;
  delayMs = 0;

  async run(job: FarmJob, { signal }: { signal: AbortSignal }): Promise<FarmResult> {
    this.runs++;
    const id = job.id!;
    if (this.delayMs > 0)
      await new Promise<void>((resolve, reject) => {
        setTimeout(resolve, this.delayMs);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const failed = { id, attempts: 1, quarantined: false };
    if (this.failures-- > 0) return { ...failed, code: 'timeout', message: 'It took too long', retryable: true };
    const { background, size } = job as { background?: string; size?: string };
    if (background === 'broken') return { ...failed, code: 'input', message: 'It is broken', retryable: false };
    const text = `picture ${size}`;
    writeFileSync(job.output!, text);
    return { id, sha256: hashOf(text), bytes: text.length, output: job.output!, attempts: 1, stats };
  }

  close = (): Promise<void> => Promise.resolve();
}

async function produce(): Promise<Producer> {
  const producer = await Producer.open(queue, { url: server.url }, { version: '1.0.0', input: folder });
  closing.push(producer);
  return producer;
}

async function work(renderer: Renderer, options: Partial<QueueWorkerOptions> = {}): Promise<QueueWorker> {
  const version = options.version ?? '1.0.0';
  const outputs = await OutputFolder.open(join(folder, 'out'));
  const context: JobContext = {
    rules: { version, options: JOB_OPTIONS, modules: new Set() },
    inputs: folder,
    hashes: new FileHashes(),
    outputs,
    chunks: outputs.chunks,
    storage: {
      readInput: () => Promise.reject(new Error('unused')),
      putOutput: () => Promise.reject(new Error('unused')),
    },
    outputPrefix: undefined,
    renderer,
    events: new FarmEvents(),
    options: {},
  };
  const redis = { url: server.url };
  const worker = await QueueWorker.start(
    { queue, redis, version, concurrency: 2, graceMs: 5000, events: context.events, ...options },
    context
  );
  closing.push(worker);
  return worker;
}

async function open(): Promise<FarmQueue> {
  const admin = await FarmQueue.open({ queue, redis: server.url });
  closing.push(admin);
  return admin;
}

async function list(admin: FarmQueue): Promise<FailedJob[]> {
  const found: FailedJob[] = [];
  for await (const job of admin.failed()) found.push(job);
  return found;
}

/** Waits until something holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not happen within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function all(outcomes: AsyncIterable<QueueOutcome>): Promise<QueueOutcome[]> {
  const found: QueueOutcome[] = [];
  for await (const outcome of outcomes) found.push(outcome);
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const picture = (id: string, size = '8x8', more = {}): FarmJob => ({
  id,
  input: 'a.glb',
  output: `pictures/${id}.png`,
  size,
  ...more,
});

describe('a queue', () => {
  test('gives jobs to workers, and their results back', async () => {
    const producer = await produce();
    await work(new FakeRenderer());
    const jobs = [picture('a', '1x1'), picture('b', '2x2'), picture('c', '3x3', { background: 'broken' })];
    const [a, b, c] = await all(producer.results(jobs));
    expect(a).toMatchObject({
      id: 'a',
      output: 'pictures/a.png',
      sha256: hashOf('picture 1x1'),
      files: 1,
      attempts: 1,
    });
    expect(readFileSync(join(folder, 'out', 'pictures', 'b.png'), 'utf8')).toBe('picture 2x2');
    expect(b).toMatchObject({ id: 'b', bytes: 11, reused: false });
    expect(c).toMatchObject({ id: 'c', code: 'input', message: 'It is broken', attempts: 1 });
    expect(readdirSync(join(folder, 'out', 'pictures'))).toEqual(['a.png', 'b.png']);
    expect(readdirSync(join(folder, 'out', '.rasterloom-farm', 'staging'))).toEqual([]);
  });

  test('runs a job once, however often it is added', async () => {
    const producer = await produce();
    const renderer = new FakeRenderer();
    const jobs = [picture('a', '1x1'), picture('b', '2x2')];
    expect(await producer.addAll([...jobs, jobs[0]])).toEqual({ added: 2, known: 1 });
    await work(renderer);
    await all(producer.results(jobs));
    expect(await producer.addAll(jobs)).toEqual({ added: 0, known: 2 });
    expect(renderer.runs).toBe(2);
    // Another content of the model makes other jobs.
    writeFileSync(join(folder, 'a.glb'), 'model b');
    expect(await producer.addAll(jobs)).toEqual({ added: 2, known: 0 });
  });

  test('does not draw again what Redis has forgotten', async () => {
    const producer = await produce();
    const renderer = new FakeRenderer();
    await work(renderer);
    const [first] = await all(producer.results([picture('a')]));
    const admin = await open();
    expect(await admin.clean('completed', 0)).toBe(1);
    const [again] = await all(producer.results([picture('a')]));
    expect(again).toMatchObject({ sha256: (first as { sha256: string }).sha256, reused: true });
    expect(renderer.runs).toBe(1);
    // But it is drawn again if the file is not what it was.
    await admin.clean('completed', 0);
    writeFileSync(join(folder, 'out', 'pictures', 'a.png'), 'damaged');
    expect((await all(producer.results([picture('a')])))[0]).toMatchObject({ reused: false });
    expect(readFileSync(join(folder, 'out', 'pictures', 'a.png'), 'utf8')).toBe('picture 8x8');
  });

  test('adds again what Redis has lost while results are awaited', async () => {
    const producer = await produce();
    const renderer = new FakeRenderer();
    const outcomes = all(producer.results([picture('a'), picture('b')]));
    const admin = await open();
    await until(async () => (await admin.status()).counts.waiting === 2);
    await admin.drain();
    await work(renderer);
    expect((await outcomes).map(({ code }) => code)).toEqual([undefined, undefined]);
  });

  test('tries a job again later, and quarantines it after the last try', async () => {
    const producer = await produce();
    const renderer = new FakeRenderer();
    await work(renderer);
    renderer.failures = 1;
    const [a] = await all(producer.results([picture('a')], { backoffMs: 100 }));
    expect(a).toMatchObject({ output: 'pictures/a.png', attempts: 2 });
    renderer.failures = 99;
    const [b] = await all(producer.results([picture('b', '9x9')], { backoffMs: 50, attempts: 3 }));
    expect(b).toMatchObject({ code: 'timeout', message: 'It took too long', attempts: 3 });
    const admin = await open();
    const failed = await list(admin);
    expect(failed).toMatchObject([{ name: 'b', code: 'timeout', output: 'pictures/b.png', attempts: 3 }]);
    renderer.failures = 0;
    expect(await admin.retry({ ids: ['unknown'] })).toBe(0);
    expect(await admin.retry({ ids: ['b'] })).toBe(1);
    await until(async () => (await admin.status()).counts.completed === 2);
    expect(await list(admin)).toEqual([]);
  });

  test('starts a job after its delay, which does not count as time without a worker', async () => {
    const producer = await produce();
    const renderer = new FakeRenderer();
    const events = new FarmEvents();
    const queued: number[] = [];
    events.on((event) => {
      if (event.type === 'job' && event.state === 'active') queued.push(event.queuedMs!);
    });
    await work(renderer, { events });
    const start = Date.now();
    const delayed = all(producer.results([picture('a')], { delayMs: 1500 }));
    const admin = await open();
    await until(async () => (await admin.status()).counts.delayed === 1);
    // Others do not wait for it.
    expect(await all((await produce()).results([picture('b', '9x9')]))).toMatchObject([{ attempts: 1 }]);
    expect(renderer.runs).toBe(1);
    expect(await delayed).toMatchObject([{ output: 'pictures/a.png', attempts: 1 }]);
    expect(Date.now() - start).toBeGreaterThanOrEqual(1500);
    expect(queued.length).toBe(2);
    expect(Math.max(...queued)).toBeLessThan(1500);
    expect(parseFarm(['farm', 'add', 'jobs.jsonl', '--delay', '1.5'])).toMatchObject({ options: { delayMs: 1500 } });
  });

  test('leaves jobs to workers of their version', async () => {
    const producer = await produce();
    const other = new FakeRenderer();
    await work(other, { version: '2.0.0' });
    await producer.addAll([picture('a')]);
    const admin = await open();
    const { versions, workers } = await admin.status();
    expect(versions).toMatchObject([
      { version: '1.0.0', workers: 0, counts: { waiting: 1 } },
      { version: '2.0.0', workers: 1, counts: { waiting: 0 } },
    ]);
    expect(workers).toMatchObject([{ version: '2.0.0', pid: process.pid, concurrency: 2 }]);
    await work(new FakeRenderer());
    expect(await all(producer.results([picture('a')]))).toMatchObject([{ output: 'pictures/a.png' }]);
    expect(other.runs).toBe(0);
  });

  test('starts no job while it is paused', async () => {
    const producer = await produce();
    const admin = await open();
    await producer.addAll([picture('a', '1x1')]);
    await admin.pause();
    const renderer = new FakeRenderer();
    await work(renderer);
    await work(renderer, { version: '2.0.0' });
    await producer.addAll([picture('b', '2x2')]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(renderer.runs).toBe(0);
    expect(await admin.status()).toMatchObject({ isPaused: true, counts: { waiting: 2 } });
    await admin.resume();
    await until(async () => (await admin.status()).counts.completed === 2);
  });

  test('runs jobs by priority, and not more of them than the rate allows', async () => {
    const producer = await produce();
    const renderer = new FakeRenderer();
    const jobs = ['c', 'a', 'b'].map((id, i) => ({ ...picture(id, `${i + 1}x1`), priority: id.charCodeAt(0) }));
    await producer.addAll(jobs);
    await work(renderer, { concurrency: 1, rate: { jobs: 1, milliseconds: 300 } });
    const start = Date.now();
    const order: string[] = [];
    for await (const { id } of producer.results(jobs)) order.push(id);
    expect(Date.now() - start).toBeGreaterThan(500);
    expect(order.length).toBe(3);
    const ended = jobs.map(({ id }) => statSync(join(folder, 'out', 'pictures', `${id}.png`)).mtimeMs);
    expect(ended[1]).toBeLessThan(ended[2]);
    expect(ended[2]).toBeLessThan(ended[0]);
  });

  test('hands running jobs back when a worker closes and they take too long', async () => {
    const producer = await produce();
    const slow = new FakeRenderer();
    slow.delayMs = 60_000;
    const worker = await work(slow, { graceMs: 200 });
    await producer.addAll([picture('a')]);
    await until(async () => slow.runs === 1);
    await worker.close();
    const admin = await open();
    expect(await admin.status()).toMatchObject({ counts: { waiting: 1, active: 0 }, workers: [] });
    await work(new FakeRenderer());
    // The try that was handed back does not count.
    expect(await all(producer.results([picture('a')]))).toMatchObject([{ output: 'pictures/a.png', attempts: 1 }]);
  });

  test('finishes running jobs when a worker closes', async () => {
    const producer = await produce();
    const renderer = new FakeRenderer();
    renderer.delayMs = 500;
    const worker = await work(renderer);
    await producer.addAll([picture('a')]);
    await until(async () => renderer.runs === 1);
    await worker.close();
    expect((await (await open()).status()).counts).toMatchObject({ completed: 1, waiting: 0, active: 0 });
  });

  test('refuses what a stranger has written into Redis', async () => {
    const producer = await produce();
    const renderer = new FakeRenderer();
    await work(renderer);
    const { Redis } = await import('ioredis');
    const { Queue } = await import('bullmq');
    const client = new Redis(server.url, { maxRetriesPerRequest: null });
    const raw = new Queue(`${queue}@1.0.0`, { connection: client, prefix: 'rasterloom' });
    const job = { input: 'a.glb', output: 'a.png' };
    const base = { version: '1.0.0', inputs: {}, job };
    const forged = [
      { ...base, job: { ...job, output: '../a.png' } },
      { ...base, job: { ...job, output: '/tmp/a.png' } },
      { ...base, job: { ...job, trace: '/tmp/trace.json' } },
      { ...base, job: { module: 'file:///tmp/evil.mjs' } },
      { ...base, code: 'process.exit()' },
      { ...base, version: '9.9.9' },
      // What is right in itself does not have this id.
      base,
    ];
    for (const [i, data] of forged.entries()) await raw.add('job', data, { jobId: `forged-${i}` });
    const admin = await open();
    await until(async () => (await admin.status()).counts.failed === forged.length);
    const failed = await list(admin);
    expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(['invalid-job']));
    expect(renderer.runs).toBe(0);
    expect(await all(producer.results([picture('a')]))).toMatchObject([{ output: 'pictures/a.png' }]);
    await raw.close();
    client.disconnect();
  });

  test('refuses an input that has changed since its job was added', async () => {
    const producer = await produce();
    await producer.addAll([picture('a')]);
    writeFileSync(join(folder, 'a.glb'), 'another model');
    await work(new FakeRenderer());
    const admin = await open();
    await until(async () => (await admin.status()).counts.failed === 1);
    expect((await list(admin))[0]).toMatchObject({
      code: 'input',
      message: 'The input "a.glb" has changed since the job was added; add it again',
    });
  });

  test('trims finished jobs by their number', async () => {
    const producer = await produce();
    await work(new FakeRenderer(), { keep: { count: 3 } });
    await producer.addAll(Array.from({ length: 8 }, (_, i) => picture(`${i}`, `${i + 1}x1`)));
    const admin = await open();
    await until(async () => {
      const { waiting, active } = (await admin.status()).counts;
      return waiting + active === 0;
    });
    expect(readdirSync(join(folder, 'out', 'pictures')).length).toBe(8);
    expect((await admin.status()).counts.completed).toBe(3);
  });

  test('reports memory and the age of the queue when a worker starts, and is ready until it is closed', async () => {
    const producer = await produce();
    await producer.addAll([picture('a'), picture('b', '9x9')]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const heard: FarmEvent[] = [];
    const events = new FarmEvents();
    events.on((event) => heard.push(event));
    const worker = await work(new FakeRenderer(), { events });
    expect(heard.find(({ type }) => type === 'memory')).toMatchObject({ worker: worker.id, bytes: 1000, limit: 2000 });
    const about = heard.find((event) => event.type === 'queue')!;
    expect(about.counts).toMatchObject({ waiting: 2, active: 0 });
    expect(about.ageMs).toBeGreaterThanOrEqual(20);
    expect(worker.isReady).toBe(true);
    const closed = worker.close();
    expect(worker.isReady).toBe(false);
    await closed;
  });
});

describe('a connection', () => {
  test('needs Redis, and says so without the password', async () => {
    const start = Date.now();
    const url = 'redis://me:secret@127.0.0.1:1/3';
    await expect(FarmQueue.open({ queue, redis: url })).rejects.toThrow(
      /^Redis at redis:\/\/127\.0\.0\.1:1\/3 cannot be used \(connect ECONNREFUSED.*; start redis-server, or give/
    );
    expect(Date.now() - start).toBeLessThan(8000);
  });

  test('uses a password, and says that it is wrong', async () => {
    const closed = await RedisServer.start({ password: 'sesame/42' });
    try {
      const admin = await FarmQueue.open({ queue, redis: closed.url });
      expect(JSON.stringify(await admin.status())).not.toContain('sesame');
      await admin.close();
      const url = closed.url.replace('sesame', 'barley');
      const error = await FarmQueue.open({ queue, redis: url }).catch((reason: Error) => reason.message);
      expect(error).toMatch(/WRONGPASS.*give the user and the password in the address$/);
      expect(error).not.toContain('barley');
    } finally {
      await closed.close();
    }
  });

  test.each([
    ['http://127.0.0.1', 'begins with "http:"'],
    ['secret@host', 'is not an address'],
    ['redis://127.0.0.1/x', 'ends in something other than the number of a database'],
    ['redis://127.0.0.1?db=1', 'has a ? or #'],
    ['redis://u:p/x@127.0.0.1', 'is not an address'],
  ])('refuses the address %s', async (url, why) => {
    const error = await FarmQueue.open({ queue, redis: url }).catch((reason: Error) => reason.message);
    expect(error).toContain(`The address of Redis ${why}`);
  });
});
