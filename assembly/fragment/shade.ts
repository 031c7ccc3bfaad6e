// One warp of quads or pixels from planes to the tile, in three steps: it is bound to its draw's stage, run, and handed
// over to output, which takes its entries in their order. One that cannot finish is put aside, and taken up again by
// who comes to one of its blocks, or needs the tile whole (layout/warp.ts).

import {
  COMPARE_ALWAYS, Draw, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_ACCESSES, DRAW_FLAG_STENCIL, DRAW_FLAG_WRITES, Entry, Packer,
  PACKER_BLOCK, PACKER_PIXELS, PACKER_SAME, ParkedWarp, PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAG_NO_MASKS, sizeOf,
  STAT_FLAG_STAGES, STATUS_DONE, STATUS_PARKED, STATUS_TIMEOUT, STATUS_WAITS, Tile, TILE_PHASE_PARKED, Warp, WARP_QUADS,
} from '../layout';
import { compareOf, testsLate, writesDepth } from '../output/early';
import { outputWarp } from '../output/output';
import { blocksOf, copyPacker, forgetParked, keeps, takeAwaited } from '../tile/warps';
import { endOutput, endProgram, startWarp } from '../warp/clock';
import { runQuads, runWarp } from '../warp/run';
import { goOn, runStopping } from '../warp/stop';
import {
  countParked, dropFirst, heldFor, isBehind, isShort, keepStopped, overtakes, parkedLength, parkEntries, restoreAgain,
  splitFirst, stopsAt,
} from './aside';
import { bind, killHelpers, repeatLastPixel, startPixels } from './bind';
import { countInvocations, countRun } from './counts';
import { interpolateWarp } from './interpolate';
import { takeState } from './draw-state';
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
  let follows = false;
  if (tile.aside | tile.parks) {
    const status = beginTurn(tile, packer);
    follows = status == STATUS_WAITS;
    if (status != STATUS_DONE && !follows) return status;
  }
  const draw = packer.draw;
  if (draw.sets) return shadeSets(tile, packer);
  // It would write what it writes twice, or ask for pages before its turn.
  if (follows && (draw.flags & DRAW_FLAG_WRITES || tile.narrow)) return putAside(tile, packer);
  const statistics = tile.pass.statistics;
  const began = startWarp(statistics);
  const warp = tile.warp;
  bind(tile, warp, draw);
  // Called by their indices, what is rare stays out of this function's code.
  const status = tile.parks && hasStopped(tile) ? call_indirect<i32>(runOn.index, tile, warp, packer)
    : run(tile, warp, packer, draw);
  if (status != STATUS_DONE) return status == STATUS_WAITS ? putAside(tile, packer) : status;
  // It was run for what it misses.
  if (follows) return putAside(tile, packer);
  if (tile.parks) if (warp.lateQuads) return handOverPart(tile, warp, packer, began);
  handOver(tile, warp, packer, began);
  return STATUS_DONE;
}

/** Whether the warp that is taken up has stopped in its program. */
function hasStopped(tile: Tile): bool {
  const again = tile.parked.again;
  return changetype<usize>(again) != 0 && again.stopped != 0;
}

/** Goes on with that warp's program. Returns STATUS_*, as `run`. */
function runOn(tile: Tile, warp: Warp, packer: Packer): i32 {
  const parked = tile.parked;
  restoreAgain(tile, warp);
  warp.lanes = countLanes(tile, packer, packer.count);
  return goOn(warp, parked);
}

/** Runs the stage's program on the entries of a packer. Returns STATUS_*: STATUS_WAITS, if they are to be put aside. */
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
    if (pixels && tile.pool.misses) repeatLastPixel(warp, count);
    status = tile.parks && stopsAt(tile, draw) ? call_indirect<i32>(runStopping.index, warp, tile.parked)
      : runWarp(warp);
  }
  if (tile.parks) if (mayHaveMissed(tile, status)) if (missed(tile, draw)) return STATUS_WAITS;
  if (status != STATUS_DONE) return status;
  if (isDefined(TESTING)) if (isMadeToWait(tile, draw)) return STATUS_WAITS;
  return STATUS_DONE;
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

/** Whether a program that has ended so may have read what is not there: on zeros, a loop may have no end. */
function mayHaveMissed(tile: Tile, status: i32): bool {
  return status == STATUS_DONE || status == STATUS_WAITS || (status == STATUS_TIMEOUT && keeps(tile));
}

/** Hands over the quads of a warp that have missed no page, and puts the others aside. Returns STATUS_*. */
function handOverPart(tile: Tile, warp: Warp, packer: Packer, began: f64): i32 {
  const late = warp.lateQuads;
  warp.lateQuads = 0;
  const count = packer.count;
  if (<i32>popcnt(late) == count) return putAside(tile, packer);
  const rest = tile.parked.rest;
  rest.draw = packer.draw;
  rest.kind = packer.kind;
  rest.divided = packer.divided;
  rest.count = 0;
  for (let i = 0; i < count; i++) {
    if (!(late >> i & 1)) continue;
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
  // The warp is counted with its last quads.
  copyPacker(packer, rest);
  return putAside(tile, packer);
}

/**
 * What comes before a packer's warp: those that were put aside and that it must not overtake, in its blocks, or, of
 * programs that access surfaces, anywhere. Returns STATUS_*: STATUS_WAITS, when some of them still wait, and it can.
 */
function beginTurn(tile: Tile, packer: Packer): i32 {
  // What cannot be put aside has missed a page.
  if (tile.parks) if (tile.pool.misses.waits) giveUp(tile);
  if (!tile.aside) return STATUS_DONE;
  if (tile.narrow) return STATUS_WAITS;
  const draw = packer.draw;
  const blocks: u64 = draw.flags & DRAW_FLAG_ACCESSES && !keeps(tile) ? u64.MAX_VALUE : blocksOf(packer);
  if (keeps(tile) && !isBehind(tile, packer, blocks)) return STATUS_DONE;
  let isDue = (heldFor(tile, draw) & blocks) != 0;
  if (isDefined(TESTING)) isDue = isDue || tile.pool.during != 0;
  if (!isDue) return STATUS_DONE;
  const status = takeUp(tile, blocks);
  if (status != STATUS_DONE || !(heldFor(tile, draw) & blocks)) return status;
  if (keeps(tile) && !isBehind(tile, packer, blocks)) return STATUS_DONE;
  if (canWait(tile, draw)) return STATUS_WAITS;
  giveUp(tile);
  return STATUS_DONE;
}

/**
 * Whether a draw's results go to their own blocks, and depend on nothing but its entries, or on what others find there
 * that need not follow it; or its tile goes no further where they would depend on more.
 */
function canWait(tile: Tile, draw: Draw): bool {
  if (draw.sets || tile.warp != tile.pool.first) return false;
  if (keeps(tile)) return true;
  if (draw.flags & (DRAW_FLAG_ACCESSES | DRAW_FLAG_WRITES)) return false;
  return !(draw.flags & DRAW_FLAG_LATE_DEPTH) || overtakes(draw) || !changesTests(tile, draw);
}

/** The tile is run again from its beginning: it goes on for what else it misses. */
function giveUp(tile: Tile): void {
  forgetParked(tile);
  tile.parks = 0;
  tile.pool.misses.waits = 1;
}

/** Whether a warp that was run has to be run again, since it has missed a page. */
function missed(tile: Tile, draw: Draw): bool {
  const misses = tile.pool.misses;
  if (!misses.waits || !canWait(tile, draw)) return false;
  misses.waits = 0;
  return true;
}

/**
 * Puts a packer's entries aside. Where there is no room, others are taken up for it, or, if they cannot be, the tile is
 * given up. Returns STATUS_*.
 */
function putAside(tile: Tile, packer: Packer): i32 {
  // What is taken up stays where it is.
  if (tile.parked.runs || parkEntries(tile, packer)) return STATUS_DONE;
  const status = takeUp(tile, u64.MAX_VALUE);
  if (status != STATUS_DONE || parkEntries(tile, packer)) return status;
  giveUp(tile);
  packer.count = 0;
  return STATUS_DONE;
}

/**
 * Takes up all warps that were put aside, and runs the sets that wait: unless some wait for pages, what the tile holds
 * is whole then. Returns STATUS_*.
 */
export function takeUpAll(tile: Tile): i32 {
  const status = runWaiting(tile);
  if (status != STATUS_DONE || !tile.aside) return status;
  return tile.parks && tile.pool.hasMissed ? STATUS_DONE : takeUp(tile, u64.MAX_VALUE);
}

/**
 * Before the walk of a tile that keeps what it has done goes on: whether there is room for what comes of a triangle.
 * Returns STATUS_*: STATUS_PARKED, if it cannot go on before pages come.
 */
export function awaitRoom(tile: Tile): i32 {
  if (!keeps(tile) || !mustWait(tile)) return STATUS_DONE;
  const status = takeUp(tile, u64.MAX_VALUE);
  return status == STATUS_DONE && mustWait(tile) ? stall(tile) : status;
}

/** Whether warps that were put aside come before the next triangle: for room, or since they go one by one. */
function mustWait(tile: Tile): bool { return isShort(tile) || (tile.narrow != 0 && tile.aside != 0); }

/**
 * Before the walk comes to another draw: warps that test depth or stencil behind their program have to be taken up,
 * unless the draw does so, too, and may overtake them. Where they cannot be, a tile that keeps what it has done goes no
 * further, and others are given up. Returns STATUS_*, likewise.
 */
export function awaitTests(tile: Tile, draw: Draw): i32 {
  if (!holdsTests(tile, draw)) return STATUS_DONE;
  const status = takeUp(tile, u64.MAX_VALUE);
  if (status != STATUS_DONE || !holdsTests(tile, draw)) return status;
  if (keeps(tile)) return stall(tile);
  giveUp(tile);
  return STATUS_DONE;
}

function stall(tile: Tile): i32 {
  tile.stalls = 1;
  return STATUS_PARKED;
}

/** Whether the draw has to wait for warps that test depth or stencil when they are handed over. */
function holdsTests(tile: Tile, draw: Draw): bool {
  const parked = tile.parked;
  const passes = overtakes(draw) && testsLate(draw);
  for (let at = parked.past, end = at + parked.taken; at < end; at += changetype<ParkedWarp>(at).length) {
    const warp = changetype<ParkedWarp>(at);
    if ((warp.ordered || !passes) && changesTests(tile, warp.packer.draw)) return true;
  }
  return false;
}

/** Whether what a draw tests, or leaves for others to test, is found behind its program. */
function changesTests(tile: Tile, draw: Draw): bool {
  return testsLate(draw) && (compareOf(tile, draw) != COMPARE_ALWAYS || writesDepth(tile, draw)
    || (draw.flags & DRAW_FLAG_STENCIL) != 0);
}

/** A tile that has stopped goes on: those that were put aside have their turn. Returns STATUS_*. */
export function endStall(tile: Tile): i32 {
  const status = takeUpAll(tile);
  tile.stalls = 0;
  return status;
}

/** The same as takeUpAll for who cannot wait for any of them: none is left. Returns STATUS_*. */
export function takeUpOthers(tile: Tile): i32 {
  const status = takeUpAll(tile);
  if (status == STATUS_DONE && tile.aside) giveUp(tile);
  return status;
}

/**
 * Takes up those of the warps that were put aside that have entries in some blocks, if their pages are there, in their
 * order: none overtakes another in its own blocks, unless both may. Returns STATUS_*.
 */
function takeUp(tile: Tile, blocks: u64): i32 {
  if (tile.narrow) return takeUpFirst(tile);
  const parked = tile.parked;
  const end = parked.past + parked.taken;
  let status: i32 = STATUS_DONE;
  let to = parked.past;
  let held: u64 = 0;
  let ordered: u64 = 0;
  let left: u32 = 0;
  // Who is taken up looks for no others.
  tile.aside = 0;
  parked.runs = 1;
  for (let at = parked.past; at < end;) {
    const warp = changetype<ParkedWarp>(at);
    const next = at + warp.length;
    const behind = warp.ordered ? held : ordered;
    const taken = status == STATUS_DONE && isTaken(tile, warp, blocks) && !(warp.blocks & behind);
    if (taken) status = runAgain(tile, warp);
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
  parked.runs = 0;
  parked.blocks = held;
  parked.ordered = ordered;
  parked.taken = <u32>(to - parked.past);
  tile.aside = left;
  return status;
}

/**
 * Takes up the first of the warps that were put aside, or a part of it (Tile.narrow), then the next one, up to one that
 * misses a page: so nothing but this one's pages are asked for. Returns STATUS_*.
 */
function takeUpFirst(tile: Tile): i32 {
  const parked = tile.parked;
  let status: i32 = STATUS_DONE;
  parked.runs = 1;
  while (parked.taken && status == STATUS_DONE) {
    const warp = changetype<ParkedWarp>(parked.past);
    if (!isTaken(tile, warp, u64.MAX_VALUE)) break;
    splitFirst(tile, tile.narrow);
    const length = warp.length;
    tile.aside = 0;
    status = runAgain(tile, warp);
    const left = parked.packer.count != 0;
    dropFirst(tile, left ? length - warp.length : length, left ? warp.length : 0);
    if (left) break;
    tile.served += 1;
  }
  parked.runs = 0;
  countParked(tile);
  return status;
}

/** Whether a warp that was put aside is to be run again now. */
function isTaken(tile: Tile, warp: ParkedWarp, blocks: u64): bool {
  let taken = (warp.blocks & blocks) != 0;
  if (isDefined(TESTING)) {
    const during = tile.pool.during;
    taken = taken || (during != 0 && tile.pass.statistics.warpsFragment - warp.since >= during);
  }
  // A tile goes on when all is there that it has noted: what was not noted is, now.
  return taken && (!warp.page || warp.page.page != 0 || tile.phase == TILE_PHASE_PARKED || tile.stalls != 0);
}

/** Runs a warp again that was put aside, from ParkedWarps.packer, which is empty if it is done. Returns STATUS_*. */
function runAgain(tile: Tile, warp: ParkedWarp): i32 {
  const packer = tile.parked.packer;
  const statistics = tile.pass.statistics;
  const before = statistics.warpsFragment;
  const walked = tile.draw;
  copyPacker(packer, warp.packer);
  tile.parked.again = warp;
  statistics.warpsReplayed += 1;
  // Tests behind the program are its own draw's.
  const tests = (packer.draw.flags & DRAW_FLAG_LATE_DEPTH) != 0 && packer.draw != walked;
  if (tests) takeState(tile, packer.draw);
  const status = shadeWarp(tile, packer);
  tile.parked.again = changetype<ParkedWarp>(0);
  if (tests) takeState(tile, walked);
  if (packer.count) stayAside(tile, warp, packer);
  else if (before != warp.since) statistics.warpsOvertaken += 1;
  return status;
}

/** Some quads of a warp that was run again, or all of them, still wait. */
function stayAside(tile: Tile, warp: ParkedWarp, packer: Packer): void {
  copyPacker(warp.packer, packer);
  warp.blocks = blocksOf(packer);
  warp.page = takeAwaited(tile);
  warp.length = parkedLength(tile, packer);
  keepStopped(tile, warp);
}

/** The testing build puts warps aside whose programs have finished: every so many of those that can wait. */
function isMadeToWait(tile: Tile, draw: Draw): bool {
  const pool = tile.pool;
  if (!pool.every || tile.parked.runs || !canWait(tile, draw)) return false;
  pool.passed += 1;
  return pool.passed % pool.every == 0;
}
