// Textures whose levels have different colors.
import { texels, texture2d } from './kit';

export const LEVEL_COLOURS = [
  [230, 60, 50],
  [240, 160, 40],
  [230, 230, 60],
  [70, 200, 80],
  [60, 180, 220],
  [80, 90, 230],
  [180, 80, 220],
  [250, 250, 250],
] as const;

/** Each level has its own color, as a checkerboard of two brightnesses. */
export function rainbow(device: GPUDevice, side: number, width = side, height = side): GPUTexture {
  const levels: Uint8Array<ArrayBuffer>[] = [];
  for (let l = 0; side >> l > 0; l++) {
    const [r, g, b] = LEVEL_COLOURS[l % 8] ?? LEVEL_COLOURS[0];
    levels.push(
      texels(Math.max(1, width >> l), Math.max(1, height >> l), (x, y) =>
        ((x >> 1) + (y >> 1)) & 1 ? [r, g, b, 255] : [r >> 1, g >> 1, b >> 1, 255]
      )
    );
  }
  return texture2d(device, width, height, levels);
}

export const SAMPLED = `@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;`;
