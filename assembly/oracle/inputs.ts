// What a fragment program reads, in the oracle: the inputs of one pixel of a warp of one quad. All of it follows from the triangle
// and the position alone; helper pixels get the plane's value where they lie.

import { CTX_REGISTERS, CTX_SAMPLE_COUNT, CTX_TILE_X, CTX_TILE_Y } from '../layout/context';
import {
  DRAW_FRAGMENT_POSITION_W, DRAW_FRAGMENT_POSITION_X, DRAW_FRAGMENT_POSITION_Y, DRAW_FRAGMENT_POSITION_Z, DRAW_FRONT_FACING_REGISTER,
  DRAW_SAMPLE_INDEX_REGISTER, DRAW_SAMPLE_MASK_IN_REGISTER, DRAW_VARYING_COUNT, DRAW_VARYING_GROUPS,
} from '../layout/draw';
import { REGISTER_BYTES } from '../layout/limits';
import { SAMPLE1 } from '../layout/tile';
import { TRI_FLAG_FRONT, TRI_FLAGS, TRI_PLANES, TRI_W, TRI_X0, TRI_Y0, TRI_Z, TRI_Z_MAX, TRI_Z_MIN } from '../layout/triangle';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';

/** Groups of varyings (layout/draw.ts): three of each kind, by place; then the flat ones. */
const GROUP_LINEAR = 3;
const GROUP_FLAT = 6;
const PLACE_CENTRE = 0;
const PLACE_CENTROID = 1;

/**
 * Writes the inputs of a pixel of a quad. `covered`: the pixel's samples that the triangle covers; `sample`: the one that is shaded, where
 * there is one invocation a sample, else -1.
 */
export function writeInputs(context: usize, draw: usize, triangle: usize, quad: i32, pixel: i32, covered: i32, sample: i32): void {
  const lane = load<usize>(context + CTX_REGISTERS) + (<usize>pixel << 2);
  const x = <f32>(load<i32>(context + CTX_TILE_X) + quadX(quad) + (pixel & 1));
  const y = <f32>(load<i32>(context + CTX_TILE_Y) + quadY(quad) + (pixel >> 1));
  const x0 = load<f32>(triangle + TRI_X0);
  const y0 = load<f32>(triangle + TRI_Y0);
  const stride = <usize>((load<i32>(draw + DRAW_VARYING_COUNT) + 3) & ~3) << 2;
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  let varying = 0;
  for (let group = 0; group <= GROUP_FLAT; group++) {
    const at = placeOf(context, group % 3, covered, sample);
    const dx = x + inPixelX(count, at) - x0;
    const dy = y + inPixelY(count, at) - y0;
    for (const end = varying + load<i32>(draw + DRAW_VARYING_GROUPS + (<usize>group << 2)); varying < end; varying++) {
      const plane = triangle + TRI_PLANES + (<usize>varying << 2);
      const register = lane + <usize>varying * REGISTER_BYTES;
      if (group == GROUP_FLAT) store<u32>(register, load<u32>(plane));
      else if (group >= GROUP_LINEAR) store<f32>(register, planeAt(plane, stride, dx, dy));
      else store<f32>(register, planeAt(plane, stride, dx, dy) * (<f32>1 / planeAt(triangle + TRI_W, 4, dx, dy)));
    }
  }
  writeBuiltins(draw, triangle, lane, x + inPixelX(count, sample), y + inPixelY(count, sample), covered, sample);
}

/** The sample at which a group is read, -1 for the centre. A pixel that is covered in part has its centroid at its first covered sample. */
function placeOf(context: usize, place: i32, covered: i32, sample: i32): i32 {
  if (place == PLACE_CENTRE) return -1;
  if (sample >= 0 || place != PLACE_CENTROID) return sample;
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  return count == 1 || covered == 0 || covered == (1 << count) - 1 ? -1 : ctz(covered);
}

function inPixelX(count: i32, sample: i32): f32 { return <f32>(sample < 0 ? SAMPLE1 : sampleX(count, sample)) / 16; }

function inPixelY(count: i32, sample: i32): f32 { return <f32>(sample < 0 ? SAMPLE1 : sampleY(count, sample)) / 16; }

/** (c + ddx·dx) + ddy·dy of a plane whose three words lie `stride` bytes apart. */
function planeAt(plane: usize, stride: usize, dx: f32, dy: f32): f32 {
  return load<f32>(plane) + load<f32>(plane + stride) * dx + load<f32>(plane + 2 * stride) * dy;
}

function writeBuiltins(draw: usize, triangle: usize, lane: usize, x: f32, y: f32, covered: i32, sample: i32): void {
  const dx = x - load<f32>(triangle + TRI_X0);
  const dy = y - load<f32>(triangle + TRI_Y0);
  const z = planeAt(triangle + TRI_Z, 4, dx, dy);
  const nearest = load<f32>(triangle + TRI_Z_MIN);
  const farthest = load<f32>(triangle + TRI_Z_MAX);
  writeFloat(lane, load<i32>(draw + DRAW_FRAGMENT_POSITION_X), x);
  writeFloat(lane, load<i32>(draw + DRAW_FRAGMENT_POSITION_Y), y);
  writeFloat(lane, load<i32>(draw + DRAW_FRAGMENT_POSITION_Z), !(z > nearest) ? nearest : z > farthest ? farthest : z);
  writeFloat(lane, load<i32>(draw + DRAW_FRAGMENT_POSITION_W), planeAt(triangle + TRI_W, 4, dx, dy));
  writeWord(lane, load<i32>(draw + DRAW_FRONT_FACING_REGISTER), load<u32>(triangle + TRI_FLAGS) & TRI_FLAG_FRONT ? -1 : 0);
  writeWord(lane, load<i32>(draw + DRAW_SAMPLE_INDEX_REGISTER), sample < 0 ? 0 : sample);
  writeWord(lane, load<i32>(draw + DRAW_SAMPLE_MASK_IN_REGISTER), covered);
}

function writeFloat(lane: usize, register: i32, value: f32): void {
  if (register >= 0) store<f32>(lane + <usize>register * REGISTER_BYTES, value);
}

function writeWord(lane: usize, register: i32, value: i32): void {
  if (register >= 0) store<i32>(lane + <usize>register * REGISTER_BYTES, value);
}
