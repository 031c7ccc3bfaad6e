// Clipping in clip space (WebGPU § 23.2.4), for the few primitives that need it. The planes are near, far, the guard
// band, the eye plane and the clip distances of a vertex shader. A cut edge is always traversed from its inner to its
// outer end, so that both adjacent triangles get the same new vertex.
//
// Any point inside the guard band on both sides is in front of the eye, so the eye plane is clipped after the band. It
// then only cuts primitives that pass through the eye itself. No new vertex is so far away that later ones lose
// precision.
import {
  CUT_VERTICES,
  Geometry,
  OUTCODE_BEHIND,
  OUTCODE_DISTANCE,
  OUTCODE_FAR,
  OUTCODE_GUARD,
  OUTCODE_NEAR,
  OUTCODE_NOT_FINITE,
  POLYGON_BYTES,
  Setup,
  MIN_W,
} from '../../layout';
import { mixVertex } from './mix';
import { projectVertex } from './project.scalar';
import { cutVertex, distancesOf, outcodeOf, positionOf, VOLUME_PLANES } from './vertices';

const PLANE_NEAR = 0;
const PLANE_FAR = 1;
// The guard band's planes.
const PLANE_RIGHT = 2;
const PLANE_LEFT = 3;
const PLANE_TOP = 4;
const PLANE_BOTTOM = 5;
const PLANE_EYE = 6;

// The outcode bit that is set if a plane may be crossed.
function planeCode(plane: i32): i32 {
  if (plane >= VOLUME_PLANES) return OUTCODE_DISTANCE;
  return plane == PLANE_NEAR
    ? OUTCODE_NEAR
    : plane == PLANE_FAR
      ? OUTCODE_FAR
      : plane == PLANE_EYE
        ? OUTCODE_BEHIND
        : OUTCODE_GUARD;
}

// Signed distance from a plane, inside ≥ 0. Exact in f64, except for the last bit of a sum.
function distance(setup: Setup, plane: i32, number: u32): f64 {
  if (plane >= VOLUME_PLANES) return load<f32>(distancesOf(setup, number) + ((plane - VOLUME_PLANES) << 2));
  const position = positionOf(setup, number);
  const w = <f64>load<f32>(position, 12);
  switch (plane) {
    case PLANE_NEAR:
      return load<f32>(position, 8);
    case PLANE_FAR:
      return w - load<f32>(position, 8);
    case PLANE_RIGHT:
      return setup.guardX * w - load<f32>(position);
    case PLANE_LEFT:
      return setup.guardX * w + load<f32>(position);
    case PLANE_TOP:
      return setup.guardY * w - load<f32>(position, 4);
    case PLANE_BOTTOM:
      return setup.guardY * w + load<f32>(position, 4);
    default:
      return w - <f32>MIN_W;
  }
}

// Moves a new vertex exactly onto the plane: rounding its position to f32 may have moved it off.
function settle(setup: Setup, plane: i32, number: u32): void {
  if (plane >= VOLUME_PLANES) {
    store<f32>(distancesOf(setup, number) + ((plane - VOLUME_PLANES) << 2), 0);
    return;
  }
  const position = positionOf(setup, number);
  const w = load<f32>(position, 12);
  switch (plane) {
    case PLANE_NEAR:
      store<f32>(position, 0, 8);
      break;
    case PLANE_FAR:
      store<f32>(position, w, 8);
      break;
    case PLANE_RIGHT:
      store<f32>(position, setup.guardX * w);
      break;
    case PLANE_LEFT:
      store<f32>(position, -setup.guardX * w);
      break;
    case PLANE_TOP:
      store<f32>(position, setup.guardY * w, 4);
      break;
    case PLANE_BOTTOM:
      store<f32>(position, -setup.guardY * w, 4);
      break;
    default:
      store<f32>(position, <f32>MIN_W, 12);
  }
}

// Makes the vertex where an edge crosses a plane.
function cross(setup: Setup, plane: i32, inner: u32, outer: u32, out: u32): void {
  mixVertex(setup, inner, outer, distance(setup, plane, inner), -distance(setup, plane, outer), out);
  settle(setup, plane, out);
  projectVertex(setup, out);
}

function vertexAt(list: usize, i: i32): u32 {
  return load<u32>(list + (i << 2));
}

// One plane of the Sutherland–Hodgman algorithm. Returns the number of vertices in `to`. `fresh` is the number of new
// vertices made so far.
function clipPlane(setup: Setup, plane: i32, from: usize, count: i32, to: usize, fresh: i32): i32 {
  let made = 0;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const here = vertexAt(from, i);
    const next = vertexAt(from, i + 1 == count ? 0 : i + 1);
    const inside = distance(setup, plane, here) >= 0;
    if (inside) {
      store<u32>(to + (kept << 2), here);
      kept++;
    }
    // A plane crosses a convex polygon's boundary at most twice. Rounded distances must not add a third vertex.
    if (inside == distance(setup, plane, next) >= 0 || made == CUT_VERTICES) continue;
    const out = cutVertex(setup, fresh + made);
    made++;
    cross(setup, plane, inside ? here : next, inside ? next : here, out);
    store<u32>(to + (kept << 2), out);
    kept++;
  }
  return kept;
}

/**
 * Clips the polygon in the first list of Geometry.polygons against the planes in `codes`, the OR of the vertices'
 * outcodes. The result replaces the first list. Returns its vertex count, or 0 when nothing is left or a number
 * overflowed.
 */
export function clipPolygon(geometry: Geometry, count: i32, codes: i32): i32 {
  const setup = geometry.setup;
  let from = geometry.polygons;
  let to = from + POLYGON_BYTES;
  let fresh = 0;
  const distances = codes & OUTCODE_DISTANCE;
  const planes = VOLUME_PLANES + setup.distanceCount;
  for (let plane = 0; plane < planes && count > 0; plane++) {
    if (!(codes & planeCode(plane))) continue;
    const before = from;
    const kept = clipPlane(setup, plane, from, count, to, fresh);
    fresh += CUT_VERTICES;
    from = to;
    to = before;
    count = kept;
    // The remaining polygon may cross fewer planes and, because of rounding, different ones.
    codes = distances;
    for (let i = 0; i < count; i++) codes |= outcodeOf(setup, vertexAt(from, i));
    if (codes & OUTCODE_NOT_FINITE) return 0;
  }
  if (from != geometry.polygons) memory.copy(geometry.polygons, from, POLYGON_BYTES);
  return count;
}
