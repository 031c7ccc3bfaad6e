// What tests of flows share: a queue on a real Redis, and a renderer that needs no GPU.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { RedisServer } from '../../../bench/support/redis.mjs';
import { FarmQueue, type FailedJob } from '../../../src/farm/queue/admin';
import { FileHashes } from '../../../src/farm/queue/file-hashes';
import type { JobContext, Renderer } from '../../../src/farm/queue/job-run';
import { JOB_OPTIONS } from '../../../src/farm/queue/options';
import { OutputFolder } from '../../../src/farm/queue/outputs';
import type { QueueJob } from '../../../src/farm/queue/prepare';
import { Producer, type AddOptions, type QueueOutcome } from '../../../src/farm/queue/producer';
import { QueueWorker, type QueueWorkerOptions } from '../../../src/farm/queue/worker';
import { FarmEvents } from '../../../src/farm/telemetry/events';
import type { FarmJob, FarmResult } from '../../../src/farm/types';

const stats = { milliseconds: 1, cpuMilliseconds: 1, residentBytes: 1 };

/** Writes the numbers of frames into their files, and puts files together by joining them. */
export class FrameRenderer implements Renderer {
  readonly residentBytes = 1000;
  readonly memoryBytes = 2000;
  /** Ranges that were drawn, and `assembled`. */
  readonly runs: string[] = [];
  /** Decides how a run ends. */
  onRun: (what: string, signal: AbortSignal) => Promise<Partial<FarmResult> | undefined> = () =>
    Promise.resolve(undefined);

  async run(
    job: FarmJob,
    { signal, frames }: { signal: AbortSignal; frames?: readonly string[] }
  ): Promise<FarmResult> {
    const { id, output, sheet } = job as Record<string, string>;
    const range = (job as Record<string, unknown>)['frame-range'] as string | undefined;
    const what = frames ? 'assembled' : (range ?? 'whole');
    this.runs.push(what);
    const ended = await this.onRun(what, signal);
    const [first, last] = range?.split('-').map(Number) ?? [0, 0];
    const isEmpty = ended?.code === 'empty' && (job as Record<string, unknown>)['allow-empty'] === true;
    if (ended && !isEmpty) return { id, attempts: 1, quarantined: false, retryable: false, ...ended } as FarmResult;
    if (frames) writeFileSync(sheet ?? output, frames.map((path) => readFileSync(path, 'utf8')).join());
    else for (let i = first; i <= last; i++) writeFileSync(fileOf(output, i), `frame ${i}`);
    return { id, sha256: '', bytes: 0, output, attempts: 1, stats };
  }

  close = (): Promise<void> => Promise.resolve();
}

const fileOf = (pattern: string, frame: number): string =>
  join(
    dirname(pattern),
    basename(pattern).replace(/\{frame(?::(\d))?\}/, (_, digits = '1') => String(frame).padStart(Number(digits), '0'))
  );

/** A queue with its folder. */
export class FlowTest {
  readonly folder = mkdtempSync(join(tmpdir(), 'rasterloom-flows-'));
  readonly #server: RedisServer;
  readonly #queue: string;
  readonly #closing: { close(): Promise<void> }[] = [];

  constructor(server: RedisServer, queue: string) {
    this.#server = server;
    this.#queue = queue;
    writeFileSync(join(this.folder, 'a.glb'), 'model a');
  }

  get redis(): string {
    return this.#server.url;
  }

  get queue(): string {
    return this.#queue;
  }

  async produce(): Promise<Producer> {
    return this.#closed(
      await Producer.open(this.#queue, { url: this.redis }, { version: '1.0.0', input: this.folder })
    );
  }

  async open(): Promise<FarmQueue> {
    return this.#closed(await FarmQueue.open({ queue: this.#queue, redis: this.redis }));
  }

  async work(
    renderer: Renderer,
    { chunks, ...options }: Partial<QueueWorkerOptions> & { chunks?: JobContext['chunks'] | null } = {}
  ): Promise<QueueWorker> {
    const outputs = await OutputFolder.open(this.path('out'));
    const events = new FarmEvents();
    const context: JobContext = {
      rules: { version: '1.0.0', options: JOB_OPTIONS, modules: new Set(['film']) },
      inputs: this.folder,
      hashes: new FileHashes(),
      outputs,
      chunks: chunks === null ? undefined : (chunks ?? outputs.chunks),
      storage: {
        readInput: () => Promise.reject(new Error('unused')),
        putOutput: () => Promise.reject(new Error('unused')),
      },
      outputPrefix: chunks === null ? 'https://example.com/pictures/' : undefined,
      renderer,
      events,
      options: {},
    };
    const given = { queue: this.#queue, redis: { url: this.redis }, version: '1.0.0', concurrency: 2, graceMs: 5000 };
    return this.#closed(await QueueWorker.start({ ...given, events, ...options }, context));
  }

  /** Runs one job to its end. */
  async result(producer: Producer, job: QueueJob, options?: AddOptions): Promise<QueueOutcome> {
    for await (const outcome of producer.results([job], options)) return outcome;
    throw new Error('There is no result');
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** Reasons of failed jobs. */
  async failed(): Promise<FailedJob[]> {
    const found: FailedJob[] = [];
    for await (const job of (await this.open()).failed()) found.push(job);
    return found;
  }

  /** Text of an output. */
  read(name: string): string {
    return readFileSync(this.path('out', name), 'utf8');
  }

  /** Flows of which intermediate files exist. */
  flows(): string[] {
    const path = this.path('out', '.rasterloom-farm', 'chunks');
    return existsSync(path) ? readdirSync(path) : [];
  }

  /** What killed runs would leave. */
  staged(): string[] {
    return readdirSync(this.path('out', '.rasterloom-farm', 'staging'));
  }

  async close(): Promise<void> {
    for (const each of this.#closing.splice(0).reverse()) await each.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #closed<T extends { close(): Promise<void> }>(closable: T): T {
    this.#closing.push(closable);
    return closable;
  }
}

export const hashOf = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Waits until something holds. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not happen within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
