// Times by part of the work, only where a pass's statistics ask for them: otherwise each transition is one load and one branch.
// The clock is read where one part goes over to another: the phases of a batch and of a tile. A warp is too short to read it three times
// (that made a full-screen fill 1.5 times as long), so one in eight is timed, and stands for the others of its part.
// It stands in the lowest room whose callers have transitions.
import {
  PART_RASTER, PART_SHADE, STAT_FLAG_TIMES, STAT_FLAGS, STAT_PART, STAT_SINCE, STAT_TIMES, STAT_WARP_TIMES, STAT_WARPS_FRAGMENT, WARP_TIMES_BYTES,
  WARP_TIMES_OUTPUT, WARP_TIMES_PROGRAM, WARP_TIMES_RUN, WARP_TIMES_TIMED,
} from '../layout/pass';

/** Milliseconds, from the host; never less than before. */
// @ts-ignore: decorator
@external('host', 'now')
declare function now(): f64;

/** 2³² by the golden ratio: every eighth warp, without a period that a row of blocks might have. */
const GOLDEN: u32 = 0x9e3779b1;

/** Goes over to a part (PART_*) of the work that `statistics` (a STATISTICS record) measures. */
// @ts-ignore: decorator
@inline
export function enterPart(statistics: usize, part: i32): void {
  if (load<u32>(statistics, STAT_FLAGS) & STAT_FLAG_TIMES) switchPart(statistics, part);
}

function switchPart(statistics: usize, part: i32): void {
  const before = load<i32>(statistics, STAT_PART);
  if (part == before) return;
  const time = now();
  add(statistics + STAT_TIMES + (<usize>before << 3), time - load<f64>(statistics, STAT_SINCE));
  store<f64>(statistics, time, STAT_SINCE);
  store<i32>(statistics, part, STAT_PART);
}

// @ts-ignore: decorator
@inline
function add(at: usize, amount: f64): void { store<f64>(at, load<f64>(at) + amount); }

// Of the part under way, PART_RASTER or PART_SHADE.
// @ts-ignore: decorator
@inline
function warpTimes(statistics: usize): usize { return statistics + STAT_WARP_TIMES + <usize>((load<i32>(statistics, STAT_PART) - PART_RASTER) * WARP_TIMES_BYTES); }

/** Before a fragment warp: the time if this one is timed, else a negative number. */
// @ts-ignore: decorator
@inline
export function startWarp(statistics: usize): f64 { return load<u32>(statistics, STAT_FLAGS) & STAT_FLAG_TIMES ? chooseWarp(statistics) : -1; }

function chooseWarp(statistics: usize): f64 {
  if (load<i32>(statistics, STAT_PART) != PART_RASTER && load<i32>(statistics, STAT_PART) != PART_SHADE) return -1;
  add(warpTimes(statistics) + WARP_TIMES_RUN, 1);
  if (load<u32>(statistics, STAT_WARPS_FRAGMENT) * GOLDEN >> 29) return -1;
  add(warpTimes(statistics) + WARP_TIMES_TIMED, 1);
  return now();
}

/** Between a timed warp's program and its output: notes what the program took since `since`; returns the time, or `since` if it is negative. */
// @ts-ignore: decorator
@inline
export function endProgram(statistics: usize, since: f64): f64 { return since < 0 ? since : note(statistics, WARP_TIMES_PROGRAM, since); }

/** After a timed warp's output. */
// @ts-ignore: decorator
@inline
export function endOutput(statistics: usize, since: f64): void { if (since >= 0) note(statistics, WARP_TIMES_OUTPUT, since); }

function note(statistics: usize, field: usize, since: f64): f64 {
  const time = now();
  add(warpTimes(statistics) + field, time - since);
  return time;
}
