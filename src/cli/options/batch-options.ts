// Options for all models of a command together.
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import { parseSheet, SHEET_OPTIONS, type SheetRequest } from './sheet-options';

export const BATCH_OPTIONS = {
  resume: { type: 'boolean' },
  parallel: { type: 'string' },
  timeout: { type: 'string' },
  memory: { type: 'string' },
  ...SHEET_OPTIONS,
} as const;

/** What models may take. */
export interface Limits {
  /** Milliseconds for each model. */
  readonly timeoutMs: number | undefined;
  /** Resident memory of all processes together in bytes. */
  readonly memoryBytes: number | undefined;
}

export interface BatchOptions {
  /** Whether outputs whose inputs and options have not changed are kept. */
  resume: boolean;
  /** Processes that render at the same time. */
  parallel: number;
  /** Limits, for which models are rendered in processes that can be ended; undefined: there are none. */
  limits: Limits | undefined;
  /** A picture with all pictures; undefined: none. */
  sheet: SheetRequest | undefined;
}

const MAX_PROCESSES = 64;
/** Longest time of a model in seconds, and memory in MiB: least for each process, and most. */
const MAX_SECONDS = 86_400;
const LEAST_MIB = 256;
const MAX_MIB = 9_999_999;
const MIB = 2 ** 20;

type Values = {
  [Name in 'parallel' | 'timeout' | 'memory' | 'trace' | 'quality' | 'size' | keyof typeof SHEET_OPTIONS]?:
    string | undefined;
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
  return { resume, parallel: Number(parallel), limits: parseLimits(values, Number(parallel)), sheet };
}

/** @throws CommandError */
function parseLimits({ timeout, memory }: Values, parallel: number): Limits | undefined {
  if (timeout === undefined && memory === undefined) return undefined;
  const seconds = /^(\d+\.?\d*|\.\d+)$/.test(timeout ?? '1') ? Number(timeout) : NaN;
  if (timeout !== undefined && !(seconds >= 0.001 && seconds <= MAX_SECONDS))
    throw new CommandError(
      `--timeout must be a number of seconds from 0.001 to ${MAX_SECONDS}, not ${quoted(timeout)}.`
    );
  const least = LEAST_MIB * parallel;
  const mib = /^\d{1,7}$/.test(memory ?? '') ? Number(memory) : NaN;
  if (memory !== undefined && !(mib >= least && mib <= MAX_MIB))
    throw new CommandError(
      `--memory must be a whole number of MiB from ${least} to ${MAX_MIB} for --parallel ${parallel}, `
        + `not ${quoted(memory)}.`
    );
  return {
    timeoutMs: timeout === undefined ? undefined : Math.ceil(seconds * 1000),
    memoryBytes: memory === undefined ? undefined : mib * MIB,
  };
}
