// Warm processes or threads that run jobs: one try of each.
import { existsSync } from 'node:fs';
import { quoted } from '../base/printable';
import { closestWord } from '../base/closest-word';
import { FARM_CODES, type FarmCode } from './codes';
import type { JobAnswer, JobWork, ModuleWork } from './jobs';
import { budgetOf, readPoolOptions, type PoolSettings } from './options';
import { describeEnd, reasonOf, type End } from './pool/executor';
import { residentTotal } from './pool/memory-guard';
import { TaskPool } from './pool/task-pool';
import type { Outcome } from './pool/warm-worker';
import type { FarmFailure, FarmJob, FarmResult, PoolOptions } from './types';

/** The command's script, next to the built module, or in build/ when the sources are run directly. */
function workerScript(): URL {
  const built = new URL('cli.js', import.meta.url);
  const fromSources = new URL('../../build/cli.js', import.meta.url);
  return existsSync(built) || !existsSync(fromSources) ? built : fromSources;
}

/** What holds for one try of a job. */
export interface TryOptions {
  /** Cancels the try: its process ends. */
  readonly signal?: AbortSignal;
  /** Number of the try, from 1. Default: 1. */
  readonly attempt?: number;
  /**
   * PNG files of all pictures of the job, in order: the frames, or each frame with its passes. They are put together
   * to the animated picture or the sheet of a glTF job, whose model is not read, or are given to a module.
   */
  readonly frames?: readonly string[];
}

/**
 * Processes or threads that stay warm between jobs. They start when they are needed, and do not keep the program
 * running while they are idle.
 *
 *     const pool = new WarmPool({ concurrency: 2 });
 *     const result = await pool.run({ input: 'model.glb', output: 'model.png' });
 *     await pool.close();
 */
export class WarmPool {
  readonly #settings: PoolSettings;
  readonly #pool: TaskPool<JobWork, JobAnswer>;

  /** @throws TypeError if an option is wrong */
  constructor(options: PoolOptions = {}) {
    this.#settings = readPoolOptions(options);
    const { concurrency, isolate, memoryBytes } = this.#settings;
    const how = { script: workerScript(), isolation: isolate, keepsCode: true };
    this.#pool = new TaskPool({ ...how, size: concurrency, memoryBytes });
  }

  /** Most jobs that run at the same time. */
  get size(): number {
    return this.#pool.size;
  }

  /** Jobs that are running. */
  get busy(): number {
    return this.#pool.busy;
  }

  /** Resident memory in bytes of this process and of all that it has started. Without /proc, only of this process. */
  get residentBytes(): number {
    return residentTotal();
  }

  /** Limit for that memory in bytes: the option of this name, or its default. */
  get memoryBytes(): number {
    return this.#settings.memoryBytes;
  }

  /**
   * Runs one try of a job, as soon as a process is free. A failure is a result, too.
   * @throws the signal's reason if it is aborted, or an Error if the pool was closed
   */
  async run(job: FarmJob, { signal, attempt = 1, frames }: TryOptions = {}): Promise<FarmResult> {
    const id = idOf(job);
    let answer: JobAnswer;
    try {
      const work = this.#workOf(job, { id, attempt, frames });
      answer = this.#answerOf(await this.#pool.run(work, { timeoutMs: this.#settings.timeoutMs, signal }));
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      answer = { code: 'invalid-job', message: error.message };
    }
    return 'code' in answer ? failureOf(id, answer, attempt) : { id, ...answer, attempts: attempt };
  }

  /** Ends all processes, also those that are busy, and resolves when they have ended. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** @throws JobError */
  #workOf(job: FarmJob, { id, attempt, frames }: Pick<ModuleWork, 'id' | 'attempt' | 'frames'>): JobWork {
    if (typeof job !== 'object' || job === null || Array.isArray(job))
      throw new JobError(`A job is an object such as { input: 'a.glb', output: 'a.png' }, not ${quoted(job)}.`);
    const { threads } = this.#settings;
    const share = { threads, memoryBytes: budgetOf(this.#settings) };
    if (job.module === undefined) return { kind: 'gltf', job, share, frames };
    const { module, data, output, ...others } = job;
    const [other] = Object.keys(others).filter((name) => name !== 'id');
    if (other !== undefined) throw new JobError(`A job with a module has no ${quoted(other)}; put it into data.`);
    if (output !== undefined && typeof output !== 'string')
      throw new JobError(`The output of a job must be a path, not ${quoted(output)}.`);
    return { kind: 'module', share, id, attempt, module, url: this.#urlOf(module), data, output, frames };
  }

  /** @throws JobError */
  #urlOf(module: string): string {
    const { modules } = this.#settings;
    const url = modules.get(module);
    if (url !== undefined) return url;
    const hint = closestWord(module, [...modules.keys()]);
    throw new JobError(
      `There is no module ${quoted(module)} in the option modules.${hint ? ` Did you mean ${quoted(hint)}?` : ''}`
    );
  }

  #answerOf(outcome: Outcome<JobAnswer>): JobAnswer {
    if ('answer' in outcome) return outcome.answer;
    if ('unsent' in outcome)
      return { code: 'invalid-job', message: `The data of the job cannot be copied: ${reasonOf(outcome.unsent)}.` };
    return { ...failureOfEnd(outcome.ended, outcome.end, this.#settings) };
  }
}

/** A job that is wrong. */
class JobError extends Error {}

function idOf(job: unknown): string {
  const id = (job as { id?: unknown } | null)?.id;
  return typeof id === 'string' ? id : '0';
}

function failureOf(
  id: string,
  { code, message, retryable = FARM_CODES[code].retryable }: Extract<JobAnswer, { code: FarmCode }>,
  attempts: number
): FarmFailure {
  return { id, code, message, retryable, attempts, quarantined: false };
}

/** Why a job failed whose worker has ended. */
function failureOfEnd(
  reason: Extract<Outcome<JobAnswer>, { ended: unknown }>['ended'],
  end: End,
  { timeoutMs, memoryBytes, isolate }: PoolSettings
): Extract<JobAnswer, { code: FarmCode }> {
  if (reason === 'timeout') return { code: 'timeout', message: `The job took longer than ${timeoutMs} ms.` };
  if (reason === 'memory')
    return {
      code: 'memory-limit',
      message: `All processes together took more than ${Math.floor(memoryBytes / 2 ** 20)} MiB, most of them this job.`,
    };
  if (reason === 'start') return { code: 'start', message: `No ${isolate} could be started: it ${describeEnd(end)}.` };
  return { code: 'crash', message: `The ${isolate} that ran the job ${describeEnd(end)}.` };
}
