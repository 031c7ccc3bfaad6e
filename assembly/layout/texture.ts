// TEXTURE: a sampled view.  SAMPLER.  Texels lie in rows (`rowBytes`), then layers/slices (`layerBytes`), level by
//                                     level;
// a level's address is that of the view's first layer.

import { pastFields, sizeOf } from './record';
import { Surface } from './surface';
import { TextureStream } from './texture-stream';

@unmanaged
export class TextureLevel {
  address: usize;
  rowBytes: u32;
  layerBytes: u32;
  /** f32; both are read at once. */
  width: i32;
  height: i32;
  /** i32, the last column and row that have another behind them: size − 2. */
  innerX: i32;
  innerY: i32;
  /** f32: slices of a 3d texture. */
  slices: i32;
  /** The next smaller level. */
  next(): TextureLevel { return changetype<TextureLevel>(changetype<usize>(this) + sizeOf<TextureLevel>()); }
}

@unmanaged
export class Texture {
  format: i32;
  /** DIMENSION_*. */
  dimension: i32;
  /** Width of the view's first level, texels. */
  width: i32;
  height: i32;
  /** Depth of a 3d texture, else 1. */
  depth: i32;
  /** Array layers of the view (a cube has 6). */
  layers: i32;
  levelCount: i32;
  samples: i32;
  /** Multisampled: address of a SURFACE (surface.ts), instead of the levels. */
  surface: Surface;
  /** Where the view's channels come from, SWIZZLE_BITS each, and SWIZZLE_SET; 0: from their own. */
  swizzle: u32;
  /** Streamed: what its levels lead to (texture-stream.ts). 0 where all texels are there. */
  stream: TextureStream;
  /**
   * First of 17 TEXTURE LEVELS (the largest streamed texture has so many, others 14).
   */
  get levels(): usize { return pastFields(this); }
  level(index: usize): TextureLevel { return changetype<TextureLevel>(this.levels + index * sizeOf<TextureLevel>()); }
  get past(): usize { return this.levels + 17 * sizeOf<TextureLevel>(); }
}

@unmanaged
export class Sampler {
  /** FILTER_* and ADDRESS_* as i32. */
  mag: i32;
  min: i32;
  mipmap: i32;
  addressU: i32;
  addressV: i32;
  addressW: i32;
  /** f32. */
  lodMin: f32;
  lodMax: f32;
  /** COMPARE_*; 0 for none. */
  compare: i32;
  /** Probes at the most, along the major axis of a pixel's footprint. */
  anisotropy: f32;
}
