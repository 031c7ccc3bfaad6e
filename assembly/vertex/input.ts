import { BATCH_VERTICES, Geometry, PrimitiveList, Stage, StageInput } from '../layout';

/** Indices of the vertices in the STAGE INPUT of a fork, or of what vertices pass. */
export function indicesOf(input: StageInput, stage: Stage): usize {
  return input.vertices + stage.outputs * (BATCH_VERTICES * 4);
}

/** Where the STAGE INPUT of a stage that is not run for vertices lies. */
export function inputOf(geometry: Geometry, stage: Stage): StageInput {
  return changetype<StageInput>(geometry.stageInputs + stage.input);
}

/** The primitives that come to a stage. */
export function listOf(geometry: Geometry, stage: Stage): PrimitiveList {
  return changetype<PrimitiveList>(geometry.stageInputs + stage.list);
}

/** The primitives that go on behind a fork, or a stage that keeps some. */
export function keptBy(geometry: Geometry, stage: Stage): PrimitiveList {
  return changetype<PrimitiveList>(geometry.stageInputs + stage.kept);
}
