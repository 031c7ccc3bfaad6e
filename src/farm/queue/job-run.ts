// One run of a job: checks what Redis says, finds its inputs, lets a warm process render it, and publishes the outputs.
import { rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { quoted, thrown } from '../../base/printable';
import { FARM_CODES, type FarmCode } from '../codes';
import { StorageError } from '../storage/errors';
import type { LocalInput, Storage } from '../storage/types';
import type { FarmEvents } from '../telemetry/events';
import type { FarmJob, FarmResult, FarmSuccess } from '../types';
import { isAddress, stableAddress, versionName } from './addresses';
import { QueueError } from './errors';
import type { QueueCode } from './failures';
import { referencePath, type FileHashes } from './file-hashes';
import { inputPath } from './folders';
import { identityOf } from './identity';
import { checkJobData, isModule, type JobData, type JobRules, type QueuedJob } from './job-data';
import { writtenOf, type OutputFolder, type Written, type WrittenFile } from './outputs';

/** What a finished job leaves in Redis. */
export interface QueuedResult {
  readonly sha256: string;
  readonly bytes: number;
  /** The output, or the first of several. */
  readonly output?: string;
  /** Number of files. */
  readonly files: number;
  /** Whether an earlier run had written the output, so that nothing was drawn. */
  readonly reused: boolean;
  /** Time of this run. */
  readonly milliseconds: number;
}

export interface RunFailure {
  readonly code: QueueCode;
  readonly message: string;
  readonly retryable: boolean;
}

/** What renders: a WarmPool. */
export interface Renderer {
  /** Resident memory of this process and of those that render, in bytes, and its limit. */
  readonly residentBytes: number;
  readonly memoryBytes: number;
  run(job: FarmJob, options: { signal: AbortSignal; attempt: number }): Promise<FarmResult>;
  close(): Promise<void>;
}

/** What a worker lends its jobs. */
export interface JobContext {
  readonly rules: JobRules;
  /** Folder of the inputs. */
  readonly inputs: string;
  readonly hashes: FileHashes;
  readonly outputs: OutputFolder;
  /** Reads inputs and writes outputs at addresses. */
  readonly storage: Pick<Storage, 'readInput' | 'putOutput'>;
  /** What the names of outputs follow if they are put at addresses; undefined: they are files. */
  readonly outputPrefix: string | undefined;
  readonly renderer: Renderer;
  readonly events: FarmEvents;
  /** Options of the command that the worker sets for all jobs. */
  readonly options: Readonly<Record<string, boolean>>;
}

/** Options of a picture that name a file or a folder to read. */
const INPUT_OPTIONS = ['input', 'env', 'stream'] as const;

/** A job of Redis that is run. */
interface TakenJob {
  /** Its id in Redis. */
  readonly id: string;
  readonly data: unknown;
  readonly attempt: number;
}

/** Runs a job. Failures are values. */
export async function runJob(
  context: JobContext,
  job: TakenJob,
  signal: AbortSignal
): Promise<QueuedResult | RunFailure> {
  const run = new JobRun(context, job, signal);
  try {
    return await run.run();
  } catch (error) {
    return failureOf(error);
  } finally {
    await run.close();
  }
}

function failureOf(error: unknown): RunFailure {
  if (error instanceof Failed) return error.failure;
  if (error instanceof QueueError) {
    const code = error.code in FARM_CODES ? (error.code as FarmCode) : 'bug';
    return { code, message: error.message, retryable: FARM_CODES[code].retryable };
  }
  return { code: 'bug', message: thrown(error), retryable: true };
}

/** Carries a failure to runJob(). */
class Failed extends Error {
  readonly failure: RunFailure;

  constructor(failure: RunFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

class JobRun {
  readonly #context: JobContext;
  readonly #job: TakenJob;
  readonly #signal: AbortSignal;
  readonly #start = performance.now();
  readonly #inputs: LocalInput[] = [];
  #staged: string | undefined;

  constructor(context: JobContext, job: TakenJob, signal: AbortSignal) {
    this.#context = context;
    this.#job = job;
    this.#signal = signal;
  }

  /** @throws QueueError or Failed */
  async run(): Promise<QueuedResult> {
    const { rules, outputs, renderer } = this.#context;
    const { id, attempt } = this.#job;
    const data = checkJobData(this.#job.data, rules);
    if (identityOf(data) !== id) throw new QueueError('invalid-job', 'The id of the job is not its identity');
    const known = await outputs.find(id);
    if (known) return this.#resultOf(known, true);
    if (data.job.output !== undefined) this.#staged = await outputs.stage();
    const local = await this.#phase('fetch', () => this.#localJob(data));
    const result = await renderer.run(local, { signal: this.#signal, attempt });
    if (result.code !== undefined) throw new Failed(result);
    this.#reportPhases(result);
    return this.#resultOf(await this.#phase('store', () => this.#publish(data.job, result)), false);
  }

  /** Removes what is not needed any more. */
  async close(): Promise<void> {
    if (this.#staged !== undefined) await removeFolder(this.#staged).catch(() => undefined);
    for (const input of this.#inputs) await input.release().catch(() => undefined);
  }

  #resultOf({ sha256, bytes, files }: Written, reused: boolean): QueuedResult {
    return {
      sha256,
      bytes,
      ...(files.length > 0 ? { output: files[0].name } : {}),
      files: files.length,
      reused,
      milliseconds: Math.round(performance.now() - this.#start),
    };
  }

  /** A job with local files: inputs that were checked, and an output in a folder of its own. */
  async #localJob({ job, inputs }: JobData): Promise<FarmJob> {
    const { id } = this.#job;
    const output = job.output === undefined ? undefined : join(this.#staged!, lastPart(job.output));
    if (isModule(job)) return { id, module: job.module, data: job.data, ...(output === undefined ? {} : { output }) };
    const local: Record<string, string | number | boolean | undefined> = { ...job, ...this.#context.options };
    for (const option of INPUT_OPTIONS) {
      const name = job[option];
      if (typeof name === 'string' && !(option === 'env' && !/\.(hdr|exr)$/i.test(name)))
        local[option] = await this.#localInput(name, inputs);
    }
    return { ...local, id, output: output! };
  }

  /** Path of an input, whose content is what it was when the job was added. @throws QueueError */
  async #localInput(name: string, known: JobData['inputs']): Promise<string> {
    if (isAddress(name)) return this.#fetched(name, known[name], known[versionName(name)]);
    const { inputs, hashes } = this.#context;
    const path = await inputPath(inputs, name);
    for (const [input, hash] of Object.entries(known)) {
      const isFile = input === name;
      if (!isFile && !input.startsWith(`${name}#`)) continue;
      const file = isFile ? path : referencePath(path, input.slice(name.length + 1));
      if ((await hashes.of(file)) !== hash)
        throw new QueueError('input', `The input ${quoted(input)} has changed since the job was added; add it again`);
    }
    return path;
  }

  async #fetched(address: string, sha256: string | undefined, version: string | undefined): Promise<string> {
    const expected = { signal: this.#signal, ...(sha256 && { sha256 }), ...(version && { version }) };
    const input = await this.#stored('input', () => this.#context.storage.readInput(address, expected));
    this.#inputs.push(input);
    return input.path;
  }

  /** Gives the files of a job their names, and remembers them. */
  async #publish(job: QueuedJob, { sha256, bytes }: { sha256: string; bytes: number }): Promise<Written> {
    const { outputs, outputPrefix } = this.#context;
    const { output } = job;
    // Without a file, what the module returned is only known by its hash.
    if (output === undefined) return { sha256, bytes, files: [] };
    const isRemote = isAddress(output);
    // A module may have written other bytes than it returned.
    const known = isModule(job) ? undefined : { sha256, bytes };
    const files = await outputs.list(this.#staged!, isRemote ? lastPart(output) : output, known);
    if (files.length === 0) throw new QueueError('output', `The job has not written ${quoted(output)}`);
    if (isRemote && files.length > 1)
      throw new QueueError('invalid-job', `The output ${quoted(output)} is one file, and the job has ${files.length}`);
    if (isRemote) return writtenOf([await this.#put(files[0], output)]);
    if (outputPrefix !== undefined)
      return writtenOf(await Promise.all(files.map((file) => this.#put(file, outputPrefix + file.name))));
    await outputs.publish(this.#staged!, files);
    const written = writtenOf(files);
    await outputs.record(this.#job.id, written);
    return written;
  }

  async #put({ name, sha256, bytes }: WrittenFile, address: string): Promise<WrittenFile> {
    const file = join(this.#staged!, basename(name));
    const output = { sha256, signal: this.#signal };
    await this.#stored('output', () => this.#context.storage.putOutput(file, address, output));
    return { name: stableAddress(address), sha256, bytes };
  }

  /** @throws Failed for what the storage refuses */
  async #stored<T>(what: 'input' | 'output', work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const { message, retryable } = error;
      throw new Failed({ code: what === 'output' ? what : retryable ? 'network' : 'input', message, retryable });
    }
  }

  async #phase<T>(phase: 'fetch' | 'store', work: () => Promise<T>): Promise<T> {
    const startedAt = Date.now();
    const start = performance.now();
    const value = await work();
    this.#context.events.emit({ type: 'phase', id: this.#job.id, phase, startedAt, ms: performance.now() - start });
    return value;
  }

  /** Reports the phases of a picture, which the process that drew it has measured. */
  #reportPhases({ stats }: FarmSuccess): void {
    const { start = 0, load = 0, decode = 0, upload = 0, render = 0, encode = 0 } = stats.phases ?? {};
    let startedAt = Date.now() - stats.milliseconds;
    for (const [phase, ms] of [
      ['load', start + load + decode],
      ['render', upload + render],
      ['encode', encode],
    ] as const) {
      if (ms > 0) this.#context.events.emit({ type: 'phase', id: this.#job.id, phase, startedAt, ms });
      startedAt += ms;
    }
  }
}

/** Removes a folder, which is empty unless its job has failed. */
const removeFolder = (path: string): Promise<void> =>
  rmdir(path).catch(() => rm(path, { recursive: true, force: true }));

/** The last part of an output's name, which may be a pattern. */
const lastPart = (output: string): string =>
  isAddress(output) ? basename(new URL(output).pathname) || 'output' : basename(output);
