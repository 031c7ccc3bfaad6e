// Samples one lane completely: every dimension, format, filter and mode. Twin of quad.ts.
import {
  Access,
  ADDRESS_CLAMP,
  COMPARE_ALWAYS,
  COMPARE_EQUAL,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  COMPARE_NOT_EQUAL,
  DIMENSION_1D,
  DIMENSION_3D,
  DIMENSION_CUBE,
  FORMAT_DEPTH16UNORM,
  TextureLevel,
} from '../layout';
import { loadTexel, texelBytes } from '../surface/formats';
import { firstIndex, secondIndex, taps } from './addresses/axis.scalar';
import { CLASS_FLOAT } from './texels/classes';
import {
  cubeFace,
  cubePlace,
  cubeTexel,
  faceMajor,
  faceS,
  faceT,
  placeColumn,
  placeFace,
  placeRow,
} from './addresses/cube';
import { bilinearWordsScalar, footprintTexelsScalar, mixWordsScalar } from './texels/filter.scalar';
import { isLinear, levelPosition } from './level';
import { pageTexel } from './addresses/pages';

export function operand(access: Access, field: usize, lane: usize): f32 {
  const register = load<u32>(changetype<usize>(access) + field);
  return register ? load<f32>(register + lane) : <f32>0;
}

// Writes the texel indices and the fraction of one coordinate to a third of Access.axes.
function axis(axes: usize, u: f32, size: i32, mode: i32, offset: i32, linear: bool): void {
  const x = taps(u, <f32>size, mode, <f32>offset - (linear ? <f32>0.5 : <f32>0), offset != 0);
  const whole = floor<f32>(x);
  store<i32>(axes, firstIndex(<i32>whole, size, mode));
  store<i32>(axes, secondIndex(<i32>whole, size, mode), 4);
  store<f32>(axes, x - whole, 8);
}

/** GPUCompareFunction of two numbers; false where either is NaN, except for "not equal" and "always". */
function compares(compare: i32, reference: f32, texel: f32): bool {
  switch (compare) {
    case COMPARE_LESS:
      return reference < texel;
    case COMPARE_EQUAL:
      return reference == texel;
    case COMPARE_LESS_EQUAL:
      return reference <= texel;
    case COMPARE_GREATER:
      return reference > texel;
    case COMPARE_NOT_EQUAL:
      return reference != texel;
    case COMPARE_GREATER_EQUAL:
      return reference >= texel;
    case COMPARE_ALWAYS:
      return true;
    default:
      return false;
  }
}

// Decodes a texel of the general class. With a comparison, its first word becomes 1 or 0. For normalized depth, the
// reference is clamped.
export function fetchWords(access: Access, lane: usize, address: usize, out: usize): void {
  const format = access.texture.format;
  loadTexel(format, address, out);
  const register = access.compare;
  if (!register) return;
  let reference = load<f32>(register + lane);
  if (format == FORMAT_DEPTH16UNORM) reference = reference > 0 ? (reference < 1 ? reference : 1) : 0;
  const compare = access.sampler.compare;
  store<f32>(out, compares(compare, reference, load<f32>(out)) ? 1 : 0);
}

// Filters the footprint's texels.
function plane(access: Access, lane: usize, textureClass: i32, linear: bool, out: usize): void {
  const footprint = access.footprint;
  if (textureClass < CLASS_FLOAT) {
    footprintTexelsScalar(textureClass, footprint, linear, out);
    return;
  }
  if (!linear) {
    fetchWords(access, lane, load<u32>(footprint), out);
    return;
  }
  const texels = access.texels;
  for (let i: usize = 0; i < 4; i++) fetchWords(access, lane, load<u32>(footprint + (i << 2)), texels + (i << 4));
  bilinearWordsScalar(texels, load<f32>(footprint, 16), load<f32>(footprint, 20), out);
}

// The array layer that a lane reads, clamped to `count` layers.
export function layerOf(access: Access, lane: usize, count: i32): i32 {
  const register = access.layer;
  return register ? max<i32>(0, min<i32>(load<i32>(register + lane), count - 1)) : 0;
}

function half(x: f32): f32 {
  return x == x ? (x > -1 ? (x < 1 ? x : 1) : -1) * <f32>0.5 + <f32>0.5 : 0;
}

export function cubeFootprint(access: Access, record: TextureLevel, lane: usize, size: i32, linear: bool): void {
  const texture = access.texture;
  const x = operand(access, offsetof<Access>('u'), lane);
  const y = operand(access, offsetof<Access>('v'), lane);
  const z = operand(access, offsetof<Access>('w'), lane);
  const face = cubeFace(x, y, z);
  const major = faceMajor(face, x, y, z);
  const width = <f32>size;
  const shift: f32 = linear ? 0.5 : 0;
  const s = half(faceS(face, x, y, z) / major) * width - shift;
  const t = half(faceT(face, x, y, z) / major) * width - shift;
  const i = <i32>floor<f32>(s);
  const j = <i32>floor<f32>(t);
  const first = layerOf(access, lane, texture.layers / 6) * 6;
  const footprint = access.footprint;
  if (linear) {
    store<f32>(footprint, s - floor<f32>(s), 16);
    store<f32>(footprint, t - floor<f32>(t), 20);
  }
  if (texture.stream) {
    const taps = linear ? 4 : 1;
    for (let k = 0; k < taps; k++) {
      const column = linear ? i + (k & 1) : min<i32>(i, size - 1);
      const row = linear ? j + (k >> 1) : min<i32>(j, size - 1);
      const place = cubePlace(face, size, column, row);
      store<u32>(
        footprint + (k << 2),
        pageTexel(texture, record, placeColumn(place), placeRow(place), first + placeFace(place), access.quadRead)
      );
    }
    return;
  }
  const bytes = texelBytes(texture.format);
  const base = record.address + first * record.layerBytes;
  if (!linear) {
    // The far edge of a face belongs to its last texel.
    store<u32>(footprint, base + cubeTexel(record, bytes, face, size, min<i32>(i, size - 1), min<i32>(j, size - 1)));
    return;
  }
  for (let k = 0; k < 4; k++)
    store<u32>(footprint + (k << 2), base + cubeTexel(record, bytes, face, size, i + (k & 1), j + (k >> 1)));
}

// Addresses in a slice or layer, for one tap or four.
export function flatFootprint(access: Access, record: TextureLevel, layer: i32, taps: usize): void {
  const bytes = texelBytes(access.texture.format);
  const rowBytes = record.rowBytes;
  const base = record.address + layer * record.layerBytes;
  const axes = access.axes;
  const footprint = access.footprint;
  store<f32>(footprint, load<f32>(axes, 8), 16);
  store<f32>(footprint, load<f32>(axes, 20), 20);
  const texture = access.texture;
  if (texture.stream) {
    // Only texels that are read are looked up, so that no unused page is requested.
    for (let k: usize = 0; k < taps; k++)
      store<u32>(
        footprint + (k << 2),
        pageTexel(
          texture,
          record,
          load<i32>(axes + ((k & 1) << 2)),
          load<i32>(axes + 12 + ((k >> 1) << 2)),
          layer,
          access.quadRead
        )
      );
    return;
  }
  const x0 = load<i32>(axes) * bytes;
  const x1 = load<i32>(axes, 4) * bytes;
  const row0 = base + load<i32>(axes, 12) * rowBytes;
  const row1 = base + load<i32>(axes, 16) * rowBytes;
  store<u32>(footprint, row0 + x0);
  store<u32>(footprint, row0 + x1, 4);
  store<u32>(footprint, row1 + x0, 8);
  store<u32>(footprint, row1 + x1, 12);
}

function level(access: Access, lane: usize, textureClass: i32, index: i32, linear: bool, out: usize): void {
  const texture = access.texture;
  const sampler = access.sampler;
  const record = texture.level(index);
  const dimension = texture.dimension;
  const width = max<i32>(1, texture.width >> index);
  if (dimension >= DIMENSION_CUBE) {
    cubeFootprint(access, record, lane, width, linear);
    plane(access, lane, textureClass, linear, out);
    return;
  }
  const height = max<i32>(1, texture.height >> index);
  const axes = access.axes;
  axis(axes, operand(access, offsetof<Access>('u'), lane), width, sampler.addressU, access.offsetX, linear);
  if (dimension == DIMENSION_1D) axis(axes + 12, 0, 1, ADDRESS_CLAMP, 0, linear);
  else axis(axes + 12, operand(access, offsetof<Access>('v'), lane), height, sampler.addressV, access.offsetY, linear);
  const volume = dimension == DIMENSION_3D;
  const depth = max<i32>(1, texture.depth >> index);
  if (volume)
    axis(axes + 24, operand(access, offsetof<Access>('w'), lane), depth, sampler.addressW, access.offsetZ, linear);
  const first = volume ? load<i32>(axes, 24) : layerOf(access, lane, texture.layers);
  flatFootprint(access, record, first, linear ? 4 : 1);
  plane(access, lane, textureClass, linear, out);
  if (!volume || !linear) return;
  const slice = access.slice;
  flatFootprint(access, record, load<i32>(axes, 28), 4);
  plane(access, lane, textureClass, true, slice);
  mixWordsScalar(out, slice, load<f32>(axes, 32));
}

/** Samples the lane at byte offset `lane` of the registers, to four unfinished words at `out`. */
export function samplePixel(access: Access, lane: usize, textureClass: i32, lod: f32, out: usize): void {
  const texture = access.texture;
  const sampler = access.sampler;
  const linear = isLinear(sampler, lod);
  const position = levelPosition(texture, sampler, lod);
  const index = <i32>floor<f32>(position);
  const fraction = position - floor<f32>(position);
  level(access, lane, textureClass, index, linear, out);
  if (fraction == 0) return;
  const next = access.nextLevel;
  level(access, lane, textureClass, index + 1, linear, next);
  mixWordsScalar(out, next, fraction);
}
