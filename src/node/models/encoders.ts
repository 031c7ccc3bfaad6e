// JPEG, WebP and AVIF encoders: WebAssembly builds that are loaded for the first such picture. That of AVIF is larger
// than this package, so that it is an optional one.
import { pathToFileURL } from 'node:url';
import { AVIF_PACKAGE } from '../../gltf/images/codecs';
import { packageFile, packagePath } from '../codec-wasm';

/** Bits per sample of AVIF files beyond 8. */
export type AvifDepth = 10 | 12;

type Samples = Uint8Array | Uint16Array;

interface Encoder {
  init(options: { wasmBinary: Uint8Array; print: () => void; printErr: () => void }): Promise<void>;
  default(
    image: { data: Samples; width: number; height: number },
    options: { quality: number; bitDepth?: AvifDepth }
  ): Promise<ArrayBuffer>;
}

/**
 * Encodes RGBA pixels in rows from the top.
 * @param quality 1 to 100
 * @param bitDepth of AVIF, if the samples have more than 8 bits
 */
type EncodeLossy<T extends Samples> = (
  pixels: T,
  width: number,
  height: number,
  quality: number,
  bitDepth?: AvifDepth
) => Promise<Uint8Array>;

function encoder<T extends Samples = Uint8Array>(load: () => Promise<unknown>, wasm: string): EncodeLossy<T> {
  let ready: Promise<Encoder> | undefined;
  const start = async (): Promise<Encoder> => {
    const module = (await load()) as Encoder;
    const nothing = (): undefined => undefined;
    await module.init({ wasmBinary: packageFile(wasm), print: nothing, printErr: nothing });
    return module;
  };
  return async (data, width, height, quality, bitDepth) => {
    const module = await (ready ??= start());
    const options = bitDepth === undefined ? { quality } : { quality, bitDepth };
    return new Uint8Array(await module.default({ data, width, height }, options));
  };
}

/** Whether the AVIF encoder is installed. */
export function hasAvif(): boolean {
  try {
    packagePath(`${AVIF_PACKAGE}/encode.js`);
    return true;
  } catch {
    return false;
  }
}

export const encodeAvif = encoder<Samples>(
  () => import(pathToFileURL(packagePath(`${AVIF_PACKAGE}/encode.js`)).href) as Promise<unknown>,
  `${AVIF_PACKAGE}/codec/enc/avif_enc.wasm`
);

/** Alpha is ignored. */
export const encodeJpeg = encoder(() => import('@jsquash/jpeg/encode.js'), '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm');
export const encodeWebp = encoder(
  () => import('@jsquash/webp/encode.js'),
  '@jsquash/webp/codec/enc/webp_enc_simd.wasm'
);
