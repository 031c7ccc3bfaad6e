// Runs one warp of quads or pixels in three steps: binds it to its draw call's stage, runs the shader, and hands the
// results to output, which processes the entries in order. A warp that cannot finish is parked. It is resumed when a
// later warp needs one of its blocks, or when the whole tile must be complete (layout/warp/warp.ts).

import {
  COMPARE_ALWAYS,
  Draw,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_ACCESSES,
  DRAW_FLAG_STENCIL,
  DRAW_FLAG_WRITES,
  Entry,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_QUADS,
  PACKER_UNIFORM_BLOCK,
  ParkedWarp,
  PROGRAM_FLAG_DERIVATIVES,
  PROGRAM_FLAG_NO_MASKS,
  sizeOf,
  STAT_FLAG_STAGES,
  STATUS_DONE,
  STATUS_PARKED,
  STATUS_TIMEOUT,
  STATUS_WAITS,
  Tile,
  TILE_PHASE_PARKED,
  Warp,
  WARP_QUADS,
} from '../layout';
import { repeatWords } from '../surface/texel-same';
import { compareOf, testsLate, writesDepth } from '../tile/early';
import { outputWarp } from '../output/output';
import { blocksOf, copyPacker } from '../tile/warps';
import { endOutput, endProgram, startWarp } from '../warp/clock';
import { runQuads, runWarp } from '../warp/run';
import {
  beginResumed,
  canOvertake,
  countParked,
  dropFirst,
  hazardBlocks,
  lacksParkingRoom,
  mustFollowParked,
  parkedLength,
  parkEntries,
  restoreResumed,
  saveState,
  splitFirst,
  stopsAt,
} from '../late/parked-warps';
import { discardParked, keepsProgress, takeAwaited } from '../late/states';
import { resumeStopped, runStopping } from '../late/stop';
import { bind, killHelpers, repeatLastPixel, startPixels } from './lanes/bind';
import { countInvocations, countRun } from './lanes/counts';
import { interpolateWarp } from './inputs/interpolate';
import { loadDrawState } from './draw-state';
import { countLanes, startLanes } from './lanes/lanes';
import { putSampleMasks } from './inputs/sample-masks';
import { shadeSets } from './sets/sets';
import { runWaiting } from './sets/waiting-sets';

/**
 * Runs a packer's quads and empties it. Does nothing if the packer is empty. Returns STATUS_*. The three steps are
 * inlined explicitly, as there is no other caller: as calls, they made teapots 1 % slower.
 */
export function shadeWarp(tile: Tile, packer: Packer): i32 {
  if (!packer.count) return STATUS_DONE;
  let follows = false;
  if (tile.parkedCount | tile.parks) {
    const status = resumeConflicting(tile, packer);
    follows = status == STATUS_WAITS;
    if (status != STATUS_DONE && !follows) return status;
  }
  const draw = packer.draw;
  if (draw.sets) return shadeSets(tile, packer);
  // Running it now would repeat its writes, or request pages before its turn.
  if (follows && (draw.flags & DRAW_FLAG_WRITES || tile.maxResumedEntries)) return park(tile, packer);
  const statistics = tile.pass.statistics;
  const began = startWarp(statistics);
  const warp = tile.warp;
  bind(tile, warp, draw);
  // Rare functions are called by index, which keeps their code out of this function.
  const status =
    tile.parks && tile.parked.hasStopped
      ? call_indirect<i32>(resumeShader.index, tile, warp, packer)
      : run(tile, warp, packer, draw);
  if (status != STATUS_DONE) return status == STATUS_WAITS ? park(tile, packer) : status;
  // The warp only ran to find the pages that it misses.
  if (follows) return park(tile, packer);
  if (tile.parks) if (warp.missedQuads) return handOverPart(tile, warp, packer, began);
  handOver(tile, warp, packer, began);
  return STATUS_DONE;
}

/** Continues the shader of the resumed warp. Returns STATUS_*, as `run`. */
function resumeShader(tile: Tile, warp: Warp, packer: Packer): i32 {
  const parked = tile.parked;
  restoreResumed(tile, warp);
  warp.lanes = countLanes(tile, packer, packer.count);
  return resumeStopped(warp, parked);
}

/** Runs the stage's shader on the entries of a packer. Returns STATUS_*, with STATUS_WAITS if they must be parked. */
// @ts-ignore: decorator
@inline
function run(tile: Tile, warp: Warp, packer: Packer, draw: Draw): i32 {
  const program = draw.fragment.program;
  const count = packer.count;
  const kind = packer.kind;
  const pixels = kind == PACKER_PIXELS;
  const block = kind == PACKER_BLOCK || kind == PACKER_UNIFORM_BLOCK;
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
      tile,
      packer,
      count,
      (flags & PROGRAM_FLAG_DERIVATIVES) != 0 && !(drawFlags & DRAW_FLAG_ACCESSES)
    );
  // Only surface accesses and late tests read the killed lanes.
  if (drawFlags & DRAW_FLAG_ACCESSES)
    killHelpers(changetype<usize>(warp), groups, (flags & PROGRAM_FLAG_DERIVATIVES) != 0);
  else if (drawFlags & DRAW_FLAG_LATE_DEPTH) repeatWords(warp.killed, 0, 0, groups << 4);
  warp.lanes = lanes;
  let status: i32;
  if (quads) {
    putSampleMasks(tile, packer);
    warp.packer = packer;
    status = runQuads(warp, quads);
  } else {
    interpolateWarp(tile, packer);
    if (pixels && tile.pool.misses) repeatLastPixel(warp, count);
    status =
      tile.parks && stopsAt(tile, draw) ? call_indirect<i32>(runStopping.index, warp, tile.parked) : runWarp(warp);
  }
  if (tile.parks) if (mayHaveMissed(tile, status)) if (missed(tile, draw)) return STATUS_WAITS;
  if (status != STATUS_DONE) return status;
  if (isDefined(TESTING)) if (isParkedByTest(tile, draw)) return STATUS_WAITS;
  return STATUS_DONE;
}

/**
 * Hands a warp's results to the next stage and empties the packer. All pixel stages are the last of their tables
 * (Stage.next is 0), so the next stage is output.
 */
// @ts-ignore: decorator
@inline
function handOver(tile: Tile, warp: Warp, packer: Packer, began: f64): void {
  const statistics = tile.pass.statistics;
  countInvocations(tile, packer);
  const ended = endProgram(statistics, began);
  const kind = packer.kind;
  const quads = kind == PACKER_BLOCK || kind == PACKER_UNIFORM_BLOCK ? WARP_QUADS : warp.quadCount;
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
 * Whether a shader that returned `status` may have read a non-resident page. STATUS_TIMEOUT counts too: on zeros, a
 * loop may not terminate.
 */
function mayHaveMissed(tile: Tile, status: i32): bool {
  return status == STATUS_DONE || status == STATUS_WAITS || (status == STATUS_TIMEOUT && keepsProgress(tile));
}

/** Hands over the quads of a warp that missed no page and parks the others. Returns STATUS_*. */
function handOverPart(tile: Tile, warp: Warp, packer: Packer, began: f64): i32 {
  const late = warp.missedQuads;
  warp.missedQuads = 0;
  const count = packer.count;
  if (<i32>popcnt(late) == count) return park(tile, packer);
  // Part of a block is no longer a whole block, so the packer holds quads.
  if (packer.kind == PACKER_BLOCK) packer.kind = PACKER_QUADS;
  const rest = tile.parked.rest;
  rest.draw = packer.draw;
  rest.kind = packer.kind;
  rest.divided = packer.divided;
  rest.count = 0;
  for (let i = 0; i < count; i++) {
    if (!((late >> i) & 1)) continue;
    const entry = packer.entry(i);
    memory.copy(changetype<usize>(rest.entry(rest.count++)), changetype<usize>(entry), sizeOf<Entry>());
    entry.mask = 0;
  }
  const statistics = tile.pass.statistics;
  statistics.lanesShaded += countLanes(tile, packer, count);
  statistics.quadsShaded += count - rest.count;
  countInvocations(tile, packer);
  const ended = endProgram(statistics, began);
  outputWarp(tile, packer);
  endOutput(statistics, ended);
  // The warp is counted when its last quads finish.
  copyPacker(packer, rest);
  return park(tile, packer);
}

/**
 * Prepares a packer's warp: resumes the parked warps that it must not overtake. These have entries in its blocks or, if
 * the shader accesses surfaces, anywhere. Returns STATUS_*, with STATUS_WAITS if some of them still wait for pages and
 * this warp can wait too.
 */
function resumeConflicting(tile: Tile, packer: Packer): i32 {
  // A warp that cannot be parked has missed a page, so the tile must be replayed.
  if (tile.parks) if (tile.pool.misses.waits) markForReplay(tile);
  if (!tile.parkedCount) return STATUS_DONE;
  if (tile.maxResumedEntries) return STATUS_WAITS;
  const draw = packer.draw;
  const blocks: u64 = draw.flags & DRAW_FLAG_ACCESSES && !keepsProgress(tile) ? u64.MAX_VALUE : blocksOf(packer);
  if (keepsProgress(tile) && !mustFollowParked(tile, packer, blocks)) return STATUS_DONE;
  let isDue = (hazardBlocks(tile, draw) & blocks) != 0;
  if (isDefined(TESTING)) isDue = isDue || tile.pool.during != 0;
  if (!isDue) return STATUS_DONE;
  const status = resume(tile, blocks);
  if (status != STATUS_DONE || !(hazardBlocks(tile, draw) & blocks)) return status;
  if (keepsProgress(tile) && !mustFollowParked(tile, packer, blocks)) return STATUS_DONE;
  if (canPark(tile, draw)) return STATUS_WAITS;
  markForReplay(tile);
  return STATUS_DONE;
}

/**
 * Whether a draw call's warps can be parked. Their results must go to their own blocks. They must depend on nothing but
 * their entries, or on contents that later warps need not wait for. A tile that keeps its state (Misses.keepsProgress)
 * can always park, as it stalls where more would matter.
 */
function canPark(tile: Tile, draw: Draw): bool {
  if (draw.sets || tile.warp != tile.pool.first) return false;
  if (keepsProgress(tile)) return true;
  if (draw.flags & (DRAW_FLAG_ACCESSES | DRAW_FLAG_WRITES)) return false;
  return !(draw.flags & DRAW_FLAG_LATE_DEPTH) || canOvertake(draw) || !dependsOnLateTests(tile, draw);
}

/**
 * Marks the tile for a replay from its beginning. The current run continues, to find the other pages that it misses.
 */
function markForReplay(tile: Tile): void {
  discardParked(tile);
  tile.parks = 0;
  tile.pool.misses.waits = 1;
}

/** Whether a warp has missed a page and must run again. */
function missed(tile: Tile, draw: Draw): bool {
  const misses = tile.pool.misses;
  if (!misses.waits || !canPark(tile, draw)) return false;
  misses.waits = 0;
  return true;
}

/**
 * Parks a packer's entries. If there is no room, other warps are resumed first; if that makes no room either, the tile
 * is marked for a replay. Returns STATUS_*.
 */
function park(tile: Tile, packer: Packer): i32 {
  // A resumed warp keeps its slot.
  if (tile.parked.resumedWarp || parkEntries(tile, packer)) return STATUS_DONE;
  const status = resume(tile, u64.MAX_VALUE);
  if (status != STATUS_DONE || parkEntries(tile, packer)) return status;
  markForReplay(tile);
  packer.count = 0;
  return STATUS_DONE;
}

/**
 * Resumes all parked warps and runs waiting sets. Afterwards the tile's contents are complete, unless some warps still
 * wait for pages. Returns STATUS_*.
 */
export function resumeAll(tile: Tile): i32 {
  const status = runWaiting(tile);
  if (status != STATUS_DONE || !tile.parkedCount) return status;
  return tile.parks && tile.pool.hasMissed ? STATUS_DONE : resume(tile, u64.MAX_VALUE);
}

/**
 * Makes room for the next triangle's warps before the walk of a tile that keeps its state continues. Returns STATUS_*,
 * with STATUS_PARKED if the walk cannot continue until pages arrive.
 */
export function makeParkingRoom(tile: Tile): i32 {
  if (!keepsProgress(tile) || !mustResumeFirst(tile)) return STATUS_DONE;
  const status = resume(tile, u64.MAX_VALUE);
  return status == STATUS_DONE && mustResumeFirst(tile) ? stall(tile) : status;
}

/**
 * Whether parked warps must run before the next triangle: for room, or because warps run one by one
 * (Tile.maxResumedEntries).
 */
function mustResumeFirst(tile: Tile): bool {
  return lacksParkingRoom(tile) || (tile.maxResumedEntries != 0 && tile.parkedCount != 0);
}

/**
 * Resumes warps that test depth or stencil after their shader, before the walk starts another draw call. This is not
 * needed if the draw call also tests late and may overtake them. If they cannot finish, a tile that keeps its state
 * stalls, and another tile is marked for a replay. Returns STATUS_*, as makeParkingRoom.
 */
export function awaitLateTests(tile: Tile, draw: Draw): i32 {
  if (!mustAwaitLateTests(tile, draw)) return STATUS_DONE;
  const status = resume(tile, u64.MAX_VALUE);
  if (status != STATUS_DONE || !mustAwaitLateTests(tile, draw)) return status;
  if (keepsProgress(tile)) return stall(tile);
  markForReplay(tile);
  return STATUS_DONE;
}

function stall(tile: Tile): i32 {
  tile.stalls = 1;
  return STATUS_PARKED;
}

/** Whether the draw call must wait for parked warps that test depth or stencil after their shader. */
function mustAwaitLateTests(tile: Tile, draw: Draw): bool {
  const parked = tile.parked;
  const passes = canOvertake(draw) && testsLate(draw);
  for (let at = parked.past, end = at + parked.taken; at < end; at += changetype<ParkedWarp>(at).length) {
    const warp = changetype<ParkedWarp>(at);
    if ((warp.ordered || !passes) && dependsOnLateTests(tile, warp.packer.draw)) return true;
  }
  return false;
}

/** Whether a draw call tests after its shader, with a result that depends on stored depth or stencil or changes it. */
function dependsOnLateTests(tile: Tile, draw: Draw): bool {
  return (
    testsLate(draw)
    && (compareOf(tile, draw) != COMPARE_ALWAYS || writesDepth(tile, draw) || (draw.flags & DRAW_FLAG_STENCIL) != 0)
  );
}

/** Resumes the parked warps of a stalled tile. Returns STATUS_*. */
export function endStall(tile: Tile): i32 {
  const status = resumeAll(tile);
  tile.stalls = 0;
  return status;
}

/**
 * resumeAll for callers that cannot wait: if parked warps remain, the tile is marked for a replay. Returns STATUS_*.
 */
export function resumeAllOrReplay(tile: Tile): i32 {
  const status = resumeAll(tile);
  if (status == STATUS_DONE && tile.parkedCount) markForReplay(tile);
  return status;
}

/**
 * Resumes the parked warps that have entries in some blocks and whose pages are resident, in order. None overtakes
 * another in its own blocks, unless both may overtake. Returns STATUS_*.
 */
function resume(tile: Tile, blocks: u64): i32 {
  if (tile.maxResumedEntries) return resumeFirst(tile);
  const parked = tile.parked;
  const end = parked.past + parked.taken;
  let status: i32 = STATUS_DONE;
  let to = parked.past;
  let held: u64 = 0;
  let ordered: u64 = 0;
  let left: u32 = 0;
  // A resumed warp must not resume others.
  tile.parkedCount = 0;
  for (let at = parked.past; at < end;) {
    const warp = changetype<ParkedWarp>(at);
    const next = at + warp.length;
    const behind = warp.ordered ? held : ordered;
    const taken = status == STATUS_DONE && shouldResume(tile, warp, blocks) && !(warp.blocks & behind);
    if (taken) status = runResumed(tile, warp);
    if (!taken || parked.packer.count) {
      const bytes = warp.length;
      held |= warp.blocks;
      if (warp.ordered) ordered |= warp.blocks;
      left += 1;
      if (to != at) memory.copy(to, at, bytes);
      to += bytes;
    }
    at = next;
  }
  parked.blocks = held;
  parked.ordered = ordered;
  parked.taken = <u32>(to - parked.past);
  tile.parkedCount = left;
  return status;
}

/**
 * Resumes the first parked warp, or a part of it (Tile.maxResumedEntries), then the next, and stops at one that misses
 * a page. So only that warp's pages are requested. Returns STATUS_*.
 */
function resumeFirst(tile: Tile): i32 {
  const parked = tile.parked;
  let status: i32 = STATUS_DONE;
  while (parked.taken && status == STATUS_DONE) {
    const warp = changetype<ParkedWarp>(parked.past);
    if (!shouldResume(tile, warp, u64.MAX_VALUE)) break;
    splitFirst(tile, tile.maxResumedEntries);
    const length = warp.length;
    tile.parkedCount = 0;
    status = runResumed(tile, warp);
    const left = parked.packer.count != 0;
    dropFirst(tile, left ? length - warp.length : length, left ? warp.length : 0);
    if (left) break;
    tile.warpsCompleted += 1;
  }
  countParked(tile);
  return status;
}

/** Whether a parked warp should run again now. */
function shouldResume(tile: Tile, warp: ParkedWarp, blocks: u64): bool {
  let taken = (warp.blocks & blocks) != 0;
  if (isDefined(TESTING)) {
    const during = tile.pool.during;
    taken = taken || (during != 0 && tile.pass.statistics.warpsFragment - warp.since >= during);
  }
  // A tile continues when all pages that it has recorded are resident. A page that was not recorded is recorded now,
  // when its warp runs again.
  return taken && (!warp.page || warp.page.page != 0 || tile.phase == TILE_PHASE_PARKED || tile.stalls != 0);
}

/**
 * Runs a parked warp again from ParkedWarps.packer, which is empty afterwards if the warp finished. Returns STATUS_*.
 */
function runResumed(tile: Tile, warp: ParkedWarp): i32 {
  const packer = tile.parked.packer;
  const statistics = tile.pass.statistics;
  const before = statistics.warpsFragment;
  const walked = tile.draw;
  copyPacker(packer, warp.packer);
  beginResumed(tile, warp);
  statistics.warpsReplayed += 1;
  // Late tests use the state of the warp's own draw call.
  const tests = (packer.draw.flags & DRAW_FLAG_LATE_DEPTH) != 0 && packer.draw != walked;
  if (tests) loadDrawState(tile, packer.draw);
  const status = shadeWarp(tile, packer);
  tile.parked.resumedWarp = changetype<ParkedWarp>(0);
  if (tests) loadDrawState(tile, walked);
  if (packer.count) keepParked(tile, warp, packer);
  else if (before != warp.since) statistics.warpsOvertaken += 1;
  return status;
}

/** Updates the record of a resumed warp if some or all of its quads still wait. */
function keepParked(tile: Tile, warp: ParkedWarp, packer: Packer): void {
  copyPacker(warp.packer, packer);
  warp.blocks = blocksOf(packer);
  warp.page = takeAwaited(tile);
  warp.length = parkedLength(tile, packer);
  saveState(tile, warp);
}

/** Testing build: parks every n-th warp that can wait (WarpPool.every), although its shader has finished. */
function isParkedByTest(tile: Tile, draw: Draw): bool {
  const pool = tile.pool;
  if (!pool.every || tile.parked.resumedWarp || !canPark(tile, draw)) return false;
  pool.passed += 1;
  return pool.passed % pool.every == 0;
}
