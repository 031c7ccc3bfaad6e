// One warp of quads or pixels from planes to the tile: interpolation, the program, then output in the order of the entries.

import {
  CTX_BOUND_DRAW, CTX_PASS, CTX_REGISTERS, CTX_WARP, PACKER_BLOCK, PACKER_COUNT, PACKER_DRAW, PACKER_KIND, PACKER_PIXELS, PACKER_SAME,
} from '../layout/context';
import {
  DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_SURFACES, DRAW_FLAGS, DRAW_FRAGMENT_PROGRAM, DRAW_FRAGMENT_RESOURCES, DRAW_FRAGMENT_UNIFORMS, DRAW_SHADING,
} from '../layout/draw';
import { WARP_QUADS } from '../layout/limits';
import { PASS_STATISTICS, STAT_LANES_SHADED, STAT_QUADS_SHADED, STAT_WARPS_FRAGMENT } from '../layout/pass';
import {
  PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAG_NO_MASKS, PROGRAM_FLAGS, PROGRAM_QUADS_SLOT, WARP_EXEC, WARP_KILLED, WARP_PACKER, WARP_PROGRAM, WARP_QUAD_COUNT, WARP_REGISTERS,
  WARP_RESOURCES,
} from '../layout/program';
import { STATUS_DONE } from '../layout/status';
import { outputWarp } from '../output/output';
import { copyLanes } from '../simd/texels';
import { endOutput, endProgram, startWarp } from '../warp/clock';
import { bindProgram, runWarp } from '../warp/run';
import { countInvocations } from './counts';
import { interpolateWarp } from './interpolate';
import { countLanes, startLanes } from './lanes';

/** What draws that are shaded alike have in common: equal for those that may share a warp. */
// @ts-ignore: decorator
@inline
export function shadingOf(draw: usize): usize {
  const shading: usize = load<usize>(draw + DRAW_SHADING);
  return shading ? shading : draw;
}

/** Runs a packer's quads and empties it; nothing to do when it is empty. Returns STATUS_*. */
export function shadeWarp(context: usize, packer: usize): i32 {
  const count = load<i32>(packer + PACKER_COUNT);
  if (!count) return STATUS_DONE;
  const statistics: usize = load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS);
  const began = startWarp(statistics);
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  const program: usize = load<usize>(draw + DRAW_FRAGMENT_PROGRAM);
  const warp = context + CTX_WARP;
  const shading = shadingOf(draw);
  if (load<usize>(context + CTX_BOUND_DRAW) != shading) {
    store<u32>(warp, <u32>program, WARP_PROGRAM);
    store<u32>(warp, load<u32>(context + CTX_REGISTERS), WARP_REGISTERS);
    store<u32>(warp, load<u32>(draw + DRAW_FRAGMENT_RESOURCES), WARP_RESOURCES);
    bindProgram(warp, load<usize>(draw + DRAW_FRAGMENT_UNIFORMS));
    store<u32>(context, <u32>shading, CTX_BOUND_DRAW);
  }
  const kind = load<i32>(packer + PACKER_KIND);
  const pixels = kind == PACKER_PIXELS;
  const block = kind == PACKER_BLOCK || kind == PACKER_SAME;
  const groups = pixels ? (count + 3) >> 2 : count;
  store<i32>(warp, groups, WARP_QUAD_COUNT);
  const quads = pixels ? 0 : load<u32>(program + PROGRAM_QUADS_SLOT);
  const flags = load<u32>(program + PROGRAM_FLAGS);
  const drawFlags = load<u32>(draw + DRAW_FLAGS);
  let lanes: i32;
  if (quads && flags & PROGRAM_FLAG_NO_MASKS) lanes = block ? 4 * WARP_QUADS : countLanes(context, packer, count);
  // All pixels of a block are covered.
  else if (pixels || block) lanes = startPixels(warp, pixels ? count : 4 * WARP_QUADS);
  else lanes = startLanes(context, packer, count, (flags & PROGRAM_FLAG_DERIVATIVES) != 0 && !(drawFlags & DRAW_FLAG_SURFACES));
  // Only surface accesses and the late tests look at the killed lanes.
  if (drawFlags & DRAW_FLAG_SURFACES) killHelpers(warp, groups, (flags & PROGRAM_FLAG_DERIVATIVES) != 0);
  else if (drawFlags & DRAW_FLAG_LATE_DEPTH) memory.fill(warp + WARP_KILLED, 0, <usize>groups << 4);
  let status: i32;
  if (quads) {
    store<u32>(warp, <u32>packer, WARP_PACKER);
    status = call_indirect<i32>(quads, warp);
  } else {
    interpolateWarp(context, packer);
    status = runWarp(warp);
  }
  if (status != STATUS_DONE) return status;
  countInvocations(context, packer);
  const ended = endProgram(statistics, began);
  outputWarp(context, packer);
  endOutput(statistics, ended);
  store<i32>(packer, 0, PACKER_COUNT);
  store<u32>(statistics, load<u32>(statistics, STAT_QUADS_SHADED) + (block ? WARP_QUADS : groups), STAT_QUADS_SHADED);
  store<u32>(statistics, load<u32>(statistics, STAT_LANES_SHADED) + lanes, STAT_LANES_SHADED);
  store<u32>(statistics, load<u32>(statistics, STAT_WARPS_FRAGMENT) + 1, STAT_WARPS_FRAGMENT);
  return STATUS_DONE;
}

/** Helpers access no surface: they count as killed from the start. The execution mask holds the covered lanes; `helpers`: then all lanes. */
function killHelpers(warp: usize, groups: i32, helpers: bool): void {
  const end = warp + (<usize>groups << 4);
  for (let at = warp; at < end; at += 8) {
    store<u64>(at, ~load<u64>(at, WARP_EXEC), WARP_KILLED);
    if (helpers) store<u64>(at, -1, WARP_EXEC);
  }
}

/** Sets the execution mask for single pixels; returns their number. */
// @ts-ignore: decorator
@inline
function startPixels(warp: usize, count: i32): i32 {
  let at = warp + WARP_EXEC;
  for (let rest = count; rest > 0; rest -= 4) {
    copyLanes(at, rest < 4 ? (1 << rest) - 1 : 15);
    at += 16;
  }
  return count;
}
