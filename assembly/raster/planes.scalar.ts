// Planes of a triangle's varyings. Scalar twin of planes.ts. Both builds use the separate function for triangles that
// clipping has made.
import { Packet, PlaneTerms, Setup, SetupOne, Triangle } from '../layout';

/**
 * Writes value, ddx and ddy of every varying, relative to the first vertex. Returns bit i for each varying without
 * slopes, whose plane equals its value everywhere (except −0, which adding would turn into +0).
 */
export function writePlanesScalar(setup: Setup, triangle: Triangle, terms: PlaneTerms): u32 {
  const count = setup.groups << 2;
  const perspective = setup.perspectiveCount;
  const flatFirst = setup.flatFirst;
  const bytes = count << 2;
  const a = setup.varyingsOf(terms.a);
  const b = setup.varyingsOf(terms.b);
  const c = setup.varyingsOf(terms.c);
  const flat = setup.varyingsOf(terms.flat);
  let plane = triangle.planes;
  let constant: u64 = 0;
  for (let i = 0; i < count; i++, plane += 4) {
    const at = i << 2;
    if (i >= flatFirst) {
      store<u32>(plane, load<u32>(flat + at));
      store<u32>(plane + bytes, 0);
      store<u32>(plane + bytes * 2, 0);
      continue;
    }
    // A perspective varying's plane is that of a/w, which is linear in screen space.
    const divided = i < perspective;
    const va = load<f32>(a + at) * (divided ? terms.a.w : <f32>1);
    const d1 = load<f32>(b + at) * (divided ? terms.b.w : <f32>1) - va;
    const d2 = load<f32>(c + at) * (divided ? terms.c.w : <f32>1) - va;
    store<f32>(plane, va);
    const ddx: f32 = d1 * terms.x1 + d2 * terms.x2;
    const ddy: f32 = d1 * terms.y1 + d2 * terms.y2;
    store<f32>(plane + bytes, ddx);
    store<f32>(plane + bytes * 2, ddy);
    if (ddx == 0 && ddy == 0 && reinterpret<u32>(va) != 0x80000000) constant |= (<u64>1) << u64(i);
  }
  return <u32>constant;
}

// Value of a vertex's varying, divided by w if the plane is that of a/w. `vertex` is its packet.
function valueOf(setup: Setup, vertex: Packet, at: usize, divided: bool): f64 {
  const value = <f64>load<f32>(setup.varyingsOf(vertex) + at);
  return divided ? value * <f64>vertex.w : value;
}

/**
 * writePlanes for triangles that clipping has made, in f64. Their corners may be at the edge of the guard band, and
 * their values of a/w may differ by many orders of magnitude. In f32, a sliver that reaches there would have slopes
 * with errors larger than the values on the screen.
 */
export function writePlanesCut(setup: Setup, triangle: Triangle, one: SetupOne, terms: PlaneTerms): u32 {
  const count = setup.groups << 2;
  const bytes = count << 2;
  const flat = setup.varyingsOf(terms.flat);
  let plane = triangle.planes;
  let constant: u64 = 0;
  for (let i = 0; i < count; i++, plane += 4) {
    const at = i << 2;
    if (i >= setup.flatFirst) {
      store<u32>(plane, load<u32>(flat + at));
      store<u32>(plane + bytes, 0);
      store<u32>(plane + bytes * 2, 0);
      continue;
    }
    const divided = i < setup.perspectiveCount;
    const first = valueOf(setup, terms.a, at, divided);
    const d1 = valueOf(setup, terms.b, at, divided) - first;
    const d2 = valueOf(setup, terms.c, at, divided) - first;
    const value = <f32>first;
    const ddx = <f32>(d1 * one.x1 + d2 * one.x2);
    const ddy = <f32>(d1 * one.y1 + d2 * one.y2);
    store<f32>(plane, value);
    store<f32>(plane + bytes, ddx);
    store<f32>(plane + bytes * 2, ddy);
    if (ddx == 0 && ddy == 0 && reinterpret<u32>(value) != 0x80000000) constant |= (<u64>1) << u64(i);
  }
  return <u32>constant;
}
