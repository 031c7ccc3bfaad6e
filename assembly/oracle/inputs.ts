// Fragment inputs in the oracle: the inputs of one pixel in a warp of one quad. They depend only on the triangle and
// the position; helper pixels get the plane's value at their own position.

import { RATE_1X1, REGISTER_BYTES, SAMPLE1, Tile, TRI_FLAG_FRONT, Triangle } from '../layout';
import { quadX, quadY, sampleX, sampleY } from '../simd/positions';

/** Groups of varyings (layout/pass/draw.ts): three of each kind, by interpolation position; then the flat ones. */
const GROUP_LINEAR = 3;
const GROUP_FLAT = 6;
const AT_CENTRE = 0;
const AT_CENTROID = 1;

/**
 * Writes the inputs of a pixel of a quad, except its mask of samples. `covered`: the pixel's samples that the triangle
 * covers. `sample` is the shaded sample if there is one invocation per sample, else −1.
 */
export function writeInputs(tile: Tile, triangle: Triangle, quad: i32, pixel: i32, covered: i32, sample: i32): void {
  const draw = triangle.draw;
  const lane = tile.warp.registers + (pixel << 2);
  const x = <f32>(tile.x + quadX(quad) + (pixel & 1));
  const y = <f32>(tile.y + quadY(quad) + (pixel >> 1));
  const x0 = triangle.x0;
  const y0 = triangle.y0;
  const stride = ((draw.varyingCount + 3) & ~3) << 2;
  const count = tile.samples;
  let varying = 0;
  for (let group = 0; group <= GROUP_FLAT; group++) {
    const at = placeOf(tile, group % 3, covered, sample);
    const dx = x + inPixelX(count, at) - x0;
    const dy = y + inPixelY(count, at) - y0;
    for (const end = varying + draw.varyings.count(group); varying < end; varying++) {
      const plane = triangle.planes + (varying << 2);
      const register = lane + varying * REGISTER_BYTES;
      if (group == GROUP_FLAT) store<u32>(register, load<u32>(plane));
      else if (group >= GROUP_LINEAR) store<f32>(register, planeAt(plane, stride, dx, dy));
      else store<f32>(register, planeAt(plane, stride, dx, dy) * (<f32>1 / planeAt(triangle.wPlane, 4, dx, dy)));
    }
  }
  writeBuiltins(triangle, lane, x + inPixelX(count, sample), y + inPixelY(count, sample), sample);
}

/** Writes the pixel's mask of samples, `mask`, if the shader reads it. */
export function writeSampleMask(triangle: Triangle, lane: usize, mask: i32): void {
  writeWord(lane, triangle.draw.sampleMaskInRegister, mask);
}

/**
 * The sample at which a group is interpolated, −1 for the centre. The centroid of a partly covered pixel is its first
 * covered sample.
 */
function placeOf(tile: Tile, place: i32, covered: i32, sample: i32): i32 {
  if (place == AT_CENTRE) return -1;
  if (sample >= 0 || place != AT_CENTROID) return sample;
  const count = tile.samples;
  return count == 1 || covered == 0 || covered == (1 << count) - 1 ? -1 : ctz(covered);
}

function inPixelX(count: i32, sample: i32): f32 {
  return <f32>(sample < 0 ? SAMPLE1 : sampleX(count, sample)) / 16;
}

function inPixelY(count: i32, sample: i32): f32 {
  return <f32>(sample < 0 ? SAMPLE1 : sampleY(count, sample)) / 16;
}

/** (c + ddx·dx) + ddy·dy of a plane whose three words are `stride` bytes apart. */
function planeAt(plane: usize, stride: usize, dx: f32, dy: f32): f32 {
  return load<f32>(plane) + load<f32>(plane + stride) * dx + load<f32>(plane + 2 * stride) * dy;
}

function writeBuiltins(triangle: Triangle, lane: usize, x: f32, y: f32, sample: i32): void {
  const draw = triangle.draw;
  const dx = x - triangle.x0;
  const dy = y - triangle.y0;
  writeFloat(lane, draw.fragmentPositionX, x);
  writeFloat(lane, draw.fragmentPositionY, y);
  writeFloat(lane, draw.fragmentPositionZ, planeAt(triangle.zPlane, 4, dx, dy));
  writeFloat(lane, draw.fragmentPositionW, planeAt(triangle.wPlane, 4, dx, dy));
  writeWord(lane, draw.frontFacingRegister, triangle.flags & TRI_FLAG_FRONT ? -1 : 0);
  writeWord(lane, draw.sampleIndexRegister, sample < 0 ? 0 : sample);
  // The oracle shades everything at 1×1.
  writeWord(lane, draw.shadingRateRegister, RATE_1X1);
}

function writeFloat(lane: usize, register: i32, value: f32): void {
  if (register >= 0) store<f32>(lane + register * REGISTER_BYTES, value);
}

function writeWord(lane: usize, register: i32, value: i32): void {
  if (register >= 0) store<i32>(lane + register * REGISTER_BYTES, value);
}
