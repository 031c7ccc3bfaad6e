// Level of detail: computes it from derivatives, and selects the mip levels and the filter of a sample. There is one
// value per quad if it follows from coarse derivatives. There is one per lane on cube maps and if the shader passes a
// level, a bias or gradients. lods.ts is the version for four lanes.
import {
  Access,
  DIMENSION_3D,
  DIMENSION_CUBE,
  FILTER_LINEAR,
  MODE_BIAS,
  MODE_GRAD,
  MODE_LEVEL,
  Sampler,
  Texture,
} from '../layout';
import { cubeFace, faceMajor, faceS, faceT } from './addresses/cube';

/** Replaces log2(0); below every level. */
export const LOWEST_LOD: f32 = -64.0;

/** The limits of a bias (WGSL, textureSampleBias). */
export const MIN_BIAS: f32 = -16.0;
export const MAX_BIAS: f32 = 15.99;

/**
 * Half of log2 of x ≥ 0, with an absolute error below 2e-6; exact at powers of two. Infinities become ±64; NaN counts
 * as 0. The terms of the polynomial are independent, since reads wait for the result. Tried: 2·atanh, which needs a
 * division and a floor (160 instead of 143 cycles per trilinear quad).
 */
export function halfLog2(x: f32): f32 {
  if (!(x > 0)) return LOWEST_LOD;
  if (!(x < Infinity)) return -LOWEST_LOD;
  // x = 2^e · (1 + t), 1 + t in √½ … √2
  const bits = reinterpret<i32>(x);
  const e = (bits - 0x3f3504f3) >> 23;
  const t = reinterpret<f32>(bits - (e << 23)) - 1;
  const z = t * t;
  const low = t * (<f32>0.7213567495346069 + t * <f32>-0.3605659008026123) + <f32>e * <f32>0.5;
  return (
    t
      * z
      * (z * (<f32>0.16107894480228424 + t * <f32>-0.10329673439264297)
        + (<f32>0.23967386782169342 + t * <f32>-0.18374522030353546))
    + low
  );
}

function larger(a: f32, b: f32): f32 {
  return a < b ? b : a;
}

// log2 of the length of the longer of two gradients in texels, from squared lengths.
function lodOfGradients(xu: f32, xv: f32, xw: f32, yu: f32, yv: f32, yw: f32): f32 {
  return halfLog2(larger(xu * xu + xv * xv + xw * xw, yu * yu + yv * yv + yw * yw));
}

/** The numerator of the quotient rule, d(s/|m|) = (ds·|m| − s·d|m|)/m². A face has width 2. */
export function quotient(ds: f32, m: f32, s: f32, dm: f32): f32 {
  return ds * m - s * dm;
}

function at(access: Access, operand: usize, offset: usize): f32 {
  const register = load<u32>(changetype<usize>(access) + operand);
  return register ? load<f32>(register + offset) : <f32>0;
}

// The gradient of a coordinate (offset 0, 4 or 8 for u, v or w) at a lane, in x or in y. It is the shader's gradient or
// a difference within the quad. Flat textures use the upper row or the left column, lanes 1 − 0 and 2 − 0; cube maps
// use the lane's own row or column.
export function gradient(access: Access, coordinate: usize, lane: usize, inY: bool): f32 {
  if (access.mode == MODE_GRAD)
    return at(access, coordinate + (inY ? offsetof<Access>('ddyU') : offsetof<Access>('ddxU')), lane);
  const operand = offsetof<Access>('u') + coordinate;
  const own = access.texture.dimension >= DIMENSION_CUBE ? lane & (inY ? 4 : 8) : 0;
  const from = (lane & ~15) + own;
  return at(access, operand, from + (inY ? 8 : 4)) - at(access, operand, from);
}

// The level of detail of a lane, from gradients.
function lodOfLane(access: Access, lane: usize): f32 {
  const texture = access.texture;
  const width = <f32>texture.width;
  const xu = gradient(access, 0, lane, false);
  const xv = gradient(access, 4, lane, false);
  const flat = texture.dimension < DIMENSION_3D;
  const xw: f32 = flat ? 0 : gradient(access, 8, lane, false);
  const yu = gradient(access, 0, lane, true);
  const yv = gradient(access, 4, lane, true);
  const yw: f32 = flat ? 0 : gradient(access, 8, lane, true);
  if (texture.dimension < DIMENSION_CUBE) {
    const height = <f32>texture.height;
    const depth = <f32>texture.depth;
    return lodOfGradients(xu * width, xv * height, xw * depth, yu * width, yv * height, yw * depth);
  }
  // Derivatives of face coordinates, from each lane's own face, direction, row and column. On curved mirrors every
  // pixel then agrees with llvmpipe. One view for the whole quad is off by more than 0.15 of a level in up to 30 % of
  // the pixels at rims, one difference per quad in up to 7 %. (SwiftShader differs by up to half a level even on
  // planes.)
  const u = at(access, offsetof<Access>('u'), lane);
  const v = at(access, offsetof<Access>('v'), lane);
  const w = at(access, offsetof<Access>('w'), lane);
  const face = cubeFace(u, v, w);
  const m = faceMajor(face, u, v, w);
  const s = faceS(face, u, v, w);
  const t = faceT(face, u, v, w);
  const scale = (width * <f32>0.5) / (m * m);
  const mx = faceMajor(face, xu, xv, xw);
  const my = faceMajor(face, yu, yv, yw);
  return lodOfGradients(
    quotient(faceS(face, xu, xv, xw), m, s, mx) * scale,
    quotient(faceT(face, xu, xv, xw), m, t, mx) * scale,
    0,
    quotient(faceS(face, yu, yv, yw), m, s, my) * scale,
    quotient(faceT(face, yu, yv, yw), m, t, my) * scale,
    0
  );
}

/** Whether the level of detail can affect the result. */
export function needsLod(texture: Texture, sampler: Sampler): bool {
  return texture.levelCount > 1 || sampler.mag != sampler.min;
}

function clampBias(bias: f32): f32 {
  const raised = bias > MIN_BIAS ? bias : MIN_BIAS;
  return raised < MAX_BIAS ? raised : MAX_BIAS;
}

function clampLod(sampler: Sampler, lod: f32): f32 {
  // The comparisons map NaN to the lower limit.
  const low = sampler.lodMin;
  const high = sampler.lodMax;
  const raised = lod > low ? lod : low;
  return raised < high ? raised : high;
}

/** Adds the lane's bias, if the read has one, and clamps to the sampler's limits. */
export function boundedLod(access: Access, lane: usize, lod: f32): f32 {
  return clampLod(access.sampler, access.mode == MODE_BIAS ? lod + clampBias(load<f32>(access.level + lane)) : lod);
}

/** Writes the clamped levels of detail of a quad's four lanes to `lods`. `quad` is the byte offset in registers. */
export function quadLods(access: Access, quad: usize, lods: usize): void {
  const mode = access.mode;
  const levels = access.level + quad;
  const cube = access.texture.dimension >= DIMENSION_CUBE;
  const alike: f32 = mode < MODE_LEVEL && !cube ? lodOfLane(access, quad) : 0;
  for (let i: usize = 0; i < 16; i += 4) {
    let lod = alike;
    if (mode == MODE_LEVEL) lod = load<f32>(levels + i);
    else if (mode == MODE_GRAD || cube) lod = lodOfLane(access, quad + i);
    store<f32>(lods + i, boundedLod(access, quad + i, lod));
  }
}

/** Whether texels are filtered linearly at this level of detail. */
export function isLinear(sampler: Sampler, lod: f32): bool {
  return (
    load<i32>(changetype<usize>(sampler) + (lod <= 0 ? offsetof<Sampler>('mag') : offsetof<Sampler>('min')))
    == FILTER_LINEAR
  );
}

/**
 * The level, with the weight of the next one as its fraction. It is a whole number for a nearest mip filter, where
 * halves round up.
 */
export function levelPosition(texture: Texture, sampler: Sampler, lod: f32): f32 {
  const top = <f32>(texture.levelCount - 1);
  const raised: f32 = lod > 0 ? lod : 0;
  const position = raised < top ? raised : top;
  return sampler.mipmap == FILTER_LINEAR ? position : floor<f32>(position + <f32>0.5);
}
