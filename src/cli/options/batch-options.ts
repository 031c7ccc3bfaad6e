// Options for all models of a command together.
import { CommandError } from '../errors';

export const BATCH_OPTIONS = { resume: { type: 'boolean' } } as const;

export interface BatchOptions {
  /** Whether outputs whose inputs and options have not changed are kept. */
  resume: boolean;
}

interface Values {
  resume?: boolean | undefined;
  trace?: string | undefined;
}

/** @throws CommandError */
export function parseBatch({ resume = false, trace }: Values): BatchOptions {
  if (resume && trace !== undefined)
    throw new CommandError('--trace shows how a picture is drawn, and --resume may keep it; leave out one of them.');
  return { resume };
}
