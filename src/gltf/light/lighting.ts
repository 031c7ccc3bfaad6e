// The light of a scene: its environment on the device, and how it is used.
/// <reference types="@webgpu/types" />
import { studioOf, type Environment } from './environment';
import { imageEnvironment } from './image-light';
import type { Panorama } from './panorama';
import { DEFAULT_LIGHT, type LightSettings } from './settings';
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

/** The last environment of each panorama, which is kept for the next scene. */
const IMAGES = new WeakMap<GPUDevice, WeakMap<Panorama, Shared>>();

/**
 * The light of a scene. What several pictures share is made once.
 * @param hasLights whether the file has lights; the studio is dimmed then
 */
export function lightingOf(
  device: GPUDevice,
  studio: Studio,
  hasLights: boolean,
  settings: LightSettings = DEFAULT_LIGHT
): Lighting {
  const { panorama, rotation, intensity } = settings;
  if (!panorama)
    return {
      environment: studioOf(device, studio, (hasLights ? DIM : 1) * intensity),
      settings,
      release: () => undefined,
    };
  let images = IMAGES.get(device);
  if (!images) IMAGES.set(device, (images = new WeakMap()));
  const key = JSON.stringify([rotation, intensity]);
  let known = images.get(panorama);
  if (known?.key !== key) {
    if (known?.users === 0) known.environment.destroy();
    known = { key, environment: imageEnvironment(device, { panorama, rotation, intensity }), users: 0 };
    images.set(panorama, known);
  }
  const shared = known;
  shared.users++;
  const release = (): void => {
    shared.users--;
    if (shared.users === 0 && images.get(panorama) !== shared) shared.environment.destroy();
  };
  return { environment: shared.environment, settings, release };
}
