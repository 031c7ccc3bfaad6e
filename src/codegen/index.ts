export { disassemble } from './disassemble';
export { encodeBytecode, type EncodedProgram } from './encode';
