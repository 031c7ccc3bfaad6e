// Parses the arguments of `rasterloom shader`; mistakes become sentences.
import { parseArgs } from 'node:util';
import { closestWord } from '../../base/closest-word';
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import { explain, joinNegativeNumbers } from './argument-errors';

/** What can be printed for an entry point, in order of output. */
const PRINTS = ['interface', 'ir', 'bytecode', 'wasm'] as const;
export type Print = (typeof PRINTS)[number];
const STAGES = ['vertex', 'geometry', 'primitive', 'tess_control', 'tess_evaluation', 'fragment', 'compute'] as const;
type Stage = (typeof STAGES)[number];

/** Arguments of `rasterloom shader`. */
export interface ShaderCommand {
  kind: 'shader';
  /** Path of the shader; `-` is standard input. */
  file: string;
  /** Name of the requested entry point; undefined: all. */
  entry: string | undefined;
  stage: Stage | undefined;
  prints: Print[];
  /** Values of overrides, by their names in the command. */
  overrides: Record<string, number>;
  json: boolean;
}

export const SHADER_OPTIONS = {
  entry: { type: 'string', short: 'e' },
  stage: { type: 'string' },
  print: { type: 'string', short: 'p', multiple: true },
  override: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HINT = '"rasterloom shader --help"';

/** Parses the arguments; the first positional one is `shader` itself. Throws CommandError. */
export function parseShader(words: readonly string[]): ShaderCommand | { kind: 'help'; topic: 'shader' } {
  let parsed;
  try {
    parsed = parseArgs({
      args: joinNegativeNumbers(words),
      options: SHADER_OPTIONS,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new CommandError(explain(error, words, Object.keys(SHADER_OPTIONS), HINT));
  }
  const {
    values,
    positionals: [, file, ...more],
  } = parsed;
  if (values.help) return { kind: 'help', topic: 'shader' };
  if (file === undefined)
    throw new CommandError(
      'A shader to check is missing: rasterloom shader file.wgsl. The name - reads standard input.'
    );
  if (more.length > 0)
    throw new CommandError(`Only one shader can be checked at a time; ${quoted(more[0])} is one too many.`);
  return {
    kind: 'shader',
    file,
    entry: values.entry,
    stage: values.stage === undefined ? undefined : oneOf('stage', values.stage, STAGES),
    prints: parsePrints(values.print ?? []),
    overrides: parseOverrides(values.override ?? []),
    json: values.json ?? false,
  };
}

function oneOf<T extends string>(option: string, text: string, values: readonly T[]): T {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  const hint = closestWord(text, values);
  throw new CommandError(
    `--${option} must be one of ${values.join(', ')}, not ${quoted(text)}.${hint ? ` Did you mean ${hint}?` : ''}`
  );
}

function parsePrints(given: readonly string[]): Print[] {
  const wanted = given
    .flatMap((list) => list.split(','))
    .map((word) => word.trim())
    .map((word) => oneOf('print', word, [...PRINTS, 'all']));
  return PRINTS.filter((print) => wanted.includes(print) || wanted.includes('all'));
}

function parseOverrides(given: readonly string[]): Record<string, number> {
  const values: Record<string, number> = {};
  for (const word of given) {
    const [, name, text] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(word) ?? [];
    const value = text === 'true' ? 1 : text === 'false' ? 0 : text ? Number(text) : NaN;
    if (name === undefined || !Number.isFinite(value))
      throw new CommandError(
        `--override must be a name and a number, as in scale=2.5 or enabled=true, not ${quoted(word)}.`
      );
    if (Object.hasOwn(values, name)) throw new CommandError(`--override sets ${quoted(name)} twice.`);
    values[name] = value;
  }
  return values;
}
