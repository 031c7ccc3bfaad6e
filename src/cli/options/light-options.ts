// Options about the light of a picture, and about how it becomes colours.
import { closestWord } from '../../base/closest-word';
import { quoted } from '../../base/printable';
import { PRESETS, type Preset } from '../../gltf/light/presets';
import { SHADOW_SIZE, SHADOW_SIZES, type LightSettings } from '../../gltf/light/settings';
import { TONE_MAPPINGS, type ToneMapping } from '../../gltf/materials/tone-mapping';
import { CommandError } from '../errors';
import { numberOption } from './number-option';

export const LIGHT_OPTIONS = {
  env: { type: 'string' },
  'env-rotation': { type: 'string' },
  'env-intensity': { type: 'string' },
  'env-background': { type: 'string' },
  exposure: { type: 'string' },
  'tone-mapping': { type: 'string' },
  shadows: { type: 'string' },
  'shadow-size': { type: 'string' },
  ground: { type: 'boolean' },
} as const;

/** An environment by the name of a preset, or by the path of a file. */
export type EnvironmentRequest = { preset: Preset } | { file: string };

export interface LightRequest extends Omit<LightSettings, 'image'> {
  /** Undefined: the light of the file, or else the studio. */
  environment: EnvironmentRequest | undefined;
}

type Values = Partial<Record<Exclude<keyof typeof LIGHT_OPTIONS, 'ground'>, string>> & { ground?: boolean };

/** @throws CommandError */
export function parseLight(values: Values): LightRequest {
  const environment = values.env === undefined ? undefined : parseEnvironment(values.env);
  const rotation = numberOption(values['env-rotation'], '--env-rotation', 0, [-360, 360], 'degrees');
  if (rotation !== 0 && (environment === undefined || ('preset' in environment && environment.preset === 'studio')))
    throw new CommandError(
      '--env-rotation turns an environment of --env, as in --env sky; the studio has no other side.'
    );
  return {
    environment,
    rotation,
    intensity: numberOption(values['env-intensity'], '--env-intensity', 1, [0, 1000], 'times the light'),
    backdrop:
      values['env-background'] === undefined
        ? undefined
        : numberOption(values['env-background'], '--env-background', 0, [0, 1], '0 is sharp, 1 the most blurred'),
    exposure: numberOption(values.exposure, '--exposure', 0, [-20, 20], 'stops'),
    toneMapping: parseToneMapping(values['tone-mapping'] ?? 'neutral'),
    shadowSize: parseShadows(values.shadows ?? 'on', values['shadow-size']),
    ground: values.ground ?? false,
  };
}

function parseEnvironment(text: string): EnvironmentRequest {
  const preset = PRESETS.find((name) => name === text);
  if (preset) return { preset };
  if (/\.(hdr|exr)$/i.test(text)) return { file: text };
  const hint = closestWord(text, PRESETS);
  throw new CommandError(
    `--env must be a file that ends in .hdr or .exr, or one of ${PRESETS.join(', ')}, not ${quoted(text)}.`
      + (hint ? ` Did you mean ${hint}?` : '')
  );
}

function parseToneMapping(text: string): ToneMapping {
  const kind = TONE_MAPPINGS.find((name) => name === text);
  if (kind) return kind;
  const hint = closestWord(text, TONE_MAPPINGS);
  throw new CommandError(
    `--tone-mapping must be one of ${TONE_MAPPINGS.join(', ')}, not ${quoted(text)}.`
      + (hint ? ` Did you mean ${hint}?` : '')
  );
}

function parseShadows(shadows: string, size: string | undefined): number | undefined {
  if (shadows !== 'on' && shadows !== 'off')
    throw new CommandError(`--shadows must be on or off, not ${quoted(shadows)}.`);
  if (shadows === 'off' && size !== undefined)
    throw new CommandError('--shadow-size has no effect with --shadows off; leave out one of the two options.');
  const [least, most] = SHADOW_SIZES;
  const width = Number(size ?? SHADOW_SIZE);
  if (!/^\d{1,5}$/.test(size ?? '0') || (size !== undefined && !(width >= least && width <= most)))
    throw new CommandError(
      `--shadow-size must be a whole number of texels from ${least} to ${most}, not ${quoted(size)}.`
    );
  return shadows === 'on' ? width : undefined;
}
