// Parses the command line; mistakes become sentences.
import { parseArgs } from 'node:util';
import { closestWord } from '../../base/closest-word';
import { quoted } from '../../base/printable';
import { closestColour, parseColour, type Colour } from '../../gltf/colours';
import type { Projection } from '../../gltf/scene/camera';
import type { SceneChoice } from '../../gltf/scene/scene';
import type { Lens } from '../../gltf/scene/lens';
import { SAMPLE_COUNTS, type SampleCount } from '../../gltf/gpu/sample-count';
import type { RateRequest } from '../../gltf/gpu/shading-rates';
import { CommandError } from '../errors';
import { FARM_OPTIONS, parseFarm, type FarmCommand } from '../farm/farm-options';
import { BATCH_OPTIONS, parseBatch, type BatchOptions } from './batch-options';
import { checkAnimated, FRAME_OPTIONS, parseFrames, parseStep, type FrameOptions } from './frame-options';
import { checkPattern, hasPlaceholder } from '../render/names';
import { parseLens, parseShadingRate } from './lens-options';
import { LIGHT_OPTIONS, parseLight, type LightRequest } from './light-options';
import { parseShader, SHADER_OPTIONS, type ShaderCommand } from './shader-options';
import { CACHE_OPTIONS, parseCache, type CacheCommand } from './cache-options';
import { COMPARE_OPTIONS, parseCompare, type CompareCommand } from './compare-options';
import { INFO_OPTIONS, parseInfo, type InfoCommand } from './info-options';
import { checkSheetPictures } from './sheet-options';
import { PAGE_OPTIONS, parsePage, type PageCommand } from './page-options';
import { parseTile, TILE_OPTIONS, type TileCommand } from './tile-options';
import {
  checkAnimatedPasses,
  checkEnding,
  parsePasses,
  parsePassFiles,
  PASS_OPTIONS,
  type CommandPass,
  type DepthRange,
  type FileDepth,
} from './pass-options';
import { parseView, VIEW_OPTIONS, type ViewRequest } from './view-options';
import { explain, joinNegativeNumbers } from './argument-errors';

/** Engines for shaders. */
const ENGINES = ['auto', 'jit', 'interpreter'] as const;

/** How `rasterloom render` draws a picture. */
export interface RenderSettings {
  pass: CommandPass;
  width: number;
  height: number;
  samples: SampleCount;
  engine: (typeof ENGINES)[number];
  /** Whether compiled shaders are kept in the user's folder for caches. */
  shaderCache: boolean;
  /** Threads that render and decode images, 0 to 64; undefined: the number of processor cores. */
  threads: number | undefined;
  view: ViewRequest;
  projection: Projection;
  /** Scene, variant and moment of the model. */
  choice: SceneChoice;
  /** Pixels. */
  lineWidth: number;
  pointSize: number;
  lighting: LightRequest;
  /** Undefined: everything is in focus. */
  lens: Lens | undefined;
  /** Undefined: every pixel is shaded, and the GPU needs no feature for it. */
  shadingRate: RateRequest | undefined;
  /** sRGB colour and alpha, 0 to 255 each. */
  background: Colour;
  stats: boolean;
  json: boolean;
  /** Quality of JPEG, WebP and AVIF, 1 to 100. */
  quality: number;
  /** Bits per channel of the file; undefined: those of the format and the pass. */
  depth: FileDepth | undefined;
  /** Distances of the smallest and the largest sample of a PNG of depths; undefined: those of the picture. */
  depthRange: DepthRange | undefined;
  /** Distance up to which surfaces hide the sky; undefined: OCCLUSION_RADIUS. */
  occlusionRadius: number | undefined;
  /** Whether a picture may show nothing but its background. */
  allowEmpty: boolean;
  /** The frames of each model; undefined: one picture. */
  frames: FrameOptions | undefined;
  /** Whether all frames of a model are in one file. */
  isAnimated: boolean;
  /** Whether each picture is written to a file, and not only to a sheet. */
  isStored: boolean;
  /** Seconds until the next frame of a single picture, for motion. */
  step: number;
  /** Folder of tiles (`rasterloom tile`) from which images are read page by page; undefined: images are decoded. */
  stream: string | undefined;
  /** File for a trace of all threads; undefined: no trace. */
  trace: string | undefined;
  /** Memory limit for reading the model in bytes; undefined: DEFAULT_MODEL_BYTES. */
  modelBytes: number | undefined;
  allowExternal: boolean;
  allowNetwork: boolean;
}

/** Arguments of `rasterloom render`. */
export interface RenderCommand extends RenderSettings {
  kind: 'render';
  /** Paths of models, patterns for them, or `-` for standard input; none renders the bundled sample. */
  models: string[];
  /** What is drawn of each frame; `pass` is the first. */
  passes: CommandPass[];
  /** Path of the pictures with placeholders (render/names.ts), or `-` for standard output. */
  output: string;
  /** Whether only errors and what was asked for are printed. */
  quiet: boolean;
  batch: BatchOptions;
}

/** Arguments of `rasterloom render --jobs`. */
export interface JobsCommand {
  kind: 'jobs';
  /** Path of the file of jobs, or `-` for standard input. */
  file: string;
  /** Options on the command line, which are defaults of all jobs. They are checked with each job. */
  values: RenderValues;
  batch: BatchOptions;
}

/** Commands that have a help text. */
const TOPICS = ['shader', 'tile', 'info', 'compare', 'cache', 'farm', 'page'] as const;
type Topic = (typeof TOPICS)[number];

export type Command =
  | RenderCommand
  | JobsCommand
  | ShaderCommand
  | TileCommand
  | PageCommand
  | InfoCommand
  | CompareCommand
  | CacheCommand
  | FarmCommand
  | { kind: 'help'; topic?: Topic }
  | { kind: 'version' };

export const RENDER_OPTIONS = {
  output: { type: 'string', short: 'o' },
  size: { type: 'string', short: 's' },
  samples: { type: 'string' },
  ...VIEW_OPTIONS,
  ...LIGHT_OPTIONS,
  aperture: { type: 'string' },
  focus: { type: 'string' },
  background: { type: 'string', short: 'b' },
  ...PASS_OPTIONS,
  'shading-rate': { type: 'string' },
  engine: { type: 'string' },
  'no-shader-cache': { type: 'boolean' },
  threads: { type: 'string' },
  sample: { type: 'boolean' },
  jobs: { type: 'string' },
  ...BATCH_OPTIONS,
  stats: { type: 'boolean' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  quality: { type: 'string' },
  'allow-empty': { type: 'boolean' },
  ...FRAME_OPTIONS,
  stream: { type: 'string' },
  trace: { type: 'string' },
  'model-memory': { type: 'string' },
  'allow-external': { type: 'boolean' },
  'allow-network': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Options of `rasterloom render` as they are written, by their long names. */
export type RenderValues = {
  [Name in keyof typeof RENDER_OPTIONS]?: (typeof RENDER_OPTIONS)[Name]['type'] extends 'boolean' ? boolean : string;
};

const COMMANDS = ['render', 'shader', 'tile', 'info', 'compare', 'cache', 'farm', 'page', 'help', 'version'];
const HELP = '"rasterloom --help"';
/**
 * Maximum width and height of a picture. Larger ones are refused before anything is read; the device's limit may be
 * smaller.
 */
const MAX_SIZE = 8192;
/** As in create(). */
const MAX_THREADS = 64;

/** Whether the arguments are for `rasterloom shader`, valid or not. */
const isShaderCommand = (words: readonly string[]): boolean => commandOf(words) === 'shader';

function commandOf(words: readonly string[]): string | undefined {
  return parseArgs({
    args: joinNegativeNumbers(words),
    options: {
      ...RENDER_OPTIONS,
      ...SHADER_OPTIONS,
      ...TILE_OPTIONS,
      ...INFO_OPTIONS,
      ...COMPARE_OPTIONS,
      ...CACHE_OPTIONS,
      ...FARM_OPTIONS,
      ...PAGE_OPTIONS,
    },
    allowPositionals: true,
    strict: false,
  }).positionals[0];
}

/** Parses the arguments after the program's name. @throws CommandError */
export function parseCommand(words: readonly string[]): Command {
  if (isShaderCommand(words)) return parseShader(words);
  if (commandOf(words) === 'tile') return parseTile(words);
  if (commandOf(words) === 'info') return parseInfo(words);
  if (commandOf(words) === 'compare') return parseCompare(words);
  if (commandOf(words) === 'cache') return parseCache(words);
  if (commandOf(words) === 'farm') return parseFarm(words);
  if (commandOf(words) === 'page') return parsePage(words);
  let parsed;
  try {
    parsed = parseArgs({
      args: joinNegativeNumbers(words),
      options: RENDER_OPTIONS,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new CommandError(explain(error, words, Object.keys(RENDER_OPTIONS), HELP));
  }
  const { values, positionals } = parsed;
  const [name, ...models] = positionals;
  const [topic] = models;
  const known = TOPICS.find((each) => each === topic);
  if (name === 'help' && known) return { kind: 'help', topic: known };
  if (name === 'help' && topic !== undefined && !COMMANDS.includes(topic)) throw unknownCommand(topic);
  if (values.help || name === 'help' || words.length === 0) return { kind: 'help' };
  if (values.version || name === 'version') return { kind: 'version' };
  if (name === undefined)
    throw new CommandError('A command is missing. Example: rasterloom render model.glb -o picture.png');
  if (name !== 'render') throw unknownCommand(name);
  if (values.jobs === undefined) return parseRender(values, models);
  if (models.length > 0 || values.sample)
    throw new CommandError('Give either models or --jobs, whose lines name their models.');
  return { kind: 'jobs', file: values.jobs, values, batch: parseBatch(values) };
}

/** Parses what to render, from the command line or from a job. @throws CommandError */
export function parseRender(values: RenderValues, models: string[]): RenderCommand {
  if (models.length === 0 && !values.sample)
    throw new CommandError('Name a model to render, or use --sample for the one that comes with rasterloom.');
  if (models.length > 0 && values.sample) throw new CommandError('Give either a model or --sample, not both.');
  const passes = parsePasses(values.pass ?? 'color');
  const samples = parseSamples(values.samples ?? '4');
  if (passes.includes('encoding') && samples === 1)
    throw new CommandError(
      '--pass encoding shows how the samples of a pixel are stored, but --samples 1 has only one: '
        + 'use --samples 2, 4, 8 or 16.'
    );
  const shadingRate = values['shading-rate'] === undefined ? undefined : parseShadingRate(values['shading-rate']);
  if (passes.includes('shading-rate') && shadingRate === undefined)
    throw new CommandError('--pass shading-rate needs --shading-rate, as in --shading-rate auto.');
  const frames = parseFrames(values, passes.includes('motion'));
  const background = parseBackground(values.background ?? '#cfd2d7');
  if (background[3] < 255 && /\.jpe?g$/i.test(values.output ?? ''))
    throw new CommandError('A JPEG picture cannot be transparent: use .png or .webp, or another --background.');
  const output = parseOutput(values.output, passes, frames);
  const isAnimated = frames !== undefined && !hasPlaceholder(output, 'frame');
  checkAnimated(isAnimated, frames, values);
  if (isAnimated) checkAnimatedPasses(passes, values.depth);
  const quality = parseQuality(values.quality ?? '80');
  const batch = parseBatch(values);
  if (batch.sheet) checkSheetPictures(passes, Number(values.depth), output);
  return {
    kind: 'render',
    models,
    pass: passes[0],
    passes,
    output,
    isAnimated,
    isStored: values.output !== undefined || batch.sheet === undefined,
    ...parsePassFiles(values, passes, output),
    quality,
    allowEmpty: values['allow-empty'] ?? false,
    frames,
    step: parseStep(values),
    quiet: values.quiet ?? false,
    batch,
    ...parseSize(values.size ?? '1280x720'),
    samples,
    engine: parseEngine(values.engine ?? 'auto'),
    shaderCache: !values['no-shader-cache'],
    threads: values.threads === undefined ? undefined : parseThreads(values.threads),
    ...parseView(values),
    lighting: parseLight(values),
    lens: parseLens(values.aperture, values.focus),
    shadingRate,
    background,
    stats: values.stats ?? false,
    json: values.json ?? false,
    stream: values.stream,
    trace: values.trace === undefined ? undefined : parseTrace(values.trace),
    modelBytes: values['model-memory'] === undefined ? undefined : parseMemory(values['model-memory']),
    allowExternal: values['allow-external'] ?? false,
    allowNetwork: values['allow-network'] ?? false,
  };
}

function unknownCommand(name: string): CommandError {
  const hint = /\.(glb|gltf)$/i.test(name)
    ? `rasterloom render ${name}`
    : /\.wgsl$/i.test(name)
      ? `rasterloom shader ${name}`
      : closestWord(name, COMMANDS);
  return new CommandError(`There is no command ${quoted(name)}.${hint ? ` Did you mean "${hint}"?` : ''} See ${HELP}.`);
}

function parseEngine(text: string): RenderCommand['engine'] {
  const engine = ENGINES.find((name) => name === text);
  if (engine === undefined) {
    const hint = closestWord(text, ENGINES);
    throw new CommandError(
      `There is no engine ${quoted(text)}.${hint ? ` Did you mean ${hint}?` : ''} `
        + `--engine is one of ${ENGINES.join(', ')}.`
    );
  }
  return engine;
}

function parseOutput(
  output: string | undefined,
  passes: readonly CommandPass[],
  frames: FrameOptions | undefined
): string {
  const pass = passes.length > 1 ? '.{pass}' : passes[0] === 'color' ? '' : `.${passes[0]}`;
  if (output === undefined) return `{name}${pass}${frames ? '-{frame:3}' : ''}.png`;
  if (output !== '-') checkPattern(output);
  if (passes.length > 1 && !hasPlaceholder(output, 'pass'))
    throw new CommandError(
      `--output needs {pass} for ${passes.length} passes, as in -o 'out/{name}.{pass}.png', not ${quoted(output)}.`
    );
  if (frames && !hasPlaceholder(output, 'frame') && !/\.(png|webp)$/i.test(output))
    throw new CommandError(
      `--output needs {frame} for ${frames.count} frames, as in -o 'out/{name}-{frame:3}.png', or the name of an `
        + `animated .png or .webp file, not ${quoted(output)}.`
    );
  checkEnding(output, passes);
  return output;
}

function parseQuality(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > 100)
    throw new CommandError(`--quality must be a whole number from 1 to 100, not ${quoted(text)}.`);
  return Number(text);
}

function parseTrace(path: string): string {
  if (!/\.json$/i.test(path))
    throw new CommandError(`The trace ${quoted(path)} must end in .json, the format that trace viewers open.`);
  return path;
}

function parseSize(text: string): { width: number; height: number } {
  const [, width, height] = (/^(\d{1,6})[x×](\d{1,6})$/i.exec(text) ?? []).map(Number);
  if (!width || !height)
    throw new CommandError(`--size must be width and height in pixels, as in 1280x720, not ${quoted(text)}.`);
  if (width > MAX_SIZE || height > MAX_SIZE)
    throw new CommandError(`--size ${text} is too large: a side has at most ${MAX_SIZE} pixels.`);
  return { width, height };
}

function parseSamples(text: string): SampleCount {
  const count = SAMPLE_COUNTS.find((each) => String(each) === text);
  if (!count) throw new CommandError(`--samples must be 1, 2, 4, 8 or 16, not ${quoted(text)}.`);
  return count;
}

function parseThreads(text: string): number {
  if (!/^\d{1,2}$/.test(text) || Number(text) > MAX_THREADS)
    throw new CommandError(`--threads must be a whole number from 0 to ${MAX_THREADS}, not ${quoted(text)}.`);
  return Number(text);
}

function parseMemory(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new CommandError(`--model-memory must be a whole number of MiB from 1 to 999999, not ${quoted(text)}.`);
  return Number(text) * 1024 * 1024;
}

/** Parses a colour: #rgb, #rrggbb, #rrggbbaa, a CSS colour name, or `transparent`. */
export function parseBackground(text: string): Colour {
  const colour = parseColour(text);
  if (colour) return colour;
  const hint = closestColour(text);
  throw new CommandError(
    '--background must be a colour such as #cfd2d7 or white, or transparent, '
      + `not ${quoted(text)}.${hint ? ` Did you mean "${hint}"?` : ''}`
  );
}
