// Arithmetic opcodes over whole arrays, 64 lanes per warp, through the interpreter or its scalar twin.
import { REGISTER_BYTES, WARP_QUADS } from '../../assembly/layout/limits';
import { OP_END } from '../../assembly/layout/program/opcodes';
import { Program, Warp } from '../../build/layout';
import { TestKernel } from './kernel';

export type Engine = 'interpret' | 'interpretScalar';
const LANES = WARP_QUADS * 4;

export class ArrayMath {
  readonly kernel = new TestKernel();
  private readonly code = this.kernel.alloc(64);
  private readonly program = this.kernel.alloc(Program.bytes);
  private readonly warp = this.kernel.alloc(Warp.bytes);
  private readonly registers = this.kernel.alloc(3 * REGISTER_BYTES);

  constructor() {
    const { kernel } = this;
    kernel.u32(this.program + Program.code, 1)[0] = this.code;
    kernel.u32(this.program + Program.inputs, 1)[0] = 2;
    kernel.u32(this.program + Program.outputs, 1)[0] = 1;
    kernel.u32(this.warp + Warp.program, 1)[0] = this.program;
    kernel.u32(this.warp + Warp.registers, 1)[0] = this.registers;
    kernel.u32(this.warp + Warp.quadCount, 1)[0] = WARP_QUADS;
  }

  /** op x for all x. */
  unary(engine: Engine, opcode: number, x: Float32Array): Float32Array {
    return this.run(engine, opcode, x, x);
  }

  /** x op y for all pairs; either may hold the bits of integers. */
  binary(engine: Engine, opcode: number, x: Float32Array, y: Float32Array): Float32Array {
    return this.run(engine, opcode, x, y);
  }

  /** Describes the first place where SIMD and scalar differ by more than a NaN's bits; empty if they agree. */
  difference(opcode: number, x: Float32Array, y: Float32Array = x): string {
    const lanes = this.run('interpret', opcode, x, y);
    const scalars = this.run('interpretScalar', opcode, x, y);
    const a = new Uint32Array(lanes.buffer);
    const b = new Uint32Array(scalars.buffer);
    for (let i = 0; i < a.length; i++) {
      if (a[i] !== b[i] && !(Number.isNaN(lanes[i]) && Number.isNaN(scalars[i])))
        return (
          `opcode ${opcode}(${x[i]}, ${y[i]}): SIMD ${a[i].toString(16)} (${lanes[i]}), `
          + `scalar ${b[i].toString(16)} (${scalars[i]})`
        );
    }
    return '';
  }

  private run(engine: Engine, opcode: number, x: Float32Array, y: Float32Array): Float32Array {
    const { kernel, registers } = this;
    kernel.u32(this.code, 3).set([opcode | (2 << 16), 0 | (1 << 16), OP_END]);
    const results = new Float32Array(x.length);
    // Through words: a copy of NaNs must keep their bits.
    const words = new Uint32Array(results.buffer);
    const [a, b, out] = [0, 1, 2].map((i) => kernel.u32(registers + i * REGISTER_BYTES, LANES));
    const xs = new Uint32Array(x.buffer, x.byteOffset, x.length);
    const ys = new Uint32Array(y.buffer, y.byteOffset, y.length);
    for (let i = 0; i < x.length; i += LANES) {
      a.set(xs.subarray(i, i + LANES));
      b.set(ys.subarray(i, i + LANES));
      kernel.call[engine](this.warp);
      words.set(out.subarray(0, Math.min(LANES, x.length - i)), i);
    }
    return results;
  }
}
