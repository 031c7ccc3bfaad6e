// The decoder of JPEG images in pages. The build makes a separate file of this module, which is loaded on demand.
import { init as start } from '@jsquash/jpeg/decode.js';
import bytes from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm';

export { default } from '@jsquash/jpeg/decode.js';
export const init = async (options: object): Promise<void> => {
  await start({ ...options, wasmBinary: await bytes() } as never);
};
