// Codes and sizes of site records, for both compilers.

export const SITE_MOST_TEXTURES = 8;
export const SITE_SRGB = 16;
/** Its value is the distance of red from blue in the results. */
export const SITE_BLUE_FIRST = 32;
/** Level 0 in all cases, the level of Site.operands, coarse differences, or something else (level.ts). */
export const SITE_LOD_NONE = 0;
export const SITE_LOD_LEVEL = 1;
export const SITE_LOD_IMPLICIT = 2;
export const SITE_LOD_GENERAL = 3;
