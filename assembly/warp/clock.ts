// Times by part of the work, only where a pass's statistics ask for them: otherwise each transition is one load and one
// branch. The clock is read where one part goes over to another: the phases of a batch and of a tile. A warp is too
// short to read it three times (that made a full-screen fill 1.5 times as long), so one in eight is timed, and stands
// for the others of its part. It stands in the lowest room whose callers have transitions.
import { PART_RASTER, PART_SHADE, STAT_FLAG_TIMES, Statistics, WarpTimes } from '../layout';

/** Milliseconds, from the host; never less than before. */
// @ts-ignore: decorator
@external('host', 'now')
declare function now(): f64;

/** 2³² by the golden ratio: every eighth warp, without a period that a row of blocks might have. */
const GOLDEN: u32 = 0x9e3779b1;

/** Goes over to a part (PART_*) of the work that `statistics` (a STATISTICS record) measures. */
export function enterPart(statistics: Statistics, part: i32): void {
  if (statistics.flags & STAT_FLAG_TIMES) switchPart(statistics, part);
}

function switchPart(statistics: Statistics, part: i32): void {
  const before = statistics.part;
  if (part == before) return;
  const time = now();
  add(statistics.times + (before << 3), time - statistics.since);
  statistics.since = time;
  store<f64>(statistics.began + (part << 3), time);
  statistics.part = part;
}

function add(at: usize, amount: f64): void { store<f64>(at, load<f64>(at) + amount); }

// Of the part under way, PART_RASTER or PART_SHADE.
function warpTimes(statistics: Statistics): WarpTimes { return statistics.warpTimesOf(statistics.part - PART_RASTER); }

/** Before a fragment warp: the time if this one is timed, else a negative number. */
export function startWarp(statistics: Statistics): f64 {
  return statistics.flags & STAT_FLAG_TIMES ? chooseWarp(statistics) : -1;
}

function chooseWarp(statistics: Statistics): f64 {
  if (statistics.part != PART_RASTER && statistics.part != PART_SHADE) return -1;
  add(changetype<usize>(warpTimes(statistics)) + offsetof<WarpTimes>('run'), 1);
  if (statistics.warpsFragment * GOLDEN >> 29) return -1;
  add(changetype<usize>(warpTimes(statistics)) + offsetof<WarpTimes>('timed'), 1);
  return now();
}

/**
 * Between a timed warp's program and its output: notes what the program took since `since`; returns the time, or
 * `since` if it is negative.
 */
export function endProgram(statistics: Statistics, since: f64): f64 {
  return since < 0 ? since : note(statistics, offsetof<WarpTimes>('program'), since);
}

/** After a timed warp's output. */
export function endOutput(statistics: Statistics, since: f64): void {
  if (since >= 0) note(statistics, offsetof<WarpTimes>('output'), since);
}

function note(statistics: Statistics, field: usize, since: f64): f64 {
  const time = now();
  add(changetype<usize>(warpTimes(statistics)) + field, time - since);
  return time;
}
