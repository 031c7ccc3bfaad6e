// The decoder of WebP images in pages. The build makes a separate file of this module, which is loaded on demand.
import { init as start } from '@jsquash/webp/decode.js';
import bytes from '@jsquash/webp/codec/dec/webp_dec.wasm';

export { default } from '@jsquash/webp/decode.js';
export const init = async (options: object): Promise<void> => {
  await start({ ...options, wasmBinary: await bytes() } as never);
};
