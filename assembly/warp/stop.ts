// Interpreted programs that stop where they need a page that is not there, and go on when it is (layout/warp.ts). A
// texture read that has missed one is pending: the program runs on, an instruction at a time, as far as it names none of
// the registers that such a read gives, nor of those that it reads. What the program writes on the way, it writes once.

import {
  MOST_PENDING, OP_ARRAY_LOAD, OP_ARRAY_STORE, OP_END, OP_LEAVE, OP_LEAVE_IF, OP_LEAVE_UNLESS, OP_TEXTURE_LOAD,
  OP_TEXTURE_SAMPLE, OPERAND_NONE, Program, ParkedWarps, REGISTER_BYTES, SCOREBOARD_BITS, sizeOf, STATUS_WAITS,
  STATUS_YIELD, StoppedWarp, TEXTURE_INSTRUCTION_WORDS, Warp,
} from '../layout';
import { addReads } from '../texture/reads';
import { interpretFrom } from './interpreter';

const TEXTURE_BYTES: usize = TEXTURE_INSTRUCTION_WORDS << 2;
/** Of a texture instruction: where the words begin that name registers. */
const TEXTURE_REGISTERS: usize = 12;
/** No other instruction is longer, but those with lists. */
const MOST_BYTES: usize = 24;
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
    if (interpretFrom(warp, read, true) == STATUS_WAITS) addPending(warp, parked, read);
  }
  return stop.count ? stopAt(warp, parked, stop.code) : run(warp, parked, stop.code);
}

function run(warp: Warp, parked: ParkedWarps, from: usize): i32 {
  const stop = parked.stop;
  warp.stops = 1;
  memory.fill(parked.scoreboard, 0, SCOREBOARD_BITS >> 3);
  let code = from;
  while (true) {
    if (stop.count && needs(parked, code)) return stopAt(warp, parked, code);
    const status = interpretFrom(warp, code, stop.count != 0);
    code = warp.stoppedAt;
    if (status == STATUS_WAITS) addPending(warp, parked, code - TEXTURE_BYTES);
    else if (status != STATUS_YIELD) {
      warp.stops = 0;
      addReads(warp);
      return status;
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
 * Whether an instruction may need what is pending, or change what pending reads need: what in it could be the number of
 * such a register counts as one, as does what follows short ones.
 */
function needs(parked: ParkedWarps, code: usize): bool {
  const op = <i32>load<u16>(code);
  // The program's results, and elements of arrays, are not named.
  if (op == OP_END || op == OP_ARRAY_LOAD || op == OP_ARRAY_STORE) return true;
  let bytes = MOST_BYTES;
  if (op == OP_TEXTURE_SAMPLE || op == OP_TEXTURE_LOAD) {
    if (parked.stop.count == MOST_PENDING) return true;
    bytes = TEXTURE_BYTES;
  } else if (op == OP_LEAVE || op == OP_LEAVE_IF || op == OP_LEAVE_UNLESS) bytes = 12 + (load<u16>(code + 2) + 1 << 1);
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
