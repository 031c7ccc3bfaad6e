export { countBytecode, disassemble } from './disassemble';
export { encodeBytecode, type EncodedProgram } from './encode';
