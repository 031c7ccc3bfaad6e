export * from './link';
export * from './mpipe';
