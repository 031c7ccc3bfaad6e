// Prepares the lanes of a compute unit's warps. Once for each dispatch, it assigns invocations to lanes. Once for each
// workgroup, it fills the registers that depend on the workgroup's number.
import {
  ComputeUnit,
  Dispatch,
  LOOP_CHECK_INTERVAL,
  REGISTER_BYTES,
  Resource,
  sizeOf,
  Statistics,
  Warp,
  WarpLanes,
} from '../layout';
import { broadcast } from '../warp/loops';
import { bindProgram } from '../warp/run';
import { sumTo } from './loops';

export function warpOf(unit: ComputeUnit, index: u32): Warp {
  return changetype<Warp>(unit.warps + index * unit.warpBytes);
}

export function lanesOf(unit: ComputeUnit, warp: Warp): WarpLanes {
  return changetype<WarpLanes>(changetype<usize>(warp) + unit.lanesAt);
}

/** Prepares a unit, whose memory is set, for its dispatch. */
export function computeBegin(unit: ComputeUnit): void {
  const dispatch = unit.dispatch;
  memory.copy(unit.resources, dispatch.resources, dispatch.resourceBytes);
  if (dispatch.workgroupEntry >= 0) {
    const entry = changetype<Resource>(unit.resources).after(dispatch.workgroupEntry);
    entry.address = unit.workgroup;
    entry.size = dispatch.workgroupBytes;
  }
  if (dispatch.countersEntry >= 0) {
    const entry = changetype<Resource>(unit.resources).after(dispatch.countersEntry);
    entry.address = changetype<usize>(unit.statistics) + offsetof<Statistics>('atomics');
    entry.size = <u32>(offsetof<Statistics>('kibLoaded') - offsetof<Statistics>('atomics'));
  }
  for (let index: u32 = 0; index < dispatch.warpsPerGroup; index++) {
    const warp = warpOf(unit, index);
    beginWarp(unit, warp);
    placeLanes(dispatch, warp, lanesOf(unit, warp), index);
    if (ASC_FEATURE_SIMD) fillFixed<v128>(dispatch, warp, lanesOf(unit, warp), index);
    else fillFixed<u32>(dispatch, warp, lanesOf(unit, warp), index);
  }
}

function beginWarp(unit: ComputeUnit, warp: Warp): void {
  const dispatch = unit.dispatch;
  memory.fill(changetype<usize>(warp), 0, sizeOf<Warp>());
  warp.program = dispatch.program;
  warp.registers = changetype<usize>(warp) + unit.fileAt;
  warp.resources = unit.resources;
  warp.loopBudget = LOOP_CHECK_INTERVAL;
  const read = warp.access.quadRead;
  read.misses = unit.misses;
  read.worker = unit.worker;
  read.decoded = unit.decoded;
  memory.fill(warp.registers, 0, dispatch.program.inputs * REGISTER_BYTES);
  bindProgram(warp, dispatch.uniforms);
}

/** Enumerates the invocations in order, which avoids a division per lane. */
function placeLanes(dispatch: Dispatch, warp: Warp, lanes: WarpLanes, index: u32): void {
  const perWarp = dispatch.quadsPerWarp << 2;
  const invocations = dispatch.invocations;
  const isShared = dispatch.groupsPerWarp > 1;
  const first: u32 = isShared ? 0 : index * perWarp;
  let at = first;
  let x = first % dispatch.sizeX;
  let y = (first / dispatch.sizeX) % dispatch.sizeY;
  let z = first / dispatch.sizeX / dispatch.sizeY;
  for (let lane: u32 = 0; lane < 64; lane++) {
    if (isShared && lane % dispatch.groupLanes == 0) at = x = y = z = 0;
    store<u32>(lanes.on + (lane << 2), lane < perWarp && at < invocations ? ~0 : 0);
    store<u32>(lanes.x + (lane << 2), x);
    store<u32>(lanes.y + (lane << 2), y);
    store<u32>(lanes.z + (lane << 2), z);
    at++;
    if (++x < dispatch.sizeX) continue;
    x = 0;
    if (++y < dispatch.sizeY) continue;
    y = 0;
    z++;
  }
  warp.quadCount = isShared ? dispatch.quadsPerWarp : min<u32>(dispatch.quadsPerWarp, (invocations - first + 3) >> 2);
}

/** Fills inputs that are the same for all workgroups. */
function fillFixed<T>(dispatch: Dispatch, warp: Warp, lanes: WarpLanes, index: u32): void {
  const registers = warp.registers;
  copyTo<T>(registers, dispatch.localX, lanes.x, 0);
  copyTo<T>(registers, dispatch.localY, lanes.y, 0);
  copyTo<T>(registers, dispatch.localZ, lanes.z, 0);
  fillTo<T>(registers, dispatch.countX, dispatch.groupsX);
  fillTo<T>(registers, dispatch.countY, dispatch.groupsY);
  fillTo<T>(registers, dispatch.countZ, dispatch.groupsZ);
  if (dispatch.localIndex < 0) return;
  const register = registers + dispatch.localIndex * REGISTER_BYTES;
  const first: u32 = dispatch.groupsPerWarp > 1 ? 0 : index * (dispatch.quadsPerWarp << 2);
  for (let lane: u32 = 0; lane < 64; lane++)
    store<u32>(register + (lane << 2), first + (dispatch.groupsPerWarp > 1 ? lane % dispatch.groupLanes : lane));
}

/** Writes the values at `from` plus `added` to an input's register, if there is one. */
function copyTo<T>(registers: usize, register: i32, from: usize, added: u32): void {
  if (register >= 0) sumTo<T>(registers + register * REGISTER_BYTES, from, added);
}

function fillTo<T>(registers: usize, register: i32, word: u32): void {
  if (register >= 0) broadcast<T>(registers + register * REGISTER_BYTES, word);
}

/** Fills the inputs of a warp whose lanes all belong to the current workgroup. */
export function placeGroup<T>(unit: ComputeUnit, warp: Warp): void {
  const dispatch = unit.dispatch;
  const registers = warp.registers;
  const lanes = lanesOf(unit, warp);
  fillTo<T>(registers, dispatch.groupX, unit.x);
  fillTo<T>(registers, dispatch.groupY, unit.y);
  fillTo<T>(registers, dispatch.groupZ, unit.z);
  copyTo<T>(registers, dispatch.globalX, lanes.x, unit.x * dispatch.sizeX);
  copyTo<T>(registers, dispatch.globalY, lanes.y, unit.y * dispatch.sizeY);
  copyTo<T>(registers, dispatch.globalZ, lanes.z, unit.z * dispatch.sizeZ);
}

/** Fills the inputs of the current workgroup's lanes, from `lane` on, in a warp that it shares with others. */
export function placeShared(unit: ComputeUnit, warp: Warp, lane: u32): void {
  const dispatch = unit.dispatch;
  const lanes = lanesOf(unit, warp);
  for (const end = lane + dispatch.groupLanes; lane < end; lane++) {
    const offset = (<usize>lane) << 2;
    put(warp, dispatch.groupX, offset, unit.x);
    put(warp, dispatch.groupY, offset, unit.y);
    put(warp, dispatch.groupZ, offset, unit.z);
    put(warp, dispatch.globalX, offset, unit.x * dispatch.sizeX + load<u32>(lanes.x + offset));
    put(warp, dispatch.globalY, offset, unit.y * dispatch.sizeY + load<u32>(lanes.y + offset));
    put(warp, dispatch.globalZ, offset, unit.z * dispatch.sizeZ + load<u32>(lanes.z + offset));
  }
}

function put(warp: Warp, register: i32, offset: usize, word: u32): void {
  if (register >= 0) store<u32>(warp.registers + register * REGISTER_BYTES + offset, word);
}
