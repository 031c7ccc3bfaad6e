// Options for all models of a command together.
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';

export const BATCH_OPTIONS = { resume: { type: 'boolean' }, parallel: { type: 'string' } } as const;

export interface BatchOptions {
  /** Whether outputs whose inputs and options have not changed are kept. */
  resume: boolean;
  /** Processes that render at the same time. */
  parallel: number;
}

const MAX_PROCESSES = 64;

interface Values {
  resume?: boolean | undefined;
  parallel?: string | undefined;
  trace?: string | undefined;
}

/** @throws CommandError */
export function parseBatch({ resume = false, parallel = '1', trace }: Values): BatchOptions {
  if (resume && trace !== undefined)
    throw new CommandError('--trace shows how a picture is drawn, and --resume may keep it; leave out one of them.');
  if (!/^[1-9]\d?$/.test(parallel) || Number(parallel) > MAX_PROCESSES)
    throw new CommandError(
      `--parallel must be a whole number of processes from 1 to ${MAX_PROCESSES}, not ${quoted(parallel)}.`
    );
  return { resume, parallel: Number(parallel) };
}
