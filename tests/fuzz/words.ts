// Arguments of the command line: each gives a command or a one-sentence error, never another exception.
import * as fc from 'fast-check';
import { CommandError } from '../../src/cli/errors';
import { parseCommand } from '../../src/cli/options/options';
import { printed } from '../../src/base/printable';
import { wordCorpus } from './corpus';
import type { Target } from './target';

const OPTIONS = [
  'output',
  'size',
  'samples',
  'camera',
  'aperture',
  'focus',
  'background',
  'pass',
  'shading-rate',
  'engine',
  'threads',
  'sample',
  'stats',
  'json',
  'model-memory',
  'allow-external',
  'allow-network',
  'help',
  'version',
  'print',
  'entry',
  'override',
  'stage',
];
const value = fc.oneof(
  fc.constantFrom(
    '',
    '-',
    '--',
    '-1',
    '0',
    '1e999',
    'NaN',
    '4294967296',
    '1x1',
    '8193x1',
    '0x0',
    'auto',
    'jit',
    '#12',
    '1,2,3',
    'f/2',
    '-o',
    '__proto__',
    'toString',
    '512M',
    '1T',
    'a=b',
    '=',
    '\x1b]0;x\x07'
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double().map(String),
  fc.integer().map(String),
  fc.string({ unit: fc.constantFrom('9'), minLength: 300, maxLength: 400 })
);
const option = fc.constantFrom(...OPTIONS, ...OPTIONS.map((name) => name.slice(0, -1)), '', 'toString', '__proto__');
const word = fc.oneof(
  fc.constantFrom('render', 'shader', 'help', 'version', 'rendr', 'model.glb', 'x.wgsl', '-ho', '-o', '-s', '-vh'),
  option.map((name) => `--${name}`),
  fc.tuple(option, value).map(([name, text]) => `--${name}=${text}`),
  value
);
const line = fc
  .tuple(fc.constantFrom('render', 'shader', 'help', ''), fc.array(word, { maxLength: 12 }))
  .map(([command, words]) => (command === '' ? words : [command, ...words]));

function mistakeInWords(words: readonly string[]): string | null {
  try {
    parseCommand(words);
    return null;
  } catch (error) {
    if (!(error instanceof CommandError)) return `${String(error)}: ${JSON.stringify(words)}`;
    const { message } = error;
    if (message.length > 2000) return `${message.length} characters of message: ${JSON.stringify(words)}`;
    return printed(message).includes('\x1b') ? `raw escapes: ${JSON.stringify(words)}` : null;
  }
}

export const words: Target = {
  what: 'lines of words',
  maxAttemptMs: 2000,
  reopenAfter: 100_000,
  open: async () => {
    const found = wordCorpus.map(mistakeInWords).find((mistake) => mistake !== null);
    return (seed) => found ?? mistakeInWords(fc.sample(line, { seed, numRuns: 1 })[0]!);
  },
};
