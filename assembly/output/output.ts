// Output of a warp's results. Discard, sample masks and late tests determine the samples that remain; then colours are
// written to every target. Entries are processed in order, so two quads at one pixel in the same warp take effect one
// after the other.

import {
  COMPARE_ALWAYS,
  Draw,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_STENCIL,
  Entry,
  Packer,
  PACKER_BLOCK,
  PACKER_QUADS,
  REGISTER_BYTES,
  Target,
  Tile,
} from '../layout';
import { loosenDepth, loosenDepthTo, expandDepth } from '../tile/depth-blocks';
import { testsLate } from '../tile/early';
import { depthQuad, depthQuadExported } from '../visibility/depth';
import { stencilTest, stencilUpdate } from '../visibility/stencil';
import { onlyDiscards, removeDiscarded, shaderMask } from './shader-mask';

/** Writes the results of a packer's warp. (Inlined: as a call it made full-screen passes 2 % slower.) */
// @ts-ignore: decorator
@inline
export function outputWarp(tile: Tile, packer: Packer): void {
  const draw = packer.draw;
  if (draw.flags & DRAW_FLAG_LATE_DEPTH) if (!lateTests(tile, packer, draw)) return;
  const targets = draw.targetCount;
  for (let i = 0; i < targets; i++) {
    const target = draw.target(i);
    if (tile.plane(i).samples) writeTarget(tile, packer, target, i);
  }
}

/** Writes a warp's colours to target `index`, with the function that target.ts chose. */
export function writeTarget(tile: Tile, packer: Packer, target: Target, index: i32): void {
  if (target.slot) call_indirect<void>(target.slot, tile, packer, target, index);
}

/**
 * Removes from each entry's mask the samples that the shader or a later test rejects. Consecutive entries of one quad
 * and triangle, which have different samples, are tested together. A block that loses samples becomes quads. Returns
 * whether samples remain.
 */
function lateTests(tile: Tile, packer: Packer, draw: Draw): bool {
  const count = <usize>packer.count;
  const late = testsLate(draw);
  const tested = late && (draw.depthCompare != COMPARE_ALWAYS || tile.depthWrite != 0);
  const asked = tested || (late && (draw.flags & DRAW_FLAG_STENCIL) != 0);
  if (ASC_FEATURE_SIMD)
    if (!asked && onlyDiscards(draw)) {
      const covered = late || !draw.query ? 0 : coveredSamples(packer);
      const kept = removeDiscarded(tile, packer);
      noteQuery(tile, draw, late ? kept : covered);
      return kept != 0;
    }
  const joins = asked && draw.fragDepthRegister < 0;
  let passed: u64 = 0;
  let kept: u64 = 0;
  let lost: u64 = 0;
  for (let i: usize = 0; i < count;) {
    const first = packer.entry(i);
    const begin = i;
    let before: u64 = 0;
    let all: u64 = 0;
    do {
      const entry = packer.entry(i);
      before |= entry.mask;
      entry.mask &= shaderMask(tile, draw, i);
      all |= entry.mask;
      i++;
    } while (joins && i < count && isOfSameQuad(first, packer.entry(i)));
    const visible = all && asked ? lateDepthStencil(tile, draw, first, all, begin, tested) : all;
    for (let k = begin; k < i; k++) packer.entry(k).mask &= visible;
    passed |= late ? visible : before;
    kept |= visible;
    lost |= before & ~visible;
  }
  if (lost && packer.kind == PACKER_BLOCK) packer.kind = PACKER_QUADS;
  noteQuery(tile, draw, passed);
  return kept != 0;
}

/** The samples that some entry of a packer covers. */
function coveredSamples(packer: Packer): u64 {
  let samples: u64 = 0;
  for (let i: usize = 0; i < <usize>packer.count; i++) samples |= packer.entry(i).mask;
  return samples;
}

/** Notes in the draw call's occlusion query, if it has one, that samples have passed. */
function noteQuery(tile: Tile, draw: Draw, passed: u64): void {
  if (passed && draw.query && !tile.pool.hasMissed) store<u32>(draw.query, 1);
}

function isOfSameQuad(a: Entry, b: Entry): bool {
  return a.triangle == b.triangle && a.quad == b.quad;
}

/** Stencil and depth tests after the shader. Returns the samples that pass both. */
function lateDepthStencil(tile: Tile, draw: Draw, entry: Entry, mask: u64, i: usize, tested: bool): u64 {
  const triangle = entry.triangle;
  const quad = entry.quad;
  const stencil = (draw.flags & DRAW_FLAG_STENCIL) != 0;
  const passed = stencil ? stencilTest(tile, triangle, quad, mask) : mask;
  let visible = passed;
  if (passed && tested) {
    expandDepth(tile, quad >> 4);
    const write = tile.depthWrite;
    const register = draw.fragDepthRegister;
    const depths = tile.registers + register * REGISTER_BYTES + (i << 4);
    visible =
      register < 0
        ? depthQuad(tile, triangle, quad, passed, write)
        : depthQuadExported(tile, triangle, quad, passed, write, depths);
    if (write) {
      if (register < 0) loosenDepthTo(tile, triangle, quad >> 4, 4);
      else loosenDepth(tile, quad >> 4, 4);
    }
  }
  if (stencil) stencilUpdate(tile, triangle, quad, mask, passed, visible);
  return visible;
}
