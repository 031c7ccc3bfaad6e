// Fills a warp's input registers from the planes of its entries' triangles: varyings, position, facing, sample index and mask.
// Planes are evaluated directly at each pixel's position; pixels outside the triangle (helpers) get the plane's value there.
// Scalar twin: interpolate.scalar.ts.

import {
  CTX_REGISTERS, CTX_SAMPLES, CTX_TILE_X, CTX_TILE_Y, ENTRY_MASK, ENTRY_QUAD, ENTRY_SAMPLE, ENTRY_SHIFT, ENTRY_TRIANGLE,
  PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES,
} from '../layout/context';
import {
  DRAW_FRAGMENT_POSITION_W, DRAW_FRAGMENT_POSITION_X, DRAW_FRAGMENT_POSITION_Y, DRAW_FRAGMENT_POSITION_Z, DRAW_FRONT_FACING_REGISTER,
  DRAW_SAMPLE_INDEX_REGISTER, DRAW_SAMPLE_MASK_IN_REGISTER, DRAW_VARYING_COUNT, DRAW_VARYING_GROUPS,
} from '../layout/draw';
import { REGISTER_BYTES } from '../layout/limits';
import {
  TRI_FLAG_FRONT, TRI_FLAGS, TRI_PLANES, TRI_W, TRI_W_DX, TRI_W_DY, TRI_X0, TRI_Y0, TRI_Z, TRI_Z_DX, TRI_Z_DY, TRI_Z_MAX, TRI_Z_MIN,
} from '../layout/triangle';
import { madd, max, min } from '../simd/lanes';
import { centresX, centresY, quadX, quadY, sampleX, sampleY } from '../simd/positions';
import { centroidSample } from './centroid';
import { interpolateWarpScalar } from './interpolate.scalar';

/** Fills the registers of all entries of a packer. */
// @ts-ignore: decorator
@inline
export function interpolateWarp(context: usize, packer: usize): void {
  if (ASC_FEATURE_SIMD) interpolateWarpSimd(context, packer);
  else interpolateWarpScalar(context, packer);
}

/** c + ddx·dx + ddy·dy of the plane whose three words lie `stride` bytes apart. */
// @ts-ignore: decorator
@inline
function plane(at: usize, stride: usize, dx: v128, dy: v128): v128 {
  const column = madd(v128.load32_splat(at + stride), dx, v128.load32_splat(at));
  return f32x4.add(column, f32x4.mul(v128.load32_splat(at + (stride << 1)), dy));
}

export function interpolateWarpSimd(context: usize, packer: usize): void {
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  const count = load<i32>(packer + PACKER_COUNT);
  const stride = <usize>((load<i32>(draw + DRAW_VARYING_COUNT) + 3) & ~3) << 2;
  const perspective = load<i32>(draw + DRAW_VARYING_GROUPS);
  const linear = load<i32>(draw + DRAW_VARYING_GROUPS, 12);
  const flat = load<i32>(draw + DRAW_VARYING_GROUPS, 24);
  const offCentre = load<i32>(draw + DRAW_VARYING_GROUPS, 4) | load<i32>(draw + DRAW_VARYING_GROUPS, 8)
    | load<i32>(draw + DRAW_VARYING_GROUPS, 16) | load<i32>(draw + DRAW_VARYING_GROUPS, 20);
  const linearFirst = perspective + load<i32>(draw + DRAW_VARYING_GROUPS, 4) + load<i32>(draw + DRAW_VARYING_GROUPS, 8);
  const flatFirst = load<i32>(draw + DRAW_VARYING_COUNT) - flat;
  const builtins = readsBuiltins(draw);
  const tileX = load<i32>(context + CTX_TILE_X);
  const tileY = load<i32>(context + CTX_TILE_Y);
  let out: usize = load<usize>(context + CTX_REGISTERS);
  let entry = packer + PACKER_ENTRIES;
  for (const end = entry + (<usize>count << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
    const quad = load<i32>(entry + ENTRY_QUAD);
    const dx = f32x4.sub(centresX(tileX + quadX(quad)), v128.load32_splat(triangle + TRI_X0));
    const dy = f32x4.sub(centresY(tileY + quadY(quad)), v128.load32_splat(triangle + TRI_Y0));
    if (perspective) perspectiveGroup(triangle, stride, 0, perspective, out, dx, dy);
    if (linear) linearGroup(triangle, stride, linearFirst, linear, out, dx, dy);
    for (let i = 0; i < flat; i++) {
      v128.store(out + <usize>(flatFirst + i) * REGISTER_BYTES, v128.load32_splat(triangle + TRI_PLANES + (<usize>(flatFirst + i) << 2)));
    }
    if (offCentre) offCentreGroups(context, draw, entry, stride, out);
    if (builtins) writeBuiltins(context, draw, entry, out);
    out += 16;
  }
}

// @ts-ignore: decorator
@inline
function perspectiveGroup(triangle: usize, stride: usize, first: i32, count: i32, out: usize, dx: v128, dy: v128): void {
  const w = plane(triangle + TRI_W, 4, dx, dy);
  let at = triangle + TRI_PLANES + (<usize>first << 2);
  let register = out + <usize>first * REGISTER_BYTES;
  for (const end = at + (<usize>count << 2); at < end; at += 4) {
    v128.store(register, f32x4.div(plane(at, stride, dx, dy), w));
    register += REGISTER_BYTES;
  }
}

// @ts-ignore: decorator
@inline
function linearGroup(triangle: usize, stride: usize, first: i32, count: i32, out: usize, dx: v128, dy: v128): void {
  let at = triangle + TRI_PLANES + (<usize>first << 2);
  let register = out + <usize>first * REGISTER_BYTES;
  for (const end = at + (<usize>count << 2); at < end; at += 4) {
    v128.store(register, plane(at, stride, dx, dy));
    register += REGISTER_BYTES;
  }
}

/** The varyings that are read at the centroid or at the sample. */
function offCentreGroups(context: usize, draw: usize, entry: usize, stride: usize, out: usize): void {
  const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
  const sample = load<i32>(entry + ENTRY_SAMPLE);
  const groups = draw + DRAW_VARYING_GROUPS;
  let first = load<i32>(groups);
  for (let group: usize = 1; group < 6; group++) {
    const count = load<i32>(groups + (group << 2));
    if (group == 3) {
      first += count;
      continue;
    }
    if (count == 0) continue;
    // Groups 1 and 4 are read at the centroid, 2 and 5 at the sample.
    const centroid = sample < 0 && (group == 1 || group == 4);
    const dx = f32x4.sub(positionsX(context, entry, sample, centroid), v128.load32_splat(triangle + TRI_X0));
    const dy = f32x4.sub(positionsY(context, entry, sample, centroid), v128.load32_splat(triangle + TRI_Y0));
    if (group < 3) perspectiveGroup(triangle, stride, first, count, out, dx, dy);
    else linearGroup(triangle, stride, first, count, out, dx, dy);
    first += count;
  }
}

// @ts-ignore: decorator
@inline
function offset(sample: i32, sixteenths: i32): f32 {
  return sample < 0 ? 0 : <f32>(sixteenths - 8) * 0.0625;
}

function positionsX(context: usize, entry: usize, sample: i32, centroid: bool): v128 {
  const centres = centresX(load<i32>(context + CTX_TILE_X) + quadX(load<i32>(entry + ENTRY_QUAD)));
  if (!centroid) return f32x4.add(centres, f32x4.splat(offset(sample, sampleX(sample))));
  const s0 = centroidSample(context, entry, 0);
  const s1 = centroidSample(context, entry, 1);
  const s2 = centroidSample(context, entry, 2);
  const s3 = centroidSample(context, entry, 3);
  let offsets = f32x4.splat(offset(s0, sampleX(s0)));
  offsets = f32x4.replace_lane(offsets, 1, offset(s1, sampleX(s1)));
  offsets = f32x4.replace_lane(offsets, 2, offset(s2, sampleX(s2)));
  offsets = f32x4.replace_lane(offsets, 3, offset(s3, sampleX(s3)));
  return f32x4.add(centres, offsets);
}

function positionsY(context: usize, entry: usize, sample: i32, centroid: bool): v128 {
  const centres = centresY(load<i32>(context + CTX_TILE_Y) + quadY(load<i32>(entry + ENTRY_QUAD)));
  if (!centroid) return f32x4.add(centres, f32x4.splat(offset(sample, sampleY(sample))));
  const s0 = centroidSample(context, entry, 0);
  const s1 = centroidSample(context, entry, 1);
  const s2 = centroidSample(context, entry, 2);
  const s3 = centroidSample(context, entry, 3);
  let offsets = f32x4.splat(offset(s0, sampleY(s0)));
  offsets = f32x4.replace_lane(offsets, 1, offset(s1, sampleY(s1)));
  offsets = f32x4.replace_lane(offsets, 2, offset(s2, sampleY(s2)));
  offsets = f32x4.replace_lane(offsets, 3, offset(s3, sampleY(s3)));
  return f32x4.add(centres, offsets);
}

/** Whether the program reads any built-in value. */
export function readsBuiltins(draw: usize): bool {
  return (load<i32>(draw + DRAW_FRAGMENT_POSITION_X) & load<i32>(draw + DRAW_FRAGMENT_POSITION_Y)
    & load<i32>(draw + DRAW_FRAGMENT_POSITION_Z) & load<i32>(draw + DRAW_FRAGMENT_POSITION_W)
    & load<i32>(draw + DRAW_FRONT_FACING_REGISTER) & load<i32>(draw + DRAW_SAMPLE_INDEX_REGISTER)
    & load<i32>(draw + DRAW_SAMPLE_MASK_IN_REGISTER)) != -1;
}

// @ts-ignore: decorator
@inline
function put(out: usize, register: i32, value: v128): void {
  if (register >= 0) v128.store(out + <usize>register * REGISTER_BYTES, value);
}

/** Built-in inputs of one entry; positions are those of the sample where there is one invocation a sample. */
function writeBuiltins(context: usize, draw: usize, entry: usize, out: usize): void {
  const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
  const sample = load<i32>(entry + ENTRY_SAMPLE);
  const x = positionsX(context, entry, sample, false);
  const y = positionsY(context, entry, sample, false);
  const dx = f32x4.sub(x, v128.load32_splat(triangle + TRI_X0));
  const dy = f32x4.sub(y, v128.load32_splat(triangle + TRI_Y0));
  put(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_X), x);
  put(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_Y), y);
  const column = madd(v128.load32_splat(triangle + TRI_Z_DX), dx, v128.load32_splat(triangle + TRI_Z));
  const z = f32x4.add(column, f32x4.mul(v128.load32_splat(triangle + TRI_Z_DY), dy));
  put(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_Z),
    min(max(v128.load32_splat(triangle + TRI_Z_MIN), z), v128.load32_splat(triangle + TRI_Z_MAX)));
  const w = madd(v128.load32_splat(triangle + TRI_W_DX), dx, v128.load32_splat(triangle + TRI_W));
  put(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_W), f32x4.add(w, f32x4.mul(v128.load32_splat(triangle + TRI_W_DY), dy)));
  put(out, load<i32>(draw + DRAW_FRONT_FACING_REGISTER), i32x4.splat(load<u32>(triangle + TRI_FLAGS) & TRI_FLAG_FRONT ? -1 : 0));
  put(out, load<i32>(draw + DRAW_SAMPLE_INDEX_REGISTER), i32x4.splat(sample < 0 ? 0 : sample));
  const mask = load<i32>(entry + ENTRY_MASK);
  if (load<i32>(context + CTX_SAMPLES) == 1) {
    put(out, load<i32>(draw + DRAW_SAMPLE_MASK_IN_REGISTER), i32x4(mask & 1, (mask >> 1) & 1, (mask >> 2) & 1, (mask >> 3) & 1));
  } else {
    put(out, load<i32>(draw + DRAW_SAMPLE_MASK_IN_REGISTER), i32x4(mask & 15, (mask >> 4) & 15, (mask >> 8) & 15, (mask >> 12) & 15));
  }
}
