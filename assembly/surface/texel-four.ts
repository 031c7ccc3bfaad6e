// Four neighbouring texels at once: the pixels of a quad at one sample, the samples of a pixel at four. Words are planar, a v128 a channel.
// The same bits as texel.ts, for every format that can be drawn to (but for bits that blending never sees: payloads of NaN).

import {
  FORMAT_BGRA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_DEPTH32FLOAT, FORMAT_NONE, FORMAT_R16FLOAT, FORMAT_R16SINT,
  FORMAT_R16UINT, FORMAT_R32FLOAT, FORMAT_R32SINT, FORMAT_R32UINT, FORMAT_R8SINT, FORMAT_R8SNORM, FORMAT_R8UINT,
  FORMAT_R8UNORM, FORMAT_RG11B10UFLOAT, FORMAT_RG16FLOAT, FORMAT_RG16SINT, FORMAT_RG16UINT, FORMAT_RG32FLOAT,
  FORMAT_RG32SINT, FORMAT_RG32UINT, FORMAT_RG8SINT, FORMAT_RG8SNORM, FORMAT_RG8UINT, FORMAT_RG8UNORM,
  FORMAT_RGB10A2UNORM, FORMAT_RGB9E5UFLOAT, FORMAT_RGBA16FLOAT, FORMAT_RGBA16SINT, FORMAT_RGBA16UINT,
  FORMAT_RGBA32FLOAT, FORMAT_RGBA32SINT, FORMAT_RGBA32UINT, FORMAT_RGBA8SINT, FORMAT_RGBA8SNORM, FORMAT_RGBA8UINT,
  FORMAT_RGBA8UNORM, FORMAT_RGBA8UNORM_SRGB,
} from '../layout';
import {
  floatsOfBytes, floatsOfHalfWords, floatsOfHalves, halfWordsOfFloats, intsOfWhole, packBytes, packWords,
} from '../simd/channels';
import {
  canonicalNaN, evenLanes, interleaveHigh, interleaveLow, madd, max, min, oddLanes, splatFrom, transposeColumn0,
  transposeColumn1, transposeColumn2, transposeColumn3,
} from '../simd/lanes';
import {
  SRGB_E0, SRGB_E1, SRGB_E2, SRGB_E3, SRGB_E4, SRGB_LINEAR_LIMIT, SRGB_LINEAR_SCALE, srgbToLinear,
} from './srgb';

/** Constants as data: V8 builds those in the code anew at every use (a vector load each instead of two to three instructions). */
const PACK: usize = memory.data<u32>([0x3f800000, 0x437f0000, 0x3f000000, 0x4b000000, 0x43800000, 0xffff, 0xff]);
const PACK_ONE = 0;
const PACK_BYTE = 1;
const PACK_HALF = 2;
const PACK_INTEGER = 3;
const PACK_HIGH = 4;
const PACK_LOW_HALF = 5;
const PACK_LOW_BYTE = 6;

/** Whether the format's texels can be stored four at a time. */
export function hasFour(format: i32): bool {
  switch (format) {
    case FORMAT_R8SNORM: case FORMAT_RG8SNORM: case FORMAT_RGBA8SNORM: case FORMAT_RG11B10UFLOAT: case FORMAT_RGB9E5UFLOAT:
      return false;
    default:
      return format != FORMAT_NONE && format < FORMAT_DEPTH32FLOAT;
  }
}

/** Clamps to 0 … 1; NaN becomes 0. */
// @ts-ignore: decorator
@inline
export function clamp01(x: v128): v128 {
  return min(max(f32x4.splat(0), x), splatFrom(PACK, PACK_ONE));
}

/** floor(x·255 + 0.5), as a float. */
// @ts-ignore: decorator
@inline
function toByte(x: v128): v128 {
  return f32x4.floor(madd(x, splatFrom(PACK, PACK_BYTE), splatFrom(PACK, PACK_HALF)));
}

/** floor(clamp(x)·scale + 0.5). */
// @ts-ignore: decorator
@inline
function quantise4(x: v128, scale: f32): v128 {
  return intsOfWhole(f32x4.floor(madd(clamp01(x), f32x4.splat(scale), f32x4.splat(0.5))));
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

/** Four texels of four bytes, channels in the order of the bytes. Two bytes are put together as c0 + 256·c1 + 2^23, whose low bits are the integer. */
// @ts-ignore: decorator
@inline
export function packTexels(c0: v128, c1: v128, c2: v128, c3: v128, srgb: bool): v128 {
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

/** Decodes the four texels at `at` to the planar words at `to`, 64 bytes. Formats that are blended or resolved only. */
export function loadFour(format: i32, at: usize, to: usize): void {
  switch (format) {
    case FORMAT_RGBA8UNORM: loadBytes(v128.load(at), to, to + 32); return;
    case FORMAT_BGRA8UNORM: loadBytes(v128.load(at), to + 32, to); return;
    case FORMAT_RGBA8UNORM_SRGB: loadSrgb(v128.load(at), to, to + 32); return;
    case FORMAT_BGRA8UNORM_SRGB: loadSrgb(v128.load(at), to + 32, to); return;
    case FORMAT_R8UNORM: put(to, byteRatio(floatsOfBytes(v128.load32_zero(at))), zero(), zero(), one()); return;
    case FORMAT_RG8UNORM: {
      const texels = i32x4.extend_low_i16x8_u(v128.load64_zero(at));
      put(to, byteRatio(ints(v128.and(texels, splatFrom(PACK, PACK_LOW_BYTE)))), byteRatio(ints(i32x4.shr_u(texels, 8))), zero(), one());
      return;
    }
    case FORMAT_R16FLOAT: put(to, floatsOfHalves(v128.load64_zero(at)), zero(), zero(), one()); return;
    case FORMAT_RG16FLOAT: {
      const texels = v128.load(at);
      put(to, floatsOfHalfWords(v128.and(texels, splatFrom(PACK, PACK_LOW_HALF))), floatsOfHalfWords(i32x4.shr_u(texels, 16)), zero(), one());
      return;
    }
    case FORMAT_RGBA16FLOAT: {
      const redGreen = evenLanes(v128.load(at), v128.load(at, 16));
      const blueAlpha = oddLanes(v128.load(at), v128.load(at, 16));
      const half = splatFrom(PACK, PACK_LOW_HALF);
      put(to, floatsOfHalfWords(v128.and(redGreen, half)), floatsOfHalfWords(i32x4.shr_u(redGreen, 16)),
        floatsOfHalfWords(v128.and(blueAlpha, half)), floatsOfHalfWords(i32x4.shr_u(blueAlpha, 16)));
      return;
    }
    case FORMAT_R32FLOAT: put(to, v128.load(at), zero(), zero(), one()); return;
    case FORMAT_RG32FLOAT:
      put(to, evenLanes(v128.load(at), v128.load(at, 16)), oddLanes(v128.load(at), v128.load(at, 16)), zero(), one());
      return;
    case FORMAT_RGBA32FLOAT: transpose(v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48), to); return;
    default: loadTen(v128.load(at), to);
  }
}

// @ts-ignore: decorator
@inline
function zero(): v128 {
  return i32x4.splat(0);
}

// @ts-ignore: decorator
@inline
function one(): v128 {
  return splatFrom(PACK, PACK_ONE);
}

// @ts-ignore: decorator
@inline
function put(to: usize, r: v128, g: v128, b: v128, a: v128): void {
  v128.store(to, r);
  v128.store(to, g, 16);
  v128.store(to, b, 32);
  v128.store(to, a, 48);
}

// @ts-ignore: decorator
@inline
function transpose(a: v128, b: v128, c: v128, d: v128, to: usize): void {
  put(to, transposeColumn0(a, b, c, d), transposeColumn1(a, b, c, d), transposeColumn2(a, b, c, d), transposeColumn3(a, b, c, d));
}

// @ts-ignore: decorator
@inline
function ints(x: v128): v128 {
  return f32x4.convert_i32x4_s(x);
}

/** x / 255: a product with the reciprocal has other bits. */
// @ts-ignore: decorator
@inline
function byteRatio(x: v128): v128 {
  return f32x4.div(x, splatFrom(PACK, PACK_BYTE));
}

/** Four bytes a texel; the first goes to `first`, the third to `third`. */
function loadBytes(texels: v128, first: usize, third: usize): void {
  const byte = splatFrom(PACK, PACK_LOW_BYTE);
  const base = first < third ? first : third;
  v128.store(first, byteRatio(ints(v128.and(texels, byte))));
  v128.store(base, byteRatio(ints(v128.and(i32x4.shr_u(texels, 8), byte))), 16);
  v128.store(third, byteRatio(ints(v128.and(i32x4.shr_u(texels, 16), byte))));
  v128.store(base, byteRatio(ints(i32x4.shr_u(texels, 24))), 48);
}

function loadSrgb(texels: v128, first: usize, third: usize): void {
  const base = first < third ? first : third;
  v128.store(first, srgbChannel(texels, 0));
  v128.store(base, srgbChannel(texels, 8), 16);
  v128.store(third, srgbChannel(texels, 16));
  v128.store(base, alphaChannel(texels), 48);
}

/** The linear values of the bytes that begin at bit `shift` of four texels. */
// @ts-ignore: decorator
@inline
export function srgbChannel(texels: v128, shift: i32): v128 {
  return decodeSrgb(v128.and(i32x4.shr_u(texels, shift), splatFrom(PACK, PACK_LOW_BYTE)));
}

/** The last bytes of four texels, linear. */
// @ts-ignore: decorator
@inline
export function alphaChannel(texels: v128): v128 {
  return byteRatio(ints(i32x4.shr_u(texels, 24)));
}

function decodeSrgb(bytes: v128): v128 {
  return f32x4(
    srgbToLinear(i32x4.extract_lane(bytes, 0)), srgbToLinear(i32x4.extract_lane(bytes, 1)),
    srgbToLinear(i32x4.extract_lane(bytes, 2)), srgbToLinear(i32x4.extract_lane(bytes, 3)));
}

/** rgb10a2unorm. */
function loadTen(texels: v128, to: usize): void {
  const mask = i32x4.splat(1023);
  const most = f32x4.splat(1023);
  put(to, f32x4.div(ints(v128.and(texels, mask)), most), f32x4.div(ints(v128.and(i32x4.shr_u(texels, 10), mask)), most),
    f32x4.div(ints(v128.and(i32x4.shr_u(texels, 20), mask)), most), f32x4.div(ints(i32x4.shr_u(texels, 30)), f32x4.splat(3)));
}

/** Encodes four texels, of a format for which hasFour() holds, to `to`. The words of each channel lie at `red` … `alpha`. */
export function storeFour(format: i32, to: usize, red: usize, green: usize, blue: usize, alpha: usize): void {
  const r = v128.load(red);
  const g = v128.load(green);
  const b = v128.load(blue);
  const a = v128.load(alpha);
  switch (format) {
    case FORMAT_RGBA8UNORM: storeUnorm(to, r, g, b, a, false); return;
    case FORMAT_BGRA8UNORM: storeUnorm(to, b, g, r, a, false); return;
    case FORMAT_RGBA8UNORM_SRGB: storeUnorm(to, r, g, b, a, true); return;
    case FORMAT_BGRA8UNORM_SRGB: storeUnorm(to, b, g, r, a, true); return;
    case FORMAT_R8UNORM: storeBytes1(to, quantise4(r, 255)); return;
    case FORMAT_RG8UNORM: storeBytes2(to, quantise4(r, 255), quantise4(g, 255)); return;
    case FORMAT_R16FLOAT: storeHalves1(to, halfWordsOfFloats(r)); return;
    case FORMAT_RG16FLOAT: v128.store(to, pairOfHalves(r, g)); return;
    case FORMAT_RGBA16FLOAT: {
      const redGreen = pairOfHalves(r, g);
      const blueAlpha = pairOfHalves(b, a);
      v128.store(to, interleaveLow(redGreen, blueAlpha));
      v128.store(to, interleaveHigh(redGreen, blueAlpha), 16);
      return;
    }
    case FORMAT_R32FLOAT: v128.store(to, canonicalNaN(r)); return;
    case FORMAT_RG32FLOAT: storeWords2(to, canonicalNaN(r), canonicalNaN(g)); return;
    case FORMAT_RGBA32FLOAT: transpose(canonicalNaN(r), canonicalNaN(g), canonicalNaN(b), canonicalNaN(a), to); return;
    case FORMAT_RGB10A2UNORM: storeTen(to, quantise4(r, 1023), quantise4(g, 1023), quantise4(b, 1023), quantise4(a, 3)); return;
    default: storeIntegers(format, to, r, g, b, a);
  }
}

function storeUnorm(to: usize, c0: v128, c1: v128, c2: v128, c3: v128, srgb: bool): void {
  v128.store(to, packTexels(c0, c1, c2, c3, srgb));
}

function pairOfHalves(a: v128, b: v128): v128 {
  return pairs(halfWordsOfFloats(a), halfWordsOfFloats(b));
}

function storeIntegers(format: i32, to: usize, r: v128, g: v128, b: v128, a: v128): void {
  switch (format) {
    case FORMAT_R8UINT: storeBytes1(to, least(r, 255)); return;
    case FORMAT_RG8UINT: storeBytes2(to, least(r, 255), least(g, 255)); return;
    case FORMAT_RGBA8UINT: storeBytes4(to, least(r, 255), least(g, 255), least(b, 255), least(a, 255)); return;
    case FORMAT_R8SINT: storeBytes1(to, within(r, 127, 255)); return;
    case FORMAT_RG8SINT: storeBytes2(to, within(r, 127, 255), within(g, 127, 255)); return;
    case FORMAT_RGBA8SINT: storeBytes4(to, within(r, 127, 255), within(g, 127, 255), within(b, 127, 255), within(a, 127, 255)); return;
    case FORMAT_R16UINT: storeHalves1(to, least(r, 65535)); return;
    case FORMAT_RG16UINT: v128.store(to, pairs(least(r, 65535), least(g, 65535))); return;
    case FORMAT_RGBA16UINT: storeHalves4(to, least(r, 65535), least(g, 65535), least(b, 65535), least(a, 65535)); return;
    case FORMAT_R16SINT: storeHalves1(to, within(r, 32767, 65535)); return;
    case FORMAT_RG16SINT: v128.store(to, pairs(within(r, 32767, 65535), within(g, 32767, 65535))); return;
    case FORMAT_RGBA16SINT:
      storeHalves4(to, within(r, 32767, 65535), within(g, 32767, 65535), within(b, 32767, 65535), within(a, 32767, 65535));
      return;
    case FORMAT_R32UINT: case FORMAT_R32SINT: v128.store(to, r); return;
    case FORMAT_RG32UINT: case FORMAT_RG32SINT: storeWords2(to, r, g); return;
    case FORMAT_RGBA32UINT: case FORMAT_RGBA32SINT: transpose(r, g, b, a, to); return;
    default: storeTen(to, least(r, 1023), least(g, 1023), least(b, 1023), least(a, 3));
  }
}

// @ts-ignore: decorator
@inline
function least(x: v128, most: i32): v128 {
  return i32x4.min_u(x, i32x4.splat(most));
}

/** Clamped to −most − 1 … most; only the bits of `mask`. */
// @ts-ignore: decorator
@inline
function within(x: v128, most: i32, mask: i32): v128 {
  return v128.and(i32x4.max_s(i32x4.min_s(x, i32x4.splat(most)), i32x4.splat(~most)), i32x4.splat(mask));
}

/** Words below 65536: a below b. */
// @ts-ignore: decorator
@inline
function pairs(a: v128, b: v128): v128 {
  return v128.or(a, i32x4.shl(b, 16));
}

function storeBytes1(to: usize, r: v128): void {
  const halves = packWords(r, r);
  v128.store32_lane(to, packBytes(halves, halves), 0);
}

function storeBytes2(to: usize, r: v128, g: v128): void {
  const texels = v128.or(r, i32x4.shl(g, 8));
  v128.store64_lane(to, packWords(texels, texels), 0);
}

function storeBytes4(to: usize, r: v128, g: v128, b: v128, a: v128): void {
  v128.store(to, pairs(v128.or(r, i32x4.shl(g, 8)), v128.or(b, i32x4.shl(a, 8))));
}

function storeHalves1(to: usize, r: v128): void {
  v128.store64_lane(to, packWords(r, r), 0);
}

function storeHalves4(to: usize, r: v128, g: v128, b: v128, a: v128): void {
  const redGreen = pairs(r, g);
  const blueAlpha = pairs(b, a);
  v128.store(to, interleaveLow(redGreen, blueAlpha));
  v128.store(to, interleaveHigh(redGreen, blueAlpha), 16);
}

function storeWords2(to: usize, r: v128, g: v128): void {
  v128.store(to, interleaveLow(r, g));
  v128.store(to, interleaveHigh(r, g), 16);
}

/** Ten, ten, ten and two bits. */
function storeTen(to: usize, r: v128, g: v128, b: v128, a: v128): void {
  v128.store(to, v128.or(v128.or(r, i32x4.shl(g, 10)), v128.or(i32x4.shl(b, 20), i32x4.shl(a, 30))));
}
