export * from './executor';
export { UNIT_BYTES } from './groups';
export * from './page-loads';
export * from './progress-clock';
export * from './queue';
export * from './serve';
export * from './team';
export * from './trace';
export * from './turn';
