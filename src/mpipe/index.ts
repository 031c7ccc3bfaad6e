export * from './stage';
export * from './table';
