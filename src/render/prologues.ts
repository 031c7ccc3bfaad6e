// Prologues of draws' programs, which fill their uniform blocks: run many at once, since most of them take less time
// than a call of the kernel.
import { Prologue } from '../../build/layout';
import type { CommandMemory } from './command-memory';

/** That wait to be run. */
const MOST = 64;

export class Prologues {
  /** Address of as many PROLOGUEs. */
  private readonly list: number;
  private count = 0;

  /** `run`: `count` of them at `list`. */
  constructor(commands: CommandMemory, private readonly run: (list: number, count: number) => void) {
    this.list = commands.take(MOST * Prologue.bytes);
  }

  /** Addresses, as those of a STAGE. */
  add(u32: Uint32Array, program: number, resources: number, uniforms: number): void {
    if (this.count === MOST) this.runAll();
    const at = this.list + this.count++ * Prologue.bytes;
    u32[(at + Prologue.program) >>> 2] = program;
    u32[(at + Prologue.resources) >>> 2] = resources;
    u32[(at + Prologue.uniforms) >>> 2] = uniforms;
  }

  /** Those that were added since. */
  runAll(): void {
    const { count } = this;
    this.count = 0;
    if (count > 0) this.run(this.list, count);
  }
}
