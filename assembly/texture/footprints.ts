// What ellipse.ts and its scalar twin share.
import { Access, DIMENSION_2D, DIMENSION_2D_ARRAY, DIMENSION_CUBE, MODE_GRAD, MODE_LEVEL } from '../layout';

/** An axis ratio may exceed a whole number by this much without an additional probe, since rounding alone can do so. */
export const RATIO_SLACK: f32 = 1.0 / 64.0;

/**
 * Whether a read samples an elliptical footprint: an anisotropic sampler, a 2D texture or cube map, and a mode with
 * gradients.
 */
export function hasEllipse(access: Access): bool {
  const dimension = access.texture.dimension;
  return (
    access.sampler.anisotropy > 1
    && access.mode != MODE_LEVEL
    && access.mode <= MODE_GRAD
    && (dimension == DIMENSION_2D || dimension == DIMENSION_2D_ARRAY || dimension >= DIMENSION_CUBE)
  );
}
