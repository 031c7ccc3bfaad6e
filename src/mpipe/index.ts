export * from './defaults';
export * from './emission';
export * from './edge-layouts';
export * from './patches';
export * from './stage';
export * from './table';
export * from './topology';
export * from './tree';
