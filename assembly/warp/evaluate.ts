// Single values through the interpreter, for constant folding and constant evaluation: a warp of one quad runs one
// instruction. The host's thread alone asks for them.
import { OP_END, Program, REGISTER_BYTES, sizeOf, Warp } from '../layout';
import { canonicalBits } from '../math/scalar';
import { interpret } from './interpreter';

/** Three registers, the code, a PROGRAM without registers that a draw shares, then a WARP that reads no textures. */
const REGISTERS: usize = memory.data(8192, 16);

/** Any operation of one or two operands but derivatives, by opcode, on bits. NaN as it comes. */
export function evaluate(op: u32, a: u32, b: u32): u32 {
  const code = REGISTERS + 3 * REGISTER_BYTES;
  const program = changetype<Program>(code + 16);
  const warp = changetype<Warp>(changetype<usize>(program) + ((sizeOf<Program>() + 15) & ~15));
  warp.program = program;
  warp.registers = REGISTERS;
  warp.quadCount = 1;
  program.code = code;
  // The first register from the second and the third.
  store<u32>(code, op);
  store<u32>(code, 1 | 2 << 16, 4);
  store<u32>(code, OP_END, 8);
  store<u32>(REGISTERS, a, REGISTER_BYTES);
  store<u32>(REGISTERS, b, 2 * REGISTER_BYTES);
  interpret(warp);
  return load<u32>(REGISTERS);
}

/** f32 operation of one operand, by opcode; NaN is canonical. */
export function mathUnary(op: i32, x: f32): f32 { return mathBinary(op, x, 0); }

/** f32 operation of two operands, by opcode; NaN is canonical. */
export function mathBinary(op: i32, x: f32, y: f32): f32 {
  const bits = evaluate(op, reinterpret<u32>(x), reinterpret<u32>(y));
  return reinterpret<f32>(canonicalBits(reinterpret<f32>(bits)));
}
