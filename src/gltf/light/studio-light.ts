// The light of a neutral studio: a grey room with large soft lights, defined as radiance per direction. It is converted
// to a cube map that is filtered for each roughness (specular), and to nine spherical harmonics (diffuse). That takes a
// tenth of a second, so the build stores the result in a file (studio.ts).
import { cross, halfBits, normalize, sinCosDegrees, type Vec3 } from '../math';
import { cubeDirection } from './cube-faces';
import { expected, STUDIO_LEVELS, STUDIO_SIZE } from './studio';

/** Exposure with which a white surface that faces up and forward becomes about white. */
const EXPOSURE = 0.64;

/** Layout of a soft box: a rectangle that faces the centre at distance 1. Its sizes are tangents of half angles. */
const AXIS = 0;
const RIGHT = 3;
const UP = 6;
const HALF_WIDTH = 9;
const HALF_HEIGHT = 10;
const RADIANCE = 11;
const BOX_LENGTH = 12;

function softBox(towards: Vec3, halfWidth: number, halfHeight: number, radiance: number): number[] {
  const axis = normalize(towards);
  const right = normalize(cross(Math.abs(axis[1]) > 0.99 ? [0, 0, 1] : [0, 1, 0], axis));
  return [...axis, ...right, ...cross(axis, right), halfWidth, halfHeight, radiance];
}

const BOXES = new Float64Array(
  [
    softBox([0.7, 0.75, 0.75], 0.5, 0.6, 2.8), // Key light, front right.
    softBox([-1, 0.25, 0.45], 0.32, 0.85, 1.2), // Fill light, a tall strip on the left.
    softBox([0.1, 1, -0.1], 0.9, 0.6, 0.7), // Overhead light.
    softBox([0.75, 0.4, -0.9], 0.22, 0.8, 2.4), // Rim light, back right.
    softBox([-0.6, 0.55, -1], 0.3, 0.7, 1.7), // Rim light, back left.
  ].flat()
);

const smooth = (edge0: number, edge1: number, x: number): number => {
  const t = Math.min(1, Math.max(0, (x - edge0) / (edge1 - edge0)));
  return t * t * (3 - 2 * t);
};

/**
 * Share of a box's light along a line that passes its centre at `offset` / `facing`: 1 inside its soft edge, 0 outside.
 */
function share(half: number, softness: number, offset: number, facing: number): number {
  const distance = Math.abs(offset);
  // Most lines are clearly outside or inside. The tests avoid the division and give the same result.
  if (distance > (half + softness) * facing * 1.000001) return 0;
  if (distance < (half - softness) * facing * 0.999999) return 1;
  return smooth(half + softness, half - softness, distance / facing);
}

/**
 * Radiance from the direction (dx, dy, dz). `softness` widens the edges of the lights, in tangents, to match the
 * sampling density. It is called half a million times, so it takes plain numbers.
 */
export function studioRadiance(dx: number, dy: number, dz: number, softness: number): number {
  // The room: a bright ceiling, grey walls, and a darker floor that reflects some light.
  let light = dy > 0 ? 0.32 + 0.16 * dy * dy : 0.32 - 0.1 * smooth(0, 0.5, -dy);
  for (let box = 0; box < BOXES.length; box += BOX_LENGTH) {
    const facing = dx * BOXES[box + AXIS] + dy * BOXES[box + AXIS + 1] + dz * BOXES[box + AXIS + 2];
    if (facing <= 0.1) continue;
    const x = dx * BOXES[box + RIGHT] + dy * BOXES[box + RIGHT + 1] + dz * BOXES[box + RIGHT + 2];
    const sides = share(BOXES[box + HALF_WIDTH], softness, x, facing);
    if (sides === 0) continue;
    const y = dx * BOXES[box + UP] + dy * BOXES[box + UP + 1] + dz * BOXES[box + UP + 2];
    light += BOXES[box + RADIANCE] * sides * share(BOXES[box + HALF_HEIGHT], softness, y, facing);
  }
  return light * EXPOSURE;
}

/** Layout of a lobe's sample: a direction, and the weight of its light. */
const WEIGHT = 3;
const SAMPLE_LENGTH = 4;

/** Samples of the GGX lobe around +Z for a perpendicular view: reflected directions with their weights. */
function lobe(roughness: number, count: number): Float64Array {
  const alpha = roughness * roughness;
  const samples: number[] = [];
  let total = 0;
  for (let i = 0; i < count; i++) {
    const t = (i + 0.5) / count;
    const cosine = Math.sqrt((1 - t) / (1 + (alpha * alpha - 1) * t));
    const sine = Math.sqrt(1 - cosine * cosine);
    const angle = sinCosDegrees(i * 137.50776405003785); // The golden angle distributes them evenly.
    const z = 2 * cosine * cosine - 1;
    if (z <= 0) continue;
    samples.push(2 * cosine * sine * angle.cos, 2 * cosine * sine * angle.sin, z, z);
    total += z;
  }
  return Float64Array.from(samples, (x, i) => (i % SAMPLE_LENGTH === WEIGHT ? x / total : x));
}

/** Light that a lobe around `n` gathers. */
function lobeLight(n: Vec3, samples: Float64Array, softness: number): number {
  const [nx, ny, nz] = n;
  const [tx, ty, tz] = normalize(cross(Math.abs(ny) > 0.9 ? [1, 0, 0] : [0, 1, 0], n));
  const [bx, by, bz] = cross(n, [tx, ty, tz]);
  let light = 0;
  for (let i = 0; i < samples.length; i += SAMPLE_LENGTH) {
    const dx = samples[i];
    const dy = samples[i + 1];
    const dz = samples[i + 2];
    light +=
      samples[i + WEIGHT]
      * studioRadiance(tx * dx + bx * dy + nx * dz, ty * dx + by * dy + ny * dz, tz * dx + bz * dy + nz * dz, softness);
  }
  return light;
}

/** One level of the specular cube map in half precision, face by face. Level k is for roughness k / (levels − 1). */
export function studioLevel(level: number): Uint16Array<ArrayBuffer> {
  const size = STUDIO_SIZE >> level;
  const roughness = level / (STUDIO_LEVELS - 1);
  const samples = level === 0 ? null : lobe(roughness, 24 + 24 * level);
  // About the distance between samples, so that no light falls between two of them.
  const softness = level === 0 ? 0.03 : 0.06 + 0.34 * roughness;
  const texels = new Uint16Array(6 * size * size);
  for (let face = 0, o = 0; face < 6; face++) {
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++, o++) {
        const n = cubeDirection(face, x, y, size);
        texels[o] = halfBits(samples ? lobeLight(n, samples, softness) : studioRadiance(n[0], n[1], n[2], softness));
      }
    }
  }
  return texels;
}

/** A level as the file stores it. */
function differences(texels: Uint16Array<ArrayBuffer>, size: number): Uint16Array<ArrayBuffer> {
  const texelsOfFace = size * size;
  return texels.map((texel, i) => {
    const start = i - (i % texelsOfFace);
    return texel - expected(texels.subarray(start, start + texelsOfFace), i - start, size);
  });
}

/** Returns the bytes of the studio's file. */
export function writeStudio(): Uint8Array {
  const parts = [
    Float64Array.from(studioHarmonics()),
    ...Array.from({ length: STUDIO_LEVELS }, (_, level) => differences(studioLevel(level), STUDIO_SIZE >> level)),
  ].map(({ buffer }) => new Uint8Array(buffer));
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Diffuse light as a polynomial in the normal (Ramamoorthi and Hanrahan 2001): the coefficients of 1, x, y, z, xy, yz,
 * zx, z², x²−y², for irradiance over π.
 */
export function studioHarmonics(): number[] {
  const size = 16;
  const sums = new Array<number>(9).fill(0);
  for (let face = 0; face < 6; face++) {
    for (let j = 0; j < size; j++) {
      for (let i = 0; i < size; i++) {
        const d = cubeDirection(face, i, j, size);
        const [x, y, z] = d;
        const u = (2 * (i + 0.5)) / size - 1;
        const v = (2 * (j + 0.5)) / size - 1;
        const r2 = 1 + u * u + v * v;
        // Radiance times solid angle.
        const light = (studioRadiance(x, y, z, 0.08) * 4) / (size * size * r2 * Math.sqrt(r2));
        const basis = [
          0.282095,
          0.488603 * x,
          0.488603 * y,
          0.488603 * z,
          1.092548 * x * y,
          1.092548 * y * z,
          1.092548 * z * x,
          0.315392 * (3 * z * z - 1),
          0.546274 * (x * x - y * y),
        ];
        basis.forEach((b, k) => {
          sums[k] += light * b;
        });
      }
    }
  }
  // Coefficients of the cosine lobe, over π.
  const [band0, band1, band2] = [1, 2 / 3, 1 / 4];
  return [
    0.282095 * band0 * sums[0] - 0.315392 * band2 * sums[7],
    0.488603 * band1 * sums[1],
    0.488603 * band1 * sums[2],
    0.488603 * band1 * sums[3],
    1.092548 * band2 * sums[4],
    1.092548 * band2 * sums[5],
    1.092548 * band2 * sums[6],
    3 * 0.315392 * band2 * sums[7],
    0.546274 * band2 * sums[8],
  ];
}
