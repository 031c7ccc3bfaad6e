export * from './copies';
export * from './formats';
export * from './pool';
export * from './surfaces';
export * from './texture-store';
