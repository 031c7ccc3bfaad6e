// Scalar twin of shader-mask.ts.

import { Draw, DRAW_FLAG_ALPHA_TO_COVERAGE, REGISTER_BYTES, Tile } from '../layout';
import { quadMask } from '../tile/layers';

/** The register whose alpha determines coverage; −1 if there is none. */
export function coverageRegister(draw: Draw): i32 {
  return draw.flags & DRAW_FLAG_ALPHA_TO_COVERAGE ? draw.target(0).register(3) : -1;
}

export function shaderMaskScalar(tile: Tile, draw: Draw, i: usize): u64 {
  const count = tile.samples;
  const maskRegister = draw.sampleMaskOutRegister;
  const alphaRegister = coverageRegister(draw);
  const registers = tile.registers + (i << 4);
  let mask: u64 = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const lane = pixel << 2;
    if (load<i32>(tile.warp.killed + (i << 4) + lane)) continue;
    let bits = 0xffff;
    if (maskRegister >= 0) bits &= load<i32>(registers + maskRegister * REGISTER_BYTES + lane);
    if (alphaRegister >= 0) bits &= alphaSamples(load<f32>(registers + alphaRegister * REGISTER_BYTES + lane), count);
    // With two samples, the last two of four stored samples repeat the first two.
    mask |= count == 1 ? (<u64>(bits & 1)) << u64(pixel) : quadMask(count == 2 ? (bits & 3) * 5 : bits, pixel);
  }
  return mask;
}

function alphaSamples(alpha: f32, count: i32): i32 {
  // With one sample, it is the first of four.
  if (count == 4 || count == 1) {
    return !(alpha >= 0.125) ? 0 : alpha < 0.375 ? 1 : alpha < 0.625 ? 9 : alpha < 0.875 ? 11 : 15;
  }
  const samples = !(alpha > 0) ? 0 : alpha >= 1 ? count : <i32>floor<f32>(alpha * <f32>count + 0.5);
  return (1 << samples) - 1;
}
