// What becomes of a warp's results: which samples remain after discard, sample masks and late tests, then colour into every target.
// Entries are taken in order, so two quads at one pixel in the same warp take effect one after the other.

import {
  CTX_COLORS, CTX_DEPTH, CTX_DEPTH_WRITE, CTX_REGISTERS, CTX_SAMPLE_COUNT, CTX_WARP, EARLY_REJECT, EARLY_STENCIL, ENTRY_QUAD, ENTRY_SHIFT, ENTRY_TRIANGLE, PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES, PACKER_KIND, PACKER_SAME,
} from '../layout/context';
import {
  BLENDS_OVER, DRAW_DEPTH_COMPARE, DRAW_FLAG_ALPHA_TO_COVERAGE, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_STENCIL, DRAW_FLAGS, DRAW_FRAG_DEPTH_REGISTER,
  DRAW_SAMPLE_MASK_OUT_REGISTER, DRAW_TARGET_COUNT, DRAW_TARGETS, TARGET_BLEND, TARGET_BYTES, TARGET_FORMAT, TARGET_REGISTERS, TARGET_WRITE_MASK,
} from '../layout/draw';
import {
  FORMAT_BGRA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_NONE, FORMAT_RGBA8UNORM, FORMAT_RGBA8UNORM_SRGB,
} from '../layout/formats';
import { REGISTER_BYTES } from '../layout/limits';
import { WARP_KILLED } from '../layout/program';
import { COMPARE_ALWAYS } from '../layout/texture';
import { hasFour } from '../surface/texel-four';
import { blendsBytes } from './blend';
import { blendBytesWarp } from './blend-bytes';
import { blendOverWarp, blendsSame } from './blend-over';
import { layOutSame } from './block';
import { blendSrgbWarp, blendsSrgb } from './blend-srgb';
import { depthQuad } from './depth';
import { loosenDepth, spreadDepth } from './depth-blocks';
import { depthQuadExported } from './depth.scalar';
import { writeFour } from './four';
import { writeGeneral } from './general';
import { entryMask, setEntryMask } from './layers';
import { quadMask } from '../tile/layers';
import { takesExtremes, writeRgba8 } from './rgba8';
import { stencilTest, stencilUpdate } from './stencil';

/** Writes the results of a packer's warp. */
export function outputWarp(context: usize, packer: usize): void {
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  if (load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_LATE_DEPTH) lateTests(context, packer, draw);
  const targets = load<i32>(draw + DRAW_TARGET_COUNT);
  for (let i = 0; i < targets; i++) {
    const target = draw + DRAW_TARGETS + <usize>i * TARGET_BYTES;
    const plane: usize = load<usize>(context + CTX_COLORS + (<usize>i << 2));
    if (!plane || !load<u32>(target + TARGET_WRITE_MASK)) continue;
    writeTarget(context, packer, target, plane, i);
  }
}

/** Writes a warp's colour to target `index`. */
export function writeTarget(context: usize, packer: usize, target: usize, plane: usize, index: i32): void {
  const format = load<i32>(target + TARGET_FORMAT);
  if (format == FORMAT_NONE) return;
  if (ASC_FEATURE_SIMD) {
    const blends = load<i32>(target + TARGET_BLEND) != 0;
    if (load<i32>(packer + PACKER_KIND) == PACKER_SAME && (blends ? !blendsSame(context, packer, target, index) : !writesSame(target))) layOutSame(context, packer);
    if (load<i32>(target + TARGET_BLEND) == BLENDS_OVER) {
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
function writesSame(target: usize): bool {
  return (load<u32>(target + TARGET_WRITE_MASK) & 15) == 15 && hasFour(load<i32>(target + TARGET_FORMAT));
}

function isRgba8(format: i32): bool {
  return format == FORMAT_RGBA8UNORM || format == FORMAT_RGBA8UNORM_SRGB || format == FORMAT_BGRA8UNORM || format == FORMAT_BGRA8UNORM_SRGB;
}

/** Takes from each entry's mask the samples that the program or a test removes. */
function lateTests(context: usize, packer: usize, draw: usize): void {
  const count = <usize>load<i32>(packer + PACKER_COUNT);
  const tested = load<i32>(draw + DRAW_DEPTH_COMPARE) != COMPARE_ALWAYS || load<i32>(context + CTX_DEPTH_WRITE) != 0;
  for (let i: usize = 0; i < count; i++) {
    const entry = packer + PACKER_ENTRIES + (i << ENTRY_SHIFT);
    let mask = entryMask(context, entry) & programMask(context, draw, i);
    if (mask && (tested || load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_STENCIL)) mask = lateDepthStencil(context, draw, entry, mask, i, tested);
    setEntryMask(context, entry, mask);
  }
}

/** Samples that the program leaves of quad `i` of the warp: not discarded, in its sample mask, covered by its alpha. */
function programMask(context: usize, draw: usize, i: usize): u64 {
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  const maskRegister = load<i32>(draw + DRAW_SAMPLE_MASK_OUT_REGISTER);
  const alphaRegister = load<i32>(draw + DRAW_TARGETS + TARGET_REGISTERS + 12);
  const alphaToCoverage = (load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_ALPHA_TO_COVERAGE) != 0 && alphaRegister >= 0;
  const registers = load<usize>(context + CTX_REGISTERS) + (i << 4);
  let mask: u64 = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const lane = <usize>pixel << 2;
    if (load<i32>(context + CTX_WARP + WARP_KILLED + (i << 4) + lane)) continue;
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
function lateDepthStencil(context: usize, draw: usize, entry: usize, mask: u64, i: usize, tested: bool): u64 {
  const triangle: usize = load<usize>(entry + ENTRY_TRIANGLE);
  const quad = load<i32>(entry + ENTRY_QUAD);
  const stencil = (load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_STENCIL) != 0;
  const passed = stencil ? stencilTest(context, triangle, quad, mask) : mask;
  let visible = passed;
  if (passed && tested) {
    spreadDepth(context, quad >> 4);
    const write = load<i32>(context + CTX_DEPTH_WRITE);
    const register = load<i32>(draw + DRAW_FRAG_DEPTH_REGISTER);
    const depths = load<usize>(context + CTX_REGISTERS) + <usize>register * REGISTER_BYTES + (i << 4);
    visible = register < 0
      ? depthQuad(context, triangle, quad, passed, write)
      : depthQuadExported(context, triangle, quad, passed, write, depths);
    if (write) loosenDepth(context, quad >> 4, 4);
  }
  if (stencil) stencilUpdate(context, triangle, quad, mask, passed, visible);
  return visible;
}

/** Stencil and depth tests before the program, as CTX_EARLY says. Returns the samples that pass. */
export function earlyTests(context: usize, triangle: usize, quad: i32, mask: u64, early: i32): u64 {
  const write = early == EARLY_REJECT ? 0 : load<i32>(context + CTX_DEPTH_WRITE);
  spreadDepth(context, quad >> 4);
  if (write) loosenDepth(context, quad >> 4, 4);
  if (early != EARLY_STENCIL) return depthQuad(context, triangle, quad, mask, write);
  const passed = stencilTest(context, triangle, quad, mask);
  // A pass may have stencil alone.
  const visible = passed && load<usize>(context + CTX_DEPTH) ? depthQuad(context, triangle, quad, passed, write) : passed;
  stencilUpdate(context, triangle, quad, mask, passed, visible);
  return visible;
}
