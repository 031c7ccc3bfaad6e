// Hand-written bytecode on a warp of the test kernel: registers in, registers out.
import { REGISTER_BYTES, WARP_QUADS } from '../../assembly/layout/limits';
import * as layout from '../../assembly/layout/program';
import type { Engine } from './math';
import { TestKernel } from './kernel';

export const LANES = WARP_QUADS * 4;
export const ON = 0xffffffff;

export interface ProgramOptions {
  readonly registers?: number;
  /** Registers in the order of the file; constants begin behind inputs and outputs. */
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

  constructor(code: readonly number[], { registers = 32, inputs = 0, outputs = 0, constants = [], uniforms = 0, prologue, kernel }: ProgramOptions = {}) {
    this.kernel = kernel ?? new TestKernel();
    this.count = registers;
    this.program = this.kernel.alloc(layout.PROGRAM_BYTES);
    this.warp = this.kernel.alloc(layout.WARP_BYTES);
    this.registers = this.kernel.alloc(registers * REGISTER_BYTES);
    this.resources = this.kernel.alloc(8 * layout.RESOURCE_BYTES);
    const fields: [number, number][] = [
      [layout.PROGRAM_CODE, this.words(code)], [layout.PROGRAM_PROLOGUE, prologue ? this.words(prologue) : 0], [layout.PROGRAM_INPUTS, inputs], [layout.PROGRAM_OUTPUTS, outputs],
      [layout.PROGRAM_CONSTANTS, constants.length], [layout.PROGRAM_UNIFORMS, uniforms], [layout.PROGRAM_CONSTANT_DATA, this.words(constants)],
    ];
    for (const [offset, value] of fields) this.kernel.u32(this.program + offset, 1)[0] = value;
    this.start(WARP_QUADS);
  }

  /** Words in memory; their address. */
  words(values: readonly number[]): number {
    const address = this.kernel.alloc(Math.max(values.length, 1) * 4);
    this.kernel.u32(address, values.length).set(values);
    return address;
  }

  /** A fresh warp of `quads` quads with all its lanes on. */
  start(quads: number, budget = 65536): void {
    const { kernel, warp } = this;
    kernel.u8(warp, layout.WARP_BYTES).fill(0);
    kernel.u32(warp + layout.WARP_PROGRAM, 1)[0] = this.program;
    kernel.u32(warp + layout.WARP_REGISTERS, 1)[0] = this.registers;
    kernel.u32(warp + layout.WARP_RESOURCES, 1)[0] = this.resources;
    kernel.u32(warp + layout.WARP_QUAD_COUNT, 1)[0] = quads;
    kernel.u32(warp + layout.WARP_LOOP_BUDGET, 1)[0] = budget;
    // Lanes of quads beyond the count are on as well: the engine must not be misled by them.
    this.exec().fill(ON);
  }

  register(index: number): Uint32Array { return this.kernel.u32(this.registers + index * REGISTER_BYTES, LANES); }
  float(index: number): Float32Array { return this.kernel.f32(this.registers + index * REGISTER_BYTES, LANES); }
  exec(): Uint32Array { return this.kernel.u32(this.warp + layout.WARP_EXEC, LANES); }
  killed(): Uint32Array { return this.kernel.u32(this.warp + layout.WARP_KILLED, LANES); }

  /** Entry of the resource table. */
  bind(index: number, address: number, size: number): void { this.kernel.u32(this.resources + index * layout.RESOURCE_BYTES, 2).set([address, size]); }

  run(engine: Engine | 'runWarp' = 'interpret'): number { return this.kernel.call[engine](this.warp); }

  /** All registers' lanes in use, for comparing runs. */
  contents(quads: number): number[][] { return Array.from({ length: this.count }, (_, i) => [...this.register(i).subarray(0, quads * 4)]); }
}
