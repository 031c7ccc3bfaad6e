import { BATCH_VERTICES, Geometry, PrimitiveList, Stage, STAGE_PRIMITIVE, StageInput } from '../layout';

/** Indices of the vertices in the STAGE INPUT of a fork, or of a stage that passes vertices on. */
export function indicesOf(input: StageInput, stage: Stage): usize {
  return input.vertices + stage.outputs * (BATCH_VERTICES * 4);
}

/** The STAGE INPUT of a stage that does not run per vertex. */
export function inputOf(geometry: Geometry, stage: Stage): StageInput {
  return changetype<StageInput>(geometry.stageInputs + stage.input);
}

/** The list of primitives that a stage takes. */
export function listOf(geometry: Geometry, stage: Stage): PrimitiveList {
  return changetype<PrimitiveList>(geometry.stageInputs + stage.list);
}

/** The list of primitives that leave a fork, or a stage that keeps some primitives. */
export function outputListOf(geometry: Geometry, stage: Stage): PrimitiveList {
  return changetype<PrimitiveList>(geometry.stageInputs + stage.kept);
}

/** Number of scalars of each vertex in the STAGE INPUT of an emitting stage or of a fork. */
export function storedScalars(stage: Stage): i32 {
  return stage.kind == STAGE_PRIMITIVE ? stage.outputs : stage.components;
}

/** Bytes of a vertex with that many scalars in a shared range. */
export function sharedStride(scalars: i32): u32 {
  return ((scalars + 3) & ~3) << 2;
}
