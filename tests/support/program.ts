// Handwritten bytecode on a warp of the test kernel: registers in, registers out.
import { REGISTER_BYTES, WARP_QUADS } from '../../assembly/layout/limits';
import { Program, Resource, Warp } from '../../build/layout';
import type { Engine } from './math';
import { TestKernel } from './kernel';

export const LANES = WARP_QUADS * 4;
export const ON = 0xffffffff;

interface ProgramOptions {
  readonly registers?: number;
  /** Registers in the order of the file; constants follow inputs and outputs. */
  readonly inputs?: number;
  readonly outputs?: number;
  readonly constants?: readonly number[];
  readonly uniforms?: number;
  readonly prologue?: readonly number[];
  readonly kernel?: TestKernel;
}

/** word0 of an instruction, or any word of two halves. */
export const pair = (lowHalf: number, highHalf: number): number => (lowHalf | (highHalf << 16)) >>> 0;

export class TestProgram {
  readonly kernel: TestKernel;
  readonly program: number;
  readonly warp: number;
  readonly registers: number;
  readonly resources: number;
  private readonly count: number;

  constructor(
    code: readonly number[],
    { registers = 32, inputs = 0, outputs = 0, constants = [], uniforms = 0, prologue, kernel }: ProgramOptions = {}
  ) {
    this.kernel = kernel ?? new TestKernel();
    this.count = registers;
    this.program = this.kernel.alloc(Program.bytes);
    this.warp = this.kernel.alloc(Warp.bytes);
    this.registers = this.kernel.alloc(registers * REGISTER_BYTES);
    this.resources = this.kernel.alloc(8 * Resource.bytes);
    const fields: [number, number][] = [
      [Program.code, this.words(code)],
      [Program.prologue, prologue ? this.words(prologue) : 0],
      [Program.inputs, inputs],
      [Program.outputs, outputs],
      [Program.constants, constants.length],
      [Program.uniforms, uniforms],
      [Program.constantData, this.words(constants)],
    ];
    for (const [offset, value] of fields) this.kernel.u32(this.program + offset, 1)[0] = value;
    this.start(WARP_QUADS);
  }

  /** Stores words in memory; returns their address. */
  words(values: readonly number[]): number {
    const address = this.kernel.alloc(Math.max(values.length, 1) * 4);
    this.kernel.u32(address, values.length).set(values);
    return address;
  }

  /** A fresh warp of `quads` quads with all its lanes active. */
  start(quads: number, budget = 65536): void {
    const { kernel, warp } = this;
    kernel.u8(warp, Warp.bytes).fill(0);
    kernel.u32(warp + Warp.program, 1)[0] = this.program;
    kernel.u32(warp + Warp.registers, 1)[0] = this.registers;
    kernel.u32(warp + Warp.resources, 1)[0] = this.resources;
    kernel.u32(warp + Warp.quadCount, 1)[0] = quads;
    kernel.u32(warp + Warp.loopBudget, 1)[0] = budget;
    // Lanes of quads beyond the count are active as well: the engine must ignore them.
    this.exec().fill(ON);
  }

  register(index: number): Uint32Array {
    return this.kernel.u32(this.registers + index * REGISTER_BYTES, LANES);
  }
  float(index: number): Float32Array {
    return this.kernel.f32(this.registers + index * REGISTER_BYTES, LANES);
  }
  exec(): Uint32Array {
    return this.kernel.u32(this.warp + Warp.exec, LANES);
  }
  killed(): Uint32Array {
    return this.kernel.u32(this.warp + Warp.killed, LANES);
  }

  /** Entry of the resource table. */
  bind(index: number, address: number, size: number): void {
    this.kernel.u32(this.resources + index * Resource.bytes, 2).set([address, size]);
  }

  run(engine: Engine | 'runWarp' = 'interpret'): number {
    return this.kernel.call[engine](this.warp);
  }

  /** The lanes of all registers in use, for comparing runs. */
  contents(quads: number): number[][] {
    return Array.from({ length: this.count }, (_, i) => [...this.register(i).subarray(0, quads * 4)]);
  }
}
