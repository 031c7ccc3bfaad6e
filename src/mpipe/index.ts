export * from './defaults';
export * from './maps';
export * from './stage';
export * from './table';
