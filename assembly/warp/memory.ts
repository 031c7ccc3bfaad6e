// Buffers and lane arrays: reads and writes with computed addresses. Every address is clamped to its resource.
import { OPERAND_NONE, Resource, Warp } from '../layout';
import {
  allTrue,
  isSplat,
  transposeColumn0,
  transposeColumn1,
  transposeColumn2,
  transposeColumn3,
} from '../simd/lanes';
import { broadcast, high, low, move, moveMasked } from './loops';

/** Entry of the resource table. */
export function resource(warp: Warp, index: u32): Resource {
  return changetype<Resource>(warp.resources).after(index);
}

/** The word at `offset`, clamped to the binding; 0 if the binding is smaller than a word. */
function loadWord(address: usize, size: u32, offset: u32): u32 {
  return size < 4 ? 0 : load<u32>(address + (min<u32>(offset, size - 4) & ~3));
}

/** Four words at four offsets within the resource. */
function gather(address: usize, offsets: v128): v128 {
  if (isSplat(offsets)) return v128.load32_splat(address + i32x4.extract_lane(offsets, 0));
  let words = v128.load32_zero(address + i32x4.extract_lane(offsets, 0));
  words = v128.load_lane<u32>(address + i32x4.extract_lane(offsets, 1), words, 1);
  words = v128.load_lane<u32>(address + i32x4.extract_lane(offsets, 2), words, 2);
  return v128.load_lane<u32>(address + i32x4.extract_lane(offsets, 3), words, 3);
}

/** Loads one word per invocation into dst. `splat` means that the offset is the same in all lanes. */
function loadWords<T>(dst: usize, offset: usize, immediate: u32, entry: Resource, bytes: usize, splat: bool): void {
  const address = entry.address;
  const size = entry.size;
  if (splat || size < 4) {
    broadcast<T>(dst, loadWord(address, size, load<u32>(offset) + immediate));
    return;
  }
  for (let i: usize = 0; i < bytes; i += sizeof<T>()) {
    if (isVector<T>()) {
      const offsets = i32x4.add(v128.load(offset + i), i32x4.splat(immediate));
      const clamped = i32x4.min_u(offsets, i32x4.splat(size - 4));
      v128.store(dst + i, gather(address, v128.and(clamped, i32x4.splat(~3))));
    } else store<u32>(dst + i, loadWord(address, size, load<u32>(offset + i) + immediate));
  }
}

/** OP_BUFFER_LOAD. */
export function bufferLoad<T>(code: usize, warp: Warp, registers: usize, bytes: usize, splat: bool): void {
  const word = load<u32>(code, 4);
  const entry = resource(warp, word >>> 16);
  loadWords<T>(high(registers, load<u32>(code)), low(registers, word), load<u32>(code, 8), entry, bytes, splat);
}

/** OP_BUFFER_LOAD4. */
export function bufferLoad4<T>(code: usize, warp: Warp, registers: usize, bytes: usize, splat: bool): void {
  const word = load<u32>(code, 4);
  const entry = resource(warp, word >>> 16);
  if (isVector<T>()) {
    // Whole vec4s: loads one row per invocation and transposes them.
    if (!splat && entry.size >= 16 && loadRows(code, registers, entry, bytes)) return;
  }
  for (let i: u32 = 0; i < 4; i++) {
    const d = load<u16>(code + 12 + (i << 1));
    if (d != OPERAND_NONE)
      loadWords<T>(
        registers + ((<usize>d) << 8),
        low(registers, word),
        load<u32>(code, 8) + (i << 2),
        entry,
        bytes,
        splat
      );
  }
}

/** Stores one quad of a result, if the result is used. */
function storeResult(registers: usize, index: u32, i: usize, value: v128): void {
  if (index != OPERAND_NONE) v128.store(registers + (index << 8) + i, value);
}

/**
 * Fast path of bufferLoad4, for quads whose 16 bytes are inside the binding in all lanes. Returns false if some are
 * not; everything is then loaded word by word.
 */
function loadRows(code: usize, registers: usize, entry: Resource, bytes: usize): bool {
  const offset = low(registers, load<u32>(code, 4));
  const address = entry.address;
  const d0 = load<u16>(code, 12);
  const d1 = load<u16>(code, 14);
  const d2 = load<u16>(code, 16);
  const d3 = load<u16>(code, 18);
  const added = i32x4.splat(load<u32>(code, 8));
  const last = i32x4.splat(entry.size - 16);
  for (let i: usize = 0; i < bytes; i += 16) {
    const offsets = i32x4.add(v128.load(offset + i), added);
    if (!allTrue(i32x4.le_u(offsets, last))) return false;
    const aligned = v128.and(offsets, i32x4.splat(~3));
    const r0 = v128.load(address + i32x4.extract_lane(aligned, 0));
    const r1 = v128.load(address + i32x4.extract_lane(aligned, 1));
    const r2 = v128.load(address + i32x4.extract_lane(aligned, 2));
    const r3 = v128.load(address + i32x4.extract_lane(aligned, 3));
    storeResult(registers, d0, i, transposeColumn0(r0, r1, r2, r3));
    storeResult(registers, d1, i, transposeColumn1(r0, r1, r2, r3));
    storeResult(registers, d2, i, transposeColumn2(r0, r1, r2, r3));
    storeResult(registers, d3, i, transposeColumn3(r0, r1, r2, r3));
  }
  return true;
}

/** Address of an array's element `index`, clamped to the array. */
function element(array: usize, index: u32, length: u32): usize {
  return array + ((index < length ? index : length - 1) << 8);
}

/** OP_ARRAY_LOAD. */
export function arrayLoad<T>(code: usize, registers: usize, bytes: usize, splat: bool): void {
  const word = load<u32>(code, 4);
  const dst = high(registers, load<u32>(code));
  const index = low(registers, word);
  const array = high(registers, word);
  const length = load<u32>(code, 8);
  if (splat) {
    move<T>(dst, element(array, load<u32>(index), length), bytes);
    return;
  }
  for (let i: usize = 0; i < bytes; i += 4)
    store<u32>(dst + i, load<u32>(element(array, load<u32>(index + i), length) + i));
}

/** OP_ARRAY_STORE. */
export function arrayStore<T>(code: usize, warp: Warp, registers: usize, bytes: usize, splat: bool): void {
  const word = load<u32>(code, 4);
  const value = high(registers, load<u32>(code));
  const index = low(registers, word);
  const array = high(registers, word);
  const length = load<u32>(code, 8);
  if (splat) {
    moveMasked<T>(element(array, load<u32>(index), length), value, warp.exec, bytes);
    return;
  }
  for (let i: usize = 0; i < bytes; i += 4) {
    if (load<u32>(warp.exec + i)) store<u32>(element(array, load<u32>(index + i), length) + i, load<u32>(value + i));
  }
}
