export * from './kernel';
export * from './source';
