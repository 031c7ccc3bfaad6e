export * from './copies';
export * from './formats';
export * from './texture-store';
