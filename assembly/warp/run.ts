// How the other rooms run programs: a warp by whichever engine its program names, and the work of once a draw.
import { LOOP_CHECK_INTERVAL, REGISTER_BYTES } from '../layout/limits';
import {
  PROGRAM_CONSTANT_DATA, PROGRAM_CONSTANTS, PROGRAM_INPUTS, PROGRAM_OUTPUTS, PROGRAM_PROLOGUE, PROGRAM_QUADS_SLOT, PROGRAM_SITE_COUNT, PROGRAM_SLOT,
  PROGRAM_UNIFORMS, WARP_BYTES, WARP_EXEC, WARP_LOOP_BUDGET, WARP_PROGRAM, WARP_QUAD_COUNT, WARP_REGISTERS, WARP_RESOURCES, WARP_SITES, WARP_UNIFORMS,
} from '../layout/program';
import { STATUS_DONE } from '../layout/status';
import { openSites } from '../texture/sites';
import { execute, interpret } from './interpreter';
import { broadcast } from './loops';

/** Runs a warp to its end: by the compiled program in its slot, or by the interpreter. STATUS_*. */
export function runWarp(warp: usize): i32 {
  const slot = load<u32>(load<usize>(warp + WARP_PROGRAM) + PROGRAM_SLOT);
  return slot == 0 ? interpret(warp) : call_indirect<i32>(slot, warp);
}

/** First register that is the same for the draw: the constants, then the uniforms. */
// @ts-ignore: decorator
@inline function firstConstant(program: usize, registers: usize): usize {
  return registers + (load<usize>(program + PROGRAM_INPUTS) + load<usize>(program + PROGRAM_OUTPUTS)) * REGISTER_BYTES;
}

/**
 * Fills a draw's uniform block (PROGRAM_CONSTANTS + PROGRAM_UNIFORMS words): copies the constants and computes the uniforms
 * behind them. `scratch`: a WARP record, then a register file of the program; 16-byte aligned; any content. STATUS_*.
 */
export function runPrologue(program: usize, resources: usize, uniformBlock: usize, scratch: usize): i32 {
  const constants = load<usize>(program + PROGRAM_CONSTANTS);
  memory.copy(uniformBlock, load<usize>(program + PROGRAM_CONSTANT_DATA), constants << 2);
  const code = load<usize>(program + PROGRAM_PROLOGUE);
  if (!code) return STATUS_DONE;
  const registers = scratch + WARP_BYTES;
  memory.fill(scratch, 0, WARP_BYTES);
  store<usize>(scratch + WARP_PROGRAM, program);
  store<usize>(scratch + WARP_REGISTERS, registers);
  store<usize>(scratch + WARP_RESOURCES, resources);
  store<i32>(scratch + WARP_QUAD_COUNT, 1);
  store<i32>(scratch + WARP_LOOP_BUDGET, LOOP_CHECK_INTERVAL);
  memory.fill(scratch + WARP_EXEC, 0xff, 16);
  const first = firstConstant(program, registers);
  for (let i: usize = 0; i < constants; i++) splat(first + i * REGISTER_BYTES, load<u32>(uniformBlock + (i << 2)));
  const status = run(scratch, code);
  const uniforms = load<usize>(program + PROGRAM_UNIFORMS);
  for (let i: usize = 0; i < uniforms; i++) {
    store<u32>(uniformBlock + (constants + i << 2), load<u32>(first + (constants + i) * REGISTER_BYTES));
  }
  return status;
}

/**
 * Readies a warp, whose program, registers and resources are set, for a draw with this uniform block. Needed once a draw and warp. Compiled
 * programs read the block itself.
 */
export function bindProgram(warp: usize, uniformBlock: usize): void {
  const program = load<usize>(warp + WARP_PROGRAM);
  const registers = load<usize>(warp + WARP_REGISTERS);
  if (!(load<u32>(program + PROGRAM_SLOT) | load<u32>(program + PROGRAM_QUADS_SLOT))) {
    bindUniforms(program, uniformBlock, registers);
    return;
  }
  store<usize>(warp + WARP_UNIFORMS, uniformBlock);
  store<usize>(warp + WARP_SITES, firstConstant(program, registers));
  if (load<u32>(program + PROGRAM_SITE_COUNT)) openSites(warp);
}

/** Puts a draw's constants and uniforms into a register file, in all lanes of all quads. Needed once a draw and register file. */
export function bindUniforms(program: usize, uniformBlock: usize, registers: usize): void {
  const count = load<usize>(program + PROGRAM_CONSTANTS) + load<usize>(program + PROGRAM_UNIFORMS);
  const first = firstConstant(program, registers);
  for (let i: usize = 0; i < count; i++) splat(first + i * REGISTER_BYTES, load<u32>(uniformBlock + (i << 2)));
}

// @ts-ignore: decorator
@inline function splat(register: usize, word: u32): void {
  if (ASC_FEATURE_SIMD) broadcast<v128>(register, word);
  else broadcast<u32>(register, word);
}

// @ts-ignore: decorator
@inline function run(warp: usize, code: usize): i32 {
  if (ASC_FEATURE_SIMD) return execute<v128>(warp, code);
  else return execute<u32>(warp, code);
}
