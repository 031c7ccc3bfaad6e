// Images as files, in Node: PNG, JPEG and WebP, to pixels and back.
import { decodeImage } from '../gltf/image';
import type { ImageCodecs, Pixels } from '../gltf/codecs';
import { nodeCodecs, packageFile } from './codec-wasm';
import { encodePicture } from './png';

let codecs: ImageCodecs | null = null;

/** Decodes a PNG, JPEG or WebP image. Rejects with a sentence. */
export function decodeFile(bytes: Uint8Array): Promise<Pixels> {
  return decodeImage(bytes, 'The image', (codecs ??= nodeCodecs()));
}

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
}
const KINDS: Readonly<Record<string, Kind>> = {
  'image/jpeg': {
    load: () => import('@jsquash/jpeg/encode.js'), wasm: '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm', quality: 92,
  },
  'image/webp': {
    load: () => import('@jsquash/webp/encode.js'), wasm: '@jsquash/webp/codec/enc/webp_enc_simd.wasm', quality: 80,
  },
};
const started = new Map<Kind, Promise<Encoder>>();

async function start({ load, wasm }: Kind): Promise<Encoder> {
  const encoder = (await load()) as Encoder;
  await encoder.init({ wasmBinary: packageFile(wasm) });
  return encoder;
}

/** A file of a type, or PNG where the type is none of PNG, JPEG and WebP. @param quality 0 … 1, else ignored */
export async function encodeFile(
  picture: Picture8, type: string, quality?: number
): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
  const kind = KINDS[type];
  if (kind === undefined) {
    const { data, width, height, colorSpace } = picture;
    return { bytes: encodePicture(new Uint8Array(data.buffer), width, height, colorSpace), type: 'image/png' };
  }
  if (!started.has(kind)) started.set(kind, start(kind));
  const encoder = await started.get(kind)!;
  const isQuality = typeof quality === 'number' && quality >= 0 && quality <= 1;
  const image = type === 'image/jpeg' ? onBlack(picture) : picture;
  const bytes = await encoder.default(image, { quality: isQuality ? quality * 100 : kind.quality });
  return { bytes: new Uint8Array(bytes), type };
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
