// Runs an encoded program on the interpreter of the testing build: 64 lanes with inputs of their own.
import { REGISTER_BYTES, WARP_QUADS, LOOP_CHECK_INTERVAL } from '../../assembly/layout/limits';
import * as P from '../../assembly/layout/program';
import type { EncodedProgram } from '../../src/codegen';
import { TestKernel } from '../support/kernel';

export const LANES = WARP_QUADS * 4;

export interface WarpResult {
  readonly status: number;
  /** Bits by output and lane. */
  readonly outputs: readonly Uint32Array[];
  readonly killed: Uint32Array;
}

export interface WarpOptions {
  /** Lanes that run; all by default. */
  readonly exec?: (lane: number) => boolean;
  readonly scalar?: boolean;
  readonly quads?: number;
  /** Words that registers hold before the run: nothing may depend on them. */
  readonly garbage?: number;
}

export class WarpRunner {
  private looks = 0;
  /** An endless program ends after a few looks at the clock. */
  readonly kernel = new TestKernel({ timeExpired: () => (++this.looks > 3 ? 1 : 0) });

  /** `inputs`: bits by input and lane; `buffers`: bytes by resource index. */
  run(encoded: EncodedProgram, inputs: readonly (readonly number[])[], buffers: ReadonlyMap<number, Uint8Array>, options: WarpOptions = {}): WarpResult {
    const { kernel } = this;
    const { exec = () => true, scalar = false, quads = WARP_QUADS, garbage = 0x7fa00001 } = options;
    kernel.reset();
    this.looks = 0;
    const program = this.program(encoded);
    const resources = kernel.alloc((Math.max(0, ...buffers.keys()) + 1) * P.RESOURCE_BYTES);
    for (const [index, bytes] of buffers) {
      const address = kernel.alloc(bytes.length);
      kernel.u8(address, bytes.length).set(bytes);
      kernel.u32(resources + index * P.RESOURCE_BYTES, 2).set([address, bytes.length]);
    }
    const scratch = kernel.alloc(P.WARP_BYTES + encoded.registers * REGISTER_BYTES);
    const uniforms = kernel.alloc((encoded.constants.length + encoded.uniforms + 1) * 4);
    const warp = kernel.alloc(P.WARP_BYTES);
    const registers = kernel.alloc(encoded.registers * REGISTER_BYTES);
    kernel.u32(registers, encoded.registers * LANES).fill(garbage);
    kernel.call.runPrologue!(program, resources, uniforms, scratch);
    kernel.call.bindUniforms!(program, uniforms, registers);
    inputs.forEach((lanes, index) => kernel.u32(registers + index * REGISTER_BYTES, LANES).set(lanes));
    const put = (field: number, value: number): void => { kernel.u32(warp + field, 1)[0] = value; };
    put(P.WARP_PROGRAM, program);
    put(P.WARP_REGISTERS, registers);
    put(P.WARP_RESOURCES, resources);
    put(P.WARP_QUAD_COUNT, quads);
    put(P.WARP_LOOP_BUDGET, LOOP_CHECK_INTERVAL);
    kernel.u32(warp + P.WARP_EXEC, LANES).set(Array.from({ length: LANES }, (_, lane) => (exec(lane) ? 0xffffffff : 0)));
    const status = (scalar ? kernel.call.interpretScalar! : kernel.call.interpret!)(warp);
    return {
      status,
      outputs: Array.from({ length: encoded.outputs }, (_, k) => kernel.u32(registers + (encoded.inputs + k) * REGISTER_BYTES, LANES).slice()),
      killed: kernel.u32(warp + P.WARP_KILLED, LANES).slice(),
    };
  }

  private program(encoded: EncodedProgram): number {
    const { kernel } = this;
    const words = (array: Uint32Array): number => {
      const address = kernel.alloc(Math.max(4, array.length * 4));
      kernel.u32(address, array.length).set(array);
      return address;
    };
    const record = kernel.alloc(P.PROGRAM_BYTES);
    const put = (field: number, value: number): void => { kernel.u32(record + field, 1)[0] = value; };
    put(P.PROGRAM_CODE, words(encoded.code));
    put(P.PROGRAM_PROLOGUE, encoded.prologue.length === 0 ? 0 : words(encoded.prologue));
    put(P.PROGRAM_INPUTS, encoded.inputs);
    put(P.PROGRAM_OUTPUTS, encoded.outputs);
    put(P.PROGRAM_CONSTANTS, encoded.constants.length);
    put(P.PROGRAM_UNIFORMS, encoded.uniforms);
    put(P.PROGRAM_CONSTANT_DATA, words(encoded.constants));
    put(P.PROGRAM_FLAGS, encoded.flags);
    return record;
  }
}
