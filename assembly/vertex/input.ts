import { Geometry, PrimitiveList, Stage, StageInput } from '../layout';

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
