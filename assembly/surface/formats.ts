// The list of formats and their codecs (codecs.ts). To instantiate code for a format, or to run code for it once, pass
// a class whose generic member `of` implements it for any codec. A bgra format uses the codec of its rgba counterpart:
// callers that address colours by name swap red and blue if isBlueFirst says so.

import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH24PLUS,
  FORMAT_DEPTH24PLUS_STENCIL8,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R16FLOAT,
  FORMAT_R16SINT,
  FORMAT_R16SNORM,
  FORMAT_R16UINT,
  FORMAT_R16UNORM,
  FORMAT_R32FLOAT,
  FORMAT_R32SINT,
  FORMAT_R32UINT,
  FORMAT_R8SINT,
  FORMAT_R8SNORM,
  FORMAT_R8UINT,
  FORMAT_R8UNORM,
  FORMAT_RG11B10UFLOAT,
  FORMAT_RG16FLOAT,
  FORMAT_RG16SINT,
  FORMAT_RG16SNORM,
  FORMAT_RG16UINT,
  FORMAT_RG16UNORM,
  FORMAT_RG32FLOAT,
  FORMAT_RG32SINT,
  FORMAT_RG32UINT,
  FORMAT_RG8SINT,
  FORMAT_RG8SNORM,
  FORMAT_RG8UINT,
  FORMAT_RG8UNORM,
  FORMAT_RGB10A2UINT,
  FORMAT_RGB10A2UNORM,
  FORMAT_RGB9E5UFLOAT,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA16SINT,
  FORMAT_RGBA16SNORM,
  FORMAT_RGBA16UINT,
  FORMAT_RGBA16UNORM,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA32SINT,
  FORMAT_RGBA32UINT,
  FORMAT_RGBA8SINT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UINT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
  FORMAT_STENCIL8,
} from '../layout';
import { Bytes, Codec, Eleven, Even, Halves, SharedExponent, Ten } from './codecs';
import { Float, Signed, SmallFloat, Snorm, Srgb, Unorm, Unsigned } from './numbers';
import { Bytes1, Bytes16, Bytes2, Bytes4, Bytes8 } from './sizes';

/** Calls `of` for the formats most often rendered to (float and normalized); returns its result, or 0 for others. */
export function visitBlended<F>(format: i32, a: usize, b: usize, c: usize): usize {
  switch (format) {
    case FORMAT_R8UNORM:
      return changetype<F>(0).of<Codec<Unorm, Even<u8>, Bytes1>>(a, b, c);
    case FORMAT_RG8UNORM:
      return changetype<F>(0).of<Codec<Unorm, Even<u8>, Bytes2>>(a, b, c);
    case FORMAT_RGBA8UNORM:
    case FORMAT_BGRA8UNORM:
      return changetype<F>(0).of<Bytes<Unorm>>(a, b, c);
    case FORMAT_RGBA8UNORM_SRGB:
    case FORMAT_BGRA8UNORM_SRGB:
      return changetype<F>(0).of<Bytes<Srgb>>(a, b, c);
    case FORMAT_RGB10A2UNORM:
      return changetype<F>(0).of<Codec<Unorm, Ten, Bytes4>>(a, b, c);
    case FORMAT_R16FLOAT:
      return changetype<F>(0).of<Halves<Bytes2>>(a, b, c);
    case FORMAT_RG16FLOAT:
      return changetype<F>(0).of<Halves<Bytes4>>(a, b, c);
    case FORMAT_RGBA16FLOAT:
      return changetype<F>(0).of<Halves<Bytes8>>(a, b, c);
    case FORMAT_R32FLOAT:
      return changetype<F>(0).of<Codec<Float, Even<u32>, Bytes4>>(a, b, c);
    case FORMAT_RG32FLOAT:
      return changetype<F>(0).of<Codec<Float, Even<u32>, Bytes8>>(a, b, c);
    case FORMAT_RGBA32FLOAT:
      return changetype<F>(0).of<Codec<Float, Even<u32>, Bytes16>>(a, b, c);
    default:
      return 0;
  }
}

/** As visitBlended, for all renderable float and normalized formats, including those that need a feature. */
export function visitRenderable<F>(format: i32, a: usize, b: usize, c: usize): usize {
  switch (format) {
    case FORMAT_R8SNORM:
      return changetype<F>(0).of<Codec<Snorm, Even<u8>, Bytes1>>(a, b, c);
    case FORMAT_RG8SNORM:
      return changetype<F>(0).of<Codec<Snorm, Even<u8>, Bytes2>>(a, b, c);
    case FORMAT_RGBA8SNORM:
      return changetype<F>(0).of<Codec<Snorm, Even<u8>, Bytes4>>(a, b, c);
    case FORMAT_R16UNORM:
      return changetype<F>(0).of<Codec<Unorm, Even<u16>, Bytes2>>(a, b, c);
    case FORMAT_RG16UNORM:
      return changetype<F>(0).of<Codec<Unorm, Even<u16>, Bytes4>>(a, b, c);
    case FORMAT_RGBA16UNORM:
      return changetype<F>(0).of<Codec<Unorm, Even<u16>, Bytes8>>(a, b, c);
    case FORMAT_R16SNORM:
      return changetype<F>(0).of<Codec<Snorm, Even<u16>, Bytes2>>(a, b, c);
    case FORMAT_RG16SNORM:
      return changetype<F>(0).of<Codec<Snorm, Even<u16>, Bytes4>>(a, b, c);
    case FORMAT_RGBA16SNORM:
      return changetype<F>(0).of<Codec<Snorm, Even<u16>, Bytes8>>(a, b, c);
    case FORMAT_RG11B10UFLOAT:
      return changetype<F>(0).of<Codec<SmallFloat, Eleven, Bytes4>>(a, b, c);
    default:
      return visitBlended<F>(format, a, b, c);
  }
}

/** As visitBlended, for integer formats; all are renderable. */
export function visitIntegers<F>(format: i32, a: usize, b: usize, c: usize): usize {
  switch (format) {
    case FORMAT_R8UINT:
    case FORMAT_STENCIL8:
      return changetype<F>(0).of<Codec<Unsigned, Even<u8>, Bytes1>>(a, b, c);
    case FORMAT_RG8UINT:
      return changetype<F>(0).of<Codec<Unsigned, Even<u8>, Bytes2>>(a, b, c);
    case FORMAT_RGBA8UINT:
      return changetype<F>(0).of<Codec<Unsigned, Even<u8>, Bytes4>>(a, b, c);
    case FORMAT_R16UINT:
      return changetype<F>(0).of<Codec<Unsigned, Even<u16>, Bytes2>>(a, b, c);
    case FORMAT_RG16UINT:
      return changetype<F>(0).of<Codec<Unsigned, Even<u16>, Bytes4>>(a, b, c);
    case FORMAT_RGBA16UINT:
      return changetype<F>(0).of<Codec<Unsigned, Even<u16>, Bytes8>>(a, b, c);
    case FORMAT_RGB10A2UINT:
      return changetype<F>(0).of<Codec<Unsigned, Ten, Bytes4>>(a, b, c);
    case FORMAT_R8SINT:
      return changetype<F>(0).of<Codec<Signed, Even<u8>, Bytes1>>(a, b, c);
    case FORMAT_RG8SINT:
      return changetype<F>(0).of<Codec<Signed, Even<u8>, Bytes2>>(a, b, c);
    case FORMAT_RGBA8SINT:
      return changetype<F>(0).of<Codec<Signed, Even<u8>, Bytes4>>(a, b, c);
    case FORMAT_R16SINT:
      return changetype<F>(0).of<Codec<Signed, Even<u16>, Bytes2>>(a, b, c);
    case FORMAT_RG16SINT:
      return changetype<F>(0).of<Codec<Signed, Even<u16>, Bytes4>>(a, b, c);
    case FORMAT_RGBA16SINT:
      return changetype<F>(0).of<Codec<Signed, Even<u16>, Bytes8>>(a, b, c);
    case FORMAT_R32UINT:
    case FORMAT_R32SINT:
      return changetype<F>(0).of<Codec<Unsigned, Even<u32>, Bytes4>>(a, b, c);
    case FORMAT_RG32UINT:
    case FORMAT_RG32SINT:
      return changetype<F>(0).of<Codec<Unsigned, Even<u32>, Bytes8>>(a, b, c);
    case FORMAT_RGBA32UINT:
    case FORMAT_RGBA32SINT:
      return changetype<F>(0).of<Codec<Unsigned, Even<u32>, Bytes16>>(a, b, c);
    default:
      return 0;
  }
}

/** As visitBlended, for all formats. The codec of a format that is not renderable has no `encode` for four texels. */
export function visit<F>(format: i32, a: usize, b: usize, c: usize): usize {
  switch (format) {
    case FORMAT_RGB9E5UFLOAT:
      return changetype<F>(0).of<SharedExponent>(a, b, c);
    case FORMAT_DEPTH16UNORM:
      return visitRenderable<F>(FORMAT_R16UNORM, a, b, c);
    case FORMAT_DEPTH32FLOAT:
    case FORMAT_DEPTH24PLUS:
    case FORMAT_DEPTH24PLUS_STENCIL8:
      return visitBlended<F>(FORMAT_R32FLOAT, a, b, c);
    default:
      return isInteger(format) ? visitIntegers<F>(format, a, b, c) : visitRenderable<F>(format, a, b, c);
  }
}

/** Whether a format's channels are integers. */
export function isInteger(format: i32): bool {
  return visitIntegers<IsInteger>(format, 0, 0, 0) != 0;
}

/** Whether the first byte of a texel is blue. */
export function isBlueFirst(format: i32): bool {
  return format == FORMAT_BGRA8UNORM || format == FORMAT_BGRA8UNORM_SRGB;
}

/** Bytes per texel; for depth24plus-stencil8, of its depth plane. */
export function texelBytes(format: i32): i32 {
  return visit<TexelBytes>(format, 0, 0, 0);
}

/**
 * Decodes the texel at `address` to four words at `out`: f32 for float and normalized formats, i32 or u32 for integer
 * formats. Channels that the format lacks read as (0, 0, 0, 1).
 */
export function loadTexel(format: i32, address: usize, out: usize): void {
  visit<LoadTexel>(format, address, out, 0);
  if (!isBlueFirst(format)) return;
  const blue = load<u32>(out);
  store<u32>(out, load<u32>(out, 8));
  store<u32>(out, blue, 8);
}

/**
 * Encodes four words at `words` into the texel at `address`. Integers saturate to the format's range. NaN becomes 0 or
 * the canonical NaN.
 */
export function storeTexel(format: i32, address: usize, words: usize): void {
  visit<StoreTexel>(format, address, words, 0);
  if (!isBlueFirst(format)) return;
  const red = load<u8>(address);
  store<u8>(address, load<u8>(address, 2));
  store<u8>(address, red, 2);
}

/**
 * Decodes the texels of four lanes to `out`, one v128 per channel. `addresses` points to the four texel addresses;
 * lanes whose address is 0 read as zero.
 */
export function loadTexels(format: i32, addresses: usize, out: usize): void {
  memory.fill(out, 0, 64);
  visit<LoadTexels>(format, addresses, out, 0);
  if (isBlueFirst(format)) swapRedAndBlue(out);
}

/** Encodes words in the order of loadTexels, lane by lane. */
export function storeTexels(format: i32, addresses: usize, words: usize): void {
  visit<StoreTexels>(format, addresses, words, 0);
}

/** Swaps channels 0 and 2 of four lanes. */
export function swapRedAndBlue(words: usize): void {
  for (let at = words, end = words + 16; at < end; at += 8) {
    const red = load<u64>(at);
    store<u64>(at, load<u64>(at, 32));
    store<u64>(at, red, 32);
  }
}

/** Clamps four words to the range of a render target of the format, as required before blending. */
export function clampWords(format: i32, words: usize): void {
  visit<ClampWords>(format, words, 0, 0);
}


@unmanaged class IsInteger {
  of<C>(a: usize, b: usize, c: usize): usize {
    return changetype<C>(0).isInteger ? 1 : 0;
  }
}


@unmanaged class TexelBytes {
  of<C>(a: usize, b: usize, c: usize): usize {
    return changetype<C>(0).bytes;
  }
}


@unmanaged class LoadTexel {
  of<C>(address: usize, out: usize, c: usize): usize {
    store<u32>(out, changetype<C>(0).loadBits(address, 0));
    store<u32>(out, changetype<C>(0).loadBits(address, 1), 4);
    store<u32>(out, changetype<C>(0).loadBits(address, 2), 8);
    store<u32>(out, changetype<C>(0).loadBits(address, 3), 12);
    return 1;
  }
}


@unmanaged class StoreTexel {
  of<C>(address: usize, words: usize, c: usize): usize {
    changetype<C>(0).storeBits(address, words, 4);
    return 1;
  }
}


@unmanaged class LoadTexels {
  of<C>(addresses: usize, out: usize, c: usize): usize {
    for (let lane: usize = 0; lane < 16; lane += 4) {
      const address = <usize>load<u32>(addresses + lane);
      if (!address) continue;
      store<u32>(out + lane, changetype<C>(0).loadBits(address, 0));
      store<u32>(out + lane, changetype<C>(0).loadBits(address, 1), 16);
      store<u32>(out + lane, changetype<C>(0).loadBits(address, 2), 32);
      store<u32>(out + lane, changetype<C>(0).loadBits(address, 3), 48);
    }
    return 1;
  }
}


@unmanaged class StoreTexels {
  of<C>(addresses: usize, words: usize, c: usize): usize {
    for (let lane: usize = 0; lane < 16; lane += 4) {
      const address = <usize>load<u32>(addresses + lane);
      if (address) changetype<C>(0).storeBits(address, words + lane, 16);
    }
    return 1;
  }
}


@unmanaged class ClampWords {
  of<C>(words: usize, b: usize, c: usize): usize {
    for (let at = words; at < words + 16; at += 4) store<u32>(at, changetype<C>(0).clampBits(load<u32>(at)));
    return 1;
  }
}
