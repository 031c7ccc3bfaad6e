// The interpreter: runs bytecode (assembly/layout/program/opcodes.ts) for all quads of a warp at once. Each opcode has
// one handler, which loops over the quads, so that decoding an instruction is paid once for up to 16 quads: 1.5 cycles
// per quad for a mix of simple operations. The switch contains the most used opcodes, and V8 compiles it in about 20 ms
// (200 ms with all opcodes).
import { STATUS_DONE, STATUS_TIMEOUT, STATUS_WAITS, Texture, TEXTURE_INSTRUCTION_WORDS, Warp } from '../layout';
import * as opcodes from '../layout/program/opcodes';
import { textureDimensions, textureField, textureLayers, textureLoad, textureSample } from './access';
import { bufferAtomics, bufferStore, bufferStoreHalf } from './buffers';
import { clearUnused, combine, leaveAll, leaveWhere } from './control';
import { imageLoads, imageStores } from './images';
import { countBackEdge, hasMissed, isSplat, listBytes, target } from './instructions';
import { ballotLanes, numberLanes, permuteLanes, shuffleLanes } from './lanes';
import { binary, broadcast, dot, high, low, move, moveMasked, quaternary, ternary, unary } from './loops';
import { arrayLoad, arrayStore, bufferLoad, bufferLoad4, resource } from './memory';
import {
  BoolNot,
  F32Abs,
  F32Add,
  F32Clamp,
  F32Div,
  F32Dot2,
  F32Dot2Sub,
  F32Floor,
  F32Fract,
  F32InverseSqrt,
  F32Le,
  F32Lt,
  F32Max,
  F32Min,
  F32Mix,
  F32Mul,
  F32MulAdd,
  F32MulSub,
  F32Neg,
  F32Saturate,
  F32Sqrt,
  F32Sub,
  F32SubMul,
  IntAdd,
  IntAnd,
  IntAndNot,
  IntOr,
  Select,
} from './operations';
import { executeRare } from './rare';
import { sampleLoads, surfaceField, surfaceLoads, surfaceStores } from './surfaces';

/**
 * Runs a warp. Returns STATUS_DONE; STATUS_TIMEOUT when a loop runs past the time limit; or STATUS_WAITS when the warp
 * has read a non-resident page and reaches an instruction with a visible effect.
 */
export function interpret(warp: Warp): i32 {
  const code = warp.program.code;
  if (ASC_FEATURE_SIMD) return execute<v128>(warp, code, code);
  else return execute<u32>(warp, code, code);
}

/** The scalar twin of `interpret`. */
export function interpretScalar(warp: Warp): i32 {
  const code = warp.program.code;
  return execute<u32>(warp, code, code);
}

/**
 * Runs a warp that may stop, from an instruction on. Returns STATUS_WAITS after a texture read that missed a page; the
 * warp then continues at Warp.stoppedAt.
 */
export function interpretFrom(warp: Warp, from: usize): i32 {
  const code = warp.program.code;
  if (ASC_FEATURE_SIMD) return execute<v128>(warp, code, from);
  else return execute<u32>(warp, code, from);
}

/** Runs the code at `begin` on the warp's quads, starting at instruction `from`. */
export function execute<T>(warp: Warp, begin: usize, from: usize): i32 {
  const program = warp.program;
  const registers = warp.registers;
  const exec = warp.exec;
  const used = (<usize>warp.quadCount) << 4;
  // Loops process four quads per step.
  const bytes = (used + 63) & ~63;
  if (used < bytes) clearUnused(warp, used, bytes);
  const same = registers + ((program.inputs + program.outputs) << 8);
  const sameBytes = (program.constants + program.uniforms) << 8;
  let code = from;
  while (true) {
    const op = <i32>load<u16>(code);
    switch (op) {
      case opcodes.OP_END:
        return STATUS_DONE;
      case opcodes.OP_JUMP:
        code = target(begin, code, 4);
        break;
      case opcodes.OP_JUMP_UNLESS:
        code = load<u32>(high(registers, load<u32>(code))) ? code + 8 : target(begin, code, 4);
        break;
      case opcodes.OP_IF: {
        move<T>(high(registers, load<u32>(code)), exec, bytes);
        const any = combine<IntAnd, T>(exec, exec, low(registers, load<u32>(code, 4)), bytes);
        code = any ? code + 12 : target(begin, code, 8);
        break;
      }
      case opcodes.OP_IF_NOT: {
        move<T>(high(registers, load<u32>(code)), exec, bytes);
        const any = combine<IntAndNot, T>(exec, exec, low(registers, load<u32>(code, 4)), bytes);
        code = any ? code + 12 : target(begin, code, 8);
        break;
      }
      case opcodes.OP_ELSE: {
        const save = high(registers, load<u32>(code));
        const any = combine<IntAndNot, T>(exec, save, low(registers, load<u32>(code, 4)), bytes);
        code = any ? code + 12 : target(begin, code, 8);
        break;
      }
      case opcodes.OP_SAVE_EXEC:
        move<T>(high(registers, load<u32>(code)), exec, bytes);
        code += 4;
        break;
      case opcodes.OP_RESTORE_EXEC:
        move<T>(exec, high(registers, load<u32>(code)), bytes);
        code += 4;
        break;
      case opcodes.OP_RESTORE_EXEC_OR_JUMP: {
        const save = high(registers, load<u32>(code));
        const any = combine<IntAnd, T>(exec, save, save, bytes);
        code = any ? code + 8 : target(begin, code, 4);
        break;
      }
      case opcodes.OP_LEAVE:
        leaveAll<T>(code, registers, exec, bytes);
        code += 4 + listBytes(code);
        break;
      case opcodes.OP_LEAVE_IF:
        code = leaveWhere<IntAnd, IntAndNot, T>(code, registers, exec, bytes)
          ? code + 12 + listBytes(code)
          : target(begin, code, 8);
        break;
      case opcodes.OP_LEAVE_UNLESS:
        code = leaveWhere<IntAndNot, IntAnd, T>(code, registers, exec, bytes)
          ? code + 12 + listBytes(code)
          : target(begin, code, 8);
        break;
      case opcodes.OP_LOOP_END: {
        if (combine<IntAnd, T>(exec, exec, exec, bytes)) {
          const start = target(begin, code, 4);
          if (!countBackEdge(warp, code - start)) return STATUS_TIMEOUT;
          code = start;
        } else {
          move<T>(exec, high(registers, load<u32>(code)), bytes);
          code += 8;
        }
        break;
      }
      case opcodes.OP_DISCARD:
        combine<IntOr, T>(warp.killed, warp.killed, exec, bytes);
        code += 4;
        break;
      case opcodes.OP_MOVE:
        move<T>(high(registers, load<u32>(code)), low(registers, load<u32>(code, 4)), bytes);
        code += 8;
        break;
      case opcodes.OP_SET:
        moveMasked<T>(high(registers, load<u32>(code)), low(registers, load<u32>(code, 4)), exec, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_NEG:
        unary<F32Neg, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_ABS:
        unary<F32Abs, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_FLOOR:
        unary<F32Floor, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_FRACT:
        unary<F32Fract, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_SQRT:
        unary<F32Sqrt, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_INVERSE_SQRT:
        unary<F32InverseSqrt, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_SATURATE:
        unary<F32Saturate, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_BOOL_NOT:
        unary<BoolNot, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_ADD:
        binary<F32Add, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_SUB:
        binary<F32Sub, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_MUL:
        binary<F32Mul, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_DIV:
        binary<F32Div, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_MIN:
        binary<F32Min, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_MAX:
        binary<F32Max, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_LT:
        binary<F32Lt, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_F32_LE:
        binary<F32Le, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_INT_ADD:
        binary<IntAdd, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_INT_AND:
        binary<IntAnd, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_INT_OR:
        binary<IntOr, T>(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_SELECT:
        ternary<Select, T>(code, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_F32_MUL_ADD:
        ternary<F32MulAdd, T>(code, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_F32_MUL_SUB:
        ternary<F32MulSub, T>(code, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_F32_SUB_MUL:
        ternary<F32SubMul, T>(code, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_F32_MIX:
        ternary<F32Mix, T>(code, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_F32_CLAMP:
        ternary<F32Clamp, T>(code, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_F32_DOT2:
        quaternary<F32Dot2, T>(code, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_F32_DOT2_SUB:
        quaternary<F32Dot2Sub, T>(code, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_F32_DOT3:
        dot<T>(0, code, registers, bytes);
        code += 16;
        break;
      case opcodes.OP_F32_DOT3_ADD:
        dot<T>(1, code, registers, bytes);
        code += 20;
        break;
      case opcodes.OP_F32_DOT4:
        dot<T>(2, code, registers, bytes);
        code += 20;
        break;
      case opcodes.OP_ARRAY_LOAD:
        arrayLoad<T>(code, registers, bytes, isSplat(low(registers, load<u32>(code, 4)), same, sameBytes));
        code += 12;
        break;
      case opcodes.OP_ARRAY_STORE:
        arrayStore<T>(code, warp, registers, bytes, isSplat(low(registers, load<u32>(code, 4)), same, sameBytes));
        code += 12;
        break;
      case opcodes.OP_BUFFER_LOAD:
        bufferLoad<T>(code, warp, registers, bytes, isSplat(low(registers, load<u32>(code, 4)), same, sameBytes));
        code += 12;
        break;
      case opcodes.OP_BUFFER_LOAD4:
        bufferLoad4<T>(code, warp, registers, bytes, isSplat(low(registers, load<u32>(code, 4)), same, sameBytes));
        code += 20;
        break;
      case opcodes.OP_BUFFER_SIZE:
        broadcast<T>(high(registers, load<u32>(code)), resource(warp, load<u32>(code, 4)).size);
        code += 8;
        break;
      case opcodes.OP_TEXTURE_SAMPLE:
        textureSample<T>(code, warp, registers);
        code += TEXTURE_INSTRUCTION_WORDS << 2;
        if (warp.stops && hasMissed(warp)) return stopAfter(warp, code);
        break;
      case opcodes.OP_TEXTURE_LOAD:
        textureLoad<T>(code, warp, registers);
        code += TEXTURE_INSTRUCTION_WORDS << 2;
        if (warp.stops && hasMissed(warp)) return stopAfter(warp, code);
        break;
      case opcodes.OP_TEXTURE_DIMENSIONS:
        textureDimensions(code, warp, registers, bytes);
        code += 16;
        break;
      case opcodes.OP_TEXTURE_LEVELS:
        textureField<T>(code, warp, registers, offsetof<Texture>('levelCount'));
        code += 8;
        break;
      case opcodes.OP_TEXTURE_LAYERS:
        textureLayers<T>(code, warp, registers);
        code += 8;
        break;
      case opcodes.OP_TEXTURE_SAMPLES:
        textureField<T>(code, warp, registers, offsetof<Texture>('samples'));
        code += 8;
        break;
      case opcodes.OP_BUFFER_STORE:
        if (hasMissed(warp)) return STATUS_WAITS;
        bufferStore(code, warp, registers);
        code += 8;
        break;
      case opcodes.OP_BUFFER_STORE_HALF:
        if (hasMissed(warp)) return STATUS_WAITS;
        bufferStoreHalf(code, warp, registers);
        code += 8;
        break;
      case opcodes.OP_BUFFER_ATOMIC:
        if (hasMissed(warp)) return STATUS_WAITS;
        bufferAtomics(code, warp, registers);
        code += 16;
        break;
      case opcodes.OP_IMAGE_LOAD:
        imageLoads(code, warp, registers);
        code += 20;
        break;
      case opcodes.OP_IMAGE_STORE:
        if (hasMissed(warp)) return STATUS_WAITS;
        imageStores(code, warp, registers);
        code += 20;
        break;
      case opcodes.OP_LANES_PERMUTE:
        permuteLanes<T>(code, warp, registers, bytes);
        code += 12;
        break;
      case opcodes.OP_LANES_SHUFFLE:
        shuffleLanes<T>(code, warp, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_LANES_BALLOT:
        ballotLanes<T>(code, warp, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_LANES_INDEX:
        numberLanes(code, registers, bytes);
        code += 8;
        break;
      case opcodes.OP_SURFACE_LOAD:
        surfaceLoads(code, warp, registers);
        code += 24;
        break;
      case opcodes.OP_SURFACE_STORE:
        surfaceStores(code, warp, registers);
        code += 20;
        break;
      case opcodes.OP_TEXTURE_LOAD_SAMPLES:
        sampleLoads(code, warp, registers);
        code += 24;
        break;
      case opcodes.OP_SURFACE_FIELD:
        surfaceField<T>(code, warp, registers);
        code += 8;
        break;
      default:
        code += executeRare<T>(op, code, registers, bytes, same, sameBytes);
    }
  }
}

function stopAfter(warp: Warp, code: usize): i32 {
  warp.stoppedAt = code;
  return STATUS_WAITS;
}
