// What pictures show, and how deep their files are.
import { closestWord } from '../../base/closest-word';
import { quoted } from '../../base/printable';
import { isOfColours, PASSES, type Pass } from '../../gltf/passes/kinds';
import { CommandError } from '../errors';

export const PASS_OPTIONS = {
  pass: { type: 'string' },
  depth: { type: 'string' },
  'depth-range': { type: 'string' },
  'ao-radius': { type: 'string' },
} as const;

/** Passes that show how a picture is drawn. */
const DIAGNOSTIC_PASSES = ['overdraw', 'encoding', 'shading-rate'] as const;
const ALL_PASSES = [...PASSES, ...DIAGNOSTIC_PASSES] as const;
export type CommandPass = Pass | (typeof DIAGNOSTIC_PASSES)[number];

const DEPTHS = [8, 10, 12, 16, 32] as const;
export type FileDepth = (typeof DEPTHS)[number];
/** Depths by the endings of files; others have 8 bits. */
const ALLOWED_DEPTHS: Readonly<Record<string, readonly FileDepth[]>> = {
  '.png': [8, 16],
  '.avif': [8, 10, 12],
  '.exr': [16, 32],
};
export type DepthRange = readonly [near: number, far: number];

/** Whether a pass shows the model, and not how it is drawn. */
export const isOfModel = (pass: CommandPass): pass is Pass => PASSES.some((name) => name === pass);
/** Whether the values of a pass survive no lossy format. */
export const isExact = (pass: CommandPass): boolean => isOfModel(pass) && !isOfColours(pass);

/** @throws CommandError */
export function parsePasses(text: string): CommandPass[] {
  const passes = text.split(',').map(parsePass);
  const twice = passes.find((pass, i) => passes.indexOf(pass) < i);
  if (twice) throw new CommandError(`--pass ${quoted(text)} names ${twice} twice.`);
  return passes;
}

function parsePass(text: string): CommandPass {
  const pass = ALL_PASSES.find((name) => name === text);
  if (pass !== undefined) return pass;
  const hint = closestWord(text, ALL_PASSES);
  throw new CommandError(
    `There is no pass ${quoted(text)}.${hint ? ` Did you mean ${hint}?` : ''} `
      + `--pass is one of ${ALL_PASSES.join(', ')}.`
  );
}

/** Formats of pictures by the endings of their files. */
const ENDING = /\.(png|jpe?g|webp|avif|exr)$/i;

/** Checks that the format of the output holds the passes. @throws CommandError */
export function checkEnding(output: string, passes: readonly CommandPass[]): void {
  if (output === '-') return;
  const ending = ENDING.exec(output)?.[0].toLowerCase();
  if (ending === undefined)
    throw new CommandError(`The picture ${quoted(output)} must end in .png, .jpg, .jpeg, .webp, .avif or .exr.`);
  const wrong = passes.find((pass) =>
    ending === '.exr' ? !isOfModel(pass) : ending !== '.png' && (isExact(pass) || (pass === 'albedo' && isJpeg(ending)))
  );
  if (wrong === undefined) return;
  const why =
    ending === '.exr'
      ? 'has a legend and belongs into a .png'
      : wrong === 'albedo'
        ? 'has a transparent background; use .png, .webp or .exr'
        : 'would lose its values; use .png or .exr';
  throw new CommandError(`--pass ${wrong} cannot be written to a ${ending} file: it ${why}.`);
}

/** Checks that an animated picture holds the passes. @throws CommandError */
export function checkAnimatedPasses(passes: readonly CommandPass[], depth: string | undefined): void {
  const why =
    passes.length > 1
      ? `one pass, not ${passes.length}`
      : isExact(passes[0])
        ? `colours, not --pass ${passes[0]}`
        : depth !== undefined && depth !== '8'
          ? `8 bits per channel, not --depth ${depth}`
          : undefined;
  if (why !== undefined)
    throw new CommandError(`An animated picture has ${why}; give each frame a file by {frame} in --output.`);
}

export const isAvif = (output: string): boolean => /\.avif$/i.test(output);
const isJpeg = (ending: string): boolean => /^\.jpe?g$/.test(ending);

type Values = Partial<Record<keyof typeof PASS_OPTIONS, string>>;

/** @throws CommandError */
export function parsePassFiles(
  values: Values,
  passes: readonly CommandPass[],
  output: string
): { depth: FileDepth | undefined; depthRange: DepthRange | undefined; occlusionRadius: number | undefined } {
  const isExr = /\.exr$/i.test(output);
  return {
    depth: values.depth === undefined ? undefined : parseDepth(values.depth, passes, output),
    depthRange: values['depth-range'] === undefined ? undefined : parseRange(values['depth-range'], passes, isExr),
    occlusionRadius: values['ao-radius'] === undefined ? undefined : parseRadius(values['ao-radius'], passes),
  };
}

const anyOf = (depths: readonly FileDepth[]): string => depths.join(', ').replace(/, (\d+)$/, ' or $1');

function parseDepth(text: string, passes: readonly CommandPass[], output: string): FileDepth {
  const depth = DEPTHS.find((bits) => String(bits) === text);
  if (depth === undefined) throw new CommandError(`--depth must be ${anyOf(DEPTHS)}, not ${quoted(text)}.`);
  const ending = output === '-' ? '.png' : ENDING.exec(output)![0].toLowerCase();
  const allowed = ALLOWED_DEPTHS[ending] ?? [8];
  if (!allowed.includes(depth))
    throw new CommandError(`A ${ending} file has ${anyOf(allowed)} bits per channel, not --depth ${depth}.`);
  const diagnostic = passes.find((pass) => !isOfModel(pass));
  if (depth !== 8 && diagnostic !== undefined)
    throw new CommandError(`--pass ${diagnostic} has colours with 8 bits, so that --depth ${depth} has no effect.`);
  const colours = passes.find((pass) => isOfModel(pass) && isOfColours(pass));
  if (depth === 32 && colours !== undefined)
    throw new CommandError(`--pass ${colours} is drawn with 16 bits per channel, so that --depth 32 has no effect.`);
  return depth;
}

function parseRadius(text: string, passes: readonly CommandPass[]): number {
  if (!passes.includes('ao')) throw new CommandError('--ao-radius needs --pass ao.');
  const radius = text.trim() === '' ? NaN : Number(text);
  if (!(radius > 0 && radius <= 1e6))
    throw new CommandError(`--ao-radius must be a distance above 0, in units of the model, not ${quoted(text)}.`);
  return radius;
}

function parseRange(text: string, passes: readonly CommandPass[], isExr: boolean): DepthRange {
  if (!passes.includes('depth')) throw new CommandError('--depth-range needs --pass depth.');
  if (isExr) throw new CommandError('--depth-range is for .png files: an .exr file has the distances themselves.');
  const parts = text.split(',');
  const [near, far] = parts.map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (parts.length !== 2 || !(near >= 0) || !(far > near) || !Number.isFinite(far))
    throw new CommandError(
      `--depth-range must be two distances, the smaller one first, as in 1,10, not ${quoted(text)}.`
    );
  return [near, far];
}
