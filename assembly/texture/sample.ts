// Texture samples of a warp. Flat textures of the common formats are read a level at a time for runs of quads, and in it a quad
// at a time: coordinates of four pixels in a v128, then the channels of one pixel in a v128, transposed at the end.
// Everything else goes through pixel.ts.
// Twin: sample.scalar.ts.
import { ACCESS_LAYER, ACCESS_MODE, ACCESS_OFFSET_X, ACCESS_OFFSET_Y, ACCESS_QUADS, ACCESS_RESULT, ACCESS_SAMPLER, ACCESS_TEXTURE, ACCESS_U, ACCESS_V } from '../layout/program';
import * as T from '../layout/texture';
import { madd, splat0, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';
import { intsOfWhole } from '../simd/channels';
import { splat1, splat2, splat3 } from '../simd/texels';
import { firstIndices, placeQuad, secondIndices } from './axis';
import { BYTE_SCALE, CLASS_BYTES1, CLASS_BYTES2, CLASS_BYTES4, CLASS_HALF4, CLASS_SRGB, SCRATCH_LODS, SCRATCH_PIXELS, SCRATCH_QUAD_FRACTIONS, SCRATCH_QUAD_LODS, classOf, isBlueFirst } from './classes';
import { cubeQuad, isPlainCube } from './cubes';
import { bilinear, byteWeights, decodeTexel } from './filter';
import { implicitLods } from './lods';
import { isLinear, levelPosition, needsLod, quadLods } from './level';
import { samplePixel } from './pixel';
import { sampleWarpScalar } from './sample.scalar';

// Bytes of a texel of the class that a type stands for (filter.ts), as a shift.
// @ts-ignore: decorator
@inline function texelShift<C>(): i32 { return isInteger<C>() ? (sizeof<C>() == 4 ? 2 : sizeof<C>() == 2 ? 1 : 0) : sizeof<C>() == 4 ? 2 : 3; }

// Address of each pixel's layer.
// @ts-ignore: decorator
@inline function layerBases(access: usize, texture: usize, record: usize, quad: usize): v128 {
  const base = i32x4.splat(load<i32>(record + T.LEVEL_ADDRESS));
  const register = <usize>load<u32>(access + ACCESS_LAYER);
  if (!register) return base;
  const last = i32x4.splat(load<i32>(texture + T.TEXTURE_LAYERS) - 1);
  const layers = i32x4.max_s(i32x4.min_s(v128.load(register + quad), last), i32x4.splat(0));
  return i32x4.add(base, i32x4.mul(layers, i32x4.splat(load<i32>(record + T.LEVEL_LAYER_BYTES))));
}

// @ts-ignore: decorator
@inline function footprint<C>(row0: usize, row1: usize, x0: usize, x1: usize, across: v128, fy: v128): v128 {
  return bilinear<C>(row0 + x0, row0 + x1, row1 + x0, row1 + x1, across, fy);
}

// Writes or mixes one channel of a quad; a channel that the format lacks is written once.
// @ts-ignore: decorator
@inline function put(result: usize, quad: usize, v: v128, scale: v128, mix: bool, fractions: v128): void {
  if (!result) return;
  if (mix) {
    const a = v128.load(result + quad);
    v = madd(f32x4.sub(v, a), fractions, a);
  }
  v128.store(result + quad, f32x4.mul(v, scale));
}

/**
 * One level for the quads first … end (byte offsets in registers), which share it. `mix`: mixes it into the results by the
 * quads' fractions. Byte classes are scaled with the last level that a quad needs.
 */
function level<C>(access: usize, first: usize, end: usize, swap: usize, index: i32, linear: bool, mix: bool): void {
  const texture = <usize>load<u32>(access + ACCESS_TEXTURE);
  const sampler = <usize>load<u32>(access + ACCESS_SAMPLER);
  const record = texture + T.TEXTURE_LEVEL0 + <usize>(index * T.TEXTURE_LEVEL_BYTES);
  const width = max<i32>(1, load<i32>(texture + T.TEXTURE_WIDTH) >> index);
  const height = max<i32>(1, load<i32>(texture + T.TEXTURE_HEIGHT) >> index);
  const modeU = load<i32>(sampler + T.SAMPLER_ADDRESS_U);
  const modeV = load<i32>(sampler + T.SAMPLER_ADDRESS_V);
  const offsetX = load<i32>(access + ACCESS_OFFSET_X);
  const offsetY = load<i32>(access + ACCESS_OFFSET_Y);
  const us = <usize>load<u32>(access + ACCESS_U);
  const vs = <usize>load<u32>(access + ACCESS_V);
  const result0 = <usize>load<u32>(access + ACCESS_RESULT + (swap << 2));
  const result1 = <usize>load<u32>(access + ACCESS_RESULT + 4);
  const result2 = <usize>load<u32>(access + ACCESS_RESULT + ((swap ^ 2) << 2));
  const result3 = <usize>load<u32>(access + ACCESS_RESULT + 12);
  const center: f32 = linear ? 0.5 : 0;
  const shiftX = f32x4.splat(<f32>offsetX - center);
  const shiftY = f32x4.splat(<f32>offsetY - center);
  const widths = f32x4.splat(<f32>width);
  const heights = f32x4.splat(<f32>height);
  const lastX = i32x4.splat(width - 1);
  const lastY = i32x4.splat(height - 1);
  const rowBytes = i32x4.splat(load<i32>(record + T.LEVEL_ROW_BYTES));
  const one = i32x4.splat(1);
  const fullScale: f32 = isInteger<C>() ? BYTE_SCALE : 1;
  for (let quad = first; quad < end; quad += 16) {
    const fraction = load<f32>(access + SCRATCH_QUAD_FRACTIONS + (quad >> 2));
    if (mix && fraction == 0) continue;
    const x = placeQuad(v128.load(us + quad), widths, modeU, shiftX, offsetX != 0);
    const y = placeQuad(v128.load(vs + quad), heights, modeV, shiftY, offsetY != 0);
    const wholeX = f32x4.floor(x);
    const wholeY = f32x4.floor(y);
    const i = intsOfWhole(wholeX);
    const j = intsOfWhole(wholeY);
    const base = layerBases(access, texture, record, quad);
    const x0 = i32x4.shl(firstIndices(i, lastX, modeU), texelShift<C>());
    const row0 = i32x4.add(base, i32x4.mul(firstIndices(j, lastY, modeV), rowBytes));
    let a: v128;
    let b: v128;
    let c: v128;
    let d: v128;
    if (linear) {
      const x1 = i32x4.shl(secondIndices(i32x4.add(i, one), lastX, modeU), texelShift<C>());
      const row1 = i32x4.add(base, i32x4.mul(secondIndices(i32x4.add(j, one), lastY, modeV), rowBytes));
      const fx = f32x4.sub(x, wholeX);
      const fy = f32x4.sub(y, wholeY);
      const across = isInteger<C>() ? byteWeights(fx) : fx;
      a = footprint<C>(i32x4.extract_lane(row0, 0), i32x4.extract_lane(row1, 0), i32x4.extract_lane(x0, 0), i32x4.extract_lane(x1, 0), splat0(across), splat0(fy));
      b = footprint<C>(i32x4.extract_lane(row0, 1), i32x4.extract_lane(row1, 1), i32x4.extract_lane(x0, 1), i32x4.extract_lane(x1, 1), splat1(across), splat1(fy));
      c = footprint<C>(i32x4.extract_lane(row0, 2), i32x4.extract_lane(row1, 2), i32x4.extract_lane(x0, 2), i32x4.extract_lane(x1, 2), splat2(across), splat2(fy));
      d = footprint<C>(i32x4.extract_lane(row0, 3), i32x4.extract_lane(row1, 3), i32x4.extract_lane(x0, 3), i32x4.extract_lane(x1, 3), splat3(across), splat3(fy));
    } else {
      const at = i32x4.add(row0, x0);
      a = decodeTexel<C>(i32x4.extract_lane(at, 0));
      b = decodeTexel<C>(i32x4.extract_lane(at, 1));
      c = decodeTexel<C>(i32x4.extract_lane(at, 2));
      d = decodeTexel<C>(i32x4.extract_lane(at, 3));
    }
    const fractions = f32x4.splat(fraction);
    const scale = f32x4.splat(mix || fraction == 0 ? fullScale : 1);
    put(result0, quad, transposeColumn0(a, b, c, d), scale, mix, fractions);
    if (!isInteger<C>() || sizeof<C>() >= 2) put(result1, quad, transposeColumn1(a, b, c, d), scale, mix, fractions);
    if (!isInteger<C>() || sizeof<C>() == 4) {
      put(result2, quad, transposeColumn2(a, b, c, d), scale, mix, fractions);
      put(result3, quad, transposeColumn3(a, b, c, d), scale, mix, fractions);
    }
  }
}

// Channels that the format lacks: green and blue 0, alpha 1.
function fillMissing(access: usize, channels: i32, end: usize): void {
  for (let c = channels; c < 4; c++) {
    const result = <usize>load<u32>(access + ACCESS_RESULT + <usize>(c << 2));
    if (!result) continue;
    const value = f32x4.splat(c == 3 ? 1 : 0);
    for (let quad: usize = 0; quad < end; quad += 16) v128.store(result + quad, value);
  }
}

// A quad whose pixels differ in level, or of a texture that is not flat, a pixel at a time.
function pixels(access: usize, quad: usize, textureClass: i32, swap: usize): void {
  const out = access + SCRATCH_PIXELS;
  for (let i: usize = 0; i < 16; i += 4) samplePixel<v128>(access, quad + i, textureClass, load<f32>(access + SCRATCH_LODS + i), out + (i << 2));
  const a = v128.load(out);
  const b = v128.load(out, 16);
  const c = v128.load(out, 32);
  const d = v128.load(out, 48);
  const scale = f32x4.splat(textureClass <= CLASS_BYTES1 ? BYTE_SCALE : 1);
  const zero = f32x4.splat(0);
  put(<usize>load<u32>(access + ACCESS_RESULT + (swap << 2)), quad, transposeColumn0(a, b, c, d), scale, false, zero);
  put(<usize>load<u32>(access + ACCESS_RESULT + 4), quad, transposeColumn1(a, b, c, d), scale, false, zero);
  put(<usize>load<u32>(access + ACCESS_RESULT + ((swap ^ 2) << 2)), quad, transposeColumn2(a, b, c, d), scale, false, zero);
  put(<usize>load<u32>(access + ACCESS_RESULT + 12), quad, transposeColumn3(a, b, c, d), scale, false, zero);
}

// Levels of the quads that share one level a quad: neighbours in a run have the same, and are read together.
function flatRuns<C>(access: usize, texture: usize, sampler: usize, swap: usize, single: i32, end: usize): void {
  const lods = access + SCRATCH_QUAD_LODS;
  let quad: usize = 0;
  while (quad < end) {
    if (!(single >> <i32>(quad >> 4) & 1)) {
      quad += 16;
      continue;
    }
    const first = quad;
    const linear = isLinear(sampler, load<f32>(lods + (quad >> 2)));
    let index = 0;
    let mixes = false;
    for (; quad < end && single >> <i32>(quad >> 4) & 1; quad += 16) {
      const lod = load<f32>(lods + (quad >> 2));
      const position = levelPosition(texture, sampler, lod);
      const whole = floor<f32>(position);
      if (quad == first) index = <i32>whole;
      else if (<i32>whole != index || isLinear(sampler, lod) != linear) break;
      store<f32>(access + SCRATCH_QUAD_FRACTIONS + (quad >> 2), position - whole);
      mixes = mixes || position != whole;
    }
    level<C>(access, first, quad, swap, index, linear, false);
    if (mixes) level<C>(access, first, quad, swap, index + 1, linear, true);
  }
}

// Flat textures: whole quads where a quad has one level of detail, which `C` (filter.ts) has a body for.
function sampleFlat<C>(access: usize, texture: usize, textureClass: i32, swap: usize): void {
  const sampler = <usize>load<u32>(access + ACCESS_SAMPLER);
  const lods = access + SCRATCH_QUAD_LODS;
  const end = <usize>load<u32>(access + ACCESS_QUADS) << 4;
  let single = 0xffff;
  if (!needsLod(texture, sampler)) memory.fill(lods, 0, 64);
  else if (load<i32>(access + ACCESS_MODE) == T.MODE_IMPLICIT) implicitLods(access, end, lods);
  else {
    single = 0;
    for (let quad: usize = 0; quad < end; quad += 16) {
      if (quadLods(access, quad, access + SCRATCH_LODS)) {
        single |= 1 << <i32>(quad >> 4);
        store<f32>(lods + (quad >> 2), load<f32>(access + SCRATCH_LODS));
      } else pixels(access, quad, textureClass, swap);
    }
  }
  flatRuns<C>(access, texture, sampler, swap, single, end);
}

// Everything else.
function sampleGeneral(access: usize, texture: usize, textureClass: i32, swap: usize): void {
  const lods = access + SCRATCH_LODS;
  const derive = needsLod(texture, <usize>load<u32>(access + ACCESS_SAMPLER));
  if (!derive) v128.store(lods, f32x4.splat(0));
  const end = <usize>load<u32>(access + ACCESS_QUADS) << 4;
  const cube = isPlainCube(texture, <usize>load<u32>(access + ACCESS_SAMPLER));
  for (let quad: usize = 0; quad < end; quad += 16) {
    if (derive) quadLods(access, quad, lods);
    if (cube && cubeOfClass(access, quad, textureClass, swap)) continue;
    pixels(access, quad, textureClass, swap);
  }
}

// The classes that environment maps have.
// @ts-ignore: decorator
@inline function cubeOfClass(access: usize, quad: usize, textureClass: i32, swap: usize): bool {
  switch (textureClass) {
    case CLASS_HALF4: return cubeQuad<f64>(access, quad, swap);
    case CLASS_BYTES4: return cubeQuad<u32>(access, quad, swap);
    case CLASS_SRGB: return cubeQuad<f32>(access, quad, swap);
    default: return false;
  }
}

function sampleQuads(access: usize): void {
  const texture = <usize>load<u32>(access + ACCESS_TEXTURE);
  const format = load<i32>(texture + T.TEXTURE_FORMAT);
  const textureClass = classOf(format);
  const swap: usize = isBlueFirst(format) ? 2 : 0;
  const dimension = load<i32>(texture + T.TEXTURE_DIMENSION);
  if (dimension != T.DIMENSION_2D && dimension != T.DIMENSION_2D_ARRAY) sampleGeneral(access, texture, textureClass, swap);
  else switch (textureClass) {
    case CLASS_BYTES4: sampleFlat<u32>(access, texture, textureClass, swap); break;
    case CLASS_BYTES2: sampleFlat<u16>(access, texture, textureClass, swap); break;
    case CLASS_BYTES1: sampleFlat<u8>(access, texture, textureClass, swap); break;
    case CLASS_SRGB: sampleFlat<f32>(access, texture, textureClass, swap); break;
    case CLASS_HALF4: sampleFlat<f64>(access, texture, textureClass, swap); break;
    default: sampleGeneral(access, texture, textureClass, swap);
  }
  const end = <usize>load<u32>(access + ACCESS_QUADS) << 4;
  if (textureClass == CLASS_BYTES2) fillMissing(access, 2, end);
  else if (textureClass == CLASS_BYTES1) fillMissing(access, 1, end);
}

/** Executes the ACCESS record for all quads of its warp. */
export function sampleWarp(access: usize): void {
  if (ASC_FEATURE_SIMD) sampleQuads(access);
  else sampleWarpScalar(access);
}
