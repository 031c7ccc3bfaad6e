// Texel formats: decoding, encoding, and values that are out of range.
import { describe, expect, it } from 'vitest';
import {
  FORMAT_R16FLOAT,
  FORMAT_R16SINT,
  FORMAT_R16SNORM,
  FORMAT_R32FLOAT,
  FORMAT_R8SNORM,
  FORMAT_R8UNORM,
  FORMAT_RG11B10UFLOAT,
  FORMAT_RG16SINT,
  FORMAT_RG16SNORM,
  FORMAT_RG32UINT,
  FORMAT_RG8SNORM,
  FORMAT_RGB10A2UINT,
  FORMAT_RGB9E5UFLOAT,
  FORMAT_RGBA8SINT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UINT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
  FORMAT_RGBA16SNORM,
} from '../../assembly/layout/texture/formats';
import * as F from '../../assembly/layout/texture/formats';
import { PixelKernel, random } from '../raster/kit';

const k = new PixelKernel('testing');
const texel = k.alloc(16);
const words = k.alloc(16);

function encode(format: number, values: readonly number[], integer = false): number[] {
  values.forEach((value, i) => (integer ? k.i32(words + 4 * i, value) : k.f32(words + 4 * i, value)));
  k.bytes(texel, 16).fill(0xee);
  k.call.storeTexel(format, texel, words);
  return [...k.bytes(texel, k.call.texelBytes(format))];
}

function decode(format: number, bytes: readonly number[], integer = false): number[] {
  k.bytes(texel, bytes.length).set(bytes);
  k.call.loadTexel(format, texel, words);
  return [0, 4, 8, 12].map((offset) => (integer ? k.readI32(words + offset) : k.readF32(words + offset)));
}

const FLOAT_FORMATS = {
  R8UNORM: 1,
  RG8UNORM: 2,
  RGBA8UNORM: 4,
  RGBA8UNORM_SRGB: 4,
  BGRA8UNORM: 4,
  BGRA8UNORM_SRGB: 4,
  RGB10A2UNORM: 4,
  RG11B10UFLOAT: 3,
  R16UNORM: 1,
  RG16UNORM: 2,
  RGBA16UNORM: 4,
} as const;

describe('texel formats', () => {
  it('never write beyond the texel', () => {
    for (let format = FORMAT_R8UNORM; format <= FORMAT_RGBA16SNORM; format++) {
      encode(format, [0.5, 0.5, 0.5, 0.5]);
      const bytes = k.call.texelBytes(format);
      expect(
        [...k.bytes(texel + bytes, 16 - bytes)].every((b) => b === 0xee),
        `format ${format}`
      ).toBe(true);
    }
  });

  it.each(Object.entries(FLOAT_FORMATS))('%s: every texel decodes to words that encode to it', (name) => {
    const format = (F as unknown as Record<string, number>)[`FORMAT_${name}`];
    const next = random(format);
    const size = k.call.texelBytes(format);
    for (let i = 0; i < 2000; i++) {
      const bytes = Array.from({ length: size }, () => (i < 256 ? i : Math.floor(next() * 256)));
      // Exponent 31 of the small floats is infinity or NaN, whose bits are not kept.
      if (format === FORMAT_RG11B10UFLOAT && !finite(bytes)) continue;
      expect(encode(format, decode(format, bytes))).toEqual(bytes);
    }
  });

  it('half floats round trip, and rounding is to nearest, ties to even', () => {
    for (let half = 0; half < 65536; half++) {
      if ((half & 0x7c00) === 0x7c00 && half & 0x3ff) continue;
      expect(encode(FORMAT_R16FLOAT, decode(FORMAT_R16FLOAT, [half & 255, half >> 8]))).toEqual([
        half & 255,
        half >> 8,
      ]);
    }
    const half = (value: number): number => {
      const [low, high] = encode(FORMAT_R16FLOAT, [value]);
      return low | (high << 8);
    };
    expect([1, 1 + 2 ** -11, 1 + 3 * 2 ** -11, 1 + 2 ** -11 + 2 ** -20].map(half)).toEqual([
      0x3c00, 0x3c00, 0x3c02, 0x3c01,
    ]);
    expect([65504, 65519, 65520, -1e9, 2 ** -24, 2 ** -25, 2 ** -25 * 1.001, -(2 ** -26)].map(half)).toEqual([
      0x7bff, 0x7bff, 0x7c00, 0xfc00, 1, 0, 1, 0x8000,
    ]);
  });

  it('NaN is canonical in floats, and 0 in normalized formats', () => {
    const nan = -4194300 | 0;
    k.i32(words, nan);
    k.call.storeTexel(FORMAT_R32FLOAT, texel, words);
    expect([...k.bytes(texel, 4)]).toEqual([0, 0, 0xc0, 0x7f]);
    expect(encode(FORMAT_R16FLOAT, [NaN])).toEqual([0, 0x7e]);
    expect(encode(FORMAT_RGBA8UNORM, [NaN, Infinity, -Infinity, 2])).toEqual([0, 255, 0, 255]);
    expect(encode(FORMAT_RGBA8SNORM, [NaN, Infinity, -Infinity, -0.5])).toEqual([0, 127, 129, 193]);
    expect(encode(FORMAT_RGBA8UNORM_SRGB, [NaN, 2, -1, 0.5])).toEqual([0, 255, 0, 128]);
  });

  it('signed normalized: −128 and −127 are both −1', () => {
    expect(decode(FORMAT_RG8SNORM, [0x80, 0x81])).toEqual([-1, -1, 0, 1]);
    expect(decode(FORMAT_R16SNORM, [0, 0x80])).toEqual([-1, 0, 0, 1]);
    for (let i = -32767; i < 32768; i += 77)
      expect(encode(FORMAT_RG16SNORM, decode(FORMAT_RG16SNORM, [i & 255, (i >> 8) & 255, 1, 0]))).toEqual([
        i & 255,
        (i >> 8) & 255,
        1,
        0,
      ]);
    for (let i = -127; i < 128; i++)
      expect(encode(FORMAT_R8SNORM, decode(FORMAT_R8SNORM, [i & 255]))).toEqual([i & 255]);
  });

  it('integers saturate, and missing channels are 0, 0, 1', () => {
    expect(encode(FORMAT_RGBA8UINT, [1, 255, 256, -1], true)).toEqual([1, 255, 255, 255]);
    expect(encode(FORMAT_RGBA8SINT, [1, 127, 128, -129], true)).toEqual([1, 127, 127, 128]);
    expect(encode(FORMAT_RG16SINT, [40000, -40000], true)).toEqual([0xff, 0x7f, 0, 0x80]);
    expect(encode(FORMAT_RGB10A2UINT, [1, 2, 5000, 9], true)).toEqual([0x01, 0x08, 0xf0, 0xff]);
    expect(decode(FORMAT_R16SINT, [0xfe, 0xff], true)).toEqual([-2, 0, 0, 1]);
    expect(decode(FORMAT_RG32UINT, [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], true)).toEqual([1, -1, 0, 1]);
    expect(decode(FORMAT_R8UNORM, [255])).toEqual([1, 0, 0, 1]);
  });

  it('shared exponents: within half a step of the largest channel', () => {
    const next = random(77);
    for (let i = 0; i < 2000; i++) {
      const scale = 2 ** (Math.floor(next() * 28) - 13);
      const values = [next() * scale, next() * scale, next() * scale];
      const got = decode(FORMAT_RGB9E5UFLOAT, encode(FORMAT_RGB9E5UFLOAT, values));
      const step = Math.max(...values, 2 ** -15) / 256;
      values.forEach((value, c) => expect(Math.abs(got[c] - value)).toBeLessThanOrEqual((step / 2) * 1.01));
    }
    expect(decode(FORMAT_RGB9E5UFLOAT, encode(FORMAT_RGB9E5UFLOAT, [1e9, -1, NaN])).slice(0, 3)).toEqual([65408, 0, 0]);
  });
});

function finite(bytes: readonly number[]): boolean {
  const word = (bytes[0] | (bytes[1] << 8) | (bytes[2] << 16) | (bytes[3] << 24)) >>> 0;
  return ((word >>> 6) & 31) !== 31 && ((word >>> 17) & 31) !== 31 && ((word >>> 27) & 31) !== 31;
}

describe('sRGB', () => {
  it('decodes each byte to the nearest f32', () => {
    for (let byte = 0; byte < 256; byte++) {
      const c = byte / 255;
      expect(k.call.srgbToLinear(byte)).toBe(Math.fround(c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    }
  });

  it('encodes within 0.02/255 before rounding, and is monotonic', () => {
    let last = -1;
    for (let i = 0; i <= 20000; i++) {
      const x = Math.fround(i / 20000);
      const got = k.call.linearToSrgb(x);
      expect(Math.abs(got - (x <= 0.0031308 ? x * 12.92 : 1.055 * x ** (1 / 2.4) - 0.055))).toBeLessThan(0.02 / 255);
      expect(got).toBeGreaterThanOrEqual(last);
      last = got;
    }
  });
});
