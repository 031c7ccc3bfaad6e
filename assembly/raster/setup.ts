// Setup: turns a triangle of snapped vertices into a TRIANGLE record in the arena and puts it on the lists of the tiles
// that it touches, or culls it. The vertex side (assembly/vertex) projects and clips before; tiles (tile.ts) read the
// records.
//
// setup-four.ts sets up four triangles at once. Both builds share the control code. `E` selects how planes are
// computed: v128 for SIMD; u32 for the scalar twin; the oracle's class for the scalar twin with edges for every
// triangle, also for those without samples.
import {
  Corner,
  DepthPlane,
  Draw,
  Packet,
  PLANES_BYTES,
  PlaneTerms,
  Setup,
  SetupOne,
  STATUS_DONE,
  STATUS_NEEDS_MEMORY,
  TILE_SHIFT,
  TRI_CONSTANT_SHIFT,
  TRI_FLAG_AFFINE,
  TRI_FLAG_FRONT,
  TRI_FLAG_SMALL,
  Triangle,
  TriangleEdge,
  Viewport,
} from '../layout';
import { layersOf } from '../simd/positions';
import { arenaHolds, binTriangle } from './bin';
import { writePlanes } from './planes';
import { writePlanesCut, writePlanesScalar } from './planes.scalar';
import { coverSmall, SMALL_PIXELS, SMALL_SPAN } from './small';

// Writes the edge from p to q; inside is to its right on the screen.
function writeEdge(edge: TriangleEdge, p: Corner, q: Corner): void {
  const a = p.y - q.y;
  const b = q.x - p.x;
  // Top-left rule: a pixel on a shared edge is drawn once. Left edges go up on the screen (a > 0), top edges go right.
  const rule = i32(!(a > 0 || (a == 0 && b > 0)));
  edge.a = a;
  edge.b = b;
  edge.c = -(<i64>a * p.x + <i64>b * p.y) - rule;
}

// 2^(exponent of z − 23): the step between float depths at z (WebGPU § 23.2.6, depth bias).
function floatStep(z: f32): f32 {
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

// Writes value, ddx and ddy to `plane` for one f32 field of the vertices' packets, `at` bytes into them. Computed in
// f64: depth and 1/w decide visibility, and the differences of slivers lose many bits.
function writeDepthPlane(plane: DepthPlane, at: usize, one: SetupOne, terms: PlaneTerms): void {
  const first = load<f32>(changetype<usize>(terms.a) + at);
  const d1 = <f64>load<f32>(changetype<usize>(terms.b) + at) - <f64>first;
  const d2 = <f64>load<f32>(changetype<usize>(terms.c) + at) - <f64>first;
  plane.c = first;
  plane.ddx = <f32>(d1 * one.x1 + d2 * one.x2);
  plane.ddy = <f32>(d1 * one.y1 + d2 * one.y2);
}

// Bound for the relative rounding error of a depth: the slope, a product and two sums add 3 · 2^-24 each, and this is
// doubled.
export const PLANE_ERROR: f32 = 4.76837158203125e-7;
export const MIN_NORMAL: f32 = 1.1754943508222875e-38;
// The bounds hold if no side of the vertices' box exceeds this span, and twice the area is at least this (24.8 fixed
// point).
export const BOUNDED_SPAN: i32 = 1 << 18;
export const BOUNDED_AREA: i64 = 1 << 10;

// As min and max of simd/lanes.ts: return the first operand if either is NaN.
function less(a: f32, b: f32): f32 {
  return b < a ? b : a;
}
function more(a: f32, b: f32): f32 {
  return a < b ? b : a;
}

// Writes Triangle.near and Triangle.far from the vertices' depths. If a depth is NaN, there are no bounds.
function writeDepthBounds(triangle: Triangle, one: SetupOne, terms: PlaneTerms): void {
  const spanX = one.spanX;
  const spanY = one.spanY;
  if (spanX > BOUNDED_SPAN || spanY > BOUNDED_SPAN || one.area < BOUNDED_AREA) {
    triangle.near = -Infinity;
    triangle.far = Infinity;
    return;
  }
  const za = terms.a.z;
  const zb = terms.b.z;
  const zc = terms.c.z;
  const z = triangle.z;
  const bias = z - za;
  const slopes = abs<f32>(triangle.zDx) * <f32>spanX + abs<f32>(triangle.zDy) * <f32>spanY;
  const sizes = abs<f32>(z) + abs<f32>(bias) + abs<f32>(zb - za) + abs<f32>(zc - za) + slopes * (1.0 / 256.0);
  // The last term covers depths so small that the product rounds to zero.
  const error = sizes * PLANE_ERROR + MIN_NORMAL;
  // Depth is clamped, so its bounds are clamped too.
  triangle.near = less(less(za, less(zb, zc)) + bias - error, triangle.zMax);
  triangle.far = more(more(za, more(zb, zc)) + bias + error, triangle.zMin);
}

// Writes the planes of a triangle's varyings. Returns those without slopes (writePlanes).
function writeVaryings<E>(setup: Setup, triangle: Triangle, one: SetupOne, terms: PlaneTerms): u32 {
  if (setup.cut) return writePlanesCut(setup, triangle, one, terms);
  return isVector<E>() ? writePlanes(setup, triangle, terms) : writePlanesScalar(setup, triangle, terms);
}

// Writes the record at `triangle` except its coverage.
function writeTriangle<E>(setup: Setup, triangle: Triangle, one: SetupOne, terms: PlaneTerms): void {
  const draw = setup.draw;
  const affine = terms.a.w == 1 && terms.b.w == 1 && terms.c.w == 1;
  const front = one.turned != draw.frontCw;
  triangle.draw = draw;
  triangle.minX = one.minX;
  triangle.minY = one.minY;
  triangle.maxX = one.maxX;
  triangle.maxY = one.maxY;
  triangle.x0 = <f32>one.a.x * (1.0 / 256.0);
  triangle.y0 = <f32>one.a.y * (1.0 / 256.0);
  // d/dx = (d1·(yc − ya) − d2·(yb − ya)) / area, per pixel.
  const scale: f64 = 256.0 / <f64>one.area;
  one.x1 = <f64>(one.c.y - one.a.y) * scale;
  one.x2 = <f64>(one.a.y - one.b.y) * scale;
  one.y1 = <f64>(one.a.x - one.c.x) * scale;
  one.y2 = <f64>(one.b.x - one.a.x) * scale;
  writeDepthPlane(changetype<DepthPlane>(triangle.zPlane), offsetof<Packet>('z'), one, terms);
  writeDepthPlane(changetype<DepthPlane>(triangle.wPlane), offsetof<Packet>('w'), one, terms);
  if (setup.biased) {
    const largest = max<f32>(terms.a.z, max<f32>(terms.b.z, terms.c.z));
    triangle.z += depthBias(setup, draw, largest, triangle.zDx, triangle.zDy);
  }
  // Both depths of the range at once.
  store<u64>(
    changetype<usize>(triangle) + offsetof<Triangle>('zMin'),
    load<u64>(changetype<usize>(draw.viewport) + offsetof<Viewport>('minDepth'))
  );
  if (!one.cover) {
    writeEdge(triangle.edge(0), one.a, one.b);
    writeEdge(triangle.edge(1), one.b, one.c);
    writeEdge(triangle.edge(2), one.c, one.a);
    writeDepthBounds(triangle, one, terms);
  }
  terms.x1 = <f32>one.x1;
  terms.x2 = <f32>one.x2;
  terms.y1 = <f32>one.y1;
  terms.y2 = <f32>one.y2;
  const constant = writeVaryings<E>(setup, triangle, one, terms);
  if (setup.numberPlane >= 0) store<u32>(triangle.planes + setup.numberPlane, setup.number);
  triangle.flags =
    (front ? TRI_FLAG_FRONT : 0)
    | (one.cover ? TRI_FLAG_SMALL : 0)
    | (affine ? TRI_FLAG_AFFINE : 0)
    | (constant << TRI_CONSTANT_SHIFT);
}

/**
 * Offset at which the record of a small triangle begins: at its coverage, which starts with the last layer, 16-byte
 * aligned.
 */
export function smallStart(setup: Setup): usize {
  return offsetof<Triangle>('a2') - (layersOf(setup.samples) & ~1) * sizeof<u64>();
}

/** Size of a record in bytes. */
export function recordBytes(setup: Setup, small: bool): usize {
  return changetype<Triangle>(0).planes - (small ? smallStart(setup) : 0) + setup.groups * PLANES_BYTES;
}

// Writes the record for Setup.one and Setup.terms, whose box is not empty, and puts it on the lists. Returns
// STATUS_NEEDS_MEMORY, and changes nothing, if the arena might not hold it.
function listTriangle<E>(setup: Setup, one: SetupOne): i32 {
  const pass = setup.pass;
  const arena = pass.arena;
  const small = one.cover != 0;
  const bytes = recordBytes(setup, small);
  const tiles =
    (((one.maxX - 1) >> TILE_SHIFT) - (one.minX >> TILE_SHIFT) + 1)
    * (((one.maxY - 1) >> TILE_SHIFT) - (one.minY >> TILE_SHIFT) + 1);
  if (!arenaHolds(arena, bytes, tiles)) return STATUS_NEEDS_MEMORY;
  const start = arena.cursor;
  const triangle = changetype<Triangle>(start - (small ? smallStart(setup) : 0));
  writeTriangle<E>(setup, triangle, one, setup.terms);
  if (small) putCover(setup, triangle, one.cover, setup.covers);
  arena.cursor = start + bytes;
  // The triangle is on no list if it is between the samples in every tile that its box touches.
  if (binTriangle(setup, triangle)) pass.statistics.trianglesBinned++;
  else pass.statistics.trianglesCulledBetween++;
  return STATUS_DONE;
}

/** Writes a small triangle's samples: `cover`, or, with several layers, one word per layer from `layers`. */
export function putCover(setup: Setup, triangle: Triangle, cover: u64, layers: usize): void {
  const count = <usize>layersOf(setup.samples);
  if (count == 1) store<u64>(triangle.cover, cover);
  else
    for (let layer: usize = 0; layer < count; layer++)
      store<u64>(triangle.cover - (layer << alignof<u64>()), load<u64>(layers + (layer << alignof<u64>())));
}

/**
 * Sets up the triangle of three vertices that are inside the guard band and in front of the eye. `flat` is the vertex
 * that provides flat varyings. Returns STATUS_NEEDS_MEMORY, and changes nothing, if the arena might not hold the
 * triangle.
 */
export function setupTriangle<E>(setup: Setup, a: u32, b: u32, c: u32, flat: u32): i32 {
  const statistics = setup.pass.statistics;
  const one = setup.one;
  const first = setup.corner(a);
  const ax = first.x;
  const ay = first.y;
  // Twice the area. Positive for clockwise triangles on the screen, where y points down.
  const area =
    <i64>(setup.corner(b).x - ax) * (setup.corner(c).y - ay) - <i64>(setup.corner(c).x - ax) * (setup.corner(b).y - ay);
  if (area == 0) {
    statistics.trianglesCulledArea++;
    return STATUS_DONE;
  }
  const turned = area < 0;
  if ((turned ^ setup.cullFlip) & setup.cullMask & 1) {
    statistics.trianglesCulledFace++;
    return STATUS_DONE;
  }
  const terms = setup.terms;
  terms.a = setup.packet(a);
  terms.b = setup.packet(turned ? c : b);
  terms.c = setup.packet(turned ? b : c);
  terms.flat = setup.packet(flat);
  one.a = first;
  one.b = setup.corner(turned ? c : b);
  one.c = setup.corner(turned ? b : c);
  one.area = turned ? -area : area;
  one.turned = turned;
  const bx = one.b.x;
  const by = one.b.y;
  const cx = one.c.x;
  const cy = one.c.y;
  // Pixels that have a sample position within the vertices' bounding box.
  const left = min<i32>(ax, min<i32>(bx, cx));
  const top = min<i32>(ay, min<i32>(by, cy));
  const right = max<i32>(ax, max<i32>(bx, cx));
  const bottom = max<i32>(ay, max<i32>(by, cy));
  const firstX = (left + setup.sampleUp) >> 8;
  const firstY = (top + setup.sampleUp) >> 8;
  const lastX = (right - setup.sampleFirst) >> 8;
  const lastY = (bottom - setup.sampleFirst) >> 8;
  const minX = max<i32>(firstX, setup.minX);
  const minY = max<i32>(firstY, setup.minY);
  const maxX = min<i32>(lastX + 1, setup.maxX);
  const maxY = min<i32>(lastY + 1, setup.maxY);
  if (minX >= maxX || minY >= maxY) {
    if (firstX > lastX || firstY > lastY) statistics.trianglesCulledBetween++;
    else statistics.trianglesCulledOutside++;
    return STATUS_DONE;
  }
  one.minX = minX;
  one.minY = minY;
  one.maxX = maxX;
  one.maxY = maxY;
  one.spanX = right - left;
  one.spanY = bottom - top;
  one.cover = 0;
  const small = setup.small;
  small.width = maxX - minX;
  small.height = maxY - minY;
  if (
    !isReference<E>()
    && max<i32>(small.width, small.height) <= SMALL_PIXELS
    && max<i32>(one.spanX, one.spanY) <= SMALL_SPAN
  ) {
    small.left = (minX << 8) - ax;
    small.top = (minY << 8) - ay;
    small.bX = bx - ax;
    small.bY = by - ay;
    small.cX = cx - ax;
    small.cY = cy - ay;
    one.cover = coverSmall<E>(setup, small);
    if (!one.cover) {
      statistics.trianglesCulledBetween++;
      return STATUS_DONE;
    }
  }
  return listTriangle<E>(setup, one);
}
