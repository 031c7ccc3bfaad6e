// Whether a table is within the budget of what waits for its stages (create({ budgets })).
import type { PipelineStore } from '../render/types';
import type { DeviceCore } from './device-core';
import type { No } from './pipeline-checks';

/** `slots`: of the pipeline's vertex stages. What does not fit is given back before it is refused. */
export function checkStageInputs(device: DeviceCore, store: PipelineStore, slots: readonly number[], no: No): void {
  const { stageInputBytes: budget } = device.render.budgets, { inputBytes, inputsOfStages } = store;
  if (budget === null || inputBytes <= budget) return;
  store.destroy();
  const needs = inputsOfStages.map(({ of, bytes }) => {
    if ('stage' in of) return `slot ${slots[of.stage]} ${bytes}`;
    return 'sink' in of ? `the buffer of sinks[${of.sink}] ${bytes}` : `a fork into ${of.fork} ${bytes}`;
  });
  no(`what waits for its stages takes ${inputBytes} bytes for one worker (${needs.join(', ')}); create({ budgets: { stageInputBytes } }) says ${budget}: give it more, or have fewer stages emit, or less pass between them`);
}
