// What the twins of elliptical footprints (ellipse.ts) share.
import { Access, DIMENSION_2D, DIMENSION_2D_ARRAY, DIMENSION_CUBE, MODE_GRAD, MODE_LEVEL } from '../layout';

/** Ratios of the axes up to here more than a whole number take no probe more: rounding alone makes them unequal. */
export const RATIO_SLACK: f32 = 1.0 / 64.0;

/** Whether a sampler covers an ellipse: of flat textures and on the faces of cubes, where there are gradients. */
export function hasEllipse(access: Access): bool {
  const dimension = access.texture.dimension;
  return access.sampler.anisotropy > 1 && access.mode != MODE_LEVEL && access.mode <= MODE_GRAD
    && (dimension == DIMENSION_2D || dimension == DIMENSION_2D_ARRAY || dimension >= DIMENSION_CUBE);
}
