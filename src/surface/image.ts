// Converts images to texels for copyExternalImageToTexture. Rows of rgba8 pixels are cropped, flipped, converted to
// another colour space if it differs, premultiplied or unpremultiplied, and encoded in the texture's format.
// https://www.w3.org/TR/webgpu/#color-space-conversions
import type { FormatInfo } from './formats';
import { floatToHalf } from './half';
import { colourConversion, type ColourSpace, type Power } from './colour-space';

/** rgba8 pixels, row by row from the top. */
export interface ImagePixels {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly colorSpace: ColourSpace;
  /** Whether colours are multiplied by alpha. */
  readonly premultiplied: boolean;
}
/** The part of an image that is written, and its form in the texture. */
export interface ImageTexels {
  readonly format: FormatInfo;
  readonly colorSpace: ColourSpace;
  readonly premultiplied: boolean;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Whether the part's last row is written first. */
  readonly flipY: boolean;
}

/** Encodes pixels, whose colours are in their final form, as texels of a format. */
interface Encoder {
  /** Encodes `count` pixels to `target`, starting at byte `at`. */
  bytes(row: Uint8Array, count: number, target: ArrayBuffer, at: number): void;
  /** As `bytes`, for channels as numbers, where 1 corresponds to 255. */
  floats(row: Float32Array, count: number, target: ArrayBuffer, at: number): void;
}

/** Encodes one byte per channel; `channels` lists the source channels (0 red … 3 alpha). */
function byteEncoder(channels: readonly number[]): Encoder {
  const isWhole = channels.length === 4 && channels[0] === 0;
  return {
    bytes: (row, count, target, at) => {
      const to = new Uint8Array(target, at, count * channels.length);
      if (isWhole) to.set(row);
      else if (channels.length === 4) swapRedBlue(row, count, to);
      else for (let i = 0, o = 0; i < count * 4; i += 4) for (const channel of channels) to[o++] = row[i + channel]!;
    },
    floats: (row, count, target, at) => {
      const to = new Uint8ClampedArray(target, at, count * channels.length);
      for (let i = 0, o = 0; i < count * 4; i += 4) for (const channel of channels) to[o++] = row[i + channel]! * 255;
    },
  };
}

/** Twice as fast as with the list of channels. */
function swapRedBlue(row: Uint8Array, count: number, to: Uint8Array): void {
  for (let i = 0; i < count * 4; i += 4) {
    to[i] = row[i + 2]!;
    to[i + 1] = row[i + 1]!;
    to[i + 2] = row[i]!;
    to[i + 3] = row[i + 3]!;
  }
}

type Numbers = Uint16Array | Float32Array;
/** Encodes the first channels as numbers; bytes are converted with a table. */
function numberEncoder(
  channels: number,
  make: (target: ArrayBuffer, at: number, length: number) => Numbers,
  encode: (value: number) => number
): Encoder {
  let table: Numbers | null = null;
  const makeTable = (): Numbers => {
    const values = make(new ArrayBuffer(256 * 4), 0, 256);
    for (let byte = 0; byte < 256; byte++) values[byte] = encode(byte / 255);
    return values;
  };
  return {
    bytes: (row, count, target, at) => {
      const values = (table ??= makeTable());
      const to = make(target, at, count * channels);
      if (channels === 4) for (let i = 0; i < count * 4; i++) to[i] = values[row[i]!]!;
      else
        for (let i = 0, o = 0; i < count * 4; i += 4) for (let c = 0; c < channels; c++) to[o++] = values[row[i + c]!]!;
    },
    floats: (row, count, target, at) => {
      const to = make(target, at, count * channels);
      for (let i = 0, o = 0; i < count * 4; i += 4) for (let c = 0; c < channels; c++) to[o++] = encode(row[i + c]!);
    },
  };
}
const sixteenBits = (channels: number): Encoder =>
  numberEncoder(
    channels,
    (target, at, length) => new Uint16Array(target, at, length),
    (value) => Math.floor(Math.min(1, Math.max(0, value)) * 65535 + 0.5)
  );
const halfs = (channels: number): Encoder =>
  numberEncoder(channels, (target, at, length) => new Uint16Array(target, at, length), floatToHalf);
const floats = (channels: number): Encoder =>
  numberEncoder(
    channels,
    (target, at, length) => new Float32Array(target, at, length),
    (value) => value
  );

const bits = new Uint32Array(1);
const number = new Float32Array(bits.buffer);
/** Encodes an unsigned float with five exponent bits, rounded to nearest, ties to even. */
function smallFloat(value: number, mantissa: number): number {
  if (!(value > 0)) return 0;
  number[0] = value;
  const exponent = Math.max(-14, (bits[0]! >>> 23) - 127);
  const steps = value / 2 ** (exponent - mantissa);
  const below = Math.floor(steps);
  const rest = steps - below;
  const isUp = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
  return Math.min((31 << mantissa) - 1, ((exponent + 14) << mantissa) + below + (isUp ? 1 : 0));
}
const packed = (r: number, g: number, b: number): number =>
  smallFloat(r, 6) | (smallFloat(g, 6) << 11) | (smallFloat(b, 5) << 22);
/** Encodes unsigned floats of 11, 11 and 10 bits. sRGB values are stored unchanged. */
const smallFloats: Encoder = {
  bytes: (row, count, target, at) => {
    const to = new Uint32Array(target, at, count);
    for (let i = 0; i < count; i++) to[i] = packed(row[i * 4]! / 255, row[i * 4 + 1]! / 255, row[i * 4 + 2]! / 255);
  },
  floats: (row, count, target, at) => {
    const to = new Uint32Array(target, at, count);
    for (let i = 0; i < count; i++) to[i] = packed(row[i * 4]!, row[i * 4 + 1]!, row[i * 4 + 2]!);
  },
};

/** Encodes ten bits per colour and two bits of alpha. */
const tenBits: Encoder = {
  bytes: (row, count, target, at) => {
    const to = new Uint32Array(target, at, count);
    const ten = (byte: number): number => Math.floor((byte * 1023 + 127) / 255);
    for (let i = 0; i < count; i++)
      to[i] =
        ten(row[i * 4]!)
        | (ten(row[i * 4 + 1]!) << 10)
        | (ten(row[i * 4 + 2]!) << 20)
        | (Math.floor((row[i * 4 + 3]! * 3 + 127) / 255) << 30);
  },
  floats: (row, count, target, at) => {
    const to = new Uint32Array(target, at, count);
    const part = (value: number, most: number): number => Math.floor(Math.min(1, Math.max(0, value)) * most + 0.5);
    for (let i = 0; i < count; i++)
      to[i] =
        part(row[i * 4]!, 1023)
        | (part(row[i * 4 + 1]!, 1023) << 10)
        | (part(row[i * 4 + 2]!, 1023) << 20)
        | (part(row[i * 4 + 3]!, 3) << 30);
  },
};

const rgba = byteEncoder([0, 1, 2, 3]);
const bgra = byteEncoder([2, 1, 0, 3]);
/**
 * The formats that images can be copied to. Values are stored as in the image: for -srgb formats, they are sRGB
 * already.
 */
const encoders: Readonly<Record<string, Encoder>> = {
  r8unorm: byteEncoder([0]),
  rg8unorm: byteEncoder([0, 1]),
  rgba8unorm: rgba,
  'rgba8unorm-srgb': rgba,
  bgra8unorm: bgra,
  'bgra8unorm-srgb': bgra,
  r16unorm: sixteenBits(1),
  rg16unorm: sixteenBits(2),
  rgba16unorm: sixteenBits(4),
  rgb10a2unorm: tenBits,
  rg11b10ufloat: smallFloats,
  r16float: halfs(1),
  rg16float: halfs(2),
  rgba16float: halfs(4),
  r32float: floats(1),
  rg32float: floats(2),
  rgba32float: floats(4),
};
export const takesImages = (format: FormatInfo): boolean => format.name in encoders;
export const imageFormats = Object.keys(encoders);

/**
 * The texels of a part that is within the image, row after row without gaps. `power` is the kernel's function, which
 * gives the same bits on every machine.
 */
export function imageTexels(image: ImagePixels, part: ImageTexels, power: Power): Uint8Array<ArrayBuffer> {
  const { format, left, top, width, height, flipY } = part;
  const target = new ArrayBuffer(width * height * format.bytes);
  const encoder = encoders[format.name]!;
  const data = new Uint8Array(image.data.buffer, image.data.byteOffset, image.data.byteLength);
  const encodeRow = rowEncoder(image, part, encoder, power);
  for (let y = 0; y < height; y++) {
    const row = flipY ? top + height - 1 - y : top + y;
    const from = (row * image.width + left) * 4;
    encodeRow(data.subarray(from, from + width * 4), target, y * width * format.bytes);
  }
  return new Uint8Array(target);
}

type RowEncoder = (row: Uint8Array, target: ArrayBuffer, at: number) => void;

/**
 * Chooses how rows become texels: bytes unchanged if possible, else premultiplied as bytes, or converted via floats.
 */
function rowEncoder(image: ImagePixels, part: ImageTexels, encoder: Encoder, power: Power): RowEncoder {
  const { width, format, premultiplied } = part;
  const convert = image.colorSpace === part.colorSpace ? null : colourConversion(image.colorSpace, power);
  if (convert === null && image.premultiplied === premultiplied)
    return (row, target, at) => encoder.bytes(row, width, target, at);
  const scratch = new Uint8Array(width * 4);
  const numbers = new Float32Array(width * 4);
  const isBytes = format.name.includes('8unorm');
  return (row, target, at) => {
    // Nothing to multiply or divide.
    if (convert === null && isOpaque(row)) encoder.bytes(row, width, target, at);
    else if (convert === null && isBytes && premultiplied) {
      multiply(row, scratch);
      encoder.bytes(scratch, width, target, at);
    } else {
      toNumbers(row, image.premultiplied, numbers);
      convert?.(numbers);
      if (premultiplied) multiplyNumbers(numbers);
      encoder.floats(numbers, width, target, at);
    }
  };
}

function isOpaque(row: Uint8Array): boolean {
  for (let i = 3; i < row.length; i += 4) if (row[i] !== 255) return false;
  return true;
}

function multiply(row: Uint8Array, target: Uint8Array): void {
  for (let i = 0; i < row.length; i += 4) {
    const alpha = row[i + 3]!;
    for (let c = 0; c < 3; c++) target[i + c] = Math.floor((row[i + c]! * alpha + 127) / 255);
    target[i + 3] = alpha;
  }
}

/** Converts channels to 0…1, without premultiplied alpha. */
function toNumbers(row: Uint8Array, premultiplied: boolean, target: Float32Array): void {
  for (let i = 0; i < row.length; i += 4) {
    const alpha = row[i + 3]!;
    const all = premultiplied ? alpha : 255;
    for (let c = 0; c < 3; c++) target[i + c] = all === 0 ? 0 : Math.min(1, row[i + c]! / all);
    target[i + 3] = alpha / 255;
  }
}

function multiplyNumbers(row: Float32Array): void {
  for (let i = 0; i < row.length; i += 4) for (let c = 0; c < 3; c++) row[i + c]! *= row[i + 3]!;
}

/** The bytes of one texel of a colour (0…1), for the formats that images can be copied to. */
export function imageColor(format: FormatInfo, color: readonly [number, number, number, number]): Uint8Array {
  const target = new ArrayBuffer(format.bytes);
  encoders[format.name]!.floats(new Float32Array(color), 1, target, 0);
  return new Uint8Array(target);
}
