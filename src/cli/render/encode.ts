// Pictures as files, in the format that the ending says.
import { encodeExr, encodePng, type ExrDepth } from '../../gltf/passes/files';
import type { ColourKind, LegendEntry, PassPicture } from '../../gltf/passes/kinds';
import type { PngDepth, PngFigures } from '../../gltf/passes/png-samples';
import { encodeAvif, encodeJpeg, encodeWebp, type AvifDepth } from '../../node/models/encoders';
import { deflateNow, encodePictureInStrips } from '../../node/png';
import { isAvif, type CommandPass } from '../options/pass-options';
import type { PlannedPicture } from './plan';

/** A picture in the report of `--json`. */
export interface PictureReport extends PngFigures {
  output: string;
  pass: CommandPass;
  /** From 0. */
  frame: number;
  bytes: number;
  /** What ids stand for. */
  legend?: readonly LegendEntry[];
}

const isExr = (output: string): boolean => /\.exr$/i.test(output);

/** How the colours of a picture are kept. */
export const kindOf = ({ output, settings: { depth } }: PlannedPicture): ColourKind =>
  isExr(output) ? 'linear' : (depth ?? 8) > 8 ? 'srgb16' : 'srgb8';

/** Samples of 16 bits as samples of fewer. */
function withFewerBits(samples: Uint16Array, bits: AvifDepth): Uint16Array {
  const factor = (2 ** bits - 1) / 65535;
  return samples.map((sample) => Math.round(sample * factor));
}

/** Encodes a picture; as PNG for standard output. */
export async function encodeAs(
  { output, settings: { quality, depth, depthRange } }: PlannedPicture,
  picture: PassPicture
): Promise<{ file: Uint8Array } & Pick<PictureReport, 'legend' | keyof PngFigures>> {
  const { pixels, width, height, legend } = picture;
  const report = legend ? { legend } : {};
  if (isExr(output)) return { file: await encodeExr(picture, deflateNow, depth as ExrDepth | undefined), ...report };
  if (pixels instanceof Uint8Array) {
    if (/\.jpe?g$/i.test(output)) return { file: await encodeJpeg(pixels, width, height, quality) };
    if (/\.webp$/i.test(output)) return { file: await encodeWebp(pixels, width, height, quality) };
    if (isAvif(output)) return { file: await encodeAvif(pixels, width, height, quality) };
    return { file: await encodePictureInStrips(pixels, width, height) };
  }
  if (isAvif(output)) {
    const bits = depth as AvifDepth;
    return { file: await encodeAvif(withFewerBits(pixels as Uint16Array, bits), width, height, quality, bits) };
  }
  const { file, figures } = await encodePng(picture, deflateNow, depth as PngDepth | undefined, depthRange);
  return { file, ...figures, ...report };
}
