// Scalar twin of interpolate.ts and interpolate-pixels.ts, one pixel at a time. The SIMD build also uses its code for
// the built-in inputs of single pixels.

import {
  Draw,
  DRAW_FLAG_SECOND_PART,
  Entry,
  Packer,
  PACKER_PIXELS,
  RATE_1X1,
  REGISTER_BYTES,
  Tile,
  TRI_FLAG_FRONT,
} from '../../layout';
import { quadX, quadY, sampleX, sampleY } from '../../simd/positions';
import { pixelSamples } from '../../tile/layers';
import { centroidSample } from './centroid';
import { AT_CENTROIDS, coarseCentroids, coarsePixelCentroid } from './coarse-centroid';
import { coveredPixel, coveredQuad } from './covered';

export function interpolateWarpScalar(tile: Tile, packer: Packer): void {
  const draw = packer.draw;
  const count = packer.count;
  const registers: usize = tile.registers;
  const pixels = packer.kind == PACKER_PIXELS;
  const coarse = tile.rate != RATE_1X1 && draw.varyings.centroid != 0;
  const centroids = draw.varyings.centroid != 0 && !coarse;
  for (let i: usize = 0; i < <usize>count; i++) {
    const entry = packer.entry(i);
    if (pixels) {
      if (coarse) coarsePixelCentroid(tile, entry, entry.pixel & 3);
      pixelVaryings(tile, draw, entry, entry.pixel, centroids ? coveredPixel(tile, entry) : 0, registers + (i << 2));
      pixelBuiltins(tile, draw, entry, entry.pixel, registers + (i << 2));
      continue;
    }
    if (coarse) coarseCentroids(tile, entry);
    const covered = centroids ? coveredQuad(tile, entry) : 0;
    for (let lane = 0; lane < 4; lane++) {
      const pixel = (entry.quad << 2) + lane;
      const out = registers + (i << 4) + (lane << 2);
      pixelVaryings(tile, draw, entry, pixel, pixelSamples(covered, lane, tile.samples), out);
      pixelBuiltins(tile, draw, entry, pixel, out);
    }
  }
}

/** c + ddx·dx + ddy·dy for a plane whose three words are `stride` bytes apart. */
function planeAt(at: usize, stride: usize, dx: f32, dy: f32): f32 {
  const column = load<f32>(at + stride) * dx + load<f32>(at);
  return column + load<f32>(at + (stride << 1)) * dy;
}

/** x of a sample of a pixel of the tile. Sample -1 is the centre, AT_CENTROIDS the coarse pixel's centroid. */
function positionX(tile: Tile, pixel: i32, sample: i32): f32 {
  if (sample == AT_CENTROIDS) return load<f32>(tile.coarse.centroids + ((pixel & 3) << 2));
  const centre = <f32>quadX(pixel >> 2) + load<f32>(tile.centresX + ((pixel & 3) << 2));
  return sample < 0 ? centre : centre + <f32>(sampleX(tile.samples, sample) - 8) * 0.0625;
}

/** y of a sample of a pixel of the tile, as positionX. */
function positionY(tile: Tile, pixel: i32, sample: i32): f32 {
  if (sample == AT_CENTROIDS) return load<f32>(tile.coarse.centroids + ((pixel & 3) << 2), 16);
  const centre = <f32>quadY(pixel >> 2) + load<f32>(tile.centresY + ((pixel & 3) << 2));
  return sample < 0 ? centre : centre + <f32>(sampleY(tile.samples, sample) - 8) * 0.0625;
}

/**
 * Fills the varyings of one pixel of the tile. `covered` holds its samples if there are centroid varyings; `out` is the
 * address of its lane in register 0.
 */
function pixelVaryings(tile: Tile, draw: Draw, entry: Entry, pixel: i32, covered: i32, out: usize): void {
  const triangle = entry.triangle;
  const stride = draw.planeStride;
  const centres = !(draw.flags & DRAW_FLAG_SECOND_PART);
  let varying = 0;
  for (let group = 0; group < 7; group++) {
    const end = varying + draw.varyings.count(group);
    if (!centres && (group == 0 || group == 3 || group == 6)) varying = end;
    let sample = entry.sample;
    if (group == 0 || group == 3) sample = -1;
    else if (sample < 0 && (group == 1 || group == 4))
      sample = tile.rate == RATE_1X1 ? centroidSample(covered, tile.samples) : AT_CENTROIDS;
    const dx = positionX(tile, pixel, sample) - triangle.x0;
    const dy = positionY(tile, pixel, sample) - triangle.y0;
    for (; varying < end; varying++) {
      const at = triangle.planes + (varying << 2);
      const register = out + varying * REGISTER_BYTES;
      if (group == 6) store<u32>(register, load<u32>(at));
      else if (group < 3)
        store<f32>(register, planeAt(at, stride, dx, dy) * (<f32>1 / planeAt(triangle.wPlane, 4, dx, dy)));
      else store<f32>(register, planeAt(at, stride, dx, dy));
    }
  }
}

function putFloat(out: usize, register: i32, value: f32): void {
  if (register >= 0) store<f32>(out + register * REGISTER_BYTES, value);
}

function putInteger(out: usize, register: i32, value: i32): void {
  if (register >= 0) store<i32>(out + register * REGISTER_BYTES, value);
}

/** Writes the built-in inputs of one pixel. With one invocation per sample, its position is that of the sample. */
export function pixelBuiltins(tile: Tile, draw: Draw, entry: Entry, pixel: i32, out: usize): void {
  const triangle = entry.triangle;
  const sample = entry.sample;
  const x = positionX(tile, pixel, sample);
  const y = positionY(tile, pixel, sample);
  const dx = x - triangle.x0;
  const dy = y - triangle.y0;
  putFloat(out, draw.fragmentPositionX, x);
  putFloat(out, draw.fragmentPositionY, y);
  putFloat(out, draw.fragmentPositionZ, planeAt(triangle.zPlane, 4, dx, dy));
  putFloat(out, draw.fragmentPositionW, planeAt(triangle.wPlane, 4, dx, dy));
  putInteger(out, draw.frontFacingRegister, triangle.flags & TRI_FLAG_FRONT ? -1 : 0);
  putInteger(out, draw.sampleIndexRegister, sample < 0 ? 0 : sample);
  putInteger(out, draw.shadingRateRegister, tile.rate);
}
