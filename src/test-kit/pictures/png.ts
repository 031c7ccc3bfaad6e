// PNG files of baselines. The decoder has no dependencies: it also works where a test runner cannot load ES modules.
import { createHash } from 'node:crypto';
import { pngChunk } from '../../gltf/images/png-writer';
import { encodePicture } from '../../node/png';
import { zlib } from '../../node/zlib';

/** RGBA pixels with 8 bits per channel, in rows from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** What a baseline says about itself, in a text chunk. */
interface PngRecord {
  /** Version of Rasterloom that wrote it. */
  readonly version: string;
  /** Hash of its pixels. */
  readonly pixels: string;
  /** Hash of its compressed data: other programs may change the pixels and keep the chunk. */
  readonly data: string;
}

const KEYWORD = 'rasterloom';
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);
/** Bytes of the signature and the header. */
const START_BYTES = 33;
/** Channels by the type of a picture. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

const hashOf = (parts: readonly Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** Hash of a picture's size and pixels. */
export const hashPixels = ({ width, height, data }: Pixels): string =>
  hashOf([new TextEncoder().encode(`${width} ${height} `), data]);

export const isPng = (bytes: Uint8Array): boolean => SIGNATURE.every((byte, i) => bytes[i] === byte);

/** Encodes a picture with a record of its version and its hash. */
export function encodeBaseline(picture: Pixels, version: string): Uint8Array {
  const file = encodePicture(picture.data, picture.width, picture.height);
  const record: PngRecord = { version, pixels: hashPixels(picture), data: hashOf(partsOf(file).data) };
  const text = pngChunk('tEXt', new TextEncoder().encode(`${KEYWORD}\0${JSON.stringify(record)}`));
  return Buffer.concat([file.subarray(0, START_BYTES), ...text, file.subarray(START_BYTES)]);
}

/** The record of a baseline; undefined if it has none, or if other programs have changed its pixels. */
export function recordOf(file: Uint8Array): PngRecord | undefined {
  const { text, data } = partsOf(file);
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as PngRecord;
    return record.data === hashOf(data) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a file with 8 bits per channel. @throws Error with the reason, as the rest of a sentence */
export function decodePng(file: Uint8Array): Pixels {
  const { header, palette, transparent, data } = partsOf(file);
  if (header === undefined) throw new Error('has no header');
  const view = new DataView(header.buffer, header.byteOffset);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [bits, type, , , interlaced] = header.subarray(8);
  const channels = CHANNELS[type!];
  if (bits !== 8 || interlaced !== 0 || channels === undefined)
    throw new Error('is not a PNG file with 8 bits per channel and without interlacing');
  if (type === 3 && palette === undefined) throw new Error('has no palette');
  let rows;
  try {
    rows = zlib().inflateSync(Buffer.concat(data), { maxOutputLength: (width * channels + 1) * height });
  } catch {
    throw new Error('has damaged data');
  }
  if (rows.length !== (width * channels + 1) * height) throw new Error('has too little data');
  const samples = unfilter(rows, width * channels, height, channels);
  const pixels = new Uint8Array(width * height * 4);
  for (let i = 0, s = 0; i < pixels.length; i += 4, s += channels) {
    const colour = type === 3 ? palette!.subarray(samples[s]! * 3) : samples.subarray(s);
    const isGrey = type === 0 || type === 4;
    pixels[i] = colour[0]!;
    pixels[i + 1] = colour[isGrey ? 0 : 1]!;
    pixels[i + 2] = colour[isGrey ? 0 : 2]!;
    if (type === 3) pixels[i + 3] = transparent?.[samples[s]!] ?? 255;
    else pixels[i + 3] = channels % 2 === 0 ? samples[s + channels - 1]! : 255;
  }
  return { width, height, data: pixels };
}

interface PngParts {
  header?: Uint8Array;
  palette?: Uint8Array;
  transparent?: Uint8Array;
  /** Text of Rasterloom's chunk. */
  text?: string;
  readonly data: Uint8Array[];
}

function partsOf(file: Uint8Array): PngParts {
  const parts: PngParts = { data: [] };
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = SIGNATURE.length; at + 12 <= file.length;) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...file.subarray(at + 4, at + 8));
    const content = file.subarray(at + 8, at + 8 + length);
    if (name === 'IHDR' && length === 13) parts.header = content;
    else if (name === 'PLTE') parts.palette = content;
    else if (name === 'tRNS') parts.transparent = content;
    else if (name === 'IDAT') parts.data.push(content);
    else if (name === 'tEXt') {
      const text = new TextDecoder('latin1').decode(content);
      if (text.startsWith(`${KEYWORD}\0`)) parts.text = text.slice(KEYWORD.length + 1);
    }
    at += 12 + length;
  }
  return parts;
}

/** Undoes the filters of rows (PNG, §9). */
function unfilter(rows: Uint8Array, rowBytes: number, height: number, step: number): Uint8Array {
  const out = new Uint8Array(rowBytes * height);
  for (let y = 0, i = 0, o = 0; y < height; y++) {
    const filter = rows[i++];
    for (let x = 0; x < rowBytes; x++, i++, o++) {
      const left = x < step ? 0 : out[o - step]!;
      const up = y === 0 ? 0 : out[o - rowBytes]!;
      const corner = x < step || y === 0 ? 0 : out[o - rowBytes - step]!;
      out[o] = rows[i]! + predicted(filter, left, up, corner);
    }
  }
  return out;
}

function predicted(filter: number | undefined, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
