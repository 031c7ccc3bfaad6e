// TEXTURE: a sampled view.  SAMPLER.  Texels lie in rows (`rowBytes`), then layers/slices (`layerBytes`), level by level;
// a level's address is that of the view's first layer.
export const TEXTURE_FORMAT = 0;
/** DIMENSION_*. */
export const TEXTURE_DIMENSION = 4;
/** Width of the view's first level, texels. */
export const TEXTURE_WIDTH = 8;
export const TEXTURE_HEIGHT = 12;
/** Depth of a 3d texture, else 1. */
export const TEXTURE_DEPTH = 16;
/** Array layers of the view (a cube has 6). */
export const TEXTURE_LAYERS = 20;
export const TEXTURE_LEVELS = 24;
export const TEXTURE_SAMPLES = 28;
/** First of 16 entries (the largest texture has 14 levels): address, row bytes, layer bytes, 0; then what sites want to know of its size. */
export const TEXTURE_LEVEL0 = 32;
export const TEXTURE_LEVEL_BYTES = 32;
export const LEVEL_ADDRESS = 0;
export const LEVEL_ROW_BYTES = 4;
export const LEVEL_LAYER_BYTES = 8;
/** f32. */
export const LEVEL_WIDTH = 16;
export const LEVEL_HEIGHT = 20;
/** i32, the last column and row that have another behind them: size − 2. */
export const LEVEL_INNER_X = 24;
export const LEVEL_INNER_Y = 28;
/** Several samples: address of a SURFACE (surface.ts), in place of the levels. */
export const TEXTURE_SURFACE = 544;
export const TEXTURE_BYTES = 560;

export const DIMENSION_1D = 0;
export const DIMENSION_2D = 1;
export const DIMENSION_2D_ARRAY = 2;
export const DIMENSION_3D = 3;
export const DIMENSION_CUBE = 4;
export const DIMENSION_CUBE_ARRAY = 5;

/** FILTER_* and ADDRESS_* as i32. */
export const SAMPLER_MAG = 0;
export const SAMPLER_MIN = 4;
export const SAMPLER_MIPMAP = 8;
export const SAMPLER_ADDRESS_U = 12;
export const SAMPLER_ADDRESS_V = 16;
export const SAMPLER_ADDRESS_W = 20;
/** f32. */
export const SAMPLER_LOD_MIN = 24;
export const SAMPLER_LOD_MAX = 28;
/** COMPARE_*; 0 for none. */
export const SAMPLER_COMPARE = 32;
export const SAMPLER_BYTES = 48;
export const FILTER_NEAREST = 0;
export const FILTER_LINEAR = 1;
export const ADDRESS_CLAMP = 0;
export const ADDRESS_REPEAT = 1;
export const ADDRESS_MIRROR = 2;
/** GPUCompareFunction, from 1. */
export const COMPARE_NEVER = 1;
export const COMPARE_LESS = 2;
export const COMPARE_EQUAL = 3;
export const COMPARE_LESS_EQUAL = 4;
export const COMPARE_GREATER = 5;
export const COMPARE_NOT_EQUAL = 6;
export const COMPARE_GREATER_EQUAL = 7;
export const COMPARE_ALWAYS = 8;

/** Texture reads in bytecode: TextureAccess.mode. */
export const MODE_IMPLICIT = 0;
export const MODE_BIAS = 1;
export const MODE_LEVEL = 2;
export const MODE_GRAD = 3;
