// Opaque texels to single pixels, which hold one texel each as long as they can (layout/plane.ts). The same code in
// both builds.

import { LAYER_WORDS, OutputScratch, Plane, TILE_PIXELS } from '../layout';
import { coveredLanes, lanesOf, wholeLanes } from '../simd/texels';
import { fillPixels, leavePair } from '../surface/plane';
import { sameTexel } from '../surface/texel-same';
import { pixelMask } from '../tile/layers';

@unmanaged export class Pixels<C> {
  /**
   * The texel at `texel` to the samples of `mask`, a bit each, of a pixel (quad·4 + pixel), in the bits that are
   * written. `joins`: a pixel whose samples are alike then holds one texel. (Of draws that do not read what is there
   * few are: asking took meshes at four samples 5 % longer.)
   */
  @inline put(scratch: OutputScratch, plane: Plane, pixel: i32, mask: i32, texel: usize, joins: bool): void {
    const size = changetype<C>(0).size;
    const block = pixel >> 6;
    if (plane.isClear(block)) fillPixels(plane, block);
    if (ASC_FEATURE_SIMD) {
      if (size.bytes == 4 && scratch.whole > 1 && !plane.further) {
        putWord(plane, pixel, mask, texel, scratch.whole, joins);
        return;
      }
    }
    const bits = load<u64>(plane.bits(block));
    const bit = <u64>1 << <u64>(pixel & 63);
    const one = plane.pixels + pixel * size.bytes;
    if (mask == scratch.whole) {
      size.copy(one, texel);
      if (bits & bit) store<u64>(plane.bits(block), bits & ~bit);
      return;
    }
    // Nothing new: a pixel of one texel stays one.
    if (joins && scratch.whole && !(bits & bit) && sameTexel(size.bytes, one, texel)) return;
    const target = scratch.target;
    if (plane.further) leavePair(plane, pixel);
    let at = plane.samples + 4 * pixel * size.bytes;
    let rest = mask;
    if (bits & bit) {
      for (; rest; rest >>= 4) {
        putSamples<C>(scratch, at, rest & 15, texel);
        at += 4 * TILE_PIXELS * size.bytes;
      }
      if (joins && scratch.whole && holdsOne<C>(plane, pixel, texel)) {
        size.copy(one, texel);
        store<u64>(plane.bits(block), bits & ~bit);
      }
      return;
    }
    if (mask == scratch.every) {
      size.mergeBits(one, texel, target.written);
      return;
    }
    // What the pixel held goes to its samples in the same step: by itself that took teapots at four samples half as
    // long again in output.
    for (let layer = plane.layers; layer > 0; layer--) {
      if (target.writesAll) {
        size.choose(at, rest & 15, texel, one);
      } else {
        size.choose(at, 0, one, one);
        putSamples<C>(scratch, at, rest & 15, texel);
      }
      at += 4 * TILE_PIXELS * size.bytes;
      rest >>= 4;
    }
    store<u64>(plane.bits(block), bits | bit);
  }
}

/** Whether all samples of a pixel that holds a texel a sample hold the texel at `texel`. */
function holdsOne<C>(plane: Plane, pixel: i32, texel: usize): bool {
  const bytes = changetype<C>(0).size.bytes;
  let layer = plane.samples + 4 * pixel * bytes;
  for (let left = plane.layers; left > 0; left--) {
    for (let at = layer; at < layer + 4 * bytes; at += bytes) if (!sameTexel(bytes, at, texel)) return false;
    layer += 4 * TILE_PIXELS * bytes;
  }
  return true;
}

/**
 * Of four texels of four bytes for the pixels of a quad, those of pixels that are covered as a whole, at four samples,
 * to the plane of pixels; returns the pixels that are covered in part, but for those that hold their texel already
 * (what a program blends at the rim of a sprite): a pixel of one texel stays one.
 */
// @ts-ignore: decorator
@inline
export function putPixels(plane: Plane, quad: i32, mask: i32, texels: v128): i32 {
  const bits = plane.perSample + (<usize>quad >> 1);
  const shift = (quad & 1) << 2;
  const byte = <i32>load<u8>(bits);
  const at = plane.pixels + (quad << 4);
  const held = v128.load(at);
  const whole = wholeLanes(mask);
  v128.store(at, v128.bitselect(texels, held, whole));
  store<u8>(bits, byte & ~(i32x4.bitmask(whole) << shift));
  const same = i32x4.bitmask(i32x4.eq(texels, held)) & ~(byte >> shift);
  return i32x4.bitmask(v128.xor(coveredLanes(mask), whole)) & ~same;
}

/**
 * The texel of four bytes at `texel` to the samples of `mask` of a pixel, in all bits. Which of the pixels of an edge
 * are covered as a whole, and which lie in the plane of samples, nobody foretells: asking it took three times as long.
 * A pixel whose samples are alike then holds one texel.
 */
// @ts-ignore: decorator
@inline
function putWord(plane: Plane, pixel: i32, mask: i32, texel: usize, whole: i32, joins: bool): void {
  const at = plane.bits(pixel >> 6);
  const bits = load<u64>(at);
  const shift = <u64>(pixel & 63);
  const one = plane.pixels + (pixel << 2);
  const value = v128.load32_splat(texel);
  const first = v128.load32_splat(one);
  const divided = i32x4.splat(-(<i32>(bits >> shift) & 1));
  let to = plane.samples + (pixel << 4);
  let rest = mask;
  let like = i32x4.splat(-1);
  for (let layer = plane.layers; ; ) {
    const four = v128.bitselect(value, v128.bitselect(v128.load(to), first, divided), lanesOf(rest & 15));
    if (joins) like = v128.and(like, i32x4.eq(four, value));
    v128.store(to, four);
    if (--layer == 0) break;
    to += LAYER_WORDS;
    rest >>= 4;
  }
  const isWhole = joins ? i32x4.all_true(like) : mask == whole;
  store<u32>(one, select<u32>(load<u32>(texel), load<u32>(one), isWhole));
  store<u64>(at, (bits | <u64>1 << shift) ^ <u64>isWhole << shift);
}

/** The four texels at OutputScratch.terms to the pixels of a quad of which samples are in `mask`. */
export function putQuad<C>(scratch: OutputScratch, plane: Plane, quad: i32, mask: u64, joins: bool): void {
  const bytes = changetype<C>(0).size.bytes;
  let texel = scratch.terms;
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = pixelMask(mask, pixel);
    if (samples) changetype<Pixels<C>>(0).put(scratch, plane, (quad << 2) + pixel, samples, texel, joins);
    texel += bytes;
  }
}

/** To the samples of `mask`, those of a layer, of a pixel that holds a texel a sample. */
function putSamples<C>(scratch: OutputScratch, at: usize, mask: i32, texel: usize): void {
  const size = changetype<C>(0).size;
  const written = scratch.target.written;
  if (ASC_FEATURE_SIMD) {
    size.merge(at, size.repeat(scratch.texels, texel), scratch.texels, mask, v128.load(written));
  } else {
    for (let rest = mask; rest; rest &= rest - 1) {
      size.mergeBits(at + ctz(rest) * size.bytes, texel, written);
    }
  }
}
