import { BATCH_VERTICES, Geometry, Stage, StageInput } from '../layout';

/** Indices of the vertices in the STAGE INPUT of a fork. */
export function indicesOf(input: StageInput, fork: Stage): usize {
  return input.vertices + fork.components * (BATCH_VERTICES * 4);
}

/** Where the STAGE INPUT of a stage that is not run for vertices lies. */
export function inputOf(geometry: Geometry, stage: Stage): StageInput {
  return changetype<StageInput>(geometry.stageInputs + stage.input);
}
