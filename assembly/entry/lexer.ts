// The lexer, a module of its own: the front end has it, without a device.
export * from '../text/lexer';
