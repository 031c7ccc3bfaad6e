// Shading of a batch: warps of 64 vertices, filled across instances; inputs fetched, program run, outputs packed.
import * as D from '../layout/draw';
import { GEOMETRY_DRAW, GEOMETRY_PASS, GEOMETRY_REGISTERS } from '../layout/geometry';
import { LOOP_CHECK_INTERVAL, REGISTER_BYTES, WARP_QUADS } from '../layout/limits';
import { PASS_STATISTICS, STAT_VERTICES_SHADED, STAT_WARPS_VERTEX } from '../layout/pass';
import { WARP_EXEC, WARP_KILLED, WARP_LOOP_BUDGET, WARP_PROGRAM, WARP_QUAD_COUNT, WARP_REGISTERS, WARP_RESOURCES } from '../layout/program';
import { STATUS_DONE, STATUS_YIELD } from '../layout/status';
import { runWarp } from '../warp/run';
import { fetchAttribute } from './fetch';
import { fetchAttributeScalar } from './fetch.scalar';
import { packVertices } from './project';
import { packVerticesScalar } from './project.scalar';
import * as S from './state';

/** Makes the warp record of a draw. */
export function bindWarp(geometry: usize, draw: usize): void {
  const warp = geometry + S.STATE_WARP;
  store<u32>(warp + WARP_PROGRAM, load<u32>(draw + D.DRAW_VERTEX_PROGRAM));
  store<u32>(warp + WARP_REGISTERS, load<u32>(geometry + GEOMETRY_REGISTERS));
  store<u32>(warp + WARP_RESOURCES, load<u32>(draw + D.DRAW_VERTEX_RESOURCES));
  store<i32>(warp + WARP_LOOP_BUDGET, LOOP_CHECK_INTERVAL);
}

// Vertex or instance numbers, straight into the register of a built-in value.
// @ts-ignore: decorator
@inline function fillBuiltin(register: i32, registers: usize, numbers: usize, quads: i32): void {
  if (register >= 0) memory.copy(registers + <usize>register * REGISTER_BYTES, numbers, <usize>quads << 4);
}

function fetchInputs<E>(geometry: usize, draw: usize, indices: usize, instances: usize, quads: i32): void {
  const registers = <usize>load<u32>(geometry + GEOMETRY_REGISTERS);
  const attributes = load<i32>(draw + D.DRAW_ATTRIBUTE_COUNT);
  let attribute = <usize>load<u32>(draw + D.DRAW_ATTRIBUTES);
  for (let i = 0; i < attributes; i++, attribute += D.ATTRIBUTE_BYTES) {
    const elements = load<i32>(attribute + D.ATTRIBUTE_PER_INSTANCE) ? instances : indices;
    if (isVector<E>()) fetchAttribute(attribute, elements, quads << 2, registers, geometry + S.STATE_SCRATCH);
    else fetchAttributeScalar(attribute, elements, quads << 2, registers, geometry + S.STATE_SCRATCH);
  }
  fillBuiltin(load<i32>(draw + D.DRAW_VERTEX_INDEX_REGISTER), registers, indices, quads);
  fillBuiltin(load<i32>(draw + D.DRAW_INSTANCE_INDEX_REGISTER), registers, instances, quads);
}

// The last quad of a batch is filled up with its own last vertex.
function padBatch(geometry: usize, vertices: i32): void {
  const lastIndex = load<u32>(geometry + S.STATE_INDICES + (<usize>(vertices - 1) << 2));
  const lastInstance = load<u32>(geometry + S.STATE_INSTANCES + (<usize>(vertices - 1) << 2));
  for (let i = vertices; i & 3; i++) {
    store<u32>(geometry + S.STATE_INDICES + (<usize>i << 2), lastIndex);
    store<u32>(geometry + S.STATE_INSTANCES + (<usize>i << 2), lastInstance);
  }
}

// Vertex and instance numbers of one warp of ranges, from vertex `first` of the batch on, to the front of the lists.
function numberRange(geometry: usize, draw: usize, first: u32, lanes: u32): void {
  const count = load<u32>(draw + D.DRAW_RANGE_COUNT);
  const start = load<u32>(draw + D.DRAW_RANGE_FIRST) + load<u32>(draw + D.DRAW_BASE_VERTEX);
  let instance = load<u32>(geometry + S.STATE_RANGE_INSTANCE) + load<u32>(draw + D.DRAW_FIRST_INSTANCE) + first / count;
  let vertex = first % count;
  for (let lane: usize = 0; lane < <usize>lanes; lane++) {
    store<u32>(geometry + S.STATE_INDICES + (lane << 2), start + vertex);
    store<u32>(geometry + S.STATE_INSTANCES + (lane << 2), instance);
    if (++vertex == count) {
      vertex = 0;
      instance++;
    }
  }
  padBatch(geometry, lanes);
}

/**
 * Shades the batch's vertices, from STATE_SHADED on. STATUS_YIELD after BATCH_VERTICES of them, to be called again; anything else but
 * STATUS_DONE comes from the program.
 */
export function shadeBatch<E>(geometry: usize): i32 {
  const draw = <usize>load<u32>(geometry + GEOMETRY_DRAW);
  const warp = geometry + S.STATE_WARP;
  const setup = geometry + S.STATE_SETUP;
  const vertices = load<i32>(geometry + S.STATE_VERTICES);
  const ranges = load<i32>(geometry + S.STATE_RANGE) != 0;
  const position = <usize>load<u32>(geometry + GEOMETRY_REGISTERS) + <usize>load<i32>(draw + D.DRAW_POSITION_REGISTER) * REGISTER_BYTES;
  const statistics = <usize>load<u32>(<usize>load<u32>(geometry + GEOMETRY_PASS) + PASS_STATISTICS);
  if (!ranges) padBatch(geometry, vertices);
  const begin = load<i32>(geometry + S.STATE_SHADED);
  const end = vertices - begin > S.BATCH_VERTICES ? begin + S.BATCH_VERTICES : vertices;
  for (let first = begin; first < end; first += WARP_QUADS * 4) {
    const quads = min<i32>(WARP_QUADS, (vertices - first + 3) >> 2);
    if (ranges) numberRange(geometry, draw, first, min<i32>(WARP_QUADS * 4, vertices - first));
    const list: usize = ranges ? 0 : <usize>first << 2;
    fetchInputs<E>(geometry, draw, geometry + S.STATE_INDICES + list, geometry + S.STATE_INSTANCES + list, quads);
    store<i32>(warp + WARP_QUAD_COUNT, quads);
    memory.fill(warp + WARP_EXEC, 0xff, <usize>quads << 4);
    memory.fill(warp + WARP_KILLED, 0, <usize>quads << 4);
    const status = runWarp(warp);
    if (status != STATUS_DONE) {
      store<i32>(geometry + S.STATE_SHADED, first);
      return status;
    }
    let codes: i32;
    if (isVector<E>()) codes = packVertices(setup, quads, position, geometry + S.STATE_SOURCES, first);
    else codes = packVerticesScalar(setup, quads, position, geometry + S.STATE_SOURCES, first);
    store<i32>(geometry + S.STATE_CODES, load<i32>(geometry + S.STATE_CODES) | codes);
    store<u32>(statistics + STAT_WARPS_VERTEX, load<u32>(statistics + STAT_WARPS_VERTEX) + 1);
    store<u32>(statistics + STAT_VERTICES_SHADED, load<u32>(statistics + STAT_VERTICES_SHADED) + min<i32>(WARP_QUADS * 4, vertices - first));
  }
  store<i32>(geometry + S.STATE_SHADED, end);
  return end < vertices ? STATUS_YIELD : STATUS_DONE;
}
