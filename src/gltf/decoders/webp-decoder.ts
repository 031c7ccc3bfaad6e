// The decoder of WebP images in pages. The build makes a file of its own of this module, which is loaded on demand.
import { init as start } from '@jsquash/webp/decode.js';
import wasmBinary from '@jsquash/webp/codec/dec/webp_dec.wasm';

export { default } from '@jsquash/webp/decode.js';
export const init = (options: object): Promise<void> => start({ ...options, wasmBinary } as never) as Promise<void>;
