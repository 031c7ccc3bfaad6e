// What every emitted function has: the warp's addresses in locals, and constants and uniforms that are loaded once,
// before its loop.
//
// V8 builds a `v128.const` anew at every use inside a loop; a local that was loaded by `v128.load32_splat` costs
// nothing where a
// register is free and a load where none is. (Tried to load constants where they are used: helmet's program 704 → 921 …
// 1039 cycles.)

import { Warp } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import type { OpName } from '../../ir';
import { FunctionWriter, type Local } from '../wasm/writer';

export type Words = readonly [number, number, number, number];

/** The module's constants, four words each or one for all lanes: what env.constants points at. */
export class Constants {
  private readonly words: number[] = [];
  private readonly offsets = new Map<string, number>();

  /** Byte offset of a constant; `single`: one word, to be spread. */
  offset(words: Words, single: boolean): number {
    const key = single ? `${words[0]}` : words.join();
    let offset = this.offsets.get(key);
    if (offset === undefined) {
      while (!single && this.words.length % 4 !== 0) this.words.push(0);
      this.offsets.set(key, (offset = this.words.length * 4));
      this.words.push(...(single ? [words[0]] : words));
    }
    return offset;
  }

  /** Byte offset of words that stand one after the other. */
  table(words: readonly number[]): number {
    const key = `table ${words.join()}`;
    let offset = this.offsets.get(key);
    if (offset === undefined) {
      this.offsets.set(key, (offset = this.words.length * 4));
      for (const word of words) this.words.push(word);
    }
    return offset;
  }

  array(): Uint32Array { return Uint32Array.from(this.words); }
}

export interface Imports {
  /** Global: address of the constants. */
  readonly constants: number;
  /** Function: nonzero when the time is up. */
  readonly timeExpired: number;
  /** Function of the kernel: reads a texture site. */
  readonly runSite: number;
  /** Functions of the kernel: surface accesses of a quad. */
  readonly loadSurfaceQuad: number;
  readonly storeSurfaceQuad: number;
  /** Function of the module for all lanes of an operation of which only the common case is taken in (common.ts). */
  readonly whole: (op: OpName) => number;
}

/** A value that is loaded before the loop. */
type Hoisted = {
  readonly base: 'constants' | 'uniforms';
  readonly offset: number;
  readonly instruction: string;
  readonly local: Local;
};

/**
 * A function `(warp) → status` with a loop over quads. The loop's body is written first; then it is known what the
 * start must load. Locals of the start live in the same function.
 */
export class Frame {
  readonly writer = new FunctionWriter(['i32'], ['i32']);
  readonly warp: Local = 0;
  /** Address of the current quad's 16 bytes in register 0. */
  readonly registers: Local = this.writer.lasting('i32');
  /** Address of the current quad's exec mask, less Warp.exec. */
  readonly masks: Local = this.writer.lasting('i32');
  private readonly end: Local = this.writer.lasting('i32');
  /** Whether the function looks at masks. */
  usesMasks = false;
  /** Zeros: nobody sets it. */
  readonly zero: Local = this.writer.lasting('v128');
  private readonly bases = new Map<'constants' | 'uniforms' | 'resources' | 'sites' | 'budget', Local>();
  private readonly hoisted = new Map<string, Hoisted>();

  constructor(readonly constants: Constants, readonly imports: Imports) {}

  /** A constant of all lanes or of single ones. */
  constant(words: Words): void {
    if (words.every((word) => word === 0)) return this.writer.get(this.zero);
    const single = words.every((word) => word === words[0]);
    this.load('constants', this.constants.offset(words, single), single ? 'v128.load32_splat' : 'v128.load');
  }

  splat(bits: number): void { this.constant([bits >>> 0, bits >>> 0, bits >>> 0, bits >>> 0]); }

  /** A word of the draw's uniform block in all lanes. */
  uniform(word: number): void { this.load('uniforms', word * 4, 'v128.load32_splat'); }

  /** A word of the draw's uniform block as an i32. */
  uniformWord(word: number): void {
    this.writer.get(this.base('uniforms'));
    this.writer.memory('i32.load', word * 4);
  }

  base(name: 'constants' | 'uniforms' | 'resources' | 'sites' | 'budget'): Local {
    let local = this.bases.get(name);
    if (local === undefined) this.bases.set(name, (local = this.writer.lasting('i32')));
    return local;
  }

  private load(base: 'constants' | 'uniforms', offset: number, instruction: string): void {
    const key = `${base} ${offset} ${instruction}`;
    let found = this.hoisted.get(key);
    if (found === undefined) {
      this.base(base);
      this.hoisted.set(key, (found = { base, offset, instruction, local: this.writer.lasting('v128') }));
    }
    this.writer.get(found.local);
  }

  /**
   * The function around the loop's body that the writer holds now. `start` writes what else comes before the loop,
   * `step` what comes at the end of each round (registers and masks are moved on here).
   */
  finish(start: () => void, step: () => void): FunctionWriter {
    const { writer } = this;
    const body = writer.code.splice(0);
    // Written first: it may ask for constants, too.
    start();
    const beginning = writer.code.splice(0);
    for (const [name, local] of this.bases) {
      switch (name) {
        case 'constants': writer.globalGet(this.imports.constants); break;
        case 'uniforms': this.field(Warp.uniforms); break;
        case 'resources': this.field(Warp.resources); break;
        case 'sites': this.field(Warp.sites); break;
        case 'budget': this.field(Warp.loopBudget); break;
        default: unreachable(`jit: no address of ${String(name)}`);
      }
      writer.set(local);
    }
    this.field(Warp.registers);
    writer.set(this.registers);
    writer.get(this.warp);
    writer.tee(this.masks);
    this.field(Warp.quadCount);
    writer.i32(4);
    writer.op('i32.shl');
    writer.op('i32.add');
    writer.set(this.end);
    for (const { base, offset, instruction, local } of this.hoisted.values()) {
      writer.get(this.bases.get(base)!);
      writer.memory(instruction, offset);
      writer.set(local);
    }
    for (const byte of beginning) writer.code.push(byte);
    writer.begin('loop');
    for (const byte of body) writer.code.push(byte);
    step();
    this.advance(this.registers, 16);
    writer.get(this.masks);
    writer.i32(16);
    writer.op('i32.add');
    writer.tee(this.masks);
    writer.get(this.end);
    writer.op('i32.lt_u');
    writer.branchIf(0);
    writer.end();
    this.storeBudget();
    writer.i32(0);
    return writer;
  }

  advance(local: Local, bytes: number): void {
    this.writer.get(local);
    this.writer.i32(bytes);
    this.writer.op('i32.add');
    this.writer.set(local);
  }

  private field(offset: number): void {
    this.writer.get(this.warp);
    this.writer.memory('i32.load', offset);
  }

  private storeBudget(): void {
    const budget = this.bases.get('budget');
    if (budget === undefined) return;
    this.writer.get(this.warp);
    this.writer.get(budget);
    this.writer.memory('i32.store', Warp.loopBudget);
  }

  /** The current quad's exec mask. */
  exec(): void {
    this.usesMasks = true;
    this.writer.get(this.masks);
    this.writer.memory('v128.load', Warp.exec);
  }

  /** The current quad's lanes that were discarded. */
  killed(): void {
    this.usesMasks = true;
    this.writer.get(this.masks);
    this.writer.memory('v128.load', Warp.killed);
  }

  /** killed |= mask, which is a local. */
  kill(mask: Local): void {
    this.usesMasks = true;
    this.writer.get(this.masks);
    this.writer.get(this.masks);
    this.writer.memory('v128.load', Warp.killed);
    this.writer.get(mask);
    this.writer.op('v128.or');
    this.writer.memory('v128.store', Warp.killed);
  }
}
