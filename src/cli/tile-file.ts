// Tiled images: a file that holds an image and its mips in pages. Each page is compressed separately, so that a picture
// that shows a tenth of them reads only a tenth. All numbers are little-endian:
//
//   "RLTILES2" │ image: 32 bytes │ u32 width, height, page size, levels │ u32 bytes of each page │ pages
//
// `image` is the SHA-256 hash of the image's own file. Pages are ordered by level and then by rows, and cut off at the
// right and bottom edges of their level. Each page is RGBA with 8 bits per channel, in zlib's format, which ends with a
// checksum.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflateSync } from 'node:zlib';
import { quoted } from '../base/printable';
import { mipCount, type MipChain } from '../gltf/images/mips';
import type { TiledChain } from '../gltf/images/image-set';
import { InputError } from './errors';
import { openRegularFile, reason } from '../node/models/files';
import { writeWhole } from './output-file';

const MAGIC = 'RLTILES2';
const IMAGE_AT = 8;
const IMAGE_BYTES = 32;
const SIZES_AT = 40;
const HEADER_BYTES = 56;
const MAX_SIDE = 65536;
/** Minimum chunk size of zlib, in bytes. */
const MIN_CHUNK_BYTES = 64;
const deflated = promisify(deflate);
const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/**
 * Name of an image's file in a folder of tiles. It is derived from the contents of the image file, so that names are
 * unique.
 */
export function tileFileName(bytes: Uint8Array, srgb: boolean): string {
  return `${hashOf(bytes).toString('hex').slice(0, 32)}.${srgb ? 'srgb' : 'data'}.tiles`;
}

/** Size of a level in texels and in pages. */
interface Grid {
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
}

function gridOf(width: number, height: number, level: number, pageSize: number): Grid {
  const w = Math.max(1, width >> level);
  const h = Math.max(1, height >> level);
  return { width: w, height: h, columns: Math.ceil(w / pageSize), rows: Math.ceil(h / pageSize) };
}
const gridsOf = (width: number, height: number, levels: number, pageSize: number): Grid[] =>
  Array.from({ length: levels }, (_, level) => gridOf(width, height, level, pageSize));

/**
 * Writes the complete file of an image's levels, or none.
 * @param image the bytes of the image's own file
 * @returns the number of bytes written
 * @throws CommandError if it cannot be written
 */
export async function writeTiles(
  path: string,
  image: Uint8Array,
  { levels }: MipChain,
  pageSize: number
): Promise<number> {
  const [{ width, height }] = levels;
  const pages: Buffer[] = [];
  for (const { width: w, height: h, data } of levels) {
    for (let y = 0; y < h; y += pageSize) {
      const row: Promise<Buffer>[] = [];
      for (let x = 0; x < w; x += pageSize) {
        const right = Math.min(x + pageSize, w);
        const below = Math.min(y + pageSize, h);
        const page = Buffer.alloc((right - x) * (below - y) * 4);
        for (let line = y; line < below; line++)
          page.set(data.subarray((line * w + x) * 4, (line * w + right) * 4), (line - y) * (right - x) * 4);
        row.push(deflated(page));
      }
      pages.push(...(await Promise.all(row)));
    }
  }
  const head = Buffer.alloc(HEADER_BYTES + pages.length * 4);
  head.write(MAGIC, 'latin1');
  head.set(hashOf(image), IMAGE_AT);
  [width, height, pageSize, levels.length].forEach((value, i) => head.writeUInt32LE(value, SIZES_AT + i * 4));
  pages.forEach((page, i) => head.writeUInt32LE(page.length, HEADER_BYTES + i * 4));
  await writeWhole(path, [head, ...pages], 'The file of tiles');
  return pages.reduce((sum, { length }) => sum + length, head.length);
}

/** An open tiled image. */
export class TileFile {
  /** `places` are the offsets of the pages, and the end of the last one. */
  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    readonly pageSize: number,
    private readonly grids: readonly Grid[],
    private readonly places: Float64Array
  ) {}

  /**
   * @param image the bytes of the image's own file
   * @throws CommandError if the file is missing, damaged or of another image
   */
  static async open(path: string, image: Uint8Array): Promise<TileFile> {
    let file: FileHandle;
    try {
      file = await openRegularFile(path);
    } catch (error) {
      throw new InputError(`The tiles ${quoted(path)} ${reason(error)}.`, { cause: error });
    }
    try {
      return await TileFile.#read(file, path, image);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  static async #read(file: FileHandle, path: string, image: Uint8Array): Promise<TileFile> {
    const damaged = (): never => {
      throw damagedTiles(path);
    };
    const { size } = await file.stat();
    const head = await readAt(file, 0, Math.min(size, HEADER_BYTES));
    if (head.length < HEADER_BYTES || head.toString('latin1', 0, 8) !== MAGIC) return damaged();
    if (!hashOf(image).equals(head.subarray(IMAGE_AT, IMAGE_AT + IMAGE_BYTES)))
      throw new InputError(
        `The tiles ${quoted(path)} belong to another image; create them again with "rasterloom tile".`
      );
    const [width, height, pageSize, levels] = [0, 4, 8, 12].map((at) => head.readUInt32LE(SIZES_AT + at));
    const isShaped =
      width >= 1
      && height >= 1
      && width <= MAX_SIDE
      && height <= MAX_SIDE
      && PAGE_SIZES.includes(pageSize)
      && levels === mipCount(width, height);
    if (!isShaped) return damaged();
    const grids = gridsOf(width, height, levels, pageSize);
    const count = grids.reduce((sum, { columns, rows }) => sum + columns * rows, 0);
    const index = await readAt(file, HEADER_BYTES, count * 4).catch(damaged);
    const places = new Float64Array(count + 1);
    places[0] = HEADER_BYTES + count * 4;
    for (let i = 0; i < count; i++) places[i + 1] = places[i] + index.readUInt32LE(i * 4);
    return places[count] === size ? new TileFile(file, path, pageSize, grids, places) : damaged();
  }

  get width(): number {
    return this.grids[0].width;
  }
  get height(): number {
    return this.grids[0].height;
  }
  get levels(): number {
    return this.grids.length;
  }

  /** Reads a page's texels as RGBA. @throws CommandError if the page is damaged */
  async page(level: number, x: number, y: number): Promise<Uint8Array> {
    const before = this.grids.slice(0, level).reduce((sum, { columns, rows }) => sum + columns * rows, 0);
    const { width, height, columns } = this.grids[level];
    const i = before + y * columns + x;
    const side = this.pageSize;
    const bytes = Math.min(side, width - x * side) * Math.min(side, height - y * side) * 4;
    let page: Uint8Array;
    try {
      const packed = await readAt(this.file, this.places[i], this.places[i + 1] - this.places[i]);
      // Decompressed on this thread: 0.2 ms for 64 KiB, and 0.5 ms with zlib's threads. One more byte of room makes it
      // one chunk.
      page = inflateSync(packed, { maxOutputLength: bytes, chunkSize: Math.max(MIN_CHUNK_BYTES, bytes + 1) });
    } catch (error) {
      throw damagedTiles(this.path, error);
    }
    if (page.length !== bytes) throw damagedTiles(this.path);
    return page;
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

const damagedTiles = (path: string, cause?: unknown): InputError =>
  new InputError(`The tiles ${quoted(path)} are damaged; create them again with "rasterloom tile".`, { cause });

/** Valid page sizes of streamed textures, in texels per side. */
export const PAGE_SIZES: readonly number[] = [16, 32, 64, 128, 256, 512, 1024];

/** @throws RangeError if the file ends early */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new RangeError('the file is cut off');
    done += bytesRead;
  }
  return bytes;
}

/** Opens the mip chains of an image, for textures that read their pages from files. */
export async function openChains(
  folder: string,
  job: { bytes: Uint8Array; name: string; srgb: readonly boolean[] },
  opened: (file: TileFile) => void
): Promise<TiledChain[]> {
  const chains: TiledChain[] = [];
  for (const srgb of job.srgb) {
    const path = join(folder, tileFileName(job.bytes, srgb));
    if (!existsSync(path))
      throw new InputError(
        `${job.name} has no tiles in ${quoted(folder)}; create them with `
          + '"rasterloom tile" and the same model, or omit --stream.'
      );
    const file = await TileFile.open(path, job.bytes);
    opened(file);
    const { width, height, levels, pageSize } = file;
    chains.push({ srgb, width, height, levels, pageSize, loadPage: (level, x, y) => file.page(level, x, y) });
  }
  return chains;
}
