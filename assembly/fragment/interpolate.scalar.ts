// Scalar twin of interpolate.ts and interpolate-pixels.ts: a pixel at a time. Built-in inputs of single pixels are the same code in both builds.

import {
  CTX_REGISTERS, CTX_SAMPLE_COUNT, CTX_TILE_X, CTX_TILE_Y, ENTRY_PIXEL, ENTRY_QUAD, ENTRY_SAMPLE, ENTRY_SHIFT, ENTRY_TRIANGLE,
  PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES, PACKER_KIND, PACKER_PIXELS,
} from '../layout/context';
import {
  DRAW_FRAGMENT_POSITION_W, DRAW_FRAGMENT_POSITION_X, DRAW_FRAGMENT_POSITION_Y, DRAW_FRAGMENT_POSITION_Z, DRAW_FRONT_FACING_REGISTER,
  DRAW_SAMPLE_INDEX_REGISTER, DRAW_SAMPLE_MASK_IN_REGISTER, DRAW_VARYING_COUNT, DRAW_VARYING_GROUPS,
} from '../layout/draw';
import { REGISTER_BYTES } from '../layout/limits';
import {
  TRI_FLAG_FRONT, TRI_FLAGS, TRI_PLANES, TRI_W, TRI_X0, TRI_Y0, TRI_Z, TRI_Z_MAX, TRI_Z_MIN,
} from '../layout/triangle';
import { pixelX, pixelY, sampleX, sampleY } from '../simd/positions';
import { centroidSample } from './centroid';
import { coveredSamples } from './covered';

export function interpolateWarpScalar(context: usize, packer: usize): void {
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  const count = load<i32>(packer + PACKER_COUNT);
  const registers: usize = load<usize>(context + CTX_REGISTERS);
  const pixels = load<i32>(packer + PACKER_KIND) == PACKER_PIXELS;
  for (let i: usize = 0; i < <usize>count; i++) {
    const entry = packer + PACKER_ENTRIES + (i << ENTRY_SHIFT);
    if (pixels) {
      interpolatePixel(context, draw, entry, load<i32>(entry + ENTRY_PIXEL), registers + (i << 2));
      continue;
    }
    for (let pixel = 0; pixel < 4; pixel++) {
      interpolatePixel(context, draw, entry, (load<i32>(entry + ENTRY_QUAD) << 2) + pixel, registers + (i << 4) + (<usize>pixel << 2));
    }
  }
}

/** One pixel of the tile; `out`: address of its lane of register 0. */
function interpolatePixel(context: usize, draw: usize, entry: usize, pixel: i32, out: usize): void {
  pixelVaryings(context, draw, entry, pixel, out);
  pixelBuiltins(context, draw, entry, pixel, out);
}

/** c + ddx·dx + ddy·dy of the plane whose three words lie `stride` bytes apart. */
// @ts-ignore: decorator
@inline
export function planeAt(at: usize, stride: usize, dx: f32, dy: f32): f32 {
  const column = load<f32>(at + stride) * dx + load<f32>(at);
  return column + load<f32>(at + (stride << 1)) * dy;
}

/** x of a sample of a pixel of the tile, -1: of its centre. */
// @ts-ignore: decorator
@inline
export function positionX(context: usize, pixel: i32, sample: i32): f32 {
  const centre = <f32>(load<i32>(context + CTX_TILE_X) + pixelX(pixel)) + 0.5;
  return sample < 0 ? centre : centre + <f32>(sampleX(load<i32>(context, CTX_SAMPLE_COUNT), sample) - 8) * 0.0625;
}

/** y of a sample of a pixel of the tile, -1: of its centre. */
// @ts-ignore: decorator
@inline
export function positionY(context: usize, pixel: i32, sample: i32): f32 {
  const centre = <f32>(load<i32>(context + CTX_TILE_Y) + pixelY(pixel)) + 0.5;
  return sample < 0 ? centre : centre + <f32>(sampleY(load<i32>(context, CTX_SAMPLE_COUNT), sample) - 8) * 0.0625;
}

function pixelVaryings(context: usize, draw: usize, entry: usize, pixel: i32, out: usize): void {
  const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
  const stride = <usize>((load<i32>(draw + DRAW_VARYING_COUNT) + 3) & ~3) << 2;
  let varying = 0;
  for (let group = 0; group < 7; group++) {
    const end = varying + load<i32>(draw + DRAW_VARYING_GROUPS + (<usize>group << 2));
    let sample = load<i32>(entry + ENTRY_SAMPLE);
    if (group == 0 || group == 3) sample = -1;
    else if (sample < 0 && (group == 1 || group == 4)) sample = centroidSample(context, entry, pixel);
    const dx = positionX(context, pixel, sample) - load<f32>(triangle + TRI_X0);
    const dy = positionY(context, pixel, sample) - load<f32>(triangle + TRI_Y0);
    for (; varying < end; varying++) {
      const at = triangle + TRI_PLANES + (<usize>varying << 2);
      const register = out + <usize>varying * REGISTER_BYTES;
      if (group == 6) store<u32>(register, load<u32>(at));
      else if (group < 3) store<f32>(register, planeAt(at, stride, dx, dy) * (<f32>1 / planeAt(triangle + TRI_W, 4, dx, dy)));
      else store<f32>(register, planeAt(at, stride, dx, dy));
    }
  }
}

function putFloat(out: usize, register: i32, value: f32): void {
  if (register >= 0) store<f32>(out + <usize>register * REGISTER_BYTES, value);
}

function putInteger(out: usize, register: i32, value: i32): void {
  if (register >= 0) store<i32>(out + <usize>register * REGISTER_BYTES, value);
}

/** Built-in inputs of one pixel; its position is that of the sample where there is one invocation a sample. */
export function pixelBuiltins(context: usize, draw: usize, entry: usize, pixel: i32, out: usize): void {
  const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
  const sample = load<i32>(entry + ENTRY_SAMPLE);
  const x = positionX(context, pixel, sample);
  const y = positionY(context, pixel, sample);
  const dx = x - load<f32>(triangle + TRI_X0);
  const dy = y - load<f32>(triangle + TRI_Y0);
  putFloat(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_X), x);
  putFloat(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_Y), y);
  const least = load<f32>(triangle + TRI_Z_MIN);
  const most = load<f32>(triangle + TRI_Z_MAX);
  let z = planeAt(triangle + TRI_Z, 4, dx, dy);
  z = least < z ? z : least;
  putFloat(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_Z), most < z ? most : z);
  putFloat(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_W), planeAt(triangle + TRI_W, 4, dx, dy));
  putInteger(out, load<i32>(draw + DRAW_FRONT_FACING_REGISTER), load<u32>(triangle + TRI_FLAGS) & TRI_FLAG_FRONT ? -1 : 0);
  putInteger(out, load<i32>(draw + DRAW_SAMPLE_INDEX_REGISTER), sample < 0 ? 0 : sample);
  const mask = load<i32>(draw + DRAW_SAMPLE_MASK_IN_REGISTER);
  if (mask >= 0) putInteger(out, mask, coveredSamples(context, entry, pixel));
}
