// What the shaders of all materials of a scene have in common.
import { STUDIO_LEVELS } from '../light/studio';
import type { LightMapping } from './tone-mapping';

export interface SceneShader {
  /** Number of lights of the file; 0: the key light of the studio. */
  lights: number;
  /** Number of shadow maps of these lights. */
  shadows: number;
  /** Whether the environment is an image with colours, or the grey studio. */
  environment: 'studio' | 'image';
  /** Whether the environment's cube map is turned. */
  turned: boolean;
  /** Levels of the environment's cube map. */
  levels: number;
  /** Whether a material lets light through, so that shaders read what is behind it. */
  transmission: boolean;
  toneMapping: LightMapping;
  /** Whether light is multiplied by an exposure before tone mapping. */
  exposed: boolean;
}

/** A scene without lights, in the studio. */
export const PLAIN_SCENE: SceneShader = {
  lights: 0,
  shadows: 0,
  environment: 'studio',
  turned: false,
  levels: STUDIO_LEVELS,
  transmission: false,
  toneMapping: 'neutral',
  exposed: false,
};

/**
 * What the fragment stage returns: the colours of the picture, linear light without tone mapping, its shading rate code
 * plus 1, nothing (for the depth of a shadow map), the normal, distance and ids of the surface, or its motion in
 * pixels.
 */
export type OutputKind = 'color' | 'light' | 'rates' | 'depth' | SurfaceKind;
export type SurfaceKind = 'surface' | 'motion';

export const isSurfaceKind = (kind: OutputKind): kind is SurfaceKind => kind === 'surface' || kind === 'motion';
