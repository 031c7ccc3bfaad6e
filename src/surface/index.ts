export * from './copies';
export * from './formats';
export * from './half';
export * from './image';
export * from './picture';
export * from './pool';
export * from './surfaces';
export * from './texture-store';
