// Images as files, in Node: PNG, JPEG and WebP, to pixels and back.
import { messageOf } from '../gltf/errors';
import { checkImageSize, decodeImage, readImageHeader } from '../gltf/image';
import type { ImageCodecs, Pixels } from '../gltf/codecs';
import { nodeCodecs, packageFile } from './codec-wasm';
import { jpegOrientation, orient } from './exif';
import type { Hold } from './image-memory';
import { encodePicture } from './png';

let codecs: ImageCodecs | null = null;
/** The last image that is being decoded: one after the other, because each takes its pixels' memory several times. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Decodes a PNG, JPEG or WebP image; a JPEG file is turned as it says. Rejects with a sentence.
 * @param take counts its pixels before. (Not imported: this is a bundle of its own, and the count is one)
 */
export async function decodeFile(
  bytes: Uint8Array, take: (width: number, height: number) => Promise<Hold>
): Promise<{ readonly pixels: Pixels; readonly hold: Hold }> {
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

/** rgba8 pixels with alpha not multiplied in. */
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
  /** What browsers take where the program says nothing, in per cent. */
  readonly quality: number;
  /** What the format can say of a side. */
  readonly mostSide: number;
}
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['image/jpeg', {
    load: () => import('@jsquash/jpeg/encode.js'), wasm: '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm', quality: 92,
    mostSide: 65_535,
  }],
  ['image/webp', {
    load: () => import('@jsquash/webp/encode.js'), wasm: '@jsquash/webp/codec/enc/webp_enc_simd.wasm', quality: 80,
    mostSide: 16_383,
  }],
]);
/** Pixels of a JPEG or WebP file, whose encoders take several times their bytes, and of a PNG file. */
const MOST_PIXELS = 64 * 1024 * 1024, MOST_PNG_PIXELS = 256 * 1024 * 1024;
const started = new Map<Kind, Promise<Encoder>>();

async function start({ load, wasm }: Kind): Promise<Encoder> {
  const encoder = (await load()) as Encoder;
  await encoder.init({ wasmBinary: packageFile(wasm) });
  return encoder;
}

const failed = (message: string, cause?: unknown): DOMException => Object.assign(
  new DOMException(message, 'EncodingError'), { cause }
);

/** @throws DOMException for an image that no file of the type can hold, or whose encoding would take too much memory */
export function checkFileSize({ width, height }: Pick<Picture8, 'width' | 'height'>, type: string): void {
  const kind = KINDS.get(type), side = kind?.mostSide ?? 0x7fff_ffff, most = kind ? MOST_PIXELS : MOST_PNG_PIXELS;
  if (width <= side && height <= side && width * height <= most) return;
  throw failed(
    `${width} × ${height} pixels are too many for a file of ${kind === undefined ? 'image/png' : type}: its sides have ${
      side} pixels at most, and all together ${most}`
  );
}

/** A file of a type, or PNG where the type is none of PNG, JPEG and WebP. @param quality 0 … 1, else ignored */
export async function encodeFile(
  picture: Picture8, type: string, quality?: number
): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
  checkFileSize(picture, type);
  const kind = KINDS.get(type);
  if (kind === undefined) {
    const { data, width, height, colorSpace } = picture;
    return { bytes: encodePicture(new Uint8Array(data.buffer), width, height, colorSpace), type: 'image/png' };
  }
  const isQuality = typeof quality === 'number' && quality >= 0 && quality <= 1;
  const image = type === 'image/jpeg' ? onBlack(picture) : picture;
  try {
    if (!started.has(kind)) started.set(kind, start(kind));
    const encoder = await started.get(kind)!;
    const bytes = await encoder.default(image, { quality: isQuality ? quality * 100 : kind.quality });
    return { bytes: new Uint8Array(bytes), type };
  } catch (error) {
    // An encoder that has given up once gives up always.
    started.delete(kind);
    throw failed(`the picture could not be encoded as ${type}: ${messageOf(error)}`, error);
  }
}

/** For files that have no alpha: https://html.spec.whatwg.org/multipage/canvas.html#serialising-bitmaps-to-a-file */
function onBlack({ data, width, height, colorSpace }: Picture8): Picture8 {
  const flat = new Uint8ClampedArray(data.length);
  for (let i = 0; i < data.length; i += 4) {
    const alpha = data[i + 3]!;
    for (let c = 0; c < 3; c++) flat[i + c] = (data[i + c]! * alpha) / 255;
    flat[i + 3] = 255;
  }
  return { data: flat, width, height, colorSpace };
}
