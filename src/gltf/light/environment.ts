// The light that surrounds a scene, on the device: a cube map whose smaller levels are for rougher surfaces, and
// spherical harmonics for diffuse light.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import type { Mat3 } from '../math';
import { dimStudio, STUDIO_LEVELS, STUDIO_SIZE, type Studio } from './studio';

const { GPUTextureUsage } = globals;

export interface Environment {
  /** Whether it has colours, or is the grey studio, whose cube map only has a red channel that counts. */
  readonly kind: 'studio' | 'image';
  /** Levels of the cube map. */
  readonly levels: number;
  /** Coefficients of 1, x, y, z, xy, yz, zx, z², x²−y² of a normal, for irradiance over π; of red, green and blue. */
  readonly harmonics: readonly (readonly [number, number, number])[];
  readonly cube: GPUTexture;
  readonly view: GPUTextureView;
  readonly sampler: GPUSampler;
  /** The sharp image behind the cube map: turns by which it is rotated and factor of its light in `turn`. */
  readonly panorama?: { view: GPUTextureView; sampler: GPUSampler; turn: Float32Array<ArrayBuffer> };
  /** From the directions of the scene to those of the cube map; undefined: they are the same. */
  readonly turn?: Mat3;
  readonly bytes: number;
  destroy(): void;
}

/** Interpolates within and between levels. */
export const environmentSampler = (device: GPUDevice): GPUSampler =>
  device.createSampler({ label: 'environment', magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' });

const STUDIOS = new WeakMap<GPUDevice, Map<number, Environment>>();

/** The studio on a device, which all models share. @param brightness factor of its light */
export function studioOf(device: GPUDevice, studio: Studio, brightness: number): Environment {
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
    cube: texture,
    view: texture.createView({ dimension: 'cube' }),
    sampler: environmentSampler(device),
    bytes,
    destroy: () => texture.destroy(),
  };
}
