// Runs the workgroups of a dispatch, one after the other, in numerical order.
import { ComputeUnit, Dispatch, REGISTER_BYTES, STATUS_DONE, STATUS_TIMEOUT, Warp } from '../layout';
import { countBackEdge } from '../warp/instructions';
import { broadcast } from '../warp/loops';
import { isInterpreted, runWarp } from '../warp/run';
import { lanesOf, placeGroup, placeShared, warpOf } from './lanes';
import { copyUsed, minPart, selectPart, startParts } from './loops';

/** Weight of a transition to another part in back edges, as bytes of code. */
const PART_BYTES: usize = 1024;

/** Runs `count` workgroups, from the job's number `first` on. Returns STATUS_*. */
export function computeRun(unit: ComputeUnit, first: u32, count: u32): i32 {
  return ASC_FEATURE_SIMD ? run<v128>(unit, first, count) : run<u32>(unit, first, count);
}

/** The scalar twin of `computeRun`. */
export function computeRunScalar(unit: ComputeUnit, first: u32, count: u32): i32 {
  return run<u32>(unit, first, count);
}

function run<T>(unit: ComputeUnit, first: u32, count: u32): i32 {
  const dispatch = unit.dispatch;
  const statistics = unit.statistics;
  seek(unit, dispatch.base + first);
  const status = dispatch.groupsPerWarp > 1 ? runShared<T>(unit, count) : runUnshared<T>(unit, count);
  statistics.workgroups += count;
  statistics.invocations += count * dispatch.invocations;
  statistics.warpsCompute += ((count + dispatch.groupsPerWarp - 1) / dispatch.groupsPerWarp) * dispatch.warpsPerGroup;
  if (dispatch.countersEntry >= 0) statistics.carry();
  return status;
}

/** Runs workgroups that do not share warps. */
function runUnshared<T>(unit: ComputeUnit, count: u32): i32 {
  const hasParts = unit.dispatch.parts > 0;
  for (; count > 0; count--) {
    const status = hasParts ? runParts<T>(unit) : runGroup<T>(unit);
    if (status != STATUS_DONE) return status;
    step(unit);
  }
  return STATUS_DONE;
}

function seek(unit: ComputeUnit, number: u64): void {
  const dispatch = unit.dispatch;
  const rows = number / dispatch.groupsX;
  unit.x = <u32>(number % dispatch.groupsX);
  unit.y = <u32>(rows % dispatch.groupsY);
  unit.z = <u32>(rows / dispatch.groupsY);
}

function step(unit: ComputeUnit): void {
  const dispatch = unit.dispatch;
  if (++unit.x < dispatch.groupsX) return;
  unit.x = 0;
  if (++unit.y < dispatch.groupsY) return;
  unit.y = 0;
  unit.z++;
}

/** Runs workgroups that share warps. */
function runShared<T>(unit: ComputeUnit, count: u32): i32 {
  const dispatch = unit.dispatch;
  const warp = warpOf(unit, 0);
  const on = lanesOf(unit, warp).on;
  while (count > 0) {
    const groups = min(count, dispatch.groupsPerWarp);
    const lanes = groups * dispatch.groupLanes;
    for (let group: u32 = 0; group < groups; group++) {
      placeShared(unit, warp, group * dispatch.groupLanes);
      step(unit);
    }
    warp.quadCount = (lanes + 3) >> 2;
    copyUsed<T>(warp.exec, on, (<usize>warp.quadCount) << 4);
    // The last quad may be partly filled.
    for (let lane = lanes; lane & 3; lane++) store<u32>(warp.exec + (lane << 2), 0);
    const status = runWarp(warp);
    if (status != STATUS_DONE) return status;
    count -= groups;
  }
  return STATUS_DONE;
}

function clearWorkgroup(unit: ComputeUnit): void {
  const bytes = unit.dispatch.workgroupBytes;
  if (bytes) memory.fill(unit.workgroup, 0, bytes);
}

/** Runs a workgroup without barriers, warp by warp. */
function runGroup<T>(unit: ComputeUnit): i32 {
  const warps = unit.dispatch.warpsPerGroup;
  clearWorkgroup(unit);
  for (let index: u32 = 0; index < warps; index++) {
    const warp = warpOf(unit, index);
    placeGroup<T>(unit, warp);
    copyUsed<T>(warp.exec, lanesOf(unit, warp).on, (<usize>warp.quadCount) << 4);
    const status = runWarp(warp);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Runs a workgroup with barriers. Each part runs for all warps before any invocation enters a later part. */
function runParts<T>(unit: ComputeUnit): i32 {
  const dispatch = unit.dispatch;
  const warps = dispatch.warpsPerGroup;
  clearWorkgroup(unit);
  if (dispatch.together) return runLockstep<T>(unit);
  for (let index: u32 = 0; index < warps; index++) startWarp<T>(unit, warpOf(unit, index));
  let part: u32 = 0;
  while (true) {
    for (let index: u32 = 0; index < warps; index++) {
      const status = runPart<T>(unit, warpOf(unit, index), part);
      if (status != STATUS_DONE) return status;
    }
    part = ~0;
    for (let index: u32 = 0; index < warps; index++) part = minPartOf<T>(dispatch, warpOf(unit, index), part);
    if (part >= dispatch.parts) return STATUS_DONE;
    unit.statistics.partsAfterBarrier++;
    if (!countBackEdge(warpOf(unit, 0), PART_BYTES)) return STATUS_TIMEOUT;
  }
}

/** runParts for shaders in which all invocations of a workgroup move from part to part together. */
function runLockstep<T>(unit: ComputeUnit): i32 {
  const dispatch = unit.dispatch;
  const warps = dispatch.warpsPerGroup;
  const first = warpOf(unit, 0);
  const next = registerOf(first, dispatch.nextPart);
  const interprets = isInterpreted(dispatch.program);
  for (let index: u32 = 0; index < warps; index++) {
    const warp = warpOf(unit, index);
    placeGroup<T>(unit, warp);
    memory.fill(registerOf(warp, dispatch.keptFirst), 0, dispatch.keptCount * REGISTER_BYTES);
    if (!interprets) copyUsed<T>(warp.exec, lanesOf(unit, warp).on, (<usize>warp.quadCount) << 4);
  }
  let part: u32 = 0;
  while (true) {
    for (let index: u32 = 0; index < warps; index++) {
      const warp = warpOf(unit, index);
      if (interprets) copyUsed<T>(warp.exec, lanesOf(unit, warp).on, (<usize>warp.quadCount) << 4);
      if (dispatch.part >= 0) {
        // Compiled programs read one word.
        if (interprets) broadcast<T>(registerOf(warp, dispatch.part), part);
        else store<u32>(registerOf(warp, dispatch.part), part);
      }
      const status = runWarp(warp);
      if (status != STATUS_DONE) return status;
    }
    unit.statistics.partWarps += warps;
    part = load<u32>(next);
    if (part >= dispatch.parts) return STATUS_DONE;
    unit.statistics.partsAfterBarrier++;
    if (!countBackEdge(first, PART_BYTES)) return STATUS_TIMEOUT;
  }
}

function registerOf(warp: Warp, index: u32): usize {
  return warp.registers + index * REGISTER_BYTES;
}

function startWarp<T>(unit: ComputeUnit, warp: Warp): void {
  const dispatch = unit.dispatch;
  placeGroup<T>(unit, warp);
  memory.fill(registerOf(warp, dispatch.keptFirst), 0, dispatch.keptCount * REGISTER_BYTES);
  startParts<T>(registerOf(warp, dispatch.nextPart), lanesOf(unit, warp).on);
}

function runPart<T>(unit: ComputeUnit, warp: Warp, part: u32): i32 {
  const dispatch = unit.dispatch;
  const next = registerOf(warp, dispatch.nextPart);
  if (!selectPart<T>(warp.exec, next, part, (<usize>warp.quadCount) << 4)) return STATUS_DONE;
  if (dispatch.part >= 0) broadcast<T>(registerOf(warp, dispatch.part), part);
  unit.statistics.partWarps++;
  return runWarp(warp);
}

function minPartOf<T>(dispatch: Dispatch, warp: Warp, least: u32): u32 {
  return minPart<T>(registerOf(warp, dispatch.nextPart), least, (<usize>warp.quadCount) << 4);
}
