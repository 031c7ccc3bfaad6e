// Levels of detail of one quad or of four quads at once: the arithmetic of level.ts, its scalar twin.
import { Access, DIMENSION_3D, DIMENSION_CUBE, MODE_BIAS, MODE_LEVEL, Sampler, Texture } from '../layout';
import {
  doubleLow,
  highHalves,
  madd,
  max,
  quadSteps,
  select,
  splatFrom,
  transposeColumn0,
  transposeColumn1,
  transposeColumn2,
} from '../simd/lanes';
import { splat1 } from '../simd/texels';
import { BITS, HALF, LOG_1, LOG_2, LOG_3, LOG_4, LOG_5, LOG_6, NUMBERS, ONE, ROOT_HALF } from './texels/constants';
import { cubeLengths } from './addresses/cubes';
import { gradientOf } from './addresses/gradients';
import { MIN_BIAS, LOWEST_LOD, MAX_BIAS } from './level';

// halfLog2 of level.ts, except that zero and infinity give some number beyond ±60; no texture has levels there. NaN
// stays NaN, which clamping maps to the lower limit.
function halfLog2(x: v128): v128 {
  const e = i32x4.shr_s(i32x4.sub(x, splatFrom(BITS, ROOT_HALF)), 23);
  const t = f32x4.sub(i32x4.sub(x, i32x4.shl(e, 23)), splatFrom(NUMBERS, ONE));
  const z = f32x4.mul(t, t);
  const exponents = v128.or(f32x4.mul(f32x4.convert_i32x4_s(e), splatFrom(NUMBERS, HALF)), f32x4.ne(x, x));
  const low = madd(t, madd(t, splatFrom(NUMBERS, LOG_2), splatFrom(NUMBERS, LOG_1)), exponents);
  const middle = madd(t, splatFrom(NUMBERS, LOG_4), splatFrom(NUMBERS, LOG_3));
  const high = madd(t, splatFrom(NUMBERS, LOG_6), splatFrom(NUMBERS, LOG_5));
  return madd(f32x4.mul(t, z), madd(z, high, middle), low);
}

// Levels of detail from the squared lengths of the gradients in x and in y, in texels.
function lodsOfLengths(lengthX: v128, lengthY: v128): v128 {
  return halfLog2(max(lengthX, lengthY));
}

/** Clamps to limits (f32 at addresses); pmax and pmin map NaN to the lower one, as the scalar comparisons do. */
export function within(low: usize, high: usize, lods: v128): v128 {
  return f32x4.pmin(v128.load32_splat(high), f32x4.pmax(v128.load32_splat(low), lods));
}

/** The level of detail of one quad before any limits, in lane 0. */
// @ts-ignore: decorator
@inline export function implicitLod(texture: Texture, u: v128, v: v128): v128 {
  const sizes = f32x4.convert_i32x4_s(
    doubleLow(v128.load64_zero(changetype<usize>(texture) + offsetof<Texture>('width')))
  );
  // The differences of u and v in x, then in y; their squares, then the sums over u and v.
  const steps = f32x4.mul(quadSteps(u, v), sizes);
  const squares = f32x4.mul(steps, steps);
  const lengths = f32x4.add(squares, highHalves(squares, squares));
  return lodsOfLengths(lengths, splat1(lengths));
}

// Squared length of the longer gradient, for flat textures and volumes, in texels of the first level.
function flatLengths(access: Access, quad: usize): v128 {
  const texture = access.texture;
  const width = f32x4.splat(<f32>texture.width);
  const height = f32x4.splat(<f32>texture.height);
  const depth = f32x4.splat(<f32>texture.depth);
  let longest = f32x4.splat(0);
  for (let inY = 0; inY < 2; inY++) {
    const u = f32x4.mul(gradientOf(access, quad, 0, inY), width);
    const v = f32x4.mul(gradientOf(access, quad, 4, inY), height);
    let length = madd(u, u, f32x4.mul(v, v));
    if (texture.dimension == DIMENSION_3D) {
      const w = f32x4.mul(gradientOf(access, quad, 8, inY), depth);
      length = madd(w, w, length);
    }
    longest = inY ? max(longest, length) : length;
  }
  return longest;
}

/** Clamped levels of detail of a quad's pixels, for any texture and mode. */
export function lodsOfQuad(access: Access, quad: usize): v128 {
  const mode = access.mode;
  const sampler = access.sampler;
  if (mode == MODE_LEVEL) return withinLimits(sampler, v128.load(access.level + quad));
  const lengths = access.texture.dimension >= DIMENSION_CUBE ? cubeLengths(access, quad) : flatLengths(access, quad);
  return boundedLods(access, quad, lodsOfSquares(lengths));
}

/** Levels of detail from squared lengths in texels. */
export function lodsOfSquares(lengths: v128): v128 {
  return select(
    f32x4.gt(lengths, f32x4.splat(0)),
    select(f32x4.lt(lengths, f32x4.splat(Infinity)), halfLog2(lengths), f32x4.splat(-LOWEST_LOD)),
    f32x4.splat(LOWEST_LOD)
  );
}

/** Adds the quad's bias, if the read has one, and clamps to the sampler's limits. */
export function boundedLods(access: Access, quad: usize, lods: v128): v128 {
  if (access.mode != MODE_BIAS) return withinLimits(access.sampler, lods);
  const bias = f32x4.pmax(f32x4.splat(MIN_BIAS), v128.load(access.level + quad));
  return withinLimits(access.sampler, f32x4.add(lods, f32x4.pmin(f32x4.splat(MAX_BIAS), bias)));
}

function withinLimits(sampler: Sampler, lods: v128): v128 {
  return within(
    changetype<usize>(sampler) + offsetof<Sampler>('lodMin'),
    changetype<usize>(sampler) + offsetof<Sampler>('lodMax'),
    lods
  );
}

/**
 * Writes the clamped level of detail of each quad below the register byte offset `end` to `lods`, one f32 per quad.
 * Quads are processed in groups of four.
 */
export function implicitLods(access: Access, end: usize, lods: usize): void {
  const texture = access.texture;
  const sampler = access.sampler;
  const u = access.u;
  const v = access.v;
  const width = f32x4.splat(<f32>texture.width);
  const height = f32x4.splat(<f32>texture.height);
  for (let quad: usize = 0; quad < end; quad += 64) {
    const au = v128.load(u + quad);
    const bu = v128.load(u + quad, 16);
    const cu = v128.load(u + quad, 32);
    const du = v128.load(u + quad, 48);
    const av = v128.load(v + quad);
    const bv = v128.load(v + quad, 16);
    const cv = v128.load(v + quad, 32);
    const dv = v128.load(v + quad, 48);
    const u0 = transposeColumn0(au, bu, cu, du);
    const v0 = transposeColumn0(av, bv, cv, dv);
    const xu = f32x4.mul(f32x4.sub(transposeColumn1(au, bu, cu, du), u0), width);
    const xv = f32x4.mul(f32x4.sub(transposeColumn1(av, bv, cv, dv), v0), height);
    const yu = f32x4.mul(f32x4.sub(transposeColumn2(au, bu, cu, du), u0), width);
    const yv = f32x4.mul(f32x4.sub(transposeColumn2(av, bv, cv, dv), v0), height);
    const lengthX = f32x4.add(f32x4.mul(xu, xu), f32x4.mul(xv, xv));
    const lengthY = f32x4.add(f32x4.mul(yu, yu), f32x4.mul(yv, yv));
    v128.store(
      lods + (quad >> 2),
      within(
        changetype<usize>(sampler) + offsetof<Sampler>('lodMin'),
        changetype<usize>(sampler) + offsetof<Sampler>('lodMax'),
        lodsOfLengths(lengthX, lengthY)
      )
    );
  }
}
