// Checks a modular pipeline against the budget for the inputs that wait for its stages (create({ budgets })).
import type { PipelineStore } from '../../render/types';
import type { DeviceCore, Fail } from '../core/device-core';

/** `slots` are the slots of the pipeline's vertex stages. A pipeline over budget is destroyed before it is refused. */
export function checkStageInputs(device: DeviceCore, store: PipelineStore, slots: readonly number[], no: Fail): void {
  const { stageInputBytes: budget } = device.render.budgets;
  const { inputBytes, inputsOfStages } = store;
  if (budget === null || inputBytes <= budget) return;
  store.destroy();
  const needs = inputsOfStages.map(({ of, bytes }) => {
    if ('stage' in of) return `slot ${slots[of.stage]} ${bytes}`;
    return 'sink' in of ? `the buffer of sinks[${of.sink}] ${bytes}` : `a fork into ${of.fork} branches ${bytes}`;
  });
  no(
    `the queued inputs of its stages need ${inputBytes} bytes for each worker (${needs.join(', ')}), `
      + `but create({ budgets: { stageInputBytes } }) is ${budget}: raise it, use fewer stages that emit vertices, `
      + 'or pass less data between stages'
  );
}
