// Checks the options of the library call, which may come from JavaScript.
import { closestWord } from '../../base/closest-word';
import { quoted } from '../../base/printable';
import { closestColour, parseColour, type Colour } from '../colours';
import { SAMPLE_COUNTS, type SampleCount } from '../gpu/sample-count';
import type { RateRequest } from '../gpu/shading-rates';
import { SHADING_RATES } from '../rate-names';
import { PRESETS, type Preset } from '../light/presets';
import { DEFAULT_LIGHT, SHADOW_SIZE, SHADOW_SIZES, type LightSettings } from '../light/settings';
import { COLOUR_KINDS, isOfColours, PASSES, type ColourKind, type Pass } from '../passes/kinds';
import { TONE_MAPPINGS } from '../materials/tone-mapping';
import type { Shot, ViewRequest } from '../model';
import { DEFAULT_ORBIT, DEFAULT_PROJECTION } from '../scene/camera';
import type { Lens } from '../scene/lens';
import type { GltfLoadOptions, GltfLookAt, GltfPictureOptions, GltfPoint } from './types';

const CALL = ['signal', 'onProgress'] as const;
const LOAD = [...CALL, 'device', 'threads', 'memory', 'readResource', 'allowNetwork'] as const;
const PICTURE = [
  ...CALL,
  'width',
  'height',
  'samples',
  'background',
  'camera',
  'fieldOfView',
  'orthographic',
  'margin',
  'scene',
  'variant',
  'animation',
  'time',
  'lineWidth',
  'pointSize',
  'aperture',
  'focus',
  'environment',
  'environmentRotation',
  'environmentIntensity',
  'environmentBackground',
  'exposure',
  'toneMapping',
  'shadows',
  'shadowSize',
  'ground',
  'pass',
  'color',
  'fps',
  'aoRadius',
  'shadingRate',
] as const;

/** Functions with options. */
export const OPTION_NAMES = {
  loadGltf: LOAD,
  render: PICTURE,
  renderGltf: [...new Set([...LOAD, ...PICTURE])],
} as const;
type Call = keyof typeof OPTION_NAMES;

const MAX_SIZE = 8192;
const MAX_THREADS = 64;
const MAX_LENGTH = 1e6;

class Checks {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  fail(option: string, what: string, value: unknown, hint?: string): never {
    const given = typeof value === 'function' ? 'a function' : value === null ? 'null' : quoted(value);
    const advice = hint === undefined ? '' : `. Did you mean ${quoted(hint)}?`;
    throw new TypeError(`${this.#call}: ${option} must be ${what}, not ${given}${advice}`);
  }

  /** Checks that there are only known members. */
  names(options: unknown, names: readonly string[], option?: string): void {
    if (typeof options !== 'object' || options === null || Array.isArray(options))
      this.fail(option ?? 'the options', 'an object', options);
    for (const name of Object.keys(options)) {
      if (names.includes(name)) continue;
      const hint = closestWord(name, names);
      throw new TypeError(
        `${this.#call}: there is no option ${option === undefined ? '' : `${option}.`}${name}`
          + (hint === undefined ? '' : `. Did you mean ${hint}?`)
      );
    }
  }

  number(value: unknown, option: string, otherwise: number, [least, most]: [number, number], unit = ''): number {
    if (value === undefined) return otherwise;
    if (typeof value !== 'number' || !(value >= least && value <= most))
      this.fail(option, `a number from ${least} to ${most}${unit && ` (${unit})`}`, value);
    return value;
  }

  integer(value: unknown, option: string, otherwise: number, range: [number, number]): number {
    const number = this.number(value, option, otherwise, range);
    if (!Number.isInteger(number)) this.fail(option, 'a whole number', value);
    return number;
  }

  boolean(value: unknown, option: string): boolean {
    if (value !== undefined && typeof value !== 'boolean') this.fail(option, 'true or false', value);
    return value ?? false;
  }

  /** A name or an index. */
  name(value: unknown, option: string): string | undefined {
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
      this.fail(option, 'a name or an index', value);
    return String(value);
  }

  point(value: unknown, option: string): [number, number, number] {
    if (!Array.isArray(value) || value.length !== 3 || !value.every((x) => Number.isFinite(x)))
      this.fail(option, 'three numbers', value);
    return [...(value as unknown as GltfPoint)];
  }

  call(options: GltfPictureOptions | GltfLoadOptions): void {
    const { signal, onProgress } = options as Record<string, unknown>;
    if (signal !== undefined && !isSignal(signal)) this.fail('signal', 'an AbortSignal', signal);
    if (onProgress !== undefined && typeof onProgress !== 'function') this.fail('onProgress', 'a function', onProgress);
  }
}

const isSignal = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;

/** Checks the options for loading. @throws TypeError */
export function checkLoadOptions(options: GltfLoadOptions, call: 'loadGltf' | 'renderGltf'): void {
  const checks: Checks = new Checks(call);
  checks.names(options, OPTION_NAMES[call]);
  checks.call(options);
  const { device, threads, memory, readResource, allowNetwork } = options as Record<string, unknown>;
  if (device !== undefined && !(typeof device === 'object' && device !== null && 'createRenderPipelineAsync' in device))
    checks.fail('device', 'a GPUDevice', device);
  checks.integer(threads, 'threads', 0, [0, MAX_THREADS]);
  checks.integer(memory, 'memory', 1, [1, Number.MAX_SAFE_INTEGER]);
  if (readResource !== undefined && typeof readResource !== 'function')
    checks.fail('readResource', 'a function', readResource);
  checks.boolean(allowNetwork, 'allowNetwork');
}

/** A picture that was asked for. */
export interface PictureRequest {
  /** Undefined: the light of the file, or else the studio. */
  environment: Preset | Uint8Array | undefined;
  light: LightSettings;
  shot: Shot;
  samples: SampleCount;
  background: Colour;
  pass: Pass;
  color: ColourKind;
  /** The next frame, for motion. */
  next: Shot | undefined;
  occlusionRadius: number | undefined;
}

/** Checks and reads the options of a picture. @throws TypeError */
export function readPictureOptions(options: GltfPictureOptions, call: 'render' | 'renderGltf'): PictureRequest {
  const checks: Checks = new Checks(call);
  checks.names(options, OPTION_NAMES[call]);
  checks.call(options);
  const { samples = 4, background = '#cfd2d7', animation, time } = options as Record<string, unknown>;
  const count = SAMPLE_COUNTS.find((each) => each === samples);
  if (count === undefined) checks.fail('samples', '1, 2, 4, 8 or 16', samples);
  const colour = typeof background === 'string' ? parseColour(background) : undefined;
  if (colour === undefined)
    checks.fail(
      'background',
      'a colour such as #cfd2d7 or white, or transparent',
      background,
      typeof background === 'string' ? closestColour(background) : undefined
    );
  const view = readCamera(checks, options.camera);
  if ('fileCamera' in view)
    for (const name of ['fieldOfView', 'orthographic', 'margin'] as const)
      if (options[name] !== undefined)
        throw new TypeError(`${call}: ${name} has no effect on a camera of the file; leave out one of the two options`);
  const seconds = checks.number(time, 'time', 0, [0, MAX_LENGTH], 'seconds');
  const shot = {
    width: checks.integer(options.width, 'width', 1280, [1, MAX_SIZE]),
    height: checks.integer(options.height, 'height', 720, [1, MAX_SIZE]),
    view,
    projection: {
      fieldOfView: checks.number(options.fieldOfView, 'fieldOfView', DEFAULT_PROJECTION.fieldOfView, [1, 170]),
      orthographic: checks.boolean(options.orthographic, 'orthographic'),
      margin: checks.number(options.margin, 'margin', DEFAULT_PROJECTION.margin, [0, 0.45]),
    },
    choice: {
      scene: checks.name(options.scene, 'scene'),
      variant: checks.name(options.variant, 'variant'),
      moment:
        animation === undefined && time === undefined
          ? undefined
          : { animation: checks.name(animation, 'animation'), time: seconds },
    },
    lens: readLens(checks, options),
    shadingRate: readRates(checks, options.shadingRate),
    lineWidth: checks.number(options.lineWidth, 'lineWidth', 1, [0.1, 256], 'pixels'),
    pointSize: checks.number(options.pointSize, 'pointSize', 3, [0.1, 256], 'pixels'),
  };
  const { step, ...pass } = readPass(checks, options);
  const { moment } = shot.choice;
  return {
    ...readLight(checks, options),
    ...pass,
    samples: count,
    background: colour,
    shot,
    next:
      moment && step !== undefined
        ? { ...shot, choice: { ...shot.choice, moment: { ...moment, time: seconds + step } } }
        : undefined,
  };
}

/** The pass, and for motion the seconds until the next frame. */
function readPass(
  checks: Checks,
  { pass = 'color', color, fps, aoRadius, animation, time }: GltfPictureOptions
): Pick<PictureRequest, 'pass' | 'color' | 'occlusionRadius'> & { step: number | undefined } {
  if (!PASSES.some((name) => name === pass)) checks.fail('pass', `one of ${PASSES.join(', ')}`, pass);
  if (color !== undefined && !COLOUR_KINDS.some((name) => name === color))
    checks.fail('color', `one of ${COLOUR_KINDS.join(', ')}`, color);
  if (color !== undefined && !isOfColours(pass)) checks.fail('color', `left out with pass: '${pass}'`, color);
  if (fps !== undefined && pass !== 'motion') checks.fail('fps', "given with pass: 'motion'", fps);
  if (aoRadius !== undefined && pass !== 'ao') checks.fail('aoRadius', "given with pass: 'ao'", aoRadius);
  if (aoRadius !== undefined && !isLength(aoRadius)) checks.fail('aoRadius', 'a distance above 0', aoRadius);
  const rate = checks.number(fps, 'fps', 24, [0, 1000]);
  if (rate === 0) checks.fail('fps', 'above 0', fps);
  if (pass === 'motion' && animation === undefined && time === undefined)
    checks.fail('pass', "given with time or animation if it is 'motion'", pass);
  return { pass, color: color ?? 'srgb8', occlusionRadius: aoRadius, step: pass === 'motion' ? 1 / rate : undefined };
}

function readCamera(checks: Checks, camera: GltfPictureOptions['camera']): ViewRequest {
  if (camera === undefined) return { orbit: DEFAULT_ORBIT };
  if (typeof camera !== 'object') return { fileCamera: checks.name(camera, 'camera')! };
  if (camera !== null && ('eye' in camera || 'target' in camera)) {
    checks.names(camera, ['eye', 'target'], 'camera');
    const { eye: from, target: to } = camera as Partial<GltfLookAt>;
    const eye = checks.point(from, 'camera.eye');
    const target = checks.point(to, 'camera.target');
    if (eye.every((x, i) => x === target[i])) checks.fail('camera.target', 'another point than camera.eye', target);
    return { lookAt: { eye, target } };
  }
  checks.names(camera, ['azimuth', 'elevation', 'distance'], 'camera');
  const { azimuth, elevation, distance } = camera;
  const far = checks.number(distance, 'camera.distance', 1, [0, 1000], 'radii of the model');
  if (far === 0) checks.fail('camera.distance', 'above 0', distance);
  return {
    orbit: {
      azimuth: checks.number(azimuth, 'camera.azimuth', DEFAULT_ORBIT.azimuth, [-MAX_LENGTH, MAX_LENGTH], 'degrees'),
      elevation: checks.number(elevation, 'camera.elevation', DEFAULT_ORBIT.elevation, [-90, 90], 'degrees'),
      distance: distance === undefined ? undefined : far,
    },
  };
}

const isLength = (value: unknown): value is number => typeof value === 'number' && value > 0 && value <= MAX_LENGTH;

function readLens(checks: Checks, { aperture, focus }: GltfPictureOptions): Lens | undefined {
  if (focus !== undefined && !isLength(focus)) checks.fail('focus', 'a distance above 0 in units of the model', focus);
  if (aperture === undefined)
    return focus === undefined ? undefined : checks.fail('focus', 'given with aperture', focus);
  const ratio = typeof aperture === 'string' ? /^f\/(.+)$/i.exec(aperture)?.[1] : undefined;
  const size = ratio === undefined ? aperture : Number(ratio);
  if (!isLength(size))
    checks.fail('aperture', "the diameter of the lens in units of the model, or an f-number such as 'f/2.8'", aperture);
  return { aperture: ratio === undefined ? { diameter: size } : { fNumber: size }, focus };
}

function readLight(checks: Checks, options: GltfPictureOptions): Pick<PictureRequest, 'environment' | 'light'> {
  const { environment, environmentBackground, toneMapping = 'neutral' } = options;
  const isKnown = environment === undefined || PRESETS.some((name) => name === environment);
  if (!isKnown && !(environment instanceof Uint8Array))
    checks.fail('environment', `one of ${PRESETS.join(', ')}, or the bytes of a .hdr or .exr file`, environment);
  if (!TONE_MAPPINGS.some((name) => name === toneMapping))
    checks.fail('toneMapping', `one of ${TONE_MAPPINGS.join(', ')}`, toneMapping);
  return {
    environment,
    light: {
      ...DEFAULT_LIGHT,
      rotation: checks.number(options.environmentRotation, 'environmentRotation', 0, [-360, 360], 'degrees'),
      intensity: checks.number(options.environmentIntensity, 'environmentIntensity', 1, [0, 1000]),
      backdrop:
        environmentBackground === undefined
          ? undefined
          : checks.number(environmentBackground, 'environmentBackground', 0, [0, 1]),
      exposure: checks.number(options.exposure, 'exposure', 0, [-20, 20], 'stops'),
      toneMapping,
      shadowSize: readShadows(checks, options),
      ground: checks.boolean(options.ground, 'ground'),
    },
  };
}

function readShadows(checks: Checks, { shadows, shadowSize }: GltfPictureOptions): number | undefined {
  const size = checks.integer(shadowSize, 'shadowSize', SHADOW_SIZE, [...SHADOW_SIZES]);
  const isOn = shadows === undefined || checks.boolean(shadows, 'shadows');
  if (!isOn && shadowSize !== undefined) checks.fail('shadowSize', 'left out where shadows is false', shadowSize);
  return isOn ? size : undefined;
}

function readRates(checks: Checks, rate: GltfPictureOptions['shadingRate']): RateRequest | undefined {
  if (rate === undefined || rate === 'auto') return rate;
  const isRate = (value: unknown): boolean => SHADING_RATES.some((each) => each === value);
  if (typeof rate !== 'object') {
    if (isRate(rate)) return { everywhere: rate };
    return checks.fail('shadingRate', `'auto', one of ${SHADING_RATES.join(', ')}, or rates by distance`, rate);
  }
  checks.names(rate, ['near', 'far', 'rates'], 'shadingRate');
  const { near, far, rates } = rate;
  if (!isLength(near)) checks.fail('shadingRate.near', 'a distance above 0', near);
  if (!isLength(far) || far <= near) checks.fail('shadingRate.far', 'a distance above shadingRate.near', far);
  if (!Array.isArray(rates) || ![4, 8, 16].includes(rates.length) || !rates.every(isRate))
    checks.fail('shadingRate.rates', '4, 8 or 16 shading rates', rates);
  return { byDistance: { near, far, rates } };
}
