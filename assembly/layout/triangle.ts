// TRIANGLE: what setup writes and tiles read. Positions are pixels, y down, the pixel (0,0) has its centre at (0.5,
// 0.5).
//
//   depths, edges (24.8 fixed point)     header             planes (f32)
//   E(X,Y) = A·X + B·Y + C, inside ≥ 0   draw, flags, box   p(x,y) = c + ddx·(x − x0) + ddy·(y − y0)
//
// A triangle of at most 4×4 pixels (TRI_FLAG_SMALL) has its coverage instead of edges: the bytes before Triangle.cover
// are not its own.
//
// X, Y are 24.8 sub-pixel positions; C holds the top-left rule (−1 on edges that are neither top nor left), so E ≥ 0
// for all three means covered, and a shared edge is drawn once. Planes refer to (x0, y0), the snapped position of one
// vertex; perspective varyings hold the plane of a/w, to be multiplied by the reciprocal of the plane of 1/w; a plane
// is evaluated directly at a position, never accumulated.

import { Draw } from './draw';
import { pastFields, sizeOf } from './record';

@unmanaged
export class Triangle {
  /** No sample of the triangle is nearer (less) or farther than these, depth bias and rounding included. */
  near: f32;
  far: f32;
  /** Keeps the edges on 16 bytes. */
  gap: u64;
  /** Three edges: E(X,Y) = a·X + b·Y + c. */
  a0: i32;
  b0: i32;
  c0: i64;
  a1: i32;
  b1: i32;
  c1: i64;
  a2: i32;
  b2: i32;
  c2: i64;
  /** DRAW record. */
  draw: Draw;
  /** TRI_FLAG_*. */
  flags: u32;
  /** Pixels that may be covered, scissored: i32, minimum inclusive, maximum exclusive. */
  minX: i32;
  minY: i32;
  maxX: i32;
  maxY: i32;
  /** f32 pixels. */
  x0: f32;
  y0: f32;
  /** Depth after viewport and bias: c, ddx, ddy. Clamp to Triangle.zMin … Triangle.zMax where it is used. */
  z: f32;
  zDx: f32;
  zDy: f32;
  /** The viewport's depth range. */
  zMin: f32;
  zMax: f32;
  /** 1/w: c, ddx, ddy. */
  w: f32;
  wDx: f32;
  wDy: f32;
  /** Three words each: c, ddx, ddy. */
  get zPlane(): usize { return changetype<usize>(this) + offsetof<Triangle>('z'); }
  get wPlane(): usize { return changetype<usize>(this) + offsetof<Triangle>('w'); }
  /** Three edges: A i32, B i32, C i64. */
  get edges(): usize { return changetype<usize>(this) + offsetof<Triangle>('a0'); }
  edge(index: usize): TriangleEdge { return changetype<TriangleEdge>(this.edges + index * sizeOf<TriangleEdge>()); }
  /**
   * u64 instead of the last edge: samples of the 4×4 pixels from the box's minimum, bit (y·4 + x)·samples + sample;
   * with layers, of each, 8 bytes before that of the one before it.
   */
  get cover(): usize { return changetype<usize>(this) + offsetof<Triangle>('a2'); }
  /** Varyings: c of each, padded to four; then ddx of each; then ddy of each. Flat ones hold their bits in c. */
  get planes(): usize { return pastFields(this); }
}

@unmanaged
export class TriangleEdge {
  a: i32;
  b: i32;
  c: i64;
}
