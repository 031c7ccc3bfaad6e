// Planes of the varyings of a triangle. Twin of planes.ts. Triangles that clipping has made have a function of their
// own, for both builds.
import { Packet, PlaneTerms, Setup, SetupOne, Triangle } from '../layout';

/**
 * Writes value, ddx, ddy of every varying; planes refer to the first vertex. Returns bit i for a varying without
 * slopes, whose plane is its value everywhere (−0 becomes +0 by adding to it).
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
    // A perspective varying's plane is that of a/w, linear on the screen.
    const divided = i < perspective;
    const va = load<f32>(a + at) * (divided ? terms.a.w : <f32>1);
    const d1 = load<f32>(b + at) * (divided ? terms.b.w : <f32>1) - va;
    const d2 = load<f32>(c + at) * (divided ? terms.c.w : <f32>1) - va;
    store<f32>(plane, va);
    const ddx: f32 = d1 * terms.x1 + d2 * terms.x2;
    const ddy: f32 = d1 * terms.y1 + d2 * terms.y2;
    store<f32>(plane + bytes, ddx);
    store<f32>(plane + bytes * 2, ddy);
    if (ddx == 0 && ddy == 0 && reinterpret<u32>(va) != 0x80000000) constant |= <u64>1 << <u64>i;
  }
  return <u32>constant;
}

// A varying of a vertex, divided by w where the plane is that of a/w. `vertex`: its packet.
function valueOf(setup: Setup, vertex: Packet, at: usize, divided: bool): f64 {
  const value = <f64>load<f32>(setup.varyingsOf(vertex) + at);
  return divided ? value * <f64>vertex.w : value;
}

/**
 * writePlanes of a triangle that clipping has made, in f64: its corners may lie at the end of the guard band, and its
 * values of a/w may be many orders of magnitude apart. In f32 a sliver that leads there has slopes that are wrong by
 * more than the value on the screen.
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
    if (ddx == 0 && ddy == 0 && reinterpret<u32>(value) != 0x80000000) constant |= <u64>1 << <u64>i;
  }
  return <u32>constant;
}
