// Work to warm up newly compiled shaders: warps with all lanes masked off, dummy resources, and memory that no pass
// uses. Results are discarded, and all reads stay inside this memory.
import {
  FORMAT_DEPTH32FLOAT,
  FORMAT_R32SINT,
  FORMAT_R32UINT,
  FORMAT_RGBA8UNORM,
} from '../../../assembly/layout/texture/formats';
import { LOOP_CHECK_INTERVAL, MAX_VARYINGS, REGISTER_BYTES, WARP_QUADS } from '../../../assembly/layout/limits';
import { ADDRESS_REPEAT, COMPARE_LESS, FILTER_LINEAR } from '../../../assembly/layout/texture/texture-codes';
import { Entry, Packer, Program, Resource, Sampler, Texture, Tile, Triangle, Warp } from '../../../build/layout';
import type { IrResource } from '../../ir';
import type { Kernel } from '../../kernels';
import type { Allocator } from '../../memory';
import { dimensionNumber } from '../enums';
import { writeLevel } from '../resources/level';
import { writeFunctions, type CompiledFunctions } from './program-memory';
import type { StageProgram } from './stage-program';

const CONTEXT_BYTES = Tile.bytes;
const TRIANGLE_BYTES = Triangle.planes + MAX_VARYINGS * 12;
/** Bytes of zeros that serve as texels (a multisampled pixel, six faces) and as the contents of buffers. */
const ZERO_BYTES = 4096;

/** Bytes that accesses of the shader to a buffer may reach. */
function bytesOf(resource: IrResource): number {
  if (resource.kind === 'workgroup' || resource.kind === 'counters') return resource.size;
  return resource.kind === 'storage' || resource.kind === 'uniform' ? resource.minSize : 0;
}

/** Lays out the pieces of one allocation, 16-byte aligned. */
class Pieces {
  bytes = 0;
  take(bytes: number): number {
    const at = this.bytes;
    this.bytes += (bytes + 15) & ~15;
    return at;
  }
}

interface DummyWorkParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  readonly kernel: Kernel;
  readonly stage: StageProgram;
  readonly functions: CompiledFunctions;
  /** Number of registers in the stage's register file. */
  readonly registers: number;
}

/**
 * Dummy work for a stage's compiled functions. It has its own PROGRAM record, so it does not matter whether warps
 * already use the functions.
 */
export class DummyWork {
  /** Address of the WARP record that is passed to the functions. */
  readonly warp: number;
  private readonly allocator: Allocator;
  private readonly memory: WebAssembly.Memory;
  private readonly base: number;
  private readonly zeros: number;
  private readonly sampler: number;

  /** Throws OutOfMemoryError. */
  constructor({ allocator, memory, kernel, stage, functions, registers }: DummyWorkParts) {
    this.allocator = allocator;
    this.memory = memory;
    const { resources } = stage;
    const pieces = new Pieces();
    const context = pieces.take(CONTEXT_BYTES);
    const program = pieces.take(Program.bytes);
    const warp = pieces.take(Warp.bytes);
    const file = pieces.take(registers * REGISTER_BYTES);
    const bytes = ZERO_BYTES + resources.reduce((most, resource) => Math.max(most, bytesOf(resource)), 0);
    const zeros = pieces.take(bytes);
    const triangle = pieces.take(TRIANGLE_BYTES);
    const packer = pieces.take(Packer.bytes);
    const sampler = pieces.take(Sampler.bytes);
    const uniforms = pieces.take(stage.uniforms * 4);
    const scratch = pieces.take(Warp.bytes + stage.registers * REGISTER_BYTES);
    const table = pieces.take(resources.length * Resource.bytes);
    const textures = pieces.take(resources.length * Texture.bytes);
    const base = (this.base = allocator.allocate(pieces.bytes, 'work to warm pipelines up'));
    this.warp = base + warp;
    this.zeros = base + zeros;
    this.sampler = base + sampler;
    this.writePacker(base + packer, base + triangle);
    resources.forEach((resource, i) =>
      this.writeResource(resource, base + table + i * Resource.bytes, base + textures + i * Texture.bytes)
    );
    this.writeConstants(stage.memory.address, base + uniforms);
    const u32 = new Uint32Array(memory.buffer);
    u32.copyWithin((base + program) >>> 2, stage.memory.address >>> 2, (stage.memory.address + Program.bytes) >>> 2);
    writeFunctions(u32, base + program, functions);
    const put = (field: number, value: number): void => {
      u32[(this.warp + field) >>> 2] = value;
    };
    put(Warp.program, base + program);
    put(Warp.registers, base + file);
    put(Warp.resources, base + table);
    put(Warp.quadCount, WARP_QUADS);
    put(Warp.packer, base + packer);
    put(Warp.tile, base + context);
    put(Warp.loopBudget, LOOP_CHECK_INTERVAL);
    // The prologue of compute shaders stores buffer sizes, on which the compiled accesses rely.
    if (stage.kind === 'compute')
      kernel.exports.runPrologue(stage.memory.address, base + table, base + uniforms, base + scratch);
    kernel.exports.bindProgram(this.warp, base + uniforms);
  }

  destroy(): void {
    this.allocator.free(this.base);
  }

  /** A draw call's uniform block begins with the shader's constants. The uniforms after them are zeros here. */
  private writeConstants(program: number, block: number): void {
    const u32 = new Uint32Array(this.memory.buffer);
    const field = (offset: number): number => u32[(program + offset) >>> 2]!;
    const data = field(Program.constantData) >>> 2;
    u32.copyWithin(block >>> 2, data, data + field(Program.constants));
  }

  private writePacker(packer: number, triangle: number): void {
    const u32 = new Uint32Array(this.memory.buffer);
    u32[(packer + Packer.count) >>> 2] = WARP_QUADS;
    for (let i = 0; i < WARP_QUADS; i++)
      u32[(packer + Packer.entries + i * Entry.bytes + Entry.triangle) >>> 2] = triangle;
    // 1/w is 1, so that nothing is divided by zero.
    new Float32Array(this.memory.buffer)[(triangle + Triangle.w) >>> 2] = 1;
  }

  private writeResource(resource: IrResource, entry: number, textureRecord: number): void {
    const u32 = new Uint32Array(this.memory.buffer);
    const put = (field: number, value: number): void => {
      u32[(entry + field) >>> 2] = value;
    };
    if (resource.kind === 'texture') {
      this.writeTexture(textureRecord, resource);
      put(Resource.address, textureRecord);
    } else if (resource.kind === 'sampler') {
      this.writeSampler(resource.comparison);
      put(Resource.address, this.sampler);
    } else if (resource.kind === 'surface') {
      // No lane is active that would access it.
      put(Resource.address, this.zeros);
    } else if (resource.kind === 'image') {
      // A texture without texels. Its format has functions, which encode texels even if no lane stores them.
      u32.fill(0, textureRecord >>> 2, (textureRecord + Texture.bytes) >>> 2);
      u32[(textureRecord + Texture.format) >>> 2] = FORMAT_RGBA8UNORM;
      put(Resource.address, textureRecord);
    } else {
      put(Resource.address, this.zeros);
      put(Resource.size, bytesOf(resource));
    }
  }

  /** Writes a texture of one texel, in the most common format of its type. */
  private writeTexture(
    record: number,
    { dimension, sampled, multisampled }: Extract<IrResource, { kind: 'texture' }>
  ): void {
    const u32 = new Uint32Array(this.memory.buffer);
    const put = (field: number, value: number): void => {
      u32[(record + field) >>> 2] = value;
    };
    put(
      Texture.format,
      { f32: FORMAT_RGBA8UNORM, i32: FORMAT_R32SINT, u32: FORMAT_R32UINT, depth: FORMAT_DEPTH32FLOAT }[sampled]
    );
    put(Texture.dimension, dimensionNumber[dimension]);
    put(Texture.width, 1);
    put(Texture.height, 1);
    put(Texture.depth, 1);
    put(Texture.layers, dimension.startsWith('cube') ? 6 : 1);
    put(Texture.levelCount, 1);
    put(Texture.samples, multisampled ? 4 : 1);
    writeLevel(
      new DataView(this.memory.buffer, record, Texture.bytes),
      0,
      { width: 1, height: 1, layers: 1, rowBytes: 64, layerBytes: 64 },
      this.zeros
    );
    // A surface without pixels.
    put(Texture.surface, this.zeros);
  }

  /** Writes a trilinear repeating sampler, the most common kind. */
  private writeSampler(comparison: boolean): void {
    const u32 = new Uint32Array(this.memory.buffer);
    const put = (field: number, value: number): void => {
      u32[(this.sampler + field) >>> 2] = value;
    };
    for (const field of [Sampler.mag, Sampler.min, Sampler.mipmap]) put(field, FILTER_LINEAR);
    for (const field of [Sampler.addressU, Sampler.addressV, Sampler.addressW]) put(field, ADDRESS_REPEAT);
    put(Sampler.compare, comparison ? COMPARE_LESS : 0);
  }
}
