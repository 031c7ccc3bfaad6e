// Decodes PNG images to RGBA with eight bits per channel. Metadata is skipped. The platform's zlib decompresses data to
// at most the size in the header. docs/decisions/image-decoders.md compares libraries.
import type { Pixels } from './codecs';
import type { Inflate } from './inflate';
import { samplesToRgba, type PngColours } from './png-colours';

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Bits per sample of each colour type (PNG, §11.2.1). */
const DEPTHS: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** Part of an interlaced image: its first column and row, and the distances of its columns and rows. */
type Pass = readonly [x: number, y: number, stepX: number, stepY: number];
const WHOLE: readonly Pass[] = [[0, 0, 1, 1]];
/** The passes of Adam7 (PNG, §8). */
const INTERLACED: readonly Pass[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/** Bytes of data after the last row that are accepted. */
const SPARE_BYTES = 64 * 1024;

interface Png extends PngColours {
  readonly width: number;
  readonly height: number;
  readonly passes: readonly Pass[];
  /** Parts of the compressed data. */
  readonly data: Uint8Array<ArrayBuffer>[];
}

/** Decodes any PNG: grey, palette or colour, 1 to 16 bits, with or without transparency. */
export async function decodePng(bytes: Uint8Array, inflate: Inflate): Promise<Pixels> {
  const png = readChunks(bytes);
  const { width, height, channels, depth } = png;
  const parts = png.passes
    .map((pass) => {
      const [x, y, stepX, stepY] = pass;
      const size = { width: Math.ceil((width - x) / stepX), height: Math.ceil((height - y) / stepY) };
      return { pass, ...size, rowBytes: Math.ceil((size.width * channels * depth) / 8) };
    })
    .filter((part) => part.width > 0 && part.height > 0);
  const size = parts.reduce((sum, part) => sum + (part.rowBytes + 1) * part.height, 0);
  const rows = await inflate(png.data, size + SPARE_BYTES);
  if (rows.length < size) throw new Error('its data ends before its last row');
  const pixels = new Int32Array(width * height);
  let at = 0;
  for (const { pass, rowBytes, ...part } of parts) {
    const end = at + (rowBytes + 1) * part.height;
    const samples = rows.subarray(at, end);
    at = end;
    unfilter(samples, rowBytes, Math.max(1, (channels * depth) / 8));
    const texels = samplesToRgba(samples, rowBytes + 1, part, png);
    if (png.passes === WHOLE) return { width, height, data: new Uint8Array(texels.buffer) };
    const [x, y, stepX, stepY] = pass;
    for (let row = 0, i = 0; row < part.height; row++)
      for (let o = (y + row * stepY) * width + x, last = i + part.width; i < last; i++, o += stepX)
        pixels[o] = texels[i];
  }
  return { width, height, data: new Uint8Array(pixels.buffer) };
}

function readChunks(bytes: Uint8Array): Png {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array<ArrayBuffer>[] = [];
  const more: Partial<Record<string, Uint8Array>> = {};
  for (let at = 8, type = ''; type !== 'IEND';) {
    if (at + 12 > bytes.length) throw new Error('it is cut off');
    const length = view.getUint32(at);
    type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (length > bytes.length - at - 12) throw new Error('it is cut off');
    if (at === 8 && (type !== 'IHDR' || length !== 13)) throw new Error('it does not begin with a header');
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === 'IDAT') data.push(chunk as Uint8Array<ArrayBuffer>);
    else more[type] ??= chunk;
    at += 12 + length;
  }
  const [depth, colourType, compression, filtering, interlacing] = bytes.subarray(24, 29);
  if (!DEPTHS[colourType]?.includes(depth)) throw new Error('its colour type is unknown');
  if (compression !== 0 || filtering !== 0 || interlacing > 1) throw new Error('its compression is unknown');
  const palette = colourType === 3 ? more.PLTE : undefined;
  if (colourType === 3 && !palette) throw new Error('its palette is missing');
  return {
    width: view.getUint32(16),
    height: view.getUint32(20),
    passes: interlacing === 1 ? INTERLACED : WHOLE,
    data,
    depth,
    channels: CHANNELS[colourType] as PngColours['channels'],
    palette,
    transparency: more.tRNS,
  };
}

/** Undoes the filters of rows in place; each row follows the number of its filter (PNG, §9). */
function unfilter(rows: Uint8Array, rowBytes: number, step: number): void {
  let above = new Uint8Array(rowBytes);
  for (let at = 0; at < rows.length; at += rowBytes + 1) {
    const row = rows.subarray(at + 1, at + 1 + rowBytes);
    const filter = rows[at];
    if (filter > 4) throw new Error(`its filter ${filter} is unknown`);
    if (filter !== 0) UNFILTERS[filter - 1](row, above, step);
    above = row as Uint8Array<ArrayBuffer>;
  }
}

type Unfilter = (row: Uint8Array, above: Uint8Array, step: number) => void;

/** By the number of the filter, from 1. `step` is the distance of a byte from that of the pixel to the left. */
const UNFILTERS: readonly Unfilter[] = [
  function left(row, _, step) {
    for (let i = step; i < row.length; i++) row[i] += row[i - step];
  },
  function up(row, above) {
    for (let i = 0; i < row.length; i++) row[i] += above[i];
  },
  function average(row, above, step) {
    for (let i = 0; i < step; i++) row[i] += above[i] >> 1;
    for (let i = step; i < row.length; i++) row[i] += (row[i - step] + above[i]) >> 1;
  },
  function paeth(row, above, step) {
    for (let i = 0; i < step; i++) row[i] += above[i];
    for (let i = step; i < row.length; i++) {
      const a = row[i - step];
      const b = above[i];
      const c = above[i - step];
      const fromA = Math.abs(b - c);
      const fromB = Math.abs(a - c);
      const fromC = Math.abs(a + b - 2 * c);
      row[i] += fromA <= fromB && fromA <= fromC ? a : fromB <= fromC ? b : c;
    }
  },
];
