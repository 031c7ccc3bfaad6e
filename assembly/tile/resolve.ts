// Resolve: writes the mean of each pixel's samples from a context to single-sample rows. Pixels with one texel are
// copied, and clear blocks are filled. Linear 8-bit formats are averaged as integers, rounded to nearest; sRGB in
// linear light; all other formats in float, in the order of the samples. If all samples are equal bit for bit, that
// value is the mean. Scalar twin: resolve.scalar.ts.

import {
  Attachment,
  bitsOf,
  BLOCK_SIZE,
  bytesOfLayer,
  FORMAT_BGRA8UNORM,
  FORMAT_RGBA8UNORM,
  Plane,
  someOf,
  Tile,
} from '../layout';
import { select, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';
import {
  countsOfWords,
  wordsOfHigh,
  lanesOf,
  wordsOfLow,
  meansOfCounts,
  meansOfSums,
  meansOfWeighed,
  sumsOfSamples,
  unpackLanes,
} from '../simd/texels';
import { visitBlended } from '../surface/formats';
import { spreadLists } from '../surface/lists';
import { clearPixels, pixelEqual, spreadPairs } from '../surface/plane';
import { sameTexel } from '../surface/texel-same';
import { meansOfPairsScalar, meansRgba8Scalar, resolvePixel } from './resolve.scalar';
import { moveRows, Store } from './rows';

/** Resolves the colours of a multisampled target: into unused places of the pixel plane, and from there to rows. */
export function resolvePlane(tile: Tile, attachment: Attachment, index: i32): void {
  const plane = tile.plane(index);
  const bytes = plane.texelBytes;
  const rowBytes = attachment.resolveRowBytes;
  for (let top = 0; top < tile.height; top += BLOCK_SIZE) {
    for (let left = 0; left < tile.width; left += BLOCK_SIZE) {
      const block = top + (left >> 3);
      if (plane.isClear(block)) clearPixels(plane, block);
      else meansOfBlock(tile, plane, block, attachment.format);
    }
  }
  const corner = attachment.resolveAddress + tile.y * rowBytes + tile.x * bytes;
  moveRows<Store>(corner, rowBytes, plane.pixels, bytes, tile.width, tile.height);
}

/** Writes the means of the pixels that are in the sample planes to the pixel plane. */
function meansOfBlock(tile: Tile, plane: Plane, block: i32, format: i32): void {
  const perSample = load<u64>(plane.bits(block));
  if (!perSample) return;
  const bytes = plane.texelBytes;
  const from = plane.sample(block << 6);
  const to = plane.texel(block << 6);
  if (format == FORMAT_RGBA8UNORM || format == FORMAT_BGRA8UNORM) {
    const layers = tile.layers;
    const bits = tile.texels;
    const pairs = plane.pairsOf(block);
    const lists = plane.listedOf(block);
    if (pairs) {
      if (ASC_FEATURE_SIMD) meansOfPairsSimd(plane, block, pairs, tile.samples);
      else meansOfPairsScalar(plane, block, pairs, tile.samples);
    }
    if (ASC_FEATURE_SIMD) if (lists) meansOfLists(plane, block, lists, tile.samples);
    store<u64>(bits, perSample & ~(pairs | lists));
    if (ASC_FEATURE_SIMD) meansRgba8Simd(from, to, bits, layers);
    else meansRgba8Scalar(from, to, bits, layers);
    return;
  }
  spreadLists(plane, block);
  if (ASC_FEATURE_SIMD) {
    if (visitBlended<Means>(format, changetype<usize>(tile), changetype<usize>(plane), block)) return;
  }
  spreadPairs(plane, block);
  for (let rest = perSample; rest; rest &= rest - 1) {
    const pixel = <usize>ctz(rest) * bytes;
    resolvePixel(format, bytes, from + (pixel << 2), to + pixel, tile.texels, tile.samples);
  }
}

/**
 * Means of the pixels of a block whose bits are set in the u64 at `perSample`, for linear four-byte texels. At two
 * samples, four are averaged, since each is stored twice.
 */
export function meansRgba8Simd(from: usize, to: usize, perSample: usize, layers: i32): void {
  meansOfQuads(from, to, load<u64>(perSample), layers, bytesOfLayer(4));
}

/** meansRgba8Simd for the pixels whose bits are set, with `layerBytes` from one layer to the next. */
// @ts-ignore: decorator
@inline
export function meansOfQuads(from: usize, to: usize, pixels: u64, layers: i32, layerBytes: usize): void {
  for (let rest = pixels; rest; rest >>= 4) {
    const bits = (<i32>rest) & 15;
    if (bits) {
      let at = from;
      let s0 = sumsOfSamples(v128.load(at));
      let s1 = sumsOfSamples(v128.load(at, 16));
      let s2 = sumsOfSamples(v128.load(at, 32));
      let s3 = sumsOfSamples(v128.load(at, 48));
      for (let layer = 1; layer < layers; layer++) {
        at += layerBytes;
        s0 = i16x8.add(s0, sumsOfSamples(v128.load(at)));
        s1 = i16x8.add(s1, sumsOfSamples(v128.load(at, 16)));
        s2 = i16x8.add(s2, sumsOfSamples(v128.load(at, 32)));
        s3 = i16x8.add(s3, sumsOfSamples(v128.load(at, 48)));
      }
      v128.store(to, v128.bitselect(meansOfSums(s0, s1, s2, s3, layers), v128.load(to), lanesOf(bits)));
    }
    from += 64;
    to += 16;
  }
}

/** Means of a block's pixels that have two texels, for linear four-byte texels. */
function meansOfPairsSimd(plane: Plane, block: i32, pairs: u64, samples: i32): void {
  let first = plane.texel(block << 6);
  let second = plane.second(block << 6);
  let masks = plane.maskAt(block << 6);
  for (let rest = pairs; rest; rest >>= 4) {
    const bits = (<i32>rest) & 15;
    if (bits) {
      const means = meansOfCounts(v128.load(first), v128.load(second), v128.load64_zero(masks), samples);
      v128.store(first, v128.bitselect(means, v128.load(first), lanesOf(bits)));
    }
    first += 16;
    second += 16;
    masks += 8;
  }
}

/** As meansOfPairsSimd, for pixels with lists. */
function meansOfLists(plane: Plane, block: i32, lists: u64, samples: i32): void {
  const packed = plane.packed(block);
  const masks = packed.masks;
  const values = packed.values;
  let at = plane.texel(block << 6);
  let quad = 0;
  for (let rest = lists; rest; quad++, rest >>= 4) {
    const bits = (<i32>rest) & 15;
    if (bits) {
      const start = packed.startOf(quad);
      const means = meansOfFurther(at, packed.countsOf(quad), masks + (start << 1), values + (start << 2), samples);
      v128.store(at, v128.bitselect(means, v128.load(at), lanesOf(bits)));
    }
    at += 16;
  }
}

/**
 * Means of four pixels, for linear four-byte texels: the first values at `texels`, and as many further values as
 * `counts` says (four bits each), in the order of PACKED.
 */
// @ts-ignore: decorator
@inline
export function meansOfFurther(texels: usize, counts: i32, masks: usize, values: usize, samples: i32): v128 {
  let left = counts;
  let low = i32x4.splat(0);
  let high = i32x4.splat(0);
  let lowWeights = i32x4.splat(0);
  let highWeights = i32x4.splat(0);
  // The second values are weighed without a test whether there are any, which would be unpredictable.
  do {
    const some = someOf(left);
    const bits = bitsOf(some);
    const further = unpackLanes(v128.load(values), bits);
    const weights = i64x2.splat(countsOfWords(load<u64>(masks)));
    const ofLow = wordsOfLow(weights, bits);
    const ofHigh = wordsOfHigh(weights, bits);
    low = i16x8.add(low, i16x8.mul(i16x8.extend_low_i8x16_u(further), ofLow));
    high = i16x8.add(high, i16x8.mul(i16x8.extend_high_i8x16_u(further), ofHigh));
    lowWeights = i16x8.add(lowWeights, ofLow);
    highWeights = i16x8.add(highWeights, ofHigh);
    masks += popcnt(bits) << 1;
    values += popcnt(bits) << 2;
    left -= some;
  } while (left);
  return meansOfWeighed(v128.load(texels), low, high, lowWeights, highWeights, samples);
}

/** Computes the means of a block's pixels that are in the sample planes or have two texels, one quad at a time. */
@unmanaged class Means {
  of<C>(context: usize, planeAt: usize, block: usize): usize {
    const tile = changetype<Tile>(context);
    const plane = changetype<Plane>(planeAt);
    const size = changetype<C>(0).bytes;
    const means = tile.output.texels;
    let from = plane.sample(block << 6);
    let to = plane.texel(block << 6);
    meansOfPairs<C>(tile, plane, block);
    for (let rest = load<u64>(plane.bits(block)) & ~plane.pairsOf(block); rest; rest >>= 4) {
      let unequal = 0;
      for (let bits = (<i32>rest) & 15; bits; bits &= bits - 1) {
        const pixel = ctz(bits);
        const texels = from + (pixel << 2) * size;
        if (pixelEqual(size, texels, tile.layers)) changetype<C>(0).size.copy(to + pixel * size, texels);
        else unequal |= bits & -bits;
      }
      if (unequal) meansOfFour<C>(from, means, tile.samples);
      for (; unequal; unequal &= unequal - 1) {
        const pixel = ctz(unequal);
        changetype<C>(0).size.copy(to + pixel * size, means + pixel * size);
      }
      from += size << 4;
      to += size << 2;
    }
    return 1;
  }
}

/**
 * Means of the pixels with two texels, in float, in the order of the samples. If both are equal, that value is the
 * mean.
 */
function meansOfPairs<C>(tile: Tile, plane: Plane, block: i32): void {
  const size = changetype<C>(0).bytes;
  const means = tile.output.texels;
  const count = tile.samples;
  for (let rest = plane.pairsOf(block); rest;) {
    const quad = (block << 4) + ((<i32>ctz(rest)) >> 2);
    const bits = (<i32>(rest >> (<u64>((quad & 15) << 2)))) & 15;
    rest &= ~((<u64>15) << u64((quad & 15) << 2));
    const first = plane.texel(quad << 2);
    const second = plane.second(quad << 2);
    const masks = i32x4.extend_low_i16x8_u(v128.load64_zero(plane.maskAt(quad << 2)));
    const texels = changetype<C>(0).encode(
      means,
      meanOfTwo<C>(first, second, masks, 0, count),
      meanOfTwo<C>(first, second, masks, 1, count),
      meanOfTwo<C>(first, second, masks, 2, count),
      meanOfTwo<C>(first, second, masks, 3, count)
    );
    changetype<C>(0).size.put(means, texels, means);
    for (let left = bits; left; left &= left - 1) {
      const offset = <usize>ctz(left) * size;
      if (!sameTexel(size, first + offset, second + offset)) changetype<C>(0).size.copy(first + offset, means + offset);
    }
  }
}

// @ts-ignore: decorator
@inline
function meanOfTwo<C>(first: usize, second: usize, masks: v128, channel: i32, count: i32): v128 {
  const a = changetype<C>(0).load(first, channel);
  const b = changetype<C>(0).load(second, channel);
  let sum = select(i32x4.shr_s(i32x4.shl(masks, 31), 31), b, a);
  for (let sample = 1; sample < count; sample++) {
    sum = f32x4.add(sum, select(i32x4.shr_s(i32x4.shl(masks, 31 - sample), 31), b, a));
  }
  return f32x4.mul(sum, f32x4.splat(<f32>1 / <f32>count));
}

/**
 * Means of the four pixels at `from`, in float: the sum of their samples, in order, divided by the number of samples.
 */
function meansOfFour<C>(from: usize, to: usize, count: i32): void {
  const texels = changetype<C>(0).encode(
    to,
    meanOf<C>(from, 0, count),
    meanOf<C>(from, 1, count),
    meanOf<C>(from, 2, count),
    meanOf<C>(from, 3, count)
  );
  changetype<C>(0).size.put(to, texels, to);
}

// @ts-ignore: decorator
@inline
function meanOf<C>(from: usize, channel: i32, count: i32): v128 {
  const size = changetype<C>(0).bytes << 2;
  let sum = f32x4.splat(0);
  for (let first = 0; first < count; first += 4) {
    const p0 = changetype<C>(0).load(from, channel);
    const p1 = changetype<C>(0).load(from + size, channel);
    const p2 = changetype<C>(0).load(from + 2 * size, channel);
    const p3 = changetype<C>(0).load(from + 3 * size, channel);
    const begun = transposeColumn0(p0, p1, p2, p3);
    sum = f32x4.add(first ? f32x4.add(sum, begun) : begun, transposeColumn1(p0, p1, p2, p3));
    if (count > 2) sum = f32x4.add(f32x4.add(sum, transposeColumn2(p0, p1, p2, p3)), transposeColumn3(p0, p1, p2, p3));
    from += bytesOfLayer(size >> 2);
  }
  return f32x4.mul(sum, f32x4.splat(<f32>1 / <f32>count));
}
