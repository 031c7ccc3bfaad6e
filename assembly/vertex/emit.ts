// Primitives of a shaded batch, one by one, to setup: rejection by outcodes, clipping, and points and lines as pairs of triangles.
import { DRAW_FRONT_CW } from '../layout/draw';
import { GEOMETRY_DRAW, GEOMETRY_PASS } from '../layout/geometry';
import { STAT_TRIANGLES_CLIPPED, STAT_TRIANGLES_CULLED_OTHER, STAT_TRIANGLES_IN } from '../layout/pass';
import * as P from '../layout/packet';
import { STATUS_DONE } from '../layout/status';
import { count, setupTriangle } from '../raster/setup';
import { clipPolygon } from './clip';
import * as S from './state';

// @ts-ignore: decorator
@inline function outcode(vertex: usize): i32 { return load<i32>(vertex + P.PACKET_OUTCODE); }

// @ts-ignore: decorator
@inline function polygonVertex(geometry: usize, i: i32): usize { return <usize>load<u32>(geometry + S.STATE_POLYGONS + (<usize>i << 2)); }

// @ts-ignore: decorator
@inline function setPolygonVertex(geometry: usize, i: i32, vertex: usize): void { store<u32>(geometry + S.STATE_POLYGONS + (<usize>i << 2), <u32>vertex); }

// The polygon's fan, from the triangle at which it was interrupted.
function emitFan<E>(geometry: usize, corners: i32, flat: usize): i32 {
  const setup = geometry + S.STATE_SETUP;
  const first = polygonVertex(geometry, 0);
  for (let i = load<i32>(geometry + S.STATE_FAN); i + 2 < corners; i++) {
    const status = setupTriangle<E>(setup, first, polygonVertex(geometry, i + 1), polygonVertex(geometry, i + 2), flat);
    if (status != STATUS_DONE) {
      store<i32>(geometry + S.STATE_FAN, i);
      return status;
    }
  }
  store<i32>(geometry + S.STATE_FAN, 0);
  return STATUS_DONE;
}

function emitTriangle<E>(geometry: usize, pass: usize, a: usize, b: usize, c: usize): i32 {
  const codes = outcode(a) | outcode(b) | outcode(c);
  if (!(codes & (P.OUTCODE_CLIP | P.OUTCODE_WILD)) && !(outcode(a) & outcode(b) & outcode(c))) return setupTriangle<E>(geometry + S.STATE_SETUP, a, b, c, a);
  if (codes & P.OUTCODE_WILD || outcode(a) & outcode(b) & outcode(c) & P.OUTCODE_VOLUME) {
    count(pass, STAT_TRIANGLES_CULLED_OTHER);
    return STATUS_DONE;
  }
  setPolygonVertex(geometry, 0, a);
  setPolygonVertex(geometry, 1, b);
  setPolygonVertex(geometry, 2, c);
  const corners = clipPolygon<E>(geometry, 3, codes);
  const status = emitFan<E>(geometry, corners, a);
  if (status == STATUS_DONE) count(pass, STAT_TRIANGLES_CLIPPED);
  return status;
}

// A copy of a vertex, moved on the screen by 1/256 pixels, as corner i of the polygon.
function moveVertex(geometry: usize, i: i32, vertex: usize, dx: i32, dy: i32): void {
  const copy = geometry + S.STATE_MOVED + <usize>i * S.VERTEX_BYTES;
  memory.copy(copy, vertex, <usize>load<u32>(geometry + S.STATE_SETUP + P.SETUP_STRIDE));
  store<i32>(copy + P.PACKET_X, load<i32>(vertex + P.PACKET_X) + dx);
  store<i32>(copy + P.PACKET_Y, load<i32>(vertex + P.PACKET_Y) + dy);
  setPolygonVertex(geometry, i, copy);
}

// Points and lines face the front, whichever way round that is: the polygon's corners 1 and 3 change places for it.
function faceFront(geometry: usize, clockwise: bool): void {
  const frontIsClockwise = load<i32>(<usize>load<u32>(geometry + GEOMETRY_DRAW) + DRAW_FRONT_CW) != 0;
  if (clockwise == frontIsClockwise) return;
  const second = polygonVertex(geometry, 1);
  setPolygonVertex(geometry, 1, polygonVertex(geometry, 3));
  setPolygonVertex(geometry, 3, second);
}

/** A point covers the pixel that it lies in: a square of one pixel around it. */
function emitPoint<E>(geometry: usize, pass: usize, a: usize): i32 {
  if (outcode(a) & (P.OUTCODE_VOLUME | P.OUTCODE_BEHIND | P.OUTCODE_WILD)) {
    count(pass, STAT_TRIANGLES_CULLED_OTHER);
    return STATUS_DONE;
  }
  moveVertex(geometry, 0, a, -128, -128);
  moveVertex(geometry, 1, a, 128, -128);
  moveVertex(geometry, 2, a, 128, 128);
  moveVertex(geometry, 3, a, -128, 128);
  faceFront(geometry, true);
  return emitFan<E>(geometry, 4, a);
}

/** A line is a parallelogram of one pixel across its shorter direction: one pixel in each column (or row) that it passes. */
function emitLine<E>(geometry: usize, pass: usize, a: usize, b: usize): i32 {
  const codes = outcode(a) | outcode(b);
  let from = a;
  let to = b;
  if (codes & P.OUTCODE_WILD || outcode(a) & outcode(b) & P.OUTCODE_VOLUME) {
    count(pass, STAT_TRIANGLES_CULLED_OTHER);
    return STATUS_DONE;
  }
  if (codes & P.OUTCODE_CLIP) {
    setPolygonVertex(geometry, 0, a);
    setPolygonVertex(geometry, 1, b);
    // As a polygon of two edges there and back, a line gets each new end twice; its ends are the first corner and the one in the middle.
    const corners = clipPolygon<E>(geometry, 2, codes);
    if (corners < 2) {
      count(pass, STAT_TRIANGLES_CULLED_OTHER);
      return STATUS_DONE;
    }
    from = polygonVertex(geometry, 0);
    to = polygonVertex(geometry, farthest(geometry, corners));
  }
  const dx = load<i32>(to + P.PACKET_X) - load<i32>(from + P.PACKET_X);
  const dy = load<i32>(to + P.PACKET_Y) - load<i32>(from + P.PACKET_Y);
  const flat = abs<i32>(dx) >= abs<i32>(dy);
  const acrossX = flat ? 0 : 128;
  const acrossY = flat ? 128 : 0;
  moveVertex(geometry, 0, from, -acrossX, -acrossY);
  moveVertex(geometry, 1, to, -acrossX, -acrossY);
  moveVertex(geometry, 2, to, acrossX, acrossY);
  moveVertex(geometry, 3, from, acrossX, acrossY);
  faceFront(geometry, flat ? dx > 0 : dy < 0);
  return emitFan<E>(geometry, 4, a);
}

// The corner of a clipped line that differs most on the screen from corner 0.
function farthest(geometry: usize, corners: i32): i32 {
  const x = load<i32>(polygonVertex(geometry, 0) + P.PACKET_X);
  const y = load<i32>(polygonVertex(geometry, 0) + P.PACKET_Y);
  let best = 1;
  let most: i64 = -1;
  for (let i = 1; i < corners; i++) {
    const vertex = polygonVertex(geometry, i);
    const length = abs<i64>(<i64>load<i32>(vertex + P.PACKET_X) - x) + abs<i64>(<i64>load<i32>(vertex + P.PACKET_Y) - y);
    if (length > most) {
      most = length;
      best = i;
    }
  }
  return best;
}

/** Sends the batch's primitives to setup, from the cursor on. STATUS_NEEDS_MEMORY leaves the cursor at the triangle that did not fit. */
export function emitBatch<E>(geometry: usize): i32 {
  const pass = <usize>load<u32>(geometry + GEOMETRY_PASS);
  const corners = <usize>load<u32>(geometry + S.STATE_CORNERS);
  const stride = load<u32>(geometry + S.STATE_SETUP + P.SETUP_STRIDE);
  const packet = geometry + S.STATE_PACKET;
  const primitives = load<u32>(geometry + S.STATE_PRIMITIVES);
  for (let i = load<u32>(geometry + S.STATE_CURSOR); i < primitives; i++) {
    const places = geometry + S.STATE_PRIMITIVE_LIST + <usize>i * corners * 2;
    const a = packet + <usize>(<u32>load<u16>(places) * stride);
    let status: i32;
    if (corners == 3) status = emitTriangle<E>(geometry, pass, a, packet + <usize>(<u32>load<u16>(places, 2) * stride), packet + <usize>(<u32>load<u16>(places, 4) * stride));
    else if (corners == 2) status = emitLine<E>(geometry, pass, a, packet + <usize>(<u32>load<u16>(places, 2) * stride));
    else status = emitPoint<E>(geometry, pass, a);
    if (status != STATUS_DONE) {
      store<u32>(geometry + S.STATE_CURSOR, i);
      return status;
    }
    count(pass, STAT_TRIANGLES_IN);
  }
  return STATUS_DONE;
}
