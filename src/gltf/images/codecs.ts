// What image decoders need of their platform: decoders of JPEG, WebP and AVIF, which are WebAssembly builds that are
// loaded for the first such image, and zlib for PNG.
import { messageOf } from '../errors';
import { inflateByStream, type Inflate } from './inflate';

/** Decoded pixels: RGBA with 8 bits per channel and straight (not premultiplied) alpha, in rows from the top. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
}

/** What decodes the parts of images that need a library or the platform. */
export interface ImageCodecs {
  readonly inflate: Inflate;
  jpeg(bytes: Uint8Array): Promise<Pixels>;
  webp(bytes: Uint8Array): Promise<Pixels>;
  /** Rejects with MissingCodec without the optional package or, in pages, if the browser cannot decode AVIF. */
  avif(bytes: Uint8Array): Promise<Pixels>;
}

/** The optional package that decodes AVIF in Node. */
export const AVIF_PACKAGE = '@jsquash/avif';

/** A decoder is not there. The message says what to do, and follows a colon. */
export class MissingCodec extends Error {}

/** Module specifiers of the decoders' WebAssembly files. */
type CodecWasm =
  | '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'
  | '@jsquash/webp/codec/dec/webp_dec.wasm'
  | '@jsquash/avif/codec/dec/avif_dec.wasm';

/** A module that decodes one format. */
export interface CodecModule {
  init(options: { wasmBinary?: Uint8Array; print: () => void; printErr: (text: string) => void }): Promise<void>;
  default(
    bytes: Uint8Array<ArrayBuffer>
  ): Promise<{ width: number; height: number; data: Uint8ClampedArray | Uint8Array }>;
}

/** Loads the module of each format. */
export type LoadCodecs = Readonly<Record<'jpeg' | 'webp' | 'avif', () => Promise<unknown>>>;

/** Advice for a damaged image. */
export const DAMAGED_IMAGE_ADVICE = 'save the image again, or export the model again';

/** Messages of the JPEG decoder about missing data that it replaces by invented data. */
const MISSING_DATA_MESSAGES = /premature end|bad Huffman code|instead of RST/;

/**
 * Creates the decoders. In pages, their modules contain the WebAssembly. In Node, `readWasm` returns the bytes of the
 * file for a specifier.
 * @param modules that for AVIF is an optional package's, or the browser's
 */
export function createCodecs(
  modules: LoadCodecs,
  readWasm?: (specifier: CodecWasm) => Promise<Uint8Array>,
  inflate: Inflate = inflateByStream
): ImageCodecs {
  const codec = (load: () => Promise<unknown>, specifier: CodecWasm): ((bytes: Uint8Array) => Promise<Pixels>) => {
    let ready: Promise<CodecModule> | undefined;
    let said = '';
    const start = async (): Promise<CodecModule> => {
      const module = (await load()) as CodecModule;
      const wasmBinary = await readWasm?.(specifier);
      // The last message says why decoding failed; the exception itself says nothing.
      const printErr = (text: string): void => {
        said = text;
      };
      await module.init({ ...(wasmBinary ? { wasmBinary } : {}), print: () => undefined, printErr });
      return module;
    };
    return async (bytes) => {
      const module = await (ready ??= start());
      const damaged = (why: string, cause?: unknown): Error =>
        new Error(`its data is damaged (${why.replace('Corrupt JPEG data: ', '')}); ${DAMAGED_IMAGE_ADVICE}`, {
          cause,
        });
      said = '';
      let image;
      try {
        // A copy is needed: the decoders read the whole ArrayBuffer, and `bytes` may be only a part of it.
        image = await module.default(bytes.slice());
      } catch (error) {
        if (error instanceof MissingCodec) throw error;
        throw damaged(said || messageOf(error), error);
      }
      if (MISSING_DATA_MESSAGES.test(said)) throw damaged(said);
      return {
        width: image.width,
        height: image.height,
        data: new Uint8Array(image.data.buffer, image.data.byteOffset, image.data.byteLength),
      };
    };
  };
  return {
    inflate,
    jpeg: codec(modules.jpeg, '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'),
    webp: codec(modules.webp, '@jsquash/webp/codec/dec/webp_dec.wasm'),
    avif: codec(modules.avif, '@jsquash/avif/codec/dec/avif_dec.wasm'),
  };
}
