// Options for all models of a command together.
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import { parseSheet, SHEET_OPTIONS, type SheetRequest } from './sheet-options';

export const BATCH_OPTIONS = { resume: { type: 'boolean' }, parallel: { type: 'string' }, ...SHEET_OPTIONS } as const;

export interface BatchOptions {
  /** Whether outputs whose inputs and options have not changed are kept. */
  resume: boolean;
  /** Processes that render at the same time. */
  parallel: number;
  /** A picture with all pictures; undefined: none. */
  sheet: SheetRequest | undefined;
}

const MAX_PROCESSES = 64;

type Values = {
  [Name in 'parallel' | 'trace' | 'quality' | 'size' | keyof typeof SHEET_OPTIONS]?: string | undefined;
} & { resume?: boolean | undefined };

/** @throws CommandError */
export function parseBatch(values: Values): BatchOptions {
  const { resume = false, parallel = '1', trace } = values;
  if (resume && trace !== undefined)
    throw new CommandError('--trace shows how a picture is drawn, and --resume may keep it; leave out one of them.');
  if (!/^[1-9]\d?$/.test(parallel) || Number(parallel) > MAX_PROCESSES)
    throw new CommandError(
      `--parallel must be a whole number of processes from 1 to ${MAX_PROCESSES}, not ${quoted(parallel)}.`
    );
  const sheet = parseSheet(values);
  if (resume && sheet)
    throw new CommandError('--sheet draws all pictures, and --resume may keep some; leave out one of them.');
  return { resume, parallel: Number(parallel), sheet };
}
