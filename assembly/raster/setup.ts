// Setup: one triangle of snapped vertices becomes a TRIANGLE record in the arena, on the lists of the tiles that it touches,
// or is culled. The vertex side (assembly/vertex) projects and clips; tiles (tile.ts) read what is written here.
//
// Four triangles at once: setup-four.ts. Control code is shared by both builds; `E` chooses the body of the planes: v128; u32,
// the scalar twin; or a class, the oracle's, that twin with edges for every triangle, whether or not it covers a sample.
import { DRAW_DEPTH_BIAS, DRAW_DEPTH_BIAS_CLAMP, DRAW_DEPTH_BIAS_SLOPE, DRAW_FRONT_CW, DRAW_VIEWPORT } from '../layout/draw';
import { TILE_SHIFT } from '../layout/limits';
import {
  ARENA_CURSOR, PASS_ARENA, PASS_STATISTICS, STAT_TRIANGLES_BINNED, STAT_TRIANGLES_CULLED_AREA, STAT_TRIANGLES_CULLED_BETWEEN, STAT_TRIANGLES_CULLED_FACE,
  STAT_TRIANGLES_CULLED_OUTSIDE,
} from '../layout/pass';
import * as P from '../layout/packet';
import { STATUS_DONE, STATUS_NEEDS_MEMORY } from '../layout/status';
import * as T from '../layout/triangle';
import { arenaHolds, binSmall, binTriangle } from './bin';
import { writePlanes } from './planes';
import { writePlanesScalar } from './planes.scalar';
import { layersOf } from '../simd/positions';
import { coverSmall, SMALL_PIXELS, SMALL_SPAN } from './small';

/** Adds one to a counter of the pass. */
export function count(pass: usize, counter: usize): void {
  const at = <usize>load<u32>(pass + PASS_STATISTICS) + counter;
  store<u32>(at, load<u32>(at) + 1);
}

// Edge from p to q, inside to its right on the screen.
function writeEdge(edge: usize, px: i32, py: i32, qx: i32, qy: i32): void {
  const a = py - qy;
  const b = qx - px;
  let c = -(<i64>a * px + <i64>b * py);
  // Top-left rule: a shared edge is drawn once. Left edges go up the screen (a > 0), top edges to the right.
  if (!(a > 0 || a == 0 && b > 0)) c--;
  store<i32>(edge + T.TRI_EDGE_A, a);
  store<i32>(edge + T.TRI_EDGE_B, b);
  store<i64>(edge + T.TRI_EDGE_C, c);
}

/** The edges of a clockwise triangle. */
export function writeEdges(triangle: usize, ax: i32, ay: i32, bx: i32, by: i32, cx: i32, cy: i32): void {
  writeEdge(triangle + T.TRI_EDGES, ax, ay, bx, by);
  writeEdge(triangle + T.TRI_EDGES + T.TRI_EDGE_BYTES, bx, by, cx, cy);
  writeEdge(triangle + T.TRI_EDGES + T.TRI_EDGE_BYTES * 2, cx, cy, ax, ay);
}

// 2^(exponent of z − 23): the step of a float depth there (WebGPU § 23.2.6, depth bias).
// @ts-ignore: decorator
@inline function floatStep(z: f32): f32 {
  const exponent = max<i32>(reinterpret<i32>(abs<f32>(z)) >> 23, 24);
  return reinterpret<f32>((exponent - 23) << 23);
}

function depthBias(setup: usize, draw: usize, largest: f32, ddx: f32, ddy: f32): f32 {
  const unit = load<f32>(setup + P.SETUP_BIAS_UNIT);
  const slope = max<f32>(abs<f32>(ddx), abs<f32>(ddy));
  const bias = <f32>load<i32>(draw + DRAW_DEPTH_BIAS) * (unit == 0 ? floatStep(largest) : unit) + load<f32>(draw + DRAW_DEPTH_BIAS_SLOPE) * slope;
  const limit = load<f32>(draw + DRAW_DEPTH_BIAS_CLAMP);
  if (limit > 0) return min<f32>(bias, limit);
  if (limit < 0) return max<f32>(bias, limit);
  return bias;
}

// Depth and 1/w in f64: their planes decide visibility, and slivers lose many bits in the differences.
// @ts-ignore: decorator
@inline
function writeDepthPlanes<E>(setup: usize, triangle: usize, a: usize, b: usize, c: usize, x1: f64, x2: f64, y1: f64, y2: f64): void {
  const draw = <usize>load<u32>(setup + P.SETUP_DRAW);
  if (isVector<E>()) depthPlanesSimd(triangle, a, b, c, x1, x2, y1, y2);
  else depthPlanesScalar(triangle, a, b, c, x1, x2, y1, y2);
  if (load<i32>(setup + P.SETUP_BIASED)) {
    const largest = max<f32>(load<f32>(a + P.PACKET_Z), max<f32>(load<f32>(b + P.PACKET_Z), load<f32>(c + P.PACKET_Z)));
    store<f32>(triangle + T.TRI_Z, load<f32>(triangle + T.TRI_Z) + depthBias(setup, draw, largest, load<f32>(triangle + T.TRI_Z_DX), load<f32>(triangle + T.TRI_Z_DY)));
  }
  store<u64>(triangle + T.TRI_Z_MIN, load<u64>(draw + DRAW_VIEWPORT + 16));
}

// Both planes at once: depth and 1/w stand side by side in packets.
// @ts-ignore: decorator
@inline
function depthPlanesSimd(triangle: usize, a: usize, b: usize, c: usize, x1: f64, x2: f64, y1: f64, y2: f64): void {
  const first = v128.load64_zero(a, P.PACKET_Z);
  const va = f64x2.promote_low_f32x4(first);
  const d1 = f64x2.sub(f64x2.promote_low_f32x4(v128.load64_zero(b, P.PACKET_Z)), va);
  const d2 = f64x2.sub(f64x2.promote_low_f32x4(v128.load64_zero(c, P.PACKET_Z)), va);
  const ddx = f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(d1, f64x2.splat(x1)), f64x2.mul(d2, f64x2.splat(x2))));
  const ddy = f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(d1, f64x2.splat(y1)), f64x2.mul(d2, f64x2.splat(y2))));
  v128.store32_lane(triangle, first, 0, T.TRI_Z);
  v128.store32_lane(triangle, ddx, 0, T.TRI_Z_DX);
  v128.store32_lane(triangle, ddy, 0, T.TRI_Z_DY);
  v128.store32_lane(triangle, first, 1, T.TRI_W);
  v128.store32_lane(triangle, ddx, 1, T.TRI_W_DX);
  v128.store32_lane(triangle, ddy, 1, T.TRI_W_DY);
}

function depthPlanesScalar(triangle: usize, a: usize, b: usize, c: usize, x1: f64, x2: f64, y1: f64, y2: f64): void {
  for (let i: usize = 0; i < 2; i++) {
    const at = <usize>P.PACKET_Z + (i << 2);
    const plane = triangle + (i ? <usize>T.TRI_W : <usize>T.TRI_Z);
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

// TRI_NEAR and TRI_FAR, from the vertices' depths; `area` as in placeTriangle, spans of the vertices' box in 24.8. A NaN bounds nothing.
export function writeDepthBounds(triangle: usize, za: f32, zb: f32, zc: f32, spanX: i32, spanY: i32, area: i64): void {
  if (spanX > BOUNDED_SPAN || spanY > BOUNDED_SPAN || area < BOUNDED_AREA) {
    store<f32>(triangle + T.TRI_NEAR, -Infinity);
    store<f32>(triangle + T.TRI_FAR, Infinity);
    return;
  }
  const z = load<f32>(triangle + T.TRI_Z);
  const bias = z - za;
  const slopes = abs<f32>(load<f32>(triangle + T.TRI_Z_DX)) * <f32>spanX + abs<f32>(load<f32>(triangle + T.TRI_Z_DY)) * <f32>spanY;
  const terms = abs<f32>(z) + abs<f32>(bias) + abs<f32>(zb - za) + abs<f32>(zc - za) + slopes * (1.0 / 256.0);
  // The last term is for depths so small that the product rounds to nothing.
  const error = terms * PLANE_ERROR + LEAST_NORMAL;
  // Where depth is clamped, so are its bounds.
  store<f32>(triangle + T.TRI_NEAR, less(less(za, less(zb, zc)) + bias - error, load<f32>(triangle + T.TRI_Z_MAX)));
  store<f32>(triangle + T.TRI_FAR, more(more(za, more(zb, zc)) + bias + error, load<f32>(triangle + T.TRI_Z_MIN)));
}

// The record at `triangle` of vertices in clockwise order on the screen; the header's box is written already.
function writeTriangle<E>(setup: usize, triangle: usize, a: usize, b: usize, c: usize, flat: usize, area: i64, small: bool): void {
  const ax = load<i32>(a + P.PACKET_X);
  const ay = load<i32>(a + P.PACKET_Y);
  const bx = load<i32>(b + P.PACKET_X);
  const by = load<i32>(b + P.PACKET_Y);
  const cx = load<i32>(c + P.PACKET_X);
  const cy = load<i32>(c + P.PACKET_Y);
  store<f32>(triangle + T.TRI_X0, <f32>ax * (1.0 / 256.0));
  store<f32>(triangle + T.TRI_Y0, <f32>ay * (1.0 / 256.0));
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
    writeDepthBounds(triangle, load<f32>(a + P.PACKET_Z), load<f32>(b + P.PACKET_Z), load<f32>(c + P.PACKET_Z), spanX, spanY, area);
  }
  const constant = isVector<E>()
    ? writePlanes(setup, triangle, a, b, c, flat, <f32>x1, <f32>x2, <f32>y1, <f32>y2)
    : writePlanesScalar(setup, triangle, a, b, c, flat, <f32>x1, <f32>x2, <f32>y1, <f32>y2);
  store<u32>(triangle + T.TRI_FLAGS, load<u32>(triangle + T.TRI_FLAGS) | constant << T.TRI_CONSTANT_SHIFT);
}

/** Where the record of a small triangle begins: at its coverage, the last layer's first, on 16 bytes. */
// @ts-ignore: decorator
@inline export function smallStart(setup: usize): usize {
  const layers = layersOf(load<i32>(setup + P.SETUP_SAMPLES));
  return layers > 1 ? <usize>(T.TRI_COVER - (layers << 3)) : <usize>T.TRI_COVER;
}

/** Bytes of a record. */
// @ts-ignore: decorator
@inline export function recordBytes(setup: usize, small: bool): usize {
  return (small ? <usize>T.TRI_PLANES - smallStart(setup) : <usize>T.TRI_PLANES) + <usize>load<i32>(setup + P.SETUP_GROUPS) * 48;
}

/**
 * Writes the record of a triangle whose box holds pixels, and its places in the lists. `area`: twice the area, positive when clockwise on
 * the screen. `cover`: 0, or a small triangle's samples (small.ts). STATUS_NEEDS_MEMORY when the arena might not hold it; then nothing
 * has changed.
 */
export function placeTriangle<E>(setup: usize, a: usize, b: usize, c: usize, flat: usize, area: i64, minX: i32, minY: i32, maxX: i32, maxY: i32, cover: u64): i32 {
  const pass = <usize>load<u32>(setup + P.SETUP_PASS);
  const arena = <usize>load<u32>(pass + PASS_ARENA);
  const small = cover != 0;
  const bytes = recordBytes(setup, small);
  const tiles = (((maxX - 1) >> TILE_SHIFT) - (minX >> TILE_SHIFT) + 1) * (((maxY - 1) >> TILE_SHIFT) - (minY >> TILE_SHIFT) + 1);
  if (!arenaHolds(arena, bytes, tiles)) return STATUS_NEEDS_MEMORY;
  const start = load<u32>(arena + ARENA_CURSOR);
  const triangle = <usize>start - (small ? smallStart(setup) : 0);
  const draw = <usize>load<u32>(setup + P.SETUP_DRAW);
  const frontIsClockwise = load<i32>(draw + DRAW_FRONT_CW) != 0;
  store<u32>(triangle + T.TRI_DRAW, <u32>draw);
  const affine = load<f32>(a + P.PACKET_W) == 1 && load<f32>(b + P.PACKET_W) == 1 && load<f32>(c + P.PACKET_W) == 1;
  store<i32>(triangle + T.TRI_FLAGS, ((area > 0) == frontIsClockwise ? T.TRI_FLAG_FRONT : 0) | (small ? T.TRI_FLAG_SMALL : 0) | (affine ? T.TRI_FLAG_AFFINE : 0));
  if (small) putCover(setup, triangle, cover);
  store<i32>(triangle + T.TRI_MIN_X, minX);
  store<i32>(triangle + T.TRI_MIN_Y, minY);
  store<i32>(triangle + T.TRI_MAX_X, maxX);
  store<i32>(triangle + T.TRI_MAX_Y, maxY);
  if (area > 0) writeTriangle<E>(setup, triangle, a, b, c, flat, area, small);
  else writeTriangle<E>(setup, triangle, a, c, b, flat, -area, small);
  store<u32>(arena + ARENA_CURSOR, start + <u32>bytes);
  // Nothing where it lies between the samples of every tile that its box touches.
  const touched = small ? binSmall(pass, arena, triangle) : binTriangle(pass, arena, setup, triangle);
  count(pass, touched ? STAT_TRIANGLES_BINNED : STAT_TRIANGLES_CULLED_BETWEEN);
  return STATUS_DONE;
}

// @ts-ignore: decorator
@inline function putCover(setup: usize, triangle: usize, cover: u64): void {
  const layers = layersOf(load<i32>(setup + P.SETUP_SAMPLES));
  if (layers == 1) store<u64>(triangle + T.TRI_COVER, cover);
  else for (let layer: usize = 0; layer < <usize>layers; layer++) store<u64>(triangle + T.TRI_COVER - (layer << 3), load<u64>(setup + P.SETUP_COVERS + (layer << 3)));
}

/**
 * Sets up the triangle of three vertices (addresses in a packet) that lie inside the guard band and before the eye.
 * `flat`: the vertex that gives flat varyings. STATUS_NEEDS_MEMORY when the arena might not hold it; then nothing has changed.
 */
export function setupTriangle<E>(setup: usize, a: usize, b: usize, c: usize, flat: usize): i32 {
  const pass = <usize>load<u32>(setup + P.SETUP_PASS);
  const ax = load<i32>(a + P.PACKET_X);
  const ay = load<i32>(a + P.PACKET_Y);
  const bx = load<i32>(b + P.PACKET_X);
  const by = load<i32>(b + P.PACKET_Y);
  const cx = load<i32>(c + P.PACKET_X);
  const cy = load<i32>(c + P.PACKET_Y);
  // Twice the area; positive when clockwise on the screen, whose y goes down.
  const area = <i64>(bx - ax) * (cy - ay) - <i64>(cx - ax) * (by - ay);
  if (area == 0) {
    count(pass, STAT_TRIANGLES_CULLED_AREA);
    return STATUS_DONE;
  }
  if (load<i32>(setup + P.SETUP_CULL_SIDE) == (area > 0 ? 2 : 1)) {
    count(pass, STAT_TRIANGLES_CULLED_FACE);
    return STATUS_DONE;
  }
  // Pixels that have a sample position within the vertices' box.
  const first = load<i32>(setup + P.SETUP_SAMPLE_FIRST);
  const last = load<i32>(setup + P.SETUP_SAMPLE_LAST);
  const left = min<i32>(ax, min<i32>(bx, cx));
  const top = min<i32>(ay, min<i32>(by, cy));
  const right = max<i32>(ax, max<i32>(bx, cx));
  const bottom = max<i32>(ay, max<i32>(by, cy));
  let minX = (left - last + 255) >> 8;
  let minY = (top - last + 255) >> 8;
  let maxX = ((right - first) >> 8) + 1;
  let maxY = ((bottom - first) >> 8) + 1;
  const missed = minX >= maxX || minY >= maxY;
  minX = max<i32>(minX, load<i32>(setup + P.SETUP_MIN_X));
  minY = max<i32>(minY, load<i32>(setup + P.SETUP_MIN_Y));
  maxX = min<i32>(maxX, load<i32>(setup + P.SETUP_MAX_X));
  maxY = min<i32>(maxY, load<i32>(setup + P.SETUP_MAX_Y));
  if (missed || minX >= maxX || minY >= maxY) {
    count(pass, missed ? STAT_TRIANGLES_CULLED_BETWEEN : STAT_TRIANGLES_CULLED_OUTSIDE);
    return STATUS_DONE;
  }
  let cover: u64 = 0;
  if (!isReference<E>() && maxX - minX <= SMALL_PIXELS && maxY - minY <= SMALL_PIXELS && right - left <= SMALL_SPAN && bottom - top <= SMALL_SPAN) {
    // Clockwise, from the first vertex.
    const turned = area < 0;
    cover = coverSmall<E>(setup, (minX << 8) - ax, (minY << 8) - ay, (turned ? cx : bx) - ax, (turned ? cy : by) - ay, (turned ? bx : cx) - ax, (turned ? by : cy) - ay, maxX - minX, maxY - minY);
    if (!cover) {
      count(pass, STAT_TRIANGLES_CULLED_BETWEEN);
      return STATUS_DONE;
    }
  }
  return placeTriangle<E>(setup, a, b, c, flat, area, minX, minY, maxX, maxY, cover);
}
