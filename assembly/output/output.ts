// What becomes of a warp's results: which samples remain after discard, sample masks and late tests, then colour into
// every target. Entries are taken in order, so two quads at one pixel in the same warp take effect one after the
// other.

import {
  COMPARE_ALWAYS, Draw, DRAW_FLAG_ALPHA_TO_COVERAGE, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_STENCIL, EARLY_REJECT,
  EARLY_STENCIL, Entry, Packer, REGISTER_BYTES, Target, Tile, Triangle,
} from '../layout';
import { loosenDepth, spreadDepth } from '../tile/depth-blocks';
import { quadMask } from '../tile/layers';
import { depthQuad } from './depth';
import { depthQuadExported } from './depth.scalar';
import { stencilTest, stencilUpdate } from './stencil';

/** Writes the results of a packer's warp. */
export function outputWarp(tile: Tile, packer: Packer): void {
  const draw = packer.draw;
  if (draw.flags & DRAW_FLAG_LATE_DEPTH) lateTests(tile, packer, draw);
  const targets = draw.targetCount;
  for (let i = 0; i < targets; i++) {
    const target = draw.target(i);
    if (tile.plane(i).samples) writeTarget(tile, packer, target, i);
  }
}

/** Writes a warp's colours to target `index`, by what was chosen for it (target.ts). */
export function writeTarget(tile: Tile, packer: Packer, target: Target, index: i32): void {
  if (target.slot) call_indirect<void>(target.slot, tile, packer, target, index);
}

/** Takes from each entry's mask the samples that the program or a test removes. */
function lateTests(tile: Tile, packer: Packer, draw: Draw): void {
  const count = <usize>packer.count;
  const tested = draw.depthCompare != COMPARE_ALWAYS || tile.depthWrite != 0;
  for (let i: usize = 0; i < count; i++) {
    const entry = packer.entry(i);
    let mask = entry.mask & programMask(tile, draw, i);
    if (mask && (tested || draw.flags & DRAW_FLAG_STENCIL)) mask = lateDepthStencil(tile, draw, entry, mask, i, tested);
    entry.mask = mask;
  }
}

/** Samples that the program leaves of quad `i` of the warp: not discarded, in its sample mask, covered by its alpha. */
function programMask(tile: Tile, draw: Draw, i: usize): u64 {
  const count = tile.samples;
  const maskRegister = draw.sampleMaskOutRegister;
  const alphaRegister = load<i32>(draw.targets + changetype<usize>(changetype<Target>(0).registers) + 12);
  const alphaToCoverage = (draw.flags & DRAW_FLAG_ALPHA_TO_COVERAGE) != 0 && alphaRegister >= 0;
  const registers = tile.registers + (i << 4);
  let mask: u64 = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const lane = pixel << 2;
    if (load<i32>(tile.warp.killed + (i << 4) + lane)) continue;
    let bits = 0xffff;
    if (maskRegister >= 0) bits &= load<i32>(registers + maskRegister * REGISTER_BYTES + lane);
    const alpha = registers + alphaRegister * REGISTER_BYTES + lane;
    if (alphaToCoverage) bits &= alphaSamples(load<f32>(alpha), count);
    // Of two samples, the last two of four are the first two again.
    mask |= count == 1 ? <u64>(bits & 1) << <u64>pixel : quadMask(count == 2 ? (bits & 3) * 5 : bits, pixel);
  }
  return mask;
}

/**
 * Alpha to coverage (WebGPU §10.3.7): as many of `count` samples as alpha asks for, rounded to nearest, always the
 * same ones; more alpha never covers less. Of four: 0, then 3, 1, 2, so that two lie across from each other; the
 * standard positions of 8 and 16 are in such an order.
 */
function alphaSamples(alpha: f32, count: i32): i32 {
  // One sample asks the first of four.
  if (count == 4 || count == 1) {
    return !(alpha >= 0.125) ? 0 : alpha < 0.375 ? 1 : alpha < 0.625 ? 9 : alpha < 0.875 ? 11 : 15;
  }
  const samples = !(alpha > 0) ? 0 : alpha >= 1 ? count : <i32>floor<f32>(alpha * <f32>count + 0.5);
  return (1 << samples) - 1;
}

/** Stencil and depth tests after the program. Returns the samples that pass both. */
function lateDepthStencil(tile: Tile, draw: Draw, entry: Entry, mask: u64, i: usize, tested: bool): u64 {
  const triangle = entry.triangle;
  const quad = entry.quad;
  const stencil = (draw.flags & DRAW_FLAG_STENCIL) != 0;
  const passed = stencil ? stencilTest(tile, triangle, quad, mask) : mask;
  let visible = passed;
  if (passed && tested) {
    spreadDepth(tile, quad >> 4);
    const write = tile.depthWrite;
    const register = draw.fragDepthRegister;
    const depths = tile.registers + register * REGISTER_BYTES + (i << 4);
    visible = register < 0
      ? depthQuad(tile, triangle, quad, passed, write)
      : depthQuadExported(tile, triangle, quad, passed, write, depths);
    if (write) loosenDepth(tile, quad >> 4, 4);
  }
  if (stencil) stencilUpdate(tile, triangle, quad, mask, passed, visible);
  return visible;
}

/** Stencil and depth tests before the program, as Tile.early says. Returns the samples that pass. */
export function earlyTests(tile: Tile, triangle: Triangle, quad: i32, mask: u64, early: i32): u64 {
  const write = early == EARLY_REJECT ? 0 : tile.depthWrite;
  spreadDepth(tile, quad >> 4);
  if (write) loosenDepth(tile, quad >> 4, 4);
  if (early != EARLY_STENCIL) return depthQuad(tile, triangle, quad, mask, write);
  const passed = stencilTest(tile, triangle, quad, mask);
  // A pass may have stencil alone.
  const visible = passed && tile.depth ? depthQuad(tile, triangle, quad, passed, write) : passed;
  stencilUpdate(tile, triangle, quad, mask, passed, visible);
  return visible;
}
