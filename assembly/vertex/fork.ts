// Forks of modular pipelines: the output of one run of the preceding stages goes to several following stages, and to
// sinks of several kinds. A packet with several consumers is stored in a STAGE INPUT. Each branch runs to its end,
// including its sink, before the next one begins (amplify.ts).
//
//                     ┌─► vertex stages ─► setup, or the next input
//   STAGE INPUT of ───┼─► groups of an emitting stage ─► …
//   the fork          └─► buffer, or setup, as it is
//
// A stage that keeps some primitives and drops others (primitive.ts) is followed by branches, too.
import {
  BATCH_VERTICES,
  Draw,
  Geometry,
  REGISTER_BYTES,
  Stage,
  STAGE_FORK,
  STAGE_PRIMITIVE,
  STAGE_SETUP,
  STAGE_VERTEX,
  STAGE_VIEWPORTS,
  STATUS_DONE,
  WARP_QUADS,
} from '../layout';
import { indicesOf, inputOf } from './input';
import { prepareSetup } from './prepare';
import { fillBuiltins, isSetup, pack, runTable, storeVertices } from './shade';
import { cornersOf } from './strip';

/**
 * Packs vertices for setup whose position and varyings are the registers from Geometry.results on, as numbers from
 * `first` on.
 */
export function packWarp<E>(geometry: Geometry, quads: i32, first: u32): void {
  const results = geometry.results;
  const count = geometry.draw.varyingCount;
  for (let i = 0; i < count; i++) store<u32>(geometry.sources + (i << 2), results + (4 + i) * REGISTER_BYTES);
  pack<E>(geometry, results, quads, first);
}

/** Makes the draw of a branch's sink current, if no other fork comes before that sink. */
export function enterSink(geometry: Geometry, main: Draw, first: Stage): void {
  geometry.draw = main;
  let end = first;
  while (end.next) end = changetype<Stage>(end.next);
  if (end.kind == STAGE_FORK || end.kind == STAGE_PRIMITIVE) return;
  const draw = changetype<Draw>(load<usize>(main.sinkDraws + (end.sinkNumber << 2)));
  geometry.draw = draw;
  geometry.setupCorners = cornersOf(draw.setupTopology);
  if (end.kind == STAGE_SETUP) prepareSetup(geometry, draw);
}

/** Whether a branch ends in setup and is skipped, because this run only counts the vertices for buffers. */
export function isSkippedWhenCounting(main: Draw, first: Stage): bool {
  if (!main.sinkCounting) return false;
  let end = first;
  while (end.next) end = changetype<Stage>(end.next);
  return end.kind == STAGE_SETUP || end.kind == STAGE_VIEWPORTS;
}

/**
 * Copies one warp of a fork's vertices, from number `first` on, to the registers that are the inputs of a following
 * stage.
 */
export function loadWarp(geometry: Geometry, vertices: usize, stage: Stage, first: u32, quads: i32): void {
  const bytes = (<usize>quads) << 4;
  const from = vertices + (first << 2);
  let to = geometry.registers;
  let source = stage.sources;
  for (let i = stage.components; i > 0; i--, source += 4, to += REGISTER_BYTES)
    memory.copy(to, from + load<u32>(source) * (BATCH_VERTICES * 4), bytes);
}

/** Runs a fork's vertices through the vertex stages of a branch. Geometry.nextStage is the stage after these. */
export function runVertices<E>(geometry: Geometry, fork: Stage, stage: Stage, vertices: u32): i32 {
  const input = inputOf(geometry, fork);
  const statistics = geometry.pass.statistics;
  for (let first: u32 = 0; first < vertices; first += WARP_QUADS * 4) {
    const quads = <i32>min<u32>(WARP_QUADS, (vertices - first + 3) >> 2);
    const indices = indicesOf(input, fork) + (first << 2);
    const instances = input.instances + (first << 2);
    loadWarp(geometry, input.vertices, stage, first, quads);
    if (stage.kind == STAGE_VERTEX) {
      fillBuiltins(stage, geometry.registers, indices, instances, quads);
      statistics.warpsVertex += 1;
      statistics.verticesShaded += min<u32>(WARP_QUADS * 4, vertices - first);
    }
    const status = runTable(geometry, stage, indices, instances, quads);
    if (status != STATUS_DONE) return status;
    const next = geometry.nextStage;
    if (isSetup(next)) packWarp<E>(geometry, quads, first);
    else storeVertices(geometry, next, quads, first, indices, instances);
  }
  return STATUS_DONE;
}
