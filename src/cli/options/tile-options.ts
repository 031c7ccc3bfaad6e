// Parses the arguments of `rasterloom tile`; mistakes become sentences.
import { parseArgs } from 'node:util';
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import { PAGE_SIZES } from '../tile-file';
import { explain, joinNegativeNumbers } from './argument-errors';

/** Arguments of `rasterloom tile`. */
export interface TileCommand {
  kind: 'tile';
  /** Path of a model or an image. */
  input: string;
  /** Folder for the tiles. */
  output: string;
  /** Width and height of a page in texels. */
  pageSize: number;
  /** Whether an image contains data rather than colours. */
  data: boolean;
  json: boolean;
  allowExternal: boolean;
  allowNetwork: boolean;
}

export const TILE_OPTIONS = {
  output: { type: 'string', short: 'o' },
  'page-size': { type: 'string' },
  data: { type: 'boolean' },
  json: { type: 'boolean' },
  'allow-external': { type: 'boolean' },
  'allow-network': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HINT = '"rasterloom tile --help"';
const DEFAULT_PAGE_SIZE = 128;

/** Parses the arguments; the first positional one is `tile` itself. @throws CommandError */
export function parseTile(words: readonly string[]): TileCommand | { kind: 'help'; topic: 'tile' } {
  let parsed;
  try {
    parsed = parseArgs({
      args: joinNegativeNumbers(words),
      options: TILE_OPTIONS,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new CommandError(explain(error, words, Object.keys(TILE_OPTIONS), HINT));
  }
  const {
    values,
    positionals: [, input, ...more],
  } = parsed;
  if (values.help) return { kind: 'help', topic: 'tile' };
  if (input === undefined)
    throw new CommandError('A model or image to tile is missing: rasterloom tile model.glb -o tiles');
  if (more.length > 0)
    throw new CommandError(`Only one model or image can be tiled at a time; ${quoted(more[0])} is one too many.`);
  if (values.output === undefined)
    throw new CommandError(`The folder for the tiles is missing: rasterloom tile ${input} -o tiles`);
  return {
    kind: 'tile',
    input,
    output: values.output,
    pageSize: parsePageSize(values['page-size']),
    data: values.data ?? false,
    json: values.json ?? false,
    allowExternal: values['allow-external'] ?? false,
    allowNetwork: values['allow-network'] ?? false,
  };
}

function parsePageSize(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PAGE_SIZE;
  const size = PAGE_SIZES.find((each) => String(each) === text);
  if (size === undefined)
    throw new CommandError(`--page-size must be one of ${PAGE_SIZES.join(', ')}, not ${quoted(text)}.`);
  return size;
}
