// The image-based light of a scene (EXT_lights_image_based).
import type { Scene, Texture } from '@gltf-transform/core';
import { IMAGE_LIGHTS, type ImageLightJson } from '../files/light-checks';
import type { Model } from '../files/load';

/** The image-based light of a scene, as the file describes it. */
export interface FileLight {
  /** Index in the file. */
  readonly index: number;
  readonly json: ImageLightJson;
  /** Images of six faces for each level. */
  readonly faces: readonly (readonly Texture[])[];
}

/** @returns undefined if the scene has none */
export function fileLightOf({ document, json }: Model, scene: Scene | undefined): FileLight | undefined {
  const root = document.getRoot();
  const chosen = scene && json.scenes?.[root.listScenes().indexOf(scene)];
  const index = (chosen?.extensions?.[IMAGE_LIGHTS] as { light: number } | undefined)?.light;
  if (index === undefined) return undefined;
  const { lights } = json.extensions![IMAGE_LIGHTS] as { lights: ImageLightJson[] };
  // glTF-Transform makes one texture for each image of the file.
  const images = root.listTextures();
  const faces = lights[index].specularImages.map((level) => level.map((image) => images[image]));
  return { index, json: lights[index], faces };
}
