// Parses the arguments of `rasterloom cache`; mistakes become sentences.
import { parseArgs } from 'node:util';
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import { explain, joinNegativeNumbers } from './argument-errors';

/** Arguments of `rasterloom cache`. */
export interface CacheCommand {
  kind: 'cache';
  /** Whether files are removed. */
  isClear: boolean;
  json: boolean;
}

export const CACHE_OPTIONS = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

const HINT = '"rasterloom cache --help"';

/** Parses the arguments; the first positional one is `cache` itself. @throws CommandError */
export function parseCache(words: readonly string[]): CacheCommand | { kind: 'help'; topic: 'cache' } {
  let parsed;
  try {
    parsed = parseArgs({
      args: joinNegativeNumbers(words),
      options: CACHE_OPTIONS,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new CommandError(explain(error, words, Object.keys(CACHE_OPTIONS), HINT));
  }
  const {
    values,
    positionals: [, action, ...more],
  } = parsed;
  if (values.help) return { kind: 'help', topic: 'cache' };
  const wrong = action === undefined || action === 'clear' ? more[0] : action;
  if (wrong !== undefined)
    throw new CommandError(`After "rasterloom cache" comes nothing or clear, not ${quoted(wrong)}. See ${HINT}.`);
  return { kind: 'cache', isClear: action === 'clear', json: values.json ?? false };
}
