// Interpreted programs that stop where they need a page that is not there, and go on when it is (layout/warp.ts). A
// texture read that has missed one is pending: the program runs on as far as it names none of the registers that such a
// read gives, nor of those that it reads, and no branch comes. What the program writes on the way, it writes once.
//
// What it runs on is copied, with an end behind it, so that the interpreter need not ask after each instruction whether
// it is to stop: asked there, programs that never stop took 5 % longer.

import {
  MOST_PENDING, OP_BUFFER_ATOMIC, OP_BUFFER_LOAD, OP_BUFFER_LOAD4, OP_BUFFER_SIZE, OP_BUFFER_STORE,
  OP_BUFFER_STORE_HALF, OP_DISCARD, OP_END, OP_F32_DOT3, OP_F32_DOT3_ADD, OP_F32_DOT4, OP_IMAGE_LOAD, OP_IMAGE_STORE,
  OP_INT_AND_NOT, OP_INT_INSERT_BITS, OP_MOVE, OP_RESTORE_EXEC, OP_SAVE_EXEC, OP_SELECT, OP_TEXTURE_LOAD,
  OP_TEXTURE_SAMPLE, OPERAND_NONE, ParkedWarps, Program, REGISTER_BYTES, RUN_ON_BYTES, SCOREBOARD_BITS, sizeOf,
  STATUS_DONE, STATUS_WAITS, StoppedWarp, TEXTURE_INSTRUCTION_WORDS, Warp,
} from '../layout';
import { addReads } from '../texture/reads';
import { interpretFrom } from './interpreter';

const TEXTURE_BYTES: usize = TEXTURE_INSTRUCTION_WORDS << 2;
/** Of a texture instruction: where the words begin that name registers. */
const TEXTURE_REGISTERS: usize = 12;
const QUAD_BYTES: usize = 16;

/** Runs a program from its beginning. Returns STATUS_*: STATUS_WAITS, when it has stopped. */
export function runStopping(warp: Warp, parked: ParkedWarps): i32 {
  parked.stop.count = 0;
  return run(warp, parked, warp.program.code);
}

/**
 * Goes on with one that has stopped, of which the reads that are pending are done again. Returns STATUS_*, likewise.
 */
export function goOn(warp: Warp, parked: ParkedWarps): i32 {
  const stop = parked.stop;
  const count = stop.count;
  warp.stops = 1;
  stop.count = 0;
  for (let i: u32 = 0; i < count; i++) {
    const read = load<usize>(stop.pending + (i << 2));
    memory.copy(parked.code, read, TEXTURE_BYTES);
    store<u32>(parked.code + TEXTURE_BYTES, OP_END);
    if (interpretFrom(warp, parked.code) == STATUS_WAITS) addPending(warp, parked, read);
  }
  return stop.count ? stopAt(warp, parked, stop.code) : run(warp, parked, stop.code);
}

function run(warp: Warp, parked: ParkedWarps, from: usize): i32 {
  warp.stops = 1;
  memory.fill(parked.scoreboard, 0, SCOREBOARD_BITS >> 3);
  const status = interpretFrom(warp, from);
  if (status == STATUS_WAITS) {
    addPending(warp, parked, warp.stoppedAt - TEXTURE_BYTES);
    return stopAt(warp, parked, runOn(warp, parked, warp.stoppedAt));
  }
  warp.stops = 0;
  addReads(warp);
  return status;
}

/** Runs on while a read is pending; returns where it stops. */
function runOn(warp: Warp, parked: ParkedWarps, from: usize): usize {
  let code = from;
  while (true) {
    let end = code;
    while (true) {
      const bytes = lengthOf(end);
      if (!bytes || end + bytes - code > <usize>RUN_ON_BYTES || needs(parked, end, bytes)) break;
      end += bytes;
    }
    if (end == code) return code;
    memory.copy(parked.code, code, end - code);
    store<u32>(parked.code + (end - code), OP_END);
    if (interpretFrom(warp, parked.code) == STATUS_DONE) code = end;
    else {
      code += warp.stoppedAt - parked.code;
      addPending(warp, parked, code - TEXTURE_BYTES);
    }
  }
}

function stopAt(warp: Warp, parked: ParkedWarps, code: usize): i32 {
  warp.stops = 0;
  addReads(warp);
  parked.stop.code = code;
  parked.hasStopped = 1;
  return STATUS_WAITS;
}

/** A texture read is pending. */
function addPending(warp: Warp, parked: ParkedWarps, read: usize): void {
  const stop = parked.stop;
  store<u32>(warp.late, 0);
  store<usize>(stop.pending + (stop.count << 2), read);
  stop.count += 1;
  for (let at = TEXTURE_REGISTERS; at < TEXTURE_BYTES; at += 2) {
    const register = <u32>load<u16>(read + at);
    const bit = register % SCOREBOARD_BITS;
    const byte = parked.scoreboard + (bit >> 3);
    if (register != OPERAND_NONE) store<u8>(byte, <u8>(<u32>load<u8>(byte) | 1 << (bit & 7)));
  }
}

/**
 * Bytes of an instruction; 0 for those at which a warp stops whatever is pending: branches, the program's end, whose
 * results are not named, and what is not listed here.
 */
function lengthOf(code: usize): usize {
  const op = <i32>load<u16>(code);
  // Of one operand or two; of three or four.
  if (op >= OP_MOVE && op <= OP_INT_AND_NOT) return 8;
  if (op >= OP_SELECT && op <= OP_INT_INSERT_BITS) return 12;
  switch (op) {
    case OP_SAVE_EXEC: case OP_RESTORE_EXEC: case OP_DISCARD: return 4;
    case OP_BUFFER_SIZE: case OP_BUFFER_STORE: case OP_BUFFER_STORE_HALF: return 8;
    case OP_BUFFER_LOAD: return 12;
    case OP_F32_DOT3: case OP_BUFFER_ATOMIC: return 16;
    case OP_F32_DOT3_ADD: case OP_F32_DOT4: case OP_BUFFER_LOAD4: case OP_IMAGE_LOAD: case OP_IMAGE_STORE: return 20;
    case OP_TEXTURE_SAMPLE: case OP_TEXTURE_LOAD: return TEXTURE_BYTES;
    default: return 0;
  }
}

/**
 * Whether an instruction may need what is pending, or change what pending reads need: what in it could be the number of
 * such a register counts as one.
 */
function needs(parked: ParkedWarps, code: usize, bytes: usize): bool {
  if (bytes == TEXTURE_BYTES && parked.stop.count == MOST_PENDING) return true;
  for (let at: usize = 2; at < bytes; at += 2) {
    const bit = <u32>load<u16>(code + at) % SCOREBOARD_BITS;
    if (<u32>load<u8>(parked.scoreboard + (bit >> 3)) >> (bit & 7) & 1) return true;
  }
  return false;
}

/** Bytes that are kept of a stopped warp. */
export function stoppedBytes(program: Program): u32 {
  return <u32>sizeOf<StoppedWarp>() + (program.registers - program.constants - program.uniforms) * <u32>QUAD_BYTES;
}

/** Keeps a warp of one quad that has stopped as `stop` says. */
export function saveStopped(warp: Warp, stop: StoppedWarp, to: usize): void {
  memory.copy(stop.exec, warp.exec, QUAD_BYTES);
  memory.copy(stop.killed, warp.killed, QUAD_BYTES);
  memory.copy(to, changetype<usize>(stop), sizeOf<StoppedWarp>());
  copyRegisters(warp, to + sizeOf<StoppedWarp>(), false);
}

/** The warp is what it was when it stopped. */
export function restoreStopped(warp: Warp, stop: StoppedWarp, from: usize): void {
  memory.copy(changetype<usize>(stop), from, sizeOf<StoppedWarp>());
  memory.copy(warp.exec, stop.exec, QUAD_BYTES);
  memory.copy(warp.killed, stop.killed, QUAD_BYTES);
  warp.quadCount = 1;
  copyRegisters(warp, from + sizeOf<StoppedWarp>(), true);
}

/** Copies the first quad of registers, but for those of constants and uniforms, to a warp or from it. */
function copyRegisters(warp: Warp, at: usize, isBack: bool): void {
  const program = warp.program;
  const first = program.inputs + program.outputs;
  const end = first + program.constants + program.uniforms;
  for (let i: u32 = 0; i < program.registers; i++) {
    if (i == first) i = end;
    if (i >= program.registers) return;
    const register = warp.registers + i * REGISTER_BYTES;
    if (isBack) memory.copy(register, at, QUAD_BYTES);
    else memory.copy(at, register, QUAD_BYTES);
    at += QUAD_BYTES;
  }
}
