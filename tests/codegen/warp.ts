// Runs a program on 64 lanes with inputs of their own: encoded for the interpreter of the testing build, or compiled.
import { readFileSync } from 'node:fs';
import { CTX_PLANES, CTX_UNIT, CTX_WARP } from '../../assembly/layout/context';
import { FORMAT_RGBA32FLOAT } from '../../assembly/layout/formats';
import { REGISTER_BYTES, WARP_QUADS, LOOP_CHECK_INTERVAL } from '../../assembly/layout/limits';
import * as P from '../../assembly/layout/program';
import { DESCRIPTION_BYTES } from '../../assembly/layout/site';
import * as S from '../../assembly/layout/surface';
import { TILE_PIXELS } from '../../assembly/layout/tile';
import { LSU_FAULTS } from '../../assembly/layout/unit';
import type { EncodedProgram } from '../../src/codegen';
import { emitModule } from '../../src/codegen/jit';
import { parseInlines, type Inlines } from '../../src/codegen/wasm/inlines';
import type { IrProgram } from '../../src/ir';
import { TestKernel } from '../support/kernel';

export const LANES = WARP_QUADS * 4;
/** A pixel for each lane: a block. */
export const SURFACE_SIDE = 8;
const SAMPLES = 4;
const PIXEL_BYTES = SAMPLES * 16;

export interface WarpResult {
  readonly status: number;
  /** Bits by output and lane. */
  readonly outputs: readonly Uint32Array[];
  readonly killed: Uint32Array;
  /** Words of the surface, then how many accesses were faults; none without one. */
  readonly surface: Uint32Array;
}

/** A program as compiled code, for any number of runs. */
export interface CompiledProgram {
  readonly module: WebAssembly.Module;
  readonly constants: Uint32Array;
  readonly sites: Uint32Array;
  /** Of the register file. */
  readonly bytes: number;
}

export interface WarpOptions {
  /** Lanes that run; all by default. */
  readonly exec?: (lane: number) => boolean;
  readonly scalar?: boolean;
  readonly quads?: number;
  /** Words that registers hold before the run: nothing may depend on them. */
  readonly garbage?: number;
  /** Makes textures and samplers in the kernel's memory: addresses by resource index. */
  readonly bind?: (kernel: TestKernel) => ReadonlyMap<number, number>;
  /** Resource index of a surface of SURFACE_SIDE² pixels, four samples of rgba32float, all 0; −1 for none. */
  readonly surface?: number;
  /** The same program, compiled: runs in place of the bytecode (which still computes the draw's uniform values). */
  readonly compiled?: CompiledProgram;
}

let inlines: Inlines | undefined;
/** The kernel's mathematics, as emitted modules take it in. */
function theInlines(): Inlines {
  return (inlines ??= parseInlines(readFileSync(new URL('../../build/inlines.wasm', import.meta.url))));
}

/** Compiles a program whose bytecode is `encoded`: its inputs and outputs are in the register file. */
export function compileProgram(program: IrProgram, encoded: EncodedProgram): CompiledProgram {
  // As a vertex program: those always find their inputs in registers.
  const emitted = emitModule({ program, encoded }, null, { inlines: theInlines(), sharedMemory: true });
  return { module: new WebAssembly.Module(emitted.bytes), constants: emitted.constants, sites: emitted.vertexSites, bytes: emitted.vertexBytes };
}

export class WarpRunner {
  private looks = 0;
  private readonly timeExpired = (): number => (++this.looks > 3 ? 1 : 0);
  /** An endless program ends after a few looks at the clock. */
  readonly kernel = new TestKernel({ timeExpired: this.timeExpired });
  /** The place in the kernel's table of the compiled program that runs. */
  private readonly slot = this.kernel.table.grow(1);

  /** `inputs`: bits by input and lane; `buffers`: bytes by resource index. */
  run(encoded: EncodedProgram, inputs: readonly (readonly number[])[], buffers: ReadonlyMap<number, Uint8Array>, options: WarpOptions = {}): WarpResult {
    const { kernel } = this;
    const { exec = () => true, scalar = false, quads = WARP_QUADS, garbage = 0x7fa00001, compiled, surface = -1 } = options;
    kernel.reset();
    this.looks = 0;
    const program = this.program(encoded, compiled);
    const bound = options.bind?.(kernel) ?? new Map<number, number>();
    const resources = kernel.alloc((Math.max(0, surface, ...buffers.keys(), ...bound.keys()) + 1) * P.RESOURCE_BYTES);
    const record = surface < 0 ? 0 : this.surface();
    if (surface >= 0) kernel.u32(resources + surface * P.RESOURCE_BYTES, 2).set([record, 0]);
    for (const [index, address] of bound) kernel.u32(resources + index * P.RESOURCE_BYTES, 2).set([address, 0]);
    for (const [index, bytes] of buffers) {
      const address = kernel.alloc(bytes.length);
      kernel.u8(address, bytes.length).set(bytes);
      kernel.u32(resources + index * P.RESOURCE_BYTES, 2).set([address, bytes.length]);
    }
    const scratch = kernel.alloc(P.WARP_BYTES + encoded.registers * REGISTER_BYTES);
    const uniforms = kernel.alloc((encoded.constants.length + encoded.uniforms + 1) * 4);
    // As a fragment program's, it is part of a tile context.
    const context = kernel.alloc(CTX_PLANES);
    const warp = context + CTX_WARP;
    const unit = kernel.alloc(kernel.call.unitBytes!(PIXEL_BYTES));
    kernel.call.unitInit!(unit, PIXEL_BYTES);
    kernel.u32(context + CTX_UNIT, 1)[0] = unit;
    const fileBytes = Math.max(encoded.registers * REGISTER_BYTES, compiled?.bytes ?? 0);
    const registers = kernel.alloc(fileBytes);
    kernel.u32(registers, fileBytes / 4).fill(garbage);
    kernel.call.runPrologue!(program, resources, uniforms, scratch);
    const put = (field: number, value: number): void => { kernel.u32(warp + field, 1)[0] = value; };
    put(P.WARP_PROGRAM, program);
    put(P.WARP_REGISTERS, registers);
    put(P.WARP_RESOURCES, resources);
    put(P.WARP_QUAD_COUNT, quads);
    put(P.WARP_LOOP_BUDGET, LOOP_CHECK_INTERVAL);
    kernel.call.bindProgram!(warp, uniforms);
    inputs.forEach((lanes, index) => kernel.u32(registers + index * REGISTER_BYTES, LANES).set(lanes));
    kernel.u32(warp + P.WARP_EXEC, LANES).set(Array.from({ length: LANES }, (_, lane) => (exec(lane) ? 0xffffffff : 0)));
    const run = compiled ? kernel.call.runWarp! : scalar ? kernel.call.interpretScalar! : kernel.call.interpret!;
    const status = run(warp);
    kernel.call.surfaceFlush!(context);
    return {
      status,
      outputs: Array.from({ length: encoded.outputs }, (_, k) => kernel.u32(registers + (encoded.inputs + k) * REGISTER_BYTES, LANES).slice()),
      killed: kernel.u32(warp + P.WARP_KILLED, LANES).slice(),
      surface: surface < 0 ? new Uint32Array() : Uint32Array.of(...this.texels(record), ...kernel.u32(unit + LSU_FAULTS, 1)),
    };
  }

  private surface(): number {
    const { kernel } = this;
    const record = kernel.alloc(S.SURFACE_RECORD_BYTES);
    const put = (field: number, value: number): void => { kernel.u32(record + field, 1)[0] = value; };
    put(S.SURFACE_FORMAT, FORMAT_RGBA32FLOAT);
    put(S.SURFACE_BYTES_TEXEL, PIXEL_BYTES / SAMPLES);
    put(S.SURFACE_SAMPLES, SAMPLES);
    put(S.SURFACE_WIDTH, SURFACE_SIDE);
    put(S.SURFACE_HEIGHT, SURFACE_SIDE);
    put(S.SURFACE_TILES_X, 1);
    put(S.SURFACE_TILES, 1);
    put(S.SURFACE_TILES_ADDRESS, kernel.alloc(TILE_PIXELS * PIXEL_BYTES));
    put(S.SURFACE_TILE_STRIDE, TILE_PIXELS * PIXEL_BYTES);
    return record;
  }

  /** All samples of the surface's pixels: its first block. */
  private texels(record: number): Uint32Array {
    return this.kernel.u32(this.kernel.u32(record + S.SURFACE_TILES_ADDRESS, 1)[0]!, (SURFACE_SIDE * SURFACE_SIDE * PIXEL_BYTES) / 4);
  }

  private words(array: Uint32Array): number {
    const address = this.kernel.alloc(Math.max(4, array.length * 4));
    this.kernel.u32(address, array.length).set(array);
    return address;
  }

  private program(encoded: EncodedProgram, compiled: CompiledProgram | undefined): number {
    const { kernel } = this;
    const record = kernel.alloc(P.PROGRAM_BYTES);
    const put = (field: number, value: number): void => { kernel.u32(record + field, 1)[0] = value; };
    put(P.PROGRAM_CODE, this.words(encoded.code));
    put(P.PROGRAM_PROLOGUE, encoded.prologue.length === 0 ? 0 : this.words(encoded.prologue));
    put(P.PROGRAM_INPUTS, encoded.inputs);
    put(P.PROGRAM_OUTPUTS, encoded.outputs);
    put(P.PROGRAM_CONSTANTS, encoded.constants.length);
    put(P.PROGRAM_UNIFORMS, encoded.uniforms);
    put(P.PROGRAM_CONSTANT_DATA, this.words(encoded.constants));
    put(P.PROGRAM_FLAGS, encoded.flags);
    if (compiled === undefined) return record;
    const constants = new WebAssembly.Global({ value: 'i32' }, this.words(compiled.constants));
    const instance = new WebAssembly.Instance(compiled.module, {
      env: { memory: kernel.memory, constants }, host: { timeExpired: this.timeExpired }, kernel: kernel.functions,
    });
    kernel.table.set(this.slot, instance.exports['vertex']);
    put(P.PROGRAM_SLOT, this.slot);
    put(P.PROGRAM_SITES, compiled.sites.length === 0 ? 0 : this.words(compiled.sites));
    put(P.PROGRAM_SITE_COUNT, compiled.sites.length * 4 / DESCRIPTION_BYTES);
    return record;
  }
}
