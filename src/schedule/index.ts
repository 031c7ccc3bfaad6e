export * from './queue';
export * from './turn';
