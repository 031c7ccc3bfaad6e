// Checks a modular pipeline against the budget for the inputs that wait for its stages (create({ budgets })).
import type { PipelineStore } from '../render/types';
import type { DeviceCore } from './device-core';
import type { No } from './pipeline-checks';

/** `slots` are the slots of the pipeline's vertex stages. A pipeline over budget is destroyed before it is refused. */
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
