// OpenEXR's pictures (.exr). The header and the table of chunks are checked here; a library, which is loaded for the
// first file, decodes the chunks.
import { ModelError, messageOf } from '../errors';
import { findOversizedChunk, type Chunks } from './exr-inflation';
import type { Panorama } from './panorama';

interface ExrSize {
  width: number;
  height: number;
}
interface ExrHeader extends ExrSize, Chunks {}

/** Rows per chunk of each compression: none, RLE, ZIPS, ZIP, PIZ, PXR24, B44, B44A, DWAA, DWAB. */
const CHUNK_ROWS = [1, 1, 1, 16, 32, 16, 32, 32, 32, 256];
/** Most bytes of the rows of a chunk. */
const MAX_CHUNK_BYTES = 64 * 1024 * 1024;
/** Flags for tiles, deep data and several parts. */
const OTHER_KINDS = 0x1a00;
/** Attributes of a header that are read. */
const MAX_ATTRIBUTES = 1000;

export const isExr = (bytes: Uint8Array): boolean => [0x76, 0x2f, 0x31, 0x01].every((byte, i) => bytes[i] === byte);

const damaged = (name: string, why: string, cause?: unknown): ModelError =>
  new ModelError(`${name} is a damaged .exr file: ${why}.`, { cause });

/** Reads the header, and checks the places of all chunks. @throws ModelError */
export function readExrHeader(bytes: Uint8Array, name: string): ExrHeader {
  try {
    return checkedHeader(bytes, name);
  } catch (error) {
    // A DataView throws where the file ends.
    throw error instanceof ModelError ? error : damaged(name, 'its header is cut off', error);
  }
}

function checkedHeader(bytes: Uint8Array, name: string): ExrHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if ((view.getUint32(4, true) & OTHER_KINDS) !== 0)
    throw new ModelError(`${name} has tiles, layers of depth or several parts; save it as one part with scan lines.`, {
      code: 'unsupported',
    });
  let at = 8;
  const text = (): string => {
    const end = bytes.indexOf(0, at);
    if (end < 0 || end - at > 255) throw damaged(name, 'its header is cut off');
    const said = String.fromCharCode(...bytes.subarray(at, end));
    at = end + 1;
    return said;
  };
  let size: ExrSize | undefined;
  let compression = 0;
  let pixelBytes = 0;
  for (let count = 0; ; count++) {
    const attribute = text();
    if (attribute === '') break;
    if (count === MAX_ATTRIBUTES) throw damaged(name, 'its header is too long');
    text();
    const length = view.getUint32(at, true);
    const start = (at += 4);
    if (start + length > bytes.length) throw damaged(name, 'its header is cut off');
    if (attribute === 'compression') compression = view.getUint8(at);
    if (attribute === 'dataWindow') {
      const [left, top, right, bottom] = [0, 4, 8, 12].map((i) => view.getInt32(start + i, true));
      if (right < left || bottom < top) throw damaged(name, 'its data window is empty');
      size = { width: right - left + 1, height: bottom - top + 1 };
    }
    if (attribute === 'channels')
      while (bytes[at] !== 0 && at < start + length) {
        text();
        const type = view.getInt32(at, true);
        if (view.getInt32(at + 8, true) !== 1 || view.getInt32(at + 12, true) !== 1)
          throw new ModelError(`${name} has channels of several sizes; save it with one size.`, {
            code: 'unsupported',
          });
        if (type < 0 || type > 2) throw damaged(name, 'a channel has an unknown type');
        pixelBytes += type === 1 ? 2 : 4;
        at += 16;
      }
    at = start + length;
  }
  if (!size || pixelBytes === 0) throw damaged(name, 'its size or its channels are missing');
  if (compression >= CHUNK_ROWS.length)
    throw new ModelError(`${name} is compressed by an unknown method; save it with ZIP or PIZ compression.`, {
      code: 'unsupported',
    });
  return { ...size, compression, ...findChunks(view, at, size, CHUNK_ROWS[compression], [pixelBytes, name]) };
}

/** Finds the chunks. Each is inside the file and is not larger than its rows. */
function findChunks(
  view: DataView,
  table: number,
  { width, height }: ExrSize,
  rows: number,
  [pixelBytes, name]: [pixelBytes: number, name: string]
): Pick<Chunks, 'rowBytes' | 'chunks'> {
  const most = Math.min(rows, height) * width * pixelBytes;
  if (most > MAX_CHUNK_BYTES)
    throw new ModelError(`${name} is ${width} × ${height} pixels, which is too large.`, { code: 'too-large' });
  const count = Math.ceil(height / rows);
  const chunks: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    const at = Number(view.getBigUint64(table + 8 * i, true));
    if (at < table + 8 * count || at + 8 > view.byteLength) throw damaged(name, `part ${i + 1} of ${count} is missing`);
    const length = view.getUint32(at + 4, true);
    if (length > most || at + 8 + length > view.byteLength)
      throw damaged(name, `part ${i + 1} of ${count} is cut off or too large`);
    chunks.push(new Uint8Array(view.buffer, view.byteOffset + at + 8, length));
  }
  return { rowBytes: most, chunks };
}

/** Decodes the picture. @throws ModelError */
export async function decodeExr(bytes: Uint8Array, header: ExrHeader, name: string): Promise<Panorama> {
  const { width, height, chunks } = header;
  const { convertLinearColorSpace, inflateInto, readExr } = await import('../decoders/exr-decoder');
  let image: ReturnType<typeof readExr>;
  try {
    const oversized = findOversizedChunk(header, inflateInto);
    if (oversized >= 0)
      throw damaged(name, `part ${oversized + 1} of ${chunks.length} inflates to more than the rows that it holds`);
    image = convertLinearColorSpace(readExr(bytes), 'linear-rec709');
  } catch (error) {
    if (error instanceof ModelError) throw error;
    throw damaged(name, messageOf(error).replace(/\.$/, ''), error);
  }
  if (image.width !== width || image.height !== height || image.data.length !== width * height * 4)
    throw damaged(name, 'its size differs from the one in its header');
  const rgb = new Float32Array(width * height * 3);
  for (let i = 0, o = 0; o < rgb.length; i += 4)
    for (let c = 0; c < 3; c++, o++) {
      const value = image.data[i + c];
      // NaN, infinities and negative light become 0.
      rgb[o] = value > 0 && value < Infinity ? value : 0;
    }
  return { width, height, rgb };
}
