// Sample positions and quad positions by index, from the constants of layout/surface/tile-order.ts.

import {
  LAYER16_X0,
  LAYER16_X1,
  LAYER16_X2,
  LAYER16_X3,
  LAYER16_Y0,
  LAYER16_Y1,
  LAYER16_Y2,
  LAYER16_Y3,
  LAYER2_X,
  LAYER2_Y,
  LAYER4_X,
  LAYER4_Y,
  LAYER8_X0,
  LAYER8_X1,
  LAYER8_Y0,
  LAYER8_Y1,
  SAMPLE1,
  SamplePositions,
} from '../layout';

/** Stored samples per pixel of a layer (layout/surface/tile-order.ts): layers of multisampled tiles hold four. */
export function samplesOfLayer(count: i32): i32 {
  return count == 1 ? 1 : 4;
}

/** Number of layers for `count` samples. */
export function layersOf(count: i32): i32 {
  return count > 4 ? count >> 2 : 1;
}

/**
 * x of one of `count` samples, in sixteenths of a pixel. With two samples, the last two of the layer's four repeat the
 * first two.
 */
export function sampleX(count: i32, sample: i32): i32 {
  return count == 1 ? SAMPLE1 : (layerX(count, sample >> 2) >> ((sample & 3) << 2)) & 15;
}

/** y of one of `count` samples, in sixteenths of a pixel. */
export function sampleY(count: i32, sample: i32): i32 {
  return count == 1 ? SAMPLE1 : (layerY(count, sample >> 2) >> ((sample & 3) << 2)) & 15;
}

function layerX(count: i32, layer: i32): i32 {
  if (count == 4) return LAYER4_X;
  if (count == 2) return LAYER2_X;
  if (count == 8) return layer ? LAYER8_X1 : LAYER8_X0;
  return layer == 0 ? LAYER16_X0 : layer == 1 ? LAYER16_X1 : layer == 2 ? LAYER16_X2 : LAYER16_X3;
}

function layerY(count: i32, layer: i32): i32 {
  if (count == 4) return LAYER4_Y;
  if (count == 2) return LAYER2_Y;
  if (count == 8) return layer ? LAYER8_Y1 : LAYER8_Y0;
  return layer == 0 ? LAYER16_Y0 : layer == 1 ? LAYER16_Y1 : layer == 2 ? LAYER16_Y2 : LAYER16_Y3;
}

/** x of a quad (block·16 + quad) within the tile, in pixels. */
export function quadX(quad: i32): i32 {
  return (((quad >> 4) & 7) << 3) + ((quad & 3) << 1);
}

/** y of a quad (block·16 + quad) within the tile, in pixels. */
export function quadY(quad: i32): i32 {
  return ((quad >> 7) << 3) + (((quad >> 2) & 3) << 1);
}

/** x of a pixel ((block·16 + quad)·4 + pixel) within the tile. */
export function pixelX(pixel: i32): i32 {
  return (pixel & 1) | ((pixel >> 1) & 6) | ((pixel >> 3) & 56);
}

/** y of a pixel ((block·16 + quad)·4 + pixel) within the tile. */
export function pixelY(pixel: i32): i32 {
  return ((pixel >> 1) & 1) | ((pixel >> 3) & 6) | ((pixel >> 6) & 56);
}

/** The pixel ((block·16 + quad)·4 + pixel) at (x, y) in the tile. */
export function pixelAt(x: i32, y: i32): i32 {
  return ((y & 56) << 6) | ((x & 56) << 3) | ((y & 6) << 3) | ((x & 6) << 1) | ((y & 1) << 1) | (x & 1);
}

/** x of the centres of four pixels (see pixelX) of a tile; `first` is the centre of the pixel at its corner. */
export function pixelsX(first: v128, pixels: v128): v128 {
  const quads = v128.and(i32x4.shr_u(pixels, 1), i32x4.splat(6));
  const blocks = v128.and(i32x4.shr_u(pixels, 3), i32x4.splat(56));
  const within = v128.or(v128.or(v128.and(pixels, i32x4.splat(1)), quads), blocks);
  return f32x4.add(f32x4.convert_i32x4_s(within), first);
}

/** y of the centres of four pixels (see pixelY) of a tile; `first` is the centre of the pixel at its corner. */
export function pixelsY(first: v128, pixels: v128): v128 {
  const half = i32x4.shr_u(pixels, 1);
  const quads = v128.and(i32x4.shr_u(pixels, 3), i32x4.splat(6));
  const blocks = v128.and(i32x4.shr_u(pixels, 6), i32x4.splat(56));
  const within = v128.or(v128.or(v128.and(half, i32x4.splat(1)), quads), blocks);
  return f32x4.add(f32x4.convert_i32x4_s(within), first);
}

/** x of the four pixel centres of a quad whose corner is at `x`. */
export function centresX(x: i32): v128 {
  return f32x4.add(f32x4.splat(<f32>x), f32x4(0.5, 1.5, 0.5, 1.5));
}

/** y of the four pixel centres of a quad whose corner is at `y`. */
export function centresY(y: i32): v128 {
  return f32x4.add(f32x4.splat(<f32>y), f32x4(0.5, 0.5, 1.5, 1.5));
}

/** x of the four samples at `positions` (SAMPLE POSITIONS) of the pixel at `x`. */
export function samplesX(positions: SamplePositions, x: i32): v128 {
  return f32x4.add(f32x4.splat(<f32>x), v128.load(changetype<usize>(positions)));
}

/** y of the four samples at `positions` of the pixel at `y`. */
export function samplesY(positions: SamplePositions, y: i32): v128 {
  return f32x4.add(f32x4.splat(<f32>y), v128.load(positions.y));
}

/** Sixteenths of a pixel from its corner to the first sample in x, and in y. */
export function firstSample(count: i32): i32 {
  return count == 1 ? SAMPLE1 : count == 2 ? 4 : count == 4 ? 2 : count == 8 ? 1 : 0;
}

/** Sixteenths of a pixel from its corner to the last sample in x, and in y. */
export function lastSample(count: i32): i32 {
  return count == 1 ? SAMPLE1 : count == 2 ? 12 : count == 4 ? 14 : 15;
}
