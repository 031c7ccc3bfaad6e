// One texel of any format, decoded to and encoded from four words: f32 for float and normalised formats, i32/u32 for integer ones.
// Channels that the format lacks read as 0, 0, 0, 1. Slow and complete: texel-four.ts has the formats that are drawn to, four texels at a time.

import {
  FORMAT_BGRA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_DEPTH16UNORM, FORMAT_DEPTH24PLUS, FORMAT_DEPTH24PLUS_STENCIL8,
  FORMAT_DEPTH32FLOAT, FORMAT_NONE, FORMAT_R16FLOAT, FORMAT_R16SINT, FORMAT_R16UINT, FORMAT_R32FLOAT, FORMAT_R32SINT,
  FORMAT_R32UINT, FORMAT_R8SINT, FORMAT_R8SNORM, FORMAT_R8UINT, FORMAT_R8UNORM, FORMAT_RG11B10UFLOAT, FORMAT_RG16FLOAT,
  FORMAT_RG16SINT, FORMAT_RG16UINT, FORMAT_RG32FLOAT, FORMAT_RG32SINT, FORMAT_RG32UINT, FORMAT_RG8SINT,
  FORMAT_RG8SNORM, FORMAT_RG8UINT, FORMAT_RG8UNORM, FORMAT_RGB10A2UINT, FORMAT_RGB10A2UNORM, FORMAT_RGB9E5UFLOAT,
  FORMAT_RGBA16FLOAT, FORMAT_RGBA16SINT, FORMAT_RGBA16UINT, FORMAT_RGBA32FLOAT, FORMAT_RGBA32SINT, FORMAT_RGBA32UINT,
  FORMAT_RGBA8SINT, FORMAT_RGBA8SNORM, FORMAT_RGBA8UINT, FORMAT_RGBA8UNORM, FORMAT_RGBA8UNORM_SRGB, FORMAT_STENCIL8,
} from '../layout';
import { floatToHalf, floatToSmall, halfToFloat, smallToFloat } from './half';
import { linearToSrgb, srgbToLinear } from './srgb';

/** Classes of formats, by what their words mean. */
export const KIND_UNORM = 0;
export const KIND_SNORM = 1;
export const KIND_FLOAT = 2;
export const KIND_UINT = 3;
export const KIND_SINT = 4;

/** Bytes of a texel; depth24plus-stencil8 counts its depth plane. */
export function texelBytes(format: i32): i32 {
  switch (format) {
    case FORMAT_R8UNORM: case FORMAT_R8SNORM: case FORMAT_R8UINT: case FORMAT_R8SINT: case FORMAT_STENCIL8:
      return 1;
    case FORMAT_RG8UNORM: case FORMAT_RG8SNORM: case FORMAT_RG8UINT: case FORMAT_RG8SINT:
    case FORMAT_R16UINT: case FORMAT_R16SINT: case FORMAT_R16FLOAT: case FORMAT_DEPTH16UNORM:
      return 2;
    case FORMAT_RGBA16UINT: case FORMAT_RGBA16SINT: case FORMAT_RGBA16FLOAT:
    case FORMAT_RG32UINT: case FORMAT_RG32SINT: case FORMAT_RG32FLOAT:
      return 8;
    case FORMAT_RGBA32UINT: case FORMAT_RGBA32SINT: case FORMAT_RGBA32FLOAT:
      return 16;
    case FORMAT_NONE:
      return 0;
    default:
      return 4;
  }
}

/** Channels of a colour format. */
export function channelCount(format: i32): i32 {
  switch (format) {
    case FORMAT_R8UNORM: case FORMAT_R8SNORM: case FORMAT_R8UINT: case FORMAT_R8SINT: case FORMAT_R16UINT:
    case FORMAT_R16SINT: case FORMAT_R16FLOAT: case FORMAT_R32UINT: case FORMAT_R32SINT: case FORMAT_R32FLOAT:
      return 1;
    case FORMAT_RG8UNORM: case FORMAT_RG8SNORM: case FORMAT_RG8UINT: case FORMAT_RG8SINT: case FORMAT_RG16UINT:
    case FORMAT_RG16SINT: case FORMAT_RG16FLOAT: case FORMAT_RG32UINT: case FORMAT_RG32SINT: case FORMAT_RG32FLOAT:
      return 2;
    case FORMAT_RG11B10UFLOAT: case FORMAT_RGB9E5UFLOAT:
      return 3;
    default:
      return 4;
  }
}

/** KIND_* of a format. */
export function formatKind(format: i32): i32 {
  switch (format) {
    case FORMAT_R8SNORM: case FORMAT_RG8SNORM: case FORMAT_RGBA8SNORM:
      return KIND_SNORM;
    case FORMAT_R8UINT: case FORMAT_RG8UINT: case FORMAT_RGBA8UINT: case FORMAT_R16UINT: case FORMAT_RG16UINT:
    case FORMAT_RGBA16UINT: case FORMAT_R32UINT: case FORMAT_RG32UINT: case FORMAT_RGBA32UINT:
    case FORMAT_RGB10A2UINT: case FORMAT_STENCIL8:
      return KIND_UINT;
    case FORMAT_R8SINT: case FORMAT_RG8SINT: case FORMAT_RGBA8SINT: case FORMAT_R16SINT: case FORMAT_RG16SINT:
    case FORMAT_RGBA16SINT: case FORMAT_R32SINT: case FORMAT_RG32SINT: case FORMAT_RGBA32SINT:
      return KIND_SINT;
    case FORMAT_R16FLOAT: case FORMAT_RG16FLOAT: case FORMAT_RGBA16FLOAT: case FORMAT_R32FLOAT: case FORMAT_RG32FLOAT:
    case FORMAT_RGBA32FLOAT: case FORMAT_RG11B10UFLOAT: case FORMAT_RGB9E5UFLOAT: case FORMAT_DEPTH32FLOAT:
    case FORMAT_DEPTH24PLUS: case FORMAT_DEPTH24PLUS_STENCIL8:
      return KIND_FLOAT;
    default:
      return KIND_UNORM;
  }
}

/** Decodes the texel at `address` to four words at `out`. */
export function loadTexel(format: i32, address: usize, out: usize): void {
  const kind = formatKind(format);
  store<u32>(out, 0, 4);
  store<u32>(out, 0, 8);
  if (kind >= KIND_UINT) store<u32>(out, 1, 12);
  else store<f32>(out, 1, 12);
  switch (format) {
    case FORMAT_R8UNORM: loadUnorm8(address, out, 1); return;
    case FORMAT_RG8UNORM: loadUnorm8(address, out, 2); return;
    case FORMAT_RGBA8UNORM: loadUnorm8(address, out, 4); return;
    case FORMAT_BGRA8UNORM: loadUnorm8(address, out, 4); swapRedBlue(out); return;
    case FORMAT_RGBA8UNORM_SRGB: loadSrgb(address, out); return;
    case FORMAT_BGRA8UNORM_SRGB: loadSrgb(address, out); swapRedBlue(out); return;
    case FORMAT_R8SNORM: loadSnorm8(address, out, 1); return;
    case FORMAT_RG8SNORM: loadSnorm8(address, out, 2); return;
    case FORMAT_RGBA8SNORM: loadSnorm8(address, out, 4); return;
    case FORMAT_R8UINT: case FORMAT_STENCIL8: loadIntegers<u8>(address, out, 1); return;
    case FORMAT_RG8UINT: loadIntegers<u8>(address, out, 2); return;
    case FORMAT_RGBA8UINT: loadIntegers<u8>(address, out, 4); return;
    case FORMAT_R8SINT: loadIntegers<i8>(address, out, 1); return;
    case FORMAT_RG8SINT: loadIntegers<i8>(address, out, 2); return;
    case FORMAT_RGBA8SINT: loadIntegers<i8>(address, out, 4); return;
    case FORMAT_R16UINT: loadIntegers<u16>(address, out, 1); return;
    case FORMAT_RG16UINT: loadIntegers<u16>(address, out, 2); return;
    case FORMAT_RGBA16UINT: loadIntegers<u16>(address, out, 4); return;
    case FORMAT_R16SINT: loadIntegers<i16>(address, out, 1); return;
    case FORMAT_RG16SINT: loadIntegers<i16>(address, out, 2); return;
    case FORMAT_RGBA16SINT: loadIntegers<i16>(address, out, 4); return;
    case FORMAT_R16FLOAT: loadHalves(address, out, 1); return;
    case FORMAT_RG16FLOAT: loadHalves(address, out, 2); return;
    case FORMAT_RGBA16FLOAT: loadHalves(address, out, 4); return;
    case FORMAT_R32UINT: case FORMAT_R32SINT: loadIntegers<u32>(address, out, 1); return;
    case FORMAT_RG32UINT: case FORMAT_RG32SINT: loadIntegers<u32>(address, out, 2); return;
    case FORMAT_RGBA32UINT: case FORMAT_RGBA32SINT: loadIntegers<u32>(address, out, 4); return;
    case FORMAT_R32FLOAT: case FORMAT_DEPTH32FLOAT: case FORMAT_DEPTH24PLUS: case FORMAT_DEPTH24PLUS_STENCIL8:
      loadFloats(address, out, 1); return;
    case FORMAT_RG32FLOAT: loadFloats(address, out, 2); return;
    case FORMAT_RGBA32FLOAT: loadFloats(address, out, 4); return;
    case FORMAT_DEPTH16UNORM: store<f32>(out, <f32>load<u16>(address) / 65535); return;
    default: loadPacked(format, load<u32>(address), out);
  }
}

/** Encodes four words at `words` into the texel at `address`. Integers saturate to the format's range; NaN becomes 0 or the canonical NaN. */
export function storeTexel(format: i32, address: usize, words: usize): void {
  switch (format) {
    case FORMAT_R8UNORM: storeUnorm8(address, words, 1); return;
    case FORMAT_RG8UNORM: storeUnorm8(address, words, 2); return;
    case FORMAT_RGBA8UNORM: storeUnorm8(address, words, 4); return;
    case FORMAT_BGRA8UNORM: storeUnorm8(address, words, 4); swapRedBlueBytes(address); return;
    case FORMAT_RGBA8UNORM_SRGB: storeSrgb(address, words); return;
    case FORMAT_BGRA8UNORM_SRGB: storeSrgb(address, words); swapRedBlueBytes(address); return;
    case FORMAT_R8SNORM: storeSnorm8(address, words, 1); return;
    case FORMAT_RG8SNORM: storeSnorm8(address, words, 2); return;
    case FORMAT_RGBA8SNORM: storeSnorm8(address, words, 4); return;
    case FORMAT_R8UINT: case FORMAT_STENCIL8: storeUnsigned<u8>(address, words, 1); return;
    case FORMAT_RG8UINT: storeUnsigned<u8>(address, words, 2); return;
    case FORMAT_RGBA8UINT: storeUnsigned<u8>(address, words, 4); return;
    case FORMAT_R8SINT: storeSigned<i8>(address, words, 1); return;
    case FORMAT_RG8SINT: storeSigned<i8>(address, words, 2); return;
    case FORMAT_RGBA8SINT: storeSigned<i8>(address, words, 4); return;
    case FORMAT_R16UINT: storeUnsigned<u16>(address, words, 1); return;
    case FORMAT_RG16UINT: storeUnsigned<u16>(address, words, 2); return;
    case FORMAT_RGBA16UINT: storeUnsigned<u16>(address, words, 4); return;
    case FORMAT_R16SINT: storeSigned<i16>(address, words, 1); return;
    case FORMAT_RG16SINT: storeSigned<i16>(address, words, 2); return;
    case FORMAT_RGBA16SINT: storeSigned<i16>(address, words, 4); return;
    case FORMAT_R16FLOAT: storeHalves(address, words, 1); return;
    case FORMAT_RG16FLOAT: storeHalves(address, words, 2); return;
    case FORMAT_RGBA16FLOAT: storeHalves(address, words, 4); return;
    case FORMAT_R32UINT: case FORMAT_R32SINT: memory.copy(address, words, 4); return;
    case FORMAT_RG32UINT: case FORMAT_RG32SINT: memory.copy(address, words, 8); return;
    case FORMAT_RGBA32UINT: case FORMAT_RGBA32SINT: memory.copy(address, words, 16); return;
    case FORMAT_R32FLOAT: case FORMAT_DEPTH32FLOAT: case FORMAT_DEPTH24PLUS: case FORMAT_DEPTH24PLUS_STENCIL8:
      storeFloats(address, words, 1); return;
    case FORMAT_RG32FLOAT: storeFloats(address, words, 2); return;
    case FORMAT_RGBA32FLOAT: storeFloats(address, words, 4); return;
    case FORMAT_DEPTH16UNORM: store<u16>(address, quantise(load<f32>(words), 65535)); return;
    default: store<u32>(address, packed(format, words));
  }
}

/** Clamps to 0 … 1; NaN becomes 0. */
// @ts-ignore: decorator
@inline
export function saturate(x: f32): f32 {
  const low: f32 = 0 < x ? x : 0;
  return low > 1 ? 1 : low;
}

/** round(clamp(x)·scale), NaN as 0. */
// @ts-ignore: decorator
@inline
export function quantise(x: f32, scale: f32): u32 {
  return <u32>floor<f32>(saturate(x) * scale + 0.5);
}

/** A float with the one NaN that may be seen in memory. */
// @ts-ignore: decorator
@inline
export function canonical(x: f32): f32 {
  return x == x ? x : reinterpret<f32>(0x7fc00000);
}

function loadUnorm8(address: usize, out: usize, count: i32): void {
  for (let i = 0; i < count; i++) store<f32>(out + (<usize>i << 2), <f32>load<u8>(address + i) / 255);
}

function loadSrgb(address: usize, out: usize): void {
  for (let i = 0; i < 3; i++) store<f32>(out + (<usize>i << 2), srgbToLinear(load<u8>(address + i)));
  store<f32>(out, <f32>load<u8>(address, 3) / 255, 12);
}

function loadSnorm8(address: usize, out: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const value = <f32>load<i8>(address + i) / 127;
    store<f32>(out + (<usize>i << 2), value < -1 ? -1 : value);
  }
}

function loadIntegers<T extends number>(address: usize, out: usize, count: i32): void {
  for (let i = 0; i < count; i++) store<i32>(out + (<usize>i << 2), <i32>load<T>(address + <usize>i * sizeof<T>()));
}

function loadHalves(address: usize, out: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) store<f32>(out + (i << 2), halfToFloat(load<u16>(address + (i << 1))));
}

function loadFloats(address: usize, out: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) store<f32>(out + (i << 2), load<f32>(address + (i << 2)));
}

function loadPacked(format: i32, bits: u32, out: usize): void {
  switch (format) {
    case FORMAT_RGB10A2UNORM:
      for (let i: usize = 0; i < 3; i++) store<f32>(out + (i << 2), <f32>((bits >> (10 * <u32>i)) & 1023) / 1023);
      store<f32>(out, <f32>(bits >> 30) / 3, 12);
      return;
    case FORMAT_RGB10A2UINT:
      for (let i: usize = 0; i < 3; i++) store<u32>(out + (i << 2), (bits >> (10 * <u32>i)) & 1023);
      store<u32>(out, bits >> 30, 12);
      return;
    case FORMAT_RG11B10UFLOAT:
      store<f32>(out, smallToFloat(bits & 2047, 6));
      store<f32>(out, smallToFloat((bits >> 11) & 2047, 6), 4);
      store<f32>(out, smallToFloat(bits >> 22, 5), 8);
      return;
    case FORMAT_RGB9E5UFLOAT: {
      // value = mantissa · 2^(exponent − 15 − 9); the exponent lies within f32's normal range.
      const scale = reinterpret<f32>(((bits >> 27) + 103) << 23);
      for (let i: usize = 0; i < 3; i++) store<f32>(out + (i << 2), <f32>((bits >> (9 * <u32>i)) & 511) * scale);
      return;
    }
    default:
      store<u32>(out, 0);
  }
}

function storeUnorm8(address: usize, words: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) store<u8>(address + i, quantise(load<f32>(words + (i << 2)), 255));
}

function storeSrgb(address: usize, words: usize): void {
  for (let i: usize = 0; i < 3; i++) store<u8>(address + i, quantise(linearToSrgb(saturate(load<f32>(words + (i << 2)))), 255));
  store<u8>(address, quantise(load<f32>(words, 12), 255), 3);
}

function storeSnorm8(address: usize, words: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    let x = load<f32>(words + (i << 2));
    if (x != x) x = 0;
    x = x < -1 ? -1 : x > 1 ? 1 : x;
    store<i8>(address + i, <i8>(<i32>floor<f32>(x * 127 + 0.5)));
  }
}

function storeUnsigned<T extends number>(address: usize, words: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const value = load<u32>(words + (i << 2));
    const most: u32 = (1 << (8 * <u32>sizeof<T>())) - 1;
    store<T>(address + i * sizeof<T>(), <T>(value > most ? most : value));
  }
}

function storeSigned<T extends number>(address: usize, words: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const value = load<i32>(words + (i << 2));
    const most: i32 = (1 << (8 * <i32>sizeof<T>() - 1)) - 1;
    store<T>(address + i * sizeof<T>(), <T>(value > most ? most : value < -most - 1 ? -most - 1 : value));
  }
}

function storeHalves(address: usize, words: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) store<u16>(address + (i << 1), floatToHalf(load<f32>(words + (i << 2))));
}

function storeFloats(address: usize, words: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) store<f32>(address + (i << 2), canonical(load<f32>(words + (i << 2))));
}

function packed(format: i32, words: usize): u32 {
  const r = load<f32>(words);
  const g = load<f32>(words, 4);
  const b = load<f32>(words, 8);
  switch (format) {
    case FORMAT_RGB10A2UNORM:
      return quantise(r, 1023) | (quantise(g, 1023) << 10) | (quantise(b, 1023) << 20) | (quantise(load<f32>(words, 12), 3) << 30);
    case FORMAT_RGB10A2UINT:
      return least(load<u32>(words), 1023) | (least(load<u32>(words, 4), 1023) << 10)
        | (least(load<u32>(words, 8), 1023) << 20) | (least(load<u32>(words, 12), 3) << 30);
    case FORMAT_RG11B10UFLOAT:
      return floatToSmall(r, 6) | (floatToSmall(g, 6) << 11) | (floatToSmall(b, 5) << 22);
    default:
      return sharedExponent(r, g, b);
  }
}

function least(value: u32, most: u32): u32 {
  return value < most ? value : most;
}

/** rgb9e5ufloat (WGSL has no such packing; Vulkan 1.3 §Shared Exponent to RGB): one exponent for three 9-bit mantissas. */
function sharedExponent(r: f32, g: f32, b: f32): u32 {
  const most: f32 = 65408;
  const red = positive(r, most);
  const green = positive(g, most);
  const blue = positive(b, most);
  let largest = red > green ? red : green;
  if (blue > largest) largest = blue;
  let exponent = <i32>(reinterpret<u32>(largest) >> 23) - 127;
  exponent = (exponent < -16 ? -16 : exponent) + 16;
  if (<u32>floor<f32>(largest * power(24 - exponent) + 0.5) == 512) exponent++;
  const scale = power(24 - exponent);
  return <u32>floor<f32>(red * scale + 0.5) | (<u32>floor<f32>(green * scale + 0.5) << 9)
    | (<u32>floor<f32>(blue * scale + 0.5) << 18) | (<u32>exponent << 27);
}

function positive(x: f32, most: f32): f32 {
  const low: f32 = 0 < x ? x : 0;
  return low < most ? low : most;
}

/** 2^n for n within the normal range. */
function power(n: i32): f32 {
  return reinterpret<f32>(<u32>(n + 127) << 23);
}

function swapRedBlue(words: usize): void {
  const red = load<u32>(words);
  store<u32>(words, load<u32>(words, 8));
  store<u32>(words, red, 8);
}

function swapRedBlueBytes(address: usize): void {
  const red = load<u8>(address);
  store<u8>(address, load<u8>(address, 2));
  store<u8>(address, red, 2);
}
