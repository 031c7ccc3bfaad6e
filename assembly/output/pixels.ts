// Writes opaque texels to single pixels. Each pixel holds a single texel as long as possible (layout/surface/plane.ts).
// Both builds share this code.

import { LAYER_WORDS, OutputScratch, Plane, TILE_PIXELS } from '../layout';
import { coveredLanes, lanesOf, wholeLanes } from '../simd/texels';
import { fillPixels, leavePair } from '../surface/plane';
import { sameTexel } from '../surface/texel-same';
import { pixelMask } from '../tile/layers';


@unmanaged export class Pixels<C> {
  /**
   * Writes the texel at `texel` to the samples of `mask` of a pixel (quad·4 + pixel), in the bits that are written.
   * With `joins`, a pixel whose samples are then equal holds one texel. (Draw calls without framebuffer fetch rarely
   * produce such pixels, and testing for them made meshes at four samples 5 % slower.)
   */
  @inline put(scratch: OutputScratch, plane: Plane, pixel: i32, mask: i32, texel: usize, joins: bool): void {
    const size = changetype<C>(0).size;
    const block = pixel >> 6;
    if (plane.isClear(block)) fillPixels(plane, block);
    if (ASC_FEATURE_SIMD) {
      if (size.bytes == 4 && scratch.whole > 1 && !plane.secondTexels) {
        putWord(plane, pixel, mask, texel, scratch.whole, joins);
        return;
      }
    }
    const bits = load<u64>(plane.bits(block));
    const bit = (<u64>1) << u64(pixel & 63);
    const one = plane.pixels + pixel * size.bytes;
    if (mask == scratch.whole) {
      size.copy(one, texel);
      if (bits & bit) store<u64>(plane.bits(block), bits & ~bit);
      return;
    }
    // The value does not change, so a pixel with one texel keeps it.
    if (joins && scratch.whole && !(bits & bit) && sameTexel(size.bytes, one, texel)) return;
    const target = scratch.target;
    if (plane.secondTexels) leavePair(plane, pixel);
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
    // The previous value is expanded to the samples in the same step; a separate step made the output of teapots at
    // four samples take one and a half times as long.
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

/** Whether all samples of a pixel in the sample plane equal the texel at `texel`. */
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
 * Writes four 4-byte texels for a quad at four samples to the pixel plane, for the pixels that are fully covered.
 * Returns the pixels that are partly covered, except those that already hold their texel, as at the rim of a blended
 * sprite; a pixel with one texel keeps it.
 */
// @ts-ignore: decorator
@inline
export function putPixels(plane: Plane, quad: i32, mask: i32, texels: v128): i32 {
  const bits = plane.perSample + ((<usize>quad) >> 1);
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
 * Writes the 4-byte texel at `texel` to the samples of `mask` of a pixel, in all bits. It has no branches: whether
 * pixels of an edge are fully covered or in the sample plane is unpredictable, and branching took three times as long.
 * With `joins`, a pixel whose samples are then equal holds one texel.
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
  const divided = i32x4.splat(-((<i32>(bits >> shift)) & 1));
  let to = plane.samples + (pixel << 4);
  let rest = mask;
  let like = i32x4.splat(-1);
  for (let layer = plane.layers; ;) {
    const four = v128.bitselect(value, v128.bitselect(v128.load(to), first, divided), lanesOf(rest & 15));
    if (joins) like = v128.and(like, i32x4.eq(four, value));
    v128.store(to, four);
    if (--layer == 0) break;
    to += LAYER_WORDS;
    rest >>= 4;
  }
  const isWhole = joins ? i32x4.all_true(like) : mask == whole;
  store<u32>(one, select<u32>(load<u32>(texel), load<u32>(one), isWhole));
  store<u64>(at, (bits | ((<u64>1) << shift)) ^ ((<u64>isWhole) << shift));
}

/** Writes the four texels at OutputScratch.terms to the pixels of a quad that have samples in `mask`. */
export function putQuad<C>(scratch: OutputScratch, plane: Plane, quad: i32, mask: u64, joins: bool): void {
  const bytes = changetype<C>(0).size.bytes;
  let texel = scratch.terms;
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = pixelMask(mask, pixel);
    if (samples) changetype<Pixels<C>>(0).put(scratch, plane, (quad << 2) + pixel, samples, texel, joins);
    texel += bytes;
  }
}

/** Writes a texel to the samples of `mask`, within one layer, of a pixel in the sample plane. */
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
