// The light of a scene: its environment on the device, and how it is used.
/// <reference types="@webgpu/types" />
import { cubeEnvironment } from './cube-light';
import { studioOf, type Environment } from './environment';
import { filteredEnvironment, readFilteredLight, type FilteredLight } from './filtered-light';
import { imageEnvironment } from './image-light';
import { DEFAULT_LIGHT, type LightImage, type LightSettings } from './settings';
import type { Studio } from './studio';

/** The environment of a scene, and how it is used. */
export interface Lighting {
  environment: Environment;
  settings: LightSettings;
  /** Must be called when a scene is no longer drawn with it. */
  release(): void;
}

/** Brightness of the studio in scenes with lights of the file. */
const DIM = 0.25;

/** An environment on a device, and how many scenes use it. */
interface Shared {
  key: string;
  environment: Environment;
  users: number;
}

/** The last environment of each image, which is kept for the next scene. */
const IMAGES = new WeakMap<GPUDevice, WeakMap<LightImage, Shared>>();

/**
 * The light of a scene. What several pictures share is made once.
 * @param image undefined: the studio
 * @param hasLights whether the file has lights; the studio is dimmed then
 */
export function lightingOf(
  device: GPUDevice,
  studio: Studio,
  image: LightImage | undefined,
  hasLights: boolean,
  settings: LightSettings = DEFAULT_LIGHT
): Lighting {
  const { rotation, intensity } = settings;
  if (!image)
    return {
      environment: studioOf(device, studio, (hasLights ? DIM : 1) * intensity),
      settings,
      release: () => undefined,
    };
  let images = IMAGES.get(device);
  if (!images) IMAGES.set(device, (images = new WeakMap()));
  const key = JSON.stringify([rotation, intensity]);
  let known = images.get(image);
  if (known?.key !== key) {
    if (known?.users === 0) known.environment.destroy();
    known = { key, environment: environmentOf(device, image, { rotation, intensity }), users: 0 };
    images.set(image, known);
  }
  const shared = known;
  shared.users++;
  const release = (): void => {
    shared.users--;
    if (shared.users === 0 && images.get(image) !== shared) shared.environment.destroy();
  };
  return { environment: shared.environment, settings, release };
}

function environmentOf(
  device: GPUDevice,
  image: LightImage,
  change: Pick<LightSettings, 'rotation' | 'intensity'>
): Environment {
  if ('filtered' in image) return filteredEnvironment(device, image);
  return 'faces' in image
    ? cubeEnvironment(device, image, change)
    : imageEnvironment(device, { panorama: image, ...change });
}

/** Reads back what was filtered of an image for the last scene; null if no scene was lit by it. */
export async function filteredLightOf(device: GPUDevice, image: LightImage): Promise<FilteredLight | null> {
  const known = IMAGES.get(device)?.get(image);
  return known ? readFilteredLight(device, known.environment) : null;
}
