export { noBudgets, workerKinds, type Budgets, type WorkerKind } from './budgets';
export * from './device';
export { engines, type Engine } from './engine';
export { leastStreamBytes } from './streams';
export type * from './types';
