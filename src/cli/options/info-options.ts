// Parses the arguments of `rasterloom info`; mistakes become sentences.
import { parseArgs } from 'node:util';
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import { explain, joinNegativeNumbers } from './argument-errors';

/** Arguments of `rasterloom info`. */
export interface InfoCommand {
  kind: 'info';
  /** Path of the model, or `-` for standard input. */
  model: string;
  json: boolean;
  allowExternal: boolean;
  allowNetwork: boolean;
}

export const INFO_OPTIONS = {
  json: { type: 'boolean' },
  'allow-external': { type: 'boolean' },
  'allow-network': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HINT = '"rasterloom info --help"';

/** Parses the arguments; the first positional one is `info` itself. @throws CommandError */
export function parseInfo(words: readonly string[]): InfoCommand | { kind: 'help'; topic: 'info' } {
  let parsed;
  try {
    parsed = parseArgs({
      args: joinNegativeNumbers(words),
      options: INFO_OPTIONS,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new CommandError(explain(error, words, Object.keys(INFO_OPTIONS), HINT));
  }
  const {
    values,
    positionals: [, model, ...more],
  } = parsed;
  if (values.help) return { kind: 'help', topic: 'info' };
  if (model === undefined) throw new CommandError('A model is missing: rasterloom info model.glb');
  if (more.length > 0)
    throw new CommandError(`Only one model can be described at a time; ${quoted(more[0])} is one too many.`);
  return {
    kind: 'info',
    model,
    json: values.json ?? false,
    allowExternal: values['allow-external'] ?? false,
    allowNetwork: values['allow-network'] ?? false,
  };
}
