// Parses the arguments of `rasterloom page`; mistakes become sentences.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { quoted } from '../../base/printable';
import type { PageAction, RunPageOptions } from '../../page-runner';
import { CommandError } from '../errors';
import { explain, joinNegativeNumbers } from './argument-errors';

/** Arguments of `rasterloom page`. */
export interface PageCommand {
  kind: 'page';
  /** Path of the HTML file. */
  input: string;
  /** Path of the picture; `{frame}` stands for the number of the frame. */
  output: string;
  options: RunPageOptions;
  /** Whether missing files and errors of the page are only printed. */
  allowMissing: boolean;
  allowErrors: boolean;
  allowEmpty: boolean;
}

export const PAGE_OPTIONS = {
  output: { type: 'string', short: 'o' },
  size: { type: 'string' },
  'at-frame': { type: 'string', multiple: true },
  'at-time': { type: 'string', multiple: true },
  canvas: { type: 'string' },
  root: { type: 'string' },
  click: { type: 'string', multiple: true },
  key: { type: 'string', multiple: true },
  script: { type: 'string', multiple: true },
  seed: { type: 'string' },
  timeout: { type: 'string' },
  threads: { type: 'string' },
  font: { type: 'string', multiple: true },
  'allow-network': { type: 'boolean' },
  'allow-missing': { type: 'boolean' },
  'allow-errors': { type: 'boolean' },
  'allow-empty': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HINT = '"rasterloom page --help"';
const EXAMPLE = 'rasterloom page index.html -o page.png';
const TYPES = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', webp: 'image/webp' } as const;
const FRAMES_PER_SECOND = 60;
const MAX_FRAME = 1_000_000;

/** Parses the arguments; the first positional one is `page` itself. @throws CommandError */
export function parsePage(words: readonly string[]): PageCommand | { kind: 'help'; topic: 'page' } {
  let parsed;
  try {
    parsed = parseArgs({
      args: joinNegativeNumbers(words),
      options: PAGE_OPTIONS,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
  } catch (error) {
    throw new CommandError(explain(error, words, Object.keys(PAGE_OPTIONS), HINT));
  }
  const {
    values,
    tokens,
    positionals: [, input, ...more],
  } = parsed;
  if (values.help) return { kind: 'help', topic: 'page' };
  if (input === undefined) throw new CommandError(`A page is missing: ${EXAMPLE}`);
  if (more.length > 0)
    throw new CommandError(`Only one page can be run at a time; ${quoted(more[0])} is one too many.`);
  if (values.output === undefined) throw new CommandError(`The file for the picture is missing: ${EXAMPLE}`);
  const frames = framesOf(values['at-frame'], values['at-time']);
  checkOutputName(values.output, frames.length);
  const seconds = values.timeout === undefined ? 60 : numberOf(values.timeout, '--timeout', 0.001, 2_000_000);
  return {
    kind: 'page',
    input,
    output: values.output,
    options: {
      ...sizeOf(values.size),
      frames,
      type: typeOf(values.output),
      actions: actionsOf(tokens),
      timeoutMs: Math.ceil(seconds * 1000),
      network: values['allow-network'] ?? false,
      ...(values.canvas !== undefined && { canvas: values.canvas }),
      ...(values.root !== undefined && { root: values.root }),
      ...(values.seed !== undefined && { seed: wholeOf(values.seed, '--seed', 0, 2 ** 32 - 1) }),
      ...(values.font !== undefined && { fonts: fontsOf(values.font) }),
      ...(values.threads !== undefined && { threads: wholeOf(values.threads, '--threads', 0, 64) }),
    },
    allowMissing: values['allow-missing'] ?? false,
    allowErrors: values['allow-errors'] ?? false,
    allowEmpty: values['allow-empty'] ?? false,
  };
}

function numberOf(text: string, option: string, least: number, most: number): number {
  const value = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw new CommandError(`${option} must be a number from ${least} to ${most}, not ${quoted(text)}.`);
  return value;
}

function wholeOf(text: string, option: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw new CommandError(`${option} must be an integer from ${least} to ${most}, not ${quoted(text)}.`);
  return value;
}

function sizeOf(text: string | undefined): { width?: number; height?: number } {
  if (text === undefined) return {};
  const [, width, height] = /^(\d+)x(\d+)$/i.exec(text) ?? [];
  if (width === undefined)
    throw new CommandError(`--size must be WIDTHxHEIGHT, such as 1280x720, not ${quoted(text)}.`);
  return { width: wholeOf(width, '--size', 1, 16_384), height: wholeOf(height!, '--size', 1, 16_384) };
}

function framesOf(frames: readonly string[] = [], times: readonly string[] = []): number[] {
  const numbers = [
    ...frames.map((text) => wholeOf(text, '--at-frame', 1, MAX_FRAME)),
    ...times.map((text) =>
      Math.max(1, Math.round(numberOf(text, '--at-time', 0, MAX_FRAME / FRAMES_PER_SECOND) * FRAMES_PER_SECOND))
    ),
  ];
  return numbers.length === 0 ? [1] : [...new Set(numbers)];
}

/** Clicks, keys and scripts in the order of the command line. */
function actionsOf(tokens: readonly { kind: string; name?: string; value?: string | undefined }[]): PageAction[] {
  return tokens.flatMap(({ name, value = '' }): PageAction[] => {
    if (name === 'key') return [{ kind: 'key', key: value }];
    if (name === 'script') return [{ kind: 'script', file: resolve(value) }];
    if (name !== 'click') return [];
    const [, x, y] = /^(\d+),(\d+)$/.exec(value) ?? [];
    if (x === undefined) throw new CommandError(`--click must be X,Y in pixels, such as 100,50, not ${quoted(value)}.`);
    return [{ kind: 'click', x: Number(x), y: Number(y) }];
  });
}

function fontsOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((text) => {
      const [, family, file] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (family === undefined)
        throw new CommandError(`--font must be FAMILY=FILE, such as Lato=fonts/Lato.ttf, not ${quoted(text)}.`);
      return [family, resolve(file!)];
    })
  );
}

function typeOf(output: string): (typeof TYPES)[keyof typeof TYPES] {
  const ending = /\.(\w+)$/.exec(output)?.[1]?.toLowerCase() ?? 'png';
  if (output === '-') return 'image/png';
  if (ending in TYPES) return TYPES[ending as keyof typeof TYPES];
  throw new CommandError(`The picture ${quoted(output)} must end in .png, .jpg, .jpeg or .webp.`);
}

function checkOutputName(output: string, count: number): void {
  if (count > 1 && !output.includes('{frame}'))
    throw new CommandError(
      `${count} pictures need names of their own: put {frame} in the name, as in -o 'page-{frame}.png'`
    );
}
