// The command line's words to options, and mistakes to sentences.
import { parseArgs } from 'node:util';
import { DEFAULT_ORBIT, type Orbit } from '../gltf/camera';
import { COLOUR_NAMES } from './colour-names';
import { CommandError } from './errors';

/** What a picture can show. */
export const PASSES = ['color', 'overdraw'] as const;

/** What `rasterloom render` is asked to do. */
export interface RenderCommand {
  kind: 'render';
  /** The model's path; undefined renders the bundled sample. */
  model: string | undefined;
  output: string;
  pass: (typeof PASSES)[number];
  width: number;
  height: number;
  samples: 1 | 4;
  orbit: Orbit;
  /** sRGB and alpha, 0…255. */
  background: [r: number, g: number, b: number, a: number];
  stats: boolean;
  json: boolean;
  allowExternal: boolean;
  allowNetwork: boolean;
}

export type Command = RenderCommand | { kind: 'help' } | { kind: 'version' };

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  size: { type: 'string', short: 's' },
  samples: { type: 'string' },
  camera: { type: 'string', short: 'c' },
  background: { type: 'string', short: 'b' },
  pass: { type: 'string' },
  sample: { type: 'boolean' },
  stats: { type: 'boolean' },
  json: { type: 'boolean' },
  'allow-external': { type: 'boolean' },
  'allow-network': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

const COMMANDS = ['render', 'help', 'version'];
/** Larger pictures are refused before anything is read; the device may have a smaller limit. */
const MAX_SIZE = 8192;

/** Parses the words after the program's name. @throws CommandError */
export function parseCommand(words: readonly string[]): Command {
  let parsed;
  try {
    parsed = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new CommandError(explain(error, words));
  }
  const { values, positionals } = parsed;
  const [name, model, ...more] = positionals;
  if (values.help || name === 'help' || words.length === 0) return { kind: 'help' };
  if (values.version || name === 'version') return { kind: 'version' };
  if (name === undefined) throw new CommandError('Say what to do: rasterloom render model.glb -o picture.png');
  if (name !== 'render') {
    const hint = /\.(glb|gltf)$/i.test(name) ? `rasterloom render ${name}` : nearest(name, COMMANDS);
    throw new CommandError(`There is no command ${JSON.stringify(name)}.${hint ? ` Did you mean "${hint}"?` : ''} "rasterloom --help" shows all.`);
  }
  if (more.length > 0) throw new CommandError(`One model at a time: ${JSON.stringify(more[0])} is one too many.`);
  if (model === undefined && !values.sample) throw new CommandError('Name a model to render, or use --sample for the one that comes with rasterloom.');
  if (model !== undefined && values.sample) throw new CommandError('Give either a model or --sample, not both.');
  const pass = parsePass(values.pass ?? 'color');
  return {
    kind: 'render', model, pass,
    output: parseOutput(values.output, model, pass),
    ...parseSize(values.size ?? '1280x720'),
    samples: parseSamples(values.samples ?? '4'),
    orbit: values.camera === undefined ? DEFAULT_ORBIT : parseCamera(values.camera),
    background: parseBackground(values.background ?? '#cfd2d7'),
    stats: values.stats ?? false,
    json: values.json ?? false,
    allowExternal: values['allow-external'] ?? false,
    allowNetwork: values['allow-network'] ?? false,
  };
}

function parsePass(text: string): RenderCommand['pass'] {
  const pass = PASSES.find((name) => name === text);
  if (pass === undefined) {
    const hint = nearest(text, PASSES);
    throw new CommandError(`There is no pass ${JSON.stringify(text)}.${hint ? ` Did you mean ${hint}?` : ''} --pass is one of ${PASSES.join(', ')}.`);
  }
  return pass;
}

function parseOutput(output: string | undefined, model: string | undefined, pass: RenderCommand['pass']): string {
  const name = (): string => (model ?? 'sample').replace(/^.*[\\/]/, '').replace(/\.(glb|gltf)$/i, '') || 'picture';
  if (output === undefined) return `${name()}${pass === 'color' ? '' : `.${pass}`}.png`;
  if (!/\.png$/i.test(output)) throw new CommandError(`The picture ${JSON.stringify(output)} should end in .png, the one format that is written.`);
  return output;
}

function parseSize(text: string): { width: number; height: number } {
  const [, width, height] = (/^(\d{1,6})[x×](\d{1,6})$/i.exec(text) ?? []).map(Number);
  if (!width || !height) throw new CommandError(`--size should be width and height in pixels, as in 1280x720, and is ${JSON.stringify(text)}.`);
  if (width > MAX_SIZE || height > MAX_SIZE) throw new CommandError(`--size ${text} is too large: a side has at most ${MAX_SIZE} pixels.`);
  return { width, height };
}

function parseSamples(text: string): 1 | 4 {
  if (text !== '1' && text !== '4') throw new CommandError(`--samples should be 1 or 4 and is ${JSON.stringify(text)}.`);
  return text === '1' ? 1 : 4;
}

/** Parses `orbit:azimuth,elevation[,distance]`. */
export function parseCamera(text: string): Orbit {
  const parts = /^orbit:(.*)$/.exec(text)?.[1].split(',') ?? [];
  const [azimuth, elevation, distance] = parts.map((part) => (/^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(part) ? Number(part) : NaN));
  if (parts.length < 2 || parts.length > 3 || !Number.isFinite(azimuth) || !Number.isFinite(elevation) || (parts.length === 3 && !Number.isFinite(distance))) {
    throw new CommandError(`--camera should be orbit:azimuth,elevation or orbit:azimuth,elevation,distance, as in orbit:30,18, and is ${JSON.stringify(text)}.`);
  }
  if (elevation < -90 || elevation > 90) throw new CommandError(`The camera's elevation is from -90 to 90 degrees, not ${elevation}.`);
  if (distance !== undefined && !(distance > 0 && distance <= 1000)) throw new CommandError(`The camera's distance is in radii of the model, above 0 and at most 1000, not ${distance}.`);
  return { azimuth, elevation, distance };
}

/** Parses a colour: #rgb, #rrggbb, #rrggbbaa, a CSS colour name, or `transparent`. */
export function parseBackground(text: string): RenderCommand['background'] {
  const name = text.toLowerCase();
  if (name === 'transparent') return [0, 0, 0, 0];
  if (Object.hasOwn(COLOUR_NAMES, name)) {
    const rgb = COLOUR_NAMES[name];
    return [rgb >> 16, (rgb >> 8) & 255, rgb & 255, 255];
  }
  const digits = /^#?([0-9a-f]{3,8})$/.exec(name)?.[1] ?? '';
  const full = digits.length <= 4 ? [...digits].map((d) => d + d).join('') : digits;
  if (full.length !== 6 && full.length !== 8) {
    const hint = nearest(name, [...Object.keys(COLOUR_NAMES), 'transparent']);
    throw new CommandError(`--background should be a colour such as #cfd2d7 or white, or transparent, and is ${JSON.stringify(text)}.${hint ? ` Did you mean "${hint}"?` : ''}`);
  }
  const byte = (at: number): number => parseInt(full.slice(at, at + 2), 16);
  return [byte(0), byte(2), byte(4), full.length === 8 ? byte(6) : 255];
}

/** A sentence for what `parseArgs` refuses. */
function explain(error: unknown, words: readonly string[]): string {
  const { code, message } = error as Error & { code?: string };
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const word = /'([^']+)'/.exec(message)?.[1] ?? words.find((w) => w.startsWith('-')) ?? '';
    const hint = nearest(word, Object.keys(OPTIONS).map((name) => `--${name}`));
    return `There is no option ${word}.${hint ? ` Did you mean ${hint}?` : ''} "rasterloom --help" shows all.`;
  }
  return message.split(/\. |\n/)[0].replace(/\.?$/, '. "rasterloom --help" shows how.');
}

/** The candidate that is at most a third of its letters away, if any. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    if (distance < least && distance <= Math.max(1, Math.floor(candidate.length / 3))) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}
