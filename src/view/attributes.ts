// The attributes of a view as options of its pictures. `rasterloom/gltf` checks the values.
import type { GltfPictureOptions } from '../gltf/library/types';
import { START, type Orbit } from './orbit';

/** Attributes whose change loads the model again. */
export const LOADING = ['src', 'renderer'] as const;
/** Attributes whose change draws a new picture. */
export const DRAWING = [
  'camera',
  'environment',
  'exposure',
  'background',
  'samples',
  'animation',
  'variant',
  'ground',
  'auto-rotate',
] as const;
/** Attributes of what surrounds the picture. */
export const SURROUNDING = ['alt', 'poster'] as const;

/** Attributes of `<rasterloom-view>`, for templates with types. Numbers and `true` are written as attributes. */
export interface RasterloomViewAttributes {
  /** Address of a `.glb` or `.gltf`, relative to the page. */
  src?: string;
  /** Describes the model for people who do not see it. */
  alt?: string;
  /** Address of an image that is shown until the first picture. */
  poster?: string;
  /** Azimuth and elevation in degrees, and distance, such as `30 18 1`; or name or index of a camera of the file. */
  camera?: string | number;
  /** Studio, sky, sunset, night, or the address of a `.hdr` or `.exr` file. */
  environment?: string;
  /** Stops by which the picture is brighter. */
  exposure?: string | number;
  /** A colour of CSS; transparent by default. */
  background?: string;
  /** Samples per pixel; 4 by default. */
  samples?: 1 | 2 | 4 | 8 | 16 | '1' | '2' | '4' | '8' | '16';
  /** Name or index of an animation; the first one without a value. */
  animation?: string | number | true;
  /** Name or index of a variant of the materials. */
  variant?: string | number;
  /** Draws a soft shadow under the model. */
  ground?: true | '';
  /** Turns the camera: degrees per second, 30 without a value. */
  'auto-rotate'?: string | number | true;
  /** `rasterloom` draws with this package even if the browser has a GPU. */
  renderer?: 'auto' | 'rasterloom';
}

export type DrawingAttribute = (typeof DRAWING)[number];
type ReadAttribute = (name: DrawingAttribute) => string | null;

const PRESETS = ['studio', 'sky', 'sunset', 'night'] as const;
/** Degrees per second of `auto-rotate` without a value. */
const ROTATION = 30;

/** Decimal numbers; other values are names. */
const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/;
const nameOrIndex = (text: string): string | number => (NUMBER.test(text) ? Number(text) : text);

/**
 * The camera attribute: `azimuth elevation [distance]` places the camera, otherwise it is the name or the index of a
 * camera of the file.
 */
export function cameraOf(read: ReadAttribute): { start: Orbit } | { file: string | number } {
  const text = read('camera')?.trim() ?? '';
  if (text === '') return { start: { ...START } };
  const words = text.split(/[\s,]+/);
  if (words.length === 1 || words.length > 3 || !words.every((word) => NUMBER.test(word)))
    return { file: nameOrIndex(text) };
  const [azimuth = START.azimuth, elevation = START.elevation, distance = START.distance] = words.map(Number);
  return { start: { azimuth, elevation, distance } };
}

/** The address of a panorama, if the environment is one. */
export function panoramaOf(read: ReadAttribute): string | null {
  const environment = read('environment');
  return environment === null || PRESETS.some((name) => name === environment) ? null : environment;
}

/** Degrees per second by which the camera turns by itself. */
export function rotationOf(read: ReadAttribute): number {
  const text = read('auto-rotate');
  if (text === null) return 0;
  const speed = Number(text);
  return text.trim() === '' || Number.isNaN(speed) ? ROTATION : speed;
}

/** The options of a picture, without its size, camera and moment. */
export function pictureOptionsOf(read: ReadAttribute): GltfPictureOptions {
  const [environment, exposure, samples] = [read('environment'), read('exposure'), read('samples')];
  const [animation, variant] = [read('animation'), read('variant')];
  return {
    background: read('background') ?? 'transparent',
    ...(environment !== null && panoramaOf(read) === null
      ? { environment: environment as (typeof PRESETS)[number] }
      : {}),
    ...(exposure === null ? {} : { exposure: Number(exposure) }),
    ...(samples === null ? {} : { samples: Number(samples) as NonNullable<GltfPictureOptions['samples']> }),
    ...(animation === null ? {} : { animation: animation === '' ? 0 : nameOrIndex(animation) }),
    ...(variant === null ? {} : { variant: nameOrIndex(variant) }),
    ...(read('ground') === null ? {} : { ground: true }),
  };
}
