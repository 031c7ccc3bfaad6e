// Fills the input registers of a warp of single pixels (PACKER_PIXELS). Each pixel may belong to a different triangle.
// Four varyings of a pixel are computed at a time, then the four pixels of a lane group are transposed. The operations
// and their order are those of interpolate.ts, so a pixel gets the same bits in either. Scalar twin:
// interpolate.scalar.ts.

import {
  Draw,
  DRAW_FLAG_SECOND_PART,
  Entry,
  Packer,
  PixelGroup,
  RATE_1X1,
  REGISTER_BYTES,
  sizeOf,
  Tile,
  Triangle,
  Varyings,
} from '../../layout';
import { madd, splat0, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../../simd/lanes';
import { pixelsX, pixelsY, sampleX, sampleY } from '../../simd/positions';
import { splat1, splat2, splat3 } from '../../simd/texels';
import { centroidSample } from './centroid';
import { coarsePixelCentroid } from './coarse-centroid';
import { coveredPixel } from './covered';
import { pixelBuiltins } from './interpolate.scalar';

/** Pixel of an entry, by its distance in entries from the one at `entry`. */
function indexAt(entry: usize, behind: usize): i32 {
  return changetype<Entry>(entry + behind * sizeOf<Entry>()).pixel;
}

/** Fills the registers of all entries. */
export function interpolatePixels(tile: Tile, packer: Packer, builtins: bool): void {
  const draw = packer.draw;
  const entries = packer.entries;
  const end = entries + packer.count * sizeOf<Entry>();
  if (draw.varyingCount) {
    fillGroup(entries, end);
    pixelVaryings(tile, draw, entries, end);
  }
  if (!builtins) return;
  let out: usize = tile.registers;
  for (let entry = entries; entry < end; entry += sizeOf<Entry>()) {
    pixelBuiltins(tile, draw, changetype<Entry>(entry), changetype<Entry>(entry).pixel, out);
    out += 4;
  }
}

/** Repeats the last entry, with an empty sample mask, until the last group of four is full. */
function fillGroup(entries: usize, end: usize): void {
  for (let entry = end; (entry - entries) & (4 * sizeOf<Entry>() - 1); entry += sizeOf<Entry>()) {
    v128.store(entry, v128.load(end - sizeOf<Entry>()));
    changetype<Entry>(entry).mask = 0;
  }
}

function pixelVaryings(tile: Tile, draw: Draw, entries: usize, end: usize): void {
  const varyings = draw.varyings;
  const perspective = varyings.perspective;
  const linearFirst = varyings.linearFirst;
  const linearLast = linearFirst + varyings.linear;
  const flatFirst = draw.flatFirst;
  const count = draw.varyingCount;
  const centres = !(draw.flags & DRAW_FLAG_SECOND_PART);
  const firstX = v128.load32_splat(tile.centresX);
  const firstY = v128.load32_splat(tile.centresY);
  const group = changetype<PixelGroup>(tile.offsets);
  group.stride = draw.planeStride;
  group.out = tile.registers;
  for (let entry = entries; entry < end; entry += 4 * sizeOf<Entry>()) {
    const pixels = i32x4(indexAt(entry, 0), indexAt(entry, 1), indexAt(entry, 2), indexAt(entry, 3));
    const x = pixelsX(firstX, pixels);
    const y = pixelsY(firstY, pixels);
    group.entry = changetype<Entry>(entry);
    if (centres && perspective) planes(group, x, y, 0, perspective, PERSPECTIVE);
    if (centres && linearFirst < linearLast) planes(group, x, y, linearFirst, linearLast, LINEAR);
    if (centres && flatFirst < count) planes(group, x, y, flatFirst, count, FLAT);
    if (varyings.centroid) offCentreGroup(tile, varyings, group, true, x, y);
    if (varyings.sample) offCentreGroup(tile, varyings, group, false, x, y);
    group.out += 16;
  }
}

/** c + ddx·dx + ddy·dy for four planes whose words are adjacent. */
function fourPlanes(at: usize, stride: usize, dx: v128, dy: v128): v128 {
  const column = madd(v128.load(at + stride), dx, v128.load(at));
  return f32x4.add(column, f32x4.mul(v128.load(at + (stride << 1)), dy));
}

/**
 * How a varying is computed from its plane: the plane is that of a/w, the plane is that of the varying, or the first
 * word is the varying itself.
 */
const PERSPECTIVE = 0;
const LINEAR = 1;
const FLAT = 2;

/**
 * Fills varyings `first` … `last` - 1 of a lane group. Planes are read four at a time from a multiple of four; padding
 * keeps the reads within the triangle, and values of neighbouring varyings are discarded. Four pixels of one triangle
 * are no special case: a varying costs 9 operations this way, and 7 with planes splatted to all lanes. If only some of
 * four registers are wanted, they are copied through PixelGroup.columns, because a test per register made the whole
 * function twice as slow.
 */
// @ts-ignore: decorator
@inline
function planes(group: PixelGroup, x: v128, y: v128, first: i32, last: i32, how: i32): void {
  const t0 = group.triangle(0);
  const t1 = group.triangle(1);
  const t2 = group.triangle(2);
  const t3 = group.triangle(3);
  const stride = group.stride;
  let dx = i32x4.splat(0);
  let dy = dx;
  let w = dx;
  if (how != FLAT) {
    const origin0 = v128.load64_zero(changetype<usize>(t0) + offsetof<Triangle>('x0'));
    const origin1 = v128.load64_zero(changetype<usize>(t1) + offsetof<Triangle>('x0'));
    const origin2 = v128.load64_zero(changetype<usize>(t2) + offsetof<Triangle>('x0'));
    const origin3 = v128.load64_zero(changetype<usize>(t3) + offsetof<Triangle>('x0'));
    dx = f32x4.sub(x, transposeColumn0(origin0, origin1, origin2, origin3));
    dy = f32x4.sub(y, transposeColumn1(origin0, origin1, origin2, origin3));
  }
  if (how == PERSPECTIVE) {
    // One word before the plane of 1/w, then its three words.
    const w0 = v128.load(t0.wPlane - 4);
    const w1 = v128.load(t1.wPlane - 4);
    const w2 = v128.load(t2.wPlane - 4);
    const w3 = v128.load(t3.wPlane - 4);
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
    const at = varying << 2;
    const a = how == FLAT ? v128.load(t0.planes + at) : fourPlanes(t0.planes + at, stride, dx0, dy0);
    const b = how == FLAT ? v128.load(t1.planes + at) : fourPlanes(t1.planes + at, stride, dx1, dy1);
    const c = how == FLAT ? v128.load(t2.planes + at) : fourPlanes(t2.planes + at, stride, dx2, dy2);
    const d = how == FLAT ? v128.load(t3.planes + at) : fourPlanes(t3.planes + at, stride, dx3, dy3);
    const c0 = transposeColumn0(a, b, c, d);
    const c1 = transposeColumn1(a, b, c, d);
    const c2 = transposeColumn2(a, b, c, d);
    const c3 = transposeColumn3(a, b, c, d);
    const r0 = how == PERSPECTIVE ? f32x4.mul(c0, w) : c0;
    const r1 = how == PERSPECTIVE ? f32x4.mul(c1, w) : c1;
    const r2 = how == PERSPECTIVE ? f32x4.mul(c2, w) : c2;
    const r3 = how == PERSPECTIVE ? f32x4.mul(c3, w) : c3;
    if (varying >= first && varying + 4 <= last) {
      const to = group.out + varying * REGISTER_BYTES;
      v128.store(to, r0);
      v128.store(to, r1, REGISTER_BYTES);
      v128.store(to, r2, 2 * REGISTER_BYTES);
      v128.store(to, r3, 3 * REGISTER_BYTES);
      continue;
    }
    const to = group.columns;
    v128.store(to, r0);
    v128.store(to, r1, 16);
    v128.store(to, r2, 32);
    v128.store(to, r3, 48);
    copyColumns(group, varying, max<i32>(first, varying), min<i32>(last, varying + 4));
  }
}

/** Copies registers `first` … `last` - 1 from PixelGroup.columns, whose first register is that of `varying`. */
function copyColumns(group: PixelGroup, varying: i32, first: i32, last: i32): void {
  for (let i = first; i < last; i++) {
    v128.store(group.out + i * REGISTER_BYTES, v128.load(group.columns + ((i - varying) << 4)));
  }
}

/** Fills the varyings that are evaluated at the centroid or at the sample. x and y are the pixel centres. */
function offCentreGroup(tile: Tile, varyings: Varyings, group: PixelGroup, centroid: bool, x: v128, y: v128): void {
  const entry = changetype<usize>(group.entry);
  if (tile.rate != RATE_1X1) {
    for (let lane = 0; lane < 4; lane++)
      coarsePixelCentroid(tile, changetype<Entry>(entry + lane * sizeOf<Entry>()), lane);
    offCentrePlanes(varyings, group, centroid, v128.load(tile.coarse.centroids), v128.load(tile.coarse.centroids, 16));
    return;
  }
  const s0 = sampleOf(tile, changetype<Entry>(entry), centroid);
  const s1 = sampleOf(tile, changetype<Entry>(entry + sizeOf<Entry>()), centroid);
  const s2 = sampleOf(tile, changetype<Entry>(entry + 2 * sizeOf<Entry>()), centroid);
  const s3 = sampleOf(tile, changetype<Entry>(entry + 3 * sizeOf<Entry>()), centroid);
  const sixteenth = f32x4.splat(0.0625);
  const right = i32x4(offsetX(tile, s0), offsetX(tile, s1), offsetX(tile, s2), offsetX(tile, s3));
  const down = i32x4(offsetY(tile, s0), offsetY(tile, s1), offsetY(tile, s2), offsetY(tile, s3));
  x = f32x4.add(x, f32x4.mul(f32x4.convert_i32x4_s(right), sixteenth));
  y = f32x4.add(y, f32x4.mul(f32x4.convert_i32x4_s(down), sixteenth));
  offCentrePlanes(varyings, group, centroid, x, y);
}

/** Fills the varyings that are evaluated at (x, y), either the centroid or the sample ones. */
function offCentrePlanes(varyings: Varyings, group: PixelGroup, centroid: bool, x: v128, y: v128): void {
  let first = varyings.perspective + (centroid ? 0 : varyings.perspectiveCentroid);
  let last = first + (centroid ? varyings.perspectiveCentroid : varyings.perspectiveSample);
  if (first < last) planes(group, x, y, first, last, PERSPECTIVE);
  first = varyings.linearFirst + varyings.linear + (centroid ? 0 : varyings.linearCentroid);
  last = first + (centroid ? varyings.linearCentroid : varyings.linearSample);
  if (first < last) planes(group, x, y, first, last, LINEAR);
}

/** The sample at which an entry's varyings are evaluated, or -1 for the centre. */
function sampleOf(tile: Tile, entry: Entry, centroid: bool): i32 {
  const sample = entry.sample;
  return sample < 0 && centroid ? centroidSample(coveredPixel(tile, entry), tile.samples) : sample;
}

/** Offset of a sample from the pixel centre, in sixteenths of a pixel. */
function offsetX(tile: Tile, sample: i32): i32 {
  return sample < 0 ? 0 : sampleX(tile.samples, sample) - 8;
}
function offsetY(tile: Tile, sample: i32): i32 {
  return sample < 0 ? 0 : sampleY(tile.samples, sample) - 8;
}
