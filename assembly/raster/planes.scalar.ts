// Planes of the varyings of a triangle. Twin of planes.ts.
import { PlaneTerms, Setup, Triangle } from '../layout';

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
