// Checks a modular pipeline against what the device has: the budget for the inputs that wait for its stages
// (create({ budgets })), and workers.
import type { PipelineStore, WorkerSet } from '../../render/types';
import type { TableSink } from './modular-slots';
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

/** The workers that a descriptor names. They must exist, and be able to run everything that the pipeline does. */
export function workerSet(
  { render }: DeviceCore,
  workers: readonly number[] | undefined,
  sinks: readonly TableSink[],
  no: Fail
): WorkerSet {
  if (workers === undefined) return null;
  const kinds = render.workerStatistics().map(({ kind }) => kind);
  const count = Math.max(1, kinds.length);
  const are =
    count === 1 ? 'this device has 1 worker, number 0' : `this device has ${count} workers, numbers 0 to ${count - 1}`;
  if (workers.length === 0) no(`workers is empty, but ${are}: name at least one, or leave workers out`);
  const missing = workers.find((worker) => worker >= count);
  if (missing !== undefined) no(`workers names worker ${missing}, but ${are}: see create({ threads })`);
  const draws = sinks.some(({ kind }) => kind === 'raster');
  for (const [work, other] of [['vertices', 'pixels'] as const, ...(draws ? [['pixels', 'vertices'] as const] : [])])
    if (workers.every((worker) => kinds[worker] === other))
      no(
        `workers names ${workers.join(', ')}, which only run ${other} (create({ workerKinds })), `
          + `but the pipeline has ${work} as well: add a worker of kind "${work}" or "any"`
      );
  return new Set(workers);
}
