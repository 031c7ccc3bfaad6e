// Shading of a batch: warps of 64 vertices, filled across instances; inputs fetched, program run, outputs packed.
import {
  Attribute, BATCH_VERTICES, Draw, Geometry, LOOP_CHECK_INTERVAL, REGISTER_BYTES, sizeOf, Stage, STATUS_DONE,
  STATUS_YIELD, WARP_QUADS,
} from '../layout';
import { bindProgram, runWarp } from '../warp/run';
import { fetchAttribute } from './fetch';
import { fetchAttributeScalar } from './fetch.scalar';
import { packVertices } from './project';
import { packVerticesScalar } from './project.scalar';

/** Makes the warp record of a draw, bound to its first stage. */
export function bindWarp(geometry: Geometry, draw: Draw): void {
  geometry.warp.loopBudget = LOOP_CHECK_INTERVAL;
  bindStage(geometry, draw.vertex);
}

function bindStage(geometry: Geometry, stage: Stage): void {
  const warp = geometry.warp;
  warp.program = stage.program;
  warp.registers = geometry.registers + stage.firstRegister * REGISTER_BYTES;
  warp.resources = stage.resources;
  bindProgram(warp, stage.uniforms);
}

// Vertex or instance numbers, straight into the register of a built-in value.
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
  fillBuiltins(draw.vertex, registers, indices, instances, quads);
}

function fillBuiltins(stage: Stage, registers: usize, indices: usize, instances: usize, quads: i32): void {
  fillBuiltin(stage.vertexIndex, registers, indices, quads);
  fillBuiltin(stage.instanceIndex, registers, instances, quads);
}

// Runs the stages of a table. The outputs of one are the inputs of the next where they lie. A file lies over the
// constants of the one before it: so the warp is bound anew for each of them, and for the first one, too.
function runTable(geometry: Geometry, first: Stage, indices: usize, instances: usize, quads: i32): i32 {
  const warp = geometry.warp;
  let stage = first;
  bindStage(geometry, stage);
  let status = runWarp(warp);
  while (stage.next && status == STATUS_DONE) {
    stage = changetype<Stage>(stage.next);
    bindStage(geometry, stage);
    fillBuiltins(stage, warp.registers, indices, instances, quads);
    memory.fill(warp.exec, 0xff, quads << 4);
    status = runWarp(warp);
  }
  return status;
}

// The last quad of a batch is filled up with its own last vertex.
function padBatch(geometry: Geometry, vertices: i32): void {
  const lastIndex = load<u32>(geometry.indices + ((vertices - 1) << 2));
  const lastInstance = load<u32>(geometry.instances + ((vertices - 1) << 2));
  for (let i = vertices; i & 3; i++) {
    store<u32>(geometry.indices + (i << 2), lastIndex);
    store<u32>(geometry.instances + (i << 2), lastInstance);
  }
}

// Vertex and instance numbers of one warp of ranges, from vertex `first` of the batch on, to the front of the lists.
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
 * Shades the batch's vertices, from Geometry.shaded on. STATUS_YIELD after BATCH_VERTICES of them, to be called again;
 * anything else but STATUS_DONE comes from the program.
 */
export function shadeBatch<E>(geometry: Geometry): i32 {
  const draw = geometry.draw;
  const warp = geometry.warp;
  const setup = geometry.setup;
  const vertices = <i32>geometry.vertices;
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
    warp.quadCount = quads;
    memory.fill(warp.exec, 0xff, quads << 4);
    memory.fill(warp.killed, 0, quads << 4);
    const status = draw.vertex.next ? runTable(geometry, draw.vertex, indices, instances, quads) : runWarp(warp);
    if (status != STATUS_DONE) {
      geometry.shaded = first;
      return status;
    }
    let codes: i32;
    if (isVector<E>()) codes = packVertices(setup, quads, position, geometry.sources, first);
    else codes = packVerticesScalar(setup, quads, position, geometry.sources, first);
    geometry.codes |= codes;
    statistics.warpsVertex += 1;
    statistics.verticesShaded = statistics.verticesShaded + min<i32>(WARP_QUADS * 4, vertices - first);
  }
  geometry.shaded = end;
  return end < vertices ? STATUS_YIELD : STATUS_DONE;
}
