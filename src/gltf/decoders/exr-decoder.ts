// The decoder of OpenEXR pictures. The build makes a separate file of this module, which is loaded on demand.
export { convertLinearColorSpace } from 'hdrify/dist/color/convert.js';
export { readExr } from 'hdrify/dist/exr/readExr.js';
import { unzlibSync } from 'fflate';

/**
 * Inflates data in the format of zlib into `room`; bytes beyond it are lost.
 * @returns the bytes that were written
 */
export const inflateInto = (data: Uint8Array, room: Uint8Array): Uint8Array => unzlibSync(data, { out: room });
