// Reads a file of jobs for a queue: one JSON object per line.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { quoted } from '../../base/printable';
import type { QueueJob } from '../../farm';
import { reason } from '../../node/models/files';
import { CommandError, InputError } from '../errors';
import { readAll, readFileUpTo, type Input } from '../input';
import { SHEET_OPTIONS } from '../options/sheet-options';
import { parseObject, readJob } from '../render/jobs';
import { Mistakes } from '../render/mistakes';

const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** Members of a job that are no options of the command. */
const OF_QUEUE = ['id', 'priority', 'sha256', 'chunk', 'encoder', 'data'] as const;

/**
 * Reads all jobs, and checks them, so that a mistake is found before any job is added.
 * @param folder of the inputs
 * @throws CommandError that names all mistakes, or InputError
 */
export async function readQueueJobs(file: string, folder: string, stdin: Input): Promise<QueueJob[]> {
  const name = file === '-' ? 'standard input' : quoted(file);
  const mistakes = new Mistakes();
  const jobs: QueueJob[] = [];
  /** Whether inputs exist. */
  const known = new Map<string, Promise<boolean>>();
  const exists = (input: string): Promise<boolean> => {
    const path = resolve(folder, input);
    const found =
      known.get(path)
      ?? stat(path).then(
        (each) => each.isFile(),
        () => false
      );
    known.set(path, found);
    return found;
  };
  for (const [i, line] of (await readText(file, name, stdin)).split('\n').entries()) {
    if (line.trim() === '') continue;
    const job = await mistakes.of(`${name}, line ${i + 1}`, async () => {
      const parsed = parseLine(line);
      const { input } = parsed as { input?: unknown };
      if (typeof input === 'string' && !/^[a-z][a-z0-9+.-]+:/i.test(input) && !(await exists(input)))
        throw new InputError(`The input ${quoted(input)} does not exist in ${quoted(folder)}.`);
      return parsed;
    });
    if (job) jobs.push(job);
  }
  mistakes.check();
  if (jobs.length === 0) throw new CommandError(`There are no jobs in ${name}.`);
  return jobs;
}

/** @throws CommandError */
function parseLine(line: string): QueueJob {
  const job = parseObject(line);
  if ('module' in job) return job as QueueJob;
  const options = Object.entries(job).filter(([name]) => !OF_QUEUE.some((each) => each === name));
  const isSheet = (name: string): boolean => name in SHEET_OPTIONS;
  // A sheet is one job here, and an encoder gets PNG files.
  const sheet = Object.fromEntries(options.flatMap(([name, value]) => (isSheet(name) ? [[name, String(value)]] : [])));
  const rest = Object.fromEntries(options.filter(([name]) => !isSheet(name)));
  readJob('encoder' in job ? { ...rest, output: '{frame}-{pass}.png' } : rest, sheet, true);
  return job as QueueJob;
}

async function readText(file: string, name: string, stdin: Input): Promise<string> {
  const limit = {
    limit: MAX_FILE_BYTES,
    exceeded: () => new CommandError(`The jobs in ${name} are larger than ${MAX_FILE_BYTES >> 20} MiB; divide them.`),
  };
  try {
    return new TextDecoder().decode(file === '-' ? await readAll(stdin, limit) : await readFileUpTo(file, limit));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new InputError(`The file of jobs ${name} ${reason(error)}.`, { cause: error });
  }
}
