// Pictures of passes as files.
import { pngFile } from '../images/png-writer';
import { writeExr, type Deflate, type ExrChannel, type ExrType } from './exr-writer';
import { toHalf } from './half';
import { isOfColours, type Pass, type PassPicture } from './kinds';
import { pngSamples, type PngDepth, type PngFigures } from './png-samples';

export type ExrDepth = 16 | 32;

/** Encodes a picture as a PNG file. Colours have the depth with which they were drawn. */
export async function encodePng(
  picture: PassPicture,
  deflate: Deflate,
  depth: PngDepth = 8,
  range?: readonly [near: number, far: number]
): Promise<{ file: Uint8Array<ArrayBuffer>; figures: PngFigures }> {
  const { rows, figures } = pngSamples(picture, depth, range);
  return { file: pngFile(rows, await deflate(rows.data), 'srgb'), figures };
}

/** Names of the channels of passes. Those of colours and Z are standard (OpenEXR, "Channel Names"). */
const CHANNELS: Readonly<Record<Pass, readonly string[]>> = {
  color: ['R', 'G', 'B', 'A'],
  albedo: ['R', 'G', 'B', 'A'],
  depth: ['Z'],
  normal: ['N.X', 'N.Y', 'N.Z'],
  object: ['id'],
  material: ['id'],
  ao: ['Y'],
  motion: ['motion.X', 'motion.Y', 'A'],
};

/** Passes that are stored in single precision unless another depth is asked for. */
const isWide = (pass: Pass): boolean => pass === 'depth' || pass === 'motion';

/** Encodes a picture as an OpenEXR file. Ids are whole numbers of 32 bits. */
export function encodeExr(picture: PassPicture, deflate: Deflate, depth?: ExrDepth): Promise<Uint8Array<ArrayBuffer>> {
  const { pass, pixels, width, height } = picture;
  const names = CHANNELS[pass];
  const type: ExrType =
    pixels instanceof Uint32Array ? 'uint' : (depth ?? (isWide(pass) ? 32 : 16)) === 32 ? 'float' : 'half';
  const values = type === 'half' ? Uint16Array.from(pixels, toHalf) : pixels;
  const channels = names.map((name, first): ExrChannel => ({ name, type, values, first, stride: names.length }));
  return writeExr(width, height, channels, deflate);
}

/** Whether a picture's pixels are linear colours, which only an OpenEXR file holds. */
export const isLinear = ({ pass, pixels }: PassPicture): boolean => isOfColours(pass) && pixels instanceof Float32Array;
