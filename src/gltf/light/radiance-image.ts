// Reads files of panoramas.
import type { ModelBudget } from '../budget';
import { ModelError } from '../errors';
import { checkImageSize } from '../images/image';
import { decodeExr, isExr, readExrHeader } from './exr-file';
import { decodeHdr, isHdr, readHdrHeader } from './hdr-file';
import { shrink, type Panorama } from './panorama';

/** Bytes per pixel that decoding takes: the library's RGBA as floats, and what a compressed row expands to. */
const DECODE_BYTES = 32;

/**
 * Reads a panorama in Radiance's format (.hdr) or OpenEXR's (.exr).
 * @param name of the file in messages, as the beginning of a sentence
 * @throws ModelError
 */
export async function readPanorama(bytes: Uint8Array, name: string, budget: ModelBudget): Promise<Panorama> {
  const check = ({ width, height }: { width: number; height: number }): void => {
    checkImageSize(width, height, name);
    budget.check(width * height * DECODE_BYTES, name);
  };
  if (isHdr(bytes)) {
    const header = readHdrHeader(bytes, name);
    check(header);
    return shrink(decodeHdr(bytes, header, name));
  }
  if (isExr(bytes)) {
    const header = readExrHeader(bytes, name);
    check(header);
    return shrink(await decodeExr(bytes, header, name));
  }
  throw new ModelError(`${name} is neither a Radiance picture (.hdr) nor an OpenEXR picture (.exr).`, {
    code: 'unsupported',
  });
}
