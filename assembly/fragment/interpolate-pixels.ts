// Input registers of a warp of single pixels (PACKER_PIXELS), each of a triangle of its own: four varyings of a pixel at a time, then the
// four pixels of a group of lanes are transposed. Operations are those of interpolate.ts in the same order, so a pixel gets the same bits
// in either. Scalar twin: interpolate.scalar.ts.

import { Draw, Entry, Packer, REGISTER_BYTES, sizeOf, Tile, Triangle } from '../layout';
import { madd, splat0, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';
import { pixelsX, pixelsY, sampleX, sampleY } from '../simd/positions';
import { splat1, splat2, splat3 } from '../simd/texels';
import { centroidSample } from './centroid';
import { pixelBuiltins } from './interpolate.scalar';

/** Pixel of the entry `behind` places behind one. */
// @ts-ignore: decorator
@inline function indexAt(entry: usize, behind: usize): i32 { return changetype<Entry>(entry + behind * sizeOf<Entry>()).pixel; }

/** Fills the registers of all entries. */
export function interpolatePixels(context: Tile, packer: Packer, builtins: bool): void {
  const draw = packer.draw;
  const entries = packer.entries;
  const end = entries + (<usize>packer.count * sizeOf<Entry>());
  if (draw.varyingCount) {
    fillGroup(entries, end);
    pixelVaryings(context, draw, entries, end);
  }
  if (!builtins) return;
  let out: usize = context.registers;
  for (let entry = entries; entry < end; entry += sizeOf<Entry>()) {
    pixelBuiltins(context, draw, changetype<Entry>(entry), changetype<Entry>(entry).pixel, out);
    out += 4;
  }
}

/** Repeats the last entry, with no samples, until the last group of four is full. */
// @ts-ignore: decorator
@inline
function fillGroup(entries: usize, end: usize): void {
  for (let entry = end; (entry - entries) & (4 * sizeOf<Entry>() - 1); entry += sizeOf<Entry>()) {
    v128.store(entry, v128.load(end - sizeOf<Entry>()));
    changetype<Entry>(entry).mask = 0;
  }
}

function pixelVaryings(context: Tile, draw: Draw, entries: usize, end: usize): void {
  const groups = draw.varyingGroups;
  const count = draw.varyingCount;
  const stride = <usize>((count + 3) & ~3) << 2;
  const perspective = load<i32>(groups);
  const centroid = load<i32>(groups, 4) | load<i32>(groups, 16);
  const sample = load<i32>(groups, 8) | load<i32>(groups, 20);
  const linearFirst = perspective + load<i32>(groups, 4) + load<i32>(groups, 8);
  const linearLast = linearFirst + load<i32>(groups, 12);
  const flatFirst = count - load<i32>(groups, 24);
  const tileX = context.x;
  const tileY = context.y;
  let out: usize = context.registers;
  for (let entry = entries; entry < end; entry += 4 * sizeOf<Entry>()) {
    const t0 = changetype<Triangle>(load<usize>(entry, offsetof<Entry>('triangle')));
    const t1 = changetype<Triangle>(load<usize>(entry, offsetof<Entry>('triangle') + 16));
    const t2 = changetype<Triangle>(load<usize>(entry, offsetof<Entry>('triangle') + 32));
    const t3 = changetype<Triangle>(load<usize>(entry, offsetof<Entry>('triangle') + 48));
    const pixels = i32x4(indexAt(entry, 0), indexAt(entry, 1), indexAt(entry, 2), indexAt(entry, 3));
    const x = pixelsX(tileX, pixels);
    const y = pixelsY(tileY, pixels);
    if (perspective) planes(t0, t1, t2, t3, stride, context.offsets, out, 0, perspective, x, y, true);
    if (linearFirst < linearLast) planes(t0, t1, t2, t3, stride, context.offsets, out, linearFirst, linearLast, x, y, false);
    if (centroid) offCentreGroup(context, groups, changetype<Entry>(entry), stride, out, 1, x, y);
    if (sample) offCentreGroup(context, groups, changetype<Entry>(entry), stride, out, 2, x, y);
    if (flatFirst < count) flatPlanes(changetype<usize>(t0), changetype<usize>(t1), changetype<usize>(t2), changetype<usize>(t3), context.offsets, out, flatFirst, count);
    out += 16;
  }
}

/** c + ddx·dx + ddy·dy of four planes that lie one after the other. */
// @ts-ignore: decorator
@inline
function fourPlanes(at: usize, stride: usize, dx: v128, dy: v128): v128 {
  const column = madd(v128.load(at + stride), dx, v128.load(at));
  return f32x4.add(column, f32x4.mul(v128.load(at + (stride << 1)), dy));
}

/**
 * Varyings `first` … `last` - 1 of a group of lanes at positions x, y. Planes are read in fours from a multiple of four on, which padding
 * keeps within the triangle; those of neighbouring varyings are thrown away. Four pixels of one triangle are not worth a case of their
 * own: a varying costs 9 operations this way, and 7 by planes in all lanes.
 */
// @ts-ignore: decorator
@inline
function planes(t0: Triangle, t1: Triangle, t2: Triangle, t3: Triangle, stride: usize, scratch: usize, out: usize, first: i32, last: i32, x: v128, y: v128, divides: bool): void {
  const origin0 = v128.load64_zero(changetype<usize>(t0) + offsetof<Triangle>('x0'));
  const origin1 = v128.load64_zero(changetype<usize>(t1) + offsetof<Triangle>('x0'));
  const origin2 = v128.load64_zero(changetype<usize>(t2) + offsetof<Triangle>('x0'));
  const origin3 = v128.load64_zero(changetype<usize>(t3) + offsetof<Triangle>('x0'));
  const dx = f32x4.sub(x, transposeColumn0(origin0, origin1, origin2, origin3));
  const dy = f32x4.sub(y, transposeColumn1(origin0, origin1, origin2, origin3));
  let w = dx;
  if (divides) {
    // A word before the plane of 1/w, then its three.
    const w0 = v128.load(changetype<usize>(t0), offsetof<Triangle>('w') - 4);
    const w1 = v128.load(changetype<usize>(t1), offsetof<Triangle>('w') - 4);
    const w2 = v128.load(changetype<usize>(t2), offsetof<Triangle>('w') - 4);
    const w3 = v128.load(changetype<usize>(t3), offsetof<Triangle>('w') - 4);
    const column = madd(transposeColumn2(w0, w1, w2, w3), dx, transposeColumn1(w0, w1, w2, w3));
    w = f32x4.div(f32x4.splat(1), f32x4.add(column, f32x4.mul(transposeColumn3(w0, w1, w2, w3), dy)));
  }
  const dx0 = splat0(dx);
  const dx1 = splat1(dx);
  const dx2 = splat2(dx);
  const dx3 = splat3(dx);
  const dy0 = splat0(dy);
  const dy1 = splat1(dy);
  const dy2 = splat2(dy);
  const dy3 = splat3(dy);
  for (let varying = first & ~3; varying < last; varying += 4) {
    const at: usize = changetype<usize>(changetype<Triangle>(0).planes) + (varying << 2);
    const a = fourPlanes(changetype<usize>(t0) + at, stride, dx0, dy0);
    const b = fourPlanes(changetype<usize>(t1) + at, stride, dx1, dy1);
    const c = fourPlanes(changetype<usize>(t2) + at, stride, dx2, dy2);
    const d = fourPlanes(changetype<usize>(t3) + at, stride, dx3, dy3);
    const c0 = transposeColumn0(a, b, c, d);
    const c1 = transposeColumn1(a, b, c, d);
    const c2 = transposeColumn2(a, b, c, d);
    const c3 = transposeColumn3(a, b, c, d);
    if (divides) putColumns(scratch, out, varying, first, last, f32x4.mul(c0, w), f32x4.mul(c1, w), f32x4.mul(c2, w), f32x4.mul(c3, w));
    else putColumns(scratch, out, varying, first, last, c0, c1, c2, c3);
  }
}

/**
 * Stores the registers of four varyings, but for those outside first … last - 1. A test for each of the four made the whole twice as slow,
 * so a block that has such goes by way of `scratch`.
 */
// @ts-ignore: decorator
@inline
function putColumns(scratch: usize, out: usize, varying: i32, first: i32, last: i32, c0: v128, c1: v128, c2: v128, c3: v128): void {
  if (varying >= first && varying + 4 <= last) {
    const to = out + <usize>varying * REGISTER_BYTES;
    v128.store(to, c0);
    v128.store(to, c1, REGISTER_BYTES);
    v128.store(to, c2, REGISTER_BYTES * 2);
    v128.store(to, c3, REGISTER_BYTES * 3);
    return;
  }
  v128.store(scratch, c0);
  v128.store(scratch, c1, 16);
  v128.store(scratch, c2, 32);
  v128.store(scratch, c3, 48);
  const end = min<i32>(last, varying + 4);
  for (let i = max<i32>(first, varying); i < end; i++) {
    v128.store(out + <usize>i * REGISTER_BYTES, v128.load(scratch + (<usize>(i - varying) << 4)));
  }
}

/** Varyings `first` … `last` - 1 as they are. */
// @ts-ignore: decorator
@inline
function flatPlanes(t0: usize, t1: usize, t2: usize, t3: usize, scratch: usize, out: usize, first: i32, last: i32): void {
  for (let varying = first & ~3; varying < last; varying += 4) {
    const at: usize = changetype<usize>(changetype<Triangle>(0).planes) + (varying << 2);
    const a = v128.load(t0 + at);
    const b = v128.load(t1 + at);
    const c = v128.load(t2 + at);
    const d = v128.load(t3 + at);
    putColumns(scratch, out, varying, first, last, transposeColumn0(a, b, c, d), transposeColumn1(a, b, c, d), transposeColumn2(a, b, c, d), transposeColumn3(a, b, c, d));
  }
}

/** The varyings that are read at the centroid (`place` 1) or at the sample (2); x, y: pixel centres. */
function offCentreGroup(context: Tile, groups: usize, entry: Entry, stride: usize, out: usize, place: i32, x: v128, y: v128): void {
  const s0 = sampleOf(context, entry, place);
  const s1 = sampleOf(context, changetype<Entry>(changetype<usize>(entry) + 16), place);
  const s2 = sampleOf(context, changetype<Entry>(changetype<usize>(entry) + 32), place);
  const s3 = sampleOf(context, changetype<Entry>(changetype<usize>(entry) + 48), place);
  const sixteenth = f32x4.splat(0.0625);
  x = f32x4.add(x, f32x4.mul(f32x4.convert_i32x4_s(i32x4(offsetX(context, s0), offsetX(context, s1), offsetX(context, s2), offsetX(context, s3))), sixteenth));
  y = f32x4.add(y, f32x4.mul(f32x4.convert_i32x4_s(i32x4(offsetY(context, s0), offsetY(context, s1), offsetY(context, s2), offsetY(context, s3))), sixteenth));
  const t0 = entry.triangle;
  const t1 = changetype<Triangle>(load<usize>(changetype<usize>(entry) + offsetof<Entry>('triangle') + 16));
  const t2 = changetype<Triangle>(load<usize>(changetype<usize>(entry) + offsetof<Entry>('triangle') + 32));
  const t3 = changetype<Triangle>(load<usize>(changetype<usize>(entry) + offsetof<Entry>('triangle') + 48));
  const group = groups + (<usize>place << 2);
  let first = load<i32>(groups) + (place == 1 ? 0 : load<i32>(groups, 4));
  let last = first + load<i32>(group);
  if (first < last) planes(t0, t1, t2, t3, stride, context.offsets, out, first, last, x, y, true);
  first = load<i32>(groups) + load<i32>(groups, 4) + load<i32>(groups, 8) + load<i32>(groups, 12) + (place == 1 ? 0 : load<i32>(groups, 16));
  last = first + load<i32>(group, 12);
  if (first < last) planes(t0, t1, t2, t3, stride, context.offsets, out, first, last, x, y, false);
}

/** The sample at which an entry's varyings of a place are read, -1 for the centre. */
// @ts-ignore: decorator
@inline
function sampleOf(context: Tile, entry: Entry, place: i32): i32 {
  const sample = entry.sample;
  return sample < 0 && place == 1 ? centroidSample(context, entry, entry.pixel) : sample;
}

/** From the centre, in sixteenths of a pixel. */
// @ts-ignore: decorator
@inline
function offsetX(context: Tile, sample: i32): i32 { return sample < 0 ? 0 : sampleX(context.samples, sample) - 8; }

// @ts-ignore: decorator
@inline
function offsetY(context: Tile, sample: i32): i32 { return sample < 0 ? 0 : sampleY(context.samples, sample) - 8; }
