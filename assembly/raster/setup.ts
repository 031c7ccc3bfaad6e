// Setup: one triangle of snapped vertices becomes a TRIANGLE record in the arena, on the lists of the tiles that it touches,
// or is culled. The vertex side (assembly/vertex) projects and clips; tiles (tile.ts) read what is written here.
//
// Four triangles at once: setup-four.ts. Control code is shared by both builds; `E` chooses the body of the planes: v128; u32,
// the scalar twin; or a class, the oracle's, that twin with edges for every triangle, whether or not it covers a sample.
import {
  Draw, Packet, Pass, Setup, Statistics, STATUS_DONE, STATUS_NEEDS_MEMORY, TILE_SHIFT, TRI_CONSTANT_SHIFT,
  TRI_FLAG_AFFINE, TRI_FLAG_FRONT, TRI_FLAG_SMALL, Triangle, TriangleEdge,
} from '../layout';
import { layersOf } from '../simd/positions';
import { arenaHolds, binSmall, binTriangle } from './bin';
import { writePlanes } from './planes';
import { writePlanesScalar } from './planes.scalar';
import { coverSmall, SMALL_PIXELS, SMALL_SPAN } from './small';

/** Adds one to a counter of the pass. */
export function count(pass: Pass, counter: usize): void {
  const at = changetype<usize>(pass.statistics) + counter;
  store<u32>(at, load<u32>(at) + 1);
}

// Edge from p to q, inside to its right on the screen.
function writeEdge(edge: usize, px: i32, py: i32, qx: i32, qy: i32): void {
  const a = py - qy;
  const b = qx - px;
  let c = -(<i64>a * px + <i64>b * py);
  // Top-left rule: a shared edge is drawn once. Left edges go up the screen (a > 0), top edges to the right.
  if (!(a > 0 || a == 0 && b > 0)) c--;
  store<i32>(edge + offsetof<TriangleEdge>('a'), a);
  store<i32>(edge + offsetof<TriangleEdge>('b'), b);
  store<i64>(edge + offsetof<TriangleEdge>('c'), c);
}

/** The edges of a clockwise triangle. */
export function writeEdges(triangle: Triangle, ax: i32, ay: i32, bx: i32, by: i32, cx: i32, cy: i32): void {
  writeEdge(triangle.edges, ax, ay, bx, by);
  writeEdge(changetype<usize>(triangle.edge(1)), bx, by, cx, cy);
  writeEdge(changetype<usize>(triangle.edge(2)), cx, cy, ax, ay);
}

// 2^(exponent of z − 23): the step of a float depth there (WebGPU § 23.2.6, depth bias).
// @ts-ignore: decorator
@inline function floatStep(z: f32): f32 {
  const exponent = max<i32>(reinterpret<i32>(abs<f32>(z)) >> 23, 24);
  return reinterpret<f32>((exponent - 23) << 23);
}

function depthBias(setup: Setup, draw: Draw, largest: f32, ddx: f32, ddy: f32): f32 {
  const unit = setup.biasUnit;
  const slope = max<f32>(abs<f32>(ddx), abs<f32>(ddy));
  const bias = <f32>draw.depthBias * (unit == 0 ? floatStep(largest) : unit) + draw.depthBiasSlope * slope;
  const limit = draw.depthBiasClamp;
  if (limit > 0) return min<f32>(bias, limit);
  if (limit < 0) return max<f32>(bias, limit);
  return bias;
}

// Depth and 1/w in f64: their planes decide visibility, and slivers lose many bits in the differences.
// @ts-ignore: decorator
@inline
function writeDepthPlanes<E>(setup: Setup, triangle: Triangle, a: Packet, b: Packet, c: Packet, x1: f64, x2: f64, y1: f64, y2: f64): void {
  const draw = setup.draw;
  if (isVector<E>()) depthPlanesSimd(triangle, a, b, c, x1, x2, y1, y2);
  else depthPlanesScalar(changetype<usize>(triangle), changetype<usize>(a), changetype<usize>(b), changetype<usize>(c), x1, x2, y1, y2);
  if (setup.biased) {
    const largest = max<f32>(a.z, max<f32>(b.z, c.z));
    triangle.z += depthBias(setup, draw, largest, triangle.zDx, triangle.zDy);
  }
  store<u64>(changetype<usize>(triangle) + offsetof<Triangle>('zMin'), load<u64>(draw.viewport + 16));
}

// Both planes at once: depth and 1/w stand side by side in packets.
// @ts-ignore: decorator
@inline
function depthPlanesSimd(triangle: Triangle, a: Packet, b: Packet, c: Packet, x1: f64, x2: f64, y1: f64, y2: f64): void {
  const first = v128.load64_zero(changetype<usize>(a) + offsetof<Packet>('z'));
  const va = f64x2.promote_low_f32x4(first);
  const d1 = f64x2.sub(f64x2.promote_low_f32x4(v128.load64_zero(changetype<usize>(b) + offsetof<Packet>('z'))), va);
  const d2 = f64x2.sub(f64x2.promote_low_f32x4(v128.load64_zero(changetype<usize>(c) + offsetof<Packet>('z'))), va);
  const ddx = f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(d1, f64x2.splat(x1)), f64x2.mul(d2, f64x2.splat(x2))));
  const ddy = f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(d1, f64x2.splat(y1)), f64x2.mul(d2, f64x2.splat(y2))));
  v128.store32_lane(changetype<usize>(triangle) + offsetof<Triangle>('z'), first, 0);
  v128.store32_lane(changetype<usize>(triangle) + offsetof<Triangle>('zDx'), ddx, 0);
  v128.store32_lane(changetype<usize>(triangle) + offsetof<Triangle>('zDy'), ddy, 0);
  v128.store32_lane(changetype<usize>(triangle) + offsetof<Triangle>('w'), first, 1);
  v128.store32_lane(changetype<usize>(triangle) + offsetof<Triangle>('wDx'), ddx, 1);
  v128.store32_lane(changetype<usize>(triangle) + offsetof<Triangle>('wDy'), ddy, 1);
}

function depthPlanesScalar(triangle: usize, a: usize, b: usize, c: usize, x1: f64, x2: f64, y1: f64, y2: f64): void {
  for (let i: usize = 0; i < 2; i++) {
    const at = <usize>offsetof<Packet>('z') + (i << 2);
    const plane = triangle + (i ? <usize>offsetof<Triangle>('w') : <usize>offsetof<Triangle>('z'));
    const first = load<f32>(a + at);
    const d1 = <f64>load<f32>(b + at) - <f64>first;
    const d2 = <f64>load<f32>(c + at) - <f64>first;
    store<f32>(plane, first);
    store<f32>(plane, <f32>(d1 * x1 + d2 * x2), 4);
    store<f32>(plane, <f32>(d1 * y1 + d2 * y2), 8);
  }
}

// What rounding of a slope, a product and two sums may add to a depth, as a part of the sizes of the terms: 3 · 2^-24 each, and as much again.
export const PLANE_ERROR: f32 = 4.76837158203125e-7;
export const LEAST_NORMAL: f32 = 1.1754943508222875e-38;
// Sides of the vertices' box up to which, and twice the area from which on, sums in f64 are that exact: 24.8.
export const BOUNDED_SPAN: i32 = 1 << 18;
export const BOUNDED_AREA: i64 = 1 << 10;

// As min and max of simd/lanes.ts: the first of them where either is NaN.
// @ts-ignore: decorator
@inline function less(a: f32, b: f32): f32 { return b < a ? b : a; }
// @ts-ignore: decorator
@inline function more(a: f32, b: f32): f32 { return a < b ? b : a; }

// Triangle.near and Triangle.far, from the vertices' depths; `area` as in placeTriangle, spans of the vertices' box in 24.8. A NaN bounds nothing.
export function writeDepthBounds(triangle: Triangle, za: f32, zb: f32, zc: f32, spanX: i32, spanY: i32, area: i64): void {
  if (spanX > BOUNDED_SPAN || spanY > BOUNDED_SPAN || area < BOUNDED_AREA) {
    triangle.near = -Infinity;
    triangle.far = Infinity;
    return;
  }
  const z = triangle.z;
  const bias = z - za;
  const slopes = abs<f32>(triangle.zDx) * <f32>spanX + abs<f32>(triangle.zDy) * <f32>spanY;
  const terms = abs<f32>(z) + abs<f32>(bias) + abs<f32>(zb - za) + abs<f32>(zc - za) + slopes * (1.0 / 256.0);
  // The last term is for depths so small that the product rounds to nothing.
  const error = terms * PLANE_ERROR + LEAST_NORMAL;
  // Where depth is clamped, so are its bounds.
  triangle.near = less(less(za, less(zb, zc)) + bias - error, triangle.zMax);
  triangle.far = more(more(za, more(zb, zc)) + bias + error, triangle.zMin);
}

// The record at `triangle` of vertices in clockwise order on the screen; the header's box is written already.
function writeTriangle<E>(setup: Setup, triangle: Triangle, a: Packet, b: Packet, c: Packet, flat: usize, area: i64, small: bool): void {
  const ax = a.x;
  const ay = a.y;
  const bx = b.x;
  const by = b.y;
  const cx = c.x;
  const cy = c.y;
  triangle.x0 = <f32>ax * (1.0 / 256.0);
  triangle.y0 = <f32>ay * (1.0 / 256.0);
  if (!small) writeEdges(triangle, ax, ay, bx, by, cx, cy);
  // d/dx = (d1·(yc − ya) − d2·(yb − ya)) / area, per pixel.
  const scale: f64 = 256.0 / <f64>area;
  const x1 = <f64>(cy - ay) * scale;
  const x2 = <f64>(ay - by) * scale;
  const y1 = <f64>(ax - cx) * scale;
  const y2 = <f64>(bx - ax) * scale;
  writeDepthPlanes<E>(setup, triangle, a, b, c, x1, x2, y1, y2);
  if (!small) {
    const spanX = max<i32>(ax, max<i32>(bx, cx)) - min<i32>(ax, min<i32>(bx, cx));
    const spanY = max<i32>(ay, max<i32>(by, cy)) - min<i32>(ay, min<i32>(by, cy));
    writeDepthBounds(triangle, a.z, b.z, c.z, spanX, spanY, area);
  }
  const constant = isVector<E>()
    ? writePlanes(setup, changetype<usize>(triangle), a, b, c, flat, <f32>x1, <f32>x2, <f32>y1, <f32>y2)
    : writePlanesScalar(setup, triangle, a, b, c, flat, <f32>x1, <f32>x2, <f32>y1, <f32>y2);
  triangle.flags |= constant << TRI_CONSTANT_SHIFT;
}

/** Where the record of a small triangle begins: at its coverage, the last layer's first, on 16 bytes. */
// @ts-ignore: decorator
@inline export function smallStart(setup: Setup): usize {
  const layers = layersOf(setup.samples);
  return layers > 1 ? <usize>(offsetof<Triangle>('a2') - (layers << 3)) : <usize>offsetof<Triangle>('a2');
}

/** Bytes of a record. */
// @ts-ignore: decorator
@inline export function recordBytes(setup: Setup, small: bool): usize {
  return (small ? <usize>changetype<usize>(changetype<Triangle>(0).planes) - smallStart(setup) : <usize>changetype<usize>(changetype<Triangle>(0).planes)) + <usize>setup.groups * 48;
}

/**
 * Writes the record of a triangle whose box holds pixels, and its places in the lists. `area`: twice the area, positive when clockwise on
 * the screen. `cover`: 0, or a small triangle's samples (small.ts). STATUS_NEEDS_MEMORY when the arena might not hold it; then nothing
 * has changed.
 */
export function placeTriangle<E>(setup: Setup, a: Packet, b: Packet, c: Packet, flat: usize, area: i64, minX: i32, minY: i32, maxX: i32, maxY: i32, cover: u64): i32 {
  const pass = setup.pass;
  const arena = pass.arena;
  const small = cover != 0;
  const bytes = recordBytes(setup, small);
  const tiles = (((maxX - 1) >> TILE_SHIFT) - (minX >> TILE_SHIFT) + 1) * (((maxY - 1) >> TILE_SHIFT) - (minY >> TILE_SHIFT) + 1);
  if (!arenaHolds(arena, bytes, tiles)) return STATUS_NEEDS_MEMORY;
  const start = arena.cursor;
  const triangle = changetype<Triangle>(<usize>start - (small ? smallStart(setup) : 0));
  const draw = setup.draw;
  const frontIsClockwise = draw.frontCw != 0;
  triangle.draw = draw;
  const affine = a.w == 1 && b.w == 1 && c.w == 1;
  triangle.flags = ((area > 0) == frontIsClockwise ? TRI_FLAG_FRONT : 0) | (small ? TRI_FLAG_SMALL : 0) | (affine ? TRI_FLAG_AFFINE : 0);
  if (small) putCover(setup, triangle, cover);
  triangle.minX = minX;
  triangle.minY = minY;
  triangle.maxX = maxX;
  triangle.maxY = maxY;
  if (area > 0) writeTriangle<E>(setup, triangle, a, b, c, flat, area, small);
  else writeTriangle<E>(setup, triangle, a, c, b, flat, -area, small);
  arena.cursor = start + <u32>bytes;
  // Nothing where it lies between the samples of every tile that its box touches.
  const touched = small ? binSmall(pass, arena, triangle) : binTriangle(pass, arena, setup, triangle);
  count(pass, touched ? offsetof<Statistics>('trianglesBinned') : offsetof<Statistics>('trianglesCulledBetween'));
  return STATUS_DONE;
}

// @ts-ignore: decorator
@inline function putCover(setup: Setup, triangle: Triangle, cover: u64): void {
  const layers = layersOf(setup.samples);
  if (layers == 1) store<u64>(triangle.cover, cover);
  else for (let layer: usize = 0; layer < <usize>layers; layer++) store<u64>(triangle.cover - (layer << 3), load<u64>(setup.covers + (layer << 3)));
}

/**
 * Sets up the triangle of three vertices (addresses in a packet) that lie inside the guard band and before the eye.
 * `flat`: the vertex that gives flat varyings. STATUS_NEEDS_MEMORY when the arena might not hold it; then nothing has changed.
 */
export function setupTriangle<E>(setup: Setup, a: Packet, b: Packet, c: Packet, flat: usize): i32 {
  const pass = setup.pass;
  const ax = a.x;
  const ay = a.y;
  const bx = b.x;
  const by = b.y;
  const cx = c.x;
  const cy = c.y;
  // Twice the area; positive when clockwise on the screen, whose y goes down.
  const area = <i64>(bx - ax) * (cy - ay) - <i64>(cx - ax) * (by - ay);
  if (area == 0) {
    count(pass, offsetof<Statistics>('trianglesCulledArea'));
    return STATUS_DONE;
  }
  if (setup.cullSide == (area > 0 ? 2 : 1)) {
    count(pass, offsetof<Statistics>('trianglesCulledFace'));
    return STATUS_DONE;
  }
  // Pixels that have a sample position within the vertices' box.
  const first = setup.sampleFirst;
  const last = setup.sampleLast;
  const left = min<i32>(ax, min<i32>(bx, cx));
  const top = min<i32>(ay, min<i32>(by, cy));
  const right = max<i32>(ax, max<i32>(bx, cx));
  const bottom = max<i32>(ay, max<i32>(by, cy));
  let minX = (left - last + 255) >> 8;
  let minY = (top - last + 255) >> 8;
  let maxX = ((right - first) >> 8) + 1;
  let maxY = ((bottom - first) >> 8) + 1;
  const missed = minX >= maxX || minY >= maxY;
  minX = max<i32>(minX, setup.minX);
  minY = max<i32>(minY, setup.minY);
  maxX = min<i32>(maxX, setup.maxX);
  maxY = min<i32>(maxY, setup.maxY);
  if (missed || minX >= maxX || minY >= maxY) {
    count(pass, missed ? offsetof<Statistics>('trianglesCulledBetween') : offsetof<Statistics>('trianglesCulledOutside'));
    return STATUS_DONE;
  }
  let cover: u64 = 0;
  if (!isReference<E>() && maxX - minX <= SMALL_PIXELS && maxY - minY <= SMALL_PIXELS && right - left <= SMALL_SPAN && bottom - top <= SMALL_SPAN) {
    // Clockwise, from the first vertex.
    const turned = area < 0;
    cover = coverSmall<E>(setup, (minX << 8) - ax, (minY << 8) - ay, (turned ? cx : bx) - ax, (turned ? cy : by) - ay, (turned ? bx : cx) - ax, (turned ? by : cy) - ay, maxX - minX, maxY - minY);
    if (!cover) {
      count(pass, offsetof<Statistics>('trianglesCulledBetween'));
      return STATUS_DONE;
    }
  }
  return placeTriangle<E>(setup, a, b, c, flat, area, minX, minY, maxX, maxY, cover);
}
