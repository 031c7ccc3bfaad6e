export * from './device';
export type * from './types';
