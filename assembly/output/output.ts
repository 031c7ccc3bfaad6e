// What becomes of a warp's results: which samples remain after discard, sample masks and late tests, then colour into every target.
// Entries are taken in order, so two quads at one pixel in the same warp take effect one after the other.

import {
  BLENDS_OVER, COMPARE_ALWAYS, Draw, DRAW_FLAG_ALPHA_TO_COVERAGE, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_STENCIL,
  EARLY_REJECT, EARLY_STENCIL, Entry, FORMAT_BGRA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_NONE, FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB, Packer, PACKER_SAME, REGISTER_BYTES, Target, Tile, Triangle,
} from '../layout';
import { hasFour } from '../surface/texel-four';
import { loosenDepth, spreadDepth } from '../tile/depth-blocks';
import { layOutSame } from '../tile/entries';
import { quadMask } from '../tile/layers';
import { blendsBytes } from './blend';
import { blendBytesWarp } from './blend-bytes';
import { blendOverWarp, blendsSame } from './blend-over';
import { blendSrgbWarp, blendsSrgb } from './blend-srgb';
import { depthQuad } from './depth';
import { depthQuadExported } from './depth.scalar';
import { writeFour } from './four';
import { writeGeneral } from './general';
import { takesExtremes, writeRgba8 } from './rgba8';
import { stencilTest, stencilUpdate } from './stencil';

/** Writes the results of a packer's warp. */
export function outputWarp(context: Tile, packer: Packer): void {
  const draw = packer.draw;
  if (draw.flags & DRAW_FLAG_LATE_DEPTH) lateTests(context, packer, draw);
  const targets = draw.targetCount;
  for (let i = 0; i < targets; i++) {
    const target = draw.target(<usize>i);
    const plane: usize = context.plane(<usize>i).samples;
    if (!plane || !target.writeMask) continue;
    writeTarget(context, packer, target, plane, i);
  }
}

/** Writes a warp's colour to target `index`. */
export function writeTarget(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  const format = target.format;
  if (format == FORMAT_NONE) return;
  if (ASC_FEATURE_SIMD) {
    const blends = target.blend != 0;
    if (packer.kind == PACKER_SAME && (blends ? !blendsSame(context, packer, target, index) : !writesSame(target))) layOutSame(context, packer);
    if (target.blend == BLENDS_OVER) {
      blendOverWarp(context, packer, target, plane, index);
      return;
    }
    if (blends && blendsBytes(target)) {
      blendBytesWarp(context, packer, target, plane, index);
      return;
    }
    if (blends && blendsSrgb(target)) {
      blendSrgbWarp(context, packer, target, plane, index);
      return;
    }
    if (isRgba8(format) && (!blends || takesExtremes(target))) {
      writeRgba8(context, packer, target, plane, index);
      return;
    }
    if (hasFour(format)) {
      writeFour(context, packer, target, plane, index);
      return;
    }
  }
  writeGeneral(context, packer, target, plane, index);
}

/** Whether texels of four of an opaque target can be one for a whole block (four.ts, rgba8.ts). */
function writesSame(target: Target): bool {
  return (target.writeMask & 15) == 15 && hasFour(target.format);
}

function isRgba8(format: i32): bool {
  return format == FORMAT_RGBA8UNORM || format == FORMAT_RGBA8UNORM_SRGB || format == FORMAT_BGRA8UNORM || format == FORMAT_BGRA8UNORM_SRGB;
}

/** Takes from each entry's mask the samples that the program or a test removes. */
function lateTests(context: Tile, packer: Packer, draw: Draw): void {
  const count = <usize>packer.count;
  const tested = draw.depthCompare != COMPARE_ALWAYS || context.depthWrite != 0;
  for (let i: usize = 0; i < count; i++) {
    const entry = packer.entry(i);
    let mask = entry.mask & programMask(context, draw, i);
    if (mask && (tested || draw.flags & DRAW_FLAG_STENCIL)) mask = lateDepthStencil(context, draw, entry, mask, i, tested);
    entry.mask = mask;
  }
}

/** Samples that the program leaves of quad `i` of the warp: not discarded, in its sample mask, covered by its alpha. */
function programMask(context: Tile, draw: Draw, i: usize): u64 {
  const count = context.samples;
  const maskRegister = draw.sampleMaskOutRegister;
  const alphaRegister = load<i32>(draw.targets + changetype<usize>(changetype<Target>(0).registers) + 12);
  const alphaToCoverage = (draw.flags & DRAW_FLAG_ALPHA_TO_COVERAGE) != 0 && alphaRegister >= 0;
  const registers = context.registers + (i << 4);
  let mask: u64 = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const lane = <usize>pixel << 2;
    if (load<i32>(context.warp.killed + (i << 4) + lane)) continue;
    let bits = 0xffff;
    if (maskRegister >= 0) bits &= load<i32>(registers + <usize>maskRegister * REGISTER_BYTES + lane);
    if (alphaToCoverage) bits &= alphaSamples(load<f32>(registers + <usize>alphaRegister * REGISTER_BYTES + lane), count);
    // Of two samples, the last two of four are the first two again.
    mask |= count == 1 ? <u64>(bits & 1) << <u64>pixel : quadMask(count == 2 ? (bits & 3) * 5 : bits, pixel);
  }
  return mask;
}

/**
 * Alpha to coverage (WebGPU §10.3.7): as many of `count` samples as alpha asks for, rounded to nearest, always the same ones; more alpha
 * never covers less. Of four: 0, then 3, 1, 2, so that two lie across from each other; the standard positions of 8 and 16 are in such an order.
 */
function alphaSamples(alpha: f32, count: i32): i32 {
  // One sample asks the first of four.
  if (count == 4 || count == 1) return !(alpha >= 0.125) ? 0 : alpha < 0.375 ? 1 : alpha < 0.625 ? 9 : alpha < 0.875 ? 11 : 15;
  const samples = !(alpha > 0) ? 0 : alpha >= 1 ? count : <i32>floor<f32>(alpha * <f32>count + 0.5);
  return (1 << samples) - 1;
}

/** Stencil and depth tests after the program. Returns the samples that pass both. */
function lateDepthStencil(context: Tile, draw: Draw, entry: Entry, mask: u64, i: usize, tested: bool): u64 {
  const triangle = entry.triangle;
  const quad = entry.quad;
  const stencil = (draw.flags & DRAW_FLAG_STENCIL) != 0;
  const passed = stencil ? stencilTest(context, triangle, quad, mask) : mask;
  let visible = passed;
  if (passed && tested) {
    spreadDepth(context, quad >> 4);
    const write = context.depthWrite;
    const register = draw.fragDepthRegister;
    const depths = context.registers + <usize>register * REGISTER_BYTES + (i << 4);
    visible = register < 0
      ? depthQuad(context, triangle, quad, passed, write)
      : depthQuadExported(context, triangle, quad, passed, write, depths);
    if (write) loosenDepth(context, quad >> 4, 4);
  }
  if (stencil) stencilUpdate(context, triangle, quad, mask, passed, visible);
  return visible;
}

/** Stencil and depth tests before the program, as Tile.early says. Returns the samples that pass. */
export function earlyTests(context: Tile, triangle: Triangle, quad: i32, mask: u64, early: i32): u64 {
  const write = early == EARLY_REJECT ? 0 : context.depthWrite;
  spreadDepth(context, quad >> 4);
  if (write) loosenDepth(context, quad >> 4, 4);
  if (early != EARLY_STENCIL) return depthQuad(context, triangle, quad, mask, write);
  const passed = stencilTest(context, triangle, quad, mask);
  // A pass may have stencil alone.
  const visible = passed && context.depth ? depthQuad(context, triangle, quad, passed, write) : passed;
  stencilUpdate(context, triangle, quad, mask, passed, visible);
  return visible;
}
