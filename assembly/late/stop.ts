// Interpreted shaders that stop where they need a missing page, and continue when it is resident (layout/warp/warp.ts).
// A texture read that missed a page is pending. The shader runs on until an instruction uses a register that a pending
// read writes or reads, or until the end of a loop iteration. Everything that it writes on the way is written exactly
// once. Where lanes diverge, both branches are run as usual: a repeated read covers all lanes, whichever are active
// then. (A frame with three reads, two of them in branches, took 0.76 of the time of a version that stopped at each of
// them: 3200 stops instead of 4150.)
//
// The instructions to run are copied and followed by an end instruction, so that the interpreter does not have to check
// after each instruction whether to stop. With such a check, shaders that never stop were 5 % slower.

import {
  MAX_PENDING,
  OP_BUFFER_ATOMIC,
  OP_BUFFER_LOAD,
  OP_BUFFER_LOAD4,
  OP_BUFFER_SIZE,
  OP_BUFFER_STORE,
  OP_BUFFER_STORE_HALF,
  OP_DISCARD,
  OP_ELSE,
  OP_END,
  OP_F32_DOT3,
  OP_F32_DOT3_ADD,
  OP_F32_DOT4,
  OP_IF,
  OP_IF_NOT,
  OP_IMAGE_LOAD,
  OP_IMAGE_STORE,
  OP_INT_AND_NOT,
  OP_INT_INSERT_BITS,
  OP_JUMP,
  OP_JUMP_UNLESS,
  OP_LEAVE,
  OP_LEAVE_IF,
  OP_LEAVE_UNLESS,
  OP_MOVE,
  OP_RESTORE_EXEC,
  OP_RESTORE_EXEC_OR_JUMP,
  OP_SAVE_EXEC,
  OP_SELECT,
  OP_TEXTURE_LOAD,
  OP_TEXTURE_SAMPLE,
  OPERAND_NONE,
  ParkedWarps,
  Program,
  REGISTER_BYTES,
  RUN_AHEAD_BYTES,
  SCOREBOARD_BITS,
  sizeOf,
  STATUS_DONE,
  STATUS_WAITS,
  StoppedWarp,
  TEXTURE_INSTRUCTION_WORDS,
  Warp,
} from '../layout';
import { addReads } from '../texture/reads';
import { listBytes } from '../warp/instructions';
import { interpretFrom } from '../warp/interpreter';

const TEXTURE_BYTES: usize = TEXTURE_INSTRUCTION_WORDS << 2;
/** Offset in a texture instruction of the words with register numbers. */
const TEXTURE_REGISTERS: usize = 12;
const QUAD_BYTES: usize = 16;

/** Runs a shader from its beginning. Returns STATUS_*, with STATUS_WAITS if it has stopped. */
export function runStopping(warp: Warp, parked: ParkedWarps): i32 {
  parked.stop.count = 0;
  return run(warp, parked, warp.program.code);
}

/** Continues a stopped shader after repeating its pending reads. Returns STATUS_*, as runStopping. */
export function resumeStopped(warp: Warp, parked: ParkedWarps): i32 {
  const stop = parked.stop;
  const count = stop.count;
  warp.stops = 1;
  stop.count = 0;
  memory.fill(parked.scoreboard, 0, SCOREBOARD_BITS >> 3);
  for (let i: u32 = 0; i < count; i++) {
    const read = load<usize>(stop.pending + (i << 2));
    memory.copy(parked.code, read, TEXTURE_BYTES);
    store<u32>(parked.code + TEXTURE_BYTES, OP_END);
    if (interpretFrom(warp, parked.code) == STATUS_WAITS) addPending(warp, parked, read);
  }
  return stop.count ? stopAt(warp, parked, runAhead(warp, parked, stop.code)) : run(warp, parked, stop.code);
}

function run(warp: Warp, parked: ParkedWarps, from: usize): i32 {
  warp.stops = 1;
  memory.fill(parked.scoreboard, 0, SCOREBOARD_BITS >> 3);
  const status = interpretFrom(warp, from);
  if (status == STATUS_WAITS) {
    addPending(warp, parked, warp.stoppedAt - TEXTURE_BYTES);
    return stopAt(warp, parked, runAhead(warp, parked, warp.stoppedAt));
  }
  warp.stops = 0;
  addReads(warp);
  return status;
}

/** Runs on while a read is pending. Returns the address at which it stops. */
function runAhead(warp: Warp, parked: ParkedWarps, from: usize): usize {
  let code = from;
  while (true) {
    let end = code;
    while (true) {
      const bytes = lengthOf(end);
      if (!bytes || end + bytes - code > <usize>RUN_AHEAD_BYTES || needs(parked, end, bytes)) break;
      end += bytes;
    }
    if (end == code) {
      code = branch(warp, parked, end);
      if (!code) return end;
      continue;
    }
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

/** Adds a pending texture read. */
function addPending(warp: Warp, parked: ParkedWarps, read: usize): void {
  const stop = parked.stop;
  store<u32>(warp.missFlag, 0);
  store<usize>(stop.pending + (stop.count << 2), read);
  stop.count += 1;
  for (let at = TEXTURE_REGISTERS; at < TEXTURE_BYTES; at += 2) {
    const register = <u32>load<u16>(read + at);
    if (register == OPERAND_NONE || isFixed(warp.program, register)) continue;
    const bit = register % SCOREBOARD_BITS;
    const byte = parked.scoreboard + (bit >> 3);
    store<u8>(byte, <u8>((<u32>load<u8>(byte)) | (1 << (bit & 7))));
  }
}

/**
 * Whether no instruction changes a register. (Unused halves of words are 0, which is the number of the first input.)
 */
function isFixed(program: Program, register: u32): bool {
  const same = program.inputs + program.outputs;
  return register < program.inputs || (register >= same && register - same < program.constants + program.uniforms);
}

/**
 * Takes a branch whose masks and conditions are not pending. Returns the target address, or 0. (It runs a copy of the
 * branch that jumps to a store instruction; a late warp ends there.)
 */
function branch(warp: Warp, parked: ParkedWarps, code: usize): usize {
  const op = <i32>load<u16>(code);
  const jumps = targetIn(op);
  if (!jumps) return 0;
  const begin = warp.program.code;
  const to = begin + (load<u32>(code + jumps) << 2);
  if (op == OP_JUMP) return to;
  const isLeave = op == OP_LEAVE_IF || op == OP_LEAVE_UNLESS;
  let bytes = jumps + 4;
  if (!isLeave && isNamed(parked, code + 2)) return 0;
  if (jumps == 8 && isNamed(parked, code + 4)) return 0;
  if (isLeave) {
    const masks = code + bytes;
    bytes += listBytes(code);
    for (let at = masks; at < code + bytes; at += 2) if (isNamed(parked, at)) return 0;
  }
  if (bytes > <usize>RUN_AHEAD_BYTES) return 0;
  const copy = parked.code;
  memory.copy(copy, code, bytes);
  store<u32>(copy + bytes, OP_END);
  store<u32>(copy + bytes + 4, OP_BUFFER_STORE);
  store<u32>(copy + jumps, (<u32>(copy + bytes + 4 - begin)) >>> 2);
  store<u32>(warp.missFlag, 1);
  const status = interpretFrom(warp, copy);
  store<u32>(warp.missFlag, 0);
  return status == STATUS_WAITS ? to : code + bytes;
}

/** Byte offset of a branch's target word; 0 for other instructions and the end of a loop iteration. */
function targetIn(op: i32): usize {
  switch (op) {
    case OP_JUMP:
    case OP_JUMP_UNLESS:
    case OP_RESTORE_EXEC_OR_JUMP:
      return 4;
    case OP_IF:
    case OP_IF_NOT:
    case OP_ELSE:
    case OP_LEAVE_IF:
    case OP_LEAVE_UNLESS:
      return 8;
    default:
      return 0;
  }
}

/**
 * Size of an instruction in bytes; 0 for branches, for the end of the program (whose results are not listed), and for
 * instructions that are not handled here.
 */
function lengthOf(code: usize): usize {
  const op = <i32>load<u16>(code);
  // One or two operands; three or four.
  if (op >= OP_MOVE && op <= OP_INT_AND_NOT) return 8;
  if (op >= OP_SELECT && op <= OP_INT_INSERT_BITS) return 12;
  switch (op) {
    case OP_SAVE_EXEC:
    case OP_RESTORE_EXEC:
    case OP_DISCARD:
      return 4;
    case OP_LEAVE:
      return 4 + listBytes(code);
    case OP_BUFFER_SIZE:
    case OP_BUFFER_STORE:
    case OP_BUFFER_STORE_HALF:
      return 8;
    case OP_BUFFER_LOAD:
      return 12;
    case OP_F32_DOT3:
    case OP_BUFFER_ATOMIC:
      return 16;
    case OP_F32_DOT3_ADD:
    case OP_F32_DOT4:
    case OP_BUFFER_LOAD4:
    case OP_IMAGE_LOAD:
    case OP_IMAGE_STORE:
      return 20;
    case OP_TEXTURE_SAMPLE:
    case OP_TEXTURE_LOAD:
      return TEXTURE_BYTES;
    default:
      return 0;
  }
}

/**
 * Whether an instruction may need a pending result, or change an operand of a pending read. Every half word that could
 * be the number of such a register counts as one.
 */
function needs(parked: ParkedWarps, code: usize, bytes: usize): bool {
  if (bytes == TEXTURE_BYTES && parked.stop.count == MAX_PENDING) return true;
  for (let at: usize = 2; at < bytes; at += 2) if (isNamed(parked, code + at)) return true;
  return false;
}

/** Whether a pending read may use the register whose number is at an address. */
function isNamed(parked: ParkedWarps, at: usize): bool {
  const bit = <u32>load<u16>(at) % SCOREBOARD_BITS;
  return (((<u32>load<u8>(parked.scoreboard + (bit >> 3))) >> (bit & 7)) & 1) != 0;
}

/** Size in bytes of the saved state of a stopped warp with `quads` quads. */
export function stoppedBytes(program: Program, quads: i32): u32 {
  const registers = program.registers - program.constants - program.uniforms;
  return <u32>sizeOf<StoppedWarp>() + <u32>quads * (2 + registers) * <u32>QUAD_BYTES;
}

/** Saves the state of a warp's quads, which stopped as described by `stop`. */
export function saveStopped(warp: Warp, stop: StoppedWarp, to: usize, quads: i32): void {
  memory.copy(to, changetype<usize>(stop), sizeOf<StoppedWarp>());
  copyQuads(warp, to + sizeOf<StoppedWarp>(), quads, false);
}

/** Restores the state in which a warp stopped. */
export function restoreStopped(warp: Warp, stop: StoppedWarp, from: usize, quads: i32): void {
  memory.copy(changetype<usize>(stop), from, sizeOf<StoppedWarp>());
  warp.quadCount = quads;
  copyQuads(warp, from + sizeOf<StoppedWarp>(), quads, true);
}

/**
 * Splits the saved state of a stopped warp's quads: that of the first quads is copied to `first`, that of the others to
 * `others`, which may begin before `from` and overlap it.
 */
export function splitStopped(
  program: Program,
  from: usize,
  quads: i32,
  first: usize,
  firstQuads: i32,
  others: usize
): void {
  const head = sizeOf<StoppedWarp>();
  memory.copy(first, from, head);
  memory.copy(others, from, head);
  from += head;
  first += head;
  others += head;
  const bytes = <usize>firstQuads * QUAD_BYTES;
  const otherBytes = <usize>(quads - firstQuads) * QUAD_BYTES;
  for (let columns = 2 + program.registers - program.constants - program.uniforms; columns; columns--) {
    memory.copy(first, from, bytes);
    memory.copy(others, from + bytes, otherBytes);
    first += bytes;
    others += otherBytes;
    from += bytes + otherBytes;
  }
}

/** Copies the state that a shader has changed to or from a warp: everything except constants and uniforms. */
function copyQuads(warp: Warp, at: usize, quads: i32, isBack: bool): void {
  const program = warp.program;
  const bytes = <usize>quads * QUAD_BYTES;
  copyPart(warp.exec, at, bytes, isBack);
  copyPart(warp.killed, at + bytes, bytes, isBack);
  at += 2 * bytes;
  const first = program.inputs + program.outputs;
  const end = first + program.constants + program.uniforms;
  for (let i: u32 = 0; i < program.registers; i++) {
    if (i == first) i = end;
    if (i >= program.registers) return;
    copyPart(warp.registers + i * REGISTER_BYTES, at, bytes, isBack);
    at += bytes;
  }
}

function copyPart(part: usize, kept: usize, bytes: usize, isBack: bool): void {
  if (isBack) memory.copy(part, kept, bytes);
  else memory.copy(kept, part, bytes);
}
