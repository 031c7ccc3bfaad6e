// Planes of the varyings of a triangle, four at a time. Twin of planes.scalar.ts.
import { Packet, Setup, Triangle } from '../layout';

/**
 * Writes value, ddx, ddy of every varying. a: the vertex that planes refer to; flat: the provoking vertex.
 * ddx = d1·x1 + d2·x2 with d the differences to b and c, and ddy likewise. Returns bit i for a varying without slopes, whose plane is its
 * value everywhere (−0 becomes +0 by adding to it).
 */
export function writePlanes(setup: Setup, triangle: usize, a: Packet, b: Packet, c: Packet, flat: usize, x1: f32, x2: f32, y1: f32, y2: f32): u32 {
  const bytes = <usize>setup.groups << 4;
  const one = f32x4.splat(1);
  const wa = v128.load32_splat(changetype<usize>(a) + offsetof<Packet>('w'));
  const wb = v128.load32_splat(changetype<usize>(b) + offsetof<Packet>('w'));
  const wc = v128.load32_splat(changetype<usize>(c) + offsetof<Packet>('w'));
  const xs1 = f32x4.splat(x1);
  const xs2 = f32x4.splat(x2);
  const ys1 = f32x4.splat(y1);
  const ys2 = f32x4.splat(y2);
  const zero = i32x4.splat(0);
  const minusZero = i32x4.splat(0x80000000);
  let masks = setup.masks;
  let constant: u64 = 0;
  for (let at: usize = 0; at < bytes; at += 16, masks += 32) {
    const plane = triangle + changetype<usize>(changetype<Triangle>(0).planes) + at;
    const divided = v128.load(masks);
    const isFlat = v128.load(masks, 16);
    // A perspective varying's plane is that of a/w, linear on the screen.
    const va = f32x4.mul(v128.load(a.varyings + at), v128.bitselect(wa, one, divided));
    const d1 = f32x4.sub(f32x4.mul(v128.load(b.varyings + at), v128.bitselect(wb, one, divided)), va);
    const d2 = f32x4.sub(f32x4.mul(v128.load(c.varyings + at), v128.bitselect(wc, one, divided)), va);
    const ddx = v128.andnot(f32x4.add(f32x4.mul(d1, xs1), f32x4.mul(d2, xs2)), isFlat);
    const ddy = v128.andnot(f32x4.add(f32x4.mul(d1, ys1), f32x4.mul(d2, ys2)), isFlat);
    v128.store(plane, v128.bitselect(v128.load(changetype<Packet>(flat + at).varyings), va, isFlat));
    v128.store(plane + bytes, ddx);
    v128.store(plane + bytes * 2, ddy);
    const still = v128.andnot(v128.and(f32x4.eq(ddx, zero), f32x4.eq(ddy, zero)), v128.or(i32x4.eq(va, minusZero), isFlat));
    constant |= <u64>i32x4.bitmask(still) << <u64>(at >> 2);
  }
  return <u32>constant;
}
