// Emitting stages: each lane runs one primitive, and the vertices and primitives that it emits go to the next stages
// and finally to setup.
//
//   STAGE INPUT ── gather ──► registers ── shader ──► vertex k of all lanes ── vertex stages ──► setup, or the next
//   (stage-input.ts)                                  primitives of all lanes ────────────────►  stage's input
//
// A group has as many primitives as setup has room for their maximum output. Each group runs to its end, through all
// following stages, before the next one begins. So a modular pipeline needs no memory beyond its stage inputs, which
// exist before it begins. Only setup can fail, when the chunk's arena is full. Then the batch starts again, and
// primitives that were already set up (Geometry.cursor) are skipped.
//
// Stages multiply their output: three pairs of tessellation stages make 10¹² triangles of one. So a call ends after a
// few groups and batches, at any depth of nesting: the run is held. Each enclosing stage records its progress (NESTED
// RUN). The next call descends the same way, skips what is done, and continues there. All of this state is in STAGE
// INPUTs and TESSELLATIONs, which belong to the worker.
import {
  BATCH_VERTICES,
  Geometry,
  INTERRUPTED_AT_GROUP,
  INTERRUPTED_IN_PATCHES,
  NestedRun,
  REGISTER_BYTES,
  sizeOf,
  Stage,
  STAGE_FORK,
  STAGE_PRIMITIVE,
  STAGE_SETUP,
  STAGE_TESS_CONTROL,
  STAGE_VERTEX,
  STAGE_VIEWPORTS,
  STATUS_DONE,
  STATUS_YIELD,
  TOPOLOGY_TRIANGLE_STRIP,
  TOPOLOGY_TRIANGLE_STRIP_ADJACENCY,
  WARP_QUADS,
} from '../layout';
import { emitList } from './emit';
import { enterSink, isSkippedWhenCounting, packWarp, runVertices } from './fork';
import { gather } from './gather';
import { inputOf, outputListOf, listOf } from './input';
import { runPrimitiveStage } from './primitive';
import { addTo, bindStage, countWarp, isSetup, runStage, runStages, storeVertices } from './shade';
import { isBuffer, resetCounts, stream } from './stream';
import { cornersBefore, cornersOf, isStrip, stepOf } from './strip';
import {
  beginPatches,
  beginTessellating,
  evaluatePatches,
  fillPatches,
  listParts,
  verticesOfBatch,
} from './tessellate';
import { setUpViewports } from './viewports';

/** Number of groups of nested stages and batches of patches that one call runs, at about 100 to 500 µs each. */
const MAX_WORK: u32 = 2;

function nestedRun(geometry: Geometry, depth: u32): NestedRun {
  return changetype<NestedRun>(geometry.nestedRuns + depth * sizeOf<NestedRun>());
}

/** Ends the call when it has done enough work. The next call continues at the same depth. */
function yieldsAt(geometry: Geometry, where: i32): bool {
  if (geometry.work++ < MAX_WORK) return false;
  geometry.interruption = where;
  geometry.interruptedDepth = geometry.nested;
  return true;
}

/** Whether the run was held here. If so, it continues now. */
function continuesAt(geometry: Geometry, where: i32): bool {
  if (geometry.interruption != where || geometry.interruptedDepth != geometry.nested) return false;
  geometry.interruption = 0;
  return true;
}

/** Lanes of a group, always whole quads. Tessellation splits the output of a group into its batches. */
function lanesOf(stage: Stage): u32 {
  if (stage.kind == STAGE_TESS_CONTROL) return WARP_QUADS * 4;
  return min<u32>(WARP_QUADS * 4, (BATCH_VERTICES / stage.maxVertices) & ~3);
}

/** Copies the primitives of the draw call's batch and their numbers to a stage's input. */
export function copyBatch(geometry: Geometry, stage: Stage): void {
  const draw = geometry.draw;
  const input = listOf(geometry, stage);
  const primitives = geometry.primitives;
  const corners = geometry.corners;
  if (geometry.gathering) memory.fill(input.primitives, 0, primitives * corners * 2);
  else memory.copy(input.primitives, geometry.primitiveList, primitives * corners * 2);
  if (isStrip(draw.topology)) memory.copy(input.numbers, geometry.numbers, primitives << 2);
  else {
    const each = draw.count / corners;
    let number = geometry.begun.position / corners;
    for (let i: u32 = 0; i < primitives; i++) {
      store<u32>(input.numbers + (i << 2), number);
      if (++number == each) number = 0;
    }
  }
}

// Clamps the number of vertices that each lane has emitted, updates the stage's counters, and returns the largest
// number.
function countVertices(geometry: Geometry, stage: Stage, counts: usize, primitives: u32, lanes: u32): u32 {
  const most = stage.maxVertices;
  let longest: u32 = 0;
  let kept: u32 = 0;
  let dropped: u32 = 0;
  for (let lane: u32 = 0; lane < lanes; lane++) {
    const emitted = lane < primitives ? load<u32>(counts + (lane << 2)) : 0;
    const its = min<u32>(emitted, most);
    store<u32>(counts + (lane << 2), its);
    longest = max<u32>(longest, its);
    kept += its;
    dropped += emitted - its;
  }
  countWarp(geometry, stage);
  addTo(stage, offsetof<Stage>('primitivesIn'), primitives);
  addTo(stage, offsetof<Stage>('verticesOut'), kept);
  if (dropped) addTo(stage, offsetof<Stage>('dropped'), dropped);
  return longest;
}

// Passes the vertices to the next stages, the last ones first (layout/program/stage.ts), as numbers k · lanes + lane.
function handOver<E>(geometry: Geometry, stage: Stage, vertices: usize, longest: u32, quads: i32): i32 {
  const input = inputOf(geometry, stage);
  const lanes = (<u32>quads) << 2;
  const numbers = input.laneNumbers;
  for (let k = <i32>longest - 1; k >= 0; k--) {
    for (let lane: u32 = 0; lane < lanes; lane++) store<u32>(numbers + (lane << 2), k);
    const outputs = vertices + k * stage.outputs * REGISTER_BYTES;
    const status = runStages(geometry, stage, outputs, numbers, input.laneInstances, quads);
    if (status != STATUS_DONE) return status;
    const next = geometry.nextStage;
    if (isSetup(next)) packWarp<E>(geometry, quads, k * lanes);
    else storeVertices(geometry, next, quads, k * lanes, numbers, input.laneInstances);
  }
  return STATUS_DONE;
}

// Whether the first `count` lanes have emitted as many vertices each, in strips of the same lengths.
function emitsAlike(counts: usize, count: u32, lanes: u32): bool {
  const emitted = load<u32>(counts);
  for (let lane: u32 = 1; lane < count; lane++) if (load<u32>(counts + (lane << 2)) != emitted) return false;
  let differences: u64 = 0;
  let begins = counts + REGISTER_BYTES;
  for (let k: u32 = 0; k < emitted; k++, begins += REGISTER_BYTES) {
    const first = <u64>load<u32>(begins) * 0x1_0000_0001;
    for (let lane: u32 = 0; lane < lanes; lane += 2) differences |= load<u64>(begins + (lane << 2)) ^ first;
  }
  return differences == 0;
}

// Assembles primitives from the vertices that `count` input primitives, from `first` on, have emitted. They are listed
// lane by lane in the input of the next stage, or for setup. Returns their number.
function listPrimitives(geometry: Geometry, stage: Stage, next: Stage, first: u32, count: u32): u32 {
  const lanes = (count + 3) & ~3;
  const counts = countsOf(geometry, stage);
  const alike = emitsAlike(counts, count, lanes);
  const given = listOf(geometry, stage);
  let list = geometry.primitiveList;
  let numbers: usize = 0;
  let viewports: usize = 0;
  if (!isSetup(next)) {
    list = listOf(geometry, next).primitives;
    numbers = listOf(geometry, next).numbers;
    if (stage.hasViewports) viewports = listOf(geometry, next).viewports;
  }
  let primitives: u32 = 0;
  const bytes = (<usize>cornersOf(stage.topology)) << 1;
  let each = alike ? <u32>(repeatLanes(list, listLane(stage, counts, 0, lanes, list), count) / bytes) : 0;
  if (alike && !numbers) return each * count;
  for (let lane: u32 = 0; lane < count; lane++) {
    if (!alike) {
      const end = listLane(stage, counts, lane, lanes, list);
      each = <u32>((end - list) / bytes);
      list = end;
    }
    const end = primitives + each;
    const from = first + lane;
    if (numbers)
      for (let i = primitives; i < end; i++) store<u32>(numbers + (i << 2), load<u32>(given.numbers + (from << 2)));
    if (viewports) memory.fill(viewports + primitives, load<u8>(given.viewports + from), each);
    primitives = end;
  }
  return primitives;
}

// Repeats the list of the first lane for the others, whose vertices have the next numbers. Returns its bytes.
function repeatLanes(list: usize, end: usize, count: u32): usize {
  const bytes = end - list;
  let to = end;
  if (bytes == 6) {
    // A single triangle, whose three numbers are counted up together. The list has room for two bytes more.
    let word = load<u64>(list) & 0xffff_ffff_ffff;
    for (let lane: u32 = 1; lane < count; lane++, to += 6) store<u64>(to, (word += 0x1_0001_0001));
    return bytes;
  }
  const last = end + (count - 1) * bytes;
  for (; to < last; to += 2) store<u16>(to, load<u16>(to - bytes) + 1);
  return bytes;
}

// Lists the primitives that a lane has emitted. Returns the end of the list.
function listLane(stage: Stage, counts: usize, lane: u32, lanes: u32, list: usize): usize {
  const topology = stage.topology;
  const corners = <u32>cornersOf(topology);
  const step = <u32>stepOf(topology);
  const turns = topology == TOPOLOGY_TRIANGLE_STRIP;
  const looksAhead = topology == TOPOLOGY_TRIANGLE_STRIP_ADJACENCY;
  const strips = counts + REGISTER_BYTES;
  const emitted = load<u32>(counts + (lane << 2));
  let length: u32 = 0;
  let missing = corners;
  for (let k: u32 = 0; k < emitted; k++) {
    const begins = strips + k * REGISTER_BYTES + (lane << 2);
    if (load<u32>(begins)) {
      length = 0;
      missing = corners;
    }
    length++;
    if (--missing) continue;
    missing = step;
    const vertex = k * lanes + lane;
    if (corners <= 3) listPrimitive(list, corners, vertex, lanes, turns && !(length & 1));
    else {
      const last =
        looksAhead
        && (k + 2 >= emitted || (load<u32>(begins, REGISTER_BYTES) | load<u32>(begins, 2 * REGISTER_BYTES)) != 0);
      listAdjacent(list, corners, vertex + lanes, lanes, cornersBefore(topology, length, last));
    }
    list += corners << 1;
  }
  return list;
}

// Lists the primitive that a vertex completes. Every second triangle of a strip has the opposite winding (`turned`);
// its first vertex stays first, as it is the provoking vertex.
function listPrimitive(list: usize, corners: u32, vertex: u32, lanes: u32, turned: bool): void {
  if (corners == 1) store<u16>(list, <u16>vertex);
  else if (corners == 2) {
    store<u16>(list, <u16>(vertex - lanes));
    store<u16>(list, <u16>vertex, 2);
  } else {
    store<u16>(list, <u16>(vertex - 2 * lanes));
    store<u16>(list, <u16>(turned ? vertex : vertex - lanes), 2);
    store<u16>(list, <u16>(turned ? vertex - lanes : vertex), 4);
  }
}

// Lists a primitive with adjacency. `before` holds each corner's distance before the lane's vertex `next`
// (cornersBefore).
function listAdjacent(list: usize, corners: u32, next: u32, lanes: u32, before: u32): void {
  for (const end = list + (corners << 1); list < end; list += 2, before >>= 4)
    store<u16>(list, <u16>(next - (before & 15) * lanes));
}

// Register that holds the number of vertices that each lane has emitted.
function countsOf(geometry: Geometry, stage: Stage): usize {
  return geometry.registers + stage.program.inputs * REGISTER_BYTES;
}

// Runs an emitting stage for `count` primitives of its input, and all stages after it.
function runGroup<E>(geometry: Geometry, stage: Stage, first: u32, count: u32): i32 {
  if (stage.kind == STAGE_TESS_CONTROL) return runPatches<E>(geometry, stage, first, count);
  if (geometry.interruption) return runNextStage<E>(geometry, emittingStage(changetype<Stage>(stage.next)), 0, 0);
  const registers = geometry.registers;
  const quads = <i32>((count + 3) >> 2);
  const lanes = (<u32>quads) << 2;
  bindStage(geometry, stage, registers);
  gather<E>(geometry, stage, first, count, quads);
  let status = runStage(geometry, quads);
  if (status != STATUS_DONE) return status;
  const counts = countsOf(geometry, stage);
  const longest = countVertices(geometry, stage, counts, count, lanes);
  if (!longest) return STATUS_DONE;
  const statistics = geometry.pass.statistics;
  statistics.warpsVertex += 1 + longest;
  statistics.verticesShaded += count * (1 + longest);
  const vertices = counts + (1 + stage.maxVertices) * REGISTER_BYTES;
  status = handOver<E>(geometry, stage, vertices, longest, quads);
  if (status != STATUS_DONE) return status;
  const next = geometry.nextStage;
  const primitives = listPrimitives(geometry, stage, next, first, count);
  addTo(stage, offsetof<Stage>('primitivesOut'), primitives);
  return runNextStage<E>(geometry, next, primitives, longest * lanes);
}

// Passes primitives to the next stage, whose input (or setup) already holds them and their `vertices`. Sinks are
// skipped as soon as a page is missing, since results may be based on non-resident pages; other stages still run, to
// find the other pages that they miss. In a run that was held, the following stages know both numbers.
function runNextStage<E>(geometry: Geometry, next: Stage, primitives: u32, vertices: u32): i32 {
  if (geometry.hasMissed && isSink(next)) return STATUS_DONE;
  if (isSetup(next)) {
    const status = emitList<E>(geometry, geometry.emitted, primitives);
    if (status == STATUS_DONE) geometry.emitted += primitives;
    return status;
  }
  if (next.kind == STAGE_FORK) return runBranches<E>(geometry, next, primitives, vertices);
  if (next.kind == STAGE_PRIMITIVE) {
    if (geometry.interruption) return runBranches<E>(geometry, next, 0, 0);
    const status = runPrimitiveStage<E>(geometry, next, primitives);
    return status == STATUS_DONE ? runBranches<E>(geometry, next, geometry.kept, vertices) : status;
  }
  if (next.kind == STAGE_VIEWPORTS) return setUpViewports<E>(geometry, next, primitives);
  if (!isBuffer(next)) return runGroups<E>(geometry, next, primitives);
  stream(geometry, next, primitives);
  return STATUS_DONE;
}

function isSink(stage: Stage): bool {
  return isSetup(stage) || isBuffer(stage) || stage.kind == STAGE_VIEWPORTS;
}

// A branch stage that reads the fork's input directly runs on it without a copy.
function runBranch<E>(geometry: Geometry, fork: Stage, stage: Stage, primitives: u32, vertices: u32): i32 {
  if (stage.kind != STAGE_VERTEX && stage.kind != STAGE_SETUP)
    return runNextStage<E>(geometry, stage, primitives, vertices);
  if (geometry.interruption) return runNextStage<E>(geometry, emittingStage(stage), 0, 0);
  const status = runVertices<E>(geometry, fork, stage, vertices);
  if (status != STATUS_DONE) return status;
  const from = outputListOf(geometry, fork);
  const next = geometry.nextStage;
  let list = geometry.primitiveList;
  if (!isSetup(next)) {
    const to = listOf(geometry, next);
    list = to.primitives;
    memory.copy(to.numbers, from.numbers, primitives << 2);
    if (next.hasViewports) memory.copy(to.viewports, from.viewports, primitives);
  }
  memory.copy(list, from.primitives, primitives * fork.corners * 2);
  return runNextStage<E>(geometry, next, primitives, vertices);
}

// Runs all branches of a fork, whose input holds `vertices` and `primitives`, up to their sinks.
function runBranches<E>(geometry: Geometry, fork: Stage, primitives: u32, vertices: u32): i32 {
  const depth = geometry.nested;
  const run = nestedRun(geometry, depth);
  let i: u32 = 0;
  if (geometry.interruption) {
    i = run.next;
    primitives = run.primitives;
    vertices = run.vertices;
  } else if (!primitives) return STATUS_DONE;
  const main = geometry.draw;
  let status: i32 = STATUS_DONE;
  for (; i < fork.branchCount; i++) {
    const stage = changetype<Stage>(load<usize>(fork.branches + (i << 2)));
    if (isSkippedWhenCounting(main, stage)) continue;
    enterSink(geometry, main, stage);
    geometry.nested = depth + 1;
    status = runBranch<E>(geometry, fork, stage, primitives, vertices);
    if (status != STATUS_DONE) break;
  }
  geometry.draw = main;
  if (status == STATUS_YIELD) note(run, i, primitives, vertices);
  return status;
}

function note(run: NestedRun, next: u32, primitives: u32, vertices: u32): void {
  run.next = next;
  run.primitives = primitives;
  run.vertices = vertices;
}

// Runs a pair of tessellation stages for patches of its input, and all stages after it, one batch of output at a time.
function runPatches<E>(geometry: Geometry, control: Stage, first: u32, count: u32): i32 {
  const behind = emittingStage(changetype<Stage>(changetype<Stage>(control.next).next));
  const depth = geometry.nested;
  let status: i32 = STATUS_DONE;
  if (!geometry.interruption) {
    const quads = <i32>((count + 3) >> 2);
    bindStage(geometry, control, geometry.registers);
    gather<E>(geometry, control, first, count, quads);
    status = runStage(geometry, quads);
    if (status == STATUS_DONE) beginPatches(geometry, control, first, count, isSetup(behind));
  } else if (!continuesAt(geometry, INTERRUPTED_IN_PATCHES)) status = runNextStage<E>(geometry, behind, 0, 0);
  while (status == STATUS_DONE) {
    geometry.nested = depth;
    if (yieldsAt(geometry, INTERRUPTED_IN_PATCHES)) return STATUS_YIELD;
    if (!fillPatches(geometry, control)) break;
    const vertices = verticesOfBatch(geometry, control);
    status = evaluatePatches<E>(geometry, control);
    if (status != STATUS_DONE) break;
    const next = geometry.nextStage;
    status = runNextStage<E>(geometry, next, listParts<E>(geometry, control, next), vertices);
  }
  return status;
}

// Runs an emitting stage, or a pair of tessellation stages, for all primitives of its input, and all stages after it.
function runGroups<E>(geometry: Geometry, stage: Stage, primitives: u32): i32 {
  const lanes = lanesOf(stage);
  const depth = geometry.nested;
  const run = nestedRun(geometry, depth);
  let first: u32 = 0;
  if (geometry.interruption) {
    first = run.next;
    primitives = run.primitives;
  }
  for (; first < primitives; first += lanes) {
    geometry.nested = depth + 1;
    let status: i32 = STATUS_YIELD;
    const isHeld = geometry.interruption != 0;
    if (isHeld) continuesAt(geometry, INTERRUPTED_AT_GROUP);
    if (isHeld || !yieldsAt(geometry, INTERRUPTED_AT_GROUP))
      status = runGroup<E>(geometry, stage, first, min<u32>(lanes, primitives - first));
    if (status == STATUS_DONE) continue;
    if (status == STATUS_YIELD) note(run, first, primitives, 0);
    return status;
  }
  return STATUS_DONE;
}

/** The first stage of a draw call that does not run per vertex, or 0 if there is none. */
export function emittingStage(first: Stage): Stage {
  let stage = first;
  while (stage && !stage.kind) stage = changetype<Stage>(stage.next);
  return stage;
}

/** Starts the emitting stages for the shaded batch. */
export function beginAmplifying(geometry: Geometry, stage: Stage): void {
  geometry.interruption = 0;
  copyBatch(geometry, stage);
  beginTessellating(geometry, stage);
  geometry.amplified = 0;
  geometry.emitted = 0;
}

/**
 * Runs the batch's next primitives through the first emitting stage and all stages after it. Returns STATUS_YIELD if
 * there are more. STATUS_NEEDS_MEMORY leaves the cursor at the triangle that did not fit, counted from the batch's
 * first.
 */
export function amplify<E>(geometry: Geometry, stage: Stage): i32 {
  const first = geometry.amplified;
  const primitives = geometry.primitives;
  const isFork = stage.kind == STAGE_FORK || stage.kind == STAGE_PRIMITIVE;
  const count = isFork ? primitives : min<u32>(lanesOf(stage), primitives - first);
  if (!geometry.interruption) {
    geometry.emittedBefore = geometry.emitted;
    resetCounts(geometry, stage, first, count);
  }
  geometry.nested = 0;
  geometry.work = 0;
  const status = isFork
    ? runNextStage<E>(geometry, stage, primitives, geometry.vertices)
    : runGroup<E>(geometry, stage, first, count);
  if (status == STATUS_YIELD) return status;
  if (status != STATUS_DONE) {
    geometry.emitted = geometry.emittedBefore;
    geometry.interruption = 0;
    return status;
  }
  geometry.amplified = first + count;
  return first + count < primitives ? STATUS_YIELD : STATUS_DONE;
}
