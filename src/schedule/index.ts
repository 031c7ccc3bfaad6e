export * from './executor';
export * from './queue';
export * from './serve';
export * from './team';
export * from './turn';
