// PNG files in Node. Its native zlib compresses the data; its version affects the bytes of the file, never the pixels.
import { createRequire } from 'node:module';
import { filterRows, pngFile, pngRows } from '../gltf/images/png-writer';

/** The helmet at 1280×720: level 3 takes 19 ms for 441 KB, level 6 39 ms for 418 KB, level 1 18 ms for 456 KB. */
const LEVEL = 3;

/** Loaded for the first picture, so that a process without pictures starts 2 ms earlier. */
const zlib = (): typeof import('node:zlib') =>
  createRequire(import.meta.url)('node:zlib') as typeof import('node:zlib');

/** Encodes RGBA pixels in rows from the top. If every pixel is opaque, the file has no alpha channel. */
export function encodePicture(
  pixels: Uint8Array,
  width: number,
  height: number,
  colorSpace: PredefinedColorSpace = 'srgb'
): Uint8Array {
  const rows = pngRows(pixels, width, height);
  return pngFile(rows, zlib().deflateSync(rows.data, { level: LEVEL }), colorSpace);
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
  return pngFile(rows, zlib().deflateSync(rows.data, { level: LEVEL }), colorSpace);
}
