// The images of a file's light.
import type { Texture } from '@gltf-transform/core';
import type { ModelBudget } from '../budget';
import { damaged } from '../files/checks';
import type { CubeLight } from '../light/cube-light';
import type { FileLight } from '../scene/file-light';
import type { Pixels } from './codecs';
import { imageJob, type ImageJob, type SceneImage } from './image-set';
import type { MipChain } from './mips';

const FACE_NAMES = ['+X', '−X', '+Y', '−Y', '+Z', '−Z'];

/** Bytes of a texel on the device. */
const TEXEL_BYTES = 8;

/**
 * The images of a light to be decoded.
 * @throws ModelError if one is missing or damaged or has a wrong size, or if they are too large
 */
export function lightImages({ index, json, faces }: FileLight, budget: ModelBudget): Map<Texture, ImageJob> {
  const read = new Map<Texture, ReturnType<typeof imageJob>>();
  faces.forEach((level, k) => {
    const size = json.specularImageSize >> k;
    budget.spend(level.length * size * size * TEXEL_BYTES, `Level ${k} of image-based light ${index}`);
    for (const [i, texture] of level.entries()) {
      const what = `ace ${FACE_NAMES[i]} in level ${k} of image-based light ${index}`;
      const image = read.get(texture) ?? imageJob(texture, { name: `F${what}`, srgb: [false] }, budget);
      read.set(texture, image);
      const { width, height } = image;
      if (width !== size || height !== size)
        damaged(`f${what} is ${width} × ${height} pixels instead of ${size} × ${size}`);
    }
  });
  return new Map([...read].map(([texture, { job }]) => [texture, job]));
}

/** Decodes the images of a light. @param images those of lightImages @throws ModelError if one is damaged */
export async function decodeFileLight(light: FileLight, images: AsyncIterable<SceneImage>): Promise<CubeLight> {
  const pixels = new Map<Texture, Pixels>();
  for await (const { texture, chains } of images) pixels.set(texture, (chains[0] as MipChain).levels[0]);
  const faces = light.faces.map((level) => level.map((texture) => pixels.get(texture)!));
  const { json } = light;
  const { irradianceCoefficients: coefficients, rotation = [0, 0, 0, 1], intensity = 1 } = json;
  const length = Math.sqrt(rotation.reduce((sum, x) => sum + x * x, 0));
  const [x, y, z, w] = rotation.map((part) => part / length);
  return { faces, coefficients, rotation: [x, y, z, w], intensity: Math.max(0, intensity) };
}
