// Building blocks that fill the input registers of quads from their triangles' planes at given positions: groups of
// varyings, one varying for a run of quads, and built-in values.

import { Draw, Entry, REGISTER_BYTES, sizeOf, Tile, TRI_FLAG_FRONT, Triangle, WarpOffset } from '../../layout';
import { madd } from '../../simd/lanes';

/** c + ddx·dx + ddy·dy for a plane whose three words are `stride` bytes apart. */
export function plane(at: usize, stride: usize, dx: v128, dy: v128): v128 {
  const column = madd(v128.load32_splat(at + stride), dx, v128.load32_splat(at));
  return f32x4.add(column, f32x4.mul(v128.load32_splat(at + (stride << 1)), dy));
}

/** The centres of a quad that is `pixels` pixels after the tile's first quad, whose centres are `first`. */
export function after(pixels: i32, first: v128): v128 {
  return f32x4.add(f32x4.splat(<f32>pixels), first);
}

// @ts-ignore: decorator
@inline
export function perspectiveGroup(triangle: Triangle, first: i32, count: i32, out: usize, dx: v128, dy: v128): void {
  const stride = triangle.draw.planeStride;
  const w = f32x4.div(f32x4.splat(1), plane(triangle.wPlane, 4, dx, dy));
  let at = triangle.planes + (first << 2);
  let register = out + first * REGISTER_BYTES;
  for (const end = at + (count << 2); at < end; at += 4) {
    v128.store(register, f32x4.mul(plane(at, stride, dx, dy), w));
    register += REGISTER_BYTES;
  }
}

export function linearGroup(triangle: Triangle, first: i32, count: i32, out: usize, dx: v128, dy: v128): void {
  const stride = triangle.draw.planeStride;
  let at = triangle.planes + (first << 2);
  let register = out + first * REGISTER_BYTES;
  for (const end = at + (count << 2); at < end; at += 4) {
    v128.store(register, plane(at, stride, dx, dy));
    register += REGISTER_BYTES;
  }
}

/** Length in bytes of the run of entries from `first` on that belong to one triangle. */
export function runLength(first: usize, end: usize, triangle: usize): usize {
  let last = first;
  do last += sizeOf<Entry>();
  while (last < end && load<usize>(last + offsetof<Entry>('triangle')) == triangle);
  return last - first;
}

export function splatRun(value: v128, register: usize, length: usize): void {
  for (const end = register + length; register < end; register += 16) v128.store(register, value);
}

/** Fills the register of a varying that is linear in screen space. `length` is 16 bytes per quad. */
export function planeRun(at: usize, stride: usize, offsets: usize, register: usize, length: usize): void {
  const c = v128.load32_splat(at);
  // A plane without slopes equals its constant, except that the sign of a zero may differ.
  if (load<f32>(at + stride) == 0 && load<f32>(at + (stride << 1)) == 0 && load<f32>(at) != 0) {
    splatRun(c, register, length);
    return;
  }
  const ddx = v128.load32_splat(at + stride);
  const ddy = v128.load32_splat(at + (stride << 1));
  for (const end = register + length; register < end; register += 16) {
    const column = madd(ddx, v128.load(offsets), c);
    v128.store(register, f32x4.add(column, f32x4.mul(ddy, v128.load(changetype<WarpOffset>(offsets).dy))));
    offsets += sizeOf<WarpOffset>();
  }
}

/**
 * Fills the register of a varying whose plane is that of a/w: each value is multiplied by w. One division per quad
 * serves all such varyings.
 */
export function dividedRun(at: usize, stride: usize, offsets: usize, register: usize, length: usize): void {
  const c = v128.load32_splat(at);
  const ddx = v128.load32_splat(at + stride);
  const ddy = v128.load32_splat(at + (stride << 1));
  for (const end = register + length; register < end; register += 16) {
    const column = madd(ddx, v128.load(offsets), c);
    const value = f32x4.add(column, f32x4.mul(ddy, v128.load(changetype<WarpOffset>(offsets).dy)));
    v128.store(register, f32x4.mul(value, v128.load(changetype<WarpOffset>(offsets).w)));
    offsets += sizeOf<WarpOffset>();
  }
}

/** Writes the built-in inputs of an entry whose pixels are evaluated at (x, y). */
// @ts-ignore: decorator
@inline
export function putBuiltins(tile: Tile, draw: Draw, entry: Entry, x: v128, y: v128, out: usize): void {
  const triangle = entry.triangle;
  if (draw.fragmentPositionX >= 0) v128.store(out + draw.fragmentPositionX * REGISTER_BYTES, x);
  if (draw.fragmentPositionY >= 0) v128.store(out + draw.fragmentPositionY * REGISTER_BYTES, y);
  if ((draw.fragmentPositionZ & draw.fragmentPositionW) >= 0) {
    const dx = f32x4.sub(x, f32x4.splat(triangle.x0));
    const dy = f32x4.sub(y, f32x4.splat(triangle.y0));
    if (draw.fragmentPositionZ >= 0)
      v128.store(out + draw.fragmentPositionZ * REGISTER_BYTES, plane(triangle.zPlane, 4, dx, dy));
    if (draw.fragmentPositionW >= 0)
      v128.store(out + draw.fragmentPositionW * REGISTER_BYTES, plane(triangle.wPlane, 4, dx, dy));
  }
  putConstants(tile, draw, entry, out);
}

/** Writes the built-in inputs of an entry that do not depend on the position. */
// @ts-ignore: decorator
@inline
export function putConstants(tile: Tile, draw: Draw, entry: Entry, out: usize): void {
  const sample = entry.sample;
  putWord(draw.frontFacingRegister, entry.triangle.flags & TRI_FLAG_FRONT ? -1 : 0, out);
  putWord(draw.sampleIndexRegister, sample < 0 ? 0 : sample, out);
  putWord(draw.shadingRateRegister, tile.rate, out);
}

// @ts-ignore: decorator
@inline
function putWord(register: i32, word: i32, out: usize): void {
  if (register >= 0) v128.store(out + register * REGISTER_BYTES, i32x4.splat(word));
}
