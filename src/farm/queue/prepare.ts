// Turns a user's job into what Redis holds of it: without options that change nothing, with the hashes of its inputs.
import { resolve } from 'node:path';
import { quoted } from '../../base/printable';
import type { FarmJob } from '../types';
import { isAddress, versionName } from './addresses';
import { QueueError } from './errors';
import type { FileHashes } from './file-hashes';
import { framesOf, type Flow } from './flows/flow';
import { checkJobData, isModule, isRender, type JobData, type QueuedJob, type QueuedRender } from './job-data';
import { JOB_OPTIONS } from './options';
import type { RemoteVersions } from './remote-versions';

/**
 * An animation that any number of workers draw: a glTF job with `frames` or `turntable`, whose chunks are jobs of their
 * own. The output has the same bytes as without `chunk`.
 */
export interface FlowJob {
  readonly id?: string;
  readonly module?: undefined;
  /** Frames of a chunk, 1 to 10,000. A flow has at most 1,000 chunks. */
  readonly chunk: number;
  /** Numbered files (`film-{frame:4}.png`), an animated picture (`.png`, `.webp`), or what the encoder writes. */
  readonly output?: string;
  /** Instead of `output`: a sheet of all pictures. It may have the options `sheet-columns`, `sheet-cell` and so on. */
  readonly sheet?: string;
  /** Name of a module of the worker, which gets the paths of all frames, and writes the output. */
  readonly encoder?: string;
  /** What the encoder gets. */
  readonly data?: unknown;
  readonly [option: string]: unknown;
}

/** A job for a queue. */
export type QueueJob = (FarmJob | FlowJob) & {
  /** Overrides that of the call. */
  readonly priority?: number;
  /** SHA-256 of an `input` that is an address, in hexadecimal digits. The worker checks it. */
  readonly sha256?: string;
};

interface PrepareOptions {
  /** Number of the job, from 0. */
  readonly number: number;
  readonly version: string;
  /** Folder of the inputs. */
  readonly folder: string;
  readonly hashes: FileHashes;
  readonly versions: Pick<RemoteVersions, 'of'>;
  /** Frames of a chunk, for jobs with more frames that do not say it themselves; undefined: they are not split. */
  readonly chunk?: number | undefined;
}

/** @throws QueueError */
export async function prepareJob(
  job: QueueJob,
  { number, version, folder, hashes, versions, chunk }: PrepareOptions
): Promise<{ data: JobData; priority: number | undefined }> {
  if (typeof job !== 'object' || job === null || Array.isArray(job))
    throw new QueueError(
      'invalid-job',
      `A job is an object such as { input: 'a.glb', output: 'a.png' }, not ${quoted(job)}`
    );
  const { id, priority, sha256, ...rest } = job;
  const { job: queued, flow } = splitFlow(
    Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)),
    chunk
  );
  const inputs: Record<string, string> = {};
  if (isRender(queued)) {
    queued.output = fillNames(queued.output, queued.input, number + 1);
    Object.assign(inputs, await inputsOf(queued, sha256, folder, hashes));
    Object.assign(inputs, await versionsOf(queued, inputs, versions));
  }
  const data = { version, ...(id === undefined ? {} : { name: id }), job: queued, inputs, ...(flow ? { flow } : {}) };
  const modules = new Set(isModule(queued) ? [queued.module] : flow?.encoder ? [flow.encoder.module] : []);
  return { data: checkJobData(data, { version, options: JOB_OPTIONS, modules }), priority };
}

/** Separates what a job says of its flow. @throws QueueError */
function splitFlow(given: Record<string, unknown>, defaultChunk: number | undefined): { job: QueuedJob; flow?: Flow } {
  if ('module' in given) return { job: given as unknown as QueuedJob };
  const wrong = (why: string): QueueError => new QueueError('invalid-job', `The job is refused: ${why}`);
  const { chunk = defaultChunk, sheet, encoder, data, ...options } = given;
  if (sheet !== undefined && options.output !== undefined) throw wrong('it has both "output" and "sheet"');
  if (sheet !== undefined && encoder !== undefined) throw wrong('it has both "sheet" and "encoder"');
  if (data !== undefined && encoder === undefined) throw wrong('"data" needs "encoder" or "module"');
  const job = (sheet === undefined ? options : { ...options, output: sheet }) as unknown as QueuedRender;
  if (sheet === undefined && encoder === undefined) {
    const frames = framesOf(options);
    // A single chunk would be drawn as the job is.
    const isWhole = frames ? chunk === undefined || frames.last - frames.first < Number(chunk) : !('chunk' in given);
    return isWhole ? { job } : { job, flow: { chunk: chunk as number } };
  }
  if (chunk === undefined) throw wrong(`"${sheet === undefined ? 'encoder' : 'sheet'}" needs "chunk"`);
  const made =
    sheet === undefined
      ? { encoder: { module: encoder as string, ...(data === undefined ? {} : { data }) } }
      : { sheet: true as const };
  return { job, flow: { chunk: chunk as number, ...made } };
}

/** Fills {name} and {n}, which a worker cannot know: it runs one job, and has copies of its inputs. */
function fillNames(pattern: unknown, input: string | undefined, n: number): string {
  if (typeof pattern !== 'string')
    throw new QueueError('invalid-job', `"output" must be a text, not ${quoted(pattern)}`);
  const path = input === undefined ? 'sample' : isAddress(input) ? new URL(input).pathname : input;
  const name = path
    .replace(/^.*[\\/]/, '')
    .replace(/\.(glb|gltf)$/i, '')
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*{}]/g, '_');
  return pattern
    .replaceAll('{name}', name.replace(/^\.*$/, 'picture'))
    .replace(/\{n(?::([1-9]))?\}/g, (_, digits: string | undefined) => `${n}`.padStart(Number(digits ?? 1), '0'));
}

/** Hashes of the files that a picture is drawn from, and of addresses whose hash is known. */
async function inputsOf(
  { input, env, sample }: QueuedRender,
  sha256: string | undefined,
  folder: string,
  hashes: FileHashes
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  if (typeof input === 'string' && sample !== true) {
    if (!isAddress(input)) Object.assign(found, await hashes.ofModel(resolve(folder, input), input));
    else if (sha256 !== undefined) found[input] = sha256;
  }
  if (typeof env === 'string' && /\.(hdr|exr)$/i.test(env) && !isAddress(env))
    found[env] = await hashes.of(resolve(folder, env));
  return found;
}

/** Versions of addresses whose hash is not known. */
async function versionsOf(
  { input, env, stream, sample }: QueuedRender,
  hashes: Readonly<Record<string, string>>,
  versions: PrepareOptions['versions']
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of [sample === true ? undefined : input, env, stream]) {
    if (typeof name !== 'string' || !isAddress(name) || name in hashes) continue;
    const version = await versions.of(name);
    if (version !== undefined) found[versionName(name)] = version;
  }
  return found;
}
