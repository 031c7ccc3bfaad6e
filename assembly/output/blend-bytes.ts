// Blending on rgba8unorm and bgra8unorm, all states that blend.ts computes in fixed point: four texels at a time, which are the pixels of a
// quad, or the samples of a pixel where they may differ. A pixel's weights and summands (its TERMS, simd/texels.ts) are made once, and serve
// all of its samples. Channels are taken in the order of the texel's bytes. Scalar twin: blend.ts.
// Premultiplied over is in blend-over.ts.

import {
  BLEND_ADD, BLEND_REVERSE_SUBTRACT, BLEND_SUBTRACT, bytesOfLayer, Entry, FACTOR_ONE, FACTOR_ONE_MINUS_SRC_ALPHA,
  FACTOR_SRC_ALPHA, FACTOR_ZERO, Packer, Target, Tile,
} from '../layout';
import { interleaveHigh, interleaveLow, splatFrom } from '../simd/lanes';
import { blendBytes, lanesOf } from '../simd/texels';
import { clamp01 } from '../surface/texel-four';
import { pixelPlane } from '../tile/colors';
import { ofLayer } from '../tile/layers';
import { FIXED_SUMMAND, FIXED_WEIGHT, linearAlpha, linearColor } from './blend';
import { blendOverChannels } from './blend-over';
import {
  ALPHA_DESTINATION, ALPHA_SOURCE, alphaFactorFor, COLOR_DESTINATION, COLOR_SOURCE, factorFor, prepareFactor,
  prepareOperands,
} from './factors';
import { sourceRegister } from './source';
import { byteChannel, planePixels, sampleLayers, writtenBits } from './texels';

/** Factors that come from the source's alpha alone. */
const FORM_ALPHA = 0;
const FORM_ANY = 1;

/** As data, for the reason that texel-four.ts gives: FIXED_INTEGER, that and FIXED_ROUND, ffff. */
const TERMS: usize = memory.data<u32>([0x4b400000, 0x4b400020, 0xffff]);
const TERMS_INTEGER = 0;
const TERMS_ROUND = 1;
const TERMS_LOW = 2;

/** Blends a warp's colour into a target for which blendsBytes() holds. */
export function blendBytesWarp(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  const color = linearColor(target);
  const alpha = linearAlpha(target);
  const adds = target.colorOp == BLEND_ADD && target.alphaOp == BLEND_ADD;
  if (adds && isOver(color) && isOver(alpha)) {
    blendOverChannels(context, packer, target, plane, index);
    return;
  }
  writtenBits(target, context.output.written);
  const signs = context.output.signs;
  prepareSigns(signs, target.colorOp);
  prepareSigns(signs + 8, target.alphaOp);
  const format = target.format;
  prepareOperands(context, packer.draw, byteChannel(format, 0), byteChannel(format, 2), true);
  prepareFactor(context, COLOR_SOURCE, color & 15);
  prepareFactor(context, COLOR_DESTINATION, color >> 4);
  prepareFactor(context, ALPHA_SOURCE, alpha & 15);
  prepareFactor(context, ALPHA_DESTINATION, alpha >> 4);
  if (fromAlpha(color) && fromAlpha(alpha)) blendAlpha(context, packer, target, plane, index);
  else blendAny(context, packer, target, plane, index);
}

/** f32 scales of summand and weight. */
function prepareSigns(signs: usize, operation: i32): void {
  store<f32>(signs, operation == BLEND_REVERSE_SUBTRACT ? -FIXED_SUMMAND : FIXED_SUMMAND);
  store<f32>(signs, operation == BLEND_SUBTRACT ? -FIXED_WEIGHT : FIXED_WEIGHT, 4);
}

function isOver(form: i32): bool {
  return form == (FACTOR_ONE | (FACTOR_ONE_MINUS_SRC_ALPHA << 4));
}

/** Whether both factors of a linearForm come from the source's alpha alone. */
export function fromAlpha(form: i32): bool {
  return isOfAlpha(form & 15) && isOfAlpha(form >> 4);
}

function isOfAlpha(factor: i32): bool {
  return factor == FACTOR_ZERO || factor == FACTOR_ONE || factor == FACTOR_SRC_ALPHA || factor == FACTOR_ONE_MINUS_SRC_ALPHA;
}

function blendAlpha(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  blendWarp(context, packer, target, plane, index, FORM_ALPHA);
}

function blendAny(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  blendWarp(context, packer, target, plane, index, FORM_ANY);
}

/** A body for each form. */
// @ts-ignore: decorator
@inline
function blendWarp(context: Tile, packer: Packer, target: Target, plane: usize, index: i32, form: i32): void {
  const layers = sampleLayers(context);
  const pixelTexels = pixelPlane(context, index);
  const format = target.format;
  const written = v128.load(context.output.written);
  const end = <usize>packer.count << 4;
  const r0 = sourceRegister(context, target, byteChannel(format, 0), false);
  const r1 = sourceRegister(context, target, 1, false);
  const r2 = sourceRegister(context, target, byteChannel(format, 2), false);
  const r3 = sourceRegister(context, target, 3, false);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const mask = changetype<Entry>(packer.entries + offset).mask;
    if (!mask) continue;
    const c0 = clamp01(v128.load(r0 + offset));
    const c1 = clamp01(v128.load(r1 + offset));
    const c2 = clamp01(v128.load(r2 + offset));
    const c3 = clamp01(v128.load(r3 + offset));
    if (form == FORM_ANY) storeSource(context, c0, c1, c2, c3);
    const colorFactor = form == FORM_ALPHA ? alphaFactorFor(context, COLOR_SOURCE, c3) : c3;
    const alphaFactor = form == FORM_ALPHA ? alphaFactorFor(context, ALPHA_SOURCE, c3) : c3;
    const colorWeight = form == FORM_ALPHA ? signedWeight(context, COLOR_DESTINATION, c3) : c3;
    const alphaWeight = form == FORM_ALPHA ? signedWeight(context, ALPHA_DESTINATION, c3) : c3;
    const t0 = termsOf(context, form, 0, c0, colorFactor, colorWeight);
    const t1 = termsOf(context, form, 1, c1, colorFactor, colorWeight);
    const t2 = termsOf(context, form, 2, c2, colorFactor, colorWeight);
    const t3 = termsOf(context, form, 3, c3, alphaFactor, alphaWeight);
    const even = interleaveLow(t0, t2);
    const odd = interleaveLow(t1, t3);
    const evenHigh = interleaveHigh(t0, t2);
    const oddHigh = interleaveHigh(t1, t3);
    const p0 = interleaveLow(even, odd);
    const p1 = interleaveHigh(even, odd);
    const p2 = interleaveLow(evenHigh, oddHigh);
    const p3 = interleaveHigh(evenHigh, oddHigh);
    const quad = changetype<Entry>(packer.entries + offset).quad;
    const pixels = planePixels(context, index, quad, mask, layers, false, 4);
    if (pixels) {
      const at = pixelTexels + (<usize>quad << 4);
      const texels = v128.load(at);
      v128.store(at, v128.bitselect(blendBytes(texels, p0, p1, p2, p3), texels, v128.and(lanesOf(pixels), written)));
      continue;
    }
    let samples = plane + (<usize>quad << 6);
    for (let layer = 0; layer < layers; layer++) {
      const rest = ofLayer(mask, layer);
      blendSamples(samples, rest & 15, p0, written);
      blendSamples(samples + 16, (rest >> 4) & 15, p1, written);
      blendSamples(samples + 32, (rest >> 8) & 15, p2, written);
      blendSamples(samples + 48, (rest >> 12) & 15, p3, written);
      samples += bytesOfLayer(4);
    }
  }
}

// @ts-ignore: decorator
@inline
function blendSamples(at: usize, bits: i32, terms: v128, written: v128): void {
  const texels = v128.load(at);
  v128.store(at, v128.bitselect(blendBytes(texels, terms, terms, terms, terms), texels, v128.and(lanesOf(bits), written)));
}

// @ts-ignore: decorator
@inline
function storeSource(context: Tile, c0: v128, c1: v128, c2: v128, c3: v128): void {
  v128.store(context.output.source, c0);
  v128.store(context.output.source + 16, c1);
  v128.store(context.output.source + 32, c2);
  v128.store(context.output.source + 48, c3);
}

/** One channel's weights and summands, planar; `factor` of FORM_ALPHA, `weight` of FORM_ALPHA. */
// @ts-ignore: decorator
@inline
function termsOf(context: Tile, form: i32, channel: i32, value: v128, factor: v128, weight: v128): v128 {
  const source = channel < 3 ? COLOR_SOURCE : ALPHA_SOURCE;
  const destination = channel < 3 ? COLOR_DESTINATION : ALPHA_DESTINATION;
  const signs = context.output.signs;
  const sign = v128.load32_splat(signs + (<usize>source << 2));
  if (form == FORM_ALPHA) return v128.or(summandOf(f32x4.mul(value, factor), sign), weight);
  const place = channel < 3 ? channel : 0;
  return v128.or(
    summandOf(f32x4.mul(value, factorFor(context, source, place)), sign),
    weightOf(factorFor(context, destination, place), v128.load32_splat(signs + (<usize>destination << 2))));
}

/** The weight of record `index`, whose factor comes from the source's alpha. */
// @ts-ignore: decorator
@inline
function signedWeight(context: Tile, index: i32, alpha: v128): v128 {
  return weightOf(alphaFactorFor(context, index, alpha), v128.load32_splat(context.output.signs + (<usize>index << 2)));
}

/** Nearest integer of x·scale and FIXED_ROUND, in the upper halves. */
// @ts-ignore: decorator
@inline
function summandOf(x: v128, scale: v128): v128 {
  return i32x4.shl(f32x4.add(f32x4.mul(x, scale), splatFrom(TERMS, TERMS_ROUND)), 16);
}

/** Nearest integer of x·scale, in the lower halves. */
// @ts-ignore: decorator
@inline
function weightOf(x: v128, scale: v128): v128 {
  return v128.and(f32x4.add(f32x4.mul(x, scale), splatFrom(TERMS, TERMS_INTEGER)), splatFrom(TERMS, TERMS_LOW));
}
