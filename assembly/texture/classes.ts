// How texels are fetched and filtered, by class of format, and the scratch memory of a read.
//
// Filtering arithmetic (the same in every engine; texel rows first, then columns, slices, levels):
//   bytes    row: t0·(2^14 − wx) + t1·wx in integers, wx = round(fx·2^14); column: f32; ×1/(255·2^14) at the end. Error < 4e-5.
//   others   a + (b − a)·f in f32, after decoding (sRGB is linear by then)
import { ACCESS_PLACES, ACCESS_SCRATCH } from '../layout/program';
import * as F from '../layout/formats';

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
/** Any other format, a texel at a time through surface/texel.ts. */
export const CLASS_TEXEL = 5;

/** One in the integer weights of the byte classes. */
export const WEIGHT_ONE = 16384;
/** Takes the byte classes' sums to 0 … 1. */
export const BYTE_SCALE: f32 = 1.0 / (255.0 * 16384.0);
/** Takes a byte to 0 … 1. */
export const UNORM8_SCALE: f32 = 1.0 / 255.0;

export function classOf(format: i32): i32 {
  switch (format) {
    case F.FORMAT_RGBA8UNORM: case F.FORMAT_BGRA8UNORM: return CLASS_BYTES4;
    case F.FORMAT_RG8UNORM: return CLASS_BYTES2;
    case F.FORMAT_R8UNORM: return CLASS_BYTES1;
    case F.FORMAT_RGBA8UNORM_SRGB: case F.FORMAT_BGRA8UNORM_SRGB: return CLASS_SRGB;
    case F.FORMAT_RGBA16FLOAT: return CLASS_HALF4;
    default: return CLASS_TEXEL;
  }
}

/** Whether memory holds blue first in the classes that keep memory's order. */
export function isBlueFirst(format: i32): bool { return format == F.FORMAT_BGRA8UNORM || format == F.FORMAT_BGRA8UNORM_SRGB; }

// Scratch: four filtered pixels (rgba), four of the second level, four texels, a slice; then what a footprint is made of.
export const SCRATCH_PIXELS: usize = ACCESS_SCRATCH;
export const SCRATCH_NEXT_LEVEL: usize = ACCESS_SCRATCH + 64;
export const SCRATCH_TEXELS: usize = ACCESS_SCRATCH + 128;
export const SCRATCH_SLICE: usize = ACCESS_SCRATCH + 192;
/** Addresses of the texels (0,0) (1,0) (0,1) (1,1), then the f32 fractions in x and y. */
export const SCRATCH_FOOTPRINT: usize = ACCESS_SCRATCH + 208;
/** First index, second index, fraction of each axis. */
export const SCRATCH_AXES: usize = ACCESS_SCRATCH + 232;
export const SCRATCH_LODS: usize = ACCESS_SCRATCH + 272;
/** Of each quad whose pixels share one: level of detail, and the fraction of the next level. */
export const SCRATCH_QUAD_LODS: usize = ACCESS_SCRATCH + 288;
export const SCRATCH_QUAD_FRACTIONS: usize = ACCESS_SCRATCH + 352;

// Places of a flat texture's reads (places.ts). The key is 16 words, the second of which is 0 where there are none.
export const PLACED_KEY: usize = ACCESS_PLACES;
export const RUNS: usize = PLACED_KEY + 64;
export const RUN_BYTES: usize = 16;
export const RUN_FIRST: usize = 0;
export const RUN_END: usize = 4;
export const RUN_LEVEL: usize = 8;
/** RUN_LINEAR: texels are filtered; RUN_MIXES: some quad has a fraction of the next level. */
export const RUN_FLAGS: usize = 12;
export const RUN_LINEAR = 1;
export const RUN_MIXES = 2;
export const PLACED_U: usize = RUNS + 17 * RUN_BYTES;
export const PLACED_V: usize = PLACED_U + 256;
export const PLACES: usize = PLACED_V + 256;
export const PLACE_BYTES: usize = 112;
export const PLACE_X0: usize = 0;
export const PLACE_X1: usize = 16;
export const PLACE_ROW0: usize = 32;
export const PLACE_ROW1: usize = 48;
export const PLACE_WEIGHTS: usize = 64;
export const PLACE_FX: usize = 80;
export const PLACE_FY: usize = 96;
