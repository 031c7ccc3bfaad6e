// Shades a batch in warps of 64 vertices, filled across instances: fetches inputs, runs the shader, packs the outputs.
import {
  Attribute,
  BATCH_VERTICES,
  Draw,
  Geometry,
  LOOP_CHECK_INTERVAL,
  REGISTER_BYTES,
  sizeOf,
  Stage,
  STAGE_FORK,
  STAGE_PRIMITIVE,
  STAGE_SETUP,
  STAGE_VERTEX,
  STAT_FLAG_STAGES,
  STATUS_DONE,
  STATUS_YIELD,
  WARP_QUADS,
} from '../layout';
import { bindProgram, runWarp } from '../warp/run';
import { packDistances } from './clipping/distances';
import { packDistancesScalar } from './clipping/distances.scalar';
import { fetchAttribute } from './fetch/fetch';
import { indicesOf, inputOf, sharedStride, storedScalars } from './input';
import { fetchAttributeScalar } from './fetch/fetch.scalar';
import { packVertices } from './clipping/project';
import { packVerticesScalar } from './clipping/project.scalar';
import { storePackets } from './shared-packets';
import { storePacketsScalar } from './shared-packets.scalar';

/** Prepares the warp record for a draw call and binds its first stage. */
export function bindWarp(geometry: Geometry, draw: Draw): void {
  geometry.warp.loopBudget = LOOP_CHECK_INTERVAL;
  const read = geometry.warp.access.quadRead;
  read.misses = geometry.misses;
  read.worker = geometry.worker;
  read.decoded = geometry.decoded;
  if (draw.vertex.kind != STAGE_FORK) bindStage(geometry, draw.vertex, geometry.registers);
}

/** Binds the warp to a stage. `registers` is the address of its register file. */
export function bindStage(geometry: Geometry, stage: Stage, registers: usize): void {
  const warp = geometry.warp;
  warp.program = stage.program;
  warp.registers = registers;
  warp.resources = stage.resources;
  bindProgram(warp, stage.uniforms);
}

// Copies vertex or instance numbers to the register of a built-in value.
function fillBuiltin(register: i32, registers: usize, numbers: usize, quads: i32): void {
  if (register >= 0) memory.copy(registers + register * REGISTER_BYTES, numbers, quads << 4);
}

function fetchInputs<E>(geometry: Geometry, draw: Draw, indices: usize, instances: usize, quads: i32): void {
  const registers = geometry.registers;
  const attributes = draw.attributeCount;
  let attribute = changetype<usize>(draw.attributes);
  for (let i = 0; i < attributes; i++, attribute += sizeOf<Attribute>()) {
    const elements = changetype<Attribute>(attribute).perInstance ? instances : indices;
    if (isVector<E>())
      fetchAttribute(changetype<Attribute>(attribute), elements, quads << 2, registers, geometry.scratch);
    else fetchAttributeScalar(changetype<Attribute>(attribute), elements, quads << 2, registers, geometry.scratch);
  }
  if (draw.vertex.kind == STAGE_VERTEX) fillBuiltins(draw.vertex, registers, indices, instances, quads);
}

/** Writes vertex and instance numbers to the inputs of a vertex stage. */
export function fillBuiltins(stage: Stage, registers: usize, indices: usize, instances: usize, quads: i32): void {
  fillBuiltin(stage.vertexIndex, registers, indices, quads);
  fillBuiltin(stage.instanceIndex, registers, instances, quads);
}

/** Adds to a counter of a stage, whose record is shared by all workers. */
export function addTo(stage: Stage, counter: usize, n: u32): void {
  atomic.add<u32>(changetype<usize>(stage) + counter, n);
}

/** Counts a warp of a vertex stage, and notes the worker that ran it. */
export function countWarp(geometry: Geometry, stage: Stage): void {
  addTo(stage, offsetof<Stage>('runs'), 1);
  const worker = geometry.worker;
  const words = changetype<usize>(stage) + offsetof<Stage>('workersLow') + (((<usize>worker) >> 5) << 2);
  const bit: u32 = 1 << (worker & 31);
  if (!(atomic.load<u32>(words) & bit)) atomic.or<u32>(words, bit);
}

/** Runs the bound stage on `quads` quads with all lanes active. */
export function runStage(geometry: Geometry, quads: i32): i32 {
  const warp = geometry.warp;
  warp.quadCount = quads;
  memory.fill(warp.exec, 0xff, quads << 4);
  memory.fill(warp.killed, 0, quads << 4);
  return runWarp(warp);
}

/**
 * Runs the vertex stages after a stage whose outputs are the registers from `outputs` on, up to the next stage of
 * another kind (Geometry.nextStage). Sets Geometry.results to the address of the final outputs. `indices` and
 * `instances` are the vertices' numbers. A register file overlaps the constants of the previous one, so the warp is
 * bound again for each stage.
 */
export function runStages(
  geometry: Geometry,
  before: Stage,
  outputs: usize,
  indices: usize,
  instances: usize,
  quads: i32
): i32 {
  let results = outputs;
  let stage = changetype<Stage>(before.next);
  while (stage && stage.kind == STAGE_VERTEX) {
    bindStage(geometry, stage, results);
    fillBuiltins(stage, results, indices, instances, quads);
    const status = runStage(geometry, quads);
    if (status != STATUS_DONE) return status;
    countWarp(geometry, stage);
    results += stage.program.inputs * REGISTER_BYTES;
    stage = changetype<Stage>(stage.next);
  }
  geometry.results = results;
  geometry.nextStage = stage;
  return STATUS_DONE;
}

/**
 * Runs the vertex stages of a modular pipeline or of a branch, whose inputs are in place, up to the first stage of
 * another kind. That may be the first stage, which then takes the registers as its input.
 */
export function runTable(geometry: Geometry, first: Stage, indices: usize, instances: usize, quads: i32): i32 {
  const registers = geometry.registers;
  if (first.kind != STAGE_VERTEX) {
    geometry.results = registers;
    geometry.nextStage = first;
    return STATUS_DONE;
  }
  bindStage(geometry, first, registers);
  const status = runStage(geometry, quads);
  if (status != STATUS_DONE) return status;
  countWarp(geometry, first);
  return runStages(geometry, first, registers + first.program.inputs * REGISTER_BYTES, indices, instances, quads);
}

// Whether the pipeline consists of a single vertex shader.
function isPlain(first: Stage): bool {
  return !(first.next | first.kind);
}

// Fills the last quad of a batch with copies of the last vertex.
function padBatch(geometry: Geometry, vertices: i32): void {
  const lastIndex = load<u32>(geometry.indices + ((vertices - 1) << 2));
  const lastInstance = load<u32>(geometry.instances + ((vertices - 1) << 2));
  for (let i = vertices; i & 3; i++) {
    store<u32>(geometry.indices + (i << 2), lastIndex);
    store<u32>(geometry.instances + (i << 2), lastInstance);
  }
}

// Writes the vertex and instance numbers of one warp of index ranges, from the batch's vertex `first` on, to the front
// of the lists.
function numberRange(geometry: Geometry, draw: Draw, first: u32, lanes: u32): void {
  const count = draw.rangeCount;
  const start = draw.rangeFirst + draw.baseVertex;
  let instance = geometry.rangeFirst + draw.firstInstance + first / count;
  let vertex = first % count;
  for (let lane: usize = 0; lane < lanes; lane++) {
    store<u32>(geometry.indices + (lane << 2), start + vertex);
    store<u32>(geometry.instances + (lane << 2), instance);
    if (++vertex == count) {
      vertex = 0;
      instance++;
    }
  }
  padBatch(geometry, lanes);
}

/**
 * Packs shaded vertices for setup, as numbers from `first` on. Geometry.sources holds the addresses of their varyings.
 */
export function pack<E>(geometry: Geometry, position: usize, quads: i32, first: u32): void {
  let codes: i32;
  if (isVector<E>()) codes = packVertices(geometry.setup, quads, position, geometry.sources, first);
  else codes = packVerticesScalar(geometry.setup, quads, position, geometry.sources, first);
  if (geometry.setup.distanceCount) {
    const distances = position + geometry.draw.distanceFrom * REGISTER_BYTES;
    if (isVector<E>()) codes |= packDistances(geometry.setup, quads, distances, first);
    else codes |= packDistancesScalar(geometry.setup, quads, distances, first);
  }
  geometry.codes |= codes;
}

/** Whether primitives at this place go to setup: there is no further stage, or it is the setup sink of a branch. */
export function isSetup(next: Stage): bool {
  return !next || next.kind == STAGE_SETUP;
}

/** Copies vertices (Geometry.results) to the input of an emitting stage or of a fork, as numbers from `first` on. */
export function storeVertices(
  geometry: Geometry,
  stage: Stage,
  quads: i32,
  first: u32,
  indices: usize,
  instances: usize
): void {
  const input = inputOf(geometry, stage);
  const bytes = (<usize>quads) << 4;
  const isPassed = stage.kind == STAGE_PRIMITIVE;
  if (stage.kind == STAGE_FORK || isPassed) memory.copy(indicesOf(input, stage) + (first << 2), indices, bytes);
  memory.copy(input.instances + (first << 2), instances, bytes);
  let to = input.vertices + (first << 2);
  let from = geometry.results;
  for (let i = storedScalars(stage); i > 0; i--) {
    memory.copy(to, from, bytes);
    to += BATCH_VERTICES * 4;
    from += REGISTER_BYTES;
  }
}

// Stores vertices in a range that all workers share, as numbers from `first` on.
function storeShared<E>(geometry: Geometry, stage: Stage, first: u32, quads: i32): void {
  const scalars = storedScalars(stage);
  const to = geometry.shared + first * sharedStride(scalars);
  if (isVector<E>()) storePackets(to, geometry.results, scalars, quads);
  else storePacketsScalar(to, geometry.results, scalars, quads);
}

/**
 * Shades the batch's vertices, from Geometry.shaded on. Returns STATUS_YIELD after BATCH_VERTICES of them, to be called
 * again. Any status other than STATUS_DONE comes from the shader.
 */
export function shadeBatch<E>(geometry: Geometry): i32 {
  const draw = geometry.draw;
  const vertices = <i32>geometry.vertices;
  const plain = isPlain(draw.vertex);
  const ranges = geometry.rangeInstances != 0;
  const position = geometry.registers + draw.positionRegister * REGISTER_BYTES;
  const statistics = geometry.pass.statistics;
  if (!ranges) padBatch(geometry, vertices);
  const begin = geometry.shaded;
  const end = vertices - begin > BATCH_VERTICES ? begin + BATCH_VERTICES : vertices;
  for (let first = begin; first < end; first += WARP_QUADS * 4) {
    const quads = min<i32>(WARP_QUADS, (vertices - first + 3) >> 2);
    if (ranges) numberRange(geometry, draw, first, min<i32>(WARP_QUADS * 4, vertices - first));
    const list: usize = ranges ? 0 : first << 2;
    const indices = geometry.indices + list;
    const instances = geometry.instances + list;
    fetchInputs<E>(geometry, draw, indices, instances, quads);
    const status = plain ? runStage(geometry, quads) : runTable(geometry, draw.vertex, indices, instances, quads);
    if (status != STATUS_DONE) {
      geometry.shaded = first;
      return status;
    }
    const counts = draw.vertex.counter != 0;
    if (!plain || counts) addTo(draw.vertex, offsetof<Stage>('verticesIn'), min<i32>(WARP_QUADS * 4, vertices - first));
    if (plain && (counts || statistics.flags & STAT_FLAG_STAGES)) countWarp(geometry, draw.vertex);
    const next = plain ? changetype<Stage>(0) : geometry.nextStage;
    if (!next) pack<E>(geometry, position, quads, first);
    else if (geometry.shared) storeShared<E>(geometry, next, first, quads);
    else storeVertices(geometry, next, quads, first, indices, instances);
    statistics.warpsVertex += 1;
    statistics.verticesShaded = statistics.verticesShaded + min<i32>(WARP_QUADS * 4, vertices - first);
  }
  geometry.shaded = end;
  return end < vertices ? STATUS_YIELD : STATUS_DONE;
}
