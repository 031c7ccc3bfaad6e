// One warp of quads from planes to the tile: interpolation, the program, then output in the order of the entries.

import {
  CTX_BOUND_DRAW, CTX_PASS, CTX_REGISTERS, CTX_SAMPLES, CTX_WARP, ENTRY_MASK, ENTRY_SHIFT, PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES,
} from '../layout/context';
import {
  DRAW_FLAG_LATE_DEPTH, DRAW_FLAGS, DRAW_FRAGMENT_PROGRAM, DRAW_FRAGMENT_RESOURCES, DRAW_FRAGMENT_UNIFORMS,
} from '../layout/draw';
import { PASS_STATISTICS, STAT_LANES_SHADED, STAT_QUADS_SHADED, STAT_WARPS_FRAGMENT } from '../layout/pass';
import {
  PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAGS, WARP_EXEC, WARP_KILLED, WARP_PC, WARP_PROGRAM, WARP_QUAD_COUNT, WARP_REGISTERS,
  WARP_RESOURCES,
} from '../layout/program';
import { STATUS_DONE } from '../layout/status';
import { outputWarp } from '../output/output';
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
  store<i32>(warp, 0, WARP_PC);
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
  const warp = context + CTX_WARP;
  const pixelBits = load<i32>(context + CTX_SAMPLES) == 1 ? 1 : 15;
  const step = pixelBits == 1 ? 1 : 4;
  const whole = pixelBits == 1 ? 15 : 0xffff;
  let lanes = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const mask = load<i32>(packer + PACKER_ENTRIES + (i << ENTRY_SHIFT), ENTRY_MASK);
    const at = warp + (i << 4);
    if (mask == whole) {
      lanes += 4;
      store<u64>(at, u64.MAX_VALUE, WARP_EXEC);
      store<u64>(at, u64.MAX_VALUE, WARP_EXEC + 8);
      continue;
    }
    const on0: u64 = mask & pixelBits ? 0xffffffff : 0;
    const on1: u64 = (mask >> step) & pixelBits ? 0xffffffff : 0;
    const on2: u64 = (mask >> (2 * step)) & pixelBits ? 0xffffffff : 0;
    const on3: u64 = (mask >> (3 * step)) & pixelBits ? 0xffffffff : 0;
    const upper = on0 | (on1 << 32);
    const lower = on2 | (on3 << 32);
    lanes += <i32>((popcnt(upper) + popcnt(lower)) >> 5);
    store<u64>(at, helpers ? u64.MAX_VALUE : upper, WARP_EXEC);
    store<u64>(at, helpers ? u64.MAX_VALUE : lower, WARP_EXEC + 8);
  }
  return lanes;
}
