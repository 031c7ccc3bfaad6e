// Loops of the interpreter over the quads of a warp. T chooses the engine: v128 for four lanes at a time, u32 for the
// scalar twin; O, an operation (operations.ts). Counts are bytes of a register in use, rounded up to a step of four
// quads; what lies in the quads beyond the warp's own does not matter. A destination may be one of the operands, since
// each quad is read before it is written.
import { REGISTER_BYTES } from '../layout';

/** Bytes of a loop step: four quads. */
export const STEP_BYTES: i32 = 64;

/** Address of the register in the high half of an instruction word. */
export function high(registers: usize, word: u32): usize { return registers + ((word >>> 16) << 8); }

/** Address of the register in the low half of an instruction word. */
export function low(registers: usize, word: u32): usize { return registers + ((word & 0xffff) << 8); }

/** dst = a. */
export function move<T>(dst: usize, a: usize, bytes: usize): void {
  const end = dst + bytes;
  do {
    if (isVector<T>()) {
      v128.store(dst, v128.load(a));
      v128.store(dst, v128.load(a, 16), 16);
      v128.store(dst, v128.load(a, 32), 32);
      v128.store(dst, v128.load(a, 48), 48);
      dst += STEP_BYTES;
      a += STEP_BYTES;
    } else {
      store<u64>(dst, load<u64>(a));
      dst += 8;
      a += 8;
    }
  } while (dst < end);
}

/** dst = mask ? a : dst. */
export function moveMasked<T>(dst: usize, a: usize, mask: usize, bytes: usize): void {
  const end = dst + bytes;
  do {
    if (isVector<T>()) {
      v128.store(dst, v128.bitselect(v128.load(a), v128.load(dst), v128.load(mask)));
      v128.store(dst, v128.bitselect(v128.load(a, 16), v128.load(dst, 16), v128.load(mask, 16)), 16);
      v128.store(dst, v128.bitselect(v128.load(a, 32), v128.load(dst, 32), v128.load(mask, 32)), 32);
      v128.store(dst, v128.bitselect(v128.load(a, 48), v128.load(dst, 48), v128.load(mask, 48)), 48);
      dst += STEP_BYTES;
      a += STEP_BYTES;
      mask += STEP_BYTES;
    } else {
      const m = load<u64>(mask);
      store<u64>(dst, (load<u64>(a) & m) | (load<u64>(dst) & ~m));
      dst += 8;
      a += 8;
      mask += 8;
    }
  } while (dst < end);
}

/** One word in all lanes of a register. */
export function broadcast<T>(dst: usize, word: u32): void {
  const end = dst + REGISTER_BYTES;
  if (isVector<T>()) {
    const value = i32x4.splat(word);
    do {
      v128.store(dst, value);
      v128.store(dst, value, 16);
      v128.store(dst, value, 32);
      v128.store(dst, value, 48);
      dst += STEP_BYTES;
    } while (dst < end);
  } else {
    do {
      store<u32>(dst, word);
      dst += 4;
    } while (dst < end);
  }
}

/** dst = op a, four quads a step. */
export function unary<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  let a = low(registers, load<u32>(code, 4));
  const end = dst + bytes;
  do {
    if (isVector<T>()) {
      v128.store(dst, changetype<O>(0).lanes(v128.load(a)));
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 16)), 16);
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 32)), 32);
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 48)), 48);
      dst += STEP_BYTES;
      a += STEP_BYTES;
    } else {
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a)));
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 4)), 4);
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 8)), 8);
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 12)), 12);
      dst += 16;
      a += 16;
    }
  } while (dst < end);
}

/** dst = op a where the operation is long: one quad a step, and a function of its own. */
export function unaryLong<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  let a = low(registers, load<u32>(code, 4));
  const end = dst + bytes;
  do {
    if (isVector<T>()) {
      v128.store(dst, changetype<O>(0).lanes(v128.load(a)));
      dst += 16;
      a += 16;
    } else {
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a)));
      dst += 4;
      a += 4;
    }
  } while (dst < end);
}

/** dst = a op b, four quads a step. */
export function binary<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  const word = load<u32>(code, 4);
  let a = low(registers, word);
  let b = high(registers, word);
  const end = dst + bytes;
  do {
    if (isVector<T>()) {
      v128.store(dst, changetype<O>(0).lanes(v128.load(a), v128.load(b)));
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 16), v128.load(b, 16)), 16);
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 32), v128.load(b, 32)), 32);
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 48), v128.load(b, 48)), 48);
      dst += STEP_BYTES;
      a += STEP_BYTES;
      b += STEP_BYTES;
    } else {
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a), load<u32>(b)));
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 4), load<u32>(b, 4)), 4);
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 8), load<u32>(b, 8)), 8);
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 12), load<u32>(b, 12)), 12);
      dst += 16;
      a += 16;
      b += 16;
    }
  } while (dst < end);
}

/** dst = a op b where the operation is long. */
export function binaryLong<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  const word = load<u32>(code, 4);
  let a = low(registers, word);
  let b = high(registers, word);
  const end = dst + bytes;
  do {
    if (isVector<T>()) {
      v128.store(dst, changetype<O>(0).lanes(v128.load(a), v128.load(b)));
      dst += 16;
      a += 16;
      b += 16;
    } else {
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a), load<u32>(b)));
      dst += 4;
      a += 4;
      b += 4;
    }
  } while (dst < end);
}

/** dst = op(a, b, c), four quads a step. */
export function ternary<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  const word = load<u32>(code, 4);
  let a = low(registers, word);
  let b = high(registers, word);
  let c = low(registers, load<u32>(code, 8));
  const end = dst + bytes;
  do {
    if (isVector<T>()) {
      v128.store(dst, changetype<O>(0).lanes(v128.load(a), v128.load(b), v128.load(c)));
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 16), v128.load(b, 16), v128.load(c, 16)), 16);
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 32), v128.load(b, 32), v128.load(c, 32)), 32);
      v128.store(dst, changetype<O>(0).lanes(v128.load(a, 48), v128.load(b, 48), v128.load(c, 48)), 48);
      dst += STEP_BYTES;
      a += STEP_BYTES;
      b += STEP_BYTES;
      c += STEP_BYTES;
    } else {
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a), load<u32>(b), load<u32>(c)));
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 4), load<u32>(b, 4), load<u32>(c, 4)), 4);
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 8), load<u32>(b, 8), load<u32>(c, 8)), 8);
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a, 12), load<u32>(b, 12), load<u32>(c, 12)), 12);
      dst += 16;
      a += 16;
      b += 16;
      c += 16;
    }
  } while (dst < end);
}

/** dst = op(a, b, c, d), two quads a step: four addresses and their sums leave no registers for more. */
export function quaternary<O, T>(code: usize, registers: usize, bytes: usize): void {
  let dst = high(registers, load<u32>(code));
  const first = load<u32>(code, 4);
  const second = load<u32>(code, 8);
  let a = low(registers, first);
  let b = high(registers, first);
  let c = low(registers, second);
  let d = high(registers, second);
  const end = dst + bytes;
  do {
    if (isVector<T>()) {
      v128.store(dst, changetype<O>(0).lanes(v128.load(a), v128.load(b), v128.load(c), v128.load(d)));
      v128.store(
        dst, changetype<O>(0).lanes(v128.load(a, 16), v128.load(b, 16), v128.load(c, 16), v128.load(d, 16)), 16
      );
      dst += 32;
      a += 32;
      b += 32;
      c += 32;
      d += 32;
    } else {
      store<u32>(dst, changetype<O>(0).bits(load<u32>(a), load<u32>(b), load<u32>(c), load<u32>(d)));
      dst += 4;
      a += 4;
      b += 4;
      c += 4;
      d += 4;
    }
  } while (dst < end);
}

/**
 * Operations on the bits of single lanes, for which WASM has no four-lane instruction: the same loop in both engines.
 */
export function ternaryByLane<O>(code: usize, registers: usize, bytes: usize): void {
  const word = load<u32>(code, 4);
  const dst = high(registers, load<u32>(code));
  const a = low(registers, word);
  const b = high(registers, word);
  const c = low(registers, load<u32>(code, 8));
  for (let i: usize = 0; i < bytes; i += 4) {
    store<u32>(dst + i, changetype<O>(0).bits(load<u32>(a + i), load<u32>(b + i), load<u32>(c + i)));
  }
}

/** As ternaryByLane, of four operands. */
export function quaternaryByLane<O>(code: usize, registers: usize, bytes: usize): void {
  const first = load<u32>(code, 4);
  const second = load<u32>(code, 8);
  const dst = high(registers, load<u32>(code));
  const a = low(registers, first);
  const b = high(registers, first);
  const c = low(registers, second);
  const d = high(registers, second);
  for (let i: usize = 0; i < bytes; i += 4) {
    store<u32>(dst + i, changetype<O>(0).bits(load<u32>(a + i), load<u32>(b + i), load<u32>(c + i), load<u32>(d + i)));
  }
}

/** Shifts. WASM shifts all lanes by one count; `splat` says that the count is the same in the whole register. */
export function shift<O, T>(code: usize, registers: usize, bytes: usize, splat: bool): void {
  let dst = high(registers, load<u32>(code));
  const word = load<u32>(code, 4);
  let a = low(registers, word);
  let b = high(registers, word);
  const end = dst + bytes;
  if (isVector<T>()) {
    if (splat) {
      const count = load<i32>(b);
      do {
        v128.store(dst, changetype<O>(0).lanes(v128.load(a), count));
        dst += 16;
        a += 16;
      } while (dst < end);
      return;
    }
  }
  do {
    store<u32>(dst, changetype<O>(0).bits(load<u32>(a), load<u32>(b)));
    dst += 4;
    a += 4;
    b += 4;
  } while (dst < end);
}

/** Differences between the pixels of a quad. */
export function derivative<O, T>(code: usize, registers: usize, bytes: usize): void {
  if (isVector<T>()) {
    unary<O, T>(code, registers, bytes);
  } else {
    let dst = high(registers, load<u32>(code));
    let a = low(registers, load<u32>(code, 4));
    const end = dst + bytes;
    do {
      derivativeQuad<O>(dst, a);
      dst += 16;
      a += 16;
    } while (dst < end);
  }
}

/** All four differences are taken before the first is stored: dst may be a. */
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

function dotQuad(
  tail: i32, dst: usize, a0: usize, b0: usize, a1: usize, b1: usize, a2: usize, b2: usize, a3: usize, b3: usize
): void {
  let sum = f32x4.add(f32x4.mul(v128.load(a0), v128.load(b0)), f32x4.mul(v128.load(a1), v128.load(b1)));
  sum = f32x4.add(sum, f32x4.mul(v128.load(a2), v128.load(b2)));
  if (tail == 1) sum = f32x4.add(sum, v128.load(a3));
  if (tail == 2) sum = f32x4.add(sum, f32x4.mul(v128.load(a3), v128.load(b3)));
  v128.store(dst, sum);
}

function dotLane(
  tail: i32, dst: usize, a0: usize, b0: usize, a1: usize, b1: usize, a2: usize, b2: usize, a3: usize, b3: usize
): void {
  let sum = load<f32>(a0) * load<f32>(b0) + load<f32>(a1) * load<f32>(b1);
  sum += load<f32>(a2) * load<f32>(b2);
  if (tail == 1) sum += load<f32>(a3);
  if (tail == 2) sum += load<f32>(a3) * load<f32>(b3);
  store<f32>(dst, sum);
}

/** ((a0·b0) + (a1·b1)) + (a2·b2), and with `tail` 1 + a3, 2 + a3·b3. */
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
  const end = dst + bytes;
  do {
    let step: usize = 4;
    if (isVector<T>()) {
      step = STEP_BYTES;
      dotQuad(tail, dst, a0, b0, a1, b1, a2, b2, a3, b3);
      dotQuad(tail, dst + 16, a0 + 16, b0 + 16, a1 + 16, b1 + 16, a2 + 16, b2 + 16, a3 + 16, b3 + 16);
      dotQuad(tail, dst + 32, a0 + 32, b0 + 32, a1 + 32, b1 + 32, a2 + 32, b2 + 32, a3 + 32, b3 + 32);
      dotQuad(tail, dst + 48, a0 + 48, b0 + 48, a1 + 48, b1 + 48, a2 + 48, b2 + 48, a3 + 48, b3 + 48);
    } else {
      dotLane(tail, dst, a0, b0, a1, b1, a2, b2, a3, b3);
    }
    dst += step;
    a0 += step;
    b0 += step;
    a1 += step;
    b1 += step;
    a2 += step;
    b2 += step;
    a3 += step;
    b3 += step;
  } while (dst < end);
}
