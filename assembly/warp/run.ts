// Entry points for running shaders: a warp with the engine that its program selects, and the work that is done once for
// each draw call.
import { LOOP_CHECK_INTERVAL, Program, Prologue, REGISTER_BYTES, sizeOf, STATUS_DONE, Warp } from '../layout';
import { addReads } from '../texture/reads';
import { openSites } from '../texture/sites/sites';
import { execute, interpret } from './interpreter';
import { broadcast } from './loops';

/**
 * Runs a warp to its end, with the compiled function in its program's slot or with the interpreter. Returns STATUS_*.
 */
export function runWarp(warp: Warp): i32 {
  const slot = warp.program.slot;
  const status = slot == 0 ? interpret(warp) : call_indirect<i32>(slot, warp);
  addReads(warp);
  return status;
}

/** runWarp with the compiled function in Program.quadsSlot, which interpolates its inputs itself. */
export function runQuads(warp: Warp, slot: u32): i32 {
  const status = call_indirect<i32>(slot, warp);
  addReads(warp);
  return status;
}

/** Whether a program has no compiled function. */
export function isInterpreted(program: Program): bool {
  return !(program.slot | program.quadsSlot);
}

/** First register that is constant for the draw call: constants come first, then uniforms. */
function firstConstant(program: Program, registers: usize): usize {
  return registers + (program.inputs + program.outputs) * REGISTER_BYTES;
}

/**
 * Fills a draw call's uniform block (Program.constants + Program.uniforms words): copies the constants and computes the
 * uniforms after them. `scratch` is a WARP record followed by a register file for the program, 16-byte aligned, with
 * any contents. Returns STATUS_*.
 */
export function runPrologue(program: Program, resources: usize, uniformBlock: usize, scratch: Warp): i32 {
  clearWarp(scratch);
  return fillUniforms(program, resources, uniformBlock, scratch);
}

/** runPrologue for `count` PROLOGUEs. Stops at the first one that fails and returns its status. */
export function runPrologues(list: Prologue, count: i32, scratch: Warp): i32 {
  clearWarp(scratch);
  for (; count > 0; count--) {
    const status = fillUniforms(list.program, list.resources, list.uniforms, scratch);
    if (status != STATUS_DONE) return status;
    list = changetype<Prologue>(changetype<usize>(list) + sizeOf<Prologue>());
  }
  return STATUS_DONE;
}

/** Prepares a WARP for `fillUniforms`. */
export function clearWarp(warp: Warp): void {
  memory.fill(changetype<usize>(warp), 0, sizeOf<Warp>());
}

/** runPrologue with a cleared scratch WARP. */
export function fillUniforms(program: Program, resources: usize, uniformBlock: usize, warp: Warp): i32 {
  const constants = program.constants;
  memory.copy(uniformBlock, program.constantData, constants << 2);
  const code = program.prologue;
  if (!code) return STATUS_DONE;
  const registers = changetype<usize>(warp) + sizeOf<Warp>();
  warp.program = program;
  warp.registers = registers;
  warp.resources = resources;
  warp.quadCount = 1;
  warp.loopBudget = LOOP_CHECK_INTERVAL;
  memory.fill(warp.exec, 0xff, 16);
  const first = firstConstant(program, registers);
  for (let i: usize = 0; i < constants; i++) splatQuad(first + i * REGISTER_BYTES, load<u32>(uniformBlock + (i << 2)));
  const status = run(warp, code);
  const uniforms = program.uniforms;
  for (let i: usize = 0; i < uniforms; i++) {
    store<u32>(uniformBlock + ((constants + i) << 2), load<u32>(first + (constants + i) * REGISTER_BYTES));
  }
  return status;
}

/**
 * Prepares a warp, whose program, registers and resources are set, for a draw call with this uniform block. Required
 * for each combination of draw call and warp. Compiled programs read the block directly.
 */
export function bindProgram(warp: Warp, uniformBlock: usize): void {
  const program = warp.program;
  const registers = warp.registers;
  if (isInterpreted(program)) {
    bindUniforms(program, uniformBlock, registers);
    return;
  }
  warp.uniforms = uniformBlock;
  warp.sites = firstConstant(program, registers);
  if (program.siteCount) openSites(warp);
}

/**
 * Copies a draw call's constants and uniforms to all lanes of all quads of a register file. Required for each
 * combination of draw call and register file.
 */
export function bindUniforms(program: Program, uniformBlock: usize, registers: usize): void {
  const count = program.constants + program.uniforms;
  const first = firstConstant(program, registers);
  for (let i: usize = 0; i < count; i++) splat(first + i * REGISTER_BYTES, load<u32>(uniformBlock + (i << 2)));
}

function splat(register: usize, word: u32): void {
  if (ASC_FEATURE_SIMD) broadcast<v128>(register, word);
  else broadcast<u32>(register, word);
}

// splat for the lanes of the first quad only.
function splatQuad(register: usize, word: u32): void {
  store<u32>(register, word);
  store<u32>(register, word, 4);
  store<u32>(register, word, 8);
  store<u32>(register, word, 12);
}

function run(warp: Warp, code: usize): i32 {
  if (ASC_FEATURE_SIMD) return execute<v128>(warp, code, code);
  else return execute<u32>(warp, code, code);
}
