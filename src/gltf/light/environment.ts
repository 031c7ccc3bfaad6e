// The light that surrounds a scene, on the device: a cube map whose smaller levels are for rougher surfaces, and
// spherical harmonics for diffuse light.
/// <reference types="@webgpu/types" />
import { globals } from '../../index';
import { imageEnvironment } from './image-light';
import type { Panorama } from './radiance-image';
import { DEFAULT_LIGHT, type LightSettings } from './settings';
import { dimStudio, STUDIO_LEVELS, STUDIO_SIZE, type Studio } from './studio';

const { GPUTextureUsage } = globals;

export interface Environment {
  /** Whether it has colours, or is the grey studio, whose cube map only has a red channel that counts. */
  readonly kind: 'studio' | 'image';
  /** Levels of the cube map. */
  readonly levels: number;
  /** Coefficients of 1, x, y, z, xy, yz, zx, z², x²−y² of a normal, for irradiance over π; of red, green and blue. */
  readonly harmonics: readonly (readonly [number, number, number])[];
  readonly view: GPUTextureView;
  readonly sampler: GPUSampler;
  /** The sharp image behind the cube map: turns by which it is rotated and factor of its light in `turn`. */
  readonly panorama?: { view: GPUTextureView; sampler: GPUSampler; turn: Float32Array<ArrayBuffer> };
  readonly bytes: number;
  destroy(): void;
}

/** The environment of a scene, and how it is used. */
export interface Lighting {
  environment: Environment;
  settings: LightSettings;
  /** Must be called when a scene is no longer drawn with it. */
  release(): void;
}

/** Interpolates within and between levels. */
export const environmentSampler = (device: GPUDevice): GPUSampler =>
  device.createSampler({ label: 'environment', magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' });

/** Brightness of the studio beside lights of the file. */
const DIM = 0.25;

const STUDIOS = new WeakMap<GPUDevice, Map<number, Environment>>();

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
 * @param hasLights whether the file has lights, beside which the studio is dimmed
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

/** The studio on a device, which all models share. @param brightness factor of its light */
function studioOf(device: GPUDevice, studio: Studio, brightness: number): Environment {
  let known = STUDIOS.get(device);
  if (!known) STUDIOS.set(device, (known = new Map()));
  let environment = known.get(brightness);
  if (!environment) known.set(brightness, (environment = studioEnvironment(device, studio, brightness)));
  return environment;
}

/** Uploads the studio. @param brightness factor of its light */
function studioEnvironment(device: GPUDevice, studio: Studio, brightness: number): Environment {
  const { levels, harmonics } = brightness === 1 ? studio : dimStudio(studio, brightness);
  const texture = device.createTexture({
    label: 'studio',
    size: [STUDIO_SIZE, STUDIO_SIZE, 6],
    mipLevelCount: STUDIO_LEVELS,
    format: 'rgba16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  let bytes = 0;
  levels.forEach(({ size, faces }, mipLevel) =>
    faces.forEach((texels, face) => {
      const to = { texture, mipLevel, origin: [0, 0, face] };
      device.queue.writeTexture(to, texels, { bytesPerRow: size * 8 }, [size, size]);
      bytes += texels.byteLength;
    })
  );
  return {
    kind: 'studio',
    levels: STUDIO_LEVELS,
    harmonics: harmonics.map((x) => [x, x, x]),
    view: texture.createView({ dimension: 'cube' }),
    sampler: environmentSampler(device),
    bytes,
    destroy: () => texture.destroy(),
  };
}
