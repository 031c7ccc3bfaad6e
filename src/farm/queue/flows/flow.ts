// A flow: a job with many frames whose chunks, ranges of frames, are jobs of their own. Workers draw the chunks to
// intermediate files. Then a worker makes the output of them: numbered files, an animated picture, a sheet, or what a
// module encodes.
import { quoted } from '../../../base/printable';
import { QueueError } from '../errors';

/** What a job says of its flow in Redis. */
export interface Flow {
  /** Frames of a chunk. */
  readonly chunk: number;
  /** The output is a sheet of all pictures. */
  readonly sheet?: true;
  /** The output is encoded by a module of the worker. */
  readonly encoder?: { readonly module: string; readonly data?: unknown };
}

/** Numbers of the first and of the last frame. */
export interface FrameRange {
  readonly first: number;
  readonly last: number;
}

/** The options of a job with frames. */
type FrameJob = Readonly<Record<string, unknown>>;

/** Options of a sheet, which only a flow has. */
export const SHEET_OPTIONS: ReadonlySet<string> = new Set([
  'sheet-background',
  'sheet-cell',
  'sheet-columns',
  'sheet-labels',
]);

/** As the command allows. */
const MAX_FRAMES = 10_000;
/** Most chunks of a flow, which a worker adds at once. */
const MAX_CHUNKS = 1000;

/** Frames of a job that are drawn; undefined: it has none. @throws QueueError if their numbers are wrong */
export function framesOf(job: FrameJob): FrameRange | undefined {
  const all = job.frames ?? job.turntable;
  if (all === undefined) return undefined;
  const count = numberOf(all);
  if (!(count >= 1 && count <= MAX_FRAMES)) throw refusal(`its number of frames is ${quoted(all)}`);
  const range = job['frame-range'];
  if (range === undefined) return { first: 0, last: count - 1 };
  const [, first, last] = (/^(\d{1,5})-(\d{1,5})$/.exec(String(range)) ?? []).map(Number);
  if (!(first <= last && last < count))
    throw refusal(`"frame-range" is ${quoted(range)} and not in its ${count} frames`);
  return { first, last };
}

/** Ranges of the chunks of a flow, in order. @throws QueueError */
export function chunksOf(job: FrameJob, { chunk }: Flow): FrameRange[] {
  const frames = framesOf(job);
  if (!frames) throw refusal('"chunk" needs "frames" or "turntable"');
  const count = Math.ceil((frames.last + 1 - frames.first) / chunk);
  if (count > MAX_CHUNKS)
    throw refusal(
      `it has ${count} chunks of ${chunk} frames, and at most ${MAX_CHUNKS} are allowed; use a larger chunk`
    );
  return Array.from({ length: count }, (_, i) => {
    const first = frames.first + i * chunk;
    return { first, last: Math.min(frames.last, first + chunk - 1) };
  });
}

/** Checks what Redis says of a flow. @throws QueueError */
export function checkFlow(value: unknown, job: FrameJob, modules: ReadonlySet<string>): void {
  const { chunk, sheet, encoder, ...others } = value as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refusal(`its flow has the unknown member ${quoted(unknown)}`);
  if (typeof chunk !== 'number' || !Number.isInteger(chunk) || chunk < 1 || chunk > MAX_FRAMES)
    throw refusal(`"chunk" must be a whole number from 1 to ${MAX_FRAMES}, not ${quoted(chunk)}`);
  if (sheet !== undefined && sheet !== true) throw refusal('"sheet" of its flow must be true');
  if (sheet && encoder !== undefined) throw refusal('it has both "sheet" and "encoder"');
  if (encoder !== undefined) {
    const { module } = Object(encoder) as { module?: unknown };
    if (typeof module !== 'string' || !modules.has(module)) {
      const all = [...modules].map(quoted).join(', ') || 'none';
      throw refusal(`this worker has no module ${quoted(module)} as an encoder; its modules are: ${all}`);
    }
  }
  chunksOf(job, { chunk });
}

/** How the output of a flow is made. */
export function kindOf(job: FrameJob, { sheet, encoder }: Flow): 'files' | 'animated' | 'sheet' | 'module' {
  if (encoder) return 'module';
  if (sheet) return 'sheet';
  return /\{frame(:\d)?\}/.test(String(job.output)) ? 'files' : 'animated';
}

/** Names of the files of a chunk that are put together, in the order of the pictures. */
export const frameNames = (job: FrameJob, { first, last }: FrameRange): string[] =>
  Array.from({ length: last + 1 - first }, (_, i) =>
    passesOf(job).map((pass) => `${String(first + i).padStart(5, '0')}${pass}.png`)
  ).flat();

/** What follows the number of the frame in the name of a picture. */
function passesOf({ pass }: FrameJob): string[] {
  const passes = typeof pass === 'string' ? pass.split(',') : [];
  return passes.length > 1 ? passes.map((each) => `-${each}`) : [''];
}

/** The job that draws a chunk, with the output as it is, or with the names of frameNames(). */
export function chunkJob<Job extends FrameJob>(job: Job, flow: Flow, { first, last }: FrameRange): Job {
  const range = { 'frame-range': `${first}-${last}` };
  if (kindOf(job, flow) === 'files') return { ...job, ...range };
  const options = Object.entries(job).filter(([name]) => name !== 'loop' && !SHEET_OPTIONS.has(name));
  const output = passesOf(job).length > 1 ? '{frame:5}-{pass}.png' : '{frame:5}.png';
  return { ...(Object.fromEntries(options) as Job), ...range, output };
}

/** Id of a chunk in Redis: the identity of its flow, and its frames. */
export const chunkId = (flow: string, { first, last }: FrameRange): string => `${flow}.${first}-${last}`;

/** Whether an id is that of a chunk. */
export const isChunkId = (id: string): boolean => id.includes('.');

/** The flow and the frames of a chunk; undefined: it is another job. */
export function readChunkId(id: string): { flow: string; range: FrameRange } | undefined {
  const [, flow, first, last] = /^([^.]*)\.(\d{1,5})-(\d{1,5})$/.exec(id) ?? [];
  return flow === undefined ? undefined : { flow, range: { first: Number(first), last: Number(last) } };
}

/** Frames in messages. */
export const describeRange = ({ first, last }: FrameRange): string =>
  first === last ? `frame ${first}` : `frames ${first} to ${last}`;

const numberOf = (value: unknown): number => (/^\d{1,5}$/.test(String(value)) ? Number(value) : NaN);

const refusal = (why: string): QueueError => new QueueError('invalid-job', `The job is refused: ${why}`);
