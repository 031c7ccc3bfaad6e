// Decoding and encoding of image files in Node: PNG, JPEG and WebP; others by optional packages.
import { messageOf } from '../gltf/errors';
import { checkImageSize, decodeImage, readImageHeader } from '../gltf/images/image';
import type { ImageCodecs, Pixels } from '../gltf/images/codecs';
import { nodeCodecs, packageFile } from './codec-wasm';
import { jpegOrientation, orient } from './exif';
import type { PixelReservation } from './image-memory';
import { decodeNative, nativeKind } from './drawing/native-images';
import type { Drawing } from './drawing/package';
import { encodePictureInStrips } from './png';

let codecs: ImageCodecs | null = null;
/**
 * The last decoding. Images are decoded one after the other, because each takes several times the memory of its pixels.
 */
let last: Promise<unknown> = Promise.resolve();

/**
 * Decodes an image, and applies the orientation of a JPEG image. Rejects with a full sentence.
 * @param take counts the memory before decoding. It is a parameter because this module is a separate bundle, and there
 * must be only one count.
 * @param drawing the optional package for further kinds of images
 */
export async function decodeFile(
  bytes: Uint8Array,
  take: (width: number, height: number) => Promise<PixelReservation>,
  drawing: Drawing
): Promise<{ readonly pixels: Pixels; readonly hold: PixelReservation }> {
  const kind = nativeKind(bytes);
  if (kind !== null) return decodeNative(bytes, kind, take, drawing);
  const { width, height, format } = readImageHeader(bytes, NAME);
  checkImageSize(width, height, NAME);
  const hold = await take(width, height);
  const decoded = last.then(() => decodeImage(bytes, NAME, (codecs ??= nodeCodecs())));
  last = decoded.catch(() => undefined);
  try {
    const pixels = await decoded;
    return { pixels: format === 'jpeg' ? orient(pixels, jpegOrientation(bytes)) : pixels, hold };
  } catch (error) {
    hold.release();
    throw error;
  }
}
const NAME = 'The image';

/** rgba8 pixels with straight (not premultiplied) alpha. */
export interface Picture8 {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly colorSpace: PredefinedColorSpace;
}

interface Encoder {
  init(options: { wasmBinary: Uint8Array }): Promise<unknown>;
  default(image: object, options: object): Promise<ArrayBuffer>;
}
interface Kind {
  readonly load: () => Promise<unknown>;
  readonly wasm: string;
  /** Default quality of browsers, in per cent. */
  readonly quality: number;
  /** Maximum side that the format supports, in pixels. */
  readonly maxSide: number;
}
const KINDS: ReadonlyMap<string, Kind> = new Map([
  [
    'image/jpeg',
    {
      load: () => import('@jsquash/jpeg/encode.js'),
      wasm: '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm',
      quality: 92,
      maxSide: 65_535,
    },
  ],
  [
    'image/webp',
    {
      load: () => import('@jsquash/webp/encode.js'),
      wasm: '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
      quality: 80,
      maxSide: 16_383,
    },
  ],
]);
/**
 * Maximum number of pixels of a JPEG or WebP file, whose encoders take several times the memory of the pixels, and of a
 * PNG file.
 */
export const MAX_PIXELS = 64 * 1024 * 1024;
export const MAX_PNG_PIXELS = 256 * 1024 * 1024;
const started = new Map<Kind, Promise<Encoder>>();

async function start({ load, wasm }: Kind): Promise<Encoder> {
  const encoder = (await load()) as Encoder;
  await encoder.init({ wasmBinary: packageFile(wasm) });
  return encoder;
}

const failed = (message: string, cause?: unknown): DOMException =>
  Object.assign(new DOMException(message, 'EncodingError'), { cause });

/** @throws DOMException if the type cannot hold the image, or its encoding would take too much memory */
export function checkFileSize({ width, height }: Pick<Picture8, 'width' | 'height'>, type: string): void {
  const kind = KINDS.get(type);
  const side = kind?.maxSide ?? 0x7fff_ffff;
  const most = kind ? MAX_PIXELS : MAX_PNG_PIXELS;
  if (width <= side && height <= side && width * height <= most) return;
  throw failed(
    `${width} × ${height} pixels are too many for an ${kind === undefined ? 'image/png' : type} file: `
      + `each side has at most ${side} pixels, and the image at most ${most}`
  );
}

/**
 * Encodes a file of `type`; types other than PNG, JPEG and WebP give PNG.
 * @param quality 0 to 1; other values are ignored
 */
export async function encodeFile(
  picture: Picture8,
  type: string,
  quality?: number
): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
  checkFileSize(picture, type);
  const kind = KINDS.get(type);
  if (kind === undefined) {
    const { data, width, height, colorSpace } = picture;
    const bytes = await encodePictureInStrips(new Uint8Array(data.buffer), width, height, colorSpace);
    return { bytes, type: 'image/png' };
  }
  const isQuality = typeof quality === 'number' && quality >= 0 && quality <= 1;
  const image = type === 'image/jpeg' ? onBlack(picture) : picture;
  try {
    if (!started.has(kind)) started.set(kind, start(kind));
    const encoder = await started.get(kind)!;
    const bytes = await encoder.default(image, { quality: isQuality ? quality * 100 : kind.quality });
    return { bytes: new Uint8Array(bytes), type };
  } catch (error) {
    // An encoder that has failed once fails always.
    started.delete(kind);
    throw failed(`the picture could not be encoded as ${type}: ${messageOf(error)}`, error);
  }
}

/**
 * Composites on black, for formats without alpha:
 * https://html.spec.whatwg.org/multipage/canvas.html#serialising-bitmaps-to-a-file
 */
function onBlack({ data, width, height, colorSpace }: Picture8): Picture8 {
  const flat = new Uint8ClampedArray(data.length);
  for (let i = 0; i < data.length; i += 4) {
    const alpha = data[i + 3]!;
    for (let c = 0; c < 3; c++) flat[i + c] = (data[i + c]! * alpha) / 255;
    flat[i + 3] = 255;
  }
  return { data: flat, width, height, colorSpace };
}
