// Fills a warp's input registers from the planes of its entries' triangles: varyings, position, facing, sample index and mask.
// Planes are evaluated directly at each pixel's position; pixels outside the triangle (helpers) get the plane's value there.
// Warps of quads; those of single pixels: interpolate-pixels.ts. Scalar twin: interpolate.scalar.ts.

import {
  CTX_OFFSETS, CTX_REGISTERS, CTX_SAMPLE_COUNT, CTX_TILE_X, CTX_TILE_Y, ENTRY_QUAD, ENTRY_SAMPLE, ENTRY_SHIFT, ENTRY_TRIANGLE,
  OFFSET_BYTES, OFFSET_DY, OFFSET_W, PACKER_BLOCK, PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES, PACKER_KIND, PACKER_PIXELS,
} from '../layout/context';
import {
  DRAW_FRAGMENT_POSITION_W, DRAW_FRAGMENT_POSITION_X, DRAW_FRAGMENT_POSITION_Y, DRAW_FRAGMENT_POSITION_Z, DRAW_FRONT_FACING_REGISTER,
  DRAW_SAMPLE_INDEX_REGISTER, DRAW_SAMPLE_MASK_IN_REGISTER, DRAW_VARYING_COUNT, DRAW_VARYING_GROUPS,
} from '../layout/draw';
import { REGISTER_BYTES } from '../layout/limits';
import {
  TRI_FLAG_FRONT, TRI_FLAGS, TRI_PLANES, TRI_W, TRI_W_DX, TRI_W_DY, TRI_X0, TRI_Y0, TRI_Z, TRI_Z_MAX, TRI_Z_MIN,
} from '../layout/triangle';
import { madd, max, min } from '../simd/lanes';
import { centresX, centresY, quadX, quadY, sampleX, sampleY } from '../simd/positions';
import { centroidSample } from './centroid';
import { coveredSamples } from './covered';
import { interpolatePixels } from './interpolate-pixels';
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

/** Bytes of the shortest run of entries of one triangle that is taken plane by plane. Shorter ones (small triangles have a quad or two) cost
 * 30 % more that way. */
const LONG_RUN: usize = 80;

function interpolateWarpSimd(context: usize, packer: usize): void {
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  const builtins = readsBuiltins(draw);
  if (load<i32>(packer + PACKER_KIND) == PACKER_PIXELS) {
    interpolatePixels(context, packer, builtins);
    return;
  }
  const entries = packer + PACKER_ENTRIES;
  const end = entries + (<usize>load<i32>(packer + PACKER_COUNT) << ENTRY_SHIFT);
  if (load<i32>(draw + DRAW_VARYING_COUNT)) centreGroups(context, draw, entries, end);
  const offCentre = load<i32>(draw + DRAW_VARYING_GROUPS, 4) | load<i32>(draw + DRAW_VARYING_GROUPS, 8)
    | load<i32>(draw + DRAW_VARYING_GROUPS, 16) | load<i32>(draw + DRAW_VARYING_GROUPS, 20);
  const whole = load<i32>(packer + PACKER_KIND) == PACKER_BLOCK;
  if (builtins && whole) blockBuiltins(context, draw, entries);
  if (!offCentre && (whole || !builtins)) return;
  const stride = <usize>((load<i32>(draw + DRAW_VARYING_COUNT) + 3) & ~3) << 2;
  let out: usize = load<usize>(context + CTX_REGISTERS);
  for (let entry = entries; entry < end; entry += 1 << ENTRY_SHIFT) {
    if (offCentre) offCentreGroups(context, draw, entry, stride, out);
    if (builtins && !whole) writeBuiltins(context, draw, entry, out);
    out += 16;
  }
}

/** The varyings that are read at pixel centres, and the flat ones. */
// @ts-ignore: decorator
@inline
function centreGroups(context: usize, draw: usize, entries: usize, end: usize): void {
  const groups = draw + DRAW_VARYING_GROUPS;
  const stride = <usize>((load<i32>(draw + DRAW_VARYING_COUNT) + 3) & ~3) << 2;
  const perspective = load<i32>(groups);
  const linear = load<i32>(groups, 12);
  const flat = load<i32>(groups, 24);
  const linearFirst = perspective + load<i32>(groups, 4) + load<i32>(groups, 8);
  const flatFirst = load<i32>(draw + DRAW_VARYING_COUNT) - flat;
  const tileX = load<i32>(context + CTX_TILE_X);
  const tileY = load<i32>(context + CTX_TILE_Y);
  let out: usize = load<usize>(context + CTX_REGISTERS);
  for (let entry = entries; entry < end;) {
    const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
    const ahead = entry + (LONG_RUN - 16);
    if (ahead < end && load<usize>(ahead + ENTRY_TRIANGLE) == triangle) {
      const length = runLength(entry, end, triangle);
      if (length >= LONG_RUN) {
        interpolateRun(context, draw, triangle, entry, entry + length, out);
        entry += length;
        out += length;
        continue;
      }
    }
    const quad = load<i32>(entry + ENTRY_QUAD);
    const dx = f32x4.sub(centresX(tileX + quadX(quad)), v128.load32_splat(triangle + TRI_X0));
    const dy = f32x4.sub(centresY(tileY + quadY(quad)), v128.load32_splat(triangle + TRI_Y0));
    if (perspective) perspectiveGroup(triangle, stride, 0, perspective, out, dx, dy);
    if (linear) linearGroup(triangle, stride, linearFirst, linear, out, dx, dy);
    for (let i = 0; i < flat; i++) {
      v128.store(out + <usize>(flatFirst + i) * REGISTER_BYTES, v128.load32_splat(triangle + TRI_PLANES + (<usize>(flatFirst + i) << 2)));
    }
    entry += 1 << ENTRY_SHIFT;
    out += 16;
  }
}

/** Bytes of the entries from `first` on that are of one triangle. */
// @ts-ignore: decorator
@inline
function runLength(first: usize, end: usize, triangle: usize): usize {
  let last = first;
  do last += 1 << ENTRY_SHIFT; while (last < end && load<usize>(last + ENTRY_TRIANGLE) == triangle);
  return last - first;
}

/** centreGroups for many entries of one triangle. CTX_OFFSETS takes dx, dy and w of each quad. */
function interpolateRun(context: usize, draw: usize, triangle: usize, first: usize, last: usize, out: usize): void {
  const groups = draw + DRAW_VARYING_GROUPS;
  const stride = <usize>((load<i32>(draw + DRAW_VARYING_COUNT) + 3) & ~3) << 2;
  const perspective = load<i32>(groups);
  const linear = load<i32>(groups, 12);
  const linearFirst = perspective + load<i32>(groups, 4) + load<i32>(groups, 8);
  const offsets = context + CTX_OFFSETS;
  const length = last - first;
  // x · 1 is x.
  const divides = perspective != 0 && !(load<f32>(triangle + TRI_W) == 1 && load<f32>(triangle + TRI_W_DX) == 0 && load<f32>(triangle + TRI_W_DY) == 0);
  if (perspective | linear) offsetsOf(context, triangle, first, last, offsets, divides);
  for (let i = 0; i < perspective; i++) {
    const at = triangle + TRI_PLANES + (<usize>i << 2);
    const register = out + <usize>i * REGISTER_BYTES;
    if (divides) dividedRun(at, stride, offsets, register, length);
    else planeRun(at, stride, offsets, register, length);
  }
  for (let i = linearFirst; i < linearFirst + linear; i++) {
    planeRun(triangle + TRI_PLANES + (<usize>i << 2), stride, offsets, out + <usize>i * REGISTER_BYTES, length);
  }
  const count = load<i32>(draw + DRAW_VARYING_COUNT);
  for (let i = count - load<i32>(groups, 24); i < count; i++) {
    splatRun(v128.load32_splat(triangle + TRI_PLANES + (<usize>i << 2)), out + <usize>i * REGISTER_BYTES, length);
  }
}

// @ts-ignore: decorator
@inline
function offsetsOf(context: usize, triangle: usize, first: usize, last: usize, offsets: usize, divides: bool): void {
  const tileX = load<i32>(context + CTX_TILE_X);
  const tileY = load<i32>(context + CTX_TILE_Y);
  const x0 = v128.load32_splat(triangle + TRI_X0);
  const y0 = v128.load32_splat(triangle + TRI_Y0);
  let to = offsets;
  for (let entry = first; entry < last; entry += 1 << ENTRY_SHIFT) {
    const quad = load<i32>(entry + ENTRY_QUAD);
    const dx = f32x4.sub(centresX(tileX + quadX(quad)), x0);
    const dy = f32x4.sub(centresY(tileY + quadY(quad)), y0);
    v128.store(to, dx);
    v128.store(to, dy, OFFSET_DY);
    if (divides) v128.store(to, f32x4.div(f32x4.splat(1), plane(triangle + TRI_W, 4, dx, dy)), OFFSET_W);
    to += OFFSET_BYTES;
  }
}

// @ts-ignore: decorator
@inline
function splatRun(value: v128, register: usize, length: usize): void {
  for (const end = register + length; register < end; register += 16) v128.store(register, value);
}

/** A varying that is linear on the screen; `length`: 16 bytes a quad. */
function planeRun(at: usize, stride: usize, offsets: usize, register: usize, length: usize): void {
  const c = v128.load32_splat(at);
  // A plane without slopes is its value, but for the sign of zero.
  if (load<f32>(at + stride) == 0 && load<f32>(at + (stride << 1)) == 0 && load<f32>(at) != 0) {
    splatRun(c, register, length);
    return;
  }
  const ddx = v128.load32_splat(at + stride);
  const ddy = v128.load32_splat(at + (stride << 1));
  for (const end = register + length; register < end; register += 16) {
    const column = madd(ddx, v128.load(offsets), c);
    v128.store(register, f32x4.add(column, f32x4.mul(ddy, v128.load(offsets, OFFSET_DY))));
    offsets += OFFSET_BYTES;
  }
}

/** A varying whose plane is that of a/w: times w, which is one division for all of them. */
function dividedRun(at: usize, stride: usize, offsets: usize, register: usize, length: usize): void {
  const c = v128.load32_splat(at);
  const ddx = v128.load32_splat(at + stride);
  const ddy = v128.load32_splat(at + (stride << 1));
  for (const end = register + length; register < end; register += 16) {
    const column = madd(ddx, v128.load(offsets), c);
    const value = f32x4.add(column, f32x4.mul(ddy, v128.load(offsets, OFFSET_DY)));
    v128.store(register, f32x4.mul(value, v128.load(offsets, OFFSET_W)));
    offsets += OFFSET_BYTES;
  }
}

/** Built-in inputs of a block that one triangle covers: x and what follows from it once a column of quads, y once a row. */
function blockBuiltins(context: usize, draw: usize, entry: usize): void {
  const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
  const quad = load<i32>(entry + ENTRY_QUAD);
  const left = load<i32>(context + CTX_TILE_X) + quadX(quad);
  const top = load<i32>(context + CTX_TILE_Y) + quadY(quad);
  const registerX = load<i32>(draw + DRAW_FRAGMENT_POSITION_X);
  const registerY = load<i32>(draw + DRAW_FRAGMENT_POSITION_Y);
  const registerZ = load<i32>(draw + DRAW_FRAGMENT_POSITION_Z);
  const registerW = load<i32>(draw + DRAW_FRAGMENT_POSITION_W);
  const least = v128.load32_splat(triangle + TRI_Z_MIN);
  const most = v128.load32_splat(triangle + TRI_Z_MAX);
  const x0 = v128.load32_splat(triangle + TRI_X0);
  const y0 = v128.load32_splat(triangle + TRI_Y0);
  const out: usize = load<usize>(context + CTX_REGISTERS);
  if (registerX >= 0) {
    const at = out + <usize>registerX * REGISTER_BYTES;
    for (let column = 0; column < 4; column++) {
      const x = centresX(left + (column << 1));
      const quad = at + (<usize>column << 4);
      v128.store(quad, x);
      v128.store(quad, x, 64);
      v128.store(quad, x, 128);
      v128.store(quad, x, 192);
    }
  }
  if (registerY >= 0) {
    const at = out + <usize>registerY * REGISTER_BYTES;
    for (let row = 0; row < 4; row++) splatRun(centresY(top + (row << 1)), at + (<usize>row << 6), 64);
  }
  if (registerZ >= 0 || registerW >= 0) {
    for (let column = 0; column < 4; column++) {
      const dx = f32x4.sub(centresX(left + (column << 1)), x0);
      for (let row = 0; row < 4; row++) {
        const dy = f32x4.sub(centresY(top + (row << 1)), y0);
        const at = out + (<usize>((row << 2) + column) << 4);
        if (registerZ >= 0) put(at, registerZ, min(max(least, plane(triangle + TRI_Z, 4, dx, dy)), most));
        if (registerW >= 0) put(at, registerW, plane(triangle + TRI_W, 4, dx, dy));
      }
    }
  }
  putBlock(out, load<i32>(draw + DRAW_FRONT_FACING_REGISTER), load<u32>(triangle + TRI_FLAGS) & TRI_FLAG_FRONT ? -1 : 0);
  putBlock(out, load<i32>(draw + DRAW_SAMPLE_INDEX_REGISTER), 0);
  putBlock(out, load<i32>(draw + DRAW_SAMPLE_MASK_IN_REGISTER), (1 << load<i32>(context, CTX_SAMPLE_COUNT)) - 1);
}

// @ts-ignore: decorator
@inline
function putBlock(out: usize, register: i32, word: i32): void {
  if (register >= 0) splatRun(i32x4.splat(word), out + <usize>register * REGISTER_BYTES, REGISTER_BYTES);
}

// @ts-ignore: decorator
@inline
function perspectiveGroup(triangle: usize, stride: usize, first: i32, count: i32, out: usize, dx: v128, dy: v128): void {
  const w = f32x4.div(f32x4.splat(1), plane(triangle + TRI_W, 4, dx, dy));
  let at = triangle + TRI_PLANES + (<usize>first << 2);
  let register = out + <usize>first * REGISTER_BYTES;
  for (const end = at + (<usize>count << 2); at < end; at += 4) {
    v128.store(register, f32x4.mul(plane(at, stride, dx, dy), w));
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
  if (!centroid) return f32x4.add(centres, f32x4.splat(offset(sample, sampleX(load<i32>(context, CTX_SAMPLE_COUNT), sample))));
  const first = load<i32>(entry + ENTRY_QUAD) << 2;
  const s0 = centroidSample(context, entry, first);
  const s1 = centroidSample(context, entry, first + 1);
  const s2 = centroidSample(context, entry, first + 2);
  const s3 = centroidSample(context, entry, first + 3);
  let offsets = f32x4.splat(offset(s0, sampleX(load<i32>(context, CTX_SAMPLE_COUNT), s0)));
  offsets = f32x4.replace_lane(offsets, 1, offset(s1, sampleX(load<i32>(context, CTX_SAMPLE_COUNT), s1)));
  offsets = f32x4.replace_lane(offsets, 2, offset(s2, sampleX(load<i32>(context, CTX_SAMPLE_COUNT), s2)));
  offsets = f32x4.replace_lane(offsets, 3, offset(s3, sampleX(load<i32>(context, CTX_SAMPLE_COUNT), s3)));
  return f32x4.add(centres, offsets);
}

function positionsY(context: usize, entry: usize, sample: i32, centroid: bool): v128 {
  const centres = centresY(load<i32>(context + CTX_TILE_Y) + quadY(load<i32>(entry + ENTRY_QUAD)));
  if (!centroid) return f32x4.add(centres, f32x4.splat(offset(sample, sampleY(load<i32>(context, CTX_SAMPLE_COUNT), sample))));
  const first = load<i32>(entry + ENTRY_QUAD) << 2;
  const s0 = centroidSample(context, entry, first);
  const s1 = centroidSample(context, entry, first + 1);
  const s2 = centroidSample(context, entry, first + 2);
  const s3 = centroidSample(context, entry, first + 3);
  let offsets = f32x4.splat(offset(s0, sampleY(load<i32>(context, CTX_SAMPLE_COUNT), s0)));
  offsets = f32x4.replace_lane(offsets, 1, offset(s1, sampleY(load<i32>(context, CTX_SAMPLE_COUNT), s1)));
  offsets = f32x4.replace_lane(offsets, 2, offset(s2, sampleY(load<i32>(context, CTX_SAMPLE_COUNT), s2)));
  offsets = f32x4.replace_lane(offsets, 3, offset(s3, sampleY(load<i32>(context, CTX_SAMPLE_COUNT), s3)));
  return f32x4.add(centres, offsets);
}

/** Whether the program reads any built-in value. */
function readsBuiltins(draw: usize): bool {
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
  const z = plane(triangle + TRI_Z, 4, dx, dy);
  put(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_Z),
    min(max(v128.load32_splat(triangle + TRI_Z_MIN), z), v128.load32_splat(triangle + TRI_Z_MAX)));
  put(out, load<i32>(draw + DRAW_FRAGMENT_POSITION_W), plane(triangle + TRI_W, 4, dx, dy));
  put(out, load<i32>(draw + DRAW_FRONT_FACING_REGISTER), i32x4.splat(load<u32>(triangle + TRI_FLAGS) & TRI_FLAG_FRONT ? -1 : 0));
  put(out, load<i32>(draw + DRAW_SAMPLE_INDEX_REGISTER), i32x4.splat(sample < 0 ? 0 : sample));
  const mask = load<i32>(draw + DRAW_SAMPLE_MASK_IN_REGISTER);
  if (mask >= 0) for (let pixel = 0; pixel < 4; pixel++) store<i32>(out + <usize>mask * REGISTER_BYTES + (<usize>pixel << 2), coveredSamples(context, entry, (load<i32>(entry + ENTRY_QUAD) << 2) + pixel));
}
