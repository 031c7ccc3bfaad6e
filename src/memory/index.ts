export * from './allocator';
export * from './errors';
export * from './memory';
