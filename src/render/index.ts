export {
  defaultBudgets,
  distributions,
  workerKinds,
  type Budgets,
  type Distribution,
  type WorkerKind,
} from './budgets';
export * from './create-device';
export * from './device';
export { defaultRenderOptions, defaultScheduler, type RenderDeviceOptions } from './device-options';
export { loadKernel } from './kernel-builds';
export { MAX_SLOTS } from '../../assembly/layout/late/work-codes';
export { priorities, type Scheduler } from './workspace/workspace-types';
export { openCachedRecords, type RecordCache, type RecordCaches } from './shaders/stored/cached-records';
export { ShaderCache, type RecordStore } from './shaders/stored/shader-cache';
export { sharedMath } from './shaders/constant-math';
export { engines, type Engine } from './shaders/engine';
export { minStreamBytes } from './resources/streams';
export type * from './types';
