// One run of a job: checks what Redis says, finds its inputs, lets a warm process render it, and publishes the outputs.
import { rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { quoted, thrown } from '../../base/printable';
import { mapAtOnce } from '../at-once';
import { FARM_CODES, type FarmCode } from '../codes';
import { StorageError } from '../storage/errors';
import type { LocalInput, Storage } from '../storage/types';
import type { FarmEvents } from '../telemetry/events';
import type { FarmJob, FarmResult, FarmSuccess, GltfJob } from '../types';
import { isAddress, stableAddress, versionName } from './addresses';
import { QueueError } from './errors';
import type { QueueCode } from './failures';
import { referencePath, type FileHashes } from './file-hashes';
import { chunkJob, chunksOf, describeRange, frameNames, kindOf, readChunkId, type FrameRange } from './flows/flow';
import type { ChunkKey, ChunkStore, DrawnChunk } from './flows/chunk-store';
import { WaitsForChunks, type FlowParent } from './flows/flow-parent';
import { inputPath } from './folders';
import { identityOf } from './identity';
import { checkJobData, isFlow, isModule, type FlowData, type JobData, type JobRules, type QueuedJob } from './job-data';
import type { OutputFolder } from './outputs';
import type { QueuedResult } from './result';
import { writtenOf, type Written, type WrittenFile } from './written';

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
  /** @param options.frames files of all pictures, from which the output is made */
  run(job: FarmJob, options: { signal: AbortSignal; attempt: number; frames?: readonly string[] }): Promise<FarmResult>;
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
  /** Intermediate files of flows; undefined: where outputs go, files can be neither listed nor removed. */
  readonly chunks: ChunkStore | undefined;
  readonly renderer: Renderer;
  readonly events: FarmEvents;
  /** Options of the command that the worker sets for all jobs. */
  readonly options: Readonly<Record<string, boolean>>;
}

/** Options of a picture that name a file or a folder to read. */
const INPUT_OPTIONS = ['input', 'env', 'stream'] as const;

/** Files of a job that are transferred at the same time. */
const AT_ONCE = 16;

/** As the command says it. */
const EMPTY = 'Nothing can be seen in the picture; choose another --camera, or use --allow-empty';

/** A job of Redis that is run. */
interface TakenJob {
  /** Its id in Redis. */
  readonly id: string;
  readonly data: unknown;
  readonly attempt: number;
  /** Its chunks in Redis, if it is a flow. */
  readonly flow: FlowParent;
}

/** Runs a job. Failures are values. @throws WaitsForChunks if the job is a flow that goes on after its chunks */
export async function runJob(
  context: JobContext,
  job: TakenJob,
  signal: AbortSignal
): Promise<QueuedResult | RunFailure> {
  const run = new JobRun(context, job, signal);
  try {
    return await run.run();
  } catch (error) {
    if (error instanceof WaitsForChunks) throw error;
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
  /** Folders that go with this run. */
  readonly #folders: string[] = [];

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
    const chunk = isFlow(data) ? readChunkId(id) : undefined;
    if (identityOf(data) !== (chunk?.flow ?? id))
      throw new QueueError('invalid-job', 'The id of the job is not its identity');
    const known = await outputs.find(chunk?.flow ?? id);
    if (known) return this.#resultOf(known, true);
    if (isFlow(data)) return chunk ? this.#drawChunk(data, chunk) : this.#runFlow(data);
    const staged = data.job.output === undefined ? undefined : await this.#stage();
    const local = await this.#phase('fetch', () => this.#localJob(data, staged));
    const result = await renderer.run(local, { signal: this.#signal, attempt });
    if (result.code !== undefined) throw new Failed(result);
    this.#reportPhases(result);
    return this.#resultOf(await this.#phase('store', () => this.#publish(data.job, staged, result)), false);
  }

  /** Draws a range of the frames of a flow, unless that was done before. */
  async #drawChunk(data: FlowData, key: ChunkKey): Promise<QueuedResult> {
    const { renderer } = this.#context;
    const chunks = this.#chunks();
    if (!chunksOf(data.job, data.flow).some(({ first, last }) => first === key.range.first && last === key.range.last))
      throw new QueueError('invalid-job', `The flow has no chunk of the ${describeRange(key.range)}`);
    const known = await this.#stored('input', () => chunks.find(key, this.#signal));
    if (known) return this.#resultOf(writtenOf(known.files), true);
    const staged = await this.#stage();
    const job = chunkJob(data.job, data.flow, key.range);
    const local = await this.#phase('fetch', () => this.#localJob({ ...data, job }, staged));
    const options = { signal: this.#signal, attempt: this.#job.attempt };
    let result = await renderer.run(local, options);
    // Only all chunks together say whether something can be seen.
    const isEmpty = result.code === 'empty';
    if (isEmpty) result = await renderer.run({ ...local, 'allow-empty': true } as FarmJob, options);
    if (result.code !== undefined) throw new Failed(result);
    this.#reportPhases(result);
    const files = await this.#context.outputs.list(staged, 'frame', undefined);
    const drawn = { files, isEmpty };
    await this.#phase('store', () => this.#stored('output', () => chunks.keep(key, staged, drawn, this.#signal)));
    return this.#resultOf(writtenOf(files), false);
  }

  /** Makes the output of a flow as soon as all chunks are drawn. @throws WaitsForChunks until then */
  async #runFlow(data: FlowData): Promise<QueuedResult> {
    const { id, flow: parent } = this.#job;
    const chunks = this.#chunks();
    const ranges = chunksOf(data.job, data.flow);
    const failure = await parent.failure();
    if (failure) throw new Failed({ ...failure, retryable: false });
    const drawn = new Map<FrameRange, DrawnChunk>();
    await mapAtOnce(ranges, AT_ONCE, async (range) => {
      const chunk = await this.#stored('input', () => chunks.find({ flow: id, range }, this.#signal));
      if (chunk) drawn.set(range, chunk);
    });
    await parent.drawMissing(ranges.filter((range) => !drawn.has(range)));
    if (data.job['allow-empty'] !== true && [...drawn.values()].every(({ isEmpty }) => isEmpty))
      throw new Failed({ code: 'empty', message: EMPTY, retryable: false });
    const staged = await this.#stage();
    const kind = kindOf(data.job, data.flow);
    const folder = kind === 'files' ? staged : await this.#stage();
    for (const [range, chunk] of drawn)
      await this.#stored('input', () => chunks.collect({ flow: id, range }, chunk, folder, this.#signal));
    if (kind !== 'files') await this.#assemble(data, staged, folder);
    return this.#resultOf(await this.#phase('store', () => this.#publish(data.job, staged)), false);
  }

  /** Lets a warm process make one file of the frames in a folder. */
  async #assemble({ job, flow }: FlowData, staged: string, folder: string): Promise<void> {
    const { id, attempt } = this.#job;
    const { encoder, sheet } = flow;
    const frames = chunksOf(job, flow).flatMap((range) => frameNames(job, range).map((name) => join(folder, name)));
    const { output, input, ...options } = job;
    const path = join(staged, lastPart(output));
    const local: FarmJob = encoder
      ? { id, module: encoder.module, data: encoder.data, output: path }
      : ({ ...options, ...this.#labelled(input), id, ...(sheet ? { sheet: path } : { output: path }) } as GltfJob);
    const result = await this.#context.renderer.run(local, { signal: this.#signal, attempt, frames });
    if (result.code !== undefined) throw new Failed(result);
    this.#reportPhases(result);
  }

  /** The input of an output that is made of frames: only its name is used, for the labels of a sheet. */
  #labelled(input: string | undefined): { input?: string } {
    if (input === undefined) return {};
    // The command takes some signs for a pattern.
    return {
      input: isAddress(input) ? lastPart(input).replace(/[*?[\]{}()!]/g, '_') : join(this.#context.inputs, input),
    };
  }

  /** @throws QueueError if intermediate files cannot be kept */
  #chunks(): ChunkStore {
    const { chunks, outputPrefix } = this.#context;
    if (chunks) return chunks;
    throw new QueueError(
      'invalid-job',
      `The outputs of this worker go to ${quoted(outputPrefix!)}, where the chunks of a flow can be neither listed nor `
        + 'removed; give workers a folder or an address with s3: as their output, or add the job without "chunk"'
    );
  }

  async #stage(): Promise<string> {
    const folder = await this.#context.outputs.stage();
    this.#folders.push(folder);
    return folder;
  }

  /** Removes what is not needed any more. */
  async close(): Promise<void> {
    for (const folder of this.#folders) await removeFolder(folder).catch(() => undefined);
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
  async #localJob({ job, inputs }: JobData, staged: string | undefined): Promise<FarmJob> {
    const { id } = this.#job;
    const output = job.output === undefined ? undefined : join(staged!, lastPart(job.output));
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
  async #publish(job: QueuedJob, staged?: string, made?: Omit<WrittenFile, 'name'>): Promise<Written> {
    const { outputs, outputPrefix } = this.#context;
    const { output } = job;
    // Without a file, what the module returned is only known by its hash.
    if (output === undefined || staged === undefined) return { sha256: made!.sha256, bytes: made!.bytes, files: [] };
    const isRemote = isAddress(output);
    // A module may have written other bytes than it returned.
    const known = isModule(job) ? undefined : made;
    const files = await outputs.list(staged, isRemote ? lastPart(output) : output, known);
    if (files.length === 0) throw new QueueError('output', `The job has not written ${quoted(output)}`);
    if (isRemote && files.length > 1)
      throw new QueueError('invalid-job', `The output ${quoted(output)} is one file, and the job has ${files.length}`);
    if (isRemote) return writtenOf([await this.#put(staged, files[0], output)]);
    if (outputPrefix !== undefined)
      return writtenOf(await mapAtOnce(files, AT_ONCE, (file) => this.#put(staged, file, outputPrefix + file.name)));
    await outputs.publish(staged, files);
    const written = writtenOf(files);
    await outputs.record(this.#job.id, written);
    return written;
  }

  async #put(staged: string, { name, sha256, bytes }: WrittenFile, address: string): Promise<WrittenFile> {
    const file = join(staged, basename(name));
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
