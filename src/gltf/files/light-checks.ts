// Checks the lights of a file and what refers to them.
import type { GLTF } from '@gltf-transform/core';
import { quoted } from '../../base/printable';
import { damaged, isCount, listOf, numberMembers, numbers, object, reference } from './checks';

const LIGHT_TYPES = ['directional', 'point', 'spot'];

/** Checks the lights of KHR_lights_punctual and the nodes that use them. */
export function checkLights(json: GLTF.IGLTF): void {
  const lights = (json.extensions?.KHR_lights_punctual as { lights?: unknown[] } | undefined)?.lights;
  listOf(lights, 'the lights').forEach((light, i) => {
    const { type, color, spot } = object(light, `light ${i}`);
    if (!LIGHT_TYPES.includes(type as string)) damaged(`light ${i} has the unknown type ${quoted(type)}`);
    numbers(color, 3, `the colour of light ${i}`);
    numberMembers(light, ['intensity', 'range'], `light ${i}`);
    if (spot !== undefined) numberMembers(spot, ['innerConeAngle', 'outerConeAngle'], `light ${i}`);
  });
  json.nodes?.forEach((node, i) => {
    const extension = node.extensions?.KHR_lights_punctual as { light?: unknown } | undefined;
    if (extension !== undefined) reference(extension.light, lights, `the light of node ${i}`);
  });
}

/** Members of an image-based light. */
export interface ImageLightJson {
  name?: unknown;
  rotation?: [number, number, number, number];
  intensity?: number;
  /** Nine of red, green and blue. */
  irradianceCoefficients: [number, number, number][];
  /** Images of six faces for each level. */
  specularImages: number[][];
  specularImageSize: number;
}

export const IMAGE_LIGHTS = 'EXT_lights_image_based';

/** Checks the lights of EXT_lights_image_based and the scenes that use them. */
export function checkImageLights(json: GLTF.IGLTF): void {
  const lights = (json.extensions?.[IMAGE_LIGHTS] as { lights?: unknown[] } | undefined)?.lights;
  listOf(lights, 'the image-based lights').forEach((light, i) => checkImageLight(light, i, json));
  json.scenes?.forEach((scene, i) => {
    const extension = scene.extensions?.[IMAGE_LIGHTS] as { light?: unknown } | undefined;
    if (extension !== undefined) reference(extension.light, lights, `the image-based light of scene ${i}`);
  });
}

const FACES = 6;
const HARMONICS = 9;

function checkImageLight(light: unknown, i: number, json: GLTF.IGLTF): void {
  const what = `image-based light ${i}`;
  const { rotation, irradianceCoefficients, specularImages, specularImageSize: size } = object(light, what);
  numbers(rotation, 4, `the rotation of ${what}`);
  if ((rotation as number[] | undefined)?.every((x) => x === 0)) damaged(`the rotation of ${what} is zero`);
  numberMembers(light, ['intensity'], what);
  if (!Array.isArray(irradianceCoefficients) || irradianceCoefficients.length !== HARMONICS)
    damaged(`${what} needs ${HARMONICS} irradiance coefficients and has ${countOf(irradianceCoefficients)}`);
  irradianceCoefficients.forEach((rgb: unknown, k) =>
    numbers(rgb ?? null, 3, `irradiance coefficient ${k} of ${what}`)
  );
  if (!isCount(size) || size < 1 || (size & (size - 1)) !== 0)
    damaged(`the specular image size of ${what} is ${quoted(size)}, not a power of two`);
  if (!Array.isArray(specularImages) || specularImages.length === 0) damaged(`${what} has no specular images`);
  const most = 32 - Math.clz32(size);
  if (specularImages.length > most)
    damaged(`${what} has ${specularImages.length} levels; images of ${size} × ${size} have at most ${most}`);
  specularImages.forEach((faces: unknown, level) => {
    if (!Array.isArray(faces) || faces.length !== FACES)
      damaged(`level ${level} of ${what} needs ${FACES} faces and has ${countOf(faces)}`);
    faces.forEach((image, face) => reference(image, json.images, `face ${face} in level ${level} of ${what}`));
  });
}

const countOf = (list: unknown): string => (Array.isArray(list) ? String(list.length) : 'none');
