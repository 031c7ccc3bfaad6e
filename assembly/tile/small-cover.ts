// Coverage from the record of a small triangle (TRI_FLAG_SMALL).

import { Tile, Triangle } from '../layout';
import { hasLayer, samplesOf } from './layers';

/** Samples of a layer that a small triangle covers: bit (y·4 + x)·samples + sample of its box. */
export function coverOf(triangle: Triangle, layer: i32): u64 {
  return load<u64>(triangle.cover - (layer << 3));
}

/** Samples of the quad at (x, y) of its box that a small triangle covers. */
export function quadOfSmall<S>(tile: Tile, triangle: Triangle, x: i32, y: i32): u64 {
  let mask: u64 = 0;
  let layer = 0;
  do mask |= quadOf<S>(coverOf(triangle, layer), x, y) << u64(layer << 4);
  while (hasLayer<S>(tile, ++layer));
  return mask;
}

function quadOf<S>(cover: u64, x: i32, y: i32): u64 {
  const samples = samplesOf<S>();
  let mask: u64 = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const dx = x + (pixel & 1);
    const dy = y + (pixel >> 1);
    if ((dx | dy) & ~3) continue;
    mask |= ((cover >> (<u64>((dy * 4 + dx) * samples))) & (samples == 1 ? 1 : 15)) << u64(pixel * samples);
  }
  return mask;
}
