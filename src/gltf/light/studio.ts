// Reads the studio's light from the file that the build writes (studio-light.ts). The file is little-endian: nine
// 64-bit floats, then the levels of the cube map, face by face, with one half-precision number per texel. Each is
// stored as its difference, modulo 2^16, from left + above - above left, with 0 outside. Servers compress that a third
// better.
import { halfBits, halfToFloat, normalize, type Vec3 } from '../math';

/**
 * Size of the largest level, 64 for mirrors, and number of levels. The smallest, for the roughest surfaces, has size 2.
 */
export const STUDIO_SIZE = 64;
export const STUDIO_LEVELS = 6;
const HARMONICS = 9;

/** Direction towards the key light, and its strength: the radiance of a white surface that faces it. */
export const KEY_DIRECTION: Vec3 = normalize([0.35, 0.75, 0.62]);
export const KEY_STRENGTH = 0.32;

interface Level {
  readonly size: number;
  /** rgba16float texels of the faces +X −X +Y −Y +Z −Z. */
  readonly faces: readonly Uint16Array<ArrayBuffer>[];
}

export interface Studio {
  readonly levels: readonly Level[];
  /** Coefficients of 1, x, y, z, xy, yz, zx, z², x²−y² of a normal, for irradiance over π. */
  readonly harmonics: readonly number[];
}

export function readStudio(file: Uint8Array): Studio {
  const bytes = file.slice().buffer;
  let at = HARMONICS * 8;
  const levels = Array.from({ length: STUDIO_LEVELS }, (_, level) => {
    const size = STUDIO_SIZE >> level;
    const faces = Array.from({ length: 6 }, () => {
      const greys = new Uint16Array(bytes, at, size * size);
      at += greys.byteLength;
      addNeighbours(greys, size);
      return greyTexels(greys);
    });
    return { size, faces };
  });
  return { levels, harmonics: [...new Float64Array(bytes, 0, HARMONICS)] };
}

/** Makes a face of the differences in which it is stored. */
function addNeighbours(greys: Uint16Array, size: number): void {
  for (let i = 0; i < greys.length; i++) greys[i] += expected(greys, i, size);
}

/** The value of texel `i` of a face if its brightness changes evenly from those before it. */
export function expected(greys: Uint16Array, i: number, size: number): number {
  const left = i % size;
  return (left ? greys[i - 1] : 0) + (i < size ? 0 : greys[i - size] - (left ? greys[i - size - 1] : 0));
}

/** Opaque texels of half floats, from their brightness. */
function greyTexels(greys: Uint16Array): Uint16Array<ArrayBuffer> {
  const alpha = halfBits(1) << 16;
  const words = new Uint32Array(2 * greys.length);
  for (let i = 0, o = 0; i < greys.length; i++, o += 2) {
    const grey = greys[i];
    words[o] = grey | (grey << 16);
    words[o + 1] = grey | alpha;
  }
  return new Uint16Array(words.buffer);
}

/** The studio with another brightness, for scenes that have lights. */
export function dimStudio({ levels, harmonics }: Studio, factor: number): Studio {
  const dim = (bits: number): number => halfBits(halfToFloat(bits) * factor);
  return {
    levels: levels.map(({ size, faces }) => ({
      size,
      faces: faces.map((face) => face.map((bits, i) => (i % 4 === 3 ? bits : dim(bits)))),
    })),
    harmonics: harmonics.map((x) => x * factor),
  };
}
