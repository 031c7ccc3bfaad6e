// Output to rgba8unorm and bgra8unorm, with and without sRGB: four texels at a time. These are the pixels of a quad at one sample, and at
// four in blocks of one texel a pixel (surface/color-blocks.ts); else the samples of a pixel. Blending is in float, linear light. Channels
// are taken in the order of the texel's bytes. Scalar twin: rgba8.scalar.ts.

import {
  COLOR_PIXELS, COLOR_SAMPLES, CTX_REGISTERS, CTX_SAMPLES, CTX_TEXELS, ENTRY_MASK, ENTRY_QUAD, PACKER_BLOCK, PACKER_COUNT, PACKER_DRAW,
  PACKER_ENTRIES, PACKER_KIND,
} from '../layout/context';
import {
  BLEND_ADD, BLEND_MAX, BLEND_MIN, BLEND_REVERSE_SUBTRACT, BLEND_SUBTRACT, DRAW_BLEND_CONSTANT, FACTOR_CONSTANT, FACTOR_DST,
  FACTOR_DST_ALPHA, FACTOR_ONE, FACTOR_ONE_MINUS_CONSTANT, FACTOR_ONE_MINUS_DST, FACTOR_ONE_MINUS_DST_ALPHA, FACTOR_ONE_MINUS_SRC,
  FACTOR_ONE_MINUS_SRC_ALPHA, FACTOR_SRC, FACTOR_SRC_ALPHA, FACTOR_SRC_ALPHA_SATURATED, FACTOR_ZERO, TARGET_ALPHA_DST, TARGET_ALPHA_OP,
  TARGET_ALPHA_SRC, TARGET_BLEND, TARGET_COLOR_DST, TARGET_COLOR_OP, TARGET_COLOR_SRC, TARGET_FORMAT, TARGET_REGISTERS,
} from '../layout/draw';
import { REGISTER_BYTES } from '../layout/limits';
import { anyTrue, isSplat, madd, max, min, splat0, splatFrom } from '../simd/lanes';
import { firsts, lanesOf, splat1, splat2, splat3 } from '../simd/texels';
import {
  SRGB_E0, SRGB_E1, SRGB_E2, SRGB_E3, SRGB_E4, SRGB_LINEAR_LIMIT, SRGB_LINEAR_SCALE, srgbToLinear,
} from '../surface/srgb';
import { colorStates, fillPixels, spreadColor } from '../surface/color-blocks';
import { saturate } from '../surface/texel';
import { writeRgba8Scalar } from './rgba8.scalar';
import { byteChannel, isSrgb, writtenBytes } from './texels';

/** Constants as data: V8 builds those in the code anew at every use (a vector load each instead of two to three instructions). */
const PACK: usize = memory.data<u32>([0x3f800000, 0x437f0000, 0x3f000000, 0x4b000000, 0x43800000, 0xffff, 0x3b808081, 0xff]);
const PACK_ONE = 0;
const PACK_BYTE = 1;
const PACK_HALF = 2;
const PACK_INTEGER = 3;
const PACK_HIGH = 4;
const PACK_LOW_HALF = 5;
const PACK_SCALE = 6;
const PACK_LOW_BYTE = 7;

/** What a program that lacks an output writes: 0, 0, 0, 1. A register each. */
const ZEROS: usize = memory.data(256);
const ONES: usize = memory.data<f32>([
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);

/** Writes a warp's colour to target `index`. */
// @ts-ignore: decorator
@inline
export function writeRgba8(context: usize, packer: usize, target: usize, plane: usize, index: i32): void {
  if (ASC_FEATURE_SIMD) writeRgba8Simd(context, packer, target, plane, index);
  else writeRgba8Scalar(context, packer, target, plane, index);
}

/** Address of the register that goes into byte `index`. */
function sourceRegister(context: usize, target: usize, index: i32): usize {
  const channel = byteChannel(load<i32>(target + TARGET_FORMAT), index);
  const register = load<i32>(target + TARGET_REGISTERS + (<usize>channel << 2));
  if (register < 0) return channel == 3 ? ONES : ZEROS;
  return load<usize>(context + CTX_REGISTERS) + <usize>register * REGISTER_BYTES;
}

// @ts-ignore: decorator
@inline
function clamp01(x: v128): v128 {
  return min(max(f32x4.splat(0), x), splatFrom(PACK, PACK_ONE));
}

/** floor(x·255 + 0.5), as a float. */
// @ts-ignore: decorator
@inline
function toByte(x: v128): v128 {
  return f32x4.floor(madd(x, splatFrom(PACK, PACK_BYTE), splatFrom(PACK, PACK_HALF)));
}

/** Four lanes of linearToSrgb, with the same bits. */
function linearToSrgb4(x: v128): v128 {
  const q = f32x4.sqrt(f32x4.sqrt(x));
  let p = madd(f32x4.splat(SRGB_E4), q, f32x4.splat(SRGB_E3));
  p = madd(p, q, f32x4.splat(SRGB_E2));
  p = madd(p, q, f32x4.splat(SRGB_E1));
  p = madd(p, q, f32x4.splat(SRGB_E0));
  return v128.bitselect(f32x4.mul(x, f32x4.splat(SRGB_LINEAR_SCALE)), p, f32x4.le(x, f32x4.splat(SRGB_LINEAR_LIMIT)));
}

/** Four texels from four channels. Two bytes are put together as c0 + 256·c1 + 2^23, whose low bits are the integer. */
// @ts-ignore: decorator
@inline
function pack(c0: v128, c1: v128, c2: v128, c3: v128, srgb: bool): v128 {
  c0 = clamp01(c0);
  c1 = clamp01(c1);
  c2 = clamp01(c2);
  if (srgb) {
    c0 = linearToSrgb4(c0);
    c1 = linearToSrgb4(c1);
    c2 = linearToSrgb4(c2);
  }
  const integer = splatFrom(PACK, PACK_INTEGER);
  const high = splatFrom(PACK, PACK_HIGH);
  const low = f32x4.add(madd(toByte(c1), high, toByte(c0)), integer);
  const upper = f32x4.add(madd(toByte(clamp01(c3)), high, toByte(c2)), integer);
  return v128.or(i32x4.shl(upper, 16), v128.and(low, splatFrom(PACK, PACK_LOW_HALF)));
}

function writeRgba8Simd(context: usize, packer: usize, target: usize, plane: usize, index: i32): void {
  const blends = load<i32>(target + TARGET_BLEND) != 0;
  const srgb = isSrgb(load<i32>(target + TARGET_FORMAT));
  if (blends) prepareBlend(context, load<usize>(packer + PACKER_DRAW), target);
  const written = writtenBytes(target);
  if (load<i32>(packer + PACKER_KIND) == PACKER_BLOCK && !blends && written == 0xffffffff) {
    writeBlock(context, packer, target, plane, index, srgb);
    return;
  }
  const one = load<i32>(context + CTX_SAMPLES) == 1;
  if (blends && !srgb && written == 0xffffffff && load<i32>(context, PARAMETER_SIMPLE) == SIMPLE_OVER) {
    if (one) writeOver1(context, packer, target, plane, index);
    else writeOver4(context, packer, target, plane, index);
    return;
  }
  const bytes = i32x4.splat(<i32>written);
  const states = colorStates(context, index);
  const end = <usize>load<i32>(packer + PACKER_COUNT) << 4;
  const r0 = sourceRegister(context, target, 0);
  const r1 = sourceRegister(context, target, 1);
  const r2 = sourceRegister(context, target, 2);
  const r3 = sourceRegister(context, target, 3);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const entry = packer + PACKER_ENTRIES + offset;
    const mask = load<i32>(entry + ENTRY_MASK);
    if (!mask) continue;
    const c0 = v128.load(r0 + offset);
    const c1 = v128.load(r1 + offset);
    const c2 = v128.load(r2 + offset);
    const c3 = v128.load(r3 + offset);
    const quad = <usize>load<i32>(entry + ENTRY_QUAD);
    const block = <i32>quad >> 4;
    let at = plane + (quad << 4);
    let bits = mask;
    if (!one) {
      if (mask != 0xffff || load<u8>(states + <usize>block) == COLOR_SAMPLES) {
        spreadColor(context, index, block, 4);
        if (blends) blendQuad4(context, target, srgb, plane + (quad << 6), mask, bytes, c0, c1, c2, c3);
        else writeQuad4(plane + (quad << 6), pack(c0, c1, c2, c3, srgb), mask, bytes);
        continue;
      }
      // All samples of all four pixels, in a block of one texel a pixel.
      fillPixels(context, index, block);
      at = plane + (<usize>block << 10) + ((quad & 15) << 4);
      bits = 15;
    } else {
      spreadColor(context, index, block, 4);
    }
    const texels = blends ? blend(context, target, srgb, v128.load(at), c0, c1, c2, c3) : pack(c0, c1, c2, c3, srgb);
    writeFour(at, texels, bits, bytes);
  }
}

/** Premultiplied over, on linear texels: source channels within 0 … 1, rest = 1 − alpha. The bits are those of blend(). */
// @ts-ignore: decorator
@inline
function overFour(texels: v128, c0: v128, c1: v128, c2: v128, c3: v128, rest: v128): v128 {
  const scale = splatFrom(PACK, PACK_SCALE);
  const byte = splatFrom(PACK, PACK_LOW_BYTE);
  const one = splatFrom(PACK, PACK_ONE);
  const d0 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(texels, byte)), scale);
  const d1 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(i32x4.shr_u(texels, 8), byte)), scale);
  const d2 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(i32x4.shr_u(texels, 16), byte)), scale);
  const d3 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_u(texels, 24)), scale);
  // Sums of what is not negative: only the upper limit is needed.
  const b0 = toByte(min(madd(d0, rest, c0), one));
  const b1 = toByte(min(madd(d1, rest, c1), one));
  const b2 = toByte(min(madd(d2, rest, c2), one));
  const b3 = toByte(min(madd(d3, rest, c3), one));
  const low = f32x4.add(madd(b1, splatFrom(PACK, PACK_HIGH), b0), splatFrom(PACK, PACK_INTEGER));
  const upper = f32x4.add(madd(b3, splatFrom(PACK, PACK_HIGH), b2), splatFrom(PACK, PACK_INTEGER));
  return v128.or(i32x4.shl(upper, 16), v128.and(low, splatFrom(PACK, PACK_LOW_HALF)));
}

/** Premultiplied over at one sample. */
function writeOver1(context: usize, packer: usize, target: usize, plane: usize, index: i32): void {
  const end = <usize>load<i32>(packer + PACKER_COUNT) << 4;
  const r0 = sourceRegister(context, target, 0);
  const r1 = sourceRegister(context, target, 1);
  const r2 = sourceRegister(context, target, 2);
  const r3 = sourceRegister(context, target, 3);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const c0 = clamp01(v128.load(r0 + offset));
    const c1 = clamp01(v128.load(r1 + offset));
    const c2 = clamp01(v128.load(r2 + offset));
    const c3 = clamp01(v128.load(r3 + offset));
    const on = lanesOf(load<i32>(packer + PACKER_ENTRIES + offset, ENTRY_MASK));
    // Nothing over a texel leaves it as it is.
    if (!anyTrue(v128.and(on, v128.or(v128.or(c0, c1), v128.or(c2, c3))))) continue;
    const quad = load<i32>(packer + PACKER_ENTRIES + offset, ENTRY_QUAD);
    spreadColor(context, index, quad >> 4, 4);
    const at = plane + (<usize>quad << 4);
    const texels = v128.load(at);
    v128.store(at, v128.bitselect(overFour(texels, c0, c1, c2, c3, f32x4.sub(splatFrom(PACK, PACK_ONE), c3)), texels, on));
  }
}

/** Premultiplied over at four samples: once a quad in blocks of one texel a pixel, else once a pixel. */
function writeOver4(context: usize, packer: usize, target: usize, plane: usize, index: i32): void {
  const states = colorStates(context, index);
  const end = <usize>load<i32>(packer + PACKER_COUNT) << 4;
  const r0 = sourceRegister(context, target, 0);
  const r1 = sourceRegister(context, target, 1);
  const r2 = sourceRegister(context, target, 2);
  const r3 = sourceRegister(context, target, 3);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const c0 = clamp01(v128.load(r0 + offset));
    const c1 = clamp01(v128.load(r1 + offset));
    const c2 = clamp01(v128.load(r2 + offset));
    const c3 = clamp01(v128.load(r3 + offset));
    if (!anyTrue(v128.or(v128.or(c0, c1), v128.or(c2, c3)))) continue;
    const rest = f32x4.sub(splatFrom(PACK, PACK_ONE), c3);
    const mask = load<i32>(packer + PACKER_ENTRIES + offset, ENTRY_MASK);
    const quad = load<i32>(packer + PACKER_ENTRIES + offset, ENTRY_QUAD);
    const block = quad >> 4;
    if (mask == 0xffff && load<u8>(states + <usize>block) != COLOR_SAMPLES) {
      fillPixels(context, index, block);
      const pixels = plane + (<usize>block << 10) + (<usize>(quad & 15) << 4);
      v128.store(pixels, overFour(v128.load(pixels), c0, c1, c2, c3, rest));
      continue;
    }
    spreadColor(context, index, block, 4);
    const at = plane + (<usize>quad << 6);
    if (mask & 0xf) overPixel(at, mask & 15, splat0(c0), splat0(c1), splat0(c2), splat0(c3), splat0(rest));
    if (mask & 0xf0) overPixel(at + 16, (mask >> 4) & 15, splat1(c0), splat1(c1), splat1(c2), splat1(c3), splat1(rest));
    if (mask & 0xf00) overPixel(at + 32, (mask >> 8) & 15, splat2(c0), splat2(c1), splat2(c2), splat2(c3), splat2(rest));
    if (mask & 0xf000) overPixel(at + 48, (mask >> 12) & 15, splat3(c0), splat3(c1), splat3(c2), splat3(c3), splat3(rest));
  }
}

// @ts-ignore: decorator
@inline
function overPixel(at: usize, bits: i32, c0: v128, c1: v128, c2: v128, c3: v128, rest: v128): void {
  const texels = v128.load(at);
  v128.store(at, v128.bitselect(overFour(texels, c0, c1, c2, c3, rest), texels, lanesOf(bits)));
}

/** A whole block, opaque: a texel a pixel, whatever the samples. */
function writeBlock(context: usize, packer: usize, target: usize, plane: usize, index: i32, srgb: bool): void {
  const block = load<i32>(packer + PACKER_ENTRIES, ENTRY_QUAD) >> 4;
  const one = load<i32>(context + CTX_SAMPLES) == 1;
  store<u8>(colorStates(context, index) + <usize>block, one ? COLOR_SAMPLES : COLOR_PIXELS);
  const at = plane + (<usize>block << (one ? 8 : 10));
  const r0 = sourceRegister(context, target, 0);
  const r1 = sourceRegister(context, target, 1);
  const r2 = sourceRegister(context, target, 2);
  const r3 = sourceRegister(context, target, 3);
  if (srgb) {
    for (let offset: usize = 0; offset < 256; offset += 16) {
      v128.store(at + offset, pack(v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset), true));
    }
  } else {
    for (let offset: usize = 0; offset < 256; offset += 16) {
      v128.store(at + offset, pack(v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset), false));
    }
  }
}

/** Writes the texels whose bit is set, in the bytes that are written. */
// @ts-ignore: decorator
@inline
function writeFour(at: usize, texels: v128, bits: i32, bytes: v128): void {
  v128.store(at, v128.bitselect(texels, v128.load(at), v128.and(lanesOf(bits), bytes)));
}

/** Four samples: one texel a pixel, to the samples of `mask`. */
// @ts-ignore: decorator
@inline
function writeQuad4(at: usize, texels: v128, mask: i32, bytes: v128): void {
  writeFour(at, splat0(texels), mask & 15, bytes);
  writeFour(at + 16, splat1(texels), (mask >> 4) & 15, bytes);
  writeFour(at + 32, splat2(texels), (mask >> 8) & 15, bytes);
  writeFour(at + 48, splat3(texels), (mask >> 12) & 15, bytes);
}

/** Four samples, blending: once for the quad where all samples of each pixel are equal, else once a pixel. */
function blendQuad4(context: usize, target: usize, srgb: bool, at: usize, mask: i32, bytes: v128, c0: v128, c1: v128, c2: v128, c3: v128): void {
  const d0 = v128.load(at);
  const d1 = v128.load(at, 16);
  const d2 = v128.load(at, 32);
  const d3 = v128.load(at, 48);
  if (isSplat(d0) && isSplat(d1) && isSplat(d2) && isSplat(d3)) {
    writeQuad4(at, blend(context, target, srgb, firsts(d0, d1, d2, d3), c0, c1, c2, c3), mask, bytes);
    return;
  }
  if (mask & 0xf) {
    writeFour(at, blend(context, target, srgb, d0, splat0(c0), splat0(c1), splat0(c2), splat0(c3)), mask & 15, bytes);
  }
  if (mask & 0xf0) {
    writeFour(at + 16, blend(context, target, srgb, d1, splat1(c0), splat1(c1), splat1(c2), splat1(c3)), (mask >> 4) & 15, bytes);
  }
  if (mask & 0xf00) {
    writeFour(at + 32, blend(context, target, srgb, d2, splat2(c0), splat2(c1), splat2(c2), splat2(c3)), (mask >> 8) & 15, bytes);
  }
  if (mask & 0xf000) {
    writeFour(at + 48, blend(context, target, srgb, d3, splat3(c0), splat3(c1), splat3(c2), splat3(c3)), (mask >> 12) & 15, bytes);
  }
}

// Blend parameters in the context's scratch: constant (byte order) at 32, then for each of the four factors that depend on the source's
// alpha alone, bias and scale at 0 … 28: colour source, colour destination, alpha source, alpha destination.
const PARAMETER_CONSTANT: usize = CTX_TEXELS + 32;
/** 0: any blend state; 1: sums with such factors; SIMPLE_OVER: the commonest of those. */
const PARAMETER_SIMPLE: usize = CTX_TEXELS + 48;
const SIMPLE_OVER = 2;

/** Derives the blend parameters of a target. */
function prepareBlend(context: usize, draw: usize, target: usize): void {
  const format = load<i32>(target + TARGET_FORMAT);
  for (let i = 0; i < 4; i++) {
    const constant = load<f32>(draw + DRAW_BLEND_CONSTANT + (<usize>byteChannel(format, i) << 2));
    store<f32>(context + (<usize>i << 2), saturate(constant), PARAMETER_CONSTANT);
  }
  let simple = load<i32>(target + TARGET_COLOR_OP) == BLEND_ADD && load<i32>(target + TARGET_ALPHA_OP) == BLEND_ADD;
  simple = prepareFactor(context, 0, load<i32>(target + TARGET_COLOR_SRC)) && simple;
  simple = prepareFactor(context, 8, load<i32>(target + TARGET_COLOR_DST)) && simple;
  simple = prepareFactor(context, 16, load<i32>(target + TARGET_ALPHA_SRC)) && simple;
  simple = prepareFactor(context, 24, load<i32>(target + TARGET_ALPHA_DST)) && simple;
  const over = simple && isOver(load<i32>(target + TARGET_COLOR_SRC), load<i32>(target + TARGET_COLOR_DST))
    && isOver(load<i32>(target + TARGET_ALPHA_SRC), load<i32>(target + TARGET_ALPHA_DST));
  store<i32>(context, over ? SIMPLE_OVER : <i32>simple, PARAMETER_SIMPLE);
}

/** Premultiplied over: source + destination · (1 − alpha). */
function isOver(source: i32, destination: i32): bool {
  return source == FACTOR_ONE && destination == FACTOR_ONE_MINUS_SRC_ALPHA;
}

/** factor = bias + scale·alpha; false if the factor is not of that form. */
function prepareFactor(context: usize, offset: usize, factor: i32): bool {
  const constant = factor == FACTOR_ONE || factor == FACTOR_ONE_MINUS_SRC_ALPHA;
  const at = context + CTX_TEXELS + offset;
  store<f32>(at, constant ? 1 : 0);
  store<f32>(at, factor == FACTOR_SRC_ALPHA ? 1 : factor == FACTOR_ONE_MINUS_SRC_ALPHA ? -1 : 0, 4);
  return constant || factor == FACTOR_ZERO || factor == FACTOR_SRC_ALPHA;
}

// @ts-ignore: decorator
@inline
function alphaTerm(context: usize, offset: usize, alpha: v128): v128 {
  const at = context + CTX_TEXELS + offset;
  return madd(v128.load32_splat(at + 4), alpha, v128.load32_splat(at));
}

/** Blends four channels over four texels; returns the texels. */
function blend(context: usize, target: usize, srgb: bool, texels: v128, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
  c0 = clamp01(c0);
  c1 = clamp01(c1);
  c2 = clamp01(c2);
  c3 = clamp01(c3);
  const simple = load<i32>(context, PARAMETER_SIMPLE);
  // Nothing over a texel leaves its bytes as they are.
  if (simple == SIMPLE_OVER && !anyTrue(v128.or(v128.or(c0, c1), v128.or(c2, c3)))) return texels;
  const scale = splatFrom(PACK, PACK_SCALE);
  const byte = splatFrom(PACK, PACK_LOW_BYTE);
  let d0 = v128.and(texels, byte);
  let d1 = v128.and(i32x4.shr_u(texels, 8), byte);
  let d2 = v128.and(i32x4.shr_u(texels, 16), byte);
  const d3 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_u(texels, 24)), scale);
  if (srgb) {
    d0 = decodeSrgb(d0);
    d1 = decodeSrgb(d1);
    d2 = decodeSrgb(d2);
  } else {
    d0 = f32x4.mul(f32x4.convert_i32x4_s(d0), scale);
    d1 = f32x4.mul(f32x4.convert_i32x4_s(d1), scale);
    d2 = f32x4.mul(f32x4.convert_i32x4_s(d2), scale);
  }
  if (simple == SIMPLE_OVER) {
    const rest = f32x4.sub(splatFrom(PACK, PACK_ONE), c3);
    return pack(madd(d0, rest, c0), madd(d1, rest, c1), madd(d2, rest, c2), madd(d3, rest, c3), srgb);
  }
  if (simple) {
    const s = alphaTerm(context, 0, c3);
    const d = alphaTerm(context, 8, c3);
    return pack(
      f32x4.add(f32x4.mul(c0, s), f32x4.mul(d0, d)),
      f32x4.add(f32x4.mul(c1, s), f32x4.mul(d1, d)),
      f32x4.add(f32x4.mul(c2, s), f32x4.mul(d2, d)),
      f32x4.add(f32x4.mul(c3, alphaTerm(context, 16, c3)), f32x4.mul(d3, alphaTerm(context, 24, c3))), srgb);
  }
  const operation = load<i32>(target + TARGET_COLOR_OP);
  const sourceFactor = load<i32>(target + TARGET_COLOR_SRC);
  const destinationFactor = load<i32>(target + TARGET_COLOR_DST);
  const k = context + PARAMETER_CONSTANT;
  return pack(
    channel(operation, sourceFactor, destinationFactor, c0, d0, c3, d3, v128.load32_splat(k)),
    channel(operation, sourceFactor, destinationFactor, c1, d1, c3, d3, v128.load32_splat(k + 4)),
    channel(operation, sourceFactor, destinationFactor, c2, d2, c3, d3, v128.load32_splat(k + 8)),
    channel(load<i32>(target + TARGET_ALPHA_OP), alphaFactor(load<i32>(target + TARGET_ALPHA_SRC)),
      alphaFactor(load<i32>(target + TARGET_ALPHA_DST)), c3, d3, c3, d3, v128.load32_splat(k + 12)), srgb);
}

/** For the alpha channel the saturated factor is one. */
function alphaFactor(factor: i32): i32 {
  return factor == FACTOR_SRC_ALPHA_SATURATED ? FACTOR_ONE : factor;
}

function decodeSrgb(bytes: v128): v128 {
  return f32x4(
    srgbToLinear(i32x4.extract_lane(bytes, 0)), srgbToLinear(i32x4.extract_lane(bytes, 1)),
    srgbToLinear(i32x4.extract_lane(bytes, 2)), srgbToLinear(i32x4.extract_lane(bytes, 3)));
}

/** One channel of any blend state. */
function channel(operation: i32, sourceFactor: i32, destinationFactor: i32, s: v128, d: v128, sourceAlpha: v128, destinationAlpha: v128, constant: v128): v128 {
  if (operation == BLEND_MIN) return min(s, d);
  if (operation == BLEND_MAX) return max(s, d);
  const source = f32x4.mul(s, factorOf(sourceFactor, s, d, sourceAlpha, destinationAlpha, constant));
  const destination = f32x4.mul(d, factorOf(destinationFactor, s, d, sourceAlpha, destinationAlpha, constant));
  if (operation == BLEND_SUBTRACT) return f32x4.sub(source, destination);
  if (operation == BLEND_REVERSE_SUBTRACT) return f32x4.sub(destination, source);
  return f32x4.add(source, destination);
}

function factorOf(factor: i32, s: v128, d: v128, sourceAlpha: v128, destinationAlpha: v128, constant: v128): v128 {
  const one = f32x4.splat(1);
  switch (factor) {
    case FACTOR_ZERO: return f32x4.splat(0);
    case FACTOR_SRC: return s;
    case FACTOR_ONE_MINUS_SRC: return f32x4.sub(one, s);
    case FACTOR_SRC_ALPHA: return sourceAlpha;
    case FACTOR_ONE_MINUS_SRC_ALPHA: return f32x4.sub(one, sourceAlpha);
    case FACTOR_DST: return d;
    case FACTOR_ONE_MINUS_DST: return f32x4.sub(one, d);
    case FACTOR_DST_ALPHA: return destinationAlpha;
    case FACTOR_ONE_MINUS_DST_ALPHA: return f32x4.sub(one, destinationAlpha);
    case FACTOR_SRC_ALPHA_SATURATED: return min(sourceAlpha, f32x4.sub(one, destinationAlpha));
    case FACTOR_CONSTANT: return constant;
    case FACTOR_ONE_MINUS_CONSTANT: return f32x4.sub(one, constant);
    default: return one;
  }
}
