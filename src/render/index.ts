export * from './device';
export { engines, type Engine } from './engine';
export type * from './types';
