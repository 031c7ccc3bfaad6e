// Triangles of at most 2×2 pixels that lie between all samples: half of what a detailed mesh shows. Found before planes are computed and
// lists are written. Integer arithmetic, the edges of setup.ts in i32: `E` chooses four positions at a time or one.
import { SAMPLE4_X0, SAMPLE4_X1, SAMPLE4_X2, SAMPLE4_X3, SAMPLE4_Y0, SAMPLE4_Y1, SAMPLE4_Y2, SAMPLE4_Y3 } from '../layout/tile';
import { sampleX, sampleY } from '../simd/positions';

/** Sides of the vertices' box up to which this is asked, 24.8: products of differences stay far within i32. */
export const SMALL_SPAN = 1024;
/** Sides of the box of pixels likewise. */
export const SMALL_PIXELS = 2;

// What an edge adds to its products, so that inside is ≥ 0: the top-left rule's −1, and C.
// @ts-ignore: decorator
@inline function constant(a: i32, b: i32, px: i32, py: i32): i32 { return -(a * px + b * py) - <i32>!(a > 0 || a == 0 && b > 0); }

// Whether some of four positions (24.8, relative to the first vertex, which is (0, 0)) is inside the clockwise triangle 0, b, c.
// @ts-ignore: decorator
@inline function holdsLanes(xs: v128, ys: v128, bx: i32, by: i32, cx: i32, cy: i32): bool {
  const ab = i32x4.add(i32x4.add(i32x4.mul(xs, i32x4.splat(-by)), i32x4.mul(ys, i32x4.splat(bx))), i32x4.splat(constant(-by, bx, 0, 0)));
  const bc = i32x4.add(i32x4.add(i32x4.mul(xs, i32x4.splat(by - cy)), i32x4.mul(ys, i32x4.splat(cx - bx))), i32x4.splat(constant(by - cy, cx - bx, bx, by)));
  const ca = i32x4.add(i32x4.add(i32x4.mul(xs, i32x4.splat(cy)), i32x4.mul(ys, i32x4.splat(-cx))), i32x4.splat(constant(cy, -cx, 0, 0)));
  return i32x4.bitmask(v128.or(ab, v128.or(bc, ca))) != 15;
}

// The same of one position.
function holds(x: i32, y: i32, bx: i32, by: i32, cx: i32, cy: i32): bool {
  const ab = x * -by + y * bx + constant(-by, bx, 0, 0);
  const bc = x * (by - cy) + y * (cx - bx) + constant(by - cy, cx - bx, bx, by);
  const ca = x * cy + y * -cx + constant(cy, -cx, 0, 0);
  return (ab | bc | ca) >= 0;
}

/**
 * Whether a clockwise triangle covers a sample of the 2×2 pixels from (x, y): `left` and `top` are their corner less the first vertex
 * (24.8), b and c the other vertices less the first. Pixels beyond the triangle's own box cost nothing and change nothing.
 */
export function holdsSample<E>(left: i32, top: i32, bx: i32, by: i32, cx: i32, cy: i32, many: bool): bool {
  if (isVector<E>()) {
    if (!many) return holdsLanes(i32x4.add(i32x4.splat(left), i32x4(128, 384, 128, 384)), i32x4.add(i32x4.splat(top), i32x4(128, 128, 384, 384)), bx, by, cx, cy);
    const xs = i32x4.add(i32x4.splat(left), i32x4(SAMPLE4_X0 * 16, SAMPLE4_X1 * 16, SAMPLE4_X2 * 16, SAMPLE4_X3 * 16));
    const ys = i32x4.add(i32x4.splat(top), i32x4(SAMPLE4_Y0 * 16, SAMPLE4_Y1 * 16, SAMPLE4_Y2 * 16, SAMPLE4_Y3 * 16));
    const right = i32x4.add(xs, i32x4.splat(256));
    const below = i32x4.add(ys, i32x4.splat(256));
    return holdsLanes(xs, ys, bx, by, cx, cy) || holdsLanes(right, ys, bx, by, cx, cy) || holdsLanes(xs, below, bx, by, cx, cy) || holdsLanes(right, below, bx, by, cx, cy);
  }
  const samples = many ? 4 : 1;
  for (let pixel = 0; pixel < 4; pixel++) for (let sample = 0; sample < samples; sample++) {
    const x = left + (pixel & 1) * 256 + (many ? sampleX(sample) * 16 : 128);
    const y = top + (pixel >> 1) * 256 + (many ? sampleY(sample) * 16 : 128);
    if (holds(x, y, bx, by, cx, cy)) return true;
  }
  return false;
}
