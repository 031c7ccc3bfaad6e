export {
  defaultBudgets,
  distributions,
  workerKinds,
  type Budgets,
  type Distribution,
  type WorkerKind,
} from './budgets';
export * from './device';
export { MOST_SLOTS } from '../../assembly/layout/texture-stream-codes';
export { priorities, type Priority, type Scheduler } from './workspace';
export { engines, type Engine } from './engine';
export { leastStreamBytes } from './streams';
export type * from './types';
