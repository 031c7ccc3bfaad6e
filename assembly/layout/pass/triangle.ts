// TRIANGLE: what setup writes and tiles read. Positions are in pixels, y down; pixel (0,0) has its centre at (0.5,
// 0.5).
//
//   depths, edges (24.8 fixed point)     header             planes (f32)
//   E(X,Y) = A·X + B·Y + C, inside ≥ 0   draw, flags, box   p(x,y) = c + ddx·(x − x0) + ddy·(y − y0)
//
// A triangle of at most 4×4 pixels (TRI_FLAG_SMALL) has its coverage in place of edges. The bytes before Triangle.cover
// then do not belong to the record.
//
// X and Y are 24.8 sub-pixel positions. C includes the top-left rule (−1 on edges that are neither top nor left). So E
// ≥ 0 for all three edges means covered, and pixels on a shared edge are drawn once. Planes refer to (x0, y0), the
// snapped position of one vertex. Perspective varyings hold the plane of a/w, to be multiplied by the reciprocal of the
// plane of 1/w. A plane is always evaluated directly at a position, never accumulated.

import { Draw } from './draw';
import { pastFields, sizeOf, VECTOR_BYTES } from '../record';

// @ts-ignore: decorator
@inline export const EDGES = 3;
/** Arrays at Triangle.planes: c, ddx and ddy. */
const PLANE_PARTS = 3;
/** Bytes of these for a group of four varyings. */
// @ts-ignore: decorator
@inline export const PLANES_BYTES = PLANE_PARTS * VECTOR_BYTES;

/** TRIANGLE: see the top of the file. */
@unmanaged
export class Triangle {
  /**
   * No sample of the triangle has a depth less than `near` or greater than `far`, depth bias and rounding included.
   */
  near: f32;
  far: f32;
  /** Aligns the edges to 16 bytes. */
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
  draw: Draw;
  /** TRI_FLAG_*. */
  flags: u32;
  /** Pixels that may be covered, after the scissor: minimum inclusive, maximum exclusive. */
  minX: i32;
  minY: i32;
  maxX: i32;
  maxY: i32;
  /** Reference position of the planes, in pixels. The fields from here to `zMax` are stored with blocks of depth. */
  x0: f32;
  y0: f32;
  /** Depth after viewport and bias: c, ddx, ddy. To be clamped to `zMin` … `zMax` where it is used. */
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
  /** A DEPTH PLANE each. */
  get zPlane(): usize {
    return changetype<usize>(this) + offsetof<Triangle>('z');
  }
  get wPlane(): usize {
    return changetype<usize>(this) + offsetof<Triangle>('w');
  }
  /** Three TRIANGLE EDGEs. */
  get edges(): usize {
    return changetype<usize>(this) + offsetof<Triangle>('a0');
  }
  edge(index: usize): TriangleEdge {
    return changetype<TriangleEdge>(this.edges + index * sizeOf<TriangleEdge>());
  }
  /**
   * In place of the last edge, a u64: covered samples of the 4×4 pixels from the box's minimum, bit (y·4 + x)·samples +
   * sample. With layers there is one per layer, each 8 bytes before that of the layer before it.
   */
  get cover(): usize {
    return changetype<usize>(this) + offsetof<Triangle>('a2');
  }
  /**
   * Varyings: c of each, padded to a multiple of four; then ddx of each; then ddy of each. Flat ones hold their bits in
   * c.
   */
  get planes(): usize {
    return pastFields(this);
  }
}

/** DEPTH PLANE: the plane of depth or of 1/w: value at (x0, y0), and slopes. */
@unmanaged
export class DepthPlane {
  c: f32;
  ddx: f32;
  ddy: f32;
}

/** E(X,Y) = a·X + b·Y + c. */
@unmanaged
export class TriangleEdge {
  a: i32;
  b: i32;
  c: i64;
}
