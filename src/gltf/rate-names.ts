// The shading rates that requests and materials may name.
import type { ShadingRate } from '../index';

/** Pixels, width x height, that one fragment shader invocation covers. */
export const SHADING_RATES = ['1x1', '1x2', '2x1', '2x2', '2x4', '4x2', '4x4'] as const satisfies ShadingRate[];
