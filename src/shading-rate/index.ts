export * from './combiners';
export * from './depth-table';
export * from './fallbacks';
export * from './rates';
export * from './record';
