// One warp of quads from planes to the tile: interpolation, the program, then output in the order of the entries.

import {
  CTX_BOUND_DRAW, CTX_PASS, CTX_REGISTERS, CTX_SAMPLES, CTX_WARP, ENTRY_MASK, ENTRY_SHIFT, PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES,
} from '../layout/context';
import {
  DRAW_FLAG_LATE_DEPTH, DRAW_FLAGS, DRAW_FRAGMENT_PROGRAM, DRAW_FRAGMENT_RESOURCES, DRAW_FRAGMENT_UNIFORMS,
} from '../layout/draw';
import { PASS_STATISTICS, STAT_LANES_SHADED, STAT_QUADS_SHADED, STAT_WARPS_FRAGMENT } from '../layout/pass';
import {
  PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAGS, WARP_EXEC, WARP_KILLED, WARP_PROGRAM, WARP_QUAD_COUNT, WARP_REGISTERS,
  WARP_RESOURCES,
} from '../layout/program';
import { STATUS_DONE } from '../layout/status';
import { outputWarp } from '../output/output';
import { copyLanes } from '../simd/texels';
import { bindUniforms, runWarp } from '../warp/run';
import { interpolateWarp } from './interpolate';

/** Runs a packer's quads and empties it; nothing to do when it is empty. Returns STATUS_*. */
export function shadeWarp(context: usize, packer: usize): i32 {
  const count = load<i32>(packer + PACKER_COUNT);
  if (!count) return STATUS_DONE;
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  const program: usize = load<usize>(draw + DRAW_FRAGMENT_PROGRAM);
  const registers: usize = load<usize>(context + CTX_REGISTERS);
  if (load<usize>(context + CTX_BOUND_DRAW) != draw) {
    bindUniforms(program, load<usize>(draw + DRAW_FRAGMENT_UNIFORMS), registers);
    store<u32>(context, <u32>draw, CTX_BOUND_DRAW);
  }
  const warp = context + CTX_WARP;
  store<u32>(warp, <u32>program, WARP_PROGRAM);
  store<u32>(warp, <u32>registers, WARP_REGISTERS);
  store<u32>(warp, load<usize>(draw + DRAW_FRAGMENT_RESOURCES), WARP_RESOURCES);
  store<i32>(warp, count, WARP_QUAD_COUNT);
  const lanes = startLanes(context, packer, count, (load<u32>(program + PROGRAM_FLAGS) & PROGRAM_FLAG_DERIVATIVES) != 0);
  // Only the late tests look at the killed lanes.
  if (load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_LATE_DEPTH) memory.fill(warp + WARP_KILLED, 0, <usize>count << 4);
  interpolateWarp(context, packer);
  const status = runWarp(warp);
  if (status != STATUS_DONE) return status;
  outputWarp(context, packer);
  store<i32>(packer, 0, PACKER_COUNT);
  const statistics: usize = load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS);
  store<u32>(statistics, load<u32>(statistics, STAT_QUADS_SHADED) + count, STAT_QUADS_SHADED);
  store<u32>(statistics, load<u32>(statistics, STAT_LANES_SHADED) + lanes, STAT_LANES_SHADED);
  store<u32>(statistics, load<u32>(statistics, STAT_WARPS_FRAGMENT) + 1, STAT_WARPS_FRAGMENT);
  return STATUS_DONE;
}

/** Sets the execution mask; returns the number of pixels covered. Derivatives need all four lanes of a quad. */
function startLanes(context: usize, packer: usize, count: i32, helpers: bool): i32 {
  const several = load<i32>(context + CTX_SAMPLES) != 1;
  let entry = packer + PACKER_ENTRIES;
  let at = context + CTX_WARP + WARP_EXEC;
  let lanes = 0;
  for (const end = entry + (<usize>count << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    const mask = load<i32>(entry, ENTRY_MASK);
    const pixels = several ? pixelsOf(mask) : mask;
    lanes += popcnt(pixels);
    copyLanes(at, helpers ? 15 : pixels);
    at += 16;
  }
  return lanes;
}

/** The pixels of a quad of which a sample is in `mask`: four bits of sixteen. */
// @ts-ignore: decorator
@inline
function pixelsOf(mask: i32): i32 {
  const pairs = mask | (mask >> 1);
  const firsts = (pairs | (pairs >> 2)) & 0x1111;
  return (firsts | (firsts >> 3) | (firsts >> 6) | (firsts >> 9)) & 15;
}
