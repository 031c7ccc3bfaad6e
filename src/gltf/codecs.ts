// JPEG and WebP decoders: WebAssembly builds that are loaded when the first such image is met.
import { messageOf } from './errors';

/** Decoded pixels: rows from the top, RGBA, eight bits each, alpha not multiplied in. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Decoders for the formats that need a library of their own. */
export interface ImageCodecs {
  jpeg(bytes: Uint8Array): Promise<Pixels>;
  webp(bytes: Uint8Array): Promise<Pixels>;
}

/** The WebAssembly files of the decoders, as module specifiers. */
export type CodecWasm = '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm' | '@jsquash/webp/codec/dec/webp_dec.wasm';

interface CodecModule {
  init(options: { wasmBinary?: Uint8Array; print: () => void; printErr: (text: string) => void }): Promise<void>;
  default(bytes: Uint8Array): Promise<{ width: number; height: number; data: Uint8ClampedArray }>;
}

/** What to do about an image that is damaged. */
export const WAY_OUT = 'save the image anew, or export the model again';

/** Of what the JPEG decoder complains about and decodes all the same: data that it had to make up. */
const MADE_UP = /premature end|bad Huffman code|instead of RST/;

/**
 * The decoders. In a browser they fetch their own `.wasm` (bundlers know the pattern); where that
 * cannot work, as in Node, `readWasm` hands over the bytes of the file that a specifier names.
 */
export function createCodecs(readWasm?: (specifier: CodecWasm) => Promise<Uint8Array>): ImageCodecs {
  const codec = (load: () => Promise<unknown>, specifier: CodecWasm): ((bytes: Uint8Array) => Promise<Pixels>) => {
    let ready: Promise<CodecModule> | undefined;
    let said = '';
    const start = async (): Promise<CodecModule> => {
      const module = (await load()) as CodecModule;
      const wasmBinary = await readWasm?.(specifier);
      // The last thing that it prints is why it gives up; what it throws then says nothing.
      const printErr = (text: string): void => { said = text; };
      await module.init({ ...(wasmBinary ? { wasmBinary } : {}), print: () => undefined, printErr });
      return module;
    };
    return async (bytes) => {
      const module = await (ready ??= start());
      const damaged = (why: string, cause?: unknown): Error => new Error(
        `its data is damaged (${why.replace('Corrupt JPEG data: ', '')}); ${WAY_OUT}`, { cause }
      );
      said = '';
      let image;
      try {
        // A copy: the decoders take a whole ArrayBuffer, and the bytes may be part of a larger one.
        image = await module.default(bytes.slice());
      } catch (error) {
        throw damaged(said || messageOf(error), error);
      }
      if (MADE_UP.test(said)) throw damaged(said);
      return {
        width: image.width, height: image.height,
        data: new Uint8Array(image.data.buffer, image.data.byteOffset, image.data.byteLength),
      };
    };
  };
  return {
    jpeg: codec(() => import('@jsquash/jpeg/decode.js'), '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'),
    webp: codec(() => import('@jsquash/webp/decode.js'), '@jsquash/webp/codec/dec/webp_dec.wasm'),
  };
}
