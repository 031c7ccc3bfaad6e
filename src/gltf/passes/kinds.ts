// The passes of a picture: what its pixels are.
import type { PipelineOutput } from '../gpu/pipelines';
import { LIGHT_FORMAT } from '../gpu/pipelines';
import type { SampleCount } from '../gpu/sample-count';
import type { Subject } from './subjects';

export const PASSES = ['color', 'albedo', 'depth', 'normal', 'object', 'material', 'ao', 'motion'] as const;
export type Pass = (typeof PASSES)[number];

/** Passes whose pixels are colours. */
export const isOfColours = (pass: Pass): boolean => pass === 'color' || pass === 'albedo';

/** How colours are kept: as sRGB with 8 or 16 bits per channel, or as linear light before tone mapping. */
export const COLOUR_KINDS = ['srgb8', 'srgb16', 'linear'] as const;
export type ColourKind = (typeof COLOUR_KINDS)[number];

/** An object or a material of the model in a picture of ids. */
export interface LegendEntry {
  /** Number of the node or the material in the file, plus 1. */
  readonly id: number;
  /** Its colour in pictures with 8 bits per channel, `#rrggbb`. */
  readonly color: string;
  readonly name: string;
  /** Pixels that show it. */
  readonly pixels: number;
}

/** The pixels of a pass in rows from the top. */
export interface PassPicture {
  readonly pass: Pass;
  readonly width: number;
  readonly height: number;
  /**
   * - Colours: RGBA. `srgb8` and `srgb16` have straight alpha, `linear` is premultiplied.
   * - `depth`: the distance along the view direction; Infinity in the background.
   * - `normal`: x, y, z in the space of the model; 0, 0, 0 in the background, and of lines and points.
   * - `object`, `material`: ids; 0 in the background.
   * - `ao`: the share of the sky that is visible; 1 in the background.
   * - `motion`: pixels to the right and down until the next frame, and 1; 0, 0, 0 in the background.
   */
  readonly pixels:
    Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
  /** Of ids: all objects or materials that the scene draws. */
  readonly legend?: readonly LegendEntry[] | undefined;
  /** Whether there are no surfaces, if the pixels do not say so. */
  readonly isEmpty?: boolean;
}

/** Distance up to which surfaces hide the sky by default, in radii of the model. */
export const OCCLUSION_RADIUS = 0.25;

/** What is uploaded for a pass, and how it is drawn. */
export function outputOf(pass: Pass, kind: ColourKind, samples: SampleCount): PipelineOutput {
  if (isOfColours(pass)) return { outputKind: 'color', samples, ...(kind === 'srgb8' ? {} : { format: LIGHT_FORMAT }) };
  return { outputKind: pass === 'motion' ? 'motion' : 'surface', samples: 1 };
}

export function subjectOf(pass: Pass): Subject {
  if (pass === 'color') return 'light';
  return pass === 'albedo' || pass === 'motion' ? pass : 'surface';
}
