export {
  defaultBudgets,
  distributions,
  workerKinds,
  type Budgets,
  type Distribution,
  type WorkerKind,
} from './budgets';
export * from './device';
export { defaultRenderOptions, defaultScheduler } from './device-options';
export { MAX_SLOTS } from '../../assembly/layout/texture/texture-stream-codes';
export { priorities, type Scheduler } from './workspace/workspace-types';
export { engines, type Engine } from './shaders/engine';
export { minStreamBytes } from './resources/streams';
export type * from './types';
