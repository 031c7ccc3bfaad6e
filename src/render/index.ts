export { noBudgets, workerKinds, type Budgets, type WorkerKind } from './budgets';
export * from './device';
export { engines, type Engine } from './engine';
export type * from './types';
