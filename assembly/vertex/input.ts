import { Geometry, Stage, StageInput } from '../layout';

/** Where the STAGE INPUT of a stage that is not run for vertices lies. */
export function inputOf(geometry: Geometry, stage: Stage): StageInput {
  return changetype<StageInput>(geometry.stageInputs + stage.input);
}
