// One warp of quads or pixels from planes to the tile: interpolation, the program, then output in the order of the
// entries.

import {
  Draw, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_SURFACES, Packer, PACKER_BLOCK, PACKER_PIXELS, PACKER_SAME,
  PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAG_NO_MASKS, STATUS_DONE, Tile, Warp, WARP_QUADS,
} from '../layout';
import { outputWarp } from '../output/output';
import { copyLanes } from '../simd/texels';
import { endOutput, endProgram, startWarp } from '../warp/clock';
import { bindProgram, runWarp } from '../warp/run';
import { countInvocations } from './counts';
import { interpolateWarp } from './interpolate';
import { countLanes, startLanes } from './lanes';

/** What draws that are shaded alike have in common: equal for those that may share a warp. */
export function shadingOf(draw: Draw): usize {
  const shading: usize = draw.shading;
  return shading ? shading : changetype<usize>(draw);
}

/** Runs a packer's quads and empties it; nothing to do when it is empty. Returns STATUS_*. */
export function shadeWarp(tile: Tile, packer: Packer): i32 {
  const count = packer.count;
  if (!count) return STATUS_DONE;
  const statistics = tile.pass.statistics;
  const began = startWarp(statistics);
  const draw = packer.draw;
  const program = draw.fragment.program;
  const warp = tile.warp;
  const shading = shadingOf(draw);
  if (tile.boundDraw != shading) {
    warp.program = program;
    warp.registers = tile.registers;
    warp.resources = draw.fragment.resources;
    bindProgram(warp, draw.fragment.uniforms);
    tile.boundDraw = shading;
  }
  const kind = packer.kind;
  const pixels = kind == PACKER_PIXELS;
  const block = kind == PACKER_BLOCK || kind == PACKER_SAME;
  const groups = pixels ? (count + 3) >> 2 : count;
  warp.quadCount = groups;
  const quads = pixels ? 0 : program.quadsSlot;
  const flags = program.flags;
  const drawFlags = draw.flags;
  let lanes: i32;
  if (quads && flags & PROGRAM_FLAG_NO_MASKS) lanes = block ? 4 * WARP_QUADS : countLanes(tile, packer, count);
  // All pixels of a block are covered.
  else if (pixels || block) lanes = startPixels(warp, pixels ? count : 4 * WARP_QUADS);
  else
    lanes = startLanes(
      tile, packer, count, (flags & PROGRAM_FLAG_DERIVATIVES) != 0 && !(drawFlags & DRAW_FLAG_SURFACES)
    );
  // Only surface accesses and the late tests look at the killed lanes.
  if (drawFlags & DRAW_FLAG_SURFACES)
    killHelpers(changetype<usize>(warp), groups, (flags & PROGRAM_FLAG_DERIVATIVES) != 0);
  else if (drawFlags & DRAW_FLAG_LATE_DEPTH) memory.fill(warp.killed, 0, groups << 4);
  let status: i32;
  if (quads) {
    warp.packer = packer;
    status = call_indirect<i32>(quads, warp);
  } else {
    interpolateWarp(tile, packer);
    status = runWarp(warp);
  }
  if (status != STATUS_DONE) return status;
  countInvocations(tile, packer);
  const ended = endProgram(statistics, began);
  outputWarp(tile, packer);
  endOutput(statistics, ended);
  packer.count = 0;
  statistics.quadsShaded += block ? WARP_QUADS : groups;
  statistics.lanesShaded += lanes;
  statistics.warpsFragment += 1;
  return STATUS_DONE;
}

/**
 * Helpers access no surface: they count as killed from the start. The execution mask holds the covered lanes;
 * `helpers`: then all lanes.
 */
function killHelpers(warp: usize, groups: i32, helpers: bool): void {
  const end = warp + (groups << 4);
  for (let at = warp; at < end; at += 8) {
    store<u64>(changetype<Warp>(at).killed, ~load<u64>(changetype<Warp>(at).exec));
    if (helpers) store<u64>(changetype<Warp>(at).exec, -1);
  }
}

/** Sets the execution mask for single pixels; returns their number. */
function startPixels(warp: Warp, count: i32): i32 {
  let at = warp.exec;
  for (let rest = count; rest > 0; rest -= 4) {
    copyLanes(at, rest < 4 ? (1 << rest) - 1 : 15);
    at += 16;
  }
  return count;
}
