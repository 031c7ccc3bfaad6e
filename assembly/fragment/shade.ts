// One warp of quads or pixels from planes to the tile, in three steps: it is bound to its draw's stage, run, and handed
// over to output, which takes its entries in their order. One that cannot finish is put aside, and taken up again by
// who comes to one of its blocks, or needs the tile whole (layout/warp.ts).

import {
  Draw, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_ACCESSES, Packer, PACKER_BLOCK, PACKER_PIXELS, PACKER_SAME,
  PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAG_NO_MASKS, STAT_FLAG_STAGES, STATUS_DONE, STATUS_WAITS, Tile, Warp, WARP_ASIDE,
  WARP_FREE, WARP_QUADS, WARP_RUNNING,
} from '../layout';
import { outputWarp } from '../output/output';
import { blocksOf, holdEntries, oldestAside, takeWarp } from '../tile/warps';
import { endOutput, endProgram, startWarp } from '../warp/clock';
import { runQuads, runWarp } from '../warp/run';
import { bind, killHelpers, startPixels } from './bind';
import { countInvocations, countRun } from './counts';
import { interpolateWarp } from './interpolate';
import { countLanes, startLanes } from './lanes';
import { putSampleMasks } from './sample-masks';
import { shadeSets } from './sets';
import { runWaiting } from './waiting';

/**
 * Runs a packer's quads and empties it; nothing to do when it is empty. Returns STATUS_*. (The three steps are inlined
 * by order, as nobody else takes them: as calls they took teapots 1 % longer.)
 */
export function shadeWarp(tile: Tile, packer: Packer): i32 {
  if (!packer.count) return STATUS_DONE;
  if (tile.aside) {
    const status = takeUpBefore(tile, packer);
    if (status != STATUS_DONE) return status;
  }
  const draw = packer.draw;
  if (draw.sets) return shadeSets(tile, packer);
  const statistics = tile.pass.statistics;
  const began = startWarp(statistics);
  const warp = tile.warp;
  bind(tile, warp, draw);
  const status = run(tile, warp, packer, draw);
  if (status != STATUS_DONE) return status == STATUS_WAITS ? putAside(tile, packer) : status;
  handOver(tile, warp, packer, began);
  return STATUS_DONE;
}

/** Runs the stage's program on the entries of a packer. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
function run(tile: Tile, warp: Warp, packer: Packer, draw: Draw): i32 {
  const program = draw.fragment.program;
  const count = packer.count;
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
      tile, packer, count, (flags & PROGRAM_FLAG_DERIVATIVES) != 0 && !(drawFlags & DRAW_FLAG_ACCESSES)
    );
  // Only surface accesses and the late tests look at the killed lanes.
  if (drawFlags & DRAW_FLAG_ACCESSES)
    killHelpers(changetype<usize>(warp), groups, (flags & PROGRAM_FLAG_DERIVATIVES) != 0);
  else if (drawFlags & DRAW_FLAG_LATE_DEPTH) memory.fill(warp.killed, 0, groups << 4);
  warp.lanes = lanes;
  let status: i32;
  if (quads) {
    putSampleMasks(tile, packer);
    warp.packer = packer;
    status = runQuads(warp, quads);
  } else {
    interpolateWarp(tile, packer);
    status = runWarp(warp);
  }
  if (isDefined(TESTING)) if (status == STATUS_DONE && isMadeToWait(tile, packer)) return STATUS_WAITS;
  return status;
}

/**
 * Hands a warp's results over to what comes behind its stage, and empties the packer. All stages of pixels are the last
 * of their tables (Stage.next is 0): that is output.
 */
// @ts-ignore: decorator
@inline
function handOver(tile: Tile, warp: Warp, packer: Packer, began: f64): void {
  const statistics = tile.pass.statistics;
  countInvocations(tile, packer);
  const ended = endProgram(statistics, began);
  const kind = packer.kind;
  const quads = kind == PACKER_BLOCK || kind == PACKER_SAME ? WARP_QUADS : warp.quadCount;
  outputWarp(tile, packer);
  endOutput(statistics, ended);
  packer.count = 0;
  statistics.quadsShaded += quads;
  statistics.lanesShaded += warp.lanes;
  statistics.warpsFragment += 1;
  statistics.warpsDivided += packer.divided;
  if (statistics.flags & STAT_FLAG_STAGES) countRun(tile, packer.draw.fragment);
}

/**
 * Puts the tile's warp aside, with the packer's entries, and takes another. If there is none, the oldest of those put
 * aside is finished for that. Returns STATUS_*.
 */
function putAside(tile: Tile, packer: Packer): i32 {
  holdEntries(tile, packer);
  const free = takeWarp(tile);
  if (free) {
    tile.use(free);
    return STATUS_DONE;
  }
  const oldest = oldestAside(tile);
  tile.use(oldest);
  return takeUp(tile, oldest);
}

/**
 * Takes up all warps that were put aside, and runs the sets that wait: what the tile holds is whole then. Returns
 * STATUS_*.
 */
export function takeUpAll(tile: Tile): i32 {
  const status = runWaiting(tile);
  if (status != STATUS_DONE) return status;
  return tile.aside ? takeUpBefore(tile, changetype<Packer>(0)) : STATUS_DONE;
}

/**
 * Takes up the warps that were put aside and that a packer's must not overtake: in its blocks they come first, and
 * programs that access surfaces look at more than their blocks; 0: all. No two of them have an entry in the same block:
 * any order will do. Returns STATUS_*.
 */
function takeUpBefore(tile: Tile, packer: Packer): i32 {
  const all = !packer || (packer.draw.flags & DRAW_FLAG_ACCESSES) != 0;
  const blocks: u64 = all ? u64.MAX_VALUE : blocksOf(packer);
  const pool = tile.pool;
  const count = pool.count;
  for (let i: u32 = 0; i < count; i++) {
    const warp = pool.warp(i);
    if (warp.status != WARP_ASIDE) continue;
    let taken = (warp.blocks & blocks) != 0;
    if (isDefined(TESTING)) taken = taken || tile.pass.statistics.warpsFragment - warp.since >= pool.during;
    if (!taken) continue;
    const current = tile.warp;
    tile.use(warp);
    const status = takeUp(tile, warp);
    if (status != STATUS_DONE) return status;
    warp.status = WARP_FREE;
    tile.use(current);
  }
  return STATUS_DONE;
}

/**
 * Finishes a warp that was put aside, which is the tile's again. Returns STATUS_*. (Its program may not wait again: who
 * takes it up has nothing else to do.)
 */
function takeUp(tile: Tile, warp: Warp): i32 {
  const statistics = tile.pass.statistics;
  warp.status = WARP_RUNNING;
  tile.aside -= 1;
  if (statistics.warpsFragment != warp.since) statistics.warpsOvertaken += 1;
  return shadeWarp(tile, warp.entries);
}

/**
 * The testing build puts warps aside whose programs have finished: every so many of those whose results go to their own
 * blocks and depend on nothing but their entries.
 */
function isMadeToWait(tile: Tile, packer: Packer): bool {
  const pool = tile.pool;
  if (!pool.every || packer == tile.warp.entries || tile.warp == pool.pixels) return false;
  if (packer.draw.flags & (DRAW_FLAG_LATE_DEPTH | DRAW_FLAG_ACCESSES)) return false;
  pool.passed += 1;
  return pool.passed % pool.every == 0;
}
