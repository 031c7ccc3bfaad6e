export * from './executor';
export * from './page-loads';
export * from './progress-clock';
export * from './queue';
export * from './serve';
export * from './team';
export * from './trace';
export * from './turn';
