// Runs the prologues of shaders, which fill the uniform blocks of draw calls. They run in batches, because most of them
// take less time than a call into the kernel.
import { Prologue } from '../../../build/layout';
import type { CommandMemory } from '../memory/command-memory';

/** Maximum number of waiting prologues. */
const MOST = 64;

export class Prologues {
  /** Address of MOST PROLOGUE records. */
  private readonly list: number;
  private count = 0;

  /** `run` runs `count` prologues at `list`. */
  constructor(
    commands: CommandMemory,
    private readonly run: (list: number, count: number) => void
  ) {
    this.list = commands.take(MOST * Prologue.bytes);
  }

  /** Adds a prologue. The arguments are addresses, as in a STAGE. */
  add(u32: Uint32Array, program: number, resources: number, uniforms: number): void {
    if (this.count === MOST) this.runAll();
    const at = this.list + this.count++ * Prologue.bytes;
    u32[(at + Prologue.program) >>> 2] = program;
    u32[(at + Prologue.resources) >>> 2] = resources;
    u32[(at + Prologue.uniforms) >>> 2] = uniforms;
  }

  /** Runs all waiting prologues. */
  runAll(): void {
    const { count } = this;
    this.count = 0;
    if (count > 0) this.run(this.list, count);
  }
}
