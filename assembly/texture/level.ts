// Level of detail: from derivatives to a number, and from the number to the levels and the filter of a sample.
// One number a quad when it follows from derivatives (coarse differences), one a lane on cubes and when the program
// gives level, bias or gradients.
import {
  Access, DIMENSION_3D, DIMENSION_CUBE, FILTER_LINEAR, MODE_BIAS, MODE_GRAD, MODE_LEVEL, Sampler, Texture,
} from '../layout';
import { cubeFace, faceMajor, faceS, faceT } from './cube';

/** What stands for log2(0): below every level. */
const LOWEST_LOD: f32 = -64.0;

/**
 * Half of log2 of x ≥ 0, absolute error below 2e-6; exact at powers of two; ±64 instead of infinities, NaN as 0.
 * A polynomial whose parts are worked out side by side: what a site reads waits for it. (With 2·atanh, thus a division,
 * and a floor behind it: 160 cycles a trilinear quad, not 143.)
 */
function halfLog2(x: f32): f32 {
  if (!(x > 0)) return LOWEST_LOD;
  if (!(x < Infinity)) return -LOWEST_LOD;
  // x = 2^e · (1 + t), 1 + t in √½ … √2
  const bits = reinterpret<i32>(x);
  const e = (bits - 0x3f3504f3) >> 23;
  const t = reinterpret<f32>(bits - (e << 23)) - 1;
  const z = t * t;
  const low = t * (<f32>0.7213567495346069 + t * <f32>(-0.3605659008026123)) + <f32>e * <f32>0.5;
  return t * z
    * (z * (<f32>0.16107894480228424 + t * <f32>(-0.10329673439264297))
      + (<f32>0.23967386782169342 + t * <f32>(-0.18374522030353546)))
    + low;
}

function larger(a: f32, b: f32): f32 { return a < b ? b : a; }

// log2 of the longer of the two gradients, in texels, from squared lengths.
function lodOfGradients(xu: f32, xv: f32, xw: f32, yu: f32, yv: f32, yw: f32): f32 {
  return halfLog2(larger(xu * xu + xv * xv + xw * xw, yu * yu + yv * yv + yw * yw));
}

// Gradients of face coordinates by the quotient rule: d(s/|m|) = (ds·|m| − s·d|m|)/m²; the face's width is 2.
function lodOfCube(
  face: i32, half: f32, x: f32, y: f32, z: f32, xx: f32, xy: f32, xz: f32, yx: f32, yy: f32, yz: f32
): f32 {
  const m = faceMajor(face, x, y, z);
  const s = faceS(face, x, y, z);
  const t = faceT(face, x, y, z);
  const scale = half / (m * m);
  const mx = faceMajor(face, xx, xy, xz);
  const my = faceMajor(face, yx, yy, yz);
  return lodOfGradients(
    (faceS(face, xx, xy, xz) * m - s * mx) * scale, (faceT(face, xx, xy, xz) * m - t * mx) * scale, 0,
    (faceS(face, yx, yy, yz) * m - s * my) * scale, (faceT(face, yx, yy, yz) * m - t * my) * scale, 0);
}

function at(access: Access, operand: usize, offset: usize): f32 {
  const register = load<u32>(changetype<usize>(access) + operand);
  return register ? load<f32>(register + offset) : <f32>0;
}

// Upper row's difference and left column's difference: lanes 1 − 0 and 2 − 0. Not for cubes.
function implicitLod(access: Access, quad: usize): f32 {
  const texture = access.texture;
  const u = access.u + quad;
  const u0 = load<f32>(u);
  const ux = load<f32>(u, 4) - u0;
  const uy = load<f32>(u, 8) - u0;
  const width = <f32>texture.width;
  const v0 = at(access, offsetof<Access>('v'), quad);
  const vx = at(access, offsetof<Access>('v'), quad + 4) - v0;
  const vy = at(access, offsetof<Access>('v'), quad + 8) - v0;
  const height = <f32>texture.height;
  const dimension = texture.dimension;
  if (dimension < DIMENSION_3D) return lodOfGradients(ux * width, vx * height, 0, uy * width, vy * height, 0);
  const w0 = at(access, offsetof<Access>('w'), quad);
  const wx = at(access, offsetof<Access>('w'), quad + 4) - w0;
  const wy = at(access, offsetof<Access>('w'), quad + 8) - w0;
  const depth = <f32>texture.depth;
  return lodOfGradients(ux * width, vx * height, wx * depth, uy * width, vy * height, wy * depth);
}

// The quad's differences of directions, seen from the face and the direction of each lane: one view for the whole quad
// is further from what GPUs show on small mirrors (96.7 % of the pixels of the scene cube-mirror; 97.1 % so).
function implicitCubeLod(access: Access, quad: usize, lane: usize): f32 {
  const half = <f32>access.texture.width * <f32>0.5;
  const u = access.u + quad;
  const v = access.v + quad;
  const w = access.w + quad;
  const x = load<f32>(u + lane);
  const y = load<f32>(v + lane);
  const z = load<f32>(w + lane);
  return lodOfCube(
    cubeFace(x, y, z), half, x, y, z, load<f32>(u, 4) - load<f32>(u), load<f32>(v, 4) - load<f32>(v),
    load<f32>(w, 4) - load<f32>(w), load<f32>(u, 8) - load<f32>(u), load<f32>(v, 8) - load<f32>(v),
    load<f32>(w, 8) - load<f32>(w)
  );
}

function gradientLod(access: Access, lane: usize): f32 {
  const texture = access.texture;
  const width = <f32>texture.width;
  const height = <f32>texture.height;
  const ux = at(access, offsetof<Access>('ddxU'), lane);
  const vx = at(access, offsetof<Access>('ddxU') + 4, lane);
  const wx = at(access, offsetof<Access>('ddxU') + 8, lane);
  const uy = at(access, offsetof<Access>('ddyU'), lane);
  const vy = at(access, offsetof<Access>('ddyU') + 4, lane);
  const wy = at(access, offsetof<Access>('ddyU') + 8, lane);
  if (texture.dimension >= DIMENSION_CUBE) {
    const u = at(access, offsetof<Access>('u'), lane);
    const v = at(access, offsetof<Access>('v'), lane);
    const w = at(access, offsetof<Access>('w'), lane);
    return lodOfCube(cubeFace(u, v, w), width * 0.5, u, v, w, ux, vx, wx, uy, vy, wy);
  }
  const depth = <f32>texture.depth;
  return lodOfGradients(ux * width, vx * height, wx * depth, uy * width, vy * height, wy * depth);
}

/** Whether the level of detail can change anything. */
export function needsLod(texture: Texture, sampler: Sampler): bool {
  return texture.levelCount > 1 || sampler.mag != sampler.min;
}

function clampLod(sampler: Sampler, lod: f32): f32 {
  // The comparisons take NaN to the lower limit.
  const low = sampler.lodMin;
  const high = sampler.lodMax;
  const raised = lod > low ? lod : low;
  return raised < high ? raised : high;
}

/**
 * Writes the clamped level of detail of a quad's four lanes to `lods`; true when all are equal. `quad` is the byte
 * offset in registers.
 */
export function quadLods(access: Access, quad: usize, lods: usize): bool {
  const sampler = access.sampler;
  const mode = access.mode;
  const levels = access.level + quad;
  const derived = mode < MODE_LEVEL;
  const cube = derived && access.texture.dimension >= DIMENSION_CUBE;
  const implicit: f32 = derived && !cube ? implicitLod(access, quad) : 0;
  if (mode < MODE_BIAS && !cube) {
    const lod = clampLod(sampler, implicit);
    for (let i: usize = 0; i < 16; i += 4) store<f32>(lods + i, lod);
    return true;
  }
  for (let i: usize = 0; i < 16; i += 4) {
    let lod = mode == MODE_GRAD ? gradientLod(access, quad + i) : cube ? implicitCubeLod(access, quad, i) : implicit;
    if (mode == MODE_LEVEL) lod = load<f32>(levels + i);
    else if (mode == MODE_BIAS) lod = lod + load<f32>(levels + i);
    store<f32>(lods + i, clampLod(sampler, lod));
  }
  const first = load<u32>(lods);
  return first == load<u32>(lods, 4) && first == load<u32>(lods, 8) && first == load<u32>(lods, 12);
}

/** Whether texels are filtered linearly at this level of detail. */
export function isLinear(sampler: Sampler, lod: f32): bool {
  return load<i32>(changetype<usize>(sampler) + (lod <= 0 ? offsetof<Sampler>('mag') : offsetof<Sampler>('min')))
    == FILTER_LINEAR;
}

/**
 * The level, with the fraction of the next one above the binary point: whole for a nearest mip filter (half is rounded
 * up).
 */
export function levelPosition(texture: Texture, sampler: Sampler, lod: f32): f32 {
  const top = <f32>(texture.levelCount - 1);
  const raised: f32 = lod > 0 ? lod : 0;
  const position = raised < top ? raised : top;
  return sampler.mipmap == FILTER_LINEAR ? position : floor<f32>(position + <f32>0.5);
}
