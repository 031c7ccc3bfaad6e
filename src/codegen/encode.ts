// Translates the IR to the bytecode that the interpreter runs (assembly/layout/program/program.ts and opcodes.ts).

import {
  PROGRAM_FLAG_DERIVATIVES,
  PROGRAM_FLAG_LONG_ITERATIONS,
  PROGRAM_FLAG_UNIFORM_RESULTS,
  PROGRAM_FLAG_STOPS,
  PROGRAM_FLAG_QUADS_IN_ORDER,
  PROGRAM_FLAG_TEXEL_RESULTS,
  PROGRAM_FLAG_TEXELS_BY_VARYINGS,
} from '../../assembly/layout/program/program-codes';
import { ProgramTooLargeError } from '../base/errors';
import {
  accessUse,
  isSameForTriangle,
  streamedReads,
  quadOrder,
  texelSources,
  valueLoops,
  type IrProgram,
  type ValueId,
} from '../ir';
import { BodyWriter } from './body';
import { ConstantPool } from './constant-pool';
import { allocate } from './registers';
import { schedule } from './schedule';

/** Register numbers have 16 bits, and 0xffff means none. */
export const MAX_REGISTERS = 0xffff;

/**
 * A program's code and the layout of its register file: inputs, outputs, constants, uniforms, then lane arrays,
 * variables and temporaries.
 */
export interface EncodedProgram {
  readonly code: Uint32Array;
  /** Computes the uniform registers; empty if there are none. */
  readonly prologue: Uint32Array;
  /** Bits of the constants. */
  readonly constants: Uint32Array;
  readonly inputs: number;
  /** Number of outputs, including the registers of arrays kept between parts, which come last. */
  readonly outputs: number;
  readonly uniforms: number;
  /** The value that each uniform register holds. */
  readonly uniformValues: readonly ValueId[];
  /** Total number of registers. */
  readonly registers: number;
  /** PROGRAM_FLAG_*. */
  readonly flags: number;
  /** Program.surfaces. */
  readonly surfaces: number;
}

/**
 * Cost per iteration of a loop over a pixel's values, in operations, above which packing pixels by their values pays
 * off. Packing takes 70 ns in compiled code for a quad in which some pixels have several values. An iteration with 8
 * lights (about 300 ns, cost 740) gains 7 to 14 %. With 4 unrolled lights (50 ns, cost 200) it lost 11 %, and a plain
 * sum of values lost 30 %.
 */
const LONG_ROUND = 400;

/** Whether the program cannot be restarted from its inputs after it has read a non-resident page. */
function stops(program: IrProgram): boolean {
  if (program.kind !== 'fragment' || !accessUse(program).writes) return false;
  const { afterWrites, endsLoops } = streamedReads(program);
  return endsLoops || afterWrites.size > 0;
}

/** Whether quads must execute in order, as far as is known before a draw call. */
const needsQuadOrder = (program: IrProgram): boolean =>
  program.kind === 'fragment' && accessUse(program).writes && quadOrder(program) !== 'unseen';

/** Encodes a valid program, optimised or not. Throws ProgramTooLargeError. */
export function encodeBytecode(program: IrProgram): EncodedProgram {
  const constants = new ConstantPool();
  const writer = new BodyWriter(program, schedule(program), constants);
  writer.write();
  const { instructions } = writer;
  const inputs = program.inputs.length;
  const outputs = program.outputs.length + instructions.keptRegisters;
  const uniforms = instructions.uniforms.length;
  const firstConstant = inputs + outputs;
  const firstUniform = firstConstant + constants.bits.length;
  const firstArray = firstUniform + uniforms;
  const firstTemp = firstArray + instructions.arrayRegisters;
  const body = allocate(instructions.body, program.variables.length);
  const prologue = allocate(instructions.prologue, 0);
  const registers = firstTemp + Math.max(body.count, prologue.count);
  if (registers > MAX_REGISTERS) {
    throw new ProgramTooLargeError(
      `the ${program.kind} shader '${program.name}' needs ${registers} registers, `
        + `exceeding the limit of ${MAX_REGISTERS}: use smaller arrays`
    );
  }
  const loops = valueLoops(program);
  // In the order of the register kinds (machine.ts).
  const bases = [0, inputs, firstConstant, firstUniform, firstArray, firstTemp];
  return {
    code: instructions.body.assemble(bases, body.numbers),
    prologue: instructions.prologue.assemble(bases, prologue.numbers),
    constants: Uint32Array.from(constants.bits),
    inputs,
    outputs,
    uniforms,
    uniformValues: instructions.uniforms,
    registers,
    flags:
      (program.usesDerivatives ? PROGRAM_FLAG_DERIVATIVES : 0)
      | (isSameForTriangle(program) ? PROGRAM_FLAG_UNIFORM_RESULTS : 0)
      | texelFlags(program)
      | (loops.cost > LONG_ROUND ? PROGRAM_FLAG_LONG_ITERATIONS : 0)
      | (stops(program) ? PROGRAM_FLAG_STOPS : 0)
      | (needsQuadOrder(program) ? PROGRAM_FLAG_QUADS_IN_ORDER : 0),
    surfaces: [...loops.surfaces].reduce((bits, resource) => (resource < 32 ? bits | (1 << resource) : bits), 0),
  };
}

function texelFlags(program: IrProgram): number {
  const sources = texelSources(program);
  if (sources === null) return 0;
  return PROGRAM_FLAG_TEXEL_RESULTS | (sources === 'varyings' ? PROGRAM_FLAG_TEXELS_BY_VARYINGS : 0);
}
