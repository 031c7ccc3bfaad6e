// Premultiplied over on rgba8unorm and bgra8unorm: source + destination · (1 − alpha) in all channels, what particles do. The bits are those
// of blend.ts; here 16-bit lanes hold every other byte of a texel, so nothing is transposed: a pixel's summands are one dword for its even
// bytes and one for its odd bytes (simd/texels.ts).
//
// Cycles a quad, Node 20 on a loaded Zen 4: 23 at one sample, 41 where the four samples of its pixels differ; 28 and 43 in the dwords of
// blend-bytes.ts with calls in the loop. Tried at one sample: leaving out quads of nothing, as at four (no faster).

import {
  BLENDS_OVER, bytesOfLayer, COLOR_CLEAR, COLOR_STORED, Entry, Packer, PACKER_BLOCK, PACKER_SAME, Target, Tile,
} from '../layout';
import { anyTrue, madd, splat0, splatFrom } from '../simd/lanes';
import {
  blendOverBytes, coarseWeights, evenBytes, fineWeights, lanesOf, splat1, splat2, splat3, summands, twoWords,
} from '../simd/texels';
import { clamp01 } from '../surface/texel-four';
import { colorStates, fillBlock, pixelPlane, severalPixels } from '../tile/colors';
import { ofLayer } from '../tile/layers';
import { sourceRegister } from './source';
import {
  byteChannel, coverOf, isLaidOut, planePixels, sampleLayers, severalOf, wholePixels, writtenBits,
} from './texels';

/**
 * As data, for the reason that texel-four.ts gives. Added to a small float, 2 leaves its nearest multiple of 2^-22, ties to even, in the low
 * bits, below an exponent that shifts out: 1; FIXED_WEIGHT and FIXED_SUMMAND · 2^-22; 2; 2 and FIXED_ROUND · 2^-22.
 */
const OVER: usize = memory.data<u32>([0x3f800000, 0x3b800000, 0x3b7f0000, 0x40000000, 0x40000020]);
const OVER_ONE = 0;
const OVER_WEIGHT = 1;
const OVER_SUMMAND = 2;
const OVER_INTEGER = 3;
const OVER_ROUND = 4;

/** Blends a warp's colour over a target with BLENDS_OVER. */
export function blendOverWarp(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  v128.store(context.output.written, i32x4.splat(-1));
  blendOver(context, packer, target, plane, index);
}

/** The same for some of the channels. */
export function blendOverChannels(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  writtenBits(target, context.output.written);
  blendOver(context, packer, target, plane, index);
}

function blendOver(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  const layers = sampleLayers(context);
  const end = <usize>packer.count << 4;
  const all = i64x2.all_true(i64x2.eq(v128.load(context.output.written), i64x2.splat(-1)));
  const whole = all ? 0xffff : -1;
  const kind = packer.kind;
  if (kind == PACKER_SAME) {
    blendSame(context, packer, target, index);
    return;
  }
  if (all && kind == PACKER_BLOCK && isOnePixel(context, packer, index)) {
    blendBlock(context, packer, target, index);
    return;
  }
  for (let offset: usize = 0; ; ) {
    offset = layers == 0 ? blendRun1(context, changetype<usize>(packer), target, plane, index, offset, end)
      : layers == 1 ? blendRun4(context, changetype<usize>(packer), target, plane, index, offset, end, whole)
      : blendRunLayers(context, changetype<usize>(packer), target, plane, index, offset, end, whole);
    if (offset >= end) return;
    const entry = changetype<Entry>(packer.entries + offset);
    planePixels(context, index, entry.quad, entry.mask, layers, false, 4);
  }
}

/** Whether a PACKER_SAME can be blended as it is. */
export function blendsSame(context: Tile, packer: Packer, target: Target, index: i32): bool {
  return target.blend == BLENDS_OVER && isOnePixel(context, packer, index);
}

/** Whether all pixels of a packer's block hold one texel each; a clear block is laid out. */
function isOnePixel(context: Tile, packer: Packer, index: i32): bool {
  const block = packer.entry(0).quad >> 4;
  if (load<u8>(colorStates(context, index) + <usize>block) == COLOR_CLEAR) fillBlock(context, index, block, 4);
  return load<u64>(severalPixels(context, index) + (<usize>block << 3)) == 0;
}

/** A block that is covered at all samples. */
function blendBlock(context: Tile, packer: Packer, target: Target, index: i32): void {
  const at = pixelPlane(context, index) + (<usize>(packer.entry(0).quad >> 4) << 8);
  const r0 = byteRegister(context, target, 0);
  const r1 = byteRegister(context, target, 1);
  const r2 = byteRegister(context, target, 2);
  const r3 = byteRegister(context, target, 3);
  for (let offset: usize = 0; offset < 256; offset += 16) {
    const c0 = clamp01(v128.load(r0 + offset));
    const c1 = clamp01(v128.load(r1 + offset));
    const c2 = clamp01(v128.load(r2 + offset));
    const c3 = clamp01(v128.load(r3 + offset));
    const weight = weightOver(c3);
    v128.store(at + offset, blendOverBytes(
      evenBytes(), v128.load(at + offset), coarseWeights(weight), fineWeights(weight), summands(fixed(c0), fixed(c2)), summands(fixed(c1), fixed(c3))));
  }
}

/** A block that is covered at all samples, with one source for all pixels. */
function blendSame(context: Tile, packer: Packer, target: Target, index: i32): void {
  let at = pixelPlane(context, index) + (<usize>(packer.entry(0).quad >> 4) << 8);
  const c0 = clamp01(v128.load(byteRegister(context, target, 0)));
  const c1 = clamp01(v128.load(byteRegister(context, target, 1)));
  const c2 = clamp01(v128.load(byteRegister(context, target, 2)));
  const c3 = clamp01(v128.load(byteRegister(context, target, 3)));
  const weight = weightOver(c3);
  const coarse = coarseWeights(weight);
  const fine = fineWeights(weight);
  const even = summands(fixed(c0), fixed(c2));
  const odd = summands(fixed(c1), fixed(c3));
  const low = evenBytes();
  for (const end = at + 256; at < end; at += 64) {
    blendPixel(low, at, coarse, fine, even, odd);
    blendPixel(low, at + 16, coarse, fine, even, odd);
    blendPixel(low, at + 32, coarse, fine, even, odd);
    blendPixel(low, at + 48, coarse, fine, even, odd);
  }
}

/** Address of the register of byte `index` of a texel. */
// @ts-ignore: decorator
@inline
function byteRegister(context: Tile, target: Target, index: i32): usize {
  return sourceRegister(context, target, byteChannel(target.format, index), false);
}

/** Whether a source is nothing, which leaves a texel as it is. */
// @ts-ignore: decorator
@inline
function isNothing(c0: v128, c1: v128, c2: v128, c3: v128): bool {
  return !anyTrue(c3) && !anyTrue(v128.or(v128.or(c0, c1), c2));
}

/** The weight of the destination, in both halves of each dword. */
// @ts-ignore: decorator
@inline
function weightOver(alpha: v128): v128 {
  return twoWords(madd(f32x4.sub(splatFrom(OVER, OVER_ONE), alpha), splatFrom(OVER, OVER_WEIGHT), splatFrom(OVER, OVER_INTEGER)));
}

/**
 * Blends the entries from `offset` up to `end` (bytes of a register), or up to one whose texels have to be laid out first (planePixels): a
 * call within the loop would have every vector kept in memory. Returns where it stopped.
 */
function blendRun1(context: Tile, packer: usize, target: Target, plane: usize, index: i32, offset: usize, end: usize): usize {
  const written = v128.load(context.output.written);
  const states = colorStates(context, index);
  const r0 = byteRegister(context, target, 0);
  const r1 = byteRegister(context, target, 1);
  const r2 = byteRegister(context, target, 2);
  const r3 = byteRegister(context, target, 3);
  for (; offset < end; offset += 16) {
    const quad = changetype<Entry>(packer + changetype<usize>(changetype<Packer>(0).entries) + offset).quad;
    if (load<u8>(states + <usize>(quad >> 4)) != COLOR_STORED) break;
    const c0 = clamp01(v128.load(r0 + offset));
    const c1 = clamp01(v128.load(r1 + offset));
    const c2 = clamp01(v128.load(r2 + offset));
    const c3 = clamp01(v128.load(r3 + offset));
    const weight = weightOver(c3);
    const at = plane + (<usize>quad << 4);
    const texels = v128.load(at);
    const blended = blendOverBytes(evenBytes(), texels, coarseWeights(weight), fineWeights(weight), summands(fixed(c0), fixed(c2)), summands(fixed(c1), fixed(c3)));
    const lanes = v128.and(lanesOf(<i32>changetype<Entry>(packer + changetype<usize>(changetype<Packer>(0).entries) + offset).mask), written);
    v128.store(at, v128.bitselect(blended, texels, lanes));
  }
  return offset;
}

/** The same at two and four samples. `whole`: the mask of quads of which all samples are written in all channels, or -1. */
function blendRun4(context: Tile, packer: usize, target: Target, plane: usize, index: i32, offset: usize, end: usize, whole: i32): usize {
  const states = colorStates(context, index);
  const several = severalPixels(context, index);
  const pixelTexels = pixelPlane(context, index);
  const r0 = byteRegister(context, target, 0);
  const r1 = byteRegister(context, target, 1);
  const r2 = byteRegister(context, target, 2);
  const r3 = byteRegister(context, target, 3);
  for (; offset < end; offset += 16) {
    const mask = <i32>changetype<Entry>(packer + changetype<usize>(changetype<Packer>(0).entries) + offset).mask;
    if (!mask) continue;
    const c0 = clamp01(v128.load(r0 + offset));
    const c1 = clamp01(v128.load(r1 + offset));
    const c2 = clamp01(v128.load(r2 + offset));
    const c3 = clamp01(v128.load(r3 + offset));
    if (isNothing(c0, c1, c2, c3)) continue;
    const even = summands(fixed(c0), fixed(c2));
    const odd = summands(fixed(c1), fixed(c3));
    const weight = weightOver(c3);
    const quad = changetype<Entry>(packer + changetype<usize>(changetype<Packer>(0).entries) + offset).quad;
    const apart = severalOf(several, quad);
    if (apart != 15) {
      const pixels = wholePixels(mask);
      if (apart || pixels < 0 || load<u8>(states + <usize>(quad >> 4)) != COLOR_STORED) break;
      blendPixels(context, pixelTexels + (<usize>quad << 4), pixels, weight, even, odd);
      continue;
    }
    const samples = plane + (<usize>quad << 6);
    if (mask != whole) {
      blendSamples(context, samples, mask, weight, even, odd);
      continue;
    }
    blendWhole(samples, weight, even, odd);
  }
  return offset;
}

/** The same with layers. */
function blendRunLayers(context: Tile, packer: usize, target: Target, plane: usize, index: i32, offset: usize, end: usize, whole: i32): usize {
  const states = colorStates(context, index);
  const several = severalPixels(context, index);
  const pixelTexels = pixelPlane(context, index);
  const layers = context.layers;
  const r0 = byteRegister(context, target, 0);
  const r1 = byteRegister(context, target, 1);
  const r2 = byteRegister(context, target, 2);
  const r3 = byteRegister(context, target, 3);
  for (; offset < end; offset += 16) {
    const mask = changetype<Entry>(packer + changetype<usize>(changetype<Packer>(0).entries) + offset).mask;
    if (!mask) continue;
    const c0 = clamp01(v128.load(r0 + offset));
    const c1 = clamp01(v128.load(r1 + offset));
    const c2 = clamp01(v128.load(r2 + offset));
    const c3 = clamp01(v128.load(r3 + offset));
    if (isNothing(c0, c1, c2, c3)) continue;
    const even = summands(fixed(c0), fixed(c2));
    const odd = summands(fixed(c1), fixed(c3));
    const weight = weightOver(c3);
    const quad = changetype<Entry>(packer + changetype<usize>(changetype<Packer>(0).entries) + offset).quad;
    if (load<u8>(states + <usize>(quad >> 4)) != COLOR_STORED) break;
    const apart = severalOf(several, quad);
    if (apart != 15) {
      const cover = coverOf(mask, layers);
      if (!isLaidOut(cover, apart, false)) break;
      blendPixels(context, pixelTexels + (<usize>quad << 4), cover & 15, weight, even, odd);
      continue;
    }
    let samples = plane + (<usize>quad << 6);
    for (let layer = 0; layer < layers; layer++) {
      const part = ofLayer(mask, layer);
      if (part == whole) blendWhole(samples, weight, even, odd);
      else if (part) blendSamples(context, samples, part, weight, even, odd);
      samples += bytesOfLayer(4);
    }
  }
  return offset;
}

/** A summand in the low bits. */
// @ts-ignore: decorator
@inline
function fixed(x: v128): v128 {
  return madd(x, splatFrom(OVER, OVER_SUMMAND), splatFrom(OVER, OVER_ROUND));
}

/** All samples of a quad, of a layer, in all channels. */
// @ts-ignore: decorator
@inline
function blendWhole(samples: usize, weight: v128, even: v128, odd: v128): void {
  const coarse = coarseWeights(weight);
  const fine = fineWeights(weight);
  const low = evenBytes();
  blendPixel(low, samples, splat0(coarse), splat0(fine), splat0(even), splat0(odd));
  blendPixel(low, samples + 16, splat1(coarse), splat1(fine), splat1(even), splat1(odd));
  blendPixel(low, samples + 32, splat2(coarse), splat2(fine), splat2(even), splat2(odd));
  blendPixel(low, samples + 48, splat3(coarse), splat3(fine), splat3(even), splat3(odd));
}

/** All samples of a pixel, in all channels. */
// @ts-ignore: decorator
@inline
function blendPixel(low: v128, at: usize, coarse: v128, fine: v128, even: v128, odd: v128): void {
  v128.store(at, blendOverBytes(low, v128.load(at), coarse, fine, even, odd));
}

/** Four pixels of one texel each, those of `pixels`. */
function blendPixels(context: Tile, at: usize, pixels: i32, weight: v128, even: v128, odd: v128): void {
  const texels = v128.load(at);
  const lanes = v128.and(lanesOf(pixels), v128.load(context.output.written));
  v128.store(at, v128.bitselect(blendOverBytes(evenBytes(), texels, coarseWeights(weight), fineWeights(weight), even, odd), texels, lanes));
}

/** The samples of `mask` of a quad. */
function blendSamples(context: Tile, at: usize, mask: i32, weight: v128, even: v128, odd: v128): void {
  const written = v128.load(context.output.written);
  const coarse = coarseWeights(weight);
  const fine = fineWeights(weight);
  const low = evenBytes();
  blendMasked(low, at, lanesOf(mask & 15), written, splat0(coarse), splat0(fine), splat0(even), splat0(odd));
  blendMasked(low, at + 16, lanesOf((mask >> 4) & 15), written, splat1(coarse), splat1(fine), splat1(even), splat1(odd));
  blendMasked(low, at + 32, lanesOf((mask >> 8) & 15), written, splat2(coarse), splat2(fine), splat2(even), splat2(odd));
  blendMasked(low, at + 48, lanesOf((mask >> 12) & 15), written, splat3(coarse), splat3(fine), splat3(even), splat3(odd));
}

// @ts-ignore: decorator
@inline
function blendMasked(low: v128, at: usize, lanes: v128, written: v128, coarse: v128, fine: v128, even: v128, odd: v128): void {
  const texels = v128.load(at);
  v128.store(at, v128.bitselect(blendOverBytes(low, texels, coarse, fine, even, odd), texels, v128.and(lanes, written)));
}
