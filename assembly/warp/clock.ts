// Measures times by part of the work, if a pass's statistics request them; otherwise each transition is one load and
// one branch. The clock is read at transitions between parts: the phases of a batch and of a tile. A warp is too short
// for three readings (a full-screen fill took 1.5 times as long), so one in eight is timed and represents the others of
// its part. This file is in the lowest folder with such transitions.
import { PART_RASTER, PART_SHADE, STAT_FLAG_TIMES, Statistics, WarpTimes } from '../layout';

/** Milliseconds, from the host. Monotonic. */
// @ts-ignore: decorator
@external('host', 'now')
declare function now(): f64;

/**
 * About 2³² divided by the golden ratio: selects every eighth warp without a period that could match a row of blocks.
 */
const GOLDEN: u32 = 0x9e3779b1;

/** Starts a part (PART_*) of the work that `statistics` (a STATISTICS record) measures. */
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

function add(at: usize, amount: f64): void {
  store<f64>(at, load<f64>(at) + amount);
}

// Times of the current part, PART_RASTER or PART_SHADE.
function warpTimes(statistics: Statistics): WarpTimes {
  return statistics.warpTimesOf(statistics.part - PART_RASTER);
}

/** Called before a fragment warp. Returns the time if this warp is timed, else a negative number. */
export function startWarp(statistics: Statistics): f64 {
  return statistics.flags & STAT_FLAG_TIMES ? chooseWarp(statistics) : -1;
}

function chooseWarp(statistics: Statistics): f64 {
  if (statistics.part != PART_RASTER && statistics.part != PART_SHADE) return -1;
  add(changetype<usize>(warpTimes(statistics)) + offsetof<WarpTimes>('run'), 1);
  if ((statistics.warpsFragment * GOLDEN) >> 29) return -1;
  add(changetype<usize>(warpTimes(statistics)) + offsetof<WarpTimes>('timed'), 1);
  return now();
}

/**
 * Called between a timed warp's shader and its output: records the shader's time since `since`. Returns the current
 * time, or `since` if it is negative.
 */
export function endProgram(statistics: Statistics, since: f64): f64 {
  return since < 0 ? since : note(statistics, offsetof<WarpTimes>('program'), since);
}

/** Called after a timed warp's output. */
export function endOutput(statistics: Statistics, since: f64): void {
  if (since >= 0) note(statistics, offsetof<WarpTimes>('output'), since);
}

function note(statistics: Statistics, field: usize, since: f64): f64 {
  const time = now();
  add(changetype<usize>(warpTimes(statistics)) + field, time - since);
  return time;
}
