// Coverage of triangles of at most 4×4 pixels, computed at setup. These are most of the triangles of a detailed mesh,
// and half of them are between all samples. So their coverage is computed before planes and list entries, and the rest
// need no edges. Uses the edges of setup.ts in i32. This file handles one triangle; `E` selects four positions at a
// time or one. setup-four.ts handles four triangles of 2×2 pixels at once.
import { LayerPositions, Setup, SmallTriangle } from '../layout';
import { layersOf } from '../simd/positions';

/**
 * Largest side of the vertices' box of a small triangle, in 24.8 fixed point: products of differences stay well within
 * i32.
 */
export const SMALL_SPAN = 2048;
/** Largest side of the pixel box of a small triangle. */
export const SMALL_PIXELS = 4;

// Constant term of an edge, so that inside is ≥ 0: C and the top-left rule's −1.
function constant(a: i32, b: i32, px: i32, py: i32): i32 {
  return -(a * px + b * py) - i32(!(a > 0 || (a == 0 && b > 0)));
}

/**
 * Samples that a triangle covers, in the format of Triangle.cover. With more than four samples, each layer's samples go
 * to Setup.covers, and the OR of all layers is returned.
 */
// @ts-ignore: decorator
@inline
export function coverSmall<E>(setup: Setup, small: SmallTriangle): u64 {
  const layers = layersOf(setup.samples);
  if (layers == 1) return coverLayer<E>(setup.layer(0), small, setup.samples);
  let all: u64 = 0;
  for (let layer: usize = 0; layer < <usize>layers; layer++) {
    const cover = coverLayer<E>(setup.layer(layer), small, 4);
    store<u64>(setup.covers + (layer << 3), cover);
    all |= cover;
  }
  return all;
}

function coverLayer<E>(positions: LayerPositions, small: SmallTriangle, samples: i32): u64 {
  if (isVector<E>()) return samples == 1 ? coverPixels(small) : coverSamples(positions, small);
  else return coverScalar(positions, small, samples == 1 ? 1 : 4);
}

function coverScalar(positions: LayerPositions, small: SmallTriangle, samples: i32): u64 {
  const bx = small.bX;
  const by = small.bY;
  const cx = small.cX;
  const cy = small.cY;
  const ab = constant(-by, bx, 0, 0);
  const bc = constant(by - cy, cx - bx, bx, by);
  const ca = constant(cy, -cx, 0, 0);
  let cover: u64 = 0;
  for (let y = 0; y < small.height; y++)
    for (let x = 0; x < small.width; x++)
      for (let sample = 0; sample < samples; sample++) {
        const at = sample << 2;
        const px = small.left + x * 256 + load<i32>(positions.x + at);
        const py = small.top + y * 256 + load<i32>(positions.y + at);
        const inside =
          ((px * -by + py * bx + ab) | (px * (by - cy) + py * (cx - bx) + bc) | (px * cy + py * -cx + ca)) >= 0;
        cover |= (<u64>inside) << ((y * 4 + x) * samples + sample);
      }
  return cover;
}

// An edge that starts at (x, y) with direction (dx, dy), at four positions (24.8, relative to the first vertex).
function edgeLanes(xs: v128, ys: v128, x: i32, y: i32, dx: i32, dy: i32): v128 {
  return i32x4.add(
    i32x4.sub(i32x4.mul(ys, i32x4.splat(dx)), i32x4.mul(xs, i32x4.splat(dy))),
    i32x4.splat(constant(-dy, dx, x, y))
  );
}

// One sample: a row of four pixels at a time.
function coverPixels(small: SmallTriangle): u64 {
  const bx = small.bX;
  const cx = small.cX;
  const xs = i32x4.add(i32x4.splat(small.left), i32x4(128, 384, 640, 896));
  const ys = i32x4.splat(small.top + 128);
  let ab = edgeLanes(xs, ys, 0, 0, bx, small.bY);
  let bc = edgeLanes(xs, ys, bx, small.bY, cx - bx, small.cY - small.bY);
  let ca = edgeLanes(xs, ys, 0, 0, -cx, -small.cY);
  const down0 = i32x4.splat(bx << 8);
  const down1 = i32x4.splat((cx - bx) << 8);
  const down2 = i32x4.splat(-cx << 8);
  const columns = (1 << small.width) - 1;
  const end = small.height << 2;
  let cover = 0;
  for (let shift = 0; shift < end; shift += 4) {
    cover |= (~i32x4.bitmask(v128.or(ab, v128.or(bc, ca))) & columns) << shift;
    ab = i32x4.add(ab, down0);
    bc = i32x4.add(bc, down1);
    ca = i32x4.add(ca, down2);
  }
  return <u64>cover;
}

// Four samples: one pixel at a time.
function coverSamples(positions: LayerPositions, small: SmallTriangle): u64 {
  const bx = small.bX;
  const by = small.bY;
  const cx = small.cX;
  const cy = small.cY;
  const xs = i32x4.add(i32x4.splat(small.left), v128.load(positions.x));
  const ys = i32x4.add(i32x4.splat(small.top), v128.load(positions.y));
  let row0 = edgeLanes(xs, ys, 0, 0, bx, by);
  let row1 = edgeLanes(xs, ys, bx, by, cx - bx, cy - by);
  let row2 = edgeLanes(xs, ys, 0, 0, -cx, -cy);
  const right0 = i32x4.splat(-by << 8);
  const right1 = i32x4.splat((by - cy) << 8);
  const right2 = i32x4.splat(cy << 8);
  const down0 = i32x4.splat(bx << 8);
  const down1 = i32x4.splat((cx - bx) << 8);
  const down2 = i32x4.splat(-cx << 8);
  const width = small.width;
  const height = small.height;
  let cover: u64 = 0;
  for (let y = 0; y < height; y++) {
    let ab = row0;
    let bc = row1;
    let ca = row2;
    for (let x = 0; x < width; x++) {
      cover |= (<u64>(~i32x4.bitmask(v128.or(ab, v128.or(bc, ca))) & 15)) << ((y * 4 + x) * 4);
      ab = i32x4.add(ab, right0);
      bc = i32x4.add(bc, right1);
      ca = i32x4.add(ca, right2);
    }
    row0 = i32x4.add(row0, down0);
    row1 = i32x4.add(row1, down1);
    row2 = i32x4.add(row2, down2);
  }
  return cover;
}
