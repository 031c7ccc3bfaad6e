// Buffer writes of active lanes that are not killed: stores, lane by lane, and atomic accesses of a quad for both
// engines (ATOMIC ACCESS, layout/program/atomic-access.ts). Every offset is clamped to its binding.
import {
  ATOMIC_ADD,
  ATOMIC_AND,
  ATOMIC_COMPARE_EXCHANGE,
  ATOMIC_EXCHANGE,
  ATOMIC_MAX_I32,
  ATOMIC_MAX_U32,
  ATOMIC_MIN_I32,
  ATOMIC_MIN_U32,
  ATOMIC_OR,
  AtomicAccess,
  OPERAND_NONE,
  Warp,
} from '../layout';
import { high, low } from './loops';
import { resource } from './memory';

/** Mask of the lane at byte offset `lane` of the warp's masks: all ones if it is active and not killed. */
function activeMask(warp: usize, lane: usize): u32 {
  return load<u32>(changetype<Warp>(warp + lane).exec) & ~load<u32>(changetype<Warp>(warp + lane).killed);
}

/** OP_BUFFER_STORE. */
export function bufferStore(code: usize, warp: Warp, registers: usize): void {
  const word = load<u32>(code, 4);
  const entry = resource(warp, word >>> 16);
  const size = entry.size;
  if (size < 4) return;
  const address = entry.address;
  const value = high(registers, load<u32>(code));
  const offset = low(registers, word);
  for (let lane: usize = 0, end: usize = warp.quadCount << 4; lane < end; lane += 4) {
    if (!activeMask(changetype<usize>(warp), lane)) continue;
    store<u32>(address + (min<u32>(load<u32>(offset + lane), size - 4) & ~3), load<u32>(value + lane));
  }
}

/** OP_BUFFER_STORE_HALF. */
export function bufferStoreHalf(code: usize, warp: Warp, registers: usize): void {
  const word = load<u32>(code, 4);
  const entry = resource(warp, word >>> 16);
  const size = entry.size;
  if (size < 2) return;
  const address = entry.address;
  const value = high(registers, load<u32>(code));
  const offset = low(registers, word);
  for (let lane: usize = 0, end: usize = warp.quadCount << 4; lane < end; lane += 4) {
    if (!activeMask(changetype<usize>(warp), lane)) continue;
    store<u16>(address + (min<u32>(load<u32>(offset + lane), size - 2) & ~1), load<u16>(value + lane));
  }
}

/** OP_BUFFER_ATOMIC. */
export function bufferAtomics(code: usize, warp: Warp, registers: usize): void {
  const place = load<u32>(code, 4);
  const operands = load<u32>(code, 8);
  const kind = load<u32>(code, 12);
  const comparand = operands >>> 16;
  const result = load<u32>(code) >>> 16;
  const access = changetype<AtomicAccess>(warp.access.scratch);
  for (let offset: usize = 0, end: usize = warp.quadCount << 4; offset < end; offset += 16) {
    for (let lane: usize = 0; lane < 16; lane += 4) {
      const at = offset + lane;
      store<u32>(access.lanes + lane, activeMask(changetype<usize>(warp), at));
      store<u32>(access.offset + lane, load<u32>(low(registers, place) + at));
      store<u32>(access.value + lane, load<u32>(low(registers, operands) + at));
      if (comparand != OPERAND_NONE) store<u32>(access.comparand + lane, load<u32>(high(registers, operands) + at));
    }
    accessBufferQuad(warp, (place >>> 16) | (kind << 16), access);
    if (result == OPERAND_NONE) continue;
    for (let lane: usize = 0; lane < 16; lane += 4)
      store<u32>(registers + ((<usize>result) << 8) + offset + lane, load<u32>(access.result + lane));
  }
}

/** Executes an atomic access, lane by lane in order. `which` is resource | ATOMIC_* << 16. */
export function accessBufferQuad(warp: Warp, which: u32, access: AtomicAccess): void {
  const entry = resource(warp, which & 0xffff);
  const kind = which >>> 16;
  const size = entry.size;
  for (let at = changetype<usize>(access), end = at + 16; at < end; at += 4) {
    const lane = changetype<AtomicAccess>(at);
    let before: u32 = 0;
    if (size >= 4 && load<u32>(lane.lanes)) {
      const address = entry.address + (min<u32>(load<u32>(lane.offset), size - 4) & ~3);
      before = accessWord(address, kind, load<u32>(lane.value), load<u32>(lane.comparand));
    }
    store<u32>(lane.result, before);
  }
}

/** Applies an atomic operation to a word, which other workers may access at the same time. */
function accessWord(address: usize, kind: u32, value: u32, comparand: u32): u32 {
  if (kind == ATOMIC_ADD) return atomic.add<u32>(address, value);
  if (kind == ATOMIC_AND) return atomic.and<u32>(address, value);
  if (kind == ATOMIC_OR) return atomic.or<u32>(address, value);
  if (kind == ATOMIC_EXCHANGE) return atomic.xchg<u32>(address, value);
  if (kind == ATOMIC_COMPARE_EXCHANGE) return atomic.cmpxchg<u32>(address, comparand, value);
  let before = atomic.load<u32>(address);
  while (true) {
    const found = atomic.cmpxchg<u32>(address, before, combine(before, kind, value));
    if (found == before) return before;
    before = found;
  }
}

/** The new value of a word, by the operations that WebAssembly does not have. */
function combine(before: u32, kind: u32, value: u32): u32 {
  switch (kind) {
    case ATOMIC_MIN_I32:
      return min<i32>(before, value);
    case ATOMIC_MAX_I32:
      return max<i32>(before, value);
    case ATOMIC_MIN_U32:
      return min<u32>(before, value);
    case ATOMIC_MAX_U32:
      return max<u32>(before, value);
    default:
      return before ^ value;
  }
}
