// Light that was filtered before: what image-light.ts makes of a panorama, as bytes, from which the environment is made
// without the panorama.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { environmentSampler, type Environment } from './environment';
import { CUBE_LEVELS, CUBE_SIZE, createCube } from './image-light';

const { GPUBufferUsage, GPUMapMode } = globals;

export interface FilteredLight {
  /**
   * Nine coefficients for red, green and blue, as 64-bit numbers, then the levels of the cube map, face by face, whose
   * rows of rgba16float texels begin at multiples of 256 bytes. Little-endian.
   */
  readonly filtered: Uint8Array<ArrayBuffer>;
}

const HARMONICS = 9;
const HARMONICS_BYTES = HARMONICS * 3 * 8;
/** WebGPU's alignment of rows in copies from textures to buffers. */
const ROW_ALIGNMENT = 256;

interface Level {
  readonly size: number;
  readonly bytesPerRow: number;
  /** Where the first face begins, after the coefficients. */
  readonly offset: number;
}

function levelsOf(): { levels: readonly Level[]; bytes: number } {
  let bytes = 0;
  const levels = Array.from({ length: CUBE_LEVELS }, (_, level) => {
    const size = CUBE_SIZE >> level;
    const bytesPerRow = Math.max(ROW_ALIGNMENT, size * 8);
    const offset = bytes;
    bytes += 6 * size * bytesPerRow;
    return { size, bytesPerRow, offset };
  });
  return { levels, bytes };
}

/** The light in bytes; null if they have another length. */
export const filteredLight = (bytes: Uint8Array<ArrayBuffer>): FilteredLight | null =>
  bytes.length === HARMONICS_BYTES + levelsOf().bytes ? { filtered: bytes } : null;

/** Makes the environment of light that was filtered before. */
export function filteredEnvironment(device: GPUDevice, { filtered }: FilteredLight): Environment {
  const cube = createCube(device);
  const { levels, bytes } = levelsOf();
  levels.forEach(({ size, bytesPerRow, offset }, mipLevel) =>
    device.queue.writeTexture(
      { texture: cube, mipLevel },
      filtered,
      { offset: HARMONICS_BYTES + offset, bytesPerRow, rowsPerImage: size },
      [size, size, 6]
    )
  );
  const numbers = new Float64Array(filtered.slice(0, HARMONICS_BYTES).buffer);
  return {
    kind: 'image',
    levels: CUBE_LEVELS,
    harmonics: Array.from({ length: HARMONICS }, (_, k) => [numbers[k * 3], numbers[k * 3 + 1], numbers[k * 3 + 2]]),
    cube,
    view: cube.createView({ dimension: 'cube' }),
    sampler: environmentSampler(device),
    bytes,
    destroy: () => cube.destroy(),
  };
}

/** Reads an environment of a panorama back from the device. */
export async function readFilteredLight(device: GPUDevice, { cube, harmonics }: Environment): Promise<FilteredLight> {
  const { levels, bytes } = levelsOf();
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const buffer = device.createBuffer({ label: 'filtered light', size: bytes, usage });
  const encoder = device.createCommandEncoder({ label: 'filtered light' });
  levels.forEach(({ size, bytesPerRow, offset }, mipLevel) =>
    encoder.copyTextureToBuffer({ texture: cube, mipLevel }, { buffer, offset, bytesPerRow, rowsPerImage: size }, [
      size,
      size,
      6,
    ])
  );
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const filtered = new Uint8Array(HARMONICS_BYTES + bytes);
  filtered.set(new Uint8Array(Float64Array.from(harmonics.flat()).buffer));
  filtered.set(new Uint8Array(buffer.getMappedRange()), HARMONICS_BYTES);
  buffer.destroy();
  return { filtered };
}
