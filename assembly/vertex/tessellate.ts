// Tessellation, a pair of stages. The control stage runs with one patch per lane and outputs levels and values for
// each. The evaluation stage runs for the vertices of each patch's pattern (pattern.ts), which follows from the levels.
//
//   STAGE INPUT ── gather ──► control ──► levels ──► PATTERN ──┐
//        │                          └──► values ───────────────┤ parts of patches, to a batch of vertices
//        └── control points ───────────────────────────────────┴──► evaluation ── vertex stages ──► setup, next stage
//
// A batch has vertices of many patches, and no quad holds vertices of two patches: per-patch values are splatted to the
// registers of the patch's quads. A batch runs to its end, through all following stages, before the next one begins.
import {
  BATCH_PARTS,
  BATCH_PRIMITIVES,
  BATCH_VERTICES,
  Geometry,
  PatchPart,
  PatternPart,
  REGISTER_BYTES,
  sizeOf,
  Stage,
  STAGE_TESS_CONTROL,
  STAGE_VERTEX,
  STATUS_DONE,
  Tessellation,
  TESS_LEVELS,
  WARP_QUADS,
} from '../layout';
import { packWarp } from './fork';
import { inputOf, listOf } from './input';
import { cornersOfPart, findPattern, discardPatterns, nextPattern, clampLevels } from './pattern';
import { valuesOf } from './pattern-shapes';
import { addTo, bindStage, countWarp, isSetup, runStage, runStages, storeVertices } from './shade';
import { cornersOf } from './strip';

function tessellationOf(geometry: Geometry, evaluation: Stage): Tessellation {
  return changetype<Tessellation>(geometry.stageInputs + evaluation.tessellation);
}

/**
 * Discards the patterns of all stage pairs from a stage on, because their memory was used by the stages of an earlier
 * run.
 */
export function beginTessellating(geometry: Geometry, first: Stage): void {
  let stage = first;
  while (stage) {
    const next = changetype<Stage>(stage.next);
    if (stage.kind == STAGE_TESS_CONTROL) discardPatterns(next, tessellationOf(geometry, next));
    for (let i: u32 = 0; i < stage.branchCount; i++)
      beginTessellating(geometry, changetype<Stage>(load<usize>(stage.branches + (i << 2))));
    stage = next;
  }
}

// Writes a word to all lanes of `quads` quads of a register.
function splat<E>(to: usize, word: u32, quads: u32): void {
  const end = to + ((<usize>quads) << 4);
  if (isVector<E>()) {
    const words = i32x4.splat(word);
    for (; to < end; to += 16) v128.store(to, words);
  } else for (; to < end; to += 4) store<u32>(to, word);
}

function copyQuads<E>(to: usize, from: usize, quads: u32): void {
  const end = to + ((<usize>quads) << 4);
  if (isVector<E>()) for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  else for (; to < end; to += 4, from += 4) store<u32>(to, load<u32>(from));
}

function partAt(t: Tessellation, i: u32): PatchPart {
  return changetype<PatchPart>(t.parts + i * sizeOf<PatchPart>());
}

// Writes the inputs of `quads` quads of a part, from its quad `first` on, to the warp, at `to` bytes in each register.
function fillPart<E>(geometry: Geometry, control: Stage, patch: PatchPart, first: u32, to: usize, quads: u32): void {
  const evaluation = changetype<Stage>(control.next);
  const t = tessellationOf(geometry, evaluation);
  const part = changetype<PatternPart>(patch.part);
  const input = inputOf(geometry, control);
  const lane = (<usize>patch.lane) << 2;
  const list = listOf(geometry, control).primitives + (t.firstPatch + patch.lane) * control.corners * 2;
  const instance = load<u32>(input.laneInstances + lane);
  const registers = geometry.registers + to;
  const from = part.numbers + ((<usize>first) << 4);
  const bytes = (<usize>part.quads) << 4;
  copyQuads<E>(t.laneVertices + to, from, quads);
  splat<E>(t.laneInstances + to, instance, quads);
  if (evaluation.coordU >= 0) copyQuads<E>(registers + evaluation.coordU * REGISTER_BYTES, from + bytes, quads);
  if (evaluation.coordV >= 0) copyQuads<E>(registers + evaluation.coordV * REGISTER_BYTES, from + 2 * bytes, quads);
  if (evaluation.coordW >= 0) copyQuads<E>(registers + evaluation.coordW * REGISTER_BYTES, from + 3 * bytes, quads);
  if (evaluation.instanceIndex >= 0) splat<E>(registers + evaluation.instanceIndex * REGISTER_BYTES, instance, quads);
  if (evaluation.primitiveIndex >= 0) {
    const number = load<u32>(input.laneNumbers + lane);
    splat<E>(registers + evaluation.primitiveIndex * REGISTER_BYTES, number, quads);
  }
  let register = registers;
  for (let i = 0; i < evaluation.components; i++, register += REGISTER_BYTES)
    splat<E>(register, load<u32>(valuesOf(t) + i * REGISTER_BYTES + lane), quads);
  const end = evaluation.words + (evaluation.wordCount << 3);
  for (let word = evaluation.words; word < end; word += 8, register += REGISTER_BYTES) {
    const vertex = load<u16>(list + (load<u32>(word) << 1));
    const scalar = input.vertices + load<u32>(word, 4) * (BATCH_VERTICES * 4);
    splat<E>(register, load<u32>(scalar + ((<usize>vertex) << 2)), quads);
  }
}

// Writes the inputs of a warp for the batch's quads from `first` on.
function fillWarp<E>(geometry: Geometry, control: Stage, first: u32, quads: u32): void {
  const t = tessellationOf(geometry, changetype<Stage>(control.next));
  const end = first + quads;
  for (let quad = first; quad < end;) {
    const patch = partAt(t, t.partAt);
    const behind = patch.quad + changetype<PatternPart>(patch.part).quads;
    const stop = min<u32>(end, behind);
    fillPart<E>(geometry, control, patch, quad - patch.quad, (quad - first) << 4, stop - quad);
    quad = stop;
    if (stop == behind) t.partAt++;
  }
}

/** Number of vertices of the batch, including padding. */
export function verticesOfBatch(geometry: Geometry, control: Stage): u32 {
  return tessellationOf(geometry, changetype<Stage>(control.next)).batchQuads << 2;
}

/** Evaluates the batch's vertices and passes them to the next stages. */
export function evaluatePatches<E>(geometry: Geometry, control: Stage): i32 {
  const evaluation = changetype<Stage>(control.next);
  const t = tessellationOf(geometry, evaluation);
  const registers = geometry.registers;
  const outputs = registers + evaluation.program.inputs * REGISTER_BYTES;
  const after = changetype<Stage>(evaluation.next);
  // The register file of a following vertex stage overlaps this stage's constants.
  const overlaid = after ? after.kind == STAGE_VERTEX : false;
  const total = t.batchQuads;
  t.partAt = 0;
  geometry.codes = 0;
  bindStage(geometry, evaluation, registers);
  for (let first: u32 = 0; first < total; first += WARP_QUADS) {
    const quads = min<u32>(WARP_QUADS, total - first);
    if (overlaid && first) bindStage(geometry, evaluation, registers);
    fillWarp<E>(geometry, control, first, quads);
    let status = runStage(geometry, quads);
    if (status != STATUS_DONE) return status;
    countWarp(geometry, evaluation);
    status = runStages(geometry, evaluation, outputs, t.laneVertices, t.laneInstances, quads);
    if (status != STATUS_DONE) return status;
    const next = geometry.nextStage;
    if (isSetup(next)) packWarp<E>(geometry, quads, first << 2);
    else storeVertices(geometry, next, quads, first << 2, t.laneVertices, t.laneInstances);
    geometry.pass.statistics.warpsVertex += 1;
  }
  return STATUS_DONE;
}

/**
 * Lists the batch's primitives, patch by patch, in the input of the next stage with the numbers of their patches, or in
 * setup's list. Returns their number.
 */
export function listParts<E>(geometry: Geometry, control: Stage, next: Stage): u32 {
  const evaluation = changetype<Stage>(control.next);
  const t = tessellationOf(geometry, evaluation);
  const corners = cornersOf(evaluation.topology);
  const given = inputOf(geometry, control).laneNumbers;
  let list = isSetup(next) ? geometry.primitiveList : listOf(geometry, next).primitives;
  let numbers: usize = isSetup(next) ? 0 : listOf(geometry, next).numbers;
  const patches = listOf(geometry, control);
  let viewports: usize = isSetup(next) || !control.hasViewports ? 0 : listOf(geometry, next).viewports;
  let vertices: u32 = 0;
  for (let i: u32 = 0; i < t.batchParts; i++) {
    const patch = partAt(t, i);
    const part = changetype<PatternPart>(patch.part);
    const end = list + part.primitives * corners * 2;
    moveNumbers<E>(list, end, cornersOfPart(part), patch.quad << 2);
    list = end;
    vertices += part.vertices;
    if (!numbers) continue;
    if (viewports) {
      memory.fill(viewports, load<u8>(patches.viewports + t.firstPatch + patch.lane), part.primitives);
      viewports += part.primitives;
    }
    const number = load<u32>(given + (patch.lane << 2));
    for (const stop = numbers + (part.primitives << 2); numbers < stop; numbers += 4) store<u32>(numbers, number);
  }
  geometry.pass.statistics.verticesShaded += vertices;
  addTo(evaluation, offsetof<Stage>('verticesOut'), vertices);
  addTo(evaluation, offsetof<Stage>('primitivesOut'), t.batchPrimitives);
  return t.batchPrimitives;
}

// Copies vertex numbers and adds `first` to each. May write past the end; the next part overwrites that.
function moveNumbers<E>(to: usize, end: usize, from: usize, first: u32): void {
  if (isVector<E>()) {
    const before = i16x8.splat(<i16>first);
    for (; to < end; to += 16, from += 16) v128.store(to, i16x8.add(v128.load(from), before));
  } else for (; to < end; to += 2, from += 2) store<u16>(to, <u16>(load<u16>(from) + first));
}

// Adds the remaining parts of a patch to the batch. Returns false if the batch is full. If setup follows directly,
// parts that were set up before an interruption are skipped.
function addParts(geometry: Geometry, t: Tessellation): bool {
  for (; t.partsLeft; t.partsLeft--) {
    const part = changetype<PatternPart>(t.nextPart);
    if (t.isLast && !t.batchParts && geometry.emitted + part.primitives <= geometry.cursor)
      geometry.emitted += part.primitives;
    else {
      if (
        t.batchParts == BATCH_PARTS
        || (t.batchQuads + part.quads) << 2 > <u32>BATCH_VERTICES
        || t.batchPrimitives + part.primitives > <u32>BATCH_PRIMITIVES
      )
        return false;
      const patch = partAt(t, t.batchParts++);
      patch.part = t.nextPart;
      patch.lane = t.lane;
      patch.quad = t.batchQuads;
      t.batchQuads += part.quads;
      t.batchPrimitives += part.primitives;
    }
    t.nextPart += part.length;
  }
  t.lane++;
  return true;
}

/** Fills the next batch. Returns false when the group is done. */
export function fillPatches(geometry: Geometry, control: Stage): bool {
  const evaluation = changetype<Stage>(control.next);
  const t = tessellationOf(geometry, evaluation);
  t.batchParts = 0;
  t.batchQuads = 0;
  t.batchPrimitives = 0;
  if (t.partsLeft) addParts(geometry, t);
  while (!t.partsLeft && t.lane < t.lanes) {
    if (!clampLevels(evaluation, t, t.lane, nextPattern(t))) {
      t.lane++;
      continue;
    }
    let pattern = findPattern(evaluation, t);
    if (!pattern) {
      // The batch uses its patterns until it is done.
      if (t.batchParts) return true;
      discardPatterns(evaluation, t);
      clampLevels(evaluation, t, t.lane, nextPattern(t));
      pattern = findPattern(evaluation, t);
    }
    t.kept++;
    t.partsLeft = pattern.parts;
    t.nextPart = changetype<usize>(pattern.first);
    addParts(geometry, t);
  }
  if (t.batchParts) return true;
  addTo(control, offsetof<Stage>('primitivesOut'), t.kept);
  addTo(evaluation, offsetof<Stage>('primitivesIn'), t.kept);
  return false;
}

/**
 * Takes the control stage's outputs for `lanes` patches of its input, from `first` on. `isLast` is the value of
 * Tessellation.isLast.
 */
export function beginPatches(geometry: Geometry, control: Stage, first: u32, lanes: u32, isLast: bool): void {
  const evaluation = changetype<Stage>(control.next);
  const t = tessellationOf(geometry, evaluation);
  const results = geometry.registers + control.program.inputs * REGISTER_BYTES;
  memory.copy(t.levels, results, TESS_LEVELS * REGISTER_BYTES);
  memory.copy(valuesOf(t), results + TESS_LEVELS * REGISTER_BYTES, control.outputs * REGISTER_BYTES);
  countWarp(geometry, control);
  addTo(control, offsetof<Stage>('primitivesIn'), lanes);
  geometry.pass.statistics.warpsVertex += 1;
  t.firstPatch = first;
  t.lanes = lanes;
  t.lane = 0;
  t.partsLeft = 0;
  t.kept = 0;
  t.isLast = u32(isLast);
}
