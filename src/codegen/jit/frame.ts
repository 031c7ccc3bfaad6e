// The frame of each emitted function: addresses from the warp in locals, and constants and uniforms that are loaded
// once, before the loop.
//
// V8 rebuilds a `v128.const` at every use inside a loop. A local that is loaded by `v128.load32_splat` is free if a
// register is available, and costs a load otherwise. Tried: loading constants where they are used slowed down helmet's
// shader from 704 to between 921 and 1039 cycles.

import { Resource, Warp } from '../../../build/layout';
import type { OpName } from '../../ir';
import { Expression, global, i32, tee, v128, type I32, type Local, type V128 } from '../wasm/expression';
import { FunctionWriter, type Label } from '../wasm/writer';

export type Words = readonly [number, number, number, number];

/** The module's constants: four words each, or one word for all lanes. env.constants points at them. */
export class Constants {
  private readonly words: number[] = [];
  private readonly singles = new Map<number, number>();
  private readonly offsets = new Map<string, number>();

  /** Byte offset of a word that is broadcast to all lanes. */
  single(word: number): number {
    let offset = this.singles.get(word);
    if (offset === undefined) this.singles.set(word, (offset = (this.words.push(word) - 1) * 4));
    return offset;
  }

  /** Byte offset of four words. */
  vector(words: Words): number {
    const key = words.join();
    let offset = this.offsets.get(key);
    if (offset === undefined) {
      while (this.words.length % 4 !== 0) this.words.push(0);
      this.offsets.set(key, (offset = this.append(words)));
    }
    return offset;
  }

  /** Byte offset of consecutive words. */
  table(words: readonly number[]): number {
    const key = `table ${words.join()}`;
    let offset = this.offsets.get(key);
    if (offset === undefined) this.offsets.set(key, (offset = this.append(words)));
    return offset;
  }

  private append(words: readonly number[]): number {
    const offset = this.words.length * 4;
    for (const word of words) this.words.push(word);
    return offset;
  }

  array(): Uint32Array {
    return Uint32Array.from(this.words);
  }
}

export interface Imports {
  /** Global: address of the constants. */
  readonly constants: number;
  /** Function: nonzero if the time limit has expired. */
  readonly timeExpired: number;
  /** Kernel function: reads a texture site. */
  readonly runSite: number;
  /** Kernel functions: loads of a quad from multisampled textures, and its accesses to surfaces and images. */
  readonly loadSamplesQuad: number;
  readonly loadSurfaceQuad: number;
  readonly storeSurfaceQuad: number;
  readonly loadImageQuad: number;
  readonly storeImageQuad: number;
  /** Whether other threads may access memory at the same time. */
  readonly isShared: boolean;
  /** Kernel function: an atomic access of a quad to a buffer. */
  readonly accessBufferQuad: number;
  /** Function of the module with the complete version of an operation whose common case is inlined (common.ts). */
  readonly whole: (op: OpName) => number;
}

/** A number that is computed before the loop if it is used. */
class Base extends Expression<'i32'> {
  private known: Local<'i32'> | null = null;
  constructor(
    private readonly frame: Frame,
    readonly value: I32
  ) {
    super();
  }

  get local(): Local<'i32'> {
    if (this.known === null) {
      this.known = this.frame.writer.persistentLocal('i32');
      this.frame.requested.push(this);
    }
    return this.known;
  }

  get isAsked(): boolean {
    return this.known !== null;
  }
  write(): void {
    this.frame.writer.get(this.local);
  }
}

/** A constant; its local is created on first use. */
class Constant extends Expression<'v128'> {
  constructor(
    private readonly frame: Frame,
    private readonly words: Words
  ) {
    super();
  }
  write(): void {
    this.frame.push(this.words);
  }
}

/**
 * Maximum number of values that are kept in locals across the loop. Further ones are loaded where they are used. That
 * costs no more than a stack access, because engines would spill them anyway. With a thousand locals and thousands of
 * branches, V8 took several seconds and a gigabyte.
 */
const MAX_HOISTED = 256;

/** Bytes per quad in a register and in the warp's masks. */
const QUAD_BYTES = 16;

/** The location of the data of a quad in the current iteration. */
export class QuadPlace {
  /** Address of the quad's 16 bytes in register 0. */
  readonly registers: Local<'i32'>;
  /** Address of the quad's exec mask, minus Warp.exec. */
  readonly masks: Local<'i32'>;

  constructor(private readonly frame: Frame) {
    this.registers = frame.writer.persistentLocal('i32');
    this.masks = frame.writer.persistentLocal('i32');
  }

  get exec(): V128 {
    return this.mask(Warp.exec);
  }
  /** Lanes that were discarded. */
  get killed(): V128 {
    return this.mask(Warp.killed);
  }

  private mask(offset: number): V128 {
    this.frame.usesMasks = true;
    return v128.load(this.masks, offset);
  }

  kill(lanes: V128): void {
    this.frame.writer.store(this.masks, v128.or(this.killed, lanes), Warp.killed);
  }
}

/** A value for all lanes that is loaded before the loop. */
interface Hoisted {
  readonly local: Local<'v128'>;
  readonly value: V128;
}

/**
 * A function `(warp) → status` with a loop over quads, one or two per iteration. The body of the loop is written first,
 * because it determines what the code before the loop must load. All locals are in the same function.
 */
export class Frame {
  readonly writer = new FunctionWriter(['i32'], ['i32']);
  readonly warp = this.writer.parameters[0] as Local<'i32'>;
  /** The quads of an iteration. */
  readonly quads: readonly QuadPlace[];
  /** End of the masks, in the same units as the mask addresses. */
  private readonly end = this.writer.persistentLocal('i32');
  /** Whether the function reads masks. */
  usesMasks = false;
  /** Always zero; never set. */
  private readonly zero = this.writer.persistentLocal('v128');
  readonly requested: Base[] = [];
  private readonly constantsBase: Base;
  private readonly uniforms = new Base(this, i32.load(this.warp, Warp.uniforms));
  readonly resources = new Base(this, i32.load(this.warp, Warp.resources));
  readonly sites = new Base(this, i32.load(this.warp, Warp.sites));
  /** Addresses of bindings, and the valid range of offsets in them, by the number of bytes accessed. */
  private readonly addresses = new Map<number, Base>();
  private readonly reaches = new Map<string, Base>();
  private readonly missFlag = new Base(this, i32.load(this.warp, Warp.missFlag));
  readonly budget = new Base(this, i32.load(this.warp, Warp.loopBudget));
  private readonly hoisted: Hoisted[] = [];
  private readonly splats = new Map<number, Hoisted>();
  private readonly vectors = new Map<number, Hoisted>();
  private readonly uniformSplats = new Map<number, Hoisted>();

  constructor(
    readonly constants: Constants,
    readonly imports: Imports,
    width: 1 | 2 = 1
  ) {
    this.quads = Array.from({ length: width }, () => new QuadPlace(this));
    this.constantsBase = new Base(this, global(imports.constants));
  }

  /** Whether the quad has read a non-resident page and may wait for it. */
  get hasMissedPage(): I32 {
    return i32.load(this.missFlag);
  }

  /** Records a miss at the end of a quad's iteration. */
  noteMiss(): void {
    const {
      writer,
      warp,
      missFlag,
      quads: [quad],
    } = this;
    writer.if(this.hasMissedPage, () => {
      const index = i32.shiftRight(i32.difference(quad!.masks, warp), i32.constant(4));
      const bit = i32.shiftLeft(i32.constant(1), index);
      writer.storeWord(warp, i32.or(i32.load(warp, Warp.missedQuads), bit), Warp.missedQuads);
      writer.storeWord(missFlag, i32.constant(0));
    });
  }

  /** A constant, per lane or the same in all lanes. */
  constant(words: Words): V128 {
    return new Constant(this, words);
  }
  splat(bits: number): V128 {
    return new Constant(this, [bits, bits, bits, bits]);
  }

  /** Leaves a constant on the stack. */
  push(words: Words): void {
    const [a, b, c, d] = words;
    if (a === b && a === c && a === d) return this.pushSplat(a);
    const offset = this.constants.vector(words);
    this.load(this.vectors, offset, this.constantsBase, offset, v128.load);
  }

  pushSplat(bits: number): void {
    const word = bits >>> 0;
    if (word === 0) return this.writer.get(this.zero);
    this.load(this.splats, word, this.constantsBase, this.constants.single(word), v128.loadSplat);
  }

  /** Leaves a word of the draw call's uniform block on the stack, in all lanes. */
  pushUniform(word: number): void {
    this.load(this.uniformSplats, word, this.uniforms, word * 4, v128.loadSplat);
  }

  /** A word of the draw call's uniform block. */
  uniformWord(word: number): I32 {
    return i32.load(this.uniforms, word * 4);
  }

  /** Address of a binding. */
  addressOf(resource: number): I32 {
    let base = this.addresses.get(resource);
    if (base === undefined) {
      base = new Base(this, i32.load(this.resources.local, resource * Resource.bytes + Resource.address));
      this.addresses.set(resource, base);
    }
    return base;
  }

  /** Number of valid offsets in a binding for accesses of the given size in bytes. */
  reachOf(resource: number, bytes: number): I32 {
    const key = `${resource} ${bytes}`;
    let base = this.reaches.get(key);
    if (base === undefined) {
      const size = i32.load(this.resources.local, resource * Resource.bytes + Resource.size);
      const reach = i32.sum(size, i32.constant(1 - bytes));
      base = new Base(this, i32.select(reach, i32.constant(0), i32.atLeast(size, i32.constant(bytes))));
      this.reaches.set(key, base);
    }
    return base;
  }

  /** Address of a table of consecutive words in the constants. */
  tableAddress(words: readonly number[]): I32 {
    return i32.sum(this.constantsBase, i32.constant(this.constants.table(words)));
  }

  private load(
    known: Map<number, Hoisted>,
    key: number,
    base: Base,
    offset: number,
    load: (address: I32, offset: number) => V128
  ): void {
    let found = known.get(key);
    if (found === undefined) {
      const value = load(base.local, offset);
      if (this.hoisted.length === MAX_HOISTED) return value.write(this.writer);
      known.set(key, (found = { local: this.writer.persistentLocal('v128'), value }));
      this.hoisted.push(found);
    }
    this.writer.get(found.local);
  }

  /**
   * Locates the second quad at the start of an iteration; returns whether there is one. If the number of quads is odd,
   * the last one is computed twice, which changes nothing.
   */
  pair(): I32 {
    const {
      writer,
      end,
      quads: [first, second],
    } = this;
    const after = i32.sum(first!.masks, i32.constant(QUAD_BYTES));
    const hasEntry = writer.kept('i32', i32.less(after, end));
    const bytes = writer.kept('i32', i32.select(i32.constant(QUAD_BYTES), i32.constant(0), hasEntry));
    writer.set(second!.registers, i32.sum(first!.registers, bytes));
    writer.set(second!.masks, i32.sum(first!.masks, bytes));
    writer.release(bytes);
    return hasEntry;
  }

  /**
   * Completes the function around the loop body that the writer contains. `start` writes additional code before the
   * loop, and `step` writes code for the end of each iteration. Registers and masks are advanced here.
   */
  finish(start: () => void, step: () => void): FunctionWriter {
    const { writer, warp, quads, end } = this;
    const { registers, masks } = quads[0]!;
    const body = writer.takeCode();
    // Must come first, because it may request constants too.
    start();
    const beginning = writer.takeCode();
    for (const { local, value } of this.requested) writer.set(local, value);
    writer.set(registers, i32.load(warp, Warp.registers));
    const bytes = i32.shiftLeft(i32.load(warp, Warp.quadCount), i32.constant(4));
    writer.set(end, i32.sum(tee(masks, warp), bytes));
    for (const { local, value } of this.hoisted) writer.set(local, value);
    writer.code.bytes(beginning.written);
    const round: Label = { at: 0 };
    writer.construct('loop', round, () => {
      writer.code.bytes(body.written);
      step();
      const bytes = QUAD_BYTES * quads.length;
      this.advance(registers, bytes);
      writer.branchIf(i32.less(tee(masks, i32.sum(masks, i32.constant(bytes))), end), round);
    });
    this.storeBudget();
    i32.constant(0).write(writer);
    return writer;
  }

  advance(local: Local<'i32'>, bytes: number): void {
    this.writer.set(local, i32.sum(local, i32.constant(bytes)));
  }

  /** Runs before the function returns. */
  private storeBudget(): void {
    if (this.budget.isAsked) this.writer.storeWord(this.warp, this.budget, Warp.loopBudget);
  }
}
