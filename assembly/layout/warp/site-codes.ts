// Codes and sizes of site records. Both compilers read this file.

export const SITE_MAX_TEXTURES = 8;
/** Flag bits of SiteTexture.flags. */
export const SITE_SRGB = 16;
/**
 * Blue comes first in memory (BGRA). The flag's value is also the distance in bytes between red and blue in the
 * results.
 */
export const SITE_BLUE_FIRST = 32;
/** Level selection: always level 0; the level of Site.operands; coarse differences; or a general method (level.ts). */
export const SITE_LOD_NONE = 0;
export const SITE_LOD_LEVEL = 1;
export const SITE_LOD_IMPLICIT = 2;
export const SITE_LOD_GENERAL = 3;
