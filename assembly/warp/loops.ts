// Loops of the interpreter over the quads of a warp. T selects the engine: v128 for four lanes at a time, u32 for the
// scalar twin. O is an operation (operations.ts). Counts are used bytes of a register, rounded up to a step of four
// quads; the contents of quads beyond the warp's do not matter. A destination may be one of the operands, since each
// quad is read before it is written.
import { REGISTER_BYTES } from '../layout';
import { F32Add, F32Mul, Same, Select } from './operations';

/** Address of the register in the high half of an instruction word. */
export function high(registers: usize, word: u32): usize {
  return registers + ((word >>> 16) << 8);
}

/** Address of the register in the low half of an instruction word. */
export function low(registers: usize, word: u32): usize {
  return registers + ((word & 0xffff) << 8);
}

// Value of an operation with one operand, for four lanes or one.
// @ts-ignore: decorator
@inline function one<O, T>(a: T): T {
  if (isVector<T>()) return changetype<O>(0).lanes(a);
  else return changetype<O>(0).bits(a);
}

/** Value of an operation with two operands, for four lanes or one. */
// @ts-ignore: decorator
@inline export function two<O, T>(a: T, b: T): T {
  if (isVector<T>()) return changetype<O>(0).lanes(a, b);
  else return changetype<O>(0).bits(a, b);
}

// @ts-ignore: decorator
@inline function three<O, T>(a: T, b: T, c: T): T {
  if (isVector<T>()) return changetype<O>(0).lanes(a, b, c);
  else return changetype<O>(0).bits(a, b, c);
}

// @ts-ignore: decorator
@inline function four<O, T>(a: T, b: T, c: T, d: T): T {
  if (isVector<T>()) return changetype<O>(0).lanes(a, b, c, d);
  else return changetype<O>(0).bits(a, b, c, d);
}

// dst = op(a) for registers at addresses, four values per step.
// @ts-ignore: decorator
@inline function unaryOf<O, T>(dst: usize, a: usize, bytes: usize): void {
  const end = dst + bytes;
  const size: usize = sizeof<T>();
  do {
    store<T>(dst, one<O, T>(load<T>(a)));
    store<T>(dst, one<O, T>(load<T>(a, size)), size);
    store<T>(dst, one<O, T>(load<T>(a, 2 * size)), 2 * size);
    store<T>(dst, one<O, T>(load<T>(a, 3 * size)), 3 * size);
    dst += 4 * size;
    a += 4 * size;
  } while (dst < end);
}

/** dst = op(a, b, c) for registers at addresses, four values per step. */
// @ts-ignore: decorator
@inline export function ternaryOf<O, T>(dst: usize, a: usize, b: usize, c: usize, bytes: usize): void {
  const end = dst + bytes;
  const size: usize = sizeof<T>();
  do {
    store<T>(dst, three<O, T>(load<T>(a), load<T>(b), load<T>(c)));
    store<T>(dst, three<O, T>(load<T>(a, size), load<T>(b, size), load<T>(c, size)), size);
    store<T>(dst, three<O, T>(load<T>(a, 2 * size), load<T>(b, 2 * size), load<T>(c, 2 * size)), 2 * size);
    store<T>(dst, three<O, T>(load<T>(a, 3 * size), load<T>(b, 3 * size), load<T>(c, 3 * size)), 3 * size);
    dst += 4 * size;
    a += 4 * size;
    b += 4 * size;
    c += 4 * size;
  } while (dst < end);
}

/** dst = a. */
export function move<T>(dst: usize, a: usize, bytes: usize): void {
  unaryOf<Same, T>(dst, a, bytes);
}

/** dst = mask ? a : dst. */
export function moveMasked<T>(dst: usize, a: usize, mask: usize, bytes: usize): void {
  ternaryOf<Select, T>(dst, mask, a, dst, bytes);
}

/** Writes one word to all lanes of a register. */
export function broadcast<T>(dst: usize, word: u32): void {
  const end = dst + REGISTER_BYTES;
  const value = inAllLanes<T>(word);
  const size: usize = sizeof<T>();
  do {
    store<T>(dst, value);
    store<T>(dst, value, size);
    store<T>(dst, value, 2 * size);
    store<T>(dst, value, 3 * size);
    dst += 4 * size;
  } while (dst < end);
}

/** A word in all lanes of a value. */
export function inAllLanes<T>(word: u32): T {
  if (isVector<T>()) return i32x4.splat(word);
  else return word;
}

/** dst = op a, four values per step. */
export function unary<O, T>(code: usize, registers: usize, bytes: usize): void {
  unaryOf<O, T>(high(registers, load<u32>(code)), low(registers, load<u32>(code, 4)), bytes);
}

/** dst = op a for long operations: one value per step, and a separate function. */
export function unaryLong<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  let a = low(registers, load<u32>(code, 4));
  const end = dst + bytes;
  do {
    store<T>(dst, one<O, T>(load<T>(a)));
    dst += sizeof<T>();
    a += sizeof<T>();
  } while (dst < end);
}

/** dst = a op b, four values per step. */
export function binary<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  const word = load<u32>(code, 4);
  let a = low(registers, word);
  let b = high(registers, word);
  const end = dst + bytes;
  const size: usize = sizeof<T>();
  do {
    store<T>(dst, two<O, T>(load<T>(a), load<T>(b)));
    store<T>(dst, two<O, T>(load<T>(a, size), load<T>(b, size)), size);
    store<T>(dst, two<O, T>(load<T>(a, 2 * size), load<T>(b, 2 * size)), 2 * size);
    store<T>(dst, two<O, T>(load<T>(a, 3 * size), load<T>(b, 3 * size)), 3 * size);
    dst += 4 * size;
    a += 4 * size;
    b += 4 * size;
  } while (dst < end);
}

/** dst = a op b for long operations. */
export function binaryLong<O, T>(code: usize, registers: usize, bytes: usize): void {
  const dst = high(registers, load<u32>(code));
  const word = load<u32>(code, 4);
  const a = low(registers, word);
  const b = high(registers, word);
  for (let i: usize = 0; i < bytes; i += sizeof<T>()) store<T>(dst + i, two<O, T>(load<T>(a + i), load<T>(b + i)));
}

/** dst = op(a, b, c), four values per step. */
export function ternary<O, T>(code: usize, registers: usize, bytes: usize): void {
  const word = load<u32>(code, 4);
  ternaryOf<O, T>(
    high(registers, load<u32>(code)),
    low(registers, word),
    high(registers, word),
    low(registers, load<u32>(code, 8)),
    bytes
  );
}

/** dst = op(a, b, c) for long operations. */
export function ternaryLong<O, T>(code: usize, registers: usize, bytes: usize): void {
  const dst = high(registers, load<u32>(code));
  const word = load<u32>(code, 4);
  const a = low(registers, word);
  const b = high(registers, word);
  const c = low(registers, load<u32>(code, 8));
  for (let i: usize = 0; i < bytes; i += sizeof<T>())
    store<T>(dst + i, three<O, T>(load<T>(a + i), load<T>(b + i), load<T>(c + i)));
}

/** dst = op(a, b, c, d), two values per step: four addresses and their sums leave no machine registers for more. */
export function quaternary<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  const first = load<u32>(code, 4);
  const second = load<u32>(code, 8);
  let a = low(registers, first);
  let b = high(registers, first);
  let c = low(registers, second);
  let d = high(registers, second);
  const end = dst + bytes;
  const size: usize = sizeof<T>();
  do {
    store<T>(dst, four<O, T>(load<T>(a), load<T>(b), load<T>(c), load<T>(d)));
    store<T>(dst, four<O, T>(load<T>(a, size), load<T>(b, size), load<T>(c, size), load<T>(d, size)), size);
    dst += 2 * size;
    a += 2 * size;
    b += 2 * size;
    c += 2 * size;
    d += 2 * size;
  } while (dst < end);
}

/** Shifts. WASM shifts all lanes by one count; `splat` means that the count is the same in the whole register. */
export function shift<O, T>(code: usize, registers: usize, bytes: usize, splat: bool): void {
  if (isVector<T>()) {
    if (splat) {
      const dst = high(registers, load<u32>(code));
      const word = load<u32>(code, 4);
      const a = low(registers, word);
      const count = load<i32>(high(registers, word));
      for (let i: usize = 0; i < bytes; i += 16) v128.store(dst + i, changetype<O>(0).lanes(v128.load(a + i), count));
      return;
    }
  }
  binaryLong<O, u32>(code, registers, bytes);
}

/** Differences between the pixels of a quad. */
export function derivative<O, T>(code: usize, registers: usize, bytes: usize): void {
  if (isVector<T>()) {
    unary<O, T>(code, registers, bytes);
  } else {
    const dst = high(registers, load<u32>(code));
    const a = low(registers, load<u32>(code, 4));
    for (let i: usize = 0; i < bytes; i += 16) derivativeQuad<O>(dst + i, a + i);
  }
}

/** Computes all four differences before the first is stored, because dst may be a. */
function derivativeQuad<O>(dst: usize, a: usize): void {
  const d0 = changetype<O>(0).lane(a, 0);
  const d1 = changetype<O>(0).lane(a, 1);
  const d2 = changetype<O>(0).lane(a, 2);
  const d3 = changetype<O>(0).lane(a, 3);
  store<f32>(dst, d0);
  store<f32>(dst, d1, 4);
  store<f32>(dst, d2, 8);
  store<f32>(dst, d3, 12);
}

// @ts-ignore: decorator
@inline function product<T>(a: usize, b: usize, second: bool): T {
  if (second) return two<F32Mul, T>(load<T>(a, sizeof<T>()), load<T>(b, sizeof<T>()));
  return two<F32Mul, T>(load<T>(a), load<T>(b));
}

/** ((a0·b0) + (a1·b1)) + (a2·b2), plus a3 with `tail` 1 or a3·b3 with `tail` 2. Two values per step. */
// @ts-ignore: decorator
@inline export function dot<T>(tail: i32, code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  const w0 = load<u32>(code, 4);
  const w1 = load<u32>(code, 8);
  const w2 = load<u32>(code, 12);
  const w3 = tail ? load<u32>(code, 16) : 0;
  let a0 = low(registers, w0);
  let b0 = high(registers, w0);
  let a1 = low(registers, w1);
  let b1 = high(registers, w1);
  let a2 = low(registers, w2);
  let b2 = high(registers, w2);
  let a3 = low(registers, w3);
  let b3 = high(registers, w3);
  const size: usize = sizeof<T>();
  const end = dst + bytes;
  do {
    let sum = two<F32Add, T>(product<T>(a0, b0, false), product<T>(a1, b1, false));
    let next = two<F32Add, T>(product<T>(a0, b0, true), product<T>(a1, b1, true));
    sum = two<F32Add, T>(sum, product<T>(a2, b2, false));
    next = two<F32Add, T>(next, product<T>(a2, b2, true));
    if (tail == 1) {
      sum = two<F32Add, T>(sum, load<T>(a3));
      next = two<F32Add, T>(next, load<T>(a3, size));
    } else if (tail == 2) {
      sum = two<F32Add, T>(sum, product<T>(a3, b3, false));
      next = two<F32Add, T>(next, product<T>(a3, b3, true));
    }
    store<T>(dst, sum);
    store<T>(dst, next, size);
    dst += 2 * size;
    a0 += 2 * size;
    b0 += 2 * size;
    a1 += 2 * size;
    b1 += 2 * size;
    a2 += 2 * size;
    b2 += 2 * size;
    a3 += 2 * size;
    b3 += 2 * size;
  } while (dst < end);
}
