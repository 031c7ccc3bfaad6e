// How the parts of a file's cube map fit together. Exporters read the text of EXT_lights_image_based in several ways;
// the data of each file shows which one it has.
import { srgbToLinear } from '../images/colour';
import type { Pixels } from '../images/codecs';
import type { Vec3 } from '../math';
import { cubeDirection, faceDirection, texelOf } from './cube-faces';

/** Irradiance: nine coefficients of red, green and blue, in the order of l and m. */
type Coefficients = readonly (readonly [number, number, number])[];

/** A cube map as a file holds it. */
export interface FileCube {
  /** Faces +X −X +Y −Y +Z −Z of each level. */
  readonly faces: readonly (readonly Pixels[])[];
  readonly coefficients: Coefficients;
}

/** Whether columns and rows of each face are in reverse order, compared with a cube map of WebGPU. */
interface Flip {
  readonly columns: boolean;
  readonly rows: boolean;
}

/**
 * Faces are mirrored about their vertical axis. That is what the extension's text says. Babylon.js and glTF-IBL-Sampler
 * expect reversed rows, as for a texture whose origin is at the bottom. Other exporters write faces as they are.
 */
const FLIPS: readonly Flip[] = [
  { columns: true, rows: false },
  { columns: false, rows: true },
  { columns: false, rows: false },
];

interface CubeFrame {
  readonly flip: Flip;
  /** −1 if the harmonics of odd order have the sign of Condon and Shortley, as in Babylon.js and Filament; else 1. */
  readonly oddSign: 1 | -1;
}

/** Linear light of 8-bit sRGB values. */
const LINEAR = Float64Array.from({ length: 256 }, (_, i) => srgbToLinear(i / 255));

/** Texel of a face in a cube map of WebGPU: red, green and blue, divided by alpha (RGBD). */
export function lightAt({ width, data }: Pixels, { columns, rows }: Flip, x: number, y: number, factor = 1): Vec3 {
  const i = ((rows ? width - 1 - y : y) * width + (columns ? width - 1 - x : x)) * 4;
  const scale = (factor * 255) / Math.max(1, data[i + 3]);
  return [LINEAR[data[i]] * scale, LINEAR[data[i + 1]] * scale, LINEAR[data[i + 2]] * scale];
}

/** Least size of the level whose seams are compared. */
const SEAM_SIZE = 8;
/** Another reading than that of the extension's text must fit this much better. */
const CLEARLY = 0.5;

/** Finds the reading in which faces meet without seams, and harmonics have the directions of the images. */
export function frameOf({ faces, coefficients }: FileCube): CubeFrame {
  const level = faces.findLast(([{ width }]) => width >= SEAM_SIZE) ?? faces[0];
  let [flip, ...others] = FLIPS;
  let least = seams(level, flip) * CLEARLY;
  for (const other of others) {
    const sum = seams(level, other);
    if (sum < least) [flip, least] = [other, sum];
  }
  return { flip, oddSign: agreement(faces[faces.length - 1], flip, coefficients) < 0 ? -1 : 1 };
}

/** Sum of the differences between texels on both sides of the edges of a cube. */
function seams(faces: readonly Pixels[], flip: Flip): number {
  const size = faces[0].width;
  const last = size - 1;
  // Just outside of the face.
  const beyond = 1 + 1 / size;
  let sum = 0;
  faces.forEach((pixels, face) => {
    for (let i = 0; i < size; i++) {
      const along = (2 * i + 1) / size - 1;
      const sides = [
        { x: 0, y: i, u: -beyond, v: along },
        { x: last, y: i, u: beyond, v: along },
        { x: i, y: 0, u: along, v: -beyond },
        { x: i, y: last, u: along, v: beyond },
      ];
      for (const { x, y, u, v } of sides) {
        const other = texelOf(faceDirection(face, u, v), size);
        const here = lightAt(pixels, flip, x, y);
        const there = lightAt(faces[other.face], flip, other.x, other.y);
        for (let c = 0; c < 3; c++) sum += Math.abs(here[c] - there[c]);
      }
    }
  });
  return sum;
}

/** Whether the harmonics of odd order and the images are brighter on the same sides: above 0 if they are. */
function agreement(faces: readonly Pixels[], flip: Flip, coefficients: Coefficients): number {
  const size = faces[0].width;
  let sum = 0;
  faces.forEach((pixels, face) => {
    for (let y = 0; y < size; y++)
      for (let x = 0; x < size; x++) {
        const [dx, dy, dz] = cubeDirection(face, x, y, size);
        const most = Math.max(Math.abs(dx), Math.abs(dy), Math.abs(dz));
        const solid = most * most * most;
        const light = lightAt(pixels, flip, x, y, solid);
        for (const [k, value] of [[1, dy] as const, [3, dx] as const, [5, dy * dz] as const, [7, dx * dz] as const])
          for (let c = 0; c < 3; c++) sum += coefficients[k][c] * value * light[c];
      }
  });
  return sum;
}
