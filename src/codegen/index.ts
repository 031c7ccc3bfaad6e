export { disassemble } from './disassemble';
export { encodeBytecode, ProgramTooLargeError, type EncodedProgram } from './encode';
