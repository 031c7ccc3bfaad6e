// Reads the orientation that a camera writes into a JPEG file (Exif 3.0, §4.6.4 and the tag Orientation).
import type { Pixels } from '../gltf/images/codecs';

const APP1 = 0xe1;
const START_OF_SCAN = 0xda;
const ORIENTATION = 0x112;
const SHORT = 3;

/** Returns the orientation, 1 to 8. It is 1, the unchanged image, if the file has no valid orientation. */
export function jpegOrientation(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++;
      continue;
    } // Fill byte.
    if (marker === START_OF_SCAN) break;
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    } // Marker without a length.
    const end = Math.min(bytes.length, at + 2 + view.getUint16(at + 2));
    const isExif = marker === APP1 && String.fromCharCode(...bytes.subarray(at + 4, at + 10)) === 'Exif\0\0';
    if (isExif) return tiffOrientation(bytes.subarray(at + 10, end));
    at += 2 + view.getUint16(at + 2);
  }
  return 1;
}

/** Reads the orientation from the first directory of TIFF data. */
function tiffOrientation(bytes: Uint8Array): number {
  if (bytes.length < 8) return 1;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const order = view.getUint16(0);
  const isLittle = order === 0x4949;
  if ((!isLittle && order !== 0x4d4d) || view.getUint16(2, isLittle) !== 42) return 1;
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > bytes.length) return 1;
  const count = view.getUint16(directory, isLittle);
  for (let i = 0, at = directory + 2; i < count && at + 12 <= bytes.length; i++, at += 12) {
    if (view.getUint16(at, isLittle) !== ORIENTATION) continue;
    const value = view.getUint16(at + 8, isLittle);
    return view.getUint16(at + 2, isLittle) === SHORT && value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/**
 * Returns the image in its visible orientation. Orientations 5 to 8 exchange rows and columns. In the result, 2, 3, 6
 * and 7 also mirror from left to right, and 3, 4, 7 and 8 from top to bottom.
 */
export function orient(image: Pixels, orientation: number): Pixels {
  if (orientation === 1) return image;
  const swaps = orientation >= 5;
  const { width: w, height: h } = image;
  const width = swaps ? h : w;
  const height = swaps ? w : h;
  const mirrorsX = [2, 3, 6, 7].includes(orientation);
  const mirrorsY = [3, 4, 7, 8].includes(orientation);
  const from = new Uint32Array(image.data.slice().buffer);
  const to = new Uint32Array(w * h);
  for (let y = 0, o = 0; y < height; y++) {
    const row = mirrorsY ? height - 1 - y : y;
    for (let x = 0; x < width; x++) {
      const column = mirrorsX ? width - 1 - x : x;
      to[o++] = from[swaps ? column * w + row : row * w + column]!;
    }
  }
  return { width, height, data: new Uint8Array(to.buffer) };
}
