// Patterns for the names of outputs: out/{name}-{n:3}.png.
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';

/** Values of the placeholders. */
export interface NameValues {
  /** The model's name without its folder and ending. */
  name: string;
  /** Number of the model, from 1. */
  n: number;
  /** Number of the frame, from 0. */
  frame: number;
  /** Degrees of the camera around the model, or the camera's name. */
  view: string;
  animation: string;
  variant: string;
  scene: string;
  pass: string;
}

const PLACEHOLDERS = ['name', 'n', 'frame', 'view', 'animation', 'variant', 'scene', 'pass'] as const;
const PLACEHOLDER = /\{([^{}]*)\}/g;
const PART = /^([a-z]+)(?::([1-9]))?$/;

/** Whether a pattern has a placeholder. */
export const hasPlaceholder = (pattern: string, name: keyof NameValues): boolean =>
  [...pattern.matchAll(PLACEHOLDER)].some(([, part]) => PART.exec(part)?.[1] === name);

/** @throws CommandError if the pattern has an unknown placeholder */
export function checkPattern(pattern: string): void {
  for (const [whole, part] of pattern.matchAll(PLACEHOLDER)) {
    const [, name, digits] = PART.exec(part) ?? [];
    if (!PLACEHOLDERS.some((each) => each === name))
      throw new CommandError(
        `There is no placeholder ${quoted(whole)} for --output. The placeholders are `
          + `${PLACEHOLDERS.map((each) => `{${each}}`).join(', ')}; {n:3} is n with at least three digits.`
      );
    if (digits !== undefined && name !== 'n' && name !== 'frame')
      throw new CommandError(`${quoted(whole)} in --output must be {${name}}: only {n} and {frame} have digits.`);
  }
}

/** The name of a model: that of its file without folder and ending. */
export function nameOf(model: string | undefined): string {
  if (model === undefined) return 'sample';
  return model.replace(/^.*[\\/]|^-$/, '').replace(/\.(glb|gltf)$/i, '') || 'picture';
}

/** A text as a part of a file name: without separators and what systems refuse, and never . or .. */
const safe = (text: string): string => text.replace(/[\u0000-\u001f\u007f<>:"/\\|?*]/g, '_').replace(/^\.+$/, '_');

/** Fills a pattern. @throws CommandError if the name would leave the pattern's folder */
export function fillPattern(pattern: string, values: NameValues): string {
  const filled = pattern.replace(PLACEHOLDER, (whole, part: string) => {
    const [, name, digits] = PART.exec(part) ?? [];
    const value = values[name as keyof NameValues];
    return typeof value === 'number' ? String(value).padStart(Number(digits ?? 1), '0') : safe(value ?? whole);
  });
  // The folder in front of the first placeholder.
  const fixed = dirname(`${pattern.split('{')[0]}x`);
  const way = relative(resolve(fixed), resolve(filled));
  if (pattern.includes('{') && (way === '..' || way.startsWith(`..${sep}`)))
    throw new CommandError(`The output ${quoted(filled)} would be outside of the folder ${quoted(fixed)}.`);
  return filled;
}

/** An absolute path by which two outputs that are the same file are recognised. */
export function identityOf(path: string): string {
  const whole = join(resolve(dirname(path)), basename(path)).normalize('NFC');
  return process.platform === 'win32' || process.platform === 'darwin' ? whole.toLowerCase() : whole;
}
