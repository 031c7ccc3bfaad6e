// PNG files in Node. Its native zlib compresses the data; its version affects the bytes of the file, never the pixels.
import { once } from 'node:events';
import { filterRows, PictureRows, pngChunk, pngFile, pngOfParts, pngRows } from '../gltf/images/png-writer';
import { zlib } from './zlib';

/**
 * The bundled sample at 1280×720: level 2 takes 11 ms for 370 KB, level 3 22 ms for 354 KB, level 1 10 ms for 387 KB,
 * level 6 76 ms for 310 KB. The helmet: 11 ms for 438 KB, 14 ms for 431 KB, 10 ms for 445 KB, 33 ms for 408 KB.
 * PNG's other filters make files of about the same size.
 */
const LEVEL = 2;

/** Bytes that are filtered and then compressed at a time. */
const STRIP_BYTES = 256 * 1024;
/** Room for the compressed data of a strip. */
const CHUNK_BYTES = 64 * 1024;

/** Loads what encodes pictures, at a time when the calling thread has nothing else to do. */
export const prepareEncoder = (): void => void zlib();

/** Encodes RGBA pixels in rows from the top. If every pixel is opaque, the file has no alpha channel. */
export function encodePicture(
  pixels: Uint8Array,
  width: number,
  height: number,
  colorSpace: PredefinedColorSpace = 'srgb'
): Uint8Array {
  const rows = pngRows(pixels, width, height);
  return pngFile(rows, deflateNow(rows.data), colorSpace);
}

type NativeChecksum = Pick<typeof import('node:zlib'), 'crc32'>;

/** As encodePicture. Another thread compresses rows while this one filters the next ones. */
export async function encodePictureInStrips(
  pixels: Uint8Array,
  width: number,
  height: number,
  colorSpace: PredefinedColorSpace = 'srgb'
): Promise<Uint8Array> {
  const rows = new PictureRows(pixels, width, height);
  const chunks: Uint8Array[][] = [];
  // Node computes checksums from 20.15 on.
  const { createDeflate, crc32 } = zlib() as Omit<typeof import('node:zlib'), 'crc32'> & Partial<NativeChecksum>;
  const stream = createDeflate({ level: LEVEL, chunkSize: CHUNK_BYTES });
  stream.on('data', (part: Uint8Array) => chunks.push(pngChunk('IDAT', part, crc32)));
  const step = Math.ceil(STRIP_BYTES / (width * rows.channels));
  const filter = async (): Promise<void> => {
    let y = 0;
    for (; y + step < height; y += step) {
      stream.write(rows.filter(y, y + step));
      // The stream begins with the next strip, if the last one is compressed.
      await new Promise(setImmediate);
    }
    // The end is written after the last strip is compressed. Otherwise it would depend on timing whether both give one
    // chunk of the file or two.
    await new Promise<void>((done) => stream.write(rows.filter(y, height), () => done()));
    stream.end();
  };
  await Promise.all([once(stream, 'end'), filter()]);
  return pngOfParts(rows, chunks, colorSpace);
}

/** Compresses the data of a file on another thread. */
export function deflate(data: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    zlib().deflate(data, { level: LEVEL }, (error, compressed) => (error ? reject(error) : resolve(compressed)));
  });
}

/** Compresses the data of a file. */
export const deflateNow = (data: Uint8Array): Uint8Array => zlib().deflateSync(data, { level: LEVEL });

interface PngShape {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  readonly colorSpace: PredefinedColorSpace;
}

/** Encodes pixels with 3 or 4 channels in rows from the top. */
export function encodePng(pixels: Uint8Array, { width, height, channels, colorSpace }: PngShape): Uint8Array {
  const rows = filterRows(pixels, width, height, channels);
  return pngFile(rows, deflateNow(rows.data), colorSpace);
}
