// Images of a model. Their format and size are read from their headers before anything is decoded.
import { avifSize, isAvif } from './avif';
import { DAMAGED_IMAGE_ADVICE, MissingCodec, type ImageCodecs, type Pixels } from './codecs';
import { ModelError, messageOf } from '../errors';
import { decodePng } from './png';

/** Limits of an image: its sides and its number of pixels (a quarter of a GiB when decoded). */
export const MAX_IMAGE_SIDE = 16384;
export const MAX_IMAGE_PIXELS = 64 * 1024 * 1024;

type ImageFormat = 'png' | 'jpeg' | 'webp' | 'avif';

interface ImageHeader {
  format: ImageFormat;
  width: number;
  height: number;
}

/**
 * Decodes an image of a model to RGBA.
 * @param name of the image in messages
 * @throws ModelError if the format is unknown, the file is damaged, or the size exceeds the limits
 */
export async function decodeImage(bytes: Uint8Array, name: string, codecs: ImageCodecs): Promise<Pixels> {
  const { width, height, format } = readImageHeader(bytes, name);
  checkImageSize(width, height, name);
  let pixels: Pixels;
  try {
    pixels = format === 'png' ? await decodePng(bytes, codecs.inflate) : await codecs[format](bytes);
  } catch (error) {
    const code = error instanceof MissingCodec ? 'unsupported' : 'invalid';
    throw new ModelError(`${name} cannot be decoded: ${messageOf(error)}.`, { code, cause: error });
  }
  // Decoders may crop or rotate an image, but the budget holds no larger one.
  if (
    pixels.width * pixels.height * 4 !== pixels.data.length
    || pixels.width * pixels.height > width * height
    || pixels.width > MAX_IMAGE_SIDE
    || pixels.height > MAX_IMAGE_SIDE
  ) {
    throw new ModelError(`${name} cannot be decoded: its size differs from the one in its header.`);
  }
  return pixels;
}

/** @throws ModelError if the image exceeds the limits, or has no pixels */
export function checkImageSize(width: number, height: number, name: string): void {
  if (width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE || width * height > MAX_IMAGE_PIXELS) {
    throw new ModelError(
      `${name} is ${width} × ${height} pixels; the limit is ${MAX_IMAGE_SIDE} per side and `
        + `${MAX_IMAGE_PIXELS / (1024 * 1024)} million in total.`,
      { code: 'too-large' }
    );
  }
  if (width === 0 || height === 0) throw new ModelError(`${name} is ${width} × ${height} pixels.`);
}

/** Reads the format and size from the image's own bytes; its declared MIME type is not trusted. */
export function readImageHeader(bytes: Uint8Array, name: string): ImageHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47) {
    return { format: 'png', width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (bytes.length >= 4 && view.getUint16(0) === 0xffd8) return jpegHeader(view, name);
  if (bytes.length >= 30 && tag(0) === 'RIFF' && tag(8) === 'WEBP') return webpHeader(bytes, view, tag(12), name);
  if (isAvif(view)) return { format: 'avif', ...avifSize(view, name) };
  const known = bytes.length >= 12 ? otherFormat(bytes, tag) : undefined;
  throw new ModelError(
    known
      ? `${name} is ${known}, which is not supported; use PNG, JPEG or WebP.`
      : `${name} is not a PNG, JPEG or WebP image, or is cut off.`,
    { code: known ? 'unsupported' : 'invalid' }
  );
}

function otherFormat(bytes: Uint8Array, tag: (at: number) => string): string | undefined {
  if (tag(4) === 'ftyp') return 'a HEIF image';
  if (bytes[0] === 0xab && tag(1).startsWith('KTX')) return 'a KTX image';
  if (tag(0) === 'GIF8') return 'a GIF image';
  return tag(0) === 'DDS ' ? 'a DDS image' : undefined;
}

/** Scans a JPEG's marker segments for its frame header (ITU T.81 §B.2.2). */
function jpegHeader(view: DataView, name: string): ImageHeader {
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) break;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    } // Fill byte.
    if (marker === 0xda) break; // The scan begins before any frame header.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      if (!hasEndOfImage(view, at)) break;
      return { format: 'jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    at += marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8) ? 2 : 2 + view.getUint16(at + 2);
  }
  throw new ModelError(`${name} is a JPEG image that is damaged or cut off; ${DAMAGED_IMAGE_ADVICE}.`);
}

/** Whether an end marker follows. Decoders accept a file without one and paint the rest grey. */
function hasEndOfImage(view: DataView, from: number): boolean {
  for (let at = view.byteLength - 2; at > from; at--) {
    if (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xd9) return true;
  }
  return false;
}

/** Reads WebP's three kinds of first chunk: lossy, lossless and extended (RFC 9649 §2). */
function webpHeader(bytes: Uint8Array, view: DataView, chunk: string, name: string): ImageHeader {
  const u24 = (at: number): number => bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
  if (chunk === 'VP8 ')
    return { format: 'webp', width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { format: 'webp', width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk === 'VP8X') return { format: 'webp', width: u24(24) + 1, height: u24(27) + 1 };
  throw new ModelError(`${name} is a WebP image whose header is damaged; ${DAMAGED_IMAGE_ADVICE}.`);
}
