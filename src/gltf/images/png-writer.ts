// Writes PNG files with 8 or 16 bits per channel, grey, RGB or RGBA, in sRGB or Display P3. The caller compresses the
// rows.

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);
/** Types of pictures by the number of their channels. */
const COLOUR_TYPES = { 1: 0, 3: 2, 4: 6 } as const;
/**
 * Each byte is stored as the difference from the byte above. Of the five filters, this one is best for flat
 * backgrounds, and close to the best for shaded surfaces.
 */
const FILTER_UP = 2;

/** Display P3 (H.273): its primaries, sRGB's transfer function, RGB, full range (PNG, §11.3.2.6). */
const DISPLAY_P3 = Uint8Array.of(12, 13, 0, 1);

/** A picture whose rows are filtered, but not compressed. */
export interface PngRows {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3 | 4;
  readonly bits: 8 | 16;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** One word per pixel, with red in the low byte. */
function wordsOf(pixels: Uint8Array): Int32Array {
  const aligned = pixels.byteOffset % 4 === 0 ? pixels : pixels.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

/** RGBA pixels in rows from the top, of which some rows are filtered at a time. */
export class PictureRows implements Omit<PngRows, 'data'> {
  readonly width: number;
  readonly height: number;
  /** If every pixel is opaque, alpha is left out. */
  readonly channels: 3 | 4;
  readonly bits = 8;
  readonly #words: Int32Array;

  constructor(pixels: Uint8Array, width: number, height: number) {
    this.width = width;
    this.height = height;
    const words = wordsOf(pixels);
    this.#words = words;
    let common = -1;
    for (let i = 0; i < words.length; i++) common &= words[i];
    this.channels = common >>> 24 === 255 ? 3 : 4;
  }

  /** The rows from `start` up to `end`, as differences from the row above. */
  filter(start: number, end: number): Uint8Array<ArrayBuffer> {
    const { width, channels } = this;
    const rowBytes = width * channels + 1;
    const out = new Uint8Array(rowBytes * (end - start));
    const row = (y: number): Int32Array =>
      y < 0 ? new Int32Array(width) : this.#words.subarray(y * width, (y + 1) * width);
    for (let y = start; y < end; y++) filterWords(row(y), row(y - 1), channels, out, (y - start) * rowBytes);
    return out;
  }
}

/** Stores a row of pixels at out[at] as differences from the row above. */
function filterWords(row: Int32Array, above: Int32Array, channels: 3 | 4, out: Uint8Array, at: number): void {
  out[at] = FILTER_UP;
  for (let x = 0, o = at + 1; x < row.length; x++, o += channels) {
    const here = row[x];
    const up = above[x];
    out[o] = (here & 255) - (up & 255);
    out[o + 1] = (here >> 8) - (up >> 8);
    out[o + 2] = (here >> 16) - (up >> 16);
    if (channels === 4) out[o + 3] = (here >> 24) - (up >> 24);
  }
}

/** Filters RGBA pixels in rows from the top. If every pixel is opaque, alpha is left out. */
export function pngRows(pixels: Uint8Array, width: number, height: number): PngRows {
  const rows = new PictureRows(pixels, width, height);
  const { channels, bits } = rows;
  return { width, height, channels, bits, data: rows.filter(0, height) };
}

/** Stores rows as differences from the row above. The row above the first one is zero (PNG, §9). */
export function filterRows(
  pixels: Uint8Array,
  width: number,
  height: number,
  channels: 1 | 3 | 4,
  bits: 8 | 16 = 8
): PngRows {
  const rowBytes = (width * channels * bits) / 8;
  const data = new Uint8Array((rowBytes + 1) * height);
  for (let y = 0, o = 0, i = 0; y < height; y++) {
    data[o++] = FILTER_UP;
    if (y === 0) {
      data.set(pixels.subarray(0, rowBytes), o);
      o += rowBytes;
      i += rowBytes;
    } else {
      for (const end = i + rowBytes; i < end; i++, o++) data[o] = pixels[i] - pixels[i - rowBytes];
    }
  }
  return { width, height, channels, bits, data };
}

/** Filters samples in rows from the top. */
export function rowsOfSamples(
  samples: Uint8Array | Uint16Array,
  width: number,
  height: number,
  channels: 1 | 3 | 4
): PngRows {
  if (samples instanceof Uint8Array) return filterRows(samples, width, height, channels);
  const bytes = new Uint8Array(samples.length * 2); // Files have the high byte first.
  for (let i = 0; i < samples.length; i++) {
    bytes[2 * i] = samples[i] >> 8;
    bytes[2 * i + 1] = samples[i] & 255;
  }
  return filterRows(bytes, width, height, channels, 16);
}

/** The beginning of a file: its signature and its header. */
export function pngStart({ width, height, channels, bits }: Omit<PngRows, 'data'>): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([bits, COLOUR_TYPES[channels], 0, 0, 0], 8);
  return join([SIGNATURE, ...pngChunk('IHDR', header)]);
}

/** Makes a file. @param compressed the rows' data in the format of zlib */
export const pngFile = (
  rows: PngRows,
  compressed: Uint8Array,
  colorSpace: PredefinedColorSpace
): Uint8Array<ArrayBuffer> => pngOfParts(rows, [pngChunk('IDAT', compressed)], colorSpace);

/** Makes a file of its chunks of compressed data. */
export function pngOfParts(
  rows: Omit<PngRows, 'data'>,
  data: readonly (readonly Uint8Array[])[],
  colorSpace: PredefinedColorSpace
): Uint8Array<ArrayBuffer> {
  return join([
    pngStart(rows),
    ...(colorSpace === 'srgb' ? [] : pngChunk('cICP', DISPLAY_P3)),
    ...data.flat(),
    ...pngChunk('IEND', new Uint8Array(0)),
  ]);
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A chunk: length, type, data, checksum (PNG, §5.3). */
export function pngChunk(type: string, data: Uint8Array, checksum: Checksum = crc32): Uint8Array[] {
  const head = new Uint8Array(8);
  new DataView(head.buffer).setUint32(0, data.length);
  for (let i = 0; i < 4; i++) head[4 + i] = type.charCodeAt(i);
  const tail = new Uint8Array(4);
  new DataView(tail.buffer).setUint32(0, checksum(data, checksum(head.subarray(4), 0)));
  return [head, data, tail];
}

/** Continues the checksum of PNG's annex D. */
type Checksum = (bytes: Uint8Array, before: number) => number;

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, i) => {
  let crc = i;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

function crc32(bytes: Uint8Array, before: number): number {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}
