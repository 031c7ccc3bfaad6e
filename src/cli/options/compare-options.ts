// Parses the arguments of `rasterloom compare`; mistakes become sentences.
import { parseArgs } from 'node:util';
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import { explain, joinNegativeNumbers } from './argument-errors';

/** Arguments of `rasterloom compare`. */
export interface CompareCommand {
  kind: 'compare';
  /** Paths of the pictures. */
  first: string;
  second: string;
  /** Path of a picture of the differences; undefined: none. */
  output: string | undefined;
  /** Difference of colours, 0 to 1, up to which pixels count as equal. */
  threshold: number;
  /** Share of different pixels, 0 to 1, up to which pictures are alike. */
  maxDifferent: number;
  /** Structural similarity, -1 to 1, from which on pictures are alike. */
  minSsim: number;
  json: boolean;
}

export const COMPARE_OPTIONS = {
  output: { type: 'string', short: 'o' },
  threshold: { type: 'string' },
  'max-different': { type: 'string' },
  'min-ssim': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HINT = '"rasterloom compare --help"';
const EXAMPLE = 'rasterloom compare a.png b.png';

/** Parses the arguments; the first positional one is `compare` itself. @throws CommandError */
export function parseCompare(words: readonly string[]): CompareCommand | { kind: 'help'; topic: 'compare' } {
  let parsed;
  try {
    parsed = parseArgs({
      args: joinNegativeNumbers(words),
      options: COMPARE_OPTIONS,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new CommandError(explain(error, words, Object.keys(COMPARE_OPTIONS), HINT));
  }
  const {
    values,
    positionals: [, first, second, ...more],
  } = parsed;
  if (values.help) return { kind: 'help', topic: 'compare' };
  if (first === undefined || second === undefined) throw new CommandError(`Two pictures are needed: ${EXAMPLE}`);
  if (more.length > 0)
    throw new CommandError(`Only two pictures can be compared at a time; ${quoted(more[0])} is one too many.`);
  if (values.output !== undefined && !/\.png$/i.test(values.output))
    throw new CommandError(`The difference ${quoted(values.output)} must end in .png.`);
  return {
    kind: 'compare',
    first,
    second,
    output: values.output,
    threshold: parseShare(values.threshold, '--threshold', 0.1, 0),
    maxDifferent: parseShare(values['max-different'], '--max-different', 0, 0),
    minSsim: parseShare(values['min-ssim'], '--min-ssim', -1, -1),
    json: values.json ?? false,
  };
}

function parseShare(text: string | undefined, option: string, otherwise: number, least: number): number {
  if (text === undefined) return otherwise;
  const value = /^-?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= 1))
    throw new CommandError(`${option} must be a number from ${least} to 1, not ${quoted(text)}.`);
  return value;
}
