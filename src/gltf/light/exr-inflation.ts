// Limits what the chunks of an OpenEXR picture inflate to, before the library takes memory for them. It inflates until
// the data ends, however much that is.

/** Inflates data of zlib into `room`; bytes beyond it are lost. @returns the bytes that were written */
type InflateInto = (data: Uint8Array, room: Uint8Array) => Uint8Array;

/** Numbers of the compressions in the header. */
const ZIPS = 2;
const ZIP = 3;
const PXR24 = 5;
const DWAA = 8;
const DWAB = 9;

/** Size in bytes of the numbers at the beginning of a DWA chunk. */
const DWA_HEADER_BYTES = 88;
/** Which of them are counts of bytes or of 16-bit values that are allocated. */
const DWA_SIZES = [1, 6, 7];
const DWA_COUNTS = [8, 9];
/** Which of them are the sizes of the compressed parts, in the order of the parts. */
const DWA_PARTS = [2, 3, 4, 5];
/** Blocks of 8×8 values at the edges are whole, so that small pictures have more values than pixels. */
const DWA_EXTRA_BYTES = 1 << 20;

/** The compressed chunks of a picture. */
export interface Chunks {
  readonly compression: number;
  /** Most bytes of the rows of a chunk. */
  readonly rowBytes: number;
  readonly chunks: readonly Uint8Array[];
}

/** Whether a chunk may inflate to more than its rows. @returns the number of the first such chunk, or -1 */
export function findOversizedChunk({ compression, rowBytes, chunks }: Chunks, inflate: InflateInto): number {
  const isDwa = compression === DWAA || compression === DWAB;
  if (!isDwa && ![ZIPS, ZIP, PXR24].includes(compression)) return -1;
  const most = isDwa ? 2 * rowBytes + DWA_EXTRA_BYTES : rowBytes;
  const room = new Uint8Array(most + 1);
  const isTooLarge = (data: Uint8Array): boolean => inflate(data, room).length > most;
  return chunks.findIndex((chunk) => {
    // A chunk as large as its rows is not compressed.
    if (chunk.length === rowBytes) return false;
    if (!isDwa) return isTooLarge(chunk);
    const parts = dwaParts(chunk, most);
    return parts === undefined || parts.some(isTooLarge);
  });
}

/** The parts of a DWA chunk in the format of zlib; undefined if a size in its header is larger than `most`. */
function dwaParts(chunk: Uint8Array, most: number): Uint8Array[] | undefined {
  // The library refuses chunks that are cut off.
  if (chunk.length < DWA_HEADER_BYTES + 2) return [];
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const at = (i: number): number => Number(view.getBigUint64(i * 8, true));
  if (DWA_SIZES.some((i) => at(i) > most) || DWA_COUNTS.some((i) => at(i) * 2 > most)) return undefined;
  let start = DWA_HEADER_BYTES + (at(0) < 2 ? 0 : view.getUint16(DWA_HEADER_BYTES, true));
  return DWA_PARTS.map((i, part) => {
    const begin = start;
    start += at(i);
    // The second part may be compressed by Huffman's codes, whose count of values was checked.
    return part === 1 && at(10) === 0 ? new Uint8Array(0) : chunk.subarray(begin, start);
  }).filter(({ length }) => length > 0);
}
