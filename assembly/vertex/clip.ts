// Clipping in clip space (WebGPU § 23.2.4), for the few primitives that need it: near, far, the eye's plane, the guard
// band, and the distances that a vertex program gives. A cut edge is always walked from its inner to its outer end, so
// that both triangles at it get the same new vertex.
import {
  CUT_VERTICES, Geometry, OUTCODE_BEHIND, OUTCODE_DISTANCE, OUTCODE_FAR, OUTCODE_GUARD, OUTCODE_NEAR, OUTCODE_WILD,
  POLYGON_BYTES, Setup, W_MINIMUM,
} from '../layout';
import { mixVertex } from './mix';
import { projectVertex } from './project.scalar';
import { cutVertex, distancesOf, outcodeOf, positionOf, VOLUME_PLANES } from './vertices';

const PLANE_NEAR = 0;
const PLANE_FAR = 1;
const PLANE_EYE = 2;

// The outcode bit that tells that a plane may be crossed.
function planeCode(plane: i32): i32 {
  if (plane >= VOLUME_PLANES) return OUTCODE_DISTANCE;
  return plane == PLANE_NEAR ? OUTCODE_NEAR : plane == PLANE_FAR ? OUTCODE_FAR : plane == PLANE_EYE ? OUTCODE_BEHIND
    : OUTCODE_GUARD;
}

// Signed distance, inside ≥ 0.
function distance(setup: Setup, plane: i32, number: u32): f32 {
  if (plane >= VOLUME_PLANES) return load<f32>(distancesOf(setup, number) + (plane - VOLUME_PLANES << 2));
  const position = positionOf(setup, number);
  const w = load<f32>(position, 12);
  switch (plane) {
    case PLANE_NEAR: return load<f32>(position, 8);
    case PLANE_FAR: return w - load<f32>(position, 8);
    case PLANE_EYE: return w - <f32>W_MINIMUM;
    case 3: return setup.guardX * w - load<f32>(position);
    case 4: return setup.guardX * w + load<f32>(position);
    case 5: return setup.guardY * w - load<f32>(position, 4);
    default: return setup.guardY * w + load<f32>(position, 4);
  }
}

// The vertex where an edge crosses a plane.
function cross(setup: Setup, plane: i32, inner: u32, outer: u32, out: u32): void {
  const dInner = distance(setup, plane, inner);
  const t = dInner / (dInner - distance(setup, plane, outer));
  const wInner = load<f32>(positionOf(setup, inner), 12);
  const wOuter = load<f32>(positionOf(setup, outer), 12);
  // Linear varyings run evenly on the screen, where the crossing lies at t·w1/w.
  mixVertex(setup, inner, outer, t, t * wOuter / (wInner + (wOuter - wInner) * t), out);
  // On the plane exactly, whatever rounding made of it.
  const position = positionOf(setup, out);
  if (plane == PLANE_NEAR) store<f32>(position, 0, 8);
  else if (plane == PLANE_FAR) store<f32>(position, load<f32>(position, 12), 8);
  else if (plane == PLANE_EYE) store<f32>(position, <f32>W_MINIMUM, 12);
  else if (plane >= VOLUME_PLANES) store<f32>(distancesOf(setup, out) + (plane - VOLUME_PLANES << 2), 0);
  projectVertex(setup, out);
}

function vertexAt(list: usize, i: i32): u32 { return load<u32>(list + (i << 2)); }

// One plane of Sutherland and Hodgman's algorithm; gives the number of vertices in `to`. `fresh`: new vertices made
// before.
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
    // A plane leaves a polygon at most where it enters it; that its distances are rounded makes no third vertex.
    if (inside == (distance(setup, plane, next) >= 0) || made == CUT_VERTICES) continue;
    const out = cutVertex(setup, fresh + made);
    made++;
    cross(setup, plane, inside ? here : next, inside ? next : here, out);
    store<u32>(to + (kept << 2), out);
    kept++;
  }
  return kept;
}

/**
 * Clips the polygon in the first list of Geometry.polygons against the planes that `codes` (the vertices' outcodes,
 * joined) name. The result stands in the first list again; gives its vertex count, 0 when nothing is left or a number
 * overflowed.
 */
export function clipPolygon(geometry: Geometry, count: i32, codes: i32): i32 {
  const setup = geometry.setup;
  let from = geometry.polygons;
  let to = from + POLYGON_BYTES;
  let fresh = 0;
  const planes = VOLUME_PLANES + setup.distanceCount;
  for (let plane = 0; plane < planes && count > 0; plane++) {
    if (!(codes & planeCode(plane))) continue;
    const before = from;
    const kept = clipPlane(setup, plane, from, count, to, fresh);
    fresh += CUT_VERTICES;
    from = to;
    to = before;
    count = kept;
    // New vertices may cross planes that the old ones did not, by rounding: the guard band is looked at again.
    for (let i = 0; i < count; i++) codes |= outcodeOf(setup, vertexAt(from, i)) & (OUTCODE_GUARD | OUTCODE_WILD);
  }
  if (codes & OUTCODE_WILD) return 0;
  if (from != geometry.polygons) memory.copy(geometry.polygons, from, POLYGON_BYTES);
  return count;
}
