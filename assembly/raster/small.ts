// Coverage of triangles of at most 4×4 pixels, at setup: most of what a detailed mesh shows, and half of it lies between all samples.
// Found before planes are computed and lists are written; what is left needs no edges. Integer arithmetic, the edges of setup.ts in i32.
// One triangle here: `E` chooses four positions at a time or one; four of 2×2 pixels at once in setup-four.ts.
import { LayerPositions, Setup } from '../layout';
import { layersOf } from '../simd/positions';

/** Sides of the vertices' box up to which a triangle may be small, 24.8: products of differences stay far within i32. */
export const SMALL_SPAN = 2048;
/** Sides of the box of pixels likewise. */
export const SMALL_PIXELS = 4;

// What an edge adds to its products, so that inside is ≥ 0: the top-left rule's −1, and C.
// @ts-ignore: decorator
@inline function constant(a: i32, b: i32, px: i32, py: i32): i32 { return -(a * px + b * py) - <i32>(!(a > 0 || a == 0 && b > 0)); }

/**
 * Samples of the pixels from (x, y) on that a clockwise triangle covers, in the order of Triangle.cover: `left` and `top` are that corner less
 * the first vertex (24.8), b and c the other vertices less the first; width, height: pixels that count, 1 … 4. With more than four samples, what each
 * layer has goes to Setup.covers, and samples of any layer are given.
 */
// @ts-ignore: decorator
@inline
export function coverSmall<E>(setup: Setup, left: i32, top: i32, bx: i32, by: i32, cx: i32, cy: i32, width: i32, height: i32): u64 {
  const samples = setup.samples;
  if (samples > 4) return coverLayers<E>(setup, layersOf(samples), left, top, bx, by, cx, cy, width, height);
  return coverLayer<E>(changetype<LayerPositions>(setup.layers), left, top, bx, by, cx, cy, width, height, samples != 1);
}

function coverLayers<E>(setup: Setup, layers: i32, left: i32, top: i32, bx: i32, by: i32, cx: i32, cy: i32, width: i32, height: i32): u64 {
  let all: u64 = 0;
  for (let layer: usize = 0; layer < <usize>layers; layer++) {
    const cover = coverLayer<E>(setup.layer(layer), left, top, bx, by, cx, cy, width, height, true);
    store<u64>(setup.covers + (layer << 3), cover);
    all |= cover;
  }
  return all;
}

// @ts-ignore: decorator
@inline
function coverLayer<E>(places: LayerPositions, left: i32, top: i32, bx: i32, by: i32, cx: i32, cy: i32, width: i32, height: i32, many: bool): u64 {
  if (isVector<E>()) return many ? coverSamples(places, left, top, bx, by, cx, cy, width, height) : coverPixels(left, top, bx, by, cx, cy, width, height);
  else return coverSmallScalar(places, left, top, bx, by, cx, cy, width, height, many);
}

function coverSmallScalar(places: LayerPositions, left: i32, top: i32, bx: i32, by: i32, cx: i32, cy: i32, width: i32, height: i32, many: bool): u64 {
  const ab = constant(-by, bx, 0, 0);
  const bc = constant(by - cy, cx - bx, bx, by);
  const ca = constant(cy, -cx, 0, 0);
  const samples = many ? 4 : 1;
  let cover: u64 = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) for (let sample = 0; sample < samples; sample++) {
    const px = left + x * 256 + (many ? load<i32>(changetype<usize>(places) + (<usize>sample << 2)) : 128);
    const py = top + y * 256 + (many ? load<i32>(places.y + (<usize>sample << 2)) : 128);
    const inside = ((px * -by + py * bx + ab) | (px * (by - cy) + py * (cx - bx) + bc) | (px * cy + py * -cx + ca)) >= 0;
    cover |= <u64>inside << ((y * 4 + x) * samples + sample);
  }
  return cover;
}

// An edge at four positions (24.8, relative to the first vertex).
// @ts-ignore: decorator
@inline function edgeLanes(xs: v128, ys: v128, a: i32, b: i32, c: i32): v128 {
  return i32x4.add(i32x4.add(i32x4.mul(xs, i32x4.splat(a)), i32x4.mul(ys, i32x4.splat(b))), i32x4.splat(c));
}

// One sample: a row of four pixels at a time.
function coverPixels(left: i32, top: i32, bx: i32, by: i32, cx: i32, cy: i32, width: i32, height: i32): u64 {
  const xs = i32x4.add(i32x4.splat(left), i32x4(128, 384, 640, 896));
  const ys = i32x4.splat(top + 128);
  let ab = edgeLanes(xs, ys, -by, bx, constant(-by, bx, 0, 0));
  let bc = edgeLanes(xs, ys, by - cy, cx - bx, constant(by - cy, cx - bx, bx, by));
  let ca = edgeLanes(xs, ys, cy, -cx, constant(cy, -cx, 0, 0));
  const down0 = i32x4.splat(bx << 8);
  const down1 = i32x4.splat((cx - bx) << 8);
  const down2 = i32x4.splat(-cx << 8);
  const columns = (1 << width) - 1;
  let cover = 0;
  for (let shift = 0; shift < height << 2; shift += 4) {
    cover |= (~i32x4.bitmask(v128.or(ab, v128.or(bc, ca))) & columns) << shift;
    ab = i32x4.add(ab, down0);
    bc = i32x4.add(bc, down1);
    ca = i32x4.add(ca, down2);
  }
  return <u64>cover;
}

// Four samples: a pixel at a time.
function coverSamples(places: LayerPositions, left: i32, top: i32, bx: i32, by: i32, cx: i32, cy: i32, width: i32, height: i32): u64 {
  const xs = i32x4.add(i32x4.splat(left), v128.load(changetype<usize>(places)));
  const ys = i32x4.add(i32x4.splat(top), v128.load(places.y));
  let row0 = edgeLanes(xs, ys, -by, bx, constant(-by, bx, 0, 0));
  let row1 = edgeLanes(xs, ys, by - cy, cx - bx, constant(by - cy, cx - bx, bx, by));
  let row2 = edgeLanes(xs, ys, cy, -cx, constant(cy, -cx, 0, 0));
  const right0 = i32x4.splat(-by << 8);
  const right1 = i32x4.splat((by - cy) << 8);
  const right2 = i32x4.splat(cy << 8);
  const down0 = i32x4.splat(bx << 8);
  const down1 = i32x4.splat((cx - bx) << 8);
  const down2 = i32x4.splat(-cx << 8);
  let cover: u64 = 0;
  for (let y = 0; y < height; y++) {
    let ab = row0;
    let bc = row1;
    let ca = row2;
    for (let x = 0; x < width; x++) {
      cover |= <u64>(~i32x4.bitmask(v128.or(ab, v128.or(bc, ca))) & 15) << (((y << 2) + x) << 2);
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
