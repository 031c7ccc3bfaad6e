// How each class of format fetches and filters texels.
//
// Filtering arithmetic is the same in every engine. Texel rows are filtered first, then columns, slices and levels:
//   bytes    row: t0·(2^14 − wx) + t1·wx in integers, wx = round(fx·2^14); column: f32; ×1/(255·2^14) at the end.
//            Error < 4e-5.
//   others   a + (b − a)·f in f32, after decoding (sRGB is linear by then)
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH24PLUS,
  FORMAT_DEPTH24PLUS_STENCIL8,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R16FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG16FLOAT,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../layout';

/** rgba8unorm, bgra8unorm. */
export const CLASS_BYTES4 = 0;
/** rg8unorm. */
export const CLASS_BYTES2 = 1;
/** r8unorm. */
export const CLASS_BYTES1 = 2;
/** rgba8unorm-srgb, bgra8unorm-srgb. */
export const CLASS_SRGB = 3;
/** rgba16float. */
export const CLASS_HALF4 = 4;
/** r32float and the depth formats: one float, which comparison reads compare. */
export const CLASS_FLOAT = 5;
/** Any other format, through its codec (surface/formats.ts); compiled code filters some by sites/site-narrow.ts. */
export const CLASS_TEXEL = 6;

/** 1.0 in the integer weights of the byte classes. */
export const WEIGHT_ONE = 16384;
/** Scales the sums of the byte classes to 0…1. */
export const BYTE_SCALE: f32 = 1.0 / (255.0 * 16384.0);
/** Scales a byte to 0…1. */
export const UNORM8_SCALE: f32 = 1.0 / 255.0;

export function classOf(format: i32): i32 {
  switch (format) {
    case FORMAT_RGBA8UNORM:
    case FORMAT_BGRA8UNORM:
      return CLASS_BYTES4;
    case FORMAT_RG8UNORM:
      return CLASS_BYTES2;
    case FORMAT_R8UNORM:
      return CLASS_BYTES1;
    case FORMAT_RGBA8UNORM_SRGB:
    case FORMAT_BGRA8UNORM_SRGB:
      return CLASS_SRGB;
    case FORMAT_RGBA16FLOAT:
      return CLASS_HALF4;
    case FORMAT_R32FLOAT:
    case FORMAT_DEPTH32FLOAT:
    case FORMAT_DEPTH24PLUS:
    case FORMAT_DEPTH24PLUS_STENCIL8:
      return CLASS_FLOAT;
    default:
      return CLASS_TEXEL;
  }
}

export function channelsOf(textureClass: i32): i32 {
  return textureClass == CLASS_BYTES1 || textureClass == CLASS_FLOAT ? 1 : textureClass == CLASS_BYTES2 ? 2 : 4;
}

/** Number of half floats in the texels of r16float and rg16float; 0 for other formats. */
export function narrowHalves(format: i32): i32 {
  return format == FORMAT_R16FLOAT ? 1 : format == FORMAT_RG16FLOAT ? 2 : 0;
}

/** Whether blue is the first byte in memory, for classes whose channels stay in memory order. */
export function isBlueFirst(format: i32): bool {
  return format == FORMAT_BGRA8UNORM || format == FORMAT_BGRA8UNORM_SRGB;
}
export const RUN_LINEAR = 1;
export const RUN_MIXES = 2;
