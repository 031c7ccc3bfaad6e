export * from './defaults';
export * from './emission';
export * from './maps';
export * from './patches';
export * from './stage';
export * from './table';
export * from './topology';
export * from './tree';
