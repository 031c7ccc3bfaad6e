// TEXTURE: a sampled view. SAMPLER: sampler state. A level's texels are stored in rows (`rowBytes` apart), then in
// layers or slices (`layerBytes` apart), level by level. A level's address is that of the view's first layer.

import { pastFields, sizeOf } from '../record';
import { Surface } from '../surface/surface';
import { TextureStream } from './texture-stream';
import { MAX_STREAM_LEVELS } from './texture-stream-codes';

/** TEXTURE LEVEL: one mip level of a view. */
@unmanaged
export class TextureLevel {
  address: usize;
  rowBytes: u32;
  layerBytes: u32;
  /** Size in texels. Both values are read at once. */
  width: i32;
  height: i32;
  /** The last column and row that have a successor: size − 2. */
  innerX: i32;
  innerY: i32;
  /** Slices of a 3d texture. */
  slices: i32;
  /** The next smaller level. */
  next(): TextureLevel {
    return changetype<TextureLevel>(changetype<usize>(this) + sizeOf<TextureLevel>());
  }
}

/** TEXTURE: a sampled view. */
@unmanaged
export class Texture {
  format: i32;
  /** DIMENSION_*. */
  dimension: i32;
  /** Size of the view's first level, in texels. */
  width: i32;
  height: i32;
  /** Depth of a 3d texture, else 1. */
  depth: i32;
  /** Array layers of the view (6 for each cube). */
  layers: i32;
  levelCount: i32;
  samples: i32;
  /** Multisampled: address of a SURFACE (surface.ts), which replaces the levels. */
  surface: Surface;
  /** Source of each of the view's channels, SWIZZLE_BITS each, with SWIZZLE_SET; 0: no swizzle. */
  swizzle: u32;
  /** Streamed: the TEXTURE STREAM whose pages its levels refer to (texture-stream.ts). 0: all texels are resident. */
  stream: TextureStream;
  /** 17 TEXTURE LEVELs: the largest streamed texture has that many; others have at most 14. */
  get levels(): usize {
    return pastFields(this);
  }
  level(index: usize): TextureLevel {
    return changetype<TextureLevel>(this.levels + index * sizeOf<TextureLevel>());
  }
  get past(): usize {
    return this.levels + MAX_STREAM_LEVELS * sizeOf<TextureLevel>();
  }
}

/** SAMPLER: sampler state. */
@unmanaged
export class Sampler {
  /** FILTER_* and ADDRESS_*. */
  mag: i32;
  min: i32;
  mipmap: i32;
  addressU: i32;
  addressV: i32;
  addressW: i32;
  lodMin: f32;
  lodMax: f32;
  /** COMPARE_*; 0 for none. */
  compare: i32;
  /** Maximum number of probes along the major axis of a pixel's footprint. */
  anisotropy: f32;
}
