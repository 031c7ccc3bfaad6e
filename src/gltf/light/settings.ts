// How a scene is lit, and how its light becomes colours.
import type { LightMapping } from '../materials/tone-mapping';
import type { CubeLight } from './cube-light';
import type { FilteredLight } from './filtered-light';
import type { Panorama } from './panorama';

/**
 * What is around a scene: a panorama, what was filtered of one for the same rotation and intensity, or a cube map of
 * the file.
 */
export type LightImage = Panorama | FilteredLight | CubeLight;

export interface LightSettings {
  /** Undefined: the light of the file (EXT_lights_image_based), or else the studio. */
  image: LightImage | 'studio' | undefined;
  /** Degrees by which the environment is turned around the vertical axis, counter-clockwise as seen from above. */
  rotation: number;
  /** Factor of the environment's light. */
  intensity: number;
  /** Blur of the environment behind the model, 0 to 1; undefined: it is not shown. */
  backdrop: number | undefined;
  /** Stops by which the picture is brighter. */
  exposure: number;
  toneMapping: LightMapping;
  /** Width of the shadow maps of the file's lights in texels; undefined: they cast no shadows. */
  shadowSize: number | undefined;
  /** Whether a plane under the model shows where the model hides the sky. */
  ground: boolean;
}

/** Width of shadow maps. */
export const SHADOW_SIZE = 1024;
export const SHADOW_SIZES = [64, 4096] as const;

export const DEFAULT_LIGHT: LightSettings = {
  image: undefined,
  rotation: 0,
  intensity: 1,
  backdrop: undefined,
  exposure: 0,
  toneMapping: 'neutral',
  shadowSize: SHADOW_SIZE,
  ground: false,
};
