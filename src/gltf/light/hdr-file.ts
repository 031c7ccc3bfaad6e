// Radiance's pictures (.hdr): a text header, then rows of red, green, blue and a common exponent, flat or with runs.
import { ModelError } from '../errors';
import type { Panorama } from './panorama';

interface HdrHeader {
  width: number;
  height: number;
  /** Offset of the first row. */
  start: number;
  /** Factor by which the numbers were multiplied when the file was written. */
  exposure: number;
}

/** Most bytes of a header. */
const MAX_HEADER = 65536;

export const isHdr = (bytes: Uint8Array): boolean => bytes[0] === 0x23 && bytes[1] === 0x3f; // "#?"

const damaged = (name: string, why: string): ModelError => new ModelError(`${name} is a damaged .hdr file: ${why}.`);

/** Reads the header. @throws ModelError */
export function readHdrHeader(bytes: Uint8Array, name: string): HdrHeader {
  let start = 0;
  let exposure = 1;
  let wasEmpty = false;
  while (start < Math.min(bytes.length, MAX_HEADER)) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0) break;
    const line = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 1024))).trim();
    start = end + 1;
    if (wasEmpty) {
      const [, height, width] = /^-Y +(\d{1,9}) +\+X +(\d{1,9})$/.exec(line) ?? [];
      if (height === undefined)
        throw /^[-+][XY] +\d+ +[-+][XY] +\d+$/.test(line)
          ? new ModelError(`${name} is turned or mirrored (${line}); save it with rows from the top.`, {
              code: 'unsupported',
            })
          : damaged(name, 'its size is missing');
      return { width: Number(width), height: Number(height), start, exposure };
    }
    wasEmpty = line === '';
    const [, key, value] = /^(FORMAT|EXPOSURE) *= *(.*)$/.exec(line) ?? [];
    if (key === 'FORMAT' && value !== '32-bit_rle_rgbe')
      throw new ModelError(`${name} has colours of another kind than RGB; convert it to 32-bit_rle_rgbe.`, {
        code: 'unsupported',
      });
    if (key === 'EXPOSURE' && Number(value) > 0 && Number.isFinite(Number(value))) exposure *= Number(value);
  }
  throw damaged(name, 'its header is cut off');
}

/** Decodes the rows. @throws ModelError */
export function decodeHdr(bytes: Uint8Array, { width, height, start, exposure }: HdrHeader, name: string): Panorama {
  const scales = Float64Array.from({ length: 256 }, (_, e) => (e === 0 ? 0 : 2 ** (e - 136) / exposure));
  const rgb = new Float32Array(width * height * 3);
  const row = new Uint8Array(width * 4);
  let at = start;
  for (let y = 0, o = 0; y < height; y++) {
    at = readRow(bytes, at, row, width);
    if (at < 0) throw damaged(name, `row ${y + 1} of ${height} is cut off or has wrong runs`);
    for (let x = 0; x < width; x++, o += 3) {
      const scale = scales[row[3 * width + x]];
      // Middles of the steps, as Radiance reads them, but black stays black.
      rgb[o] = row[x] === 0 ? 0 : (row[x] + 0.5) * scale;
      rgb[o + 1] = row[width + x] === 0 ? 0 : (row[width + x] + 0.5) * scale;
      rgb[o + 2] = row[2 * width + x] === 0 ? 0 : (row[2 * width + x] + 0.5) * scale;
    }
  }
  return { width, height, rgb };
}

/** Reads a row as four planes. @returns the offset of the next row, or −1 if it is damaged */
function readRow(bytes: Uint8Array, start: number, row: Uint8Array, width: number): number {
  const isPacked =
    width >= 8
    && width < 0x8000
    && bytes[start] === 2
    && bytes[start + 1] === 2
    && ((bytes[start + 2] << 8) | bytes[start + 3]) === width;
  if (!isPacked) return readFlatRow(bytes, start, row, width);
  let at = start + 4;
  for (let o = 0; o < 4 * width;) {
    const count = bytes[at++];
    const plane = o - (o % width) + width;
    if (!(count > 0)) return -1;
    const length = count > 128 ? count - 128 : count;
    if (o + length > plane) return -1;
    if (count > 128) {
      if (at >= bytes.length) return -1;
      row.fill(bytes[at++], o, o + length);
    } else {
      if (at + length > bytes.length) return -1;
      row.set(bytes.subarray(at, at + length), o);
      at += length;
    }
    o += length;
  }
  return at;
}

/** Pixels one by one; 1, 1, 1, n repeats the last one. */
function readFlatRow(bytes: Uint8Array, start: number, row: Uint8Array, width: number): number {
  let at = start;
  let shift = 0;
  for (let x = 0; x < width; at += 4) {
    if (at + 4 > bytes.length) return -1;
    if (bytes[at] === 1 && bytes[at + 1] === 1 && bytes[at + 2] === 1) {
      const count = bytes[at + 3] << shift;
      if (x === 0 || x + count > width || shift > 16) return -1;
      for (let plane = 0; plane < 4; plane++)
        row.fill(row[plane * width + x - 1], plane * width + x, plane * width + x + count);
      x += count;
      shift += 8;
      continue;
    }
    for (let plane = 0; plane < 4; plane++) row[plane * width + x] = bytes[at + plane];
    x++;
    shift = 0;
  }
  return at;
}
