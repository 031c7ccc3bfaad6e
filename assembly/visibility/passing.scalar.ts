// Scalar twins of passing.ts.

import { Tile, Triangle } from '../layout';
import { depthQuadScalar } from './depth.scalar';

export function passingBlock1Scalar(tile: Tile, triangle: Triangle, block: i32, cover: u64): u64 {
  let passed: u64 = 0;
  for (let quad = 0; quad < 16; quad++) {
    const bits = (cover >> ((<u64>quad) << 2)) & 15;
    if (bits) passed |= depthQuadScalar(tile, triangle, (block << 4) + quad, bits, 0) << ((<u64>quad) << 2);
  }
  return passed;
}

export function passingBlock4Scalar(tile: Tile, triangle: Triangle, block: i32, quads: i32, layer: i32): i32 {
  const shift = <u64>(layer << 4);
  let passed = 0;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const at = tile.coverOf(layer) + (quad << 1);
    const samples = depthQuadScalar(tile, triangle, (block << 4) + quad, (<u64>load<u16>(at)) << shift, 0) >> shift;
    store<u16>(at, <u16>samples);
    passed |= (<i32>(samples != 0)) << quad;
  }
  return passed;
}
