// Runs a program on 64 lanes with individual inputs: encoded for the interpreter of the testing build, or compiled.
import { readFileSync } from 'node:fs';
import { FORMAT_RGBA32FLOAT } from '../../assembly/layout/texture/formats';
import { LOOP_CHECK_INTERVAL, REGISTER_BYTES, WARP_QUADS } from '../../assembly/layout/limits';
import { DIMENSION_2D } from '../../assembly/layout/texture/texture-codes';
import { TILE_PIXELS } from '../../assembly/layout/surface/tile-order';
import {
  LoadStoreUnit,
  Pool,
  Program,
  Resource,
  SiteDescription,
  Surface,
  Texture,
  TextureLevel,
  Tile,
  Warp,
} from '../../build/layout';
import type { EncodedProgram } from '../../src/codegen';
import { emitModule } from '../../src/codegen/jit';
import { parseInlines, type Inlines } from '../../src/codegen/wasm/inlines';
import type { IrProgram } from '../../src/ir';
import { TestKernel } from '../support/kernel';

export const LANES = WARP_QUADS * 4;
/** A pixel per lane: a block. */
export const SURFACE_SIDE = 8;
const SAMPLES = 4;
const PIXEL_BYTES = SAMPLES * 16;
const IMAGE_BYTES = SURFACE_SIDE * SURFACE_SIDE * 16;

export interface WarpResult {
  readonly status: number;
  /** Bits by output and lane. */
  readonly outputs: readonly Uint32Array[];
  readonly killed: Uint32Array;
  /** Words of the surface, followed by the number of faulty accesses; empty without a surface. */
  readonly surface: Uint32Array;
  /** Bytes of the buffers in order, followed by those of the image. */
  readonly buffers: Uint8Array;
}

/** A program as compiled code, for any number of runs. */
interface CompiledProgram {
  readonly module: WebAssembly.Module;
  readonly constants: Uint32Array;
  readonly sites: Uint32Array;
  /** Size of the register file. */
  readonly bytes: number;
}

export interface WarpOptions {
  /** Active lanes; all by default. */
  readonly exec?: (lane: number) => boolean;
  readonly scalar?: boolean;
  readonly quads?: number;
  /** Words in registers before the run: nothing may depend on them. */
  readonly garbage?: number;
  /** Creates textures and samplers in the kernel's memory. Returns addresses by resource index. */
  readonly bind?: (kernel: TestKernel) => ReadonlyMap<number, number>;
  /** Resource index of a surface of SURFACE_SIDE² pixels, four samples of rgba32float, all 0; −1 for none. */
  readonly surface?: number;
  /** Resource index of an image of SURFACE_SIDE² texels of rgba32float, all 0; −1 for none. */
  readonly image?: number;
  /**
   * The same program, compiled: it runs instead of the bytecode, which still computes the draw call's uniform values.
   */
  readonly compiled?: CompiledProgram;
}

let inlines: Inlines | undefined;
/** The kernel's math functions that emitted modules inline. */
function sharedInlines(): Inlines {
  return (inlines ??= parseInlines(readFileSync(new URL('../../build/inlines.wasm', import.meta.url))));
}

/**
 * Compiles a program whose bytecode is `encoded`, with its inputs and outputs in the register file. `width`: the number
 * of quads that run together, unless the compiler chooses.
 */
export function compileProgram(program: IrProgram, encoded: EncodedProgram, width?: 1 | 2): CompiledProgram {
  // As a vertex program, whose inputs are always in registers.
  const vertex = { ...program, kind: 'vertex' as const };
  const emitted = emitModule(
    { program: vertex, encoded },
    { inlines: sharedInlines(), sharedMemory: true, ...(width === undefined ? {} : { width }) }
  );
  return {
    module: new WebAssembly.Module(emitted.bytes),
    constants: emitted.constants,
    sites: emitted.sites,
    bytes: emitted.fileBytes,
  };
}

export class WarpRunner {
  private looks = 0;
  private readonly timeExpired = (): number => (++this.looks > 3 ? 1 : 0);
  /** An endless program stops after a few checks of the clock. */
  readonly kernel = new TestKernel({ timeExpired: this.timeExpired });
  /** The slot of the running compiled program in the kernel's function table. */
  private readonly slot = this.kernel.table.grow(1);

  /** `inputs`: bits by input and lane; `buffers`: bytes by resource index. */
  run(
    encoded: EncodedProgram,
    inputs: readonly (readonly number[])[],
    buffers: ReadonlyMap<number, Uint8Array>,
    options: WarpOptions = {}
  ): WarpResult {
    const { kernel } = this;
    const {
      exec = () => true,
      scalar = false,
      quads = WARP_QUADS,
      garbage = 0x7fa00001,
      compiled,
      surface = -1,
      image = -1,
    } = options;
    kernel.reset();
    this.looks = 0;
    const program = this.program(encoded, compiled);
    const bound = options.bind?.(kernel) ?? new Map<number, number>();
    const last = Math.max(0, surface, image, ...buffers.keys(), ...bound.keys());
    const resources = kernel.alloc((last + 1) * Resource.bytes);
    const record = surface < 0 ? 0 : this.surface();
    if (surface >= 0) kernel.u32(resources + surface * Resource.bytes, 2).set([record, 0]);
    for (const [index, address] of bound) kernel.u32(resources + index * Resource.bytes, 2).set([address, 0]);
    const addresses: [number, number][] = [];
    for (const [index, bytes] of buffers) {
      const address = kernel.alloc(bytes.length);
      addresses.push([address, bytes.length]);
      kernel.u8(address, bytes.length).set(bytes);
      kernel.u32(resources + index * Resource.bytes, 2).set([address, bytes.length]);
    }
    if (image >= 0) {
      const texels = kernel.alloc(IMAGE_BYTES);
      kernel.u8(texels, IMAGE_BYTES).fill(0);
      addresses.push([texels, IMAGE_BYTES]);
      kernel.u32(resources + image * Resource.bytes, 2).set([this.image(texels), 0]);
    }
    const scratch = kernel.alloc(Warp.bytes + encoded.registers * REGISTER_BYTES);
    const uniforms = kernel.alloc((encoded.constants.length + encoded.uniforms + 1) * 4);
    const context = kernel.alloc(Tile.bytes);
    const warp = kernel.alloc(Warp.bytes);
    const unit = kernel.alloc(kernel.call.unitBytes!(PIXEL_BYTES, 4));
    kernel.call.unitInit!(unit, PIXEL_BYTES, 4);
    kernel.u32(context + Tile.loadStoreUnit, 1)[0] = unit;
    const fileBytes = Math.max(encoded.registers * REGISTER_BYTES, compiled?.bytes ?? 0);
    const registers = kernel.alloc(fileBytes);
    kernel.u32(registers, fileBytes / 4).fill(garbage);
    kernel.call.runPrologue!(program, resources, uniforms, scratch);
    const put = (field: number, value: number): void => {
      kernel.u32(warp + field, 1)[0] = value;
    };
    put(Warp.program, program);
    put(Warp.registers, registers);
    put(Warp.resources, resources);
    put(Warp.quadCount, quads);
    put(Warp.loopBudget, LOOP_CHECK_INTERVAL);
    put(Warp.tile, context);
    kernel.call.bindProgram!(warp, uniforms);
    inputs.forEach((lanes, index) => kernel.u32(registers + index * REGISTER_BYTES, LANES).set(lanes));
    kernel.u32(warp + Warp.exec, LANES).set(Array.from({ length: LANES }, (_, lane) => (exec(lane) ? 0xffffffff : 0)));
    const run = compiled ? kernel.call.runWarp! : scalar ? kernel.call.interpretScalar! : kernel.call.interpret!;
    const status = run(warp);
    kernel.call.surfaceFlush!(unit);
    return {
      status,
      outputs: Array.from({ length: encoded.outputs }, (_, k) =>
        kernel.u32(registers + (encoded.inputs + k) * REGISTER_BYTES, LANES).slice()
      ),
      killed: kernel.u32(warp + Warp.killed, LANES).slice(),
      buffers: Uint8Array.from(addresses.flatMap(([address, length]) => [...kernel.u8(address, length)])),
      surface:
        surface < 0
          ? new Uint32Array()
          : Uint32Array.of(...this.texels(record), ...kernel.u32(unit + LoadStoreUnit.faults, 1)),
    };
  }

  /** A TEXTURE record. */
  private image(texels: number): number {
    const { kernel } = this;
    const record = kernel.alloc(Texture.bytes);
    const put = (field: number, value: number): void => {
      kernel.u32(record + field, 1)[0] = value;
    };
    put(Texture.format, FORMAT_RGBA32FLOAT);
    put(Texture.dimension, DIMENSION_2D);
    put(Texture.width, SURFACE_SIDE);
    put(Texture.height, SURFACE_SIDE);
    for (const field of [Texture.depth, Texture.layers, Texture.levelCount, Texture.samples]) put(field, 1);
    put(Texture.levels + TextureLevel.address, texels);
    put(Texture.levels + TextureLevel.rowBytes, SURFACE_SIDE * 16);
    put(Texture.levels + TextureLevel.layerBytes, IMAGE_BYTES);
    return record;
  }

  private surface(): number {
    const { kernel } = this;
    const record = kernel.alloc(Surface.bytes);
    const put = (field: number, value: number): void => {
      kernel.u32(record + field, 1)[0] = value;
    };
    put(Surface.format, FORMAT_RGBA32FLOAT);
    put(Surface.texelBytes, PIXEL_BYTES / SAMPLES);
    put(Surface.samples, SAMPLES);
    put(Surface.width, SURFACE_SIDE);
    put(Surface.height, SURFACE_SIDE);
    put(Surface.tilesX, 1);
    put(Surface.tileCount, 1);
    put(Surface.tilesAddress, kernel.alloc(TILE_PIXELS * PIXEL_BYTES));
    put(Surface.tileStride, TILE_PIXELS * PIXEL_BYTES);
    // Without free pages. A store that needs one notes the surface there.
    put(Surface.pool, kernel.alloc(Pool.bytes));
    return record;
  }

  /** All samples of the surface's pixels: its first block. */
  private texels(record: number): Uint32Array {
    return this.kernel.u32(
      this.kernel.u32(record + Surface.tilesAddress, 1)[0]!,
      (SURFACE_SIDE * SURFACE_SIDE * PIXEL_BYTES) / 4
    );
  }

  private words(array: Uint32Array): number {
    const address = this.kernel.alloc(Math.max(4, array.length * 4));
    this.kernel.u32(address, array.length).set(array);
    return address;
  }

  /** Returns the address of its PROGRAM record. */
  program(encoded: EncodedProgram, compiled?: CompiledProgram): number {
    const { kernel } = this;
    const record = kernel.alloc(Program.bytes);
    const put = (field: number, value: number): void => {
      kernel.u32(record + field, 1)[0] = value;
    };
    put(Program.code, this.words(encoded.code));
    put(Program.prologue, encoded.prologue.length === 0 ? 0 : this.words(encoded.prologue));
    put(Program.inputs, encoded.inputs);
    put(Program.outputs, encoded.outputs);
    put(Program.constants, encoded.constants.length);
    put(Program.uniforms, encoded.uniforms);
    put(Program.constantData, this.words(encoded.constants));
    put(Program.flags, encoded.flags);
    if (compiled === undefined) return record;
    const constants = new WebAssembly.Global({ value: 'i32' }, this.words(compiled.constants));
    const instance = new WebAssembly.Instance(compiled.module, {
      env: { memory: kernel.memory, constants },
      host: { timeExpired: this.timeExpired },
      kernel: kernel.functions,
    });
    kernel.table.set(this.slot, instance.exports['registers']);
    put(Program.slot, this.slot);
    put(Program.sites, compiled.sites.length === 0 ? 0 : this.words(compiled.sites));
    put(Program.siteCount, (compiled.sites.length * 4) / SiteDescription.bytes);
    return record;
  }
}
