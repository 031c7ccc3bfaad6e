// The lexer as a separate module, because the front end needs no device.
export * from '../text/lexer';
