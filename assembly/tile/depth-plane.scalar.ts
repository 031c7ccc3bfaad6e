// Scalar twin of depth-plane.ts.

import { DepthBlock, Tile, Triangle } from '../layout';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';
import { planeDepth } from '../surface/depth-planes';
import { sampleOffset } from './layers';

export function boundDepthsScalar(from: usize, bytes: usize, record: DepthBlock): void {
  let low = load<f32>(from);
  let high = low;
  for (let at: usize = 4; at < bytes; at += 4) {
    const z = load<f32>(from + at);
    low = z < low ? z : low;
    high = high < z ? z : high;
  }
  record.low = low;
  record.high = high;
}

/** Depth of a triangle at a sample of a quad, given by its bit (tile/layers.ts). */
export function depthAt(tile: Tile, triangle: Triangle, quad: i32, bit: i32): f32 {
  const perSample = tile.layerSamples != 1;
  const pixel = perSample ? (bit >> 2) & 3 : bit;
  const count = tile.samples;
  const sample = ((bit >> 4) << 2) + (bit & 3);
  const sx = sampleX(count, sample);
  const sy = sampleY(count, sample);
  const x = <f32>(tile.x + quadX(quad) + (pixel & 1)) + <f32>sx * 0.0625;
  const y = <f32>(tile.y + quadY(quad) + (pixel >> 1)) + <f32>sy * 0.0625;
  return planeDepth(triangle, x, y, tile.depth16);
}

export function planeBlockScalar(tile: Tile, triangle: Triangle, block: i32): void {
  const count = 4 * tile.layerSamples;
  const end = count * tile.layers;
  for (let quad = block << 4; quad < (block + 1) << 4; quad++) {
    const plane = tile.depth + ((quad * count) << 2);
    for (let bit = 0; bit < end; bit++)
      store<f32>(plane + (sampleOffset(bit) << 2), depthAt(tile, triangle, quad, bit));
  }
}
