// Reads a file of jobs: one JSON object per line, with an input, an output, and options of the command by their long
// names.
import { closestWord } from '../../base/closest-word';
import { plain, quoted } from '../../base/printable';
import { reason } from '../../node/models/files';
import { CommandError, InputError } from '../errors';
import { readAll, readFileUpTo, type Input } from '../input';
import {
  parseRender,
  RENDER_OPTIONS,
  type JobsCommand,
  type RenderCommand,
  type RenderValues,
} from '../options/options';
import { SHEET_OPTIONS } from '../options/sheet-options';
import type { Mistakes } from './mistakes';

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_JOBS = 100_000;

/** Options for the whole command, which a job cannot have. */
const SHEET_NAMES = Object.keys(SHEET_OPTIONS) as (keyof typeof SHEET_OPTIONS)[];
const LIMITS = ['timeout', 'memory'] as const;
const OF_OUTPUT = ['json', 'stats', 'quiet', 'help', 'version'] as const;
const WHOLE = ['jobs', 'resume', 'parallel', ...LIMITS, ...SHEET_NAMES, ...OF_OUTPUT] as const;
type Known = typeof RENDER_OPTIONS;
type Name = Exclude<keyof Known, (typeof WHOLE)[number]>;
const NAMES = (Object.keys(RENDER_OPTIONS) as (keyof Known)[]).filter(
  (name): name is Name => !WHOLE.some((each) => each === name)
);

/** What to render, and where that was said. */
export interface Request {
  readonly command: RenderCommand;
  /** File and line of a job. */
  readonly place?: string;
}

/**
 * Reads all jobs. Broken ones become mistakes.
 * @throws CommandError if there are none, or InputError if the file cannot be read
 */
export async function readJobs({ file, values }: JobsCommand, stdin: Input, mistakes: Mistakes): Promise<Request[]> {
  const name = file === '-' ? 'standard input' : quoted(file);
  const text = await readText(file, name, stdin);
  const requests: Request[] = [];
  let count = 0;
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    if (++count > MAX_JOBS) throw new CommandError(`There are more than ${MAX_JOBS} jobs in ${name}; divide it.`);
    const place = `${name}, line ${i + 1}`;
    const command = await mistakes.of(place, () => readJob(parseObject(line), values, file === '-'));
    if (command) requests.push({ command, place });
  }
  if (count === 0) throw new CommandError(`There are no jobs in ${name}.`);
  return requests;
}

async function readText(file: string, name: string, stdin: Input): Promise<string> {
  const limit = {
    limit: MAX_FILE_BYTES,
    exceeded: () => new CommandError(`The jobs in ${name} are larger than ${MAX_FILE_BYTES >> 20} MiB; divide them.`),
  };
  try {
    const bytes = file === '-' ? await readAll(stdin, limit) : await readFileUpTo(file, limit);
    // The decoder removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (error instanceof TypeError) throw new CommandError(`The jobs in ${name} are not UTF-8.`, { cause: error });
    throw new InputError(`The file of jobs ${name} ${reason(error)}.`, { cause: error });
  }
}

/** @throws CommandError */
export function parseObject(line: string): object {
  let job: unknown;
  try {
    job = JSON.parse(line);
  } catch (error) {
    throw new CommandError(`This is not JSON: ${plain((error as Error).message, 200)}.`);
  }
  if (typeof job !== 'object' || job === null || Array.isArray(job))
    throw new CommandError('A job is an object, as in {"input": "a.glb", "output": "a.png"}.');
  return job;
}

/**
 * Reads a job, an object with an input, an output and options of the command by their long names.
 * @param isStdinTaken whether standard input cannot be its model
 * @throws CommandError
 */
export function readJob(job: object, defaults: RenderValues, isStdinTaken: boolean): RenderCommand {
  const { input, ...options } = job as Record<string, unknown>;
  if (input !== undefined && typeof input !== 'string')
    throw new CommandError(`"input" must be a text, not ${quoted(input)}.`);
  if (input === '-' && isStdinTaken) throw new CommandError('Standard input cannot be both a model and the jobs.');
  const { jobs: _, ...values } = defaults;
  for (const [name, value] of Object.entries(options)) Object.assign(values, { [nameOf(name)]: valueOf(name, value) });
  if (input === undefined && !values.sample) throw new CommandError('"input" is missing, the model to render.');
  return parseRender(values, input === undefined ? [] : [input]);
}

/** @throws CommandError */
function nameOf(name: string): Name {
  const found = NAMES.find((each) => each === name);
  if (found !== undefined) return found;
  if (WHOLE.some((each) => each === name))
    throw new CommandError(`--${name} is for all jobs; give it on the command line.`);
  const hint = closestWord(name, ['input', ...NAMES]);
  throw new CommandError(`There is no option ${quoted(name)}.${hint ? ` Did you mean ${quoted(hint)}?` : ''}`);
}

/** The value as it is written on the command line; null removes an option of the command line. @throws CommandError */
function valueOf(name: string, value: unknown): string | boolean | undefined {
  if (value === null) return undefined;
  const { type } = RENDER_OPTIONS[nameOf(name)];
  if (type === 'boolean') {
    if (typeof value !== 'boolean') throw new CommandError(`"${name}" must be true or false, not ${quoted(value)}.`);
    return value;
  }
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new CommandError(`"${name}" must be a text or a number, not ${quoted(value)}.`);
  return String(value);
}
