// Values of emitted code as expressions. For example, `sum(product(ddx, dx), c)` writes code that leaves c + ddx·dx on
// the stack. Operands are written from left to right. Each WebAssembly type is a different expression type. Vectors of
// floats and of integers are both v128, as in WebAssembly; the namespaces tell which arithmetic applies.

import { codeOf } from './opcodes';
import { Expression, type FunctionWriter, type I32, type Local, type V128, type WasmType } from './writer';

export { Expression, Local, type I32, type V128 } from './writer';

/** An instruction without immediates. */
class Operation<T extends WasmType> extends Expression<T> {
  constructor(
    private readonly code: number,
    private readonly a: Expression,
    private readonly b: Expression | null,
    private readonly c: Expression | null
  ) {
    super();
  }

  write(to: FunctionWriter): void {
    this.a.write(to);
    if (this.b !== null) this.b.write(to);
    if (this.c !== null) this.c.write(to);
    to.opcode(this.code);
  }
}

class Constant extends Expression<'i32'> {
  constructor(private readonly value: number) {
    super();
  }
  write(to: FunctionWriter): void {
    to.i32(this.value);
  }
}

/** extract_lane, replace_lane. */
class OfLane<T extends WasmType> extends Expression<T> {
  constructor(
    private readonly code: number,
    private readonly vector: V128,
    private readonly word: I32 | null,
    private readonly lane: number
  ) {
    super();
  }

  write(to: FunctionWriter): void {
    this.vector.write(to);
    if (this.word !== null) this.word.write(to);
    to.opcode(this.code);
    to.code.byte(this.lane);
  }
}

/** A load; with `vector`, a load of one of its lanes. */
class Load<T extends WasmType> extends Expression<T> {
  constructor(
    private readonly code: number,
    private readonly address: I32,
    private readonly offset: number,
    private readonly vector: V128 | null,
    private readonly lane: number
  ) {
    super();
  }

  write(to: FunctionWriter): void {
    this.address.write(to);
    if (this.vector !== null) this.vector.write(to);
    to.memory(this.code, this.offset);
    if (this.vector !== null) to.code.byte(this.lane);
  }
}

class Shuffle extends Expression<'v128'> {
  constructor(
    private readonly a: V128,
    private readonly b: V128,
    private readonly words: readonly number[]
  ) {
    super();
  }

  write(to: FunctionWriter): void {
    this.a.write(to);
    this.b.write(to);
    to.opcode(SHUFFLE);
    for (const word of this.words) for (let k = 0; k < 4; k++) to.code.byte(4 * word + k);
  }
}

class Tee<T extends WasmType> extends Expression<T> {
  constructor(
    private readonly local: Local<T>,
    private readonly value: Expression<T>
  ) {
    super();
  }

  write(to: FunctionWriter): void {
    this.value.write(to);
    to.tee(this.local);
  }
}

/** One of two values, depending on a condition; the other is not computed. */
class Choice extends Expression<'v128'> {
  constructor(
    private readonly condition: I32,
    private readonly then: V128,
    private readonly otherwise: V128
  ) {
    super();
  }

  write(to: FunctionWriter): void {
    this.condition.write(to);
    to.begin('if', 'v128');
    this.then.write(to);
    to.else();
    this.otherwise.write(to);
    to.end();
  }
}

class Call extends Expression<'i32'> {
  constructor(private readonly index: number) {
    super();
  }
  write(to: FunctionWriter): void {
    to.call(this.index);
  }
}

class Global extends Expression<'i32'> {
  constructor(private readonly index: number) {
    super();
  }
  write(to: FunctionWriter): void {
    to.globalGet(this.index);
  }
}

class Zero extends Expression<'v128'> {
  write(to: FunctionWriter): void {
    to.opcode(CONST);
    for (let k = 0; k < 16; k++) to.code.byte(0);
  }
}

/** The value that is already on the stack. */
class Pushed extends Expression<'v128'> {
  write(): void {
    /* Nothing to write. */
  }
}
export const pushed: V128 = new Pushed();

class Emitted<T extends WasmType> extends Expression<T> {
  constructor(private readonly emit: (to: FunctionWriter) => void) {
    super();
  }
  write(to: FunctionWriter): void {
    this.emit(to);
  }
}

type Of<T extends WasmType> = Expression<T>;

function unary<A extends WasmType, R extends WasmType>(name: string): (a: Of<A>) => Of<R> {
  const code = codeOf(name);
  return (a) => new Operation(code, a, null, null);
}

function binary<A extends WasmType, B extends WasmType, R extends WasmType>(
  name: string
): (a: Of<A>, b: Of<B>) => Of<R> {
  const code = codeOf(name);
  return (a, b) => new Operation(code, a, b, null);
}

function ternary<T extends WasmType, C extends WasmType>(name: string): (a: Of<T>, b: Of<T>, c: Of<C>) => Of<T> {
  const code = codeOf(name);
  return (a, b, c) => new Operation(code, a, b, c);
}

/** `offset` in bytes is added to the address. */
function load<R extends WasmType>(name: string): (address: I32, offset?: number) => Of<R> {
  const code = codeOf(name);
  return (address, offset = 0) => new Load(code, address, offset, null, 0);
}

const CONST = codeOf('v128.const');
const SHUFFLE = codeOf('i8x16.shuffle');
const EXTRACT = codeOf('i32x4.extract_lane');
const REPLACE = codeOf('i32x4.replace_lane');
const LOAD_LANE = codeOf('v128.load32_lane');

/** 32-bit integers; comparisons are unsigned unless the name says otherwise. */
export const i32 = {
  constant: (value: number): I32 => new Constant(value),
  sum: binary<'i32', 'i32', 'i32'>('i32.add'),
  difference: binary<'i32', 'i32', 'i32'>('i32.sub'),
  quotient: binary<'i32', 'i32', 'i32'>('i32.div_u'),
  and: binary<'i32', 'i32', 'i32'>('i32.and'),
  or: binary<'i32', 'i32', 'i32'>('i32.or'),
  xor: binary<'i32', 'i32', 'i32'>('i32.xor'),
  shiftLeft: binary<'i32', 'i32', 'i32'>('i32.shl'),
  shiftRight: binary<'i32', 'i32', 'i32'>('i32.shr_u'),
  equal: binary<'i32', 'i32', 'i32'>('i32.eq'),
  isZero: unary<'i32', 'i32'>('i32.eqz'),
  less: binary<'i32', 'i32', 'i32'>('i32.lt_u'),
  atLeast: binary<'i32', 'i32', 'i32'>('i32.ge_u'),
  /** Number of one bits, and number of zero bits below the lowest one. */
  ones: unary<'i32', 'i32'>('i32.popcnt'),
  zerosBelow: unary<'i32', 'i32'>('i32.ctz'),
  lessSigned: binary<'i32', 'i32', 'i32'>('i32.lt_s'),
  isAtMostSigned: binary<'i32', 'i32', 'i32'>('i32.le_s'),
  /** The first operand if the condition is not 0, otherwise the second. */
  select: ternary<'i32', 'i32'>('select'),
  load: load<'i32'>('i32.load'),
  loadHalf: load<'i32'>('i32.load16_u'),
};

/** Four lanes of any type. */
export const v128 = {
  zero: new Zero() as V128,
  and: binary<'v128', 'v128', 'v128'>('v128.and'),
  or: binary<'v128', 'v128', 'v128'>('v128.or'),
  xor: binary<'v128', 'v128', 'v128'>('v128.xor'),
  not: unary<'v128', 'v128'>('v128.not'),
  /** a & ~b. */
  andNot: binary<'v128', 'v128', 'v128'>('v128.andnot'),
  /** Bits of the first operand where the third has ones, otherwise bits of the second. */
  select: ternary<'v128', 'v128'>('v128.bitselect'),
  isAny: unary<'v128', 'i32'>('v128.any_true'),
  load: load<'v128'>('v128.load'),
  /** One word in all lanes. */
  loadSplat: load<'v128'>('v128.load32_splat'),
  loadSplat64: load<'v128'>('v128.load64_splat'),
  /** One word in the first lane, zeros in the others. */
  loadFirst: load<'v128'>('v128.load32_zero'),
  /** `vector` with one lane replaced. */
  loadLane: (address: I32, vector: V128, offset: number, lane: number): V128 =>
    new Load(LOAD_LANE, address, offset, vector, lane),
  /** Indices 0 … 3 select words of the first operand, 4 … 7 of the second. */
  shuffle: (a: V128, b: V128, words: readonly number[]): V128 => new Shuffle(a, b, words),
  /** Bytes of the first operand, selected by the second; 0 for indices out of range. */
  swizzle: binary<'v128', 'v128', 'v128'>('i8x16.swizzle'),
};

/** Four floats. min(a, b) is b < a ? b : a; max is defined likewise. */
export const f32x4 = {
  sum: binary<'v128', 'v128', 'v128'>('f32x4.add'),
  difference: binary<'v128', 'v128', 'v128'>('f32x4.sub'),
  product: binary<'v128', 'v128', 'v128'>('f32x4.mul'),
  quotient: binary<'v128', 'v128', 'v128'>('f32x4.div'),
  min: binary<'v128', 'v128', 'v128'>('f32x4.pmin'),
  max: binary<'v128', 'v128', 'v128'>('f32x4.pmax'),
  floor: unary<'v128', 'v128'>('f32x4.floor'),
  equal: binary<'v128', 'v128', 'v128'>('f32x4.eq'),
  unequal: binary<'v128', 'v128', 'v128'>('f32x4.ne'),
  splat: unary<'f32', 'v128'>('f32x4.splat'),
};

/** Four integers; min, max and comparisons are unsigned. */
export const i32x4 = {
  sum: binary<'v128', 'v128', 'v128'>('i32x4.add'),
  difference: binary<'v128', 'v128', 'v128'>('i32x4.sub'),
  product: binary<'v128', 'v128', 'v128'>('i32x4.mul'),
  min: binary<'v128', 'v128', 'v128'>('i32x4.min_u'),
  max: binary<'v128', 'v128', 'v128'>('i32x4.max_u'),
  atMost: binary<'v128', 'v128', 'v128'>('i32x4.le_u'),
  shiftLeft: binary<'v128', 'i32', 'v128'>('i32x4.shl'),
  shiftRight: binary<'v128', 'i32', 'v128'>('i32x4.shr_u'),
  shiftRightSigned: binary<'v128', 'i32', 'v128'>('i32x4.shr_s'),
  /** Absolute values; the most negative number stays as it is. */
  magnitude: unary<'v128', 'v128'>('i32x4.abs'),
  areAll: unary<'v128', 'i32'>('i32x4.all_true'),
  /** The sign bit of each lane as a bit mask. */
  signs: unary<'v128', 'i32'>('i32x4.bitmask'),
  splat: unary<'i32', 'v128'>('i32x4.splat'),
  lane: (vector: V128, lane: number): I32 => new OfLane(EXTRACT, vector, null, lane),
  withLane: (vector: V128, lane: number, word: I32): V128 => new OfLane(REPLACE, vector, word, lane),
};

/** 64-bit products of the unsigned words in the first two lanes, and in the last two. */
export const i64x2 = {
  productLow: binary<'v128', 'v128', 'v128'>('i64x2.extmul_low_i32x4_u'),
  productHigh: binary<'v128', 'v128', 'v128'>('i64x2.extmul_high_i32x4_u'),
};

/** The value, which is also stored in a local. */
export const tee = <T extends WasmType>(local: Local<T>, value: Of<T>): Of<T> => new Tee(local, value);
export const choice = (condition: I32, then: V128, otherwise: V128): V128 => new Choice(condition, then, otherwise);
/** The result of calling a function without parameters. */
export const called = (index: number): I32 => new Call(index);
export const global = (index: number): I32 => new Global(index);
/** The value that the emitted statements leave on the stack. */
export const emitted = <T extends WasmType = 'v128'>(emit: (to: FunctionWriter) => void): Of<T> => new Emitted(emit);
