// Setup: one triangle of snapped vertices becomes a TRIANGLE record in the arena, on the lists of the tiles that it touches,
// or is culled. The vertex side (assembly/vertex) projects and clips; tiles (tile.ts) read what is written here.
//
// Control code is shared by both builds; `E` chooses the body of the planes (v128 or, for the scalar twin, u32).
import { DRAW_DEPTH_BIAS, DRAW_DEPTH_BIAS_CLAMP, DRAW_DEPTH_BIAS_SLOPE, DRAW_FRONT_CW, DRAW_VIEWPORT } from '../layout/draw';
import { TILE_SHIFT } from '../layout/limits';
import { ARENA_CURSOR, PASS_ARENA, PASS_STATISTICS, STAT_TRIANGLES_BINNED, STAT_TRIANGLES_CULLED_FACE, STAT_TRIANGLES_CULLED_OTHER } from '../layout/pass';
import * as P from '../layout/packet';
import { STATUS_DONE, STATUS_NEEDS_MEMORY } from '../layout/status';
import * as T from '../layout/triangle';
import { arenaHolds, binTriangle } from './bin';
import { writePlanes } from './planes';
import { writePlanesScalar } from './planes.scalar';
import { holdsSample, SMALL_PIXELS, SMALL_SPAN } from './small';

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
function writeDepthPlanes(setup: usize, triangle: usize, a: usize, b: usize, c: usize, x1: f64, x2: f64, y1: f64, y2: f64): void {
  const draw = <usize>load<u32>(setup + P.SETUP_DRAW);
  const za = load<f32>(a + P.PACKET_Z);
  const zb = load<f32>(b + P.PACKET_Z);
  const zc = load<f32>(c + P.PACKET_Z);
  const ddx = <f32>((<f64>zb - <f64>za) * x1 + (<f64>zc - <f64>za) * x2);
  const ddy = <f32>((<f64>zb - <f64>za) * y1 + (<f64>zc - <f64>za) * y2);
  const biased = load<i32>(setup + P.SETUP_BIASED) != 0;
  const largest = max<f32>(za, max<f32>(zb, zc));
  store<f32>(triangle + T.TRI_Z, biased ? za + depthBias(setup, draw, largest, ddx, ddy) : za);
  store<f32>(triangle + T.TRI_Z_DX, ddx);
  store<f32>(triangle + T.TRI_Z_DY, ddy);
  store<f32>(triangle + T.TRI_Z_MIN, load<f32>(draw + DRAW_VIEWPORT + 16));
  store<f32>(triangle + T.TRI_Z_MAX, load<f32>(draw + DRAW_VIEWPORT + 20));
  const wa = <f64>load<f32>(a + P.PACKET_W);
  const w1 = <f64>load<f32>(b + P.PACKET_W) - wa;
  const w2 = <f64>load<f32>(c + P.PACKET_W) - wa;
  store<f32>(triangle + T.TRI_W, <f32>wa);
  store<f32>(triangle + T.TRI_W_DX, <f32>(w1 * x1 + w2 * x2));
  store<f32>(triangle + T.TRI_W_DY, <f32>(w1 * y1 + w2 * y2));
  if (w1 == 0 && w2 == 0) store<i32>(triangle + T.TRI_FLAGS, load<i32>(triangle + T.TRI_FLAGS) | T.TRI_FLAG_CONSTANT_W);
}

// The record at `triangle` of vertices in clockwise order on the screen; the header's box is written already.
function writeTriangle<E>(setup: usize, triangle: usize, a: usize, b: usize, c: usize, flat: usize, area: i64): void {
  const ax = load<i32>(a + P.PACKET_X);
  const ay = load<i32>(a + P.PACKET_Y);
  const bx = load<i32>(b + P.PACKET_X);
  const by = load<i32>(b + P.PACKET_Y);
  const cx = load<i32>(c + P.PACKET_X);
  const cy = load<i32>(c + P.PACKET_Y);
  store<f32>(triangle + T.TRI_X0, <f32>ax * (1.0 / 256.0));
  store<f32>(triangle + T.TRI_Y0, <f32>ay * (1.0 / 256.0));
  writeEdge(triangle + T.TRI_EDGES, ax, ay, bx, by);
  writeEdge(triangle + T.TRI_EDGES + T.TRI_EDGE_BYTES, bx, by, cx, cy);
  writeEdge(triangle + T.TRI_EDGES + T.TRI_EDGE_BYTES * 2, cx, cy, ax, ay);
  // d/dx = (d1·(yc − ya) − d2·(yb − ya)) / area, per pixel.
  const scale: f64 = 256.0 / <f64>area;
  const x1 = <f64>(cy - ay) * scale;
  const x2 = <f64>(ay - by) * scale;
  const y1 = <f64>(ax - cx) * scale;
  const y2 = <f64>(bx - ax) * scale;
  writeDepthPlanes(setup, triangle, a, b, c, x1, x2, y1, y2);
  if (isVector<E>()) writePlanes(setup, triangle, a, b, c, flat, <f32>x1, <f32>x2, <f32>y1, <f32>y2);
  else writePlanesScalar(setup, triangle, a, b, c, flat, <f32>x1, <f32>x2, <f32>y1, <f32>y2);
}

// Whether a small triangle lies between the samples.
// @ts-ignore: decorator
@inline function isMissed<E>(ax: i32, ay: i32, bx: i32, by: i32, cx: i32, cy: i32, clockwise: bool, minX: i32, minY: i32, maxX: i32, maxY: i32, many: bool): bool {
  if (maxX - minX > SMALL_PIXELS || maxY - minY > SMALL_PIXELS) return false;
  // Both differences of each side within the span: the box of pixels may be small because it is cut by the scissor.
  const reach = max<i32>(max<i32>(abs<i32>(bx - ax), abs<i32>(by - ay)), max<i32>(abs<i32>(cx - ax), abs<i32>(cy - ay)));
  if (reach > SMALL_SPAN) return false;
  const left = (minX << 8) - ax;
  const top = (minY << 8) - ay;
  if (clockwise) return !holdsSample<E>(left, top, bx - ax, by - ay, cx - ax, cy - ay, many);
  return !holdsSample<E>(left, top, cx - ax, cy - ay, bx - ax, by - ay, many);
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
    count(pass, STAT_TRIANGLES_CULLED_OTHER);
    return STATUS_DONE;
  }
  if (load<i32>(setup + P.SETUP_CULL_SIDE) == (area > 0 ? 2 : 1)) {
    count(pass, STAT_TRIANGLES_CULLED_FACE);
    return STATUS_DONE;
  }
  // Pixels that have a sample position within the vertices' box.
  const first = load<i32>(setup + P.SETUP_SAMPLE_FIRST);
  const last = load<i32>(setup + P.SETUP_SAMPLE_LAST);
  const minX = max<i32>((min<i32>(ax, min<i32>(bx, cx)) - last + 255) >> 8, load<i32>(setup + P.SETUP_MIN_X));
  const minY = max<i32>((min<i32>(ay, min<i32>(by, cy)) - last + 255) >> 8, load<i32>(setup + P.SETUP_MIN_Y));
  const maxX = min<i32>(((max<i32>(ax, max<i32>(bx, cx)) - first) >> 8) + 1, load<i32>(setup + P.SETUP_MAX_X));
  const maxY = min<i32>(((max<i32>(ay, max<i32>(by, cy)) - first) >> 8) + 1, load<i32>(setup + P.SETUP_MAX_Y));
  if (minX >= maxX || minY >= maxY) {
    count(pass, STAT_TRIANGLES_CULLED_OTHER);
    return STATUS_DONE;
  }
  if (isMissed<E>(ax, ay, bx, by, cx, cy, area > 0, minX, minY, maxX, maxY, first != last)) {
    count(pass, STAT_TRIANGLES_CULLED_OTHER);
    return STATUS_DONE;
  }
  const arena = <usize>load<u32>(pass + PASS_ARENA);
  const bytes: usize = <usize>T.TRI_PLANES + <usize>load<i32>(setup + P.SETUP_GROUPS) * 48;
  const tiles = (((maxX - 1) >> TILE_SHIFT) - (minX >> TILE_SHIFT) + 1) * (((maxY - 1) >> TILE_SHIFT) - (minY >> TILE_SHIFT) + 1);
  if (!arenaHolds(arena, bytes, tiles)) return STATUS_NEEDS_MEMORY;
  const triangle = <usize>load<u32>(arena + ARENA_CURSOR);
  const draw = <usize>load<u32>(setup + P.SETUP_DRAW);
  const frontIsClockwise = load<i32>(draw + DRAW_FRONT_CW) != 0;
  store<u32>(triangle + T.TRI_DRAW, <u32>draw);
  store<i32>(triangle + T.TRI_FLAGS, (area > 0) == frontIsClockwise ? T.TRI_FLAG_FRONT : 0);
  store<i32>(triangle + T.TRI_MIN_X, minX);
  store<i32>(triangle + T.TRI_MIN_Y, minY);
  store<i32>(triangle + T.TRI_MAX_X, maxX);
  store<i32>(triangle + T.TRI_MAX_Y, maxY);
  if (area > 0) writeTriangle<E>(setup, triangle, a, b, c, flat, area);
  else writeTriangle<E>(setup, triangle, a, c, b, flat, -area);
  store<u32>(arena + ARENA_CURSOR, <u32>(triangle + bytes));
  if (binTriangle(pass, arena, setup, triangle)) count(pass, STAT_TRIANGLES_BINNED);
  else {
    // Between the samples of every tile that its box touches: the record is given back.
    store<u32>(arena + ARENA_CURSOR, <u32>triangle);
    count(pass, STAT_TRIANGLES_CULLED_OTHER);
  }
  return STATUS_DONE;
}
