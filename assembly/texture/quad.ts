// Samples four pixels at once, completely: every dimension, format, filter and mode. Each pixel may read its own level,
// layer and face. Decoded texels (texels.ts), one v128 per channel for four pixels, are filtered as classes.ts defines.
// site-quad.ts and sample.ts have faster paths, with the same results, for a single level of a flat texture in a common
// format.
//
// Twin: pixel.scalar.ts.
import { Access, DIMENSION_3D, DIMENSION_CUBE, FILTER_LINEAR, QuadRead } from '../layout';
import { allTrue, anyTrue, madd, select, splatFrom } from '../simd/lanes';
import { wholeInts } from './addresses/axis';
import { CLASS_BYTES1, CLASS_HALF4 } from './texels/classes';
import { compareTexels } from './texels/compare';
import { BITS, BYTE_SUM, BYTE_WEIGHT, HALF, NUMBERS, ONE, ROUND } from './texels/constants';
import { findFaces, placeCube } from './addresses/cubes';
import { lerp } from './texels/filter';
import { filterHalves, storePixels } from './texels/halves';
import { placeFlat, toSecondSlices } from './addresses/places';
import { fetchTexels } from './texels/texels';

/** a·(2^14 − w) + b·w of whole numbers; exact, as in integers. */
function weigh(a: v128, b: v128, rest: v128, weights: v128): v128 {
  return f32x4.add(f32x4.mul(a, rest), f32x4.mul(b, weights));
}

/** Fetches the texels at the read's addresses and filters them to `out`, or writes the first one if not `linear`. */
function filterTexels(access: Access, read: QuadRead, quad: usize, linear: bool, out: usize): void {
  const textureClass = read.format.textureClass;
  if (linear && textureClass == CLASS_HALF4) {
    filterHalves(read.addresses, 0, read.fx, read.texels);
    storePixels(out, read.texels);
    return;
  }
  const taps = linear ? 4 : 1;
  fetchTexels(read, taps);
  if (access.compare) compareTexels(access, read, quad, taps);
  const bytes = textureClass <= CLASS_BYTES1;
  const one = splatFrom(NUMBERS, BYTE_WEIGHT);
  const fx = v128.load(read.fx);
  const fy = v128.load(read.fy);
  // byteWeights of filter.ts, as floats.
  const round = splatFrom(BITS, ROUND);
  const weights = f32x4.sub(madd(fx, one, round), round);
  const rest = f32x4.sub(one, weights);
  const count = read.format.channelCount;
  for (let c = 0; c < count; c++) {
    if (!((read.wanted >> c) & 1)) continue;
    const texels = read.texels + (c << 4);
    let v = v128.load(texels);
    if (!linear) {
      if (bytes) v = f32x4.mul(v, one);
    } else if (bytes) {
      v = lerp(
        weigh(v, v128.load(texels, 64), rest, weights),
        weigh(v128.load(texels, 128), v128.load(texels, 192), rest, weights),
        fy
      );
    } else v = lerp(lerp(v, v128.load(texels, 64), fx), lerp(v128.load(texels, 128), v128.load(texels, 192), fx), fy);
    v128.store(out + (c << 4), v);
  }
}

/** out += (other − out)·t, in the lanes of `where`. */
function mix(read: QuadRead, out: usize, other: usize, t: v128, where: v128): void {
  for (let at: usize = 0; at < <usize>(read.format.channelCount << 4); at += 16) {
    const v = v128.load(out + at);
    v128.store(out + at, select(where, lerp(v, v128.load(other + at), t), v));
  }
}

/** Reads one level for each pixel. */
function readLevel(access: Access, read: QuadRead, quad: usize, levels: v128, linear: bool, out: usize): void {
  const dimension = access.texture.dimension;
  if (dimension >= DIMENSION_CUBE) placeCube(access, read, quad, levels, linear);
  else placeFlat(access, read, quad, levels, linear);
  filterTexels(access, read, quad, linear, out);
  if (dimension != DIMENSION_3D || !linear) return;
  if (access.texture.stream) placeFlat(access, read, quad, levels, true, true);
  else toSecondSlices(read);
  filterTexels(access, read, quad, true, read.slice);
  mix(read, out, read.slice, v128.load(read.fz), i32x4.splat(-1));
}

/** Reads each pixel's level and, where it has a fraction, the next one. */
function readLevels(access: Access, read: QuadRead, quad: usize, lods: v128, linear: bool, out: usize): void {
  // See levelPosition in level.ts.
  const top = f32x4.splat(<f32>(access.texture.levelCount - 1));
  let position = f32x4.pmin(top, f32x4.pmax(f32x4.splat(0), lods));
  if (access.sampler.mipmap != FILTER_LINEAR) position = f32x4.floor(f32x4.add(position, splatFrom(NUMBERS, HALF)));
  const whole = f32x4.floor(position);
  const fractions = f32x4.sub(position, whole);
  readLevel(access, read, quad, wholeInts(whole), linear, out);
  // A fraction of 0 keeps the first level even if the second one is infinite.
  const mixed = f32x4.gt(fractions, f32x4.splat(0));
  if (!anyTrue(mixed)) return;
  const next = wholeInts(f32x4.pmin(top, f32x4.add(whole, splatFrom(NUMBERS, ONE))));
  readLevel(access, read, quad, next, linear, read.next);
  mix(read, out, read.next, fractions, mixed);
}

/**
 * Samples the quad at byte offset `quad` of the operands with the levels of detail `lods`. Writes the wanted channels
 * (QuadRead.wanted) and those that the format lacks to QuadRead.result, in memory order. QuadRead.format must be
 * prepared (texels.ts).
 */
export function sampleQuad(access: Access, read: QuadRead, quad: usize, lods: v128): void {
  const sampler = access.sampler;
  const textureClass = read.format.textureClass;
  const out = read.result;
  const linear = sampler.mag == FILTER_LINEAR;
  if (access.texture.dimension >= DIMENSION_CUBE) findFaces(access, read, quad);
  if (sampler.mag == sampler.min) readLevels(access, read, quad, lods, linear, out);
  else {
    const magnified = f32x4.le(lods, f32x4.splat(0));
    const all = allTrue(magnified);
    readLevels(access, read, quad, lods, all ? linear : !linear, out);
    if (!all && anyTrue(magnified)) {
      readLevels(access, read, quad, lods, linear, read.other);
      for (let at: usize = 0; at < 64; at += 16)
        v128.store(out + at, select(magnified, v128.load(read.other + at), v128.load(out + at)));
    }
  }
  if (textureClass <= CLASS_BYTES1) {
    for (let at = out; at < out + 64; at += 16) v128.store(at, f32x4.mul(v128.load(at), splatFrom(NUMBERS, BYTE_SUM)));
  }
  for (let c = read.format.channelCount; c < 4; c++) v128.store(out + (c << 4), f32x4.splat(c == 3 ? 1 : 0));
}

/** Stores a quad's channels to the requested results; `swap` is 2 for formats with blue first, else 0. */
export function storeChannels(access: Access, read: QuadRead, quad: usize, swap: usize): void {
  for (let c: usize = 0; c < 4; c++) {
    const result = load<u32>(access.result + ((c & 1 ? c : c ^ swap) << 2));
    if (result) v128.store(result + quad, v128.load(read.result + (c << 4)));
  }
}
