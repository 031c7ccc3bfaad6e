// Colour formats in plain TypeScript over typed arrays. Channels that a format lacks read as 0, and alpha as 1.
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_R16FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG16FLOAT,
  FORMAT_RG32FLOAT,
  FORMAT_RG8UNORM,
  FORMAT_RGB10A2UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../../assembly/layout/texture/formats';

export interface PlainFormat {
  readonly name: string;
  readonly format: number;
  readonly bytes: number;
  /** Texels of this format in a buffer, starting at byte `offset`. */
  view(buffer: ArrayBufferLike, offset: number, texels: number): PlainTexels;
  /** Whether the format is blendable. */
  readonly blends: boolean;
}
/** Texels of one format; `color` has four numbers. */
interface PlainTexels {
  load(index: number, color: Float64Array): void;
  store(index: number, color: Float64Array): void;
  /** The stored channels as numbers, for comparison. */
  channels(): ArrayLike<number>;
}

const byte = (x: number): number => Math.floor(Math.min(Math.max(x, 0), 1) * 255 + 0.5);

class ByteTexels implements PlainTexels {
  private readonly data: Uint8Array;
  constructor(
    buffer: ArrayBufferLike,
    offset: number,
    texels: number,
    private readonly count: number,
    private readonly order: readonly number[]
  ) {
    this.data = new Uint8Array(buffer, offset, texels * count);
  }
  load(index: number, color: Float64Array): void {
    color[1] = color[2] = 0;
    color[3] = 1;
    for (let c = 0; c < this.count; c++) color[this.order[c]!] = this.data[index * this.count + c]! / 255;
  }

  store(index: number, color: Float64Array): void {
    for (let c = 0; c < this.count; c++) this.data[index * this.count + c] = byte(color[this.order[c]!]!);
  }

  channels(): ArrayLike<number> {
    return this.data;
  }
}

const LINEAR = Float64Array.from({ length: 256 }, (_, b) =>
  b / 255 <= 0.04045 ? b / 255 / 12.92 : ((b / 255 + 0.055) / 1.055) ** 2.4
);
const toSrgb = (x: number): number => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);

class SrgbTexels implements PlainTexels {
  private readonly data: Uint8Array;
  constructor(
    buffer: ArrayBufferLike,
    offset: number,
    texels: number,
    private readonly order: readonly number[]
  ) {
    this.data = new Uint8Array(buffer, offset, texels * 4);
  }
  load(index: number, color: Float64Array): void {
    for (let c = 0; c < 3; c++) color[this.order[c]!] = LINEAR[this.data[index * 4 + c]!]!;
    color[3] = this.data[index * 4 + 3]! / 255;
  }

  store(index: number, color: Float64Array): void {
    for (let c = 0; c < 3; c++) this.data[index * 4 + c] = byte(toSrgb(color[this.order[c]!]!));
    this.data[index * 4 + 3] = byte(color[3]!);
  }

  channels(): ArrayLike<number> {
    return this.data;
  }
}

class TenBitTexels implements PlainTexels {
  private readonly data: Uint32Array;
  constructor(buffer: ArrayBufferLike, offset: number, texels: number) {
    this.data = new Uint32Array(buffer, offset, texels);
  }
  load(index: number, color: Float64Array): void {
    const word = this.data[index]!;
    color[0] = (word & 1023) / 1023;
    color[1] = ((word >>> 10) & 1023) / 1023;
    color[2] = ((word >>> 20) & 1023) / 1023;
    color[3] = (word >>> 30) / 3;
  }

  store(index: number, color: Float64Array): void {
    const ten = (x: number): number => Math.floor(Math.min(Math.max(x, 0), 1) * 1023 + 0.5);
    this.data[index] =
      ten(color[0]!)
      | (ten(color[1]!) << 10)
      | (ten(color[2]!) << 20)
      | (Math.floor(Math.min(Math.max(color[3]!, 0), 1) * 3 + 0.5) << 30);
  }

  channels(): ArrayLike<number> {
    return Array.from(this.data, (word) => [
      word & 1023,
      (word >>> 10) & 1023,
      (word >>> 20) & 1023,
      word >>> 30,
    ]).flat();
  }
}

const HALVES = Float32Array.from({ length: 65536 }, (_, h) => {
  const exponent = (h >> 10) & 31;
  const mantissa = h & 1023;
  const sign = h & 0x8000 ? -1 : 1;
  return (
    sign
    * (exponent === 31
      ? mantissa
        ? NaN
        : Infinity
      : exponent === 0
        ? mantissa * 2 ** -24
        : (1 + mantissa / 1024) * 2 ** (exponent - 15))
  );
});
const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);
/** Rounds a finite number to the nearest half float, ties to even. */
function half(x: number): number {
  float[0] = x;
  const word = bits[0]!;
  const sign = (word >>> 16) & 0x8000;
  const exponent = ((word >>> 23) & 255) - 112;
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent <= 0) {
    if (exponent < -10) return sign;
    const mantissa = (word & 0x7fffff) | 0x800000;
    const shift = 14 - exponent;
    const kept = mantissa >>> shift;
    const rest = mantissa & ((1 << shift) - 1);
    const middle = 1 << (shift - 1);
    return sign | (kept + (rest > middle || (rest === middle && kept & 1) ? 1 : 0));
  }
  const kept = (exponent << 10) | ((word >>> 13) & 1023);
  const rest = word & 0x1fff;
  return sign | (kept + (rest > 0x1000 || (rest === 0x1000 && kept & 1) ? 1 : 0));
}

class HalfTexels implements PlainTexels {
  private readonly data: Uint16Array;
  constructor(
    buffer: ArrayBufferLike,
    offset: number,
    texels: number,
    private readonly count: number
  ) {
    this.data = new Uint16Array(buffer, offset, texels * count);
  }
  load(index: number, color: Float64Array): void {
    color[1] = color[2] = 0;
    color[3] = 1;
    for (let c = 0; c < this.count; c++) color[c] = HALVES[this.data[index * this.count + c]!]!;
  }

  store(index: number, color: Float64Array): void {
    for (let c = 0; c < this.count; c++) this.data[index * this.count + c] = half(color[c]!);
  }

  channels(): ArrayLike<number> {
    return this.data;
  }
}

class FloatTexels implements PlainTexels {
  private readonly data: Float32Array;
  constructor(
    buffer: ArrayBufferLike,
    offset: number,
    texels: number,
    private readonly count: number
  ) {
    this.data = new Float32Array(buffer, offset, texels * count);
  }
  load(index: number, color: Float64Array): void {
    color[1] = color[2] = 0;
    color[3] = 1;
    for (let c = 0; c < this.count; c++) color[c] = this.data[index * this.count + c]!;
  }

  store(index: number, color: Float64Array): void {
    for (let c = 0; c < this.count; c++) this.data[index * this.count + c] = color[c]!;
  }

  channels(): ArrayLike<number> {
    return this.data;
  }
}

const RGBA = [0, 1, 2, 3];
const BGRA = [2, 1, 0, 3];
const bytes = (name: string, format: number, count: number, order = RGBA): PlainFormat => ({
  name,
  format,
  bytes: count,
  blends: true,
  view: (...at) => new ByteTexels(...at, count, order),
});
const srgb = (name: string, format: number, order = RGBA): PlainFormat => ({
  name,
  format,
  bytes: 4,
  blends: true,
  view: (...at) => new SrgbTexels(...at, order),
});
const halves = (name: string, format: number, count: number): PlainFormat => ({
  name,
  format,
  bytes: count * 2,
  blends: true,
  view: (...at) => new HalfTexels(...at, count),
});
const floats = (name: string, format: number, count: number): PlainFormat => ({
  name,
  format,
  bytes: count * 4,
  blends: false,
  view: (...at) => new FloatTexels(...at, count),
});

/** All renderable formats except for integer formats, which take the same path as floats of their size. */
export const FORMATS: readonly PlainFormat[] = [
  bytes('r8unorm', FORMAT_R8UNORM, 1),
  bytes('rg8unorm', FORMAT_RG8UNORM, 2),
  bytes('rgba8unorm', FORMAT_RGBA8UNORM, 4),
  bytes('bgra8unorm', FORMAT_BGRA8UNORM, 4, BGRA),
  srgb('rgba8unorm-srgb', FORMAT_RGBA8UNORM_SRGB),
  srgb('bgra8unorm-srgb', FORMAT_BGRA8UNORM_SRGB, BGRA),
  {
    name: 'rgb10a2unorm',
    format: FORMAT_RGB10A2UNORM,
    bytes: 4,
    blends: true,
    view: (...at) => new TenBitTexels(...at),
  },
  halves('r16float', FORMAT_R16FLOAT, 1),
  halves('rg16float', FORMAT_RG16FLOAT, 2),
  halves('rgba16float', FORMAT_RGBA16FLOAT, 4),
  floats('r32float', FORMAT_R32FLOAT, 1),
  floats('rg32float', FORMAT_RG32FLOAT, 2),
  floats('rgba32float', FORMAT_RGBA32FLOAT, 4),
];
