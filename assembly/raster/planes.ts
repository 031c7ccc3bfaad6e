// Planes of a triangle's varyings, four at a time. Scalar twin: planes.scalar.ts.
import { PlaneTerms, Setup, Triangle } from '../layout';

/**
 * Writes value, ddx and ddy of every varying, relative to the first vertex. Returns bit i for each varying without
 * slopes, whose plane equals its value everywhere (except −0, which adding would turn into +0).
 */
export function writePlanes(setup: Setup, triangle: Triangle, terms: PlaneTerms): u32 {
  const bytes = (<usize>setup.groups) << 4;
  const one = f32x4.splat(1);
  const wa = f32x4.splat(terms.a.w);
  const wb = f32x4.splat(terms.b.w);
  const wc = f32x4.splat(terms.c.w);
  const xs1 = f32x4.splat(terms.x1);
  const xs2 = f32x4.splat(terms.x2);
  const ys1 = f32x4.splat(terms.y1);
  const ys2 = f32x4.splat(terms.y2);
  const a = setup.varyingsOf(terms.a);
  const b = setup.varyingsOf(terms.b);
  const c = setup.varyingsOf(terms.c);
  const flat = setup.varyingsOf(terms.flat);
  const zero = i32x4.splat(0);
  const minusZero = i32x4.splat(0x80000000);
  let masks = setup.masks;
  let constant: u64 = 0;
  for (let at: usize = 0; at < bytes; at += 16, masks += 32) {
    const plane = triangle.planes + at;
    const divided = v128.load(masks);
    const isFlat = v128.load(masks, 16);
    // A perspective varying's plane is that of a/w, which is linear in screen space.
    const va = f32x4.mul(v128.load(a + at), v128.bitselect(wa, one, divided));
    const d1 = f32x4.sub(f32x4.mul(v128.load(b + at), v128.bitselect(wb, one, divided)), va);
    const d2 = f32x4.sub(f32x4.mul(v128.load(c + at), v128.bitselect(wc, one, divided)), va);
    const ddx = v128.andnot(f32x4.add(f32x4.mul(d1, xs1), f32x4.mul(d2, xs2)), isFlat);
    const ddy = v128.andnot(f32x4.add(f32x4.mul(d1, ys1), f32x4.mul(d2, ys2)), isFlat);
    v128.store(plane, v128.bitselect(v128.load(flat + at), va, isFlat));
    v128.store(plane + bytes, ddx);
    v128.store(plane + bytes * 2, ddy);
    const still = v128.andnot(
      v128.and(f32x4.eq(ddx, zero), f32x4.eq(ddy, zero)),
      v128.or(i32x4.eq(va, minusZero), isFlat)
    );
    constant |= (<u64>i32x4.bitmask(still)) << u64(at >> 2);
  }
  return <u32>constant;
}
