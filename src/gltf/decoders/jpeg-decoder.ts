// The decoder of JPEG images in pages. The build makes a file of its own of this module, which is loaded on demand.
import { init as start } from '@jsquash/jpeg/decode.js';
import wasmBinary from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm';

export { default } from '@jsquash/jpeg/decode.js';
export const init = (options: object): Promise<void> => start({ ...options, wasmBinary } as never) as Promise<void>;
